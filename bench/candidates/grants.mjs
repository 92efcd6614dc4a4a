// For engines that know roles and permissions but not who holds which role where: the application looks the roles up
// itself.

/**
 * @template T
 * @param {import('../workloads.mjs').World} world
 * @param {(roles: string[], user: string, tenant: string) => T} make what the engine wants to be given for these roles
 * @returns {(user: string, tenant: string) => T | undefined}
 */
export function makeGrantLookup(world, make) {
  const users = new Map()
  for (const user of world.users) {
    const tenants = new Map()
    for (const { tenant, roles } of user.grants) {
      const keys = roles.map((role) => role.key)
      tenants.set(tenant, make(keys, user.key, tenant))
    }
    users.set(user.key, tenants)
  }
  return (user, tenant) => users.get(user)?.get(tenant)
}
