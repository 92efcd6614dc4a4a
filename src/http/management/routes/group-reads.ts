// The reads of groups that do not carry everything at once: groups as they are, the groups in and around one, its
// users, its roles. Each is a page; what is nested is never followed. In a path `groups/direct` is this list, so a
// group with the key `direct` is read by its id or type:key.
import type { FastifyInstance } from 'fastify'
import type { Group } from '../../../kinds/group.ts'
import type { RelationshipTuple } from '../../../kinds/relationship-tuple.ts'
import type { RoleAssignment } from '../../../kinds/role-assignment.ts'
import { groupRelation, MEMBER, requireGroup } from '../../../management/objects/groups.ts'
import {
  DirectGroupQuery,
  GroupBlock,
  GroupLinkQuery,
  GroupRoleRead,
  GroupUserQuery,
} from '../../../management/schemas/groups.ts'
import { UserRead } from '../../../management/schemas/users.ts'
import type { TSchema } from '../../../model/json-schema.ts'
import type { StoredView } from '../../../store/view.ts'
import { describe } from '../../description.ts'
import { type Page, type Query, readFlag, readText } from '../../page.ts'
import type { Scope } from '../auth.ts'
import { everyObject, type Filter, filtered, indexed, type Rows, referring, searched } from '../collection-pages.ts'
import { listRoute } from '../collection-routes.ts'
import { groupBlock, groupRole, userRead } from '../render/facts.ts'
import { type RouteContext, requestView } from '../route-context.ts'
import { found, leavesFew, textFilter } from '../text-search.ts'
import { isShown, readShown } from '../time-states.ts'

const GROUPS = '/v2/schema/:p/:e/groups'
const GROUP = `${GROUPS}/:group`
const config = { operation: 'schema.read', tag: 'groups' } as const
interface OfGroup {
  Params: { group: string }
  Querystring: Query
}
interface Around {
  readonly view: () => StoredView
  readonly group: Group
  readonly page: Page
  readonly query: Query
  readonly scope: Scope
}

export function groupReads(app: FastifyInstance, management: RouteContext): void {
  listRoute(app, management, {
    path: `${GROUPS}/direct`,
    tag: 'groups',
    summary: 'List groups without users and roles',
    operation: 'schema.read',
    query: DirectGroupQuery,
    form: 'page',
    rows: ({ view, query }, page) => findGroups(view, query, page, true),
    answer: GroupBlock,
    print: (_asked, groups) => groups.map(groupBlock),
  })
  app.get<OfGroup>(
    `${GROUPS}/direct/:group`,
    describe(config, 'Read a group without users and roles', { response: { 200: GroupBlock } }),
    (request) => groupBlock(requireGroup(requestView(management, request), request.params.group)),
  )
  /** A page of what stands around a group. */
  const around = (
    path: string,
    summary: string,
    reads: { readonly row: TSchema; readonly query?: TSchema },
    find: (of: Around) => Promise<Rows<unknown>>,
  ) =>
    listRoute(app, management, {
      path: `${GROUP}/${path}`,
      refName: 'group',
      tag: 'groups',
      summary,
      operation: 'schema.read',
      query: reads.query ?? GroupLinkQuery,
      form: 'page',
      rows: ({ view, ref, query, scope }, page) => find({ view, group: requireGroup(view(), ref), page, query, scope }),
      answer: reads.row,
      print: (_asked, rows) => rows,
    })
  around('children', 'List the child groups of a group', { row: GroupBlock }, ({ view, group, page, query }) => {
    const inside = (type: string) => groupRelation(type, MEMBER)
    const shown = readShown(query)
    const pick = (tuple: RelationshipTuple) => {
      const { subject, relation } = tuple
      const child = isShown(tuple, shown) ? view().get('group', subject) : undefined
      return child && relation === inside(child.resource) ? groupBlock(child) : undefined
    }
    return searched(indexed(view, 'tuples_of_object', group.key), page, pick, true)
  })
  around('parents', 'List the parent groups of a group', { row: GroupBlock }, ({ view, group, page, query }) => {
    const inside = groupRelation(group.resource, MEMBER)
    const shown = readShown(query)
    const pick = (tuple: RelationshipTuple) => {
      const { object, relation } = tuple
      const parent = relation === inside && isShown(tuple, shown) ? view().get('group', object) : undefined
      return parent && groupBlock(parent)
    }
    return searched(indexed(view, 'tuples_of_subject', group.key), page, pick, true)
  })
  const reads = { row: UserRead, query: GroupUserQuery }
  around('users', 'List the users of a group', reads, async ({ view, group, page, query, scope }) => {
    const withInstances = readFlag(query, 'include_resource_instance_roles')
    const members = indexed(view, 'assignments_on_instance', group.key)
    const shown = readShown(query)
    const pick = (one: RoleAssignment) => (one.role === MEMBER && isShown(one, shown) ? one.user : undefined)
    const { rows, ...more } = await searched(members, page, pick, true)
    const now = view()
    const users = rows.map((key) => now.get('user', key)).filter((user) => user !== undefined)
    return { ...more, rows: users.map((user) => userRead(scope, now, user, { withInstances, shown })) }
  })
  around('roles', 'List the roles of a group', { row: GroupRoleRead }, ({ view, group, page, query }) => {
    const prefix = groupRelation(group.resource, '')
    const shown = readShown(query)
    const pick = (tuple: RelationshipTuple) => (isShown(tuple, shown) ? groupRole(view(), tuple, prefix) : undefined)
    return searched(indexed(view, 'tuples_of_subject', group.key), page, pick, true)
  })
}

/** Groups by `tenant` and `resource` (ids or keys) and `search` (key). Without `counted`, `total` means nothing. */
export async function findGroups(
  view: () => StoredView,
  query: Query,
  page: Page,
  counted: boolean,
): Promise<Rows<Group>> {
  const tenantRef = readText(query, 'tenant')
  const resourceRef = readText(query, 'resource')
  const search = readText(query, 'search')
  const tenant = tenantRef === undefined ? undefined : view().find('tenant', tenantRef)?.key
  const resource = resourceRef === undefined ? undefined : view().find('resource', resourceRef)?.key
  const filters: Filter<Group>[] = []
  if (tenantRef !== undefined) filters.push(referring(view, 'groups_of_tenant', tenant, (row) => row.tenant))
  if (resourceRef !== undefined) filters.push(referring(view, 'groups_of_resource', resource, (row) => row.resource))
  if (search !== undefined && !leavesFew(filters))
    return found(view, 'group', { parts: [search], exact: [resource, tenant] }, page, { counted })
  if (search !== undefined) filters.push(textFilter('group', [search]))
  return filtered(everyObject(view, 'group'), filters, page, counted)
}
