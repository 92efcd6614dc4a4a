// The table of the routes of members: what each needs, which fields it reads, and what it asks of the management API.
// Every one of them is below `F/tenants/{tenant}`, with the tenant of the session.
import type { ManagementClient } from '../client/management-client.ts'
import { USER_KEY_PATTERN } from '../model/keys.ts'
import { answer, dataIn, type Fields, MemberRefusal, memberRead, offeredRole } from './member-answers.ts'

/** What a user needs for a route. */
export type Need = 'read' | 'manage'

/** A request that may be carried out. */
export interface MemberCall {
  readonly client: ManagementClient
  /** the tenant of the session, in the environment of the key */
  readonly place: { readonly p: string; readonly e: string; readonly ref: string }
  /** the parts of the path that are `*` in the table, decoded */
  readonly names: readonly string[]
  readonly body: Fields
  readonly query: Readonly<Record<string, string>>
  readonly mayManage: () => boolean
}

export interface MemberRoute {
  readonly method: 'GET' | 'PUT' | 'DELETE'
  readonly path: readonly string[]
  readonly needs: Need
  /** the fields of the body; a route without them reads none */
  readonly body?: readonly string[]
  readonly query?: readonly string[]
  readonly run: (call: MemberCall) => Promise<Response>
}

const USERS = '/v2/facts/{p}/{e}/tenants/{ref}/users'
const ROLES = '/v2/facts/{p}/{e}/tenants/{ref}/roles'
const ASSIGNMENTS = '/v2/facts/{p}/{e}/tenants/{ref}/role_assignments'

export const MEMBER_ROUTES: readonly MemberRoute[] = [
  { method: 'GET', path: ['members'], needs: 'read', query: ['search', 'role', 'page', 'per_page'], run: listMembers },
  { method: 'DELETE', path: ['members', '*'], needs: 'manage', run: removeMember },
  {
    method: 'PUT',
    path: ['members', '*', 'roles', '*'],
    needs: 'manage',
    body: ['resource_instance', 'valid_from', 'valid_until', 'reason', 'ticket'],
    run: giveRole,
  },
  {
    method: 'DELETE',
    path: ['members', '*', 'roles', '*'],
    needs: 'manage',
    query: ['resource_instance'],
    run: takeRole,
  },
  { method: 'GET', path: ['roles'], needs: 'read', query: ['page', 'per_page'], run: listRoles },
]

async function listMembers({ client, place, query, mayManage }: MemberCall): Promise<Response> {
  const asked = { ...query, include_resource_instance_roles: 'true' }
  const { data, total_count } = dataIn(await client.GET(USERS, { params: { path: place, query: asked as object } }))
  return answer(200, { data: data.map(memberRead), total_count, may_manage: mayManage() })
}

async function removeMember({ client, place, names: [user = ''] }: MemberCall): Promise<Response> {
  dataIn(await client.DELETE(`${USERS}/{user}`, { params: { path: { ...place, user: requireUser(user) } } }))
  return answer(204, null)
}

/** Gives a role, or changes its times: what is not sent stays. */
async function giveRole({ client, place, names: [user = '', role = ''], body }: MemberCall): Promise<Response> {
  const sent = { ...body, user: requireUser(user), role }
  const { response, ...result } = await client.PUT(ASSIGNMENTS, { params: { path: place }, body: sent })
  dataIn({ response, ...result })
  return answer(response.status === 201 ? 201 : 200, {})
}

async function takeRole({ client, place, names: [user = '', role = ''], query }: MemberCall): Promise<Response> {
  const body = { ...query, user: requireUser(user), role }
  dataIn(await client.DELETE(ASSIGNMENTS, { params: { path: place }, body }))
  return answer(204, null)
}

async function listRoles({ client, place, query }: MemberCall): Promise<Response> {
  const { data, total_count } = dataIn(await client.GET(ROLES, { params: { path: place, query: query as object } }))
  return answer(200, { data: data.map(offeredRole), total_count })
}

const userKey = new RegExp(USER_KEY_PATTERN)

/** @throws MemberRefusal for what can be no user's key */
function requireUser(user: string): string {
  if (!userKey.test(user)) throw new MemberRefusal(404, 'not_found', 'there is no such member')
  return user
}
