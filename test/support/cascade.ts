// The cascade of a delete: whatever refers to a deleted object is deleted too, or drops it from its list. Implemented
// as that one rule, repeated until nothing changes.

import type { PolicyKind, PolicyObjects } from '../../src/kinds/index.ts'
import type { PolicyChange } from '../../src/log/delta.ts'
import { EVERYBODY } from '../reference/everybody.ts'
import { applyChanges, type Policy } from '../reference/policy.ts'

/**
 * A relation of a resource type: instances of `subject_resource` may be related by it to its instances. No decision
 * reads it.
 */
export interface Relation {
  readonly resource: string
  readonly relation: string
  readonly subject_resource: string
}

type Kept<K extends PolicyKind> = PolicyObjects[K] | undefined
type Relations = Map<string, Relation>

const instanceType = (instance: string) => instance.slice(0, instance.indexOf(':'))

/** Applies the rule after a delete until nothing changes, and returns the changes. */
export function cascades(policy: Policy, relations: Relations): PolicyChange[] {
  const all: PolicyChange[] = []
  for (;;) {
    for (const [key, { resource, subject_resource }] of relations) {
      if (!policy.resource.has(resource) || !policy.resource.has(subject_resource)) relations.delete(key)
    }
    const changes = KINDS.flatMap((kind) => consequences(policy, relations, kind))
    if (changes.length === 0) return all
    applyChanges(policy, changes)
    all.push(...changes)
  }
}

function consequences<K extends PolicyKind>(policy: Policy, relations: Relations, kind: K): PolicyChange[] {
  const rest = REST[kind] as (object: PolicyObjects[K], policy: Policy, relations: Relations, key: string) => Kept<K>
  return [...(policy[kind] as Map<string, PolicyObjects[K]>)].flatMap(([key, value]): PolicyChange[] => {
    const kept = rest(value, policy, relations, key)
    if (kept === value) return []
    return [(kept === undefined ? { op: 'delete', kind, key } : { op: 'put', kind, key, value: kept }) as PolicyChange]
  })
}

function exists(policy: Policy, permission: string): boolean {
  const [type = '', action = ''] = permission.split(':')
  return policy.resource.get(type)?.actions.includes(action) ?? false
}

/** The list without the items that do not stand; the same list when all do. */
function standing<T>(items: readonly T[], stands: (item: T) => boolean): readonly T[] {
  return items.every(stands) ? items : items.filter(stands)
}

/** What is left of the object: itself, a smaller one, or nothing. */
const REST: {
  readonly [K in PolicyKind]: (object: PolicyObjects[K], policy: Policy, relations: Relations, key: string) => Kept<K>
} = {
  resource: (resource) => resource,
  user: (user) => user,
  tenant: (tenant) => tenant,
  proxy_config: (config) => config,
  role(role, policy) {
    const permissions = standing(role.permissions, (each) => exists(policy, each))
    const parents = standing(role.extends, (each) => policy.role.has(each))
    return permissions === role.permissions && parents === role.extends ? role : { permissions, extends: parents }
  },
  tenant_role(role, policy) {
    if (!policy.tenant.has(role.tenant)) return undefined
    const permissions = standing(role.permissions, (each) => exists(policy, each))
    const parents = standing(role.extends, (each) => policy.role.has(each) || policy.tenant_role.has(each))
    return permissions === role.permissions && parents === role.extends
      ? role
      : { ...role, permissions, extends: parents }
  },
  role_assignment(assignment, policy) {
    const { user, role, tenant, resource_instance } = assignment
    if ((user !== EVERYBODY && !policy.user.has(user)) || !policy.tenant.has(tenant)) return undefined
    if (resource_instance == null) return policy.role.has(role) || policy.tenant_role.has(role) ? assignment : undefined
    const held = policy.resource_role.has(`${instanceType(resource_instance)}/${role}`)
    return held && policy.resource_instance.has(resource_instance) ? assignment : undefined
  },
  membership(membership, policy) {
    return policy.user.has(membership.user) && policy.tenant.has(membership.tenant) ? membership : undefined
  },
  resource_role(role, policy, relations) {
    const { resource, granted_to } = role
    if (!policy.resource.has(resource)) return undefined
    const permissions = standing(role.permissions, (each) => exists(policy, each))
    const parents = standing(role.extends, (each) => policy.resource_role.has(`${resource}/${each}`))
    const rules = standing(granted_to?.users_with_role ?? [], ({ role: source, on_resource, linked_by_relation }) => {
      const relation = relations.get(`${resource}/${linked_by_relation}`)
      return policy.resource_role.has(`${on_resource}/${source}`) && relation?.subject_resource === on_resource
    })
    const same = permissions === role.permissions && parents === role.extends
    if (same && rules.length === (granted_to?.users_with_role.length ?? 0)) return role
    const granted = granted_to && { ...granted_to, users_with_role: rules }
    return { ...role, permissions, extends: parents, granted_to: granted }
  },
  resource_instance(instance, policy, _, key) {
    return policy.resource.has(instanceType(key)) && policy.tenant.has(instance.tenant) ? instance : undefined
  },
  relationship_tuple(tuple, policy, relations) {
    const relation = relations.get(`${instanceType(tuple.object)}/${tuple.relation}`)
    const ends = policy.resource_instance.has(tuple.subject) && policy.resource_instance.has(tuple.object)
    return ends && relation?.subject_resource === instanceType(tuple.subject) ? tuple : undefined
  },
  condition_set(set, policy) {
    if (set.resource !== null && !policy.resource.has(set.resource)) return undefined
    return set.parent === null || policy.condition_set.has(set.parent) ? set : undefined
  },
  set_rule(rule, policy) {
    const stands = (key: string, plain: ReadonlyMap<string, unknown>) =>
      policy.condition_set.has(key) || (key.startsWith('__autogen_') && plain.has(key.slice('__autogen_'.length)))
    const onInstances = rule.user_set.includes('#') // D17
    const users = onInstances
      ? policy.resource_role.has(rule.user_set.slice('__autogen_'.length).replace('#', '/'))
      : stands(rule.user_set, policy.role)
    const sets = users && stands(rule.resource_set, policy.resource)
    return sets && exists(policy, rule.permission) ? rule : undefined
  },
}

const KINDS = Object.keys(REST) as PolicyKind[]
