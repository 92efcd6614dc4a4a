// What most developers write: roles as in the other worlds, and one closure for each rule, in a list for each
// `resource:action`.
import { load as loadRoles } from '../hand-written.mjs'

/** @param {import('../../rule-worlds.mjs').RuleWorld} world */
export function load(world) {
  const roles = loadRoles(world)
  const rulesByPermission = new Map()
  for (const rule of world.rules) {
    const permission = `${rule.resource}:${rule.action}`
    rulesByPermission.set(permission, [...(rulesByPermission.get(permission) ?? []), makeClosure(rule)])
  }

  function decide(user, action, resource, tenant, sent) {
    if (roles.decide(user, action, resource, tenant)) return true
    const rules = rulesByPermission.get(`${resource}:${action}`)
    if (rules === undefined) return false
    for (let i = 0; i < rules.length; i++) {
      if (rules[i](user, sent.user, sent.resource, sent.context)) return true
    }
    return false
  }
  return { decide }
}

export function makeClosure({ department, from, to }) {
  return (key, user, resource, context) =>
    user.department === department &&
    context.hour >= from &&
    context.hour <= to &&
    (resource.classification <= user.clearance || resource.owner === key)
}
