// Listings (D12: listings agree with checks): each has exactly the objects for which a check allows. Candidates come
// from the lists of the image, and each is checked (evaluator.ts). Keys are in the order of their UTF-8 bytes (D9:
// order of values). Never part of a check.
import { Table } from '../../../assembly/limits.ts'
import { objectAt } from '../../kernel/decode.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { readSubjects } from '../../kernel/question-area.ts'
import { LISTING_TURN_WORK_MAX, LISTING_WHOLE_WORK_MAX, LISTING_WORK_MAX } from '../../model/limits.ts'
import type { JsonObject } from '../../model/objects.ts'
import { compareText } from '../../model/text-order.ts'
import { Evaluator, type Relate, tooLarge } from '../decide/evaluator.ts'
import type { RequiredAttributes, Sent } from '../decide/required-attributes.ts'
import type { SentRelation, SentRelations } from '../decide/sent-relations.ts'
import { instanceAsked, instanceOfRow, resolveTenant } from '../decide/tenant-of-check.ts'
import { findInstance, findPermission, findSymbol } from '../look-up.ts'
import { everybodyAsked } from '../records/everybody.ts'
import { grantScope, grantsOfUser, tenantsOfGrantsFor } from '../records/grant.ts'
import { instanceTenant, tenantOfScope } from '../records/instance.ts'
import { permissionsOfType } from '../records/permission.ts'
import { principalAttributes, principalKey } from '../records/principal.ts'
import { resourceKey } from '../records/resource.ts'
import { roleKey, rolePermissions } from '../records/role.ts'
import { rolesOfEnvironment } from '../records/roles-in-tenants.ts'
import { isSuspended } from '../records/suspension.ts'
import { records } from '../records/tables.ts'
import { sortKeys } from './key-order.ts'
import { type AssignmentFilter, AssignmentList, type AssignmentRow } from './list-assignments.ts'
import { instancesAllowed, type KeyPage, type PageQuery, usersAllowed } from './list-keys.ts'
import {
  PermissionList,
  type PermissionOptions,
  type PermissionPart,
  type PermissionQuery,
} from './list-permissions.ts'
import { type UserEntry, usersWithWays } from './list-users.ts'
import { areForRoles } from './user-sides.ts'

export type { AssignmentRow } from './list-assignments.ts'
export type { PageQuery } from './list-keys.ts'
export type {
  NamedRow,
  PermissionList,
  PermissionOptions,
  PermissionPart,
  PermissionQuery,
} from './list-permissions.ts'
export type { UserEntry } from './list-users.ts'

/** A tenant with what is stored about it. */
export interface TenantWithAttributes {
  readonly key: string
  readonly attributes: JsonObject
}

/** The resource and tenant of a listing in keys, with the request attributes. */
export interface About {
  readonly type: string
  readonly key: string | undefined
  /** as in the request */
  readonly tenant: string | undefined
  readonly sent: Sent | undefined
  readonly relations?: readonly SentRelation[] | undefined
  /** a marked row (D2) */
  readonly isRow?: boolean | undefined
}

export class Listings {
  readonly #kernel: Kernel
  readonly #required: RequiredAttributes
  readonly #related: SentRelations

  readonly #assignments: AssignmentList

  constructor(kernel: Kernel, required: RequiredAttributes, related: SentRelations) {
    this.#related = related
    this.#kernel = kernel
    this.#assignments = new AssignmentList(kernel)
    this.#required = required
  }

  /**
   * The stored instances of the type, of one tenant when it is given, on which the user may do the action, each in its
   * own tenant.
   */
  resources(user: string, action: string, { type, tenant, sent }: About, page: PageQuery): KeyPage {
    const kernel = this.#kernel
    const evaluator = this.#evaluator(sent, LISTING_WORK_MAX)
    const [userId, permission] = [findSymbol(kernel, 'user', user), findPermission(kernel, type, action)]
    const within = tenant === undefined ? 0 : findSymbol(kernel, 'tenant', tenant)
    const isOut = this.#isNobody(userId) || permission === 0 || (tenant !== undefined && within === 0)
    if (isOut) return { keys: [], next: undefined }
    if (/* canary: instances-of-the-suspended */ isSuspended(kernel, userId)) return { keys: [], next: undefined } // D16
    const typeId = findSymbol(kernel, 'resource', type)
    return instancesAllowed(evaluator, { user: userId, permission, typeId, type, tenant: within }, page)
  }

