// Members of a tenant and invites to it, as the routes of members ask the management API for them.
import { answer, dataIn } from './answers.ts'
import { type MemberCall, requireId, requireUser } from './call.ts'
import { inviteRead, memberRead } from './prints.ts'

const USERS = '/v2/facts/{p}/{e}/tenants/{ref}/users'
const INVITES = '/v2/facts/{p}/{e}/tenants/{ref}/invites'
const ASSIGNMENTS = '/v2/facts/{p}/{e}/tenants/{ref}/role_assignments'

export async function listMembers({ client, place, headers, query, may }: MemberCall): Promise<Response> {
  const asked = { ...query, include_resource_instance_roles: 'true' }
  const { data, total_count } = dataIn(
    await client.GET(USERS, { params: { path: place, query: asked as object }, headers }),
  )
  return answer(200, { data: data.map(memberRead), total_count, may_manage: may('manage') })
}

export async function removeMember({ client, place, headers, names: [user = ''] }: MemberCall): Promise<Response> {
  dataIn(await client.DELETE(`${USERS}/{user}`, { params: { path: { ...place, user: requireUser(user) } }, headers }))
  return answer(204, null)
}

/** Gives a role, or changes its times: what is not sent stays. */
export async function giveRole(call: MemberCall): Promise<Response> {
  const { client, place, headers, names, body } = call
  const [user = '', role = ''] = names
  const sent = { ...body, user: requireUser(user), role }
  const { response, ...result } = await client.PUT(ASSIGNMENTS, { params: { path: place }, headers, body: sent })
  dataIn({ response, ...result })
  return answer(response.status === 201 ? 201 : 200, {})
}

export async function takeRole(call: MemberCall): Promise<Response> {
  const { client, place, headers, names, query } = call
  const [user = '', role = ''] = names
  const body = { ...query, user: requireUser(user), role }
  dataIn(await client.DELETE(ASSIGNMENTS, { params: { path: place }, headers, body }))
  return answer(204, null)
}

export async function listInvites({ client, place, headers, query, may }: MemberCall): Promise<Response> {
  const { data, total_count } = dataIn(
    await client.GET(INVITES, { params: { path: place, query: query as object }, headers }),
  )
  return answer(200, { data: data.map(inviteRead), total_count, may_manage: may('manage') })
}

/** Invites somebody by email, by key, or by both: the answer is the same whether the user exists. */
export async function invite({ client, place, headers, body }: MemberCall): Promise<Response> {
  const sent = body as { readonly role: string }
  return answer(201, inviteRead(dataIn(await client.POST(INVITES, { params: { path: place }, headers, body: sent }))))
}

export async function cancelInvite({ client, place, headers, names: [id = ''] }: MemberCall): Promise<Response> {
  const path = { ...place, invite: requireId(id, 'invite') }
  dataIn(await client.DELETE(`${INVITES}/{invite}`, { params: { path }, headers }))
  return answer(204, null)
}
