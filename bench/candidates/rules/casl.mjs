// @casl/ability in its fastest use: one ability per user, built once with the rules of the user's department and kept,
// for which what is sent about a user must be the same each time. The hour is an attribute of the subject.
import { createMongoAbility, subject } from '@casl/ability'

/** @param {import('../../rule-worlds.mjs').RuleWorld} world */
export function load(world) {
  const abilities = new Map()

  function warm(checks) {
    const users = new Map(world.users.map((user) => [user.key, user]))
    for (const { user, sent } of checks) {
      if (abilities.has(user)) continue
      const roles = users.get(user)?.grants[0]?.roles ?? []
      const permissions = roles.flatMap((role) => role.permissions)
      abilities.set(user, createMongoAbility([...permissions.map(plainRule), ...rulesFor(world, user, sent.user)]))
    }
  }

  function decide(user, action, resource, _tenant, sent) {
    const ability = abilities.get(user)
    if (ability === undefined) return false
    return ability.can(action, subject(resource, { ...sent.resource, hour: sent.context.hour }))
  }
  return { warm, decide }
}

const plainRule = ({ resource, action }) => ({ action, subject: resource })

/** Two for each: what is not above the clearance, and what is the user's own. Conditions of CASL know no "or". */
function rulesFor({ rules }, key, { department, clearance }) {
  const own = rules.filter((rule) => rule.department === department)
  return own.flatMap(({ resource, action, from, to }) =>
    [{ classification: { $lte: clearance } }, { owner: key }].map((what) => ({
      action,
      subject: resource,
      conditions: { hour: { $gte: from, $lte: to }, ...what },
    })),
  )
}
