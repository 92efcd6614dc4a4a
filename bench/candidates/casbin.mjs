// casbin, the RBAC-with-domains model, asked through its synchronous call. Its CachedEnforcer is left out: it remembers
// answers, and goes on giving them after a revocation until it is cleared by hand.
import { newEnforcer, newModelFromString } from 'casbin'

const MODEL = `
[request_definition]
r = sub, dom, obj, act
[policy_definition]
p = sub, obj, act
[role_definition]
g = _, _, _
[policy_effect]
e = some(where (p.eft == allow))
[matchers]
m = r.obj == p.obj && r.act == p.act && g(r.sub, p.sub, r.dom)
`

/** @param {import('../workloads.mjs').World} world */
export async function load(world) {
  const enforcer = await newEnforcer(newModelFromString(MODEL))
  enforcer.enableAutoBuildRoleLinks(false)
  const policies = world.roles.flatMap((role) =>
    role.permissions.map(({ resource, action }) => [role.key, resource, action]),
  )
  await enforcer.addPolicies(policies)
  const links = world.users.flatMap((user) =>
    user.grants.flatMap(({ tenant, roles }) => roles.map((role) => [user.key, role.key, tenant])),
  )
  await enforcer.addGroupingPolicies(links)
  await enforcer.buildRoleLinks()
  return { decide: (user, action, resource, tenant) => enforcer.enforceSync(user, tenant, resource, action) }
}
