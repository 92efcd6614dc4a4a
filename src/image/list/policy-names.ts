// The names of a policy: resource types, their actions, attributes and relations, tenants. For errors about unknown
// names and for generated types; never part of a decision.
import { Table } from '../../../assembly/limits.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { TENANT_TYPE, USER_TYPE } from '../../model/condition-reads.ts'
import { NEAREST_NAMES_MAX } from '../../model/limits.ts'
import type { AttributeType } from '../../model/objects.ts'
import { declaredOn } from '../explain/explain-conditions.ts'
import { findPermission, findRelation, findSymbol } from '../look-up.ts'
import { permissionsOfType } from '../records/permission.ts'
import { bareRole, eachRoleOfType, roleKey } from '../records/role.ts'
import { rolesOfEnvironment } from '../records/roles-in-tenants.ts'
import { type SymbolTable, symbolKey } from '../records/symbol.ts'
import { records } from '../records/tables.ts'

/** A resource type with the names that questions about it use; all lists sorted. */
export interface TypeNames {
  readonly type: string
  readonly actions: readonly string[]
  readonly attributes: Readonly<Record<string, AttributeType>>
  /** those that a derivation or a stored tuple uses: an image has no others */
  readonly relations: readonly string[]
  readonly roles: readonly string[]
}

/** The names of a policy but its tenants, which are data. */
export interface AllNames {
  readonly types: readonly TypeNames[]
  /** roles in tenants, without those of tenants (D18) */
  readonly roles: readonly string[]
  readonly userAttributes: Readonly<Record<string, AttributeType>>
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
    return findPermission(this.#kernel, type, action) !== 0
  }

  hasTenant(tenant: string): boolean {
    return findSymbol(this.#kernel, 'tenant', tenant) !== 0
  }

  hasRelation(type: string, relation: string): boolean {
    return findRelation(this.#kernel, type, relation) !== 0
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
    return groupByType(this.#keys(Table.Relations)).get(type) ?? []
  }

  /** The resource types, sorted. */
  types(): string[] {
    const types = this.#keys(Table.Resources)
    return types.filter((type) => !isBuiltIn(type)).sort()
  }

  /** Some tenants: as many as a suggestion looks at. */
  someTenants(): string[] {
    return this.#keys(Table.Tenants, NEAREST_NAMES_MAX)
  }

  /** Every tenant, sorted. */
  tenants(): string[] {
    return this.#keys(Table.Tenants).sort()
  }

  /** All that questions name but tenants, sorted. */
  all(): AllNames {
    const relations = groupByType(this.#keys(Table.Relations))
    const types = this.types().map((type) => ({
      type,
      actions: this.actions(type),
      attributes: this.#attributes(type),
      relations: relations.get(type) ?? [],
      roles: this.#rolesOn(type),
    }))
    const roles = [...rolesOfEnvironment(this.#kernel)].map((role) => roleKey(this.#kernel, role)).sort()
    return { types, roles, userAttributes: this.#attributes(USER_TYPE) }
  }

  /** The roles of a type without it, sorted. */
  #rolesOn(type: string): string[] {
    const kernel = this.#kernel
    const roles = [...eachRoleOfType(kernel, findSymbol(kernel, 'resource', type))]
    return roles.flatMap((role) => (kernel.isLive(role) ? [bareRole(kernel, role)] : [])).sort()
  }

  #attributes(type: string): Readonly<Record<string, AttributeType>> {
    return declaredOn(this.#kernel, findSymbol(this.#kernel, 'resource', type))
  }

  #keys(table: SymbolTable, limit = Number.POSITIVE_INFINITY): string[] {
    const keys: string[] = []
    for (const record of records(this.#kernel, table)) {
      if (keys.length >= limit) break
      keys.push(symbolKey(this.#kernel, table, record))
    }
    return keys
  }
}

/** Keys of the form `type/part` as sorted parts by type; a key without a type is under the empty text. */
function groupByType(keys: readonly string[]): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const key of keys.toSorted()) {
    const slash = key.indexOf('/')
    const type = slash < 0 ? '' : key.slice(0, slash)
    const parts = groups.get(type) ?? []
    parts.push(key.slice(slash + 1))
    groups.set(type, parts)
  }
  return groups
}
