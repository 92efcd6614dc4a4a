// The permissions of a user (D12): tenant by tenant what is allowed on types, and each instance on which the user holds a role or on which other
// things are allowed. So (instance, permission) is allowed when the entry of the instance has it, or when there is no such entry and that of
// its tenant has it.
import { Grant, Header, Instance, Party, Permission, Table } from '../../assembly/abi.ts'
import { objectAt } from '../kernel/decode.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { ZerohopError } from '../model/errors.ts'
import { LISTING_STEPS_MAX } from '../model/limits.ts'
import type { JsonObject } from '../model/objects.ts'
import type { Asker } from './asker.ts'
import { type Held, heldBy } from './held.ts'
import { compareKeys, sortKeys } from './key-order.ts'
import { bareRole, permissionIdsOfGrant, permissionsOfType, records, rolesOf } from './read.ts'

export interface TenantRow {
  readonly tenant: { readonly key: string; readonly attributes: JsonObject }
  /** assigned in the tenant */
  readonly roles: readonly string[]
  readonly permissions: readonly string[]
}

export interface InstanceRow {
  readonly resource: { readonly type: string; readonly key: string; readonly attributes: JsonObject }
  readonly tenant: { readonly key: string; readonly attributes: JsonObject }
  /** held on the instance, assigned or derived */
  readonly roles: readonly string[]
  readonly permissions: readonly string[]
}

/** Both sorted by key. */
export interface PermissionRows {
  readonly tenants: readonly TenantRow[]
  readonly instances: readonly InstanceRow[]
}

/** Which rows are wanted; what says nothing wants all. */
export interface PermissionWishes {
  /** of these tenants: their own rows, and those of their instances */
  readonly tenant?: ((key: string) => boolean) | undefined
  /** the tenants that have a row of their own */
  readonly ownRow?: ((tenant: string) => boolean) | undefined
  /** instances of these types */
  readonly type?: ((key: string) => boolean) | undefined
  /** these instances, by `type:key` */
  readonly instance?: ((key: string) => boolean) | undefined
}

/** @throws UNDECIDED with the question; LISTING_TOO_LARGE when it would take more than LISTING_STEPS_MAX questions */
export function permissionsOfUser(asker: Asker, user: number, wishes: PermissionWishes): PermissionRows {
  return new PermissionList(asker, user, wishes).rows()
}

class PermissionList {
  readonly #asker: Asker
  readonly #kernel: Kernel
  readonly #user: number
  readonly #wishes: PermissionWishes
  /** ids of the permissions with set rules, by resource type */
  readonly #ruled: ReadonlyMap<number, readonly number[]>
  /** ids of what is allowed in a tenant, by the tenant */
  readonly #inTenant = new Map<number, ReadonlySet<number>>()
  readonly #ofType = new Map<number, readonly number[]>()
  readonly #names = new Map<number, string>()
  #left = LISTING_STEPS_MAX

  constructor(asker: Asker, user: number, wishes: PermissionWishes) {
    this.#asker = asker
    this.#kernel = asker.kernel
    this.#user = user
    this.#wishes = wishes
    this.#ruled = ruledPermissions(asker.kernel)
  }

