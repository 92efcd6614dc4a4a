// How many users have each role, and how many are allowed each action: the overview of an access review, counted in
// steps of bounded work. It says what the lines say (lines-of-user.ts), in less work: what users have in common is found
// once.
import { Table } from '../../../assembly/limits.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { AccessLine } from '../../model/access-line.ts'
import { LISTING_WHOLE_WORK_MAX } from '../../model/limits.ts'
import { compareText } from '../../model/text-order.ts'
import type { Inside } from '../access-diff/side.ts'
import { Evaluator } from '../decide/evaluator.ts'
import { everybodyStored } from '../records/everybody.ts'
import { countRoles } from '../records/header.ts'
import { permissionId, permissionKey, permissionResource, permissionRole } from '../records/permission.ts'
import { resourceKey } from '../records/resource.ts'
import { eachRoleOfType, permissionIdsOfRole } from '../records/role.ts'
import { rolesOfEnvironment } from '../records/roles-in-tenants.ts'
import { isSuspended } from '../records/suspension.ts'
import { inOrder, records } from '../records/tables.ts'
import { LinesByRules, type Rule } from './lines-by-rules.ts'
import { roleName } from './lines-of-user.ts'
import { type Held, RolesHeld } from './roles-held.ts'

export interface ReviewGroup {
  /** a role in tenants, `type#role`, or `resource:action` */
  readonly key: string
  /** different users: who have the role somewhere, assigned or over relations; who are allowed somewhere */
  users: number
  /** everyone has the role somewhere, or may do the action somewhere (D16); `users` has only what users hold themselves */
  everybody?: true
  /** of an action: other users, for whom it depends on what is sent */
  conditional: number
  /** of a role: permissions that it gives, with those of the roles that it extends; null of an action */
  readonly permissions: number | null
}

/** The roles that tenants made themselves (D18), of all tenants together. */
export interface TenantRolesCounted {
  readonly roles: number
  /** different users who have one */
  readonly users: number
}

export type GroupedBy = 'role' | 'resource'

export class ReviewCounts {
  readonly #kernel: Kernel
  readonly #by: GroupedBy
  readonly #users: Iterator<number>
  readonly #roles: RolesHeld
  readonly #evaluator: Evaluator
  readonly #rules: LinesByRules
  /** by the record of a role, or by the id of a permission */
  readonly #groups: ReadonlyMap<number, ReviewGroup>
  /** of the last user: what rules allow it, and what depends on what is sent */
  readonly #allowed = new Set<number>()
  readonly #conditional = new Set<number>()
  #usersOfTenants = 0
  /** false when some user has more than is counted */
  complete = true

  constructor(inside: Inside, by: GroupedBy) {
    const { kernel, required } = inside
    this.#kernel = kernel
    this.#by = by
    this.#users = inOrder(kernel, Table.Users, '')[Symbol.iterator]()
    this.#groups = by === 'role' ? rolesIn(kernel) : permissionsIn(kernel)
    this.#roles = new RolesHeld(kernel)
    this.#evaluator = new Evaluator(kernel, required, undefined, LISTING_WHOLE_WORK_MAX)
    const permission = (id: number) => {
      const record = kernel.calls.permissionRecord(id)
      const type = permissionResource(kernel, record)
      const resource = resourceKey(kernel, type)
      return { id, type, resource, action: permissionKey(kernel, record).slice(resource.length + 1) }
    }
    const everything = { kernel, filter: {}, tenant: undefined, instance: undefined, permission }
    this.#rules = new LinesByRules(everything, this.#evaluator, required)
    this.#markEveryone(everybodyStored(kernel))
  }

  /** Counts on; false when all users are counted. */
  step(work: number): boolean {
    let left = work
    while (left > 0) {
      const next = this.#users.next()
      if (next.done === true) return false
      left -= /* canary: counts-of-the-suspended */ isSuspended(this.#kernel, next.value) ? 1 : this.#add(next.value) // D16
    }
    return true
  }

  /** Marks what everyone has, or may do. No rule allows everyone anything (D16). */
  #markEveryone(everyone: number): void {
    if (everyone === 0) return
    const { held, isWhole } = this.#roles.of(everyone)
    if (!isWhole) this.complete = false
    for (const id of this.#by === 'role' ? held.roles : held.permissions) {
      const group = this.#groups.get(id)
      if (group !== undefined) group.everybody = true
    }
  }

