// accesscontrol: grants as its object form, locked; asked with the list of the user's roles in that tenant.
import { AccessControl } from 'accesscontrol'
import { makeGrantLookup } from './grants.mjs'

/** @param {import('../workloads.mjs').World} world */
export function load(world) {
  const grants = {}
  for (const role of world.roles) {
    const resources = {}
    for (const { resource, action } of role.permissions) {
      resources[resource] ??= {}
      resources[resource][action] = [{ possession: 'any', attributes: ['*'] }]
    }
    grants[role.key] = resources
  }
  const control = new AccessControl(grants)
  control.lock()
  const findRoles = makeGrantLookup(world, (roles) => roles)

  function decide(user, action, resource, tenant) {
    const roles = findRoles(user, tenant)
    return roles !== undefined && control.can(roles).action(action, resource).granted
  }
  return { decide }
}
