// User invites: /v2/facts/{p}/{e}/user_invites. A refused approval answers `{message}`.
import type { FastifyInstance } from 'fastify'
import type { UserInvite } from '../../../kinds/user-invite.ts'
import { rolesNamed } from '../../../management/objects/role-assignments.ts'
import {
  InviteApprove,
  InviteCreate,
  InviteQuery,
  InviteRead,
  InviteReplace,
  InviteUpdate,
} from '../../../management/schemas/invites.ts'
import { UserRead } from '../../../management/schemas/users.ts'
import { isZerohopError } from '../../../model/errors.ts'
import { partKey } from '../../../model/objects.ts'
import type { StoredView } from '../../../store/view.ts'
import { describe } from '../../description.ts'
import { type Page, type Query, readText } from '../../page.ts'
import { everyObject, type Filter, filtered, indexed, type Rows, referring } from '../collection-pages.ts'
import { collectionRoutes, FACTS } from '../collection-routes.ts'
import { inviteRead, userRead } from '../render/facts.ts'
import { type RouteContext, requestView, write } from '../route-context.ts'
import { found, leavesFew, textFilter } from '../text-search.ts'

const INVITE = '/v2/facts/:p/:e/user_invites/:ref'
const change = { operation: 'facts.write', tag: 'user_invites' } as const
interface Named {
  Params: { ref: string }
}

export function inviteRoutes(app: FastifyInstance, management: RouteContext): void {
  collectionRoutes(app, management, {
    path: INVITE,
    tag: 'user_invites',
    noun: 'user invite',
    operations: FACTS,
    tagged: 'user_invite',
    find: ({ view, ref }) => view().require('user_invite', ref),
    answer: InviteRead,
    print: ({ scope, view }, invites) => {
      const now = view()
      return invites.map((invite) => inviteRead(scope, now, invite))
    },
    list: {
      query: InviteQuery,
      form: 'page',
      rows: ({ view, query }, page) => listInvites(view, query, page),
    },
    create: { body: InviteCreate, useCase: 'createInvite' },
    update: { body: InviteUpdate, useCase: 'updateInvite' },
    replace: { body: InviteReplace, useCase: 'replaceInvite' },
    remove: 'deleteInvite',
    fact: 'invites',
  })
  app.post<Named & { Body: InviteApprove }>(
    `${INVITE}/approve`,
    describe(change, 'Approve a user invite', { body: InviteApprove, response: { 200: UserRead } }),
    async (request, reply) => {
      try {
        const input = { ref: request.params.ref, user: request.body }
        const user = await write(management, request, reply, 'approveInvite', input)
        return userRead(request.scope, requestView(management, request), user)
      } catch (error) {
        if (!isZerohopError(error, 'EMAIL_INVALID', 'INVITE_APPROVED')) throw error
        return reply.code(400).send({ message: error.message })
      }
    },
  )
}

/** Invites by `role` and `tenant` (id or key), and `search` in key, email and names. */
function listInvites(view: () => StoredView, query: Query, page: Page): Promise<Rows<UserInvite>> {
  const search = readText(query, 'search')
  const filters = listFilters(view, query)
  if (search === undefined) return filtered(everyObject(view, 'user_invite'), filters, page, true)
  if (leavesFew(filters))
    return filtered(everyObject(view, 'user_invite'), [...filters, textFilter('user_invite', [search])], page, true)
  const fits = (invite: UserInvite) => filters.every((filter) => filter.fits(invite))
  const further = filters.length === 0 ? {} : { fits }
  return found(view, 'user_invite', { parts: [search] }, page, { counted: true, ...further })
}

function listFilters(view: () => StoredView, query: Query): Filter<UserInvite>[] {
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
    filters.push(referring(view, 'invites_of_tenant', key, (row) => row.tenant))
  }
  return filters
}
