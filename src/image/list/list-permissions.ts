// The permissions of a user (D12: listings agree with checks): for each tenant what is allowed on types, and each
// instance on which the user has a role or on which something else is allowed. A permission on an instance is allowed
// when the row of the instance has it, or when the instance has no row and the row of its tenant has it.
import { Table } from '../../../assembly/limits.ts'
import { objectAt } from '../../kernel/decode.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { ZerohopError } from '../../model/errors.ts'
import { LISTING_WALK_MAX } from '../../model/limits.ts'
import type { JsonObject } from '../../model/objects.ts'
import { compareText } from '../../model/text-order.ts'
import { findInstanceRoles, type InstanceRoles } from '../decide/effective-roles.ts'
import { type Evaluator, tooLarge } from '../decide/evaluator.ts'
import { READS_TENANT } from '../decide/required-attributes.ts'
import { findSymbol } from '../look-up.ts'
import { grantRoles, grantScope, listTenantGrants, permissionIdsOfGrant } from '../records/grant.ts'
import { instancesOfType, instanceTenant, instanceType, readInstanceKey } from '../records/instance.ts'
import { permissionKey, permissionsOfType } from '../records/permission.ts'
import { principalAttributes, principalKey } from '../records/principal.ts'
import { resourceKey } from '../records/resource.ts'
import { bareRole } from '../records/role.ts'
import { records } from '../records/tables.ts'
import { sortKeys } from './key-order.ts'
import { RuledInstances } from './ruled-instances.ts'
import { areForRoles, namesRoles, ruledPermissions } from './user-sides.ts'

export interface TenantRow {
  readonly tenant: { readonly key: string; readonly attributes: JsonObject }
  /** assigned in the tenant */
  readonly roles: readonly string[]
  readonly permissions: readonly string[]
}

export interface InstanceRow {
  readonly resource: { readonly type: string; readonly key: string; readonly attributes: JsonObject }
  readonly tenant: { readonly key: string; readonly attributes: JsonObject }
  /** on the instance, assigned or derived */
  readonly roles: readonly string[]
  readonly permissions: readonly string[]
}

/** Both sorted by key. */
export interface PermissionRows {
  readonly tenants: readonly TenantRow[]
  readonly instances: readonly InstanceRow[]
}

/** Which rows are wanted; an absent filter selects all. */
export interface PermissionQuery {
  /** these tenants: their rows, and those of their instances */
  readonly tenants?: readonly string[] | undefined
  /** the tenants that have a row of their own */
  readonly ownRow?: ((tenant: string) => boolean) | undefined
  /** instances of these types */
  readonly types?: readonly string[] | undefined
  /** these instances: `type:key`, or a key */
  readonly instances?: readonly string[] | undefined
}

/** @throws UNDECIDED with the question; LISTING_TOO_LARGE when it would take more than LISTING_WHOLE_WORK_MAX */
export function permissionsOfUser(evaluator: Evaluator, user: number, query: PermissionQuery): PermissionRows {
  return new PermissionList(evaluator, user, query).rows()
}

/** The work of reading a record, and of making a row. */
const LOOK_WORK = 4
const ROW_WORK = 64

class PermissionList {
  readonly #evaluator: Evaluator
  readonly #kernel: Kernel
  readonly #user: number
  readonly #query: PermissionQuery
  readonly #queriedTenants: ReadonlySet<number> | undefined
  readonly #queriedTypes: ReadonlySet<number> | undefined
  /** ids of the permissions with set rules, and of those whose rules are all for roles */
  readonly #ruled: readonly number[]
  readonly #forRoles: ReadonlySet<number>
  readonly #onInstances: RuledInstances
  /** results of set rules that do not depend on the tenant */
  readonly #inAnyTenant = new Map<number, boolean>()
  /** ids of the permissions allowed in a tenant, by tenant */
  readonly #inTenant = new Map<number, ReadonlySet<number>>()
  readonly #ofType = new Map<number, readonly number[]>()
  readonly #names = new Map<number, string>()
  readonly #parties = new Map<number, TenantRow['tenant']>()

