// The permissions of a user (D12: listings agree with checks): for each tenant what is allowed on types, and each
// instance on which the user has a role or on which something else is allowed. A permission on an instance is allowed
// when the row of the instance has it, or when the instance has no row and the row of its tenant has it.
//
// Rows come in the order of their names, first those of tenants. What is read is what the user holds: tenants to which
// the user belongs, instances with a role; more of them only where a set rule may be true for the user (rule-reach.ts).
// Roles for everybody (D16) count in the tenants to which the user belongs, and in what was asked for by name: else all
// public objects would be rows of every user. Elsewhere the rows are those of the user alone.
import { Table } from '../../../assembly/limits.ts'
import { objectAt } from '../../kernel/decode.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { LISTING_TENANTS_MAX } from '../../model/limits.ts'
import type { JsonObject } from '../../model/objects.ts'
import { compareText } from '../../model/text-order.ts'
import type { Evaluator } from '../decide/evaluator.ts'
import { findSymbol } from '../look-up.ts'
import { everybodyAsked, ownAlone } from '../records/everybody.ts'
import { findGrant, findSharedGrant, grantRoles, permissionIdsOfGrant } from '../records/grant.ts'
import { instanceTenant, instanceType, readInstanceKey } from '../records/instance.ts'
import { permissionKey, permissionsOfType } from '../records/permission.ts'
import { principalAttributes, principalKey } from '../records/principal.ts'
import { resourceKey } from '../records/resource.ts'
import { bareRole } from '../records/role.ts'
import { eachPieceInOrder, records } from '../records/tables.ts'
import { candidatesInOrder } from './candidate-instances.ts'
import { sortKeys } from './key-order.ts'
import { RolesOnInstances } from './roles-on-instances.ts'
import { RuleReach } from './rule-reach.ts'
import { areForRoles, ruledPermissions } from './user-sides.ts'

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

/** A row with its name: `__tenant:<key>` or `<type>:<key>`. */
export type NamedRow = readonly [name: string, row: TenantRow | InstanceRow]

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

/** Some rows of a listing, in the order of their names. */
export interface PermissionPart {
  readonly rows: NamedRow[]
  /** the name behind which the listing goes on; undefined at its end */
  readonly next: string | undefined
}

export interface PermissionOptions {
  /** the listing begins behind the row of this name */
  readonly after?: string | undefined
  /** as in RolesOnInstances */
  readonly walkMax?: number | undefined
}

/** What the name of a tenant's row begins with. */
export const TENANT_PREFIX = '__tenant:'

/** The work of reading a record one by one, among many, and to sort them by key; and of making a row. */
const LOOK_WORK = 4
const SCAN_WORK = 3
const SORT_WORK = 24
const ROW_WORK = 160

interface OfType {
  readonly id: number
  readonly name: string
}

/** What is allowed in a tenant without an instance. */
interface AllowedIn {
  /** ids of permissions, by roles */
  readonly byRoles: ReadonlySet<number>
  /** by roles and by set rules */
  readonly all: ReadonlySet<number>
}

const NONE: ReadonlySet<number> = new Set()
const NO_ROLES: readonly number[] = []

/** The listing of one user at one revision, in parts. */
export class PermissionList {
  readonly #evaluator: Evaluator
  readonly #kernel: Kernel
  readonly #user: number
  readonly #query: PermissionQuery
  readonly #queriedTenants: ReadonlySet<number> | undefined
  readonly #queriedTypes: ReadonlySet<number> | undefined
  /** ids of the permissions with set rules, and of those whose rules are all for roles */
  readonly #ruled: readonly number[]
  readonly #forRoles: ReadonlySet<number>
  readonly #reach: RuleReach
  readonly #walkMax: number | undefined
  readonly #inTenant = new Map<number, AllowedIn>()
  readonly #ofType = new Map<number, readonly OfType[]>()
  readonly #names = new Map<number, string>()
  readonly #roles = new Map<number, string>()
  readonly #parties = new Map<number, TenantRow['tenant']>()
  readonly #rows: Iterator<NamedRow | undefined, void>
  #held: RolesOnInstances | undefined
  /** the same of the user alone */
  #ownHeld: RolesOnInstances | undefined
  /** the name up to which everything was looked at */
  #place: string
  /** the row that did not fit into the part before */
  #waiting: NamedRow | undefined

