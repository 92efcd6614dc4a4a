// The world of the rows about roles of tenants (D18): tenants with roles, and two users in each who have one of them. Two worlds
// differ only in whose the roles are: the environment's, or each tenant's own.

const put = (kind, key, value) => ({ op: 'put', kind, key, value })
export const ROLES_OF_TENANT = 5
const READS = ['document:read', 'document:write']
const WRITES = ['document:write']

const tenantKey = (at) => `tenant-${String(at).padStart(5, '0')}`
const roleKey = (number, tenant) => (tenant === undefined ? `role-${number}` : `role-${number}@${tenant}`)
const listPermissions = (number) => (number % 2 === 0 ? READS : WRITES)
const userKey = (tenant, number) => `${tenant}-user-${number}`

/**
 * As changes, for an image.
 * @param {{ tenants: number, areOwn: boolean }} world
 */
export function* tenantRoleChanges({ tenants, areOwn }) {
  yield put('resource', 'document', { actions: ['read', 'write', 'share'] })
  const numbers = Array.from({ length: ROLES_OF_TENANT }, (_, number) => number)
  // a policy has roles of its own, besides
  for (const number of numbers)
    yield put('role', roleKey(number), { permissions: listPermissions(number), extends: [] })
  for (let at = 0; at < tenants; at++) yield put('tenant', tenantKey(at), {})
  for (let at = 0; at < tenants; at++) {
    const tenant = tenantKey(at)
    for (const number of areOwn ? numbers : []) {
      const value = { tenant, role: roleKey(number), permissions: listPermissions(number), extends: [] }
      yield put('tenant_role', roleKey(number, tenant), value)
    }
    for (const number of [0, 1]) yield put('user', userKey(tenant, number), { attributes: {} })
  }
  for (let at = 0; at < tenants; at++) {
    const tenant = tenantKey(at)
    for (const number of [0, 1]) {
      const [user, role] = [userKey(tenant, number), roleKey(number, areOwn ? tenant : undefined)]
      yield put('role_assignment', `${user}/${role}/${tenant}`, { user, role, tenant })
    }
  }
}

/** Whether users may read: who has the first role may, who has the second may not. */
export function tenantRoleQuestions({ tenants }, count, isAllowed) {
  return Array.from({ length: count }, (_, number) => {
    const tenant = tenantKey((number * 7_919) % tenants)
    return { user: userKey(tenant, isAllowed ? 0 : 1), resource: { type: 'document', tenant }, isAllowed }
  })
}

/** Who is denied, for what is asked about one of them. */
export const DENIED = { user: userKey(tenantKey(1), 1), tenant: tenantKey(1) }
