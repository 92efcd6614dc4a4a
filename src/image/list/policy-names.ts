// The names of a policy: resource types, their actions, attributes and relations, tenants. For errors about unknown
// names and for generated types; never part of a decision.
import { Principal, Relation, Resource, Role, Table } from '../../../assembly/abi.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { TENANT_TYPE, USER_TYPE } from '../../model/condition-reads.ts'
import { NEAREST_NAMES_MAX } from '../../model/limits.ts'
import { type AttributeType, partKey } from '../../model/objects.ts'
import { declaredOn } from '../explain/explain-conditions.ts'
import { permissionsOfType, records } from '../read-records.ts'
import { findSymbol } from '../update/staged-symbols.ts'

/** A resource type with the names that questions about it use; all lists sorted. */
export interface TypeNames {
  readonly type: string
  readonly actions: readonly string[]
  readonly attributes: Readonly<Record<string, AttributeType>>
  /** those that a derivation or a stored tuple uses: an image has no others */
  readonly relations: readonly string[]
  readonly roles: readonly string[]
}

/** Declares attributes of users or of tenants: nothing to ask about. */
const isBuiltIn = (type: string): boolean => type === USER_TYPE || type === TENANT_TYPE

export class PolicyNames {
  readonly #kernel: Kernel

  constructor(kernel: Kernel) {
    this.#kernel = kernel
  }

  hasType(type: string): boolean {
    return !isBuiltIn(type) && findSymbol(this.#kernel, 'resource', type) !== 0
  }

  hasAction(type: string, action: string): boolean {
    const length = this.#kernel.writePair(type, action)
    return length > 0 && this.#kernel.calls.findPermission(length) !== 0
  }

  hasTenant(tenant: string): boolean {
    return findSymbol(this.#kernel, 'tenant', tenant) !== 0
  }

  hasRelation(type: string, relation: string): boolean {
    const length = this.#kernel.writeWhole(partKey(type, relation))
    return length > 0 && this.#kernel.calls.find(Table.Relations, length) !== 0
  }

  /** Actions of the type, sorted; none when it is unknown. */
  actions(type: string): string[] {
    const record = findSymbol(this.#kernel, 'resource', type)
    if (record === 0) return []
    return permissionsOfType(this.#kernel, record)
      .map(([, action]) => action)
      .sort()
  }

  /** Relations of the type, sorted; none when it is unknown. */
  relations(type: string): string[] {
    return this.#partsOf(type, Table.Relations, Relation.Key)
  }

  /** The resource types, sorted. */
  types(): string[] {
    const types = this.#keys(Table.Resources, Resource.Key)
    return types.filter((type) => !isBuiltIn(type)).sort()
  }

  /** Some tenants: as many as a suggestion looks at. */
  someTenants(): string[] {
    return this.#keys(Table.Tenants, Principal.Key, NEAREST_NAMES_MAX)
  }

  /** Everything that questions about a type name. */
  of(type: string): TypeNames {
    return {
      type,
      actions: this.actions(type),
      attributes: declaredOn(this.#kernel, findSymbol(this.#kernel, 'resource', type)),
      relations: this.relations(type),
      roles: this.#partsOf(type, Table.Roles, Role.Key),
    }
  }

  /** The names after `type/` in a table of such keys, sorted. */
  #partsOf(type: string, table: Table, at: number): string[] {
    const start = partKey(type, '')
    const parts = this.#keys(table, at).filter((key) => key.startsWith(start))
    return parts.map((key) => key.slice(start.length)).sort()
  }

  #keys(table: Table, at: number, limit = Number.POSITIVE_INFINITY): string[] {
    const keys: string[] = []
    for (const record of records(this.#kernel, table)) {
      if (keys.length >= limit) break
      keys.push(this.#kernel.key(record, at))
    }
    return keys
  }
}
