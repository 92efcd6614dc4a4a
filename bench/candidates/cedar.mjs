// @cedar-policy/cedar-wasm in its fastest stateful form: the policies are parsed once, one policy per role, the
// permissions of the role as the list of its actions; each call brings the principal with its roles in that tenant.
import { preparsePolicySet, statefulIsAuthorized } from '@cedar-policy/cedar-wasm/nodejs'
import { makeGrantLookup } from './grants.mjs'

/** @param {import('../workloads.mjs').World} world */
export function load(world) {
  const policies = {}
  for (const role of world.roles) {
    const actions = role.permissions.map(({ resource, action }) => `Action::"${resource}:${action}"`)
    policies[role.key] = `permit(principal in Role::"${role.key}", action in [${actions.join(', ')}], resource);`
  }
  const parsed = preparsePolicySet('rbac', { staticPolicies: policies })
  if (parsed.type === 'failure') throw new Error(parsed.errors[0].message)
  const findPrincipal = makeGrantLookup(world, (roles, user) => {
    const uid = { type: 'User', id: user }
    return { uid, entities: [{ uid, attrs: {}, parents: roles.map((id) => ({ type: 'Role', id })) }] }
  })

  function decide(user, action, resource, tenant) {
    const principal = findPrincipal(user, tenant)
    if (principal === undefined) return false
    const answer = statefulIsAuthorized({
      principal: principal.uid,
      action: { type: 'Action', id: `${resource}:${action}` },
      resource: { type: 'Resource', id: resource },
      context: {},
      preparsedPolicySetId: 'rbac',
      entities: principal.entities,
    })
    if (answer.type === 'failure') throw new Error(answer.errors[0].message)
    return answer.response.decision === 'allow'
  }
  return { decide }
}
