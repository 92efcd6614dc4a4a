// The part of a log entry that a follower receives: only what decisions depend on. Ids never leave the management side,
// and of the names only those of users, which conditions may read. `project` is the one place that says which part of
// an object a decision depends on.
import type {
  AttributeType,
  DerivationRule,
  DerivationSettings,
  JsonObject,
  Resource,
  ResourceRole,
  UrlRule,
  User,
} from '../model/objects.ts'
import type { Change, LogEntry, LogId } from './change.ts'

/** The decision-bearing value of each kind. Keys of composite objects are those of src/model/objects.ts. */
export interface PolicyObjects {
  resource: {
    readonly actions: readonly string[]
    /** declared attributes and their types: comparing with a `time` compares instants (D9: how values compare) */
    readonly attributes?: Readonly<Record<string, AttributeType>>
  }
  role: { readonly permissions: readonly string[]; readonly extends: readonly string[] }
  /** includes email and names, unless a stored attribute has the same name (D8: precedence of attributes) */
  user: { readonly attributes?: JsonObject }
  tenant: { readonly attributes?: JsonObject }
  /** a role in a tenant, or (`resource_instance`, `type:key`) a role of that type on one instance */
  role_assignment: {
    readonly user: string
    readonly role: string
    readonly tenant: string
    readonly resource_instance?: string | null
  }
  membership: { readonly user: string; readonly tenant: string }
  resource_role: {
    readonly resource: string
    readonly role: string
    readonly permissions: readonly string[]
    readonly extends: readonly string[]
    readonly granted_to: {
      readonly when: DerivationSettings
      readonly users_with_role: readonly DerivationRule[]
    } | null
  }
  condition_set: {
    readonly type: 'userset' | 'resourceset'
    readonly resource: string | null
    readonly conditions: JsonObject
    readonly parent: string | null
  }
  set_rule: { readonly user_set: string; readonly permission: string; readonly resource_set: string }
  resource_instance: { readonly tenant: string; readonly attributes?: JsonObject }
  relationship_tuple: { readonly subject: string; readonly relation: string; readonly object: string }
  /** the rules that map requests to actions, at least one; neither the secret nor headers */
  proxy_config: { readonly rules: readonly UrlRule[] }
}
export type PolicyKind = keyof PolicyObjects

export type PolicyPut = {
  [K in PolicyKind]: { readonly op: 'put'; readonly kind: K; readonly key: string; readonly value: PolicyObjects[K] }
}[PolicyKind]
/** A put replaces the whole object of that kind and key. */
export type PolicyChange = PolicyPut | { readonly op: 'delete'; readonly kind: PolicyKind; readonly key: string }

/**
 * The changes of one revision step of one environment. It fits exactly one history: `previous` is the chain at `from`.
 */
export interface Delta {
  readonly environment: LogId
  readonly from: number
  readonly to: number
  readonly previous: string
  readonly chain: string
  readonly changes: readonly PolicyChange[]
}

/**
 * A delta whose changes are still packed by src/log/codec.ts: a large one is passed on as bytes and unpacked by the
 * worker that applies it. `count` is the number of its changes.
 */
export interface PackedDelta extends Omit<Delta, 'changes'> {
  readonly count: number
  readonly packed: Uint8Array
  /** of the management side, when it signs (src/log/signature.ts) */
  readonly signature?: Uint8Array
}

/** The kinds that decisions depend on, ordered so that no object refers to a later one. */
const POLICY_KINDS = [
  'resource',
  'role',
  'resource_role',
  'user',
  'tenant',
  'membership',
  'resource_instance',
  'relationship_tuple',
  'condition_set',
  'set_rule',
  'role_assignment',
  'proxy_config',
] as const satisfies readonly PolicyKind[]

/**
 * The kinds of stored objects that a policy is made of. `__user` and `__tenant` become resource types without actions.
 */
export const PROJECTED_KINDS: readonly (PolicyKind | 'built_in')[] = ['built_in', ...POLICY_KINDS]

