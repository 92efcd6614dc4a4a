// Groups: /v2/schema/{p}/{e}/groups. A group is named by its id, by `type:key` or by its key.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Group } from '../../../kinds/group.ts'
import type { FactWrite } from '../../../management/objects/fact-writes.ts'
import { type GroupLink, groupRelation, MEMBER, requireGroup } from '../../../management/objects/groups.ts'
import { SETTLED_QUERY, WriteReport } from '../../../management/schemas/fact-writes.ts'
import {
  GroupCreate,
  GroupInGroup,
  GroupQuery,
  GroupRead,
  GroupRole,
  GroupUser,
  GroupUsersPut,
  GroupWritten,
} from '../../../management/schemas/groups.ts'
import { NoBody } from '../../../management/schemas/schema-parts.ts'
import { GROUP_ROWS_MAX, GROUP_ROWS_READ_MAX } from '../../../model/limits.ts'
import type { View } from '../../../store/view.ts'
import { describe } from '../../description.ts'
import { readFlag } from '../../page.ts'
import { listRoute } from '../collection-routes.ts'
import { readSettled, writeOne, writeSettled } from '../fact-writes.ts'
import { sendEtag, type Tagged } from '../preconditions.ts'
import { groupBlock } from '../render/facts.ts'
import { type RouteContext, requestView, write } from '../route-context.ts'
import { isShown, notEnded } from '../time-states.ts'
import { taking } from './bulk.ts'
import { findGroups, groupReads } from './group-reads.ts'

const GROUPS = '/v2/schema/:p/:e/groups'
const GROUP = `${GROUPS}/:group`
const read = { operation: 'schema.read', tag: 'groups' } as const
/** members and roles are facts, and a group may make a resource type: it needs no more than either */
const change = { operation: 'groups.write', tag: 'groups' } as const
interface Named {
  Params: { group: string }
}
const REMOVED = { querystring: SETTLED_QUERY.DELETE, response: { 200: WriteReport, 204: NoBody } }

export function groupRoutes(app: FastifyInstance, management: RouteContext): void {
  listRoute(app, management, {
    path: GROUPS,
    ...read,
    summary: 'List groups',
    query: GroupQuery,
    form: 'array',
    rows: ({ view, query }, page) => {
      readFlag(query, 'include_total_count') // the contract has it, and an array all the same
      return findGroups(view, query, page, false)
    },
    answer: GroupRead,
    print: ({ view }, groups) => {
      const now = view()
      return groups.map((group) => groupRead(now, group))
    },
  })
  app.post<{ Body: GroupCreate }>(
    GROUPS,
    describe(change, 'Create a group', {
      querystring: SETTLED_QUERY.POST,
      body: GroupCreate,
      response: { 200: GroupWritten },
    }),
    async (request, reply) => {
      const sent = { fact: 'groups', method: 'POST', items: [request.body] } as const
      const one = await writeOne<Group>(management, request, reply, 'createGroup', sent)
      const made = one?.object ?? (await write(management, request, reply, 'createGroup', request.body))
      return { ...groupRead(requestView(management, request), made), ...one?.shown }
    },
  )
  app.get<Named>(GROUP, describe(read, 'Read a group', { response: { 200: GroupRead } }), (request, reply) => {
    const view = requestView(management, request)
    const group = requireGroup(view, request.params.group)
    sendEtag(reply, group)
    return groupRead(view, group)
  })
  const tagged = (request: FastifyRequest): Tagged => {
    const view = requestView(management, request)
    const object = requireGroup(view, (request.params as Named['Params']).group)
    return { kind: 'group', object, show: () => groupRead(view, object) }
  }
  const deletion = describe({ ...change, tagged }, 'Delete a group', REMOVED)
  app.delete<Named>(GROUP, deletion, async (request, reply) => {
    const sent = { fact: 'groups', method: 'DELETE', items: [request.params.group] } as const
    const report = await writeSettled(management, request, reply, 'deleteGroup', sent)
    if (report !== undefined) return report
    await write(management, request, reply, 'deleteGroup', request.params)
    return reply.code(204).send()
  })
  groupReads(app, management)
  memberRoutes(app, management)
  roleRoutes(app, management)
}

function memberRoutes(app: FastifyInstance, management: RouteContext): void {
  type Member = { Params: { group: string; user: string }; Body: GroupUser }
  const added = describe(change, 'Add a user to a group', {
    querystring: SETTLED_QUERY.PUT,
    body: GroupUser,
    response: { 200: GroupWritten },
  })
  const gone = describe(change, 'Remove a user from a group', { body: GroupUser, ...REMOVED })
  app.put<Member>(`${GROUP}/users/:user`, added, (request, reply) => {
    const { tenant, valid_from, valid_until, reason, ticket } = request.body
    const input = { ...request.params, tenant, valid_from, valid_until, reason, ticket }
    return putInGroup(management, request, reply, 'addGroupUser', { fact: 'group_users', items: [input] })
  })
  // not below `users`, where it would be a user
  const many = taking(
    'groups',
    'Add many users to a group',
    { body: GroupUsersPut, response: { 200: WriteReport } },
    'groups.write',
  )
  app.put<Named & { Body: GroupUsersPut }>(`${GROUP}/bulk/users`, many, async (request, reply) => {
    const items = request.body.operations.map((one) => ({ ...one, ...request.params }))
    const call = { fact: 'group_users', method: 'PUT', items, list: ['body', 'operations'], on: null } as const
    const report = await write(management, request, reply, 'writeFacts', call, { operation: 'putGroupUsers' })
    if (items.length === 0) requireGroup(requestView(management, request), request.params.group)
    return report
  })
  app.delete<Member>(`${GROUP}/users/:user`, gone, async (request, reply) => {
    const input = { ...request.params, tenant: request.body.tenant }
    const sent = { fact: 'group_users', method: 'DELETE', items: [input] } as const
    const report = await writeSettled(management, request, reply, 'removeGroupUser', sent)
    if (report !== undefined) return report
    await write(management, request, reply, 'removeGroupUser', input)
    return reply.code(204).send()
  })
}