  constructor(evaluator: Evaluator, user: number, query: PermissionQuery) {
    this.#evaluator = evaluator
    this.#kernel = evaluator.kernel
    this.#user = user
    this.#query = query
    const { kernel } = evaluator
    const ids = (kind: 'tenant' | 'resource', keys: readonly string[] | undefined) =>
      keys && new Set(keys.map((key) => findSymbol(kernel, kind, key)).filter((id) => id !== 0))
    this.#queriedTenants = ids('tenant', query.tenants)
    this.#queriedTypes = ids('resource', query.types)
    this.#ruled = ruledPermissions(kernel)
    this.#forRoles = new Set(this.#ruled.filter((id) => areForRoles(kernel, id)))
    this.#onInstances = new RuledInstances(evaluator, user, this.#ruled)
  }

  rows(): PermissionRows {
    return { tenants: this.#tenantRows(), instances: this.#instanceRows() }
  }

  #tenantRows(): TenantRow[] {
    const kernel = this.#kernel
    const rows: TenantRow[] = []
    for (const tenant of this.#tenants()) {
      this.#look()
      const key = principalKey(kernel, tenant)
      if (this.#query.ownRow?.(key) === false) continue
      const grant = kernel.calls.grantOf(this.#user, tenant)
      const roles = grantRoles(kernel, grant)
      const permissions = [...this.#allowedIn(tenant)].map((id) => this.#name(id))
      if (roles.length + permissions.length === 0) continue
      const names = sortKeys(roles.map((role) => bareRole(kernel, role)))
      rows.push({ tenant: this.#party(tenant), roles: names, permissions: sortKeys(permissions) })
    }
    return rows.sort((left, right) => compareText(left.tenant.key, right.tenant.key))
  }

  /** The tenants that may have a row: with a role, or all when set rules may allow without one. */
  #tenants(): Iterable<number> {
    if (this.#queriedTenants !== undefined) return this.#queriedTenants
    if (this.#ruled.length > this.#forRoles.size) return records(this.#kernel, Table.Tenants)
    return listTenantGrants(this.#kernel, this.#user).map((grant) => grantScope(this.#kernel, grant))
  }

  #instanceRows(): InstanceRow[] {
    const kernel = this.#kernel
    const instanceRoles = findInstanceRoles(kernel, this.#user, LISTING_WALK_MAX)
    if (instanceRoles === undefined) throw this.#tooLarge()
    const rows: [string, InstanceRow][] = []
    for (const instance of this.#candidates(instanceRoles)) {
      this.#look()
      if (!this.#wants(instance)) continue
      const roles = instanceRoles.get(instance) ?? []
      const allowed = this.#allowedOn(instance, roles.length > 0)
      if (allowed === undefined) continue
      this.#evaluator.left -= ROW_WORK
      const key = readInstanceKey(kernel, instance)
      rows.push([key, this.#makeRow(instance, key, roles, allowed)])
    }
    return rows.sort(([left], [right]) => compareText(left, right)).map(([, row]) => row)
  }

  /**
   * The instances that may have a row: with roles of the user, or where set rules depend on the instance and may be
   * true for the user.
   */
  *#candidates(instanceRoles: InstanceRoles): Iterable<number> {
    const kernel = this.#kernel
    if (this.#query.instances !== undefined) {
      yield* this.#queriedInstances(this.#query.instances)
      return
    }
    yield* instanceRoles.keys()
    for (const type of this.#onInstances.types) {
      if (this.#queriedTypes?.has(type) === false) continue
      for (const instance of instancesOfType(kernel, type)) {
        if (!instanceRoles.has(instance) && this.#ruledOn(instance, type).size > 0) yield instance
        else this.#look()
      }
    }
  }

  #queriedInstances(names: readonly string[]): Set<number> {
    const kernel = this.#kernel
    const found = new Set<number>()
    const types = [...records(kernel, Table.Resources)].map((type) => resourceKey(kernel, type))
    for (const name of names) {
      for (const key of name.includes(':') ? [name] : types.map((type) => `${type}:${name}`)) {
        this.#look()
        const instance = findSymbol(kernel, 'resource_instance', key)
        if (instance !== 0) found.add(instance)
      }
    }
    return found
  }

  #wants(instance: number): boolean {
    const kernel = this.#kernel
    return (
      this.#queriedTypes?.has(instanceType(kernel, instance)) !== false &&
      this.#queriedTenants?.has(instanceTenant(kernel, instance)) !== false
    )
  }

  /**
   * Names of the permissions allowed on the instance; undefined when they equal those of its type and no role has to be
   * shown.
   */
  #allowedOn(instance: number, hasRoles: boolean): string[] | undefined {
    const kernel = this.#kernel
    const inTenant = this.#allowedIn(instanceTenant(kernel, instance))
    const type = instanceType(kernel, instance)
    const ruled = this.#ruledOn(instance, type)
    const names: string[] = []
    let differs = hasRoles
    for (const id of this.#listPermissions(type)) {
      const asType = inTenant.has(id)
      // Roles in the tenant allow the same on all of its instances; only roles on instances and set rules can differ.
      const allowed = hasRoles || ruled.has(id) ? this.#asks(instance, id) : asType
      if (allowed !== asType) differs = true
      if (allowed) names.push(this.#name(id))
    }
    return differs ? names : undefined
  }

  #ruledOn(instance: number, type: number): ReadonlySet<number> {
    return this.#onInstances.permissions(type, instanceTenant(this.#kernel, instance))
  }

  #asks(instance: number, permission: number): boolean {
    return this.#evaluator.allowsOn(this.#user, permission, instance)
  }

  #makeRow(instance: number, key: string, roles: readonly number[], permissions: string[]): InstanceRow {
    const colon = key.indexOf(':')
    const attributes = this.#attributes(instance)
    return {
      resource: { type: key.slice(0, colon), key: key.slice(colon + 1), attributes },
      tenant: this.#party(instanceTenant(this.#kernel, instance)),
      roles: sortKeys(roles.map((role) => bareRole(this.#kernel, role))),
      permissions: sortKeys(permissions),
    }
  }

  /** The permissions allowed in a tenant without an instance, by roles and by set rules. */
  #allowedIn(tenant: number): ReadonlySet<number> {
    const known = this.#inTenant.get(tenant)
    if (known !== undefined) return known
    const grant = this.#kernel.calls.grantOf(this.#user, tenant)
    const allowed = new Set(grant === 0 ? [] : permissionIdsOfGrant(this.#kernel, grant))
    for (const id of this.#ruled) {
      if (!allowed.has(id) && !(grant === 0 && this.#forRoles.has(id)) && this.#bySets(tenant, id)) allowed.add(id)
    }
    this.#inTenant.set(tenant, allowed)
    return allowed
  }

  /**
   * The result of set rules in a tenant where roles do not allow: the same in every tenant unless they depend on it.
   */
  #bySets(tenant: number, permission: number): boolean {
    const known = this.#inAnyTenant.get(permission)
    if (known !== undefined) return known
    if (this.#evaluator.left < 0) throw this.#tooLarge()
    const allowed = this.#evaluator.allows(this.#user, tenant, permission, 0)
    const same = (this.#evaluator.reads(permission) & READS_TENANT) === 0 && !namesRoles(this.#kernel, permission)
    if (same) this.#inAnyTenant.set(permission, allowed)
    return allowed
  }

  #listPermissions(type: number): readonly number[] {
    const known = this.#ofType.get(type)
    if (known !== undefined) return known
    const ids = permissionsOfType(this.#kernel, type).map(([id]) => id)
    this.#ofType.set(type, ids)
    return ids
  }

  #name(permission: number): string {
    const known = this.#names.get(permission)
    if (known !== undefined) return known
    const name = permissionKey(this.#kernel, this.#kernel.calls.permissionRecord(permission))
    this.#names.set(permission, name)
    return name
  }

  #party(tenant: number): TenantRow['tenant'] {
    const known = this.#parties.get(tenant)
    if (known !== undefined) return known
    const party = { key: principalKey(this.#kernel, tenant), attributes: this.#attributes(tenant) }
    this.#parties.set(tenant, party)
    return party
  }

  #attributes(party: number): JsonObject {
    return objectAt(this.#kernel, principalAttributes(this.#kernel, party)) ?? {}
  }

  #look(): void {
    this.#evaluator.left -= LOOK_WORK
    if (this.#evaluator.left < 0) throw this.#tooLarge()
  }

  #tooLarge(): ZerohopError {
    return tooLarge(`the permissions of \`${principalKey(this.#kernel, this.#user)}\``)
  }
}
