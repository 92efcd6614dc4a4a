// The table of the routes of members: what each needs, which fields it reads, and what it asks of the management API.
// Every one of them is below `F/tenants/{tenant}`, with the tenant of the session.
import type { ManagementClient } from '../../client/management-client.ts'
import { parseId, USER_KEY_PATTERN } from '../../model/keys.ts'
import { answer, dataIn, type Fields, inviteRead, MemberRefusal, memberRead, tenantRole } from './answers.ts'

/** What a user needs for a route. */
export type Need = 'read' | 'manage'

/** A request that may be carried out. */
export interface MemberCall {
  readonly client: ManagementClient
  /** the tenant of the session, in the environment of the key */
  readonly place: { readonly p: string; readonly e: string; readonly ref: string }
  /** what narrows a request to that tenant, whatever its key reaches */
  readonly headers: { readonly 'x-as-tenant': string }
  /** the parts of the path that are `*` in the table, decoded */
  readonly names: readonly string[]
  readonly body: Fields
  readonly query: Readonly<Record<string, string>>
  readonly mayManage: () => boolean
}

export interface MemberRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: readonly string[]
  readonly needs: Need
  /** the fields of the body; a route without them reads none */
  readonly body?: readonly string[]
  readonly query?: readonly string[]
  readonly run: (call: MemberCall) => Promise<Response>
}

const USERS = '/v2/facts/{p}/{e}/tenants/{ref}/users'
const ROLES = '/v2/facts/{p}/{e}/tenants/{ref}/roles'
const INVITES = '/v2/facts/{p}/{e}/tenants/{ref}/invites'
const ASSIGNMENTS = '/v2/facts/{p}/{e}/tenants/{ref}/role_assignments'

const PAGE = ['page', 'per_page']
/** What is said about a grant beside whose it is. */
const GRANT = ['resource_instance', 'valid_from', 'valid_until', 'reason', 'ticket']

export const MEMBER_ROUTES: readonly MemberRoute[] = [
  { method: 'GET', path: ['members'], needs: 'read', query: ['search', 'role', ...PAGE], run: listMembers },
  { method: 'DELETE', path: ['members', '*'], needs: 'manage', run: removeMember },
  {
    method: 'PUT',
    path: ['members', '*', 'roles', '*'],
    needs: 'manage',
    body: GRANT,
    run: giveRole,
  },
  {
    method: 'DELETE',
    path: ['members', '*', 'roles', '*'],
    needs: 'manage',
    query: ['resource_instance'],
    run: takeRole,
  },
  { method: 'GET', path: ['roles'], needs: 'read', query: PAGE, run: listRoles },
  { method: 'GET', path: ['invites'], needs: 'read', query: ['status', ...PAGE], run: listInvites },
  {
    method: 'POST',
    path: ['invites'],
    needs: 'manage',
    body: ['email', 'user', 'first_name', 'last_name', 'role', ...GRANT],
    run: invite,
  },
  { method: 'DELETE', path: ['invites', '*'], needs: 'manage', run: cancelInvite },
]

async function listMembers({ client, place, headers, query, mayManage }: MemberCall): Promise<Response> {
  const asked = { ...query, include_resource_instance_roles: 'true' }
  const { data, total_count } = dataIn(
    await client.GET(USERS, { params: { path: place, query: asked as object }, headers }),
  )
  return answer(200, { data: data.map(memberRead), total_count, may_manage: mayManage() })
}

async function removeMember({ client, place, headers, names: [user = ''] }: MemberCall): Promise<Response> {
  dataIn(await client.DELETE(`${USERS}/{user}`, { params: { path: { ...place, user: requireUser(user) } }, headers }))
  return answer(204, null)
}

/** Gives a role, or changes its times: what is not sent stays. */
async function giveRole({
  client,
  place,
  headers,
  names: [user = '', role = ''],
  body,
}: MemberCall): Promise<Response> {
  const sent = { ...body, user: requireUser(user), role }
  const { response, ...result } = await client.PUT(ASSIGNMENTS, { params: { path: place }, headers, body: sent })
  dataIn({ response, ...result })
  return answer(response.status === 201 ? 201 : 200, {})
}

async function takeRole({
  client,
  place,
  headers,
  names: [user = '', role = ''],
  query,
}: MemberCall): Promise<Response> {
  const body = { ...query, user: requireUser(user), role }
  dataIn(await client.DELETE(ASSIGNMENTS, { params: { path: place }, headers, body }))
  return answer(204, null)
}

async function listRoles({ client, place, headers, query, mayManage }: MemberCall): Promise<Response> {
  const { data, total_count } = dataIn(
    await client.GET(ROLES, { params: { path: place, query: query as object }, headers }),
  )
  return answer(200, { data: data.map(tenantRole), total_count, may_manage: mayManage() })
}

async function listInvites({ client, place, headers, query, mayManage }: MemberCall): Promise<Response> {
  const { data, total_count } = dataIn(
    await client.GET(INVITES, { params: { path: place, query: query as object }, headers }),
  )
  return answer(200, { data: data.map(inviteRead), total_count, may_manage: mayManage() })
}

/** Invites somebody by email, by key, or by both: the answer is the same whether the user exists. */
async function invite({ client, place, headers, body }: MemberCall): Promise<Response> {
  const sent = body as { readonly role: string }
  return answer(201, inviteRead(dataIn(await client.POST(INVITES, { params: { path: place }, headers, body: sent }))))
}

async function cancelInvite({ client, place, headers, names: [id = ''] }: MemberCall): Promise<Response> {
  const parsed = parseId(id)
  if (parsed === undefined) throw new MemberRefusal(404, 'not_found', 'there is no such invite')
  dataIn(await client.DELETE(`${INVITES}/{invite}`, { params: { path: { ...place, invite: parsed } }, headers }))
  return answer(204, null)
}

const userKey = new RegExp(USER_KEY_PATTERN)

/** @throws MemberRefusal for what can be no user's key */
function requireUser(user: string): string {
  if (!userKey.test(user)) throw new MemberRefusal(404, 'not_found', 'there is no such member')
  return user
}
