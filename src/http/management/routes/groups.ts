// Groups: /v2/schema/{p}/{e}/groups. A group is named by its id, by `type:key` or by its key.
import type { FastifyInstance } from 'fastify'
import type { Group } from '../../../kinds/group.ts'
import { groupRelation, MEMBER, requireGroup } from '../../../management/objects/groups.ts'
import {
  GroupCreate,
  GroupInGroup,
  GroupQuery,
  GroupRead,
  GroupRole,
  GroupUser,
} from '../../../management/schemas/groups.ts'
import { NoBody } from '../../../management/schemas/schema-parts.ts'
import { listOf } from '../../../model/json-schema.ts'
import { GROUP_ROWS_MAX } from '../../../model/limits.ts'
import type { View } from '../../../store/view.ts'
import { type Query, readFlag, readPage } from '../../page.ts'
import { groupBlock } from '../render/facts.ts'
import { type RouteContext, requestView, write } from '../route-context.ts'
import { findGroups, groupReads } from './group-reads.ts'

const GROUPS = '/v2/schema/:p/:e/groups'
const GROUP = `${GROUPS}/:group`
const read = { operation: 'schema.read' } as const
/** members and roles are facts, and a group may make a resource type: it needs no more than either */
const change = { operation: 'schema.write' } as const
interface Named {
  Params: { group: string }
}

export function groupRoutes(app: FastifyInstance, management: RouteContext): void {
  app.get<{ Querystring: Query }>(
    GROUPS,
    { config: read, schema: { querystring: GroupQuery, response: { 200: listOf(GroupRead) } } },
    async (request) => {
      readFlag(request.query, 'include_total_count')
      const { rows } = await findGroups(
        () => requestView(management, request),
        request.query,
        readPage(request.query),
        false,
      )
      const view = requestView(management, request)
      return rows.map((group) => groupRead(view, group))
    },
  )
  app.post<{ Body: GroupCreate }>(
    GROUPS,
    { config: change, schema: { body: GroupCreate, response: { 200: GroupRead } } },
    async (request, reply) => {
      const made = await write(management, request, reply, 'createGroup', request.body)
      return groupRead(requestView(management, request), made)
    },
  )
  app.get<Named>(GROUP, { config: read, schema: { response: { 200: GroupRead } } }, (request) => {
    const view = requestView(management, request)
    return groupRead(view, requireGroup(view, request.params.group))
  })
  app.delete<Named>(GROUP, { config: change, schema: { response: { 204: NoBody } } }, async (request, reply) => {
    await write(management, request, reply, 'deleteGroup', request.params)
    return reply.code(204).send()
  })
  groupReads(app, management)
  memberRoutes(app, management)
  roleRoutes(app, management)
}

function memberRoutes(app: FastifyInstance, management: RouteContext): void {
  type Member = { Params: { group: string; user: string }; Body: GroupUser }
  const added = { body: GroupUser, response: { 200: GroupRead } }
  const gone = { body: GroupUser, response: { 204: NoBody } }
  app.put<Member>(`${GROUP}/users/:user`, { config: change, schema: added }, async (request, reply) => {
    const input = { ...request.params, tenant: request.body.tenant }
    return groupRead(requestView(management, request), await write(management, request, reply, 'addGroupUser', input))
  })
  app.delete<Member>(`${GROUP}/users/:user`, { config: change, schema: gone }, async (request, reply) => {
    await write(management, request, reply, 'removeGroupUser', { ...request.params, tenant: request.body.tenant })
    return reply.code(204).send()
  })
}

function roleRoutes(app: FastifyInstance, management: RouteContext): void {
  type WithRole = Named & { Body: GroupRole }
  const addedRole = { body: GroupRole, response: { 200: GroupRead } }
  const goneRole = { body: GroupRole, response: { 204: NoBody } }
  app.post<WithRole>(`${GROUP}/roles`, { config: change, schema: addedRole }, async (request, reply) => {
    const group = await write(management, request, reply, 'addGroupRole', { ...request.params, role: request.body })
    return groupRead(requestView(management, request), group)
  })
  app.delete<WithRole>(`${GROUP}/roles`, { config: change, schema: goneRole }, async (request, reply) => {
    await write(management, request, reply, 'removeGroupRole', { ...request.params, role: request.body })
    return reply.code(204).send()
  })
  type Nested = Named & { Body: GroupInGroup }
  const nested = { body: GroupInGroup, response: { 200: GroupRead } }
  const unnested = { body: GroupInGroup, response: { 204: NoBody } }
  app.put<Nested>(`${GROUP}/assign_group`, { config: change, schema: nested }, async (request, reply) => {
    const input = { ...request.params, into: request.body.group_instance_key }
    const group = await write(management, request, reply, 'addGroupToGroup', input)
    return groupRead(requestView(management, request), group)
  })
  app.delete<Nested>(`${GROUP}/assign_group`, { config: change, schema: unnested }, async (request, reply) => {
    const input = { ...request.params, into: request.body.group_instance_key }
    await write(management, request, reply, 'removeGroupFromGroup', input)
    return reply.code(204).send()
  })
}

/** A group with its members, and the roles that they have by it. */
function groupRead(view: View, group: Group): GroupRead {
  const { key, resource } = group
  const users: string[] = []
  for (const { user, role } of view.by('assignments_on_instance', key, { limit: GROUP_ROWS_MAX })) {
    const member = role === MEMBER ? view.get('user', user) : undefined
    if (member) users.push(member.id)
  }
  const assigned_roles = [`${key}#${MEMBER}`]
  const prefix = groupRelation(resource, '')
  for (const { relation, object } of view.by('tuples_of_subject', key, { limit: GROUP_ROWS_MAX })) {
    if (relation.startsWith(prefix)) assigned_roles.push(`${object}#${relation.slice(prefix.length)}`)
  }
  return { ...groupBlock(group), assigned_roles, users }
}