  /** Of the roles of tenants together; undefined where there are none. */
  get ofTenants(): TenantRolesCounted | undefined {
    this.#settle()
    const roles = this.#by === 'role' ? countRoles(this.#kernel) - this.#groups.size : 0
    return roles === 0 ? undefined : { roles, users: this.#usersOfTenants }
  }

  /** In the order of their keys. */
  get groups(): readonly ReviewGroup[] {
    this.#settle()
    return [...this.#groups.values()].sort((left, right) => compareText(left.key, right.key))
  }

  /** Adds a user; returns the work. */
  #add(user: number): number {
    if (this.#roles.isFull) this.#settle()
    const { held, isWhole, work } = this.#roles.of(user)
    held.users++
    if (!isWhole) this.complete = false
    return this.#by === 'role' ? work : work + this.#addByRules(user, held)
  }

  /** What rules give a user beyond its roles. */
  #addByRules(user: number, { permissions }: Held): number {
    const [allowed, conditional] = [this.#allowed, this.#conditional]
    allowed.clear()
    conditional.clear()
    this.#evaluator.left = LISTING_WHOLE_WORK_MAX
    const isOpen = ({ permission: { id } }: Rule) => !permissions.has(id) && !allowed.has(id)
    const note = (id: number, access: AccessLine['access'] | undefined): void => {
      if (access === 'allowed') allowed.add(id)
      else if (access === 'conditional') conditional.add(id)
      else if (access === 'undecided') this.complete = false
    }
    for (const { rule, outcome } of this.#rules.outcomes(user, isOpen)) {
      const { id } = rule.permission
      note(id, outcome.onType?.access)
      for (const { access } of outcome.onInstances) note(id, access)
    }
    if (this.#evaluator.left < 0) this.complete = false
    for (const id of allowed) this.#count(id, 'users', 1)
    for (const id of conditional) if (!allowed.has(id)) this.#count(id, 'conditional', 1)
    return LISTING_WHOLE_WORK_MAX - this.#evaluator.left + this.#rules.takeShared()
  }

  /** Adds the users with the same roles to what these roles are, or give. */
  #settle(): void {
    for (const { users, roles, permissions } of this.#roles.take()) {
      for (const id of this.#by === 'role' ? roles : permissions) this.#count(id, 'users', users)
      const isOfTenant = (role: number): boolean => !this.#groups.has(role)
      if (this.#by === 'role' && [...roles].some(isOfTenant)) this.#usersOfTenants += users
    }
  }

  #count(id: number, as: 'users' | 'conditional', users: number): void {
    const group = this.#groups.get(id)
    if (group !== undefined) group[as] += users
  }
}

const empty = (key: string, permissions: number | null): ReviewGroup => ({ key, users: 0, conditional: 0, permissions })

/** The roles of the environment; those of tenants (D18) may be a hundred thousand, and are counted together. */
function rolesIn(kernel: Kernel): Map<number, ReviewGroup> {
  const found = new Map<number, ReviewGroup>()
  const add = (role: number) => found.set(role, empty(roleName(kernel, role), permissionIdsOfRole(kernel, role).length))
  for (const role of rolesOfEnvironment(kernel)) add(role)
  for (const type of records(kernel, Table.Resources))
    for (const role of eachRoleOfType(kernel, type)) if (kernel.isLive(role)) add(role)
  return found
}

function permissionsIn(kernel: Kernel): Map<number, ReviewGroup> {
  const found = new Map<number, ReviewGroup>()
  for (const record of records(kernel, Table.Permissions))
    if (permissionRole(kernel, record) === 0)
      found.set(permissionId(kernel, record), empty(permissionKey(kernel, record), null))
  return found
}
