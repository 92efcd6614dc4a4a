// How many users have each role, and how many are allowed each action: the overview of an access review, counted in
// steps of bounded work.
import { Table } from '../../../assembly/limits.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { compareText } from '../../model/text-order.ts'
import type { Inside } from '../access-diff/side.ts'
import { permissionKey } from '../records/permission.ts'
import { permissionIdsOfRole } from '../records/role.ts'
import { records } from '../records/tables.ts'
import { AccessOfUser } from './access-of-user.ts'
import { roleName } from './lines-of-user.ts'

export interface ReviewGroup {
  /** a role in tenants, `type#role`, or `resource:action` */
  readonly key: string
  /** different users: who have the role somewhere, assigned or over relations; who are allowed somewhere */
  users: number
  /** of an action: other users, for whom it depends on what is sent */
  conditional: number
  /** of a role: permissions that it gives, with those of the roles that it extends; null of an action */
  readonly permissions: number | null
}

export type GroupedBy = 'role' | 'resource'

export class ReviewCounts {
  readonly #kernel: Kernel
  readonly #groups = new Map<string, ReviewGroup>()
  readonly #users: Iterator<number>
  /** adds a user; returns the work */
  readonly #add: (user: number) => number
  readonly #access: AccessOfUser
  /** by the record of a role; by the id of a permission */
  readonly #ofRole = new Map<number, ReviewGroup | undefined>()
  readonly #ofPermission = new Map<number, ReviewGroup | undefined>()
  /** false when some user has more than is counted */
  complete = true

  constructor(inside: Inside, by: GroupedBy) {
    this.#kernel = inside.kernel
    this.#users = records(inside.kernel, Table.Users)[Symbol.iterator]()
    const groups = by === 'role' ? rolesIn(inside.kernel) : permissionsIn(inside.kernel)
    for (const { key, permissions } of groups) this.#groups.set(key, { key, users: 0, conditional: 0, permissions })
    this.#access = new AccessOfUser(inside)
    this.#add = by === 'role' ? (user) => this.#addRoles(user) : (user) => this.#addPermissions(user)
  }

  /** Counts on; false when all users are counted. */
  step(work: number): boolean {
    let left = work
    while (left > 0) {
      const next = this.#users.next()
      if (next.done === true) return false
      left -= this.#add(next.value)
    }
    return true
  }

  /** In the order of their keys. */
  get groups(): readonly ReviewGroup[] {
    return [...this.#groups.values()].sort((left, right) => compareText(left.key, right.key))
  }

  #addRoles(user: number): number {
    const { roles, work, isWhole } = this.#access.rolesOf(user)
    if (!isWhole) this.complete = false
    for (const role of roles) {
      const group = this.#groupOf(this.#ofRole, role, roleName)
      if (group !== undefined) group.users++
    }
    return work
  }

  #addPermissions(user: number): number {
    const { allowed, conditional, work, isWhole } = this.#access.permissionsOf(user)
    if (!isWhole) this.complete = false
    const formatKey = (kernel: Kernel, id: number) => permissionKey(kernel, kernel.calls.permissionRecord(id))
    for (const id of allowed) {
      const group = this.#groupOf(this.#ofPermission, id, formatKey)
      if (group !== undefined) group.users++
    }
    for (const id of conditional) {
      const group = this.#groupOf(this.#ofPermission, id, formatKey)
      if (group !== undefined) group.conditional++
    }
    return work
  }

  #groupOf(
    known: Map<number, ReviewGroup | undefined>,
    id: number,
    formatKey: (kernel: Kernel, id: number) => string,
  ): ReviewGroup | undefined {
    if (!known.has(id)) known.set(id, this.#groups.get(formatKey(this.#kernel, id)))
    return known.get(id)
  }
}

type Empty = Pick<ReviewGroup, 'key' | 'permissions'>

function* rolesIn(kernel: Kernel): Iterable<Empty> {
  for (const role of records(kernel, Table.Roles))
    yield { key: roleName(kernel, role), permissions: permissionIdsOfRole(kernel, role).length }
}

function* permissionsIn(kernel: Kernel): Iterable<Empty> {
  for (const record of records(kernel, Table.Permissions))
    yield { key: permissionKey(kernel, record), permissions: null }
}
