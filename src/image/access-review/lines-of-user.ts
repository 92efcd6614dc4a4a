// What one user has in an image, as lines of an access review: by roles in tenants (D4), by roles on instances (D5) and
// by set rules (lines-by-rules.ts, D6). docs/access-review.md defines the lines; a test compares them with checks.
import { Table } from '../../../assembly/limits.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { isTimed, stateAt } from '../../kinds/times.ts'
import type { AccessSource } from '../../model/access-diff.ts'
import type { AccessFilter, AccessLine } from '../../model/access-line.ts'
import { LISTING_WALK_MAX, LISTING_WHOLE_WORK_MAX, REVIEW_FEW_MAX } from '../../model/limits.ts'
import { compareText } from '../../model/text-order.ts'
import type { Inside } from '../access-diff/side.ts'
import { findEndOfRole, findInstanceRoles, findRolesOn, type InstanceRoles } from '../decide/effective-roles.ts'
import { Evaluator } from '../decide/evaluator.ts'
import { findSymbol } from '../look-up.ts'
import { everybodyStored } from '../records/everybody.ts'
import {
  eachGrantOfUserStored,
  eachHolderGrantInScope,
  findGrantStored,
  grantRolesStored,
  grantScope,
  grantUser,
} from '../records/grant.ts'
import { hasTimes } from '../records/header.ts'
import { instanceTenant, instanceType } from '../records/instance.ts'
import { permissionKey, permissionResource } from '../records/permission.ts'
import { principalKey } from '../records/principal.ts'
import { resourceKey } from '../records/resource.ts'
import { bareRole, permissionIdsOfRole, roleKey, roleType } from '../records/role.ts'
import { symbolTable } from '../records/symbol.ts'
import { records } from '../records/tables.ts'
import { timesOfRecord } from '../records/times.ts'
import { eachTupleToObject, tupleSubject } from '../records/tuple.ts'
import { type LinePermission, type LineScope, LinesByRules } from './lines-by-rules.ts'

/** The work of a line, in the unit of listings. */
const LINE_WORK = 32

/** The work of looking for roles on instances. */
const ROLES_WORK = 128

export class LinesOfUser {
  readonly kernel: Kernel
  readonly #evaluator: Evaluator
  readonly #rules: LinesByRules
  readonly #filter: AccessFilter
  readonly #scope: LineScope
  readonly #permissions = new Map<number, LinePermission | undefined>()
  /** by the record of a role */
  readonly #ofRole = new Map<
    number,
    { readonly source: AccessSource; readonly permissions: readonly LinePermission[] }
  >()

  #giving: { readonly inTenants: boolean; readonly onInstances: boolean } | undefined

