// User invites: /v2/facts/{p}/{e}/user_invites. A refused approval answers `{message}`.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { pageBody, type Query, readPage, readText } from '../../http/page.ts'
import { isZerohopError } from '../../model/errors.ts'
import { partKey, type UserInvite } from '../../model/objects.ts'
import type { View } from '../../store/view.ts'
import { everyObject, type Filter, filtered, indexed, matcher } from '../http/collection-pages.ts'
import { inviteRead, userRead } from '../http/render-facts.ts'
import { type RouteContext, viewOf, write } from '../http/route-context.ts'
import { rolesNamed } from '../role-assignments/use-cases.ts'
import { NoBody, pageOf } from '../schema-parts.ts'
import { UserRead } from '../users/schema.ts'
import { InviteApprove, InviteCreate, InviteQuery, InviteRead, InviteUpdate } from './schema.ts'

const INVITES = '/v2/facts/:p/:e/user_invites'
const INVITE = `${INVITES}/:ref`
const read = { operation: 'facts.read' } as const
const change = { operation: 'facts.write' } as const
interface Named {
  Params: { ref: string }
}

export function inviteRoutes(app: FastifyInstance, management: RouteContext): void {
  const print = (request: FastifyRequest, invite: UserInvite) =>
    inviteRead(request.scope, viewOf(management, request), invite)

  app.get<{ Querystring: Query }>(
    INVITES,
    { config: read, schema: { querystring: InviteQuery, response: { 200: pageOf(InviteRead) } } },
    async (request) => {
      const page = readPage(request.query)
      const view = () => viewOf(management, request)
      const filters = filtersOf(view, request.query)
      const { rows, total } = await filtered(everyObject(view, 'user_invite'), filters, page, true)
      const data = rows.map((invite) => print(request, invite))
      return pageBody(data, total, page)
    },
  )
  app.post<{ Body: InviteCreate }>(
    INVITES,
    { config: change, schema: { body: InviteCreate, response: { 200: InviteRead } } },
    async (request, reply) => print(request, await write(management, request, reply, 'createInvite', request.body)),
  )
  app.get<Named>(INVITE, { config: read, schema: { response: { 200: InviteRead } } }, (request) =>
    print(request, viewOf(management, request).require('user_invite', request.params.ref)),
  )
  app.patch<Named & { Body: InviteUpdate }>(
    INVITE,
    { config: change, schema: { body: InviteUpdate, response: { 200: InviteRead } } },
    async (request, reply) => {
      const input = { ref: request.params.ref, fields: request.body }
      return print(request, await write(management, request, reply, 'updateInvite', input))
    },
  )
  app.delete<Named>(INVITE, { config: change, schema: { response: { 204: NoBody } } }, async (request, reply) => {
    await write(management, request, reply, 'deleteInvite', { ref: request.params.ref })
    return reply.code(204).send()
  })
  app.post<Named & { Body: InviteApprove }>(
    `${INVITE}/approve`,
    { config: change, schema: { body: InviteApprove, response: { 200: UserRead } } },
    async (request, reply) => {
      try {
        const input = { ref: request.params.ref, user: request.body }
        const user = await write(management, request, reply, 'approveInvite', input)
        return userRead(request.scope, viewOf(management, request), user)
      } catch (error) {
        if (!isZerohopError(error, 'EMAIL_INVALID', 'INVITE_APPROVED')) throw error
        return reply.code(400).send({ message: error.message })
      }
    },
  )
}

/** `role` and `tenant` (id or key), `search` in key, email and names. */
function filtersOf(view: () => View, query: Query): Filter<UserInvite>[] {
  const now = view()
  const filters: Filter<UserInvite>[] = []
  const role = readText(query, 'role')
  if (role !== undefined) {
    const names = new Set(rolesNamed(now, role))
    const fits = ({ role: key, resource_instance: instance }: UserInvite) =>
      names.has(instance === null ? key : partKey(instance.slice(0, instance.indexOf(':')), key))
    filters.push({ sources: [...names].map((name) => indexed(view, 'invites_of_role', name)), fits })
  }
  const tenant = readText(query, 'tenant')
  if (tenant !== undefined) {
    const key = now.find('tenant', tenant)?.key
    const sources = key === undefined ? [] : [indexed(view, 'invites_of_tenant', key)]
    filters.push({ sources, fits: (row) => row.tenant === key })
  }
  const search = readText(query, 'search')
  if (search !== undefined) {
    const finds = matcher(search)
    filters.push({ fits: ({ key, email, first_name, last_name }) => finds(key, email, first_name, last_name) })
  }
  return filters
}
