// What most developers write: a nested Map of grants, one Set of `resource:action` strings per role, the key joined at
// each check.

/** @param {import('../workloads.mjs').World} world */
export function load(world) {
  const permissionsOfRole = new Map()
  for (const role of world.roles) {
    permissionsOfRole.set(role.key, new Set(role.permissions.map(({ resource, action }) => `${resource}:${action}`)))
  }
  const rolesOfUser = new Map()
  for (const user of world.users) {
    const rolesInTenant = new Map()
    for (const { tenant, roles } of user.grants) {
      rolesInTenant.set(
        tenant,
        roles.map((role) => role.key),
      )
    }
    rolesOfUser.set(user.key, rolesInTenant)
  }

  function decide(user, action, resource, tenant) {
    const roles = rolesOfUser.get(user)?.get(tenant)
    if (roles === undefined) return false
    const permission = `${resource}:${action}`
    for (let i = 0; i < roles.length; i++) {
      if (permissionsOfRole.get(roles[i]).has(permission)) return true
    }
    return false
  }
  return { decide }
}
