// A policy as management would keep it: operations on whole objects, and the list of changes that each becomes, with
// everything that it cascades to. Case files and generators speak in operations; what reads policies gets the changes.

import type { PolicyKind, PolicyPut } from '../../src/kinds/index.ts'
import type { DerivationRule, DerivationSettings } from '../../src/kinds/resource-role.ts'
import type { PolicyChange } from '../../src/log/delta.ts'
import {
  type AttributeType,
  assignmentKey,
  instanceKey,
  type JsonObject,
  membershipKey,
  partKey,
  setRuleKey,
  tenantRoleKey,
  tupleKey,
} from '../../src/model/objects.ts'
import { applyChanges, emptyPolicy, type Policy } from '../reference/policy.ts'
import { cascades, type Relation } from './cascade.ts'

/** A derivation as it is written: what is not said is not set. */
interface Grant {
  readonly when?: DerivationSettings
  readonly users_with_role: readonly (Omit<DerivationRule, 'when'> & { readonly when?: DerivationSettings })[]
}

/** From when until when it is in force (D15), in ms since 1970. */
interface Times {
  readonly valid_from?: number | null
  readonly valid_until?: number | null
}

/** What names one object of each kind. */
interface Names {
  resource: { readonly key: string }
  role: { readonly key: string }
  user: { readonly key: string }
  tenant: { readonly key: string }
  tenant_role: { readonly tenant: string; readonly role: string }
  role_assignment: {
    readonly user: string
    readonly role: string
    readonly tenant: string
    readonly resource_instance?: string | null
  }
  membership: { readonly user: string; readonly tenant: string }
  resource_role: { readonly resource: string; readonly role: string }
  relation: { readonly resource: string; readonly relation: string }
  resource_instance: { readonly resource: string; readonly instance: string }
  relationship_tuple: { readonly subject: string; readonly relation: string; readonly object: string }
  condition_set: { readonly key: string }
  set_rule: { readonly user_set: string; readonly permission: string; readonly resource_set: string }
}

/** What a put may say beside the names. */
interface Values {
  resource: { readonly actions: readonly string[]; readonly attributes?: Readonly<Record<string, AttributeType>> }
  role: { readonly permissions?: readonly string[]; readonly extends?: readonly string[] }
  /** with a suspension (D16) the user is suspended, at its times */
  user: { readonly attributes?: JsonObject; readonly suspension?: Times }
  tenant: { readonly attributes?: JsonObject }
  /** of a tenant (D18); `extends` are whole keys */
  tenant_role: { readonly permissions?: readonly string[]; readonly extends?: readonly string[] }
  role_assignment: Times
  membership: unknown
  resource_role: {
    readonly permissions?: readonly string[]
    readonly extends?: readonly string[]
    readonly granted_to?: Grant | null
  }
  relation: { readonly subject_resource: string }
  resource_instance: { readonly tenant: string; readonly attributes?: JsonObject }
  relationship_tuple: Times
  condition_set: {
    readonly type: 'userset' | 'resourceset'
    readonly resource?: string | null
    readonly conditions: JsonObject
    readonly parent?: string | null
  }
  set_rule: unknown
}

export type OperationKind = keyof Names
type Put = { [K in OperationKind]: readonly ['put', K, Names[K] & Values[K]] }[OperationKind]
type Delete = { [K in OperationKind]: readonly ['delete', K, Names[K]] }[OperationKind]
export type Operation = Put | Delete

/** What every environment has before its first operation. */
export const FIRST_CHANGES: readonly PolicyChange[] = [{ op: 'put', kind: 'tenant', key: 'default', value: {} }]

/** Objects before those that refer to them. */
const ORDER: readonly PolicyKind[] = [
  'resource',
  'role',
  'user',
  'tenant',
  'tenant_role',
  'membership',
  'resource_role',
  'resource_instance',
  'relationship_tuple',
  'condition_set',
  'set_rule',
  'role_assignment',
]

export class World {
  readonly policy: Policy = emptyPolicy()
  readonly relations = new Map<string, Relation>()

  /** A new environment, or a copy of `from`. */
  constructor(from?: World) {
    applyChanges(this.policy, from?.contents() ?? FIRST_CHANGES)
    for (const [key, relation] of from?.relations ?? []) this.relations.set(key, relation)
  }

  /**
   * Applies one operation; returns its changes, cascades first. An operation must be one that management would accept.
   */
  run(operation: Operation): PolicyChange[] {
    const changes = operation[0] === 'put' ? this.#put(operation) : this.#delete(operation)
    applyChanges(this.policy, changes)
    // Only what disappears can take something along: a deleted object, or an action that its resource no longer has.
    if (operation[0] === 'put' && operation[1] !== 'resource') return changes
    return [...cascades(this.policy, this.relations), ...changes]
  }

