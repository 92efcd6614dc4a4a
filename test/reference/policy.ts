// The definition: what a policy is, namely what its puts and deletes leave, one plain Map per kind.
// Slow and obvious on purpose; it must share no code with src/image or src/kernel. The rules are docs/semantics.md.

import type { PolicyKind, PolicyObjects } from '../../src/kinds/index.ts'
import type { PolicyChange } from '../../src/log/delta.ts'

export type Policy = { readonly [K in PolicyKind]: Map<string, PolicyObjects[K]> }

export function emptyPolicy(): Policy {
  return {
    resource: new Map(),
    role: new Map(),
    user: new Map(),
    tenant: new Map(),
    tenant_role: new Map(),
    role_assignment: new Map(),
    membership: new Map(),
    resource_role: new Map(),
    resource_instance: new Map(),
    relationship_tuple: new Map(),
    condition_set: new Map(),
    set_rule: new Map(),
    proxy_config: new Map(),
  }
}

/**
 * Applies changes in their order. D11: what a delete cascades to stands in the same list, so nothing is left to guess.
 */
export function applyChanges(policy: Policy, changes: Iterable<PolicyChange>): void {
  for (const change of changes) {
    const objects = policy[change.kind] as Map<string, unknown>
    if (change.op === 'put') objects.set(change.key, change.value)
    else objects.delete(change.key)
  }
}

export function toPolicy(changes: Iterable<PolicyChange>): Policy {
  const policy = emptyPolicy()
  applyChanges(policy, changes)
  return policy
}
