// Which objects the changes name, by their keys. What became of them is read from the two images, not from the changes.

import type { PolicyObjects } from '../../kinds/index.ts'
import type { PolicyChange } from '../../log/delta.ts'
import { parseAssignment, parseMembership, parseSetRule, parseTuple } from '../update/deleted-keys.ts'

export interface Changed {
  readonly users: ReadonlySet<string>
  readonly tenants: ReadonlySet<string>
  readonly types: ReadonlySet<string>
  /** roles in tenants, and resource roles with their full key */
  readonly roles: ReadonlySet<string>
  readonly instances: ReadonlySet<string>
  readonly sets: ReadonlySet<string>
  readonly assignments: readonly PolicyObjects['role_assignment'][]
  readonly memberships: readonly PolicyObjects['membership'][]
  readonly tuples: readonly PolicyObjects['relationship_tuple'][]
  readonly rules: readonly PolicyObjects['set_rule'][]
}

/** @throws DELTA_INVALID on a key that names nothing; `to` is the revision of the error */
export function changedBy(changes: readonly PolicyChange[], to: number): Changed {
  const [users, tenants, types] = [new Set<string>(), new Set<string>(), new Set<string>()]
  const [roles, instances, sets] = [new Set<string>(), new Set<string>(), new Set<string>()]
  const assignments: PolicyObjects['role_assignment'][] = []
  const memberships: PolicyObjects['membership'][] = []
  const tuples: PolicyObjects['relationship_tuple'][] = []
  const rules: PolicyObjects['set_rule'][] = []
  const byKey = {
    user: users,
    tenant: tenants,
    resource: types,
    role: roles,
    tenant_role: roles,
    resource_role: roles,
    resource_instance: instances,
    condition_set: sets,
  }
  for (const change of changes) {
    const { op, kind, key } = change
    switch (kind) {
      case 'role_assignment':
        assignments.push(op === 'put' ? change.value : parseAssignment(key, to))
        break
      case 'membership':
        memberships.push(op === 'put' ? change.value : parseMembership(key, to))
        break
      case 'relationship_tuple':
        tuples.push(op === 'put' ? change.value : parseTuple(key, to))
        break
      case 'set_rule':
        rules.push(op === 'put' ? change.value : parseSetRule(key, to))
        break
      case 'proxy_config':
        break // no decision reads it
      default:
        byKey[kind].add(key)
    }
  }
  return { users, tenants, types, roles, instances, sets, assignments, memberships, tuples, rules }
}
