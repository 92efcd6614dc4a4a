// @casl/ability in its fastest use: one ability per user and tenant, built once and kept. (Building one per check is
// 4-8 times slower.) Memory is the price: tens of kilobytes for each user.
import { createMongoAbility } from '@casl/ability'

/** @param {import('../workloads.mjs').World} world */
export function load(world) {
  const rulesOfRole = new Map()
  for (const role of world.roles) {
    const actionsByResource = new Map()
    for (const { resource, action } of role.permissions) {
      actionsByResource.set(resource, [...(actionsByResource.get(resource) ?? []), action])
    }
    rulesOfRole.set(
      role.key,
      [...actionsByResource].map(([subject, action]) => ({ action, subject })),
    )
  }
  const users = new Map()
  for (const user of world.users) users.set(user.key, new Map(user.grants.map(({ tenant, roles }) => [tenant, roles])))
  const abilities = new Map()

  /** Only what the checks ask about: W3 has 300,000 pairs of user and tenant, and each ability is big. */
  function warm(checks) {
    for (const { user, tenant } of checks) {
      const roles = users.get(user)?.get(tenant)
      if (roles === undefined || abilities.get(user)?.has(tenant)) continue
      if (!abilities.has(user)) abilities.set(user, new Map())
      const ability = createMongoAbility(roles.flatMap((role) => rulesOfRole.get(role.key)))
      abilities.get(user).set(tenant, ability)
    }
  }

  function decide(user, action, resource, tenant) {
    const ability = abilities.get(user)?.get(tenant)
    return ability?.can(action, resource) ?? false
  }
  return { warm, decide }
}
