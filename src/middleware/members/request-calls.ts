// Access requests in a tenant, as the routes of members ask the management API for them: always as the user of the
// session. Who may ask and who may decide is looked at there.
import { answer, dataIn } from './answers.ts'
import { type MemberCall, requireId } from './call.ts'
import { accessRequest, requestableRole } from './prints.ts'

const REQUESTS = '/v2/facts/{p}/{e}/tenants/{ref}/access_requests'
const ROLES = '/v2/facts/{p}/{e}/tenants/{ref}/requestable_roles'

/** What the user asked for, and what the user may decide about. */
export async function listRequests({ client, place, headers, query, user }: MemberCall): Promise<Response> {
  const asked = { ...query, as: user }
  const { data, total_count } = dataIn(
    await client.GET(REQUESTS, { params: { path: place, query: asked as object }, headers }),
  )
  return answer(200, { data: data.map((request) => accessRequest(request, user)), total_count })
}

export async function listRequestableRoles(call: MemberCall): Promise<Response> {
  const { client, place, headers, query, user } = call
  const asked = { ...query, as: user }
  const { data, total_count } = dataIn(
    await client.GET(ROLES, { params: { path: place, query: asked as object }, headers }),
  )
  return answer(200, { data: data.map(requestableRole), total_count })
}

export async function ask({ client, place, headers, body, user }: MemberCall): Promise<Response> {
  const sent = { ...body, as: user } as { readonly as: string; readonly role: string }
  const made = dataIn(await client.POST(REQUESTS, { params: { path: place }, headers, body: sent }))
  return answer(201, accessRequest(made, user))
}

/** What becomes of a request: the function for one of the steps. */
export function decide(step: 'approve' | 'deny' | 'cancel' | 'revoke') {
  return async ({ client, place, headers, names: [id = ''], body, user }: MemberCall): Promise<Response> => {
    const params = { path: { ...place, request: requireId(id, 'request') } }
    const sent = { ...body, as: user }
    const decided = await client.POST(`${REQUESTS}/{request}/${step}`, { params, headers, body: sent })
    return answer(200, accessRequest(dataIn(decided), user))
  }
}