/** The part of a change that decisions depend on; undefined when there is none. */
export function project(change: Change): PolicyChange | undefined {
  if (change.op === 'delete') {
    if (change.kind === 'built_in') return { op: 'delete', kind: 'resource', key: change.key }
    return isPolicyKind(change.kind) ? { op: 'delete', kind: change.kind, key: change.key } : undefined
  }
  const { op, kind, key } = change
  switch (kind) {
    case 'resource':
      return { op, kind, key, value: resource(change.value) }
    case 'built_in': {
      // Without declared attributes the built-in resource has no effect, so the policy has no type of that name.
      const value = resource(change.value)
      return value.attributes ? { op, kind: 'resource', key, value } : { op: 'delete', kind: 'resource', key }
    }
    case 'role':
      return { op, kind, key, value: { permissions: change.value.permissions, extends: change.value.extends } }
    case 'user':
      return { op, kind, key, value: attributesOf(userAttributes(change.value)) }
    case 'tenant':
      return { op, kind, key, value: attributesOf(change.value.attributes) }
    case 'membership': {
      // A membership implied by a role adds nothing to the role.
      const { user, tenant, explicit } = change.value
      return explicit ? { op, kind, key, value: { user, tenant } } : { op: 'delete', kind, key }
    }
    case 'condition_set': {
      const { type, resource: base, conditions, parent } = change.value
      return { op, kind, key, value: { type, resource: base, conditions, parent } }
    }
    case 'set_rule': {
      const { user_set, permission, resource_set } = change.value
      return { op, kind, key, value: { user_set, permission, resource_set } }
    }
    case 'role_assignment': {
      const { user, role, tenant, resource_instance } = change.value
      return {
        op,
        kind,
        key,
        value: { user, role, tenant, ...(resource_instance === null ? {} : { resource_instance }) },
      }
    }
    case 'resource_role':
      return { op, kind, key, value: resourceRole(change.value) }
    case 'resource_instance':
      return { op, kind, key, value: { tenant: change.value.tenant, ...attributesOf(change.value.attributes) } }
    case 'relationship_tuple': {
      const { subject, relation, object } = change.value
      return { op, kind, key, value: { subject, relation, object } }
    }
    case 'proxy_config': {
      const rules = change.value.mapping_rules.map(urlRule)
      return rules.length === 0 ? { op: 'delete', kind, key } : { op, kind, key, value: { rules } }
    }
    default:
      return undefined
  }
}

/** Members in a fixed order, so that equal rules have equal text. */
export function urlRule({ url, url_type, http_method, resource, action, priority }: UrlRule): UrlRule {
  return { url, url_type, http_method, resource, action, priority }
}

function resource({ actions, attributes }: Resource): PolicyObjects['resource'] {
  const types = attributes.map(({ key, type }) => [key, type] as const)
  return {
    actions: actions.map(({ key }) => key),
    ...(types.length === 0 ? {} : { attributes: Object.fromEntries(types) }),
  }
}

/** Email and names are attributes too; stored attributes of the same name take precedence (D8). */
function userAttributes({ email, first_name, last_name, attributes }: User): JsonObject {
  const own = Object.entries({ email, first_name, last_name }).filter(([, value]) => value !== null)
  return Object.fromEntries([...own, ...Object.entries(attributes)])
}

function attributesOf(attributes: JsonObject | null): { attributes?: JsonObject } {
  return attributes === null || Object.keys(attributes).length === 0 ? {} : { attributes }
}

function resourceRole({ resource, role, permissions, extends: parents, granted_to }: ResourceRole) {
  if (granted_to === null) return { resource, role, permissions, extends: parents, granted_to: null }
  const { when, users_with_role } = granted_to
  return { resource, role, permissions, extends: parents, granted_to: { when, users_with_role } }
}

/** The delta of a log entry. An entry that changes no decision still moves the revision. */
export function toDelta(entry: LogEntry): Delta {
  const changes: PolicyChange[] = []
  for (const change of entry.changes) {
    const projected = project(change)
    if (projected) changes.push(projected)
  }
  const { log: environment, revision: to, previous, chain } = entry
  return { environment, from: to - 1, to, previous, chain, changes }
}

function isPolicyKind(kind: string): kind is PolicyKind {
  return (POLICY_KINDS as readonly string[]).includes(kind)
}