function roleRoutes(app: FastifyInstance, management: RouteContext): void {
  type WithRole = Named & { Body: GroupRole }
  const addedRole = describe(change, 'Assign a role to a group', {
    querystring: SETTLED_QUERY.POST,
    body: GroupRole,
    response: { 200: GroupWritten },
  })
  const goneRole = describe(change, 'Unassign a role from a group', { body: GroupRole, ...REMOVED })
  app.post<WithRole>(`${GROUP}/roles`, addedRole, async (request, reply) => {
    const input = { ...request.params, role: request.body }
    const sent = { fact: 'group_roles', method: 'POST', items: [input] } as const
    const one = await writeOne<Group>(management, request, reply, 'addGroupRole', sent)
    const group = one?.object ?? (await write(management, request, reply, 'addGroupRole', input))
    return { ...groupRead(requestView(management, request), group), ...one?.shown }
  })
  const unlink = async (
    request: FastifyRequest,
    reply: FastifyReply,
    useCase: 'removeGroupRole' | 'removeGroupFromGroup',
    link: GroupLink,
  ) => {
    const sent = { fact: 'group_roles', method: 'DELETE', items: [link] } as const
    const report = await writeSettled(management, request, reply, useCase, sent)
    if (report !== undefined) return report
    await write(management, request, reply, useCase, link)
    return reply.code(204).send()
  }
  app.delete<WithRole>(`${GROUP}/roles`, goneRole, (request, reply) =>
    unlink(request, reply, 'removeGroupRole', { ...request.params, role: request.body }),
  )
  type Nested = Named & { Body: GroupInGroup }
  const nested = describe(change, 'Add a group to another group', {
    querystring: SETTLED_QUERY.PUT,
    body: GroupInGroup,
    response: { 200: GroupWritten },
  })
  const unnested = describe(change, 'Remove a group from another group', { body: GroupInGroup, ...REMOVED })
  app.put<Nested>(`${GROUP}/assign_group`, nested, (request, reply) => {
    const { group_instance_key: into, valid_from, valid_until } = request.body
    const link = { ...request.params, into, valid_from, valid_until }
    return putInGroup(management, request, reply, 'addGroupToGroup', { fact: 'group_roles', items: [link] })
  })
  app.delete<Nested>(`${GROUP}/assign_group`, unnested, (request, reply) =>
    unlink(request, reply, 'removeGroupFromGroup', { ...request.params, into: request.body.group_instance_key }),
  )
}

/** The group, as it is with one of its users or groups, and what became of that. */
async function putInGroup(
  management: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
  operation: string,
  sent: Pick<Extract<FactWrite, { fact: 'group_users' | 'group_roles'; method: 'POST' | 'PUT' }>, 'fact' | 'items'>,
) {
  const call = { ...sent, method: 'PUT', list: null, on: null } as FactWrite
  const { items, object } = await write(management, request, reply, 'writeFacts', call, { operation })
  const [item] = items
  const shown = readSettled(request) === undefined ? {} : { outcome: item?.outcome }
  // what the single call of the kind answers with
  const group = groupRead(requestView(management, request), object as Group)
  return { ...group, created: item?.outcome === 'created', ...shown }
}

/** A group with its members, and the roles that they have by it. */
function groupRead(view: View, group: Group): GroupRead {
  const { key, resource } = group
  const users: string[] = []
  const shown = notEnded()
  for (const assignment of view.by('assignments_on_instance', key, { limit: GROUP_ROWS_READ_MAX })) {
    if (users.length >= GROUP_ROWS_MAX) break
    const isMember = assignment.role === MEMBER && isShown(assignment, shown)
    const member = isMember ? view.get('user', assignment.user) : undefined
    if (member) users.push(member.id)
  }
  const assigned_roles = [`${key}#${MEMBER}`]
  const prefix = groupRelation(resource, '')
  for (const tuple of view.by('tuples_of_subject', key, { limit: GROUP_ROWS_READ_MAX })) {
    if (assigned_roles.length > GROUP_ROWS_MAX) break
    const { relation, object } = tuple
    const isRole = relation.startsWith(prefix) && isShown(tuple, shown)
    if (isRole) assigned_roles.push(`${object}#${relation.slice(prefix.length)}`)
  }
  return { ...groupBlock(group), assigned_roles, users }
}
