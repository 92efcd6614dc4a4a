// Access requests in a tenant, for its own administrators: /v2/facts/{p}/{e}/tenants/{tenant}/access_requests.
import type { FastifyInstance } from 'fastify'
import { listDecisions } from '../../../management/objects/access-requests.ts'
import { requireActor } from '../../../management/objects/approvers.ts'
import { listRequestable } from '../../../management/objects/requestable-roles.ts'
import { type Decision, requireRequest } from '../../../management/objects/tenant-requests.ts'
import {
  AccessRequestApprove,
  AccessRequestDecide,
  AccessRequestInTenant,
  AccessRequestRead,
  RequestableRole,
  RequestableRoleQuery,
  TenantRequestQuery,
} from '../../../management/schemas/access-requests.ts'
import { describe } from '../../description.ts'
import { readText } from '../../page.ts'
import { withActingUser } from '../acting-user.ts'
import { listRoute } from '../collection-routes.ts'
import { ordered } from '../ordered-rows.ts'
import { accessRequestRead, requestableRole } from '../render/access-requests.ts'
import { isWithinOwn, type RouteContext, requestView, write } from '../route-context.ts'
import { AS, listRequests } from './access-requests.ts'

const TENANT = '/v2/facts/:p/:e/tenants/:ref'
const REQUESTS = `${TENANT}/access_requests`
const REQUEST = `${REQUESTS}/:request`
const read = { operation: 'members.read', tag: 'tenants' } as const
const change = { operation: 'members.write', tag: 'tenants' } as const
interface Named {
  Params: { ref: string; request: string }
}

const DECISIONS: readonly (readonly [Decision, string, typeof AccessRequestApprove | typeof AccessRequestDecide])[] = [
  ['approve', 'Approve an access request in a tenant', AccessRequestApprove],
  ['deny', 'Deny an access request in a tenant', AccessRequestDecide],
  ['cancel', 'Cancel an access request in a tenant', AccessRequestDecide],
  ['revoke', 'Revoke an access request in a tenant', AccessRequestDecide],
]

export function tenantRequestRoutes(app: FastifyInstance, management: RouteContext): void {
  listRoute(app, management, {
    path: REQUESTS,
    ...read,
    summary: 'List the access requests in a tenant',
    query: TenantRequestQuery,
    form: 'page',
    rows: ({ view, ref, query }, page) => listRequests(view, query, page, view().require('tenant', ref)),
    answer: AccessRequestRead,
    print: ({ scope, view, query }, requests) => {
      const now = Date.now()
      const as = readText(query, 'as')
      const actor =
        as === undefined
          ? undefined
          : {
              user: requireActor(view(), { as }, now, AS),
              acting: { as },
              isWithinOwn: isWithinOwn(management),
            }
      return requests.map((request) => ({
        ...accessRequestRead(scope, request, now),
        ...(actor === undefined ? {} : { may: listDecisions(view(), request, actor, { now }) }),
      }))
    },
  })
  listRoute(app, management, {
    path: `${TENANT}/requestable_roles`,
    ...read,
    summary: 'List the roles that may be asked for in a tenant',
    query: RequestableRoleQuery,
    form: 'page',
    rows: async ({ view, ref, query }, page) => {
      const now = view()
      const tenant = now.require('tenant', ref).key
      const roles = listRequestable(now, { tenant, as: readText(query, 'as') }, Date.now()).map((row) => {
        const kind = 'resource' in row.role ? 'resource_role' : 'role'
        return { row, at: [kind === 'role' ? 0 : 1, now.findPlace(kind, row.role.key) ?? 0] }
      })
      return ordered(roles, page)
    },
    answer: RequestableRole,
    print: (_asked, roles) => roles.map(requestableRole),
  })
  app.post<{ Params: { ref: string }; Body: AccessRequestInTenant }>(
    REQUESTS,
    describe(change, 'Create an access request in a tenant', {
      body: AccessRequestInTenant,
      response: { 200: AccessRequestRead },
    }),
    async (request, reply) => {
      const input = { tenant: request.params.ref, request: withActingUser(request) }
      const made = await write(management, request, reply, 'requestInTenant', input)
      return accessRequestRead(request.scope, made, Date.now())
    },
  )
  app.get<Named>(
    REQUEST,
    describe(read, 'Read an access request in a tenant', { response: { 200: AccessRequestRead } }),
    async (request) => {
      const of = { tenant: request.params.ref, ref: request.params.request }
      return accessRequestRead(request.scope, requireRequest(requestView(management, request), of), Date.now())
    },
  )
  for (const [decision, summary, body] of DECISIONS) {
    app.post<Named & { Body: AccessRequestApprove }>(
      `${REQUEST}/${decision}`,
      describe(change, summary, { body, response: { 200: AccessRequestRead } }),
      async (request, reply) => {
        const { ref: tenant, request: ref } = request.params
        const input = { tenant, ref, decision, fields: withActingUser(request), isWithinOwn: isWithinOwn(management) }
        return accessRequestRead(
          request.scope,
          await write(management, request, reply, 'decideInTenant', input),
          Date.now(),
        )
      },
    )
  }
}