  rows(): PermissionRows {
    return { tenants: this.#tenantRows(), instances: this.#instanceRows() }
  }

  #tenantRows(): TenantRow[] {
    const kernel = this.#kernel
    const rows: TenantRow[] = []
    for (const tenant of records(kernel, Table.Tenants)) {
      this.#spend(1)
      const key = kernel.key(tenant, Party.Key)
      if (this.#wishes.tenant?.(key) === false || this.#wishes.ownRow?.(key) === false) continue
      const grant = kernel.calls.grantOf(this.#user, tenant)
      if (grant === 0 && this.#ruled.size === 0) continue
      const roles = grant === 0 ? [] : rolesOf(kernel, kernel.word(grant + Grant.Roles))
      const permissions = [...this.#allowedIn(tenant)].map((id) => this.#name(id))
      if (roles.length + permissions.length === 0) continue
      const names = sortKeys(roles.map((role) => bareRole(kernel, role)))
      rows.push({ tenant: this.#party(tenant), roles: names, permissions: sortKeys(permissions) })
    }
    return rows.sort((left, right) => compareKeys(left.tenant.key, right.tenant.key))
  }

  #instanceRows(): InstanceRow[] {
    const kernel = this.#kernel
    const held = heldBy(kernel, this.#user, this.#left)
    if (held === undefined) throw this.#tooLarge()
    const rows: [string, InstanceRow][] = []
    for (const instance of this.#candidates(held)) {
      this.#spend(1)
      const key = kernel.key(instance, Instance.Key)
      if (!this.#wants(key, instance)) continue
      const roles = held.get(instance) ?? []
      const allowed = this.#allowedOn(instance, roles.length > 0)
      if (allowed === undefined) continue
      rows.push([key, this.#rowOf(instance, key, roles, allowed)])
    }
    return rows.sort(([left], [right]) => compareKeys(left, right)).map(([, row]) => row)
  }

  /** The instances that may have a row of their own: with roles, or of a type on which set rules may look at the instance. */
  *#candidates(held: Held): Iterable<number> {
    yield* held.keys()
    if (this.#ruled.size === 0) return
    for (const instance of records(this.#kernel, Table.Instances)) {
      if (this.#ruled.has(this.#kernel.word(instance + Instance.Type)) && !held.has(instance)) yield instance
    }
  }

  #wants(key: string, instance: number): boolean {
    const { instance: wanted, type, tenant } = this.#wishes
    if (wanted?.(key) === false || type?.(key.slice(0, key.indexOf(':'))) === false) return false
    const within = this.#kernel.word(instance + Instance.Tenant)
    return tenant === undefined || tenant(this.#kernel.key(within, Party.Key))
  }

  /** Names of what is allowed on the instance; undefined when it is what is allowed on its type, and there is no role to show. */
  #allowedOn(instance: number, hasRoles: boolean): string[] | undefined {
    const kernel = this.#kernel
    const inTenant = this.#allowedIn(kernel.word(instance + Instance.Tenant))
    const type = kernel.word(instance + Instance.Type)
    const ruled = this.#ruled.get(type) ?? []
    const names: string[] = []
    let differs = hasRoles
    for (const id of this.#permissionsOf(type)) {
      const asType = inTenant.has(id)
      // Roles in the tenant give the same on each of its instances; only roles on the instance and set rules may look at it.
      const allowed = hasRoles || ruled.includes(id) ? this.#asks(instance, id) : asType
      if (allowed !== asType) differs = true
      if (allowed) names.push(this.#name(id))
    }
    return differs ? names : undefined
  }

  #asks(instance: number, permission: number): boolean {
    this.#spend(1)
    return this.#asker.allowsOn(this.#user, permission, instance)
  }

  #rowOf(instance: number, key: string, roles: readonly number[], permissions: string[]): InstanceRow {
    const colon = key.indexOf(':')
    const attributes = this.#attributes(instance)
    return {
      resource: { type: key.slice(0, colon), key: key.slice(colon + 1), attributes },
      tenant: this.#party(this.#kernel.word(instance + Instance.Tenant)),
      roles: sortKeys(roles.map((role) => bareRole(this.#kernel, role))),
      permissions: sortKeys(permissions),
    }
  }

  /** What is allowed in a tenant without an instance: by roles, and by set rules. */
  #allowedIn(tenant: number): ReadonlySet<number> {
    const known = this.#inTenant.get(tenant)
    if (known !== undefined) return known
    const grant = this.#kernel.calls.grantOf(this.#user, tenant)
    const allowed = new Set(grant === 0 ? [] : permissionIdsOfGrant(this.#kernel, grant))
    for (const ids of this.#ruled.values()) {
      for (const id of ids) {
        if (allowed.has(id)) continue
        this.#spend(1)
        if (this.#asker.allows(this.#user, tenant, id, 0)) allowed.add(id)
      }
    }
    this.#inTenant.set(tenant, allowed)
    return allowed
  }

  #permissionsOf(type: number): readonly number[] {
    const known = this.#ofType.get(type)
    if (known !== undefined) return known
    const ids = permissionsOfType(this.#kernel, type).map(([id]) => id)
    this.#ofType.set(type, ids)
    return ids
  }

  #name(permission: number): string {
    const known = this.#names.get(permission)
    if (known !== undefined) return known
    const name = this.#kernel.key(this.#kernel.calls.permissionRecord(permission), Permission.Key)
    this.#names.set(permission, name)
    return name
  }

  #party(tenant: number): TenantRow['tenant'] {
    return { key: this.#kernel.key(tenant, Party.Key), attributes: this.#attributes(tenant) }
  }

  #attributes(party: number): JsonObject {
    return objectAt(this.#kernel, this.#kernel.word(party + Party.Attributes)) ?? {}
  }

  #spend(steps: number): void {
    this.#left -= steps
    if (this.#left < 0) throw this.#tooLarge()
  }

  #tooLarge(): ZerohopError {
    const what = `the permissions of \`${this.#kernel.key(this.#user, Party.Key)}\``
    return new ZerohopError('LISTING_TOO_LARGE', { what, limit: LISTING_STEPS_MAX })
  }
}

/** Ids of the permissions with set rules, by resource type. */
function ruledPermissions(kernel: Kernel): Map<number, number[]> {
  const found = new Map<number, number[]>()
  if (kernel.field(Header.SetRules) === 0) return found
  for (const record of records(kernel, Table.Permissions)) {
    if (kernel.word(record + Permission.SetRules) === 0) continue
    const type = kernel.word(record + Permission.Resource)
    const id = kernel.word(record + Permission.Id)
    const known = found.get(type)
    if (known === undefined) found.set(type, [id])
    else known.push(id)
  }
  return found
}