  constructor(
    evaluator: Evaluator,
    user: number,
    query: PermissionQuery,
    { after = '', walkMax }: PermissionOptions = {},
  ) {
    const { kernel } = evaluator
    this.#evaluator = evaluator
    this.#kernel = kernel
    this.#user = user
    this.#query = query
    this.#walkMax = walkMax
    this.#place = after
    const ids = (kind: 'tenant' | 'resource', keys: readonly string[] | undefined) =>
      keys && new Set(keys.map((key) => findSymbol(kernel, kind, key)).filter((id) => id !== 0))
    this.#queriedTenants = ids('tenant', query.tenants)
    this.#queriedTypes = ids('resource', query.types)
    this.#ruled = user === 0 ? [] : ruledPermissions(kernel)
    this.#forRoles = new Set(this.#ruled.filter((id) => areForRoles(kernel, id)))
    this.#reach = new RuleReach(evaluator, user, this.#ruled)
    this.#rows = this.#eachRow(after)
  }

  /**
   * The next rows, at most `limit`; fewer, or none, when the work is done. The list gets on with each call, though not
   * always to another name.
   * @throws UNDECIDED with the question
   */
  part(limit: number, work: number): PermissionPart {
    this.#evaluator.goOn(work)
    const rows: NamedRow[] = this.#waiting === undefined ? [] : [this.#waiting]
    this.#waiting = undefined
    for (;;) {
      const { value: row, done } = this.#rows.next()
      if (done) return { rows, next: undefined }
      if (row === undefined) return { rows, next: this.#place }
      if (rows.length === limit) {
        this.#waiting = row
        return { rows, next: rows.at(-1)![0] }
      }
      rows.push(row)
    }
  }

  /** The rows behind a name in order; undefined where the work is used up. */
  *#eachRow(after: string): Generator<NamedRow | undefined, void> {
    const inTenants = after === '' || after.startsWith(TENANT_PREFIX)
    if (inTenants) yield* this.#eachTenantRow(after.slice(TENANT_PREFIX.length))
    yield* this.#eachInstanceRow(inTenants ? '' : after)
  }

