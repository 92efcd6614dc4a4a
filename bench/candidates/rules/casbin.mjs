// casbin: its RBAC model with attribute rules as expressions that the matcher evaluates, one policy line for each rule.
import { newEnforcer, newModelFromString } from 'casbin'

const MODEL = `
[request_definition]
r = sub, dom, obj, act, ctx
[policy_definition]
p = sub, obj, act, rule
[role_definition]
g = _, _, _
[policy_effect]
e = some(where (p.eft == allow))
[matchers]
m = r.obj.type == p.obj && r.act == p.act && (p.sub == "*" || g(r.sub.key, p.sub, r.dom)) && eval(p.rule)
`

/** @param {import('../../rule-worlds.mjs').RuleWorld} world */
export async function load(world) {
  const enforcer = await newEnforcer(newModelFromString(MODEL))
  enforcer.enableAutoBuildRoleLinks(false)
  const ofRoles = world.roles.flatMap((role) =>
    role.permissions.map(({ resource, action }) => [role.key, resource, action, 'true']),
  )
  const ofRules = world.rules.map(({ resource, action, department, from, to }) => [
    '*',
    resource,
    action,
    `r.sub.department == "${department}" && r.ctx.hour >= ${from} && r.ctx.hour <= ${to} && (r.obj.classification <= r.sub.clearance || r.obj.owner == r.sub.key)`,
  ])
  await enforcer.addPolicies([...ofRoles, ...ofRules])
  const links = world.users.flatMap((user) =>
    user.grants.flatMap(({ tenant, roles }) => roles.map((role) => [user.key, role.key, tenant])),
  )
  await enforcer.addGroupingPolicies(links)
  await enforcer.buildRoleLinks()
  return {
    decide: (key, action, type, tenant, sent) =>
      enforcer.enforceSync({ key, ...sent.user }, tenant, { type, ...sent.resource }, action, sent.context),
  }
}