  runAll(operations: readonly Operation[]): PolicyChange[] {
    return operations.flatMap((operation) => this.run(operation))
  }

  /** The whole policy as puts, referenced objects before those that refer to them. */
  contents(): PolicyChange[] {
    return ORDER.flatMap((kind) =>
      [...this.policy[kind]].map(([key, value]) => ({ op: 'put', kind, key, value }) as PolicyChange),
    )
  }

  #put([op, kind, object]: Put): PolicyChange[] {
    if (kind === 'relation') {
      this.relations.set(partKey(object.resource, object.relation), object)
      return []
    }
    if (kind === 'set_rule') {
      const value = {
        permission: object.permission,
        user_set: this.#setNamed(object.user_set, 'userset'),
        resource_set: this.#setNamed(object.resource_set, 'resourceset'),
      }
      return [{ op, kind, key: operationKey(['put', kind, value]), value }]
    }
    return [
      {
        op,
        kind,
        key: operationKey([op, kind, object] as Put),
        value: storedValue([op, kind, object] as Put),
      } as PolicyPut,
    ]
  }

  #delete(operation: Delete): PolicyChange[] {
    const [op, kind, object] = operation
    if (kind === 'relation') {
      this.relations.delete(partKey(object.resource, object.relation))
      return []
    }
    if (kind === 'set_rule') {
      const user_set = this.#setNamed(object.user_set, 'userset')
      const resource_set = this.#setNamed(object.resource_set, 'resourceset')
      return [{ op, kind, key: setRuleKey(user_set, object.permission, resource_set) }]
    }
    return [{ op, kind, key: operationKey(operation) }]
  }

  /** As it is stored. In operations a bare key means the set if one exists, else the role or resource of that key. */
  #setNamed(key: string, type: 'userset' | 'resourceset'): string {
    return this.policy.condition_set.get(key)?.type === type || key.startsWith('__autogen_') ? key : `__autogen_${key}`
  }
}

/** The key under which management stores the object that an operation names. */
export function operationKey([, kind, object]: Operation): string {
  switch (kind) {
    case 'role_assignment':
      return assignmentKey(object.user, object.role, object.tenant, object.resource_instance)
    case 'tenant_role':
      return tenantRoleKey(object.role, object.tenant)
    case 'membership':
      return membershipKey(object.tenant, object.user)
    case 'resource_role':
      return partKey(object.resource, object.role)
    case 'relation':
      return partKey(object.resource, object.relation)
    case 'resource_instance':
      return instanceKey(object.resource, object.instance)
    case 'relationship_tuple':
      return tupleKey(object.subject, object.relation, object.object)
    case 'set_rule':
      return setRuleKey(object.user_set, object.permission, object.resource_set)
    default:
      return object.key
  }
}

const OFF: DerivationSettings = { no_direct_roles_on_object: false }
const pickAttributes = ({ attributes }: { readonly attributes?: JsonObject }) =>
  attributes === undefined ? {} : { attributes }

const pickTimes = ({ valid_from, valid_until }: Times) => ({
  ...(valid_from == null ? {} : { valid_from }),
  ...(valid_until == null ? {} : { valid_until }),
})
const pickSuspension = ({ suspension }: Values['user']) =>
  suspension === undefined ? {} : { suspension: pickTimes(suspension) }

function storedValue([, kind, object]: Put): unknown {
  switch (kind) {
    case 'resource':
      return { actions: object.actions, ...(object.attributes === undefined ? {} : { attributes: object.attributes }) }
    case 'role':
      return { permissions: object.permissions ?? [], extends: object.extends ?? [] }
    case 'user':
      return { ...pickAttributes(object), ...pickSuspension(object) }
    case 'tenant':
      return pickAttributes(object)
    case 'tenant_role':
      return {
        tenant: object.tenant,
        role: object.role,
        permissions: object.permissions ?? [],
        extends: object.extends ?? [],
      }
    case 'resource_role': {
      const { resource, role, permissions = [], extends: parents = [], granted_to } = object
      return { resource, role, permissions, extends: parents, granted_to: derivation(granted_to ?? null) }
    }
    case 'resource_instance':
      return { tenant: object.tenant, ...pickAttributes(object) }
    case 'condition_set': {
      const { type, resource = null, conditions, parent = null } = object
      return { type, resource, conditions, parent }
    }
    case 'role_assignment':
    case 'relationship_tuple': {
      const { valid_from, valid_until, ...named } = object
      return { ...named, ...pickTimes({ valid_from, valid_until }) }
    }
    default:
      return object
  }
}

function derivation(grant: Grant | null) {
  if (grant === null) return null
  const { when = OFF, users_with_role } = grant
  return { when, users_with_role: users_with_role.map((rule) => ({ ...rule, when: rule.when ?? OFF })) }
}