  constructor({ kernel, required }: Inside, filter: AccessFilter) {
    this.kernel = kernel
    this.#filter = filter
    this.#evaluator = new Evaluator(kernel, required, undefined, LISTING_WHOLE_WORK_MAX)
    const { tenant, resource, instance } = filter
    const only = instance === undefined ? undefined : findSymbol(kernel, 'resource_instance', `${resource}:${instance}`)
    const home = only === undefined || only === 0 ? only : instanceTenant(kernel, only)
    const asked = tenant === undefined ? undefined : findSymbol(kernel, 'tenant', tenant)
    this.#scope = {
      ...{ kernel, filter, instance: only },
      // an instance that is in another tenant than the one asked about has no lines
      tenant: asked !== undefined && home !== undefined && asked !== home ? 0 : (asked ?? home),
      permission: (id) => this.#permission(id),
    }
    this.#rules = new LinesByRules(this.#scope, this.#evaluator, required)
  }

  /** Whether the filter names what the image does not have, or what nothing gives: then no one has a line. */
  get isEmpty(): boolean {
    if (this.#scope.tenant === 0 || this.#scope.instance === 0) return true
    const { inTenants, onInstances } = this.#findGiving()
    return !inTenants && !onInstances && this.#rules.areNone
  }

  /** Whether roles in tenants, and on instances, give something that the filter asks for. */
  #findGiving(): { readonly inTenants: boolean; readonly onInstances: boolean } {
    if (this.#giving !== undefined) return this.#giving
    const giving = { inTenants: false, onInstances: false }
    for (const role of records(this.kernel, Table.Roles)) {
      const place = roleType(this.kernel, role) === 0 ? 'inTenants' : 'onInstances'
      if (!giving[place]) giving[place] = this.#readRole(role).permissions.length > 0
      if (giving.inTenants && giving.onInstances) break
    }
    this.#giving = giving
    return giving
  }

  /**
   * The users who can have a line about the one instance that is asked for: who have a role there, on what it is related
   * to, or in its tenant. Undefined when it is not about one, or they are many.
   */
  findFewUsers(): ReadonlySet<number> | undefined {
    const { instance: only, tenant } = this.#scope
    if (only === undefined || only === 0 || !tenant || !this.#rules.areNone || this.#filter.state) return undefined
    const { kernel } = this
    const { inTenants, onInstances } = this.#findGiving()
    const users = new Set<number>()
    const scopes = new Set([...(inTenants ? [tenant] : []), ...(onInstances ? [only] : [])])
    let left = REVIEW_FEW_MAX
    for (const scope of scopes) {
      for (const grant of eachHolderGrantInScope(kernel, scope)) {
        if (--left < 0) return undefined
        users.add(grantUser(kernel, grant))
      }
      if (scope === tenant) continue
      for (const tuple of eachTupleToObject(kernel, scope)) {
        if (--left < 0) return undefined
        scopes.add(tupleSubject(kernel, tuple)) // looked at in this loop, too
      }
    }
    return users
  }

  /** Whether a role of the user has an end, in whatever state it is. */
  hasEnds(user: number): boolean {
    for (const grant of eachGrantOfUserStored(this.kernel, user))
      if (grantRolesStored(this.kernel, grant).some(({ until }) => until !== Number.POSITIVE_INFINITY)) return true
    return false
  }

  /** The lines of a stored user, or of everybody, in order, and the work that they took. */
  of(user: number): { readonly lines: AccessLine[]; readonly work: number } {
    this.#evaluator.left = LISTING_WHOLE_WORK_MAX
    const lines: AccessLine[] = []
    const key = principalKey(this.kernel, user)
    const { inTenants, onInstances } = this.#findGiving()
    if (inTenants) this.#inTenants(user, key, lines)
    const { state } = this.#filter
    if (state !== undefined && onInstances) this.#assignedOnInstances(user, key, lines)
    const isWhole = state !== undefined || !onInstances || this.#onInstances(user, key, lines)
    const hasNoRules = state !== undefined || user === everybodyStored(this.kernel) // D16: no set is true for everybody
    const areRulesWhole = hasNoRules || this.#rules.add(user, key, lines)
    if (!isWhole || !areRulesWhole) lines.push(incomplete(key))
    const work =
      LISTING_WHOLE_WORK_MAX - this.#evaluator.left + LINE_WORK * (1 + lines.length) + this.#rules.takeShared()
    return { lines: lines.sort(compareLines), work }
  }

  #inTenants(user: number, key: string, lines: AccessLine[]): void {
    const { kernel } = this
    for (const grant of eachGrantOfUserStored(kernel, user)) {
      const scope = grantScope(kernel, grant)
      if (symbolTable(kernel, scope) !== Table.Tenants) continue
      if (this.#scope.tenant !== undefined && this.#scope.tenant !== scope) continue
      const tenant = principalKey(kernel, scope)
      for (const { role, by } of this.#rolesInState(grant)) {
        const { source, permissions } = this.#readRole(role)
        for (const { resource, action } of permissions) {
          lines.push({ user: key, tenant, resource, resource_instance: null, action, ...by, source })
        }
      }
    }
  }

  /** Roles that are assigned on instances in the state that is asked for, without what follows from them. */
  #assignedOnInstances(user: number, key: string, lines: AccessLine[]): void {
    const { kernel } = this
    const { tenant: onlyIn, instance: only } = this.#scope
    for (const grant of eachGrantOfUserStored(kernel, user)) {
      const instance = grantScope(kernel, grant)
      if (symbolTable(kernel, instance) !== Table.Instances || (only !== undefined && only !== instance)) continue
      const home = instanceTenant(kernel, instance)
      if (onlyIn !== undefined && onlyIn !== home) continue
      const place = { tenant: principalKey(kernel, home), resource_instance: this.#evaluator.keyOf(instance) }
      for (const { role, by } of this.#rolesInState(grant)) {
        const { source, permissions } = this.#readRole(role)
        for (const { type, resource, action } of permissions)
          if (type === instanceType(kernel, instance))
            lines.push({ user: key, ...place, resource, action, ...by, source })
      }
    }
  }

  /** The roles of a grant in the state that is asked for, with what their lines say of it. */
  *#rolesInState(grant: number) {
    const { kernel } = this
    const { state = 'in_force' } = this.#filter
    for (const { role, ...times } of grantRolesStored(kernel, grant)) {
      const own = timesOfRecord(times)
      if ((isTimed(own) ? stateAt(own, kernel.now) : 'in_force') === state)
        yield { role, by: { ...BY_ROLE, ...own, access: ACCESS_IN[state] } }
    }
  }

  /** false when there are more relations to follow than a listing does */
  #onInstances(user: number, key: string, lines: AccessLine[]): boolean {
    const { kernel } = this
    const held = this.#findRolesOnInstances(user)
    for (const [instance, roles] of held ?? []) {
      const { tenant: onlyIn } = this.#scope
      const home = instanceTenant(kernel, instance)
      if (onlyIn !== undefined && onlyIn !== home) continue
      const assigned = new Map(
        [...this.#rolesInState(findGrantStored(kernel, user, instance))].map(({ role, by }) => [role, by]),
      )
      const type = instanceType(kernel, instance)
      const place = { tenant: principalKey(kernel, home), resource_instance: this.#evaluator.keyOf(instance) }
      for (const role of roles) {
        const { source, permissions } = this.#readRole(role)
        if (permissions.length === 0) continue
        const by = assigned.get(role) ?? this.#derived(user, instance, role)
        for (const { type: of, resource, action } of permissions) {
          if (of === type) lines.push({ user: key, ...place, resource, action, ...by, source })
        }
      }
    }
    return held !== undefined && this.#evaluator.left >= 0
  }

  /** What a line of a derived role says. */
  #derived(user: number, instance: number, role: number) {
    if (!hasTimes(this.kernel)) return DERIVED
    const { until, left } = findEndOfRole(this.kernel, user, [instance, role], Math.max(this.#evaluator.left, 0))
    this.#evaluator.left = left
    return left < 0 || until === Number.POSITIVE_INFINITY ? DERIVED : { ...DERIVED, valid_until: until }
  }

  #findRolesOnInstances(user: number): InstanceRoles | undefined {
    const { instance: only } = this.#scope
    this.#evaluator.left -= ROLES_WORK
    if (only === undefined) return findInstanceRoles(this.kernel, user, LISTING_WALK_MAX)
    const roles = findRolesOn(this.kernel, user, only, LISTING_WALK_MAX)
    return roles && new Map([[only, roles]])
  }

  #readRole(role: number) {
    let known = this.#ofRole.get(role)
    if (known === undefined) {
      const { kernel } = this
      const onInstances = roleType(kernel, role) !== 0
      const name = roleName(kernel, role)
      const isWanted = this.#filter.role === undefined || this.#filter.role === name
      const ids = isWanted ? permissionIdsOfRole(kernel, role) : []
      const permissions = ids.map((id) => this.#permission(id)).filter((each) => each !== undefined)
      known = { source: { kind: onInstances ? 'resource_role' : 'role', role: name }, permissions }
      this.#ofRole.set(role, known)
    }
    return known
  }

  #permission(id: number): LinePermission | undefined {
    if (this.#permissions.has(id)) return this.#permissions.get(id)
    const { kernel } = this
    const record = kernel.calls.permissionRecord(id)
    const key = permissionKey(kernel, record)
    const type = permissionResource(kernel, record)
    const resource = resourceKey(kernel, type)
    const action = key.slice(resource.length + 1)
    const { filter } = this.#scope
    const isWanted = (filter.resource ?? resource) === resource && (filter.action ?? action) === action
    const found = isWanted ? { id, type, resource, action } : undefined
    this.#permissions.set(id, found)
    return found
  }
}

const ACCESS_IN = { in_force: 'allowed', scheduled: 'scheduled', ended: 'ended' } as const
const BY_ROLE = { access: 'allowed', derived: false, when: null } as const
const DERIVED = { ...BY_ROLE, derived: true } as const

export const incomplete = (user: string): AccessLine => ({
  ...{ user, tenant: null, resource: null, resource_instance: null, action: null },
  ...{ access: 'incomplete', source: null, derived: false, when: null },
})

/** The order of the lines of one user. */
export function compareLines(left: AccessLine, right: AccessLine): number {
  return (
    compareText(left.user, right.user) ||
    compareText(left.tenant ?? '', right.tenant ?? '') ||
    compareText(left.resource ?? '', right.resource ?? '') ||
    compareText(left.resource_instance ?? '', right.resource_instance ?? '') ||
    compareText(left.action ?? '', right.action ?? '') ||
    compareText(lineName(left), lineName(right))
  )
}

/** Equal for lines that say the same. */
export function lineName(line: AccessLine): string {
  const { tenant, resource, resource_instance: instance, action, access, source, derived, when } = line
  const { kind = '', role = '', user_set = '', resource_set = '' } = source ?? {}
  const parts = [tenant, resource, instance, action, access, kind, role, user_set, resource_set, derived, when]
  return JSON.stringify(parts)
}

/** A role in tenants by its key, a role on instances as `type#role`. */
export const roleName = (kernel: Kernel, role: number): string =>
  roleType(kernel, role) === 0 ? bareRole(kernel, role) : roleKey(kernel, role).replace('/', '#')