  *#eachTenantRow(after: string): Generator<NamedRow | undefined, void> {
    const kernel = this.#kernel
    const tenants = [...this.#tenants()].map((tenant) => [principalKey(kernel, tenant), tenant] as const)
    const wanted = tenants.filter(([key]) => compareText(key, after) > 0 && this.#query.ownRow?.(key) !== false)
    for (const [key, tenant] of wanted.sort(([left], [right]) => compareText(left, right))) {
      const name = TENANT_PREFIX + key
      const row = this.#tenantRow(tenant)
      this.#place = name
      if (row !== undefined) yield [name, row]
      if (this.#evaluator.left <= 0) yield undefined
    }
  }

  #tenantRow(tenant: number): TenantRow | undefined {
    const kernel = this.#kernel
    this.#evaluator.left -= LOOK_WORK
    const roles = grantRoles(kernel, /* canary: own-roles-in-tenants */ findGrant(kernel, this.#user, tenant))
    const { all } = this.#allowedIn(tenant)
    if (roles.length + all.size === 0) return undefined
    this.#evaluator.left -= ROW_WORK
    const permissions = sortKeys([...all].map((id) => this.#name(id)))
    return { tenant: this.#party(tenant), roles: this.#roleNames(roles), permissions }
  }

  /** Whether what everybody has counts in the tenant. */
  #isShared(tenant: number): boolean {
    if (everybodyAsked(this.#kernel) === 0) return false
    const { instances } = this.#query
    if (this.#queriedTenants !== undefined) return this.#queriedTenants.has(tenant)
    return /* canary: shared-where-users-belong */ instances !== undefined || this.#reach.own.has(tenant)
  }

  /** Asks what is so in the tenant: with what everybody has, or of the user alone. */
  #askIn<T>(tenant: number, ask: () => T): T {
    return everybodyAsked(this.#kernel) === 0 || this.#isShared(tenant) ? ask() : ownAlone(this.#kernel, ask)
  }

  /** The tenants that may have a row: those to which the user belongs, or all when rules may allow in others too. */
  #tenants(): Iterable<number> {
    if (this.#queriedTenants !== undefined) return this.#queriedTenants
    const { alike, byTenant } = this.#reach.elsewhere
    return alike.length + byTenant.length === 0 ? this.#reach.own : records(this.#kernel, Table.Tenants)
  }

  *#eachInstanceRow(after: string): Generator<NamedRow | undefined, void> {
    if (this.#query.instances !== undefined) {
      yield* this.#rowsOf(this.#queriedInstances(this.#query.instances), after)
      return
    }
    const kernel = this.#kernel
    const held = this.#rolesOnInstances()
    if (this.#evaluator.left <= 0) yield undefined
    const ruled = this.#reach.findTypes()
    const types = [...new Set([...held.listTypes(), ...ruled.keys()])]
      .filter((type) => this.#queriedTypes?.has(type) !== false)
      .map((type) => [`${resourceKey(kernel, type)}:`, type] as const)
    for (const [prefix, type] of types.sort(([left], [right]) => compareText(left, right))) {
      const isBehind = after.startsWith(prefix)
      if (!isBehind && compareText(prefix, after) < 0) continue
      const known = held.listOf(type)
      if (known !== undefined && !ruled.has(type)) yield* this.#rowsOf(known, after)
      else yield* this.#scan(type, this.#eachPiece(type, known && ruled.get(type), known, isBehind ? after : prefix))
    }
  }

  /**
   * The instances of a type behind a name, in pieces: those of the tenants where rules count, and those on which the
   * user has a role; of all tenants that are wanted when either is undefined.
   */
  #eachPiece(
    type: number,
    ruled: ReadonlySet<number> | undefined,
    held: readonly number[] | undefined,
    after: string,
  ): Iterable<Iterable<number>> {
    const kernel = this.#kernel
    const queried = this.#queriedTenants
    const tenants = ruled && queried ? new Set([...ruled].filter((tenant) => queried.has(tenant))) : (ruled ?? queried)
    if (tenants === undefined || tenants.size > LISTING_TENANTS_MAX)
      return eachPieceInOrder(kernel, Table.Instances, after)
    this.#evaluator.left -= SORT_WORK * (tenants.size + (held?.length ?? 0))
    return [candidatesInOrder(kernel, { type, tenants, held: held ?? [] }, after)]
  }

  /** The rows of some instances. */
  *#rowsOf(instances: Iterable<number>, after: string): Generator<NamedRow | undefined, void> {
    const kernel = this.#kernel
    const byName = new Map<string, number>()
    for (const instance of instances) {
      if (!this.#isOfTenant(instanceTenant(kernel, instance))) continue
      this.#evaluator.left -= SORT_WORK
      const name = readInstanceKey(kernel, instance)
      if (compareText(name, after) > 0) byName.set(name, instance)
    }
    const held = this.#rolesOnInstances()
    const names = sortKeys([...byName.keys()])
    if (this.#evaluator.left <= 0) yield undefined
    for (const name of names) {
      const instance = byName.get(name)!
      const type = instanceType(kernel, instance)
      const row = this.#instanceRow(instance, name, held.on(instance), this.#ruledOn(type, instance))
      this.#place = name
      if (row !== undefined) yield [name, row]
      if (this.#evaluator.left <= 0) yield undefined
    }
  }

  /** The rows of instances of a type when each must be looked at: because of its roles, or because of set rules. */
  *#scan(type: number, pieces: Iterable<Iterable<number>>): Generator<NamedRow | undefined, void> {
    const kernel = this.#kernel
    const evaluator = this.#evaluator
    const held = this.#rolesOnInstances()
    const hasNone = held.listOf(type)?.length === 0
    let tenant = 0
    let isWanted = false
    let ruled = NONE
    for (const piece of pieces) {
      for (const instance of piece) {
        if (!kernel.isLive(instance)) continue
        if (instanceType(kernel, instance) !== type) return
        evaluator.left -= SCAN_WORK
        if (instanceTenant(kernel, instance) !== tenant) {
          tenant = instanceTenant(kernel, instance)
          isWanted = this.#isOfTenant(tenant)
          ruled = isWanted ? this.#reach.onInstances(type, tenant) : NONE
        }
        const roles = hasNone || !isWanted ? NO_ROLES : held.on(instance)
        if (roles.length > 0 || (ruled.size > 0 && this.#differs(instance, ruled))) {
          const name = readInstanceKey(kernel, instance)
          const row = this.#instanceRow(instance, name, roles, ruled)
          this.#place = name
          if (row !== undefined) yield [name, row]
        }
        if (evaluator.left > 0) continue
        this.#place = readInstanceKey(kernel, instance)
        yield undefined
      }
    }
  }

  /** Whether rules say something else about an instance without roles than about its type. */
  #differs(instance: number, ruled: ReadonlySet<number>): boolean {
    const { byRoles, all } = this.#allowedIn(instanceTenant(this.#kernel, instance))
    for (const id of ruled) {
      if (!byRoles.has(id) && this.#evaluator.allowsBySets(this.#user, id, instance) !== all.has(id)) return true
    }
    return false
  }

  #isOfTenant(tenant: number): boolean {
    return this.#queriedTenants === undefined || this.#queriedTenants.has(tenant)
  }

  #ruledOn(type: number, instance: number): ReadonlySet<number> {
    return this.#reach.onInstances(type, instanceTenant(this.#kernel, instance))
  }

  #rolesOnInstances(): RolesOnInstances {
    this.#held ??= new RolesOnInstances(this.#evaluator, this.#user, this.#walkMax, (tenant) => this.#isShared(tenant))
    return this.#held
  }

  /** Those of the user alone, out of all that count there. */
  #ownRoles(instance: number, roles: readonly number[]): readonly number[] {
    if (roles.length === 0 || /* canary: own-roles-on-instances */ everybodyAsked(this.#kernel) === 0) return roles
    this.#ownHeld ??= new RolesOnInstances(this.#evaluator, this.#user, this.#walkMax)
    return this.#ownHeld.on(instance)
  }

  #queriedInstances(names: readonly string[]): Set<number> {
    const kernel = this.#kernel
    const found = new Set<number>()
    const types = [...records(kernel, Table.Resources)].map((type) => resourceKey(kernel, type))
    for (const name of names) {
      for (const key of name.includes(':') ? [name] : types.map((type) => `${type}:${name}`)) {
        this.#evaluator.left -= LOOK_WORK
        const instance = findSymbol(kernel, 'resource_instance', key)
        if (instance === 0 || this.#queriedTypes?.has(instanceType(kernel, instance)) === false) continue
        found.add(instance)
      }
    }
    return found
  }

  /** Undefined when what is allowed on the instance equals what is on its type and no role has to be shown. */
  #instanceRow(
    instance: number,
    name: string,
    roles: readonly number[],
    ruled: ReadonlySet<number>,
  ): InstanceRow | undefined {
    const kernel = this.#kernel
    this.#evaluator.left -= LOOK_WORK
    const tenant = instanceTenant(kernel, instance)
    const { byRoles, all } = this.#allowedIn(tenant)
    const permissions: string[] = []
    const own = this.#ownRoles(instance, roles)
    let differs = own.length > 0
    for (const { id, name: permission } of this.#listPermissions(instanceType(kernel, instance))) {
      const asType = all.has(id)
      const allowed = byRoles.has(id) || this.#isAllowed(instance, id, roles, ruled, asType)
      if (allowed !== asType) differs = true
      if (allowed) permissions.push(permission)
    }
    if (!differs) return undefined
    this.#evaluator.left -= ROW_WORK
    const colon = name.indexOf(':')
    return {
      resource: { type: name.slice(0, colon), key: name.slice(colon + 1), attributes: this.#attributes(instance) },
      tenant: this.#party(tenant),
      roles: this.#roleNames(own),
      permissions,
    }
  }

  /** Roles in the tenant allow the same on all of its instances; only roles on instances and set rules can differ. */
  #isAllowed(
    instance: number,
    permission: number,
    roles: readonly number[],
    ruled: ReadonlySet<number>,
    asType: boolean,
  ): boolean {
    const allows = () => this.#evaluator.allowsOn(this.#user, permission, instance)
    if (roles.length > 0) return this.#askIn(instanceTenant(this.#kernel, instance), allows)
    return ruled.has(permission) ? this.#evaluator.allowsBySets(this.#user, permission, instance) : asType
  }

  /** The permissions allowed in a tenant without an instance, by roles and by set rules. */
  #allowedIn(tenant: number): AllowedIn {
    const isOwn = this.#reach.own.has(tenant)
    const place = isOwn || this.#isShared(tenant) ? tenant : this.#someKey(tenant)
    const known = this.#inTenant.get(place)
    if (known !== undefined) return known
    const own = isOwn ? this.#findAllowedIn(tenant) : this.#findAllowedElsewhere(tenant)
    const found = this.#isShared(tenant) ? this.#addShared(own, tenant) : own
    this.#inTenant.set(place, found)
    return found
  }

  /** Adds what everybody may do in the tenant. */
  #addShared({ byRoles, all }: AllowedIn, tenant: number): AllowedIn {
    const grant = findSharedGrant(this.#kernel, tenant)
    const shared = /* canary: shared-permissions */ grant === 0 ? [] : permissionIdsOfGrant(this.#kernel, grant)
    return { byRoles: new Set([...byRoles, ...shared]), all: new Set([...all, ...shared]) }
  }

  /** The same for all tenants to which the user does not belong, unless rules tell them apart. */
  #someKey(tenant: number): number {
    return this.#reach.elsewhere.byTenant.length === 0 ? 0 : tenant
  }

  #findAllowedIn(tenant: number): AllowedIn {
    const grant = findGrant(this.#kernel, this.#user, tenant)
    const byRoles = new Set(grant === 0 ? [] : permissionIdsOfGrant(this.#kernel, grant))
    const isOpen = (id: number) => !byRoles.has(id) && !(grant === 0 && this.#forRoles.has(id))
    const ruled = this.#ruled.filter((id) => isOpen(id) && this.#reach.allowsIn(tenant, id))
    return { byRoles, all: ruled.length === 0 ? byRoles : new Set([...byRoles, ...ruled]) }
  }

  #findAllowedElsewhere(tenant: number): AllowedIn {
    const { alike, byTenant } = this.#reach.elsewhere
    const here = byTenant.filter((id) => this.#reach.allowsIn(tenant, id))
    return { byRoles: NONE, all: new Set([...alike, ...here]) }
  }

  /** The permissions of a type in the order of their names. */
  #listPermissions(type: number): readonly OfType[] {
    const known = this.#ofType.get(type)
    if (known !== undefined) return known
    const found = permissionsOfType(this.#kernel, type).map(([id]) => ({ id, name: this.#name(id) }))
    found.sort((left, right) => compareText(left.name, right.name))
    this.#ofType.set(type, found)
    return found
  }

  #name(permission: number): string {
    const known = this.#names.get(permission)
    if (known !== undefined) return known
    const name = permissionKey(this.#kernel, this.#kernel.calls.permissionRecord(permission))
    this.#names.set(permission, name)
    return name
  }

  #roleNames(roles: readonly number[]): string[] {
    return sortKeys(roles.map((role) => this.#roleName(role)))
  }

  #roleName(role: number): string {
    const known = this.#roles.get(role)
    if (known !== undefined) return known
    const name = bareRole(this.#kernel, role)
    this.#roles.set(role, name)
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
}
