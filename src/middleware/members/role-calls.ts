// The roles that can be given in a tenant, and those that it makes of its own (D18), as the routes of members ask the
// management API for them. That no one gives more than they have is looked at there, for the user whom the headers name.
import { answer, dataIn } from './answers.ts'
import type { MemberCall } from './call.ts'
import { offeredPermission, tenantRole } from './prints.ts'

const ROLES = '/v2/facts/{p}/{e}/tenants/{ref}/roles'
const PERMISSIONS = '/v2/facts/{p}/{e}/tenants/{ref}/permissions'

export async function listRoles({ client, place, headers, query, may }: MemberCall): Promise<Response> {
  const { data, total_count } = dataIn(
    await client.GET(ROLES, { params: { path: place, query: query as object }, headers }),
  )
  return answer(200, { data: data.map(tenantRole), total_count, may_manage: may('manageRoles') })
}

export async function listPermissions({ client, place, headers, query, may }: MemberCall): Promise<Response> {
  const { data, total_count } = dataIn(
    await client.GET(PERMISSIONS, { params: { path: place, query: query as object }, headers }),
  )
  return answer(200, { data: data.map(offeredPermission), total_count, may_manage: may('manageRoles') })
}

export async function createRole({ client, place, headers, body }: MemberCall): Promise<Response> {
  const sent = body as { readonly key: string }
  return answer(201, tenantRole(dataIn(await client.POST(ROLES, { params: { path: place }, headers, body: sent }))))
}

/** Changes what is sent of a role. */
export async function changeRole({ client, place, headers, names, body }: MemberCall): Promise<Response> {
  const params = { path: toRole(place, names) }
  return answer(200, tenantRole(dataIn(await client.PATCH(`${ROLES}/{tenant_role}`, { params, headers, body }))))
}

/** Deletes a role, and takes it from those who have it. */
export async function removeRole({ client, place, headers, names }: MemberCall): Promise<Response> {
  dataIn(await client.DELETE(`${ROLES}/{tenant_role}`, { params: { path: toRole(place, names) }, headers }))
  return answer(204, null)
}

const toRole = (place: MemberCall['place'], [role = '']: readonly string[]) => ({ ...place, tenant_role: role })
