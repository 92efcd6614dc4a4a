// The policy that the model's state is, for the definition of decisions (test/reference).
import { assignmentKey, type JsonObject } from '../../../src/model/objects.ts'
import { emptyPolicy, type Policy } from '../../reference/policy.ts'
import type { State } from './state.ts'

export function policyIn(state: State): Policy {
  const policy = emptyPolicy()
  for (const [key, { actions, attributes }] of state.resources) {
    const types = Object.fromEntries([...attributes].map(([name, { type }]) => [name, type])) as Record<
      string,
      'string'
    >
    policy.resource.set(key, { actions: [...actions.keys()], attributes: types })
  }
  for (const [key, role] of state.roles) policy.role.set(key, { permissions: role.permissions, extends: role.extends })
  for (const [key, role] of state.resourceRoles) {
    const { rules, no_direct_roles_on_object, ...of } = role
    const derived = rules.length > 0 || no_direct_roles_on_object
    const granted_to = derived ? { when: { no_direct_roles_on_object }, users_with_role: rules } : null
    policy.resource_role.set(key, { ...of, granted_to })
  }
  for (const [key, { attributes }] of state.users) policy.user.set(key, { attributes: attributes as JsonObject })
  for (const [key, { attributes }] of state.tenants)
    policy.tenant.set(key, { attributes: (attributes ?? {}) as JsonObject })
  for (const [key, one] of state.instances) {
    policy.resource_instance.set(key, { tenant: one.tenant, attributes: one.attributes as JsonObject })
  }
  for (const [key, one] of state.tuples) policy.relationship_tuple.set(key, one)
  for (const one of state.assignments.values()) {
    policy.role_assignment.set(assignmentKey(one.user, one.role, one.tenant, one.resource_instance), one)
  }
  for (const [key, one] of state.memberships) policy.membership.set(key, one)
  for (const [key, set] of state.conditionSets)
    policy.condition_set.set(key, { ...set, conditions: set.conditions as JsonObject })
  for (const [key, rule] of state.setRules) policy.set_rule.set(key, rule)
  return policy
}
