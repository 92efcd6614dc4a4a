// W4: the world W1 with rules about attributes beside its roles. A rule lets the members of a department, at certain
// hours, do something with what is not above their clearance or is their own. What a user and a document are like is
// sent with each check.
import { decidePlainly, makeRandom, makeWorld, policyChanges } from './workloads.mjs'

/**
 * @typedef {{ user: { department: string, clearance: number }, resource: { classification: number, owner: string },
 * context: { hour: number } }} Sent
 * @typedef {{ resource: string, action: string, department: string, from: number, to: number }} Rule `to` is the last
 * hour of it
 * @typedef {import('./workloads.mjs').World & { rules: Rule[] }} RuleWorld
 */

/** `spread`: over all permissions; else all rules are about one. */
export const RULE_WORLDS = {
  'tiny-rules': { base: 'tiny', rules: 12, spread: true },
  W4: { base: 'W1', rules: 50, spread: true },
  'W4-1000': { base: 'W1', rules: 1_000, spread: false },
}
const LEVELS = 5

/** @returns {RuleWorld} */
export function makeRuleWorld(name, { seed = 4_000_004, checks }) {
  const { base, rules: count, spread } = RULE_WORLDS[name]
  const world = makeWorld(base, { checks: 0 })
  const random = makeRandom(seed)
  const below = (limit) => Math.floor(random() * limit)
  const pickOne = (list) => list[below(list.length)]
  const rules = Array.from({ length: count }, (_, at) => {
    const from = below(12)
    return {
      resource: spread ? pickOne(world.resources) : world.resources[0],
      action: spread ? pickOne(world.actions) : world.actions[0],
      department: departmentKey(at),
      from,
      to: from + 8 + below(4),
    }
  })
  const holders = world.users.map(({ key }) => ({
    key,
    department: departmentKey(below(count)),
    clearance: below(LEVELS),
  }))
  const userByKey = new Map(world.users.map((user) => [user.key, user]))
  for (let at = 0; at < checks; at++) {
    const wanted = below(2) === 1
    let check
    do {
      const rule = pickOne(rules)
      const byRule = below(2) === 1
      const user = byRule
        ? (pickOne(holders.filter((each) => each.department === rule.department)) ?? pickOne(holders))
        : pickOne(holders)
      const named = spread && !byRule ? { resource: pickOne(world.resources), action: pickOne(world.actions) } : rule
      check = {
        user: user.key,
        action: named.action,
        resource: named.resource,
        tenant: world.tenants[0],
        sent: {
          user: { department: user.department, clearance: user.clearance },
          resource: { classification: below(LEVELS), owner: below(4) === 0 ? user.key : pickOne(holders).key },
          context: { hour: below(24) },
        },
      }
    } while (decideRulesPlainly({ rules }, userByKey, check) !== wanted)
    world.checks.push(check)
    world.expected.push(wanted)
  }
  return Object.assign(world, { name, rules })
}

const departmentKey = (at) => `department-${String(at).padStart(4, '0')}`

/** The plain definition: a role says so, or a rule does. */
function decideRulesPlainly({ rules }, userByKey, check) {
  if (decidePlainly(userByKey, check)) return true
  const { user, action, resource, sent } = check
  return rules.some(
    (rule) =>
      rule.resource === resource &&
      rule.action === action &&
      sent.user.department === rule.department &&
      sent.context.hour >= rule.from &&
      sent.context.hour <= rule.to &&
      (sent.resource.classification <= sent.user.clearance || sent.resource.owner === user),
  )
}

/**
 * The changes that make Zerohop hold the same world: each rule has a set of users; all share one of resources for each
 * type.
 */
export function* rulePolicyChanges(world) {
  yield* policyChanges(world)
  const set = (key, type, resource, conditions) => ({
    op: 'put',
    kind: 'condition_set',
    key,
    value: { type, resource, conditions, parent: null },
  })
  for (const resource of world.resources) {
    const own = { 'resource.owner': { equals: { ref: 'user.key' } } }
    const cleared = { 'resource.classification': { 'less-than-equals': { ref: 'user.clearance' } } }
    yield set(`${resource}-for-them`, 'resourceset', resource, { anyOf: [cleared, own] })
  }
  for (const [at, { resource, action, department, from, to }] of world.rules.entries()) {
    const hours = { 'context.hour': { between: [from, to] } }
    yield set(`rule-${at}`, 'userset', null, { 'user.department': { equals: department }, ...hours })
    const value = { user_set: `rule-${at}`, permission: `${resource}:${action}`, resource_set: `${resource}-for-them` }
    yield { op: 'put', kind: 'set_rule', key: Object.values(value).join('/'), value }
  }
}