  /** The stored users whom a check allows. */
  users(action: string, about: About, page: PageQuery): KeyPage {
    const { tenant, permission, instance } = this.#resolveIds(action, about)
    if (tenant === 0 || permission === 0) return { keys: [], next: undefined }
    const relate = this.#relate(about)
    const evaluator = this.#evaluator(about.sent, LISTING_WORK_MAX, relate)
    return usersAllowed(evaluator, { tenant, permission, instance, key: about.key, relate }, page)
  }

  /** The same users with the ways by which each is allowed, and the tenant of the checks. */
  authorizedUsers(action: string, about: About): { tenant: string; users: Map<string, UserEntry[]> } {
    const { tenant, permission, instance } = this.#resolveIds(action, about)
    const key = resolveTenant(this.#kernel, about.tenant, instance)
    if (tenant === 0 || permission === 0) return { tenant: key, users: new Map() }
    const relate = this.#relate(about)
    const evaluator = this.#evaluator(about.sent, LISTING_WHOLE_WORK_MAX, relate)
    return { tenant: key, users: usersWithWays(evaluator, { ...about, tenant, permission, instance, relate }) }
  }

  /** The actions that the user may do. */
  actions(user: string, about: About): string[] {
    const kernel = this.#kernel
    const userId = findSymbol(kernel, 'user', user)
    const type = findSymbol(kernel, 'resource', about.type)
    if (this.#isNobody(userId) || type === 0 || /* canary: actions-of-the-suspended */ isSuspended(kernel, userId))
      return []
    const { tenant, instance } = this.#resolveIds('', about)
    const evaluator = this.#evaluator(about.sent, LISTING_WHOLE_WORK_MAX, this.#relate(about))
    const actions: string[] = []
    for (const [permission, action] of permissionsOfType(kernel, type)) {
      if (evaluator.allows(userId, tenant, permission, instance, about.key)) actions.push(action)
    }
    return sortKeys(actions)
  }

  /** The tenants in which a check allows. */
  tenants(user: string, action: string, about: Omit<About, 'tenant'>): TenantWithAttributes[] {
    const kernel = this.#kernel
    const { type, key, sent, isRow = false } = about
    const relate = this.#relate(about)
    const evaluator = this.#evaluator(sent, LISTING_WHOLE_WORK_MAX, relate)
    const [userId, permission] = [findSymbol(kernel, 'user', user), findPermission(kernel, type, action)]
    if (this.#isNobody(userId) || permission === 0) return []
    if (/* canary: tenants-of-the-suspended */ isSuspended(kernel, userId)) return []
    const instance = findInstance(kernel, type, key)
    const allowed: number[] = []
    for (const tenant of this.#tenantsFor(userId, permission, { instance, isRow }, relate)) {
      if (evaluator.left < 0) throw tooLarge(`the tenants of \`${user}\``)
      const on = isRow ? instanceOfRow(kernel, instance, tenant) : instance
      if (evaluator.allows(userId, tenant, permission, on, key)) allowed.push(tenant)
    }
    return this.#listTenants(allowed)
  }

  /** Whether the user is not stored (D1), while everybody has nothing either (D16). */
  #isNobody(user: number): boolean {
    return user === 0 && /* canary: listings-of-who-is-not-stored */ everybodyAsked(this.#kernel) === 0
  }

  /** The tenants in which the user has a role, or has one on an instance of the tenant. */
  userTenants(user: string): TenantWithAttributes[] {
    const kernel = this.#kernel
    const userId = findSymbol(kernel, 'user', user)
    if (userId === 0) return []
    const tenants = /* canary: tenants-of-everybody */ grantsOfUser(kernel, userId).map((grant) =>
      tenantOfScope(kernel, grantScope(kernel, grant)),
    )
    return this.#listTenants([...new Set(tenants)])
  }

  /**
   * Everything that the user may do, by tenant and by instance, to be read by `permissionPart` as long as the image does
   * not change; undefined for who may do nothing: a user who is suspended, or is not stored while nothing is given to everybody.
   */
  permissions(
    user: string,
    query: PermissionQuery,
    sent: Sent | undefined,
    options?: PermissionOptions,
  ): PermissionList | undefined {
    const id = findSymbol(this.#kernel, 'user', user)
    const isOut = this.#isNobody(id) || /* canary: permissions-of-the-suspended */ isSuspended(this.#kernel, id)
    return isOut ? undefined : new PermissionList(this.#evaluator(sent), id, query, options)
  }

  /** The next rows of such a list, for a turn. @throws UNDECIDED */
  permissionPart(list: PermissionList, limit: number, work = LISTING_TURN_WORK_MAX): PermissionPart {
    return list.part(limit, work)
  }

  /** Assigned roles, ordered by user, tenant, instance and role. */
  assignments(filter: AssignmentFilter, first: number, count: number): AssignmentRow[] {
    return this.#assignments.page(filter, first, count)
  }

  assignmentsBehind(filter: AssignmentFilter, after: AssignmentRow, count: number): AssignmentRow[] {
    return this.#assignments.pageBehind(filter, after, count)
  }

  #evaluator(sent: Sent | undefined, work = LISTING_WHOLE_WORK_MAX, relate?: Relate): Evaluator {
    return new Evaluator(this.#kernel, this.#required, sent, work, relate)
  }

  #relate({ type, relations }: Pick<About, 'type' | 'relations'>): Relate | undefined {
    return relations && (() => this.#related.write(type, relations))
  }

  /**
   * The tenants in which the user may be allowed: with a role (D4), or that of the instance (D5) or of a related one
   * (D14); all tenants when set rules may allow without a role.
   */
  #tenantsFor(
    user: number,
    permission: number,
    { instance, isRow }: { readonly instance: number; readonly isRow: boolean },
    relate: Relate | undefined,
  ): Iterable<number> {
    const kernel = this.#kernel
    if (!areForRoles(kernel, permission)) return records(kernel, Table.Tenants)
    const tenants = new Set(tenantsOfGrantsFor(kernel, user))
    if (instance !== 0) tenants.add(instanceTenant(kernel, instance))
    if (instance === 0 || isRow)
      for (const at of readSubjects(kernel, relate?.() ?? 0)) tenants.add(instanceTenant(kernel, at))
    return tenants
  }

  /** Keys of stored users, at most `limit`, in arbitrary order. */
  userKeys(limit: number): string[] {
    const keys: string[] = []
    for (const user of records(this.#kernel, Table.Users)) {
      if (keys.length >= limit) break
      keys.push(principalKey(this.#kernel, user))
    }
    return keys
  }

  /** The roles in tenants with the permissions attached to each itself, in key order, without those of tenants (D18). */
  tenantRoles(): { key: string; permissions: string[] }[] {
    const kernel = this.#kernel
    const rows = [...rolesOfEnvironment(kernel)].map((role) => {
      return { key: roleKey(kernel, role), permissions: rolePermissions(kernel, role).sort() }
    })
    return rows.sort((left, right) => compareText(left.key, right.key))
  }

  /** The permissions attached to a role of a tenant itself (D18), by its whole key; none when nothing has the key. */
  rolePermissions(key: string): string[] {
    const role = findSymbol(this.#kernel, 'tenant_role', key)
    return role === 0 ? [] : rolePermissions(this.#kernel, role).sort()
  }

  /** The actions of each type, types and actions in order. */
  actionsByType(): { type: string; actions: string[] }[] {
    const kernel = this.#kernel
    const rows: { type: string; actions: string[] }[] = []
    for (const type of records(kernel, Table.Resources)) {
      const actions = sortKeys(permissionsOfType(kernel, type).map(([, action]) => action))
      rows.push({ type: resourceKey(kernel, type), actions })
    }
    return rows.sort((left, right) => compareText(left.type, right.type))
  }

  #listTenants(tenants: readonly number[]): TenantWithAttributes[] {
    const kernel = this.#kernel
    const rows = tenants.map((tenant) => {
      const attributes = objectAt(kernel, principalAttributes(kernel, tenant)) ?? {}
      return { key: principalKey(kernel, tenant), attributes }
    })
    return rows.sort((left, right) => compareText(left.key, right.key))
  }

  /** The ids of a listing. */
  #resolveIds(action: string, about: About): { tenant: number; permission: number; instance: number } {
    const kernel = this.#kernel
    const { type, tenant } = about
    const instance = instanceAsked(kernel, about)
    const counted = resolveTenant(kernel, tenant, instance)
    return { tenant: findSymbol(kernel, 'tenant', counted), permission: findPermission(kernel, type, action), instance }
  }
}
