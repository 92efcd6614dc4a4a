// Invites to a tenant, by its own administrators: /v2/facts/{p}/{e}/tenants/{tenant}/invites. They are approved where the
// application knows who the invited person is, with a key of the environment: routes/invites.ts.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { UserInvite } from '../../../kinds/user-invite.ts'
import { requireInvite } from '../../../management/objects/tenant-invites.ts'
import {
  INVITE_STATUSES,
  InviteInTenant,
  TenantInviteQuery,
  TenantInviteRead,
} from '../../../management/schemas/invites.ts'
import { NoBody } from '../../../management/schemas/schema-parts.ts'
import { ZerohopError } from '../../../model/errors.ts'
import { describe } from '../../description.ts'
import { type Query, readText } from '../../page.ts'
import { readActingUser } from '../acting-user.ts'
import { filtered, indexed } from '../collection-pages.ts'
import { listRoute } from '../collection-routes.ts'
import { sendEtag, type Tagged } from '../preconditions.ts'
import { tenantInviteRead } from '../render/facts.ts'
import { type RouteContext, requestView, write } from '../route-context.ts'

const INVITES = '/v2/facts/:p/:e/tenants/:ref/invites'
const INVITE = `${INVITES}/:invite`
const read = { operation: 'members.read', tag: 'tenants' } as const
const change = { operation: 'members.write', tag: 'tenants' } as const
interface OfTenant {
  Params: { ref: string }
}
interface Named {
  Params: { ref: string; invite: string }
}

export function tenantInviteRoutes(app: FastifyInstance, management: RouteContext): void {
  const find = (request: FastifyRequest) => {
    const { ref: tenant, invite: ref } = request.params as Named['Params']
    return requireInvite(requestView(management, request), { tenant, ref })
  }
  const tagged = (request: FastifyRequest): Tagged => {
    const object = find(request)
    return { kind: 'user_invite', object, show: () => tenantInviteRead(request.scope, object) }
  }
  listRoute(app, management, {
    path: INVITES,
    ...read,
    summary: 'List the invites to a tenant',
    query: TenantInviteQuery,
    form: 'page',
    rows: ({ view, ref, query }, page) => {
      const invites = indexed(view, 'invites_of_tenant', view().require('tenant', ref).key)
      const status = readStatus(query)
      const fits = (invite: UserInvite) => invite.status === status
      return filtered(invites, status === undefined ? [] : [{ fits }], page, true)
    },
    answer: TenantInviteRead,
    print: ({ scope }, invites) => invites.map((invite) => tenantInviteRead(scope, invite)),
  })
  app.post<OfTenant & { Body: InviteInTenant }>(
    INVITES,
    describe(change, 'Invite somebody to a tenant', { body: InviteInTenant, response: { 200: TenantInviteRead } }),
    async (request, reply) => {
      const input = { tenant: request.params.ref, invite: request.body, by: readActingUser(management, request) }
      return tenantInviteRead(request.scope, await write(management, request, reply, 'inviteInTenant', input))
    },
  )
  app.get<Named>(
    INVITE,
    describe(read, 'Read an invite to a tenant', { response: { 200: TenantInviteRead } }),
    async (request, reply) => {
      const invite = find(request)
      sendEtag(reply, invite)
      return tenantInviteRead(request.scope, invite)
    },
  )
  app.delete<Named>(
    INVITE,
    describe({ ...change, tagged }, 'Cancel an invite to a tenant', { response: { 204: NoBody } }),
    async (request, reply) => {
      const of = { tenant: request.params.ref, ref: request.params.invite }
      await write(management, request, reply, 'cancelInTenant', of)
      return reply.code(204).send()
    },
  )
}

/** @throws INPUT_INVALID */
function readStatus(query: Query): UserInvite['status'] | undefined {
  const text = readText(query, 'status')
  const status = INVITE_STATUSES.find((one) => one === text)
  if (text === undefined || status !== undefined) return status
  const reason = `\`${text}\` is not one of ${INVITE_STATUSES.join(', ')}`
  throw new ZerohopError('INPUT_INVALID', { reason }, { path: ['query', 'status'] })
}
