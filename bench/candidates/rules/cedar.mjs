// @cedar-policy/cedar-wasm: policies parsed once, one for each role and one for each rule; a call brings the user and
// the resource.
import { preparsePolicySet, statefulIsAuthorized } from '@cedar-policy/cedar-wasm/nodejs'
import { makeGrantLookup } from '../grants.mjs'

/** @param {import('../../rule-worlds.mjs').RuleWorld} world */
export function load(world) {
  const staticPolicies = {}
  for (const role of world.roles) {
    const actions = role.permissions.map(({ resource, action }) => `Action::"${resource}:${action}"`)
    staticPolicies[role.key] = `permit(principal in Role::"${role.key}", action in [${actions.join(', ')}], resource);`
  }
  for (const [at, { resource, action, department, from, to }] of world.rules.entries()) {
    staticPolicies[`rule-${at}`] =
      `permit(principal, action == Action::"${resource}:${action}", resource) when { principal.department == "${department}" && context.hour >= ${from} && context.hour <= ${to} && (resource.classification <= principal.clearance || resource.owner == principal.key) };`
  }
  const parsed = preparsePolicySet('rules', { staticPolicies })
  if (parsed.type === 'failure') throw new Error(parsed.errors[0].message)
  const findParents = makeGrantLookup(world, (roles) => roles.map((id) => ({ type: 'Role', id })))

  function decide(key, action, type, tenant, sent) {
    const principal = { type: 'User', id: key }
    const resource = { type: 'Resource', id: type }
    const answer = statefulIsAuthorized({
      principal,
      action: { type: 'Action', id: `${type}:${action}` },
      resource,
      context: sent.context,
      preparsedPolicySetId: 'rules',
      entities: [
        { uid: principal, attrs: { key, ...sent.user }, parents: findParents(key, tenant) ?? [] },
        { uid: resource, attrs: sent.resource, parents: [] },
      ],
    })
    if (answer.type === 'failure') throw new Error(answer.errors[0].message)
    return answer.response.decision === 'allow'
  }
  return { decide }
}
