// How many users have each role, and how many are allowed each action: the overview of an access review, counted in
// steps of bounded work.
import { Table } from '../../../assembly/limits.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { AccessLine } from '../../model/access-line.ts'
import { LISTING_WALK_MAX } from '../../model/limits.ts'
import { compareText } from '../../model/text-order.ts'
import type { Inside } from '../access-diff/side.ts'
import { findInstanceRoles } from '../decide/effective-roles.ts'
import { grantRoles, listTenantGrants } from '../records/grant.ts'
import { permissionKey } from '../records/permission.ts'
import { permissionIdsOfRole } from '../records/role.ts'
import { records } from '../records/tables.ts'
import { LINE_WORK, LinesOfUser, roleName } from './lines-of-user.ts'
import { usersAfter } from './review.ts'

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
  readonly #users: Iterator<{ readonly id: number }, undefined>
  /** adds a user; returns the work */
  readonly #add: (user: number) => number
  /** names of roles, by their records */
  readonly #names = new Map<number, string>()
  /** false when some user has more than is counted */
  complete = true

  constructor(inside: Inside, by: GroupedBy) {
    this.#kernel = inside.kernel
    this.#users = usersAfter(inside.kernel, '')
    const groups = by === 'role' ? rolesIn(inside.kernel) : permissionsIn(inside.kernel)
    for (const { key, permissions } of groups) this.#groups.set(key, { key, users: 0, conditional: 0, permissions })
    const lines = new LinesOfUser(inside, {})
    this.#add = by === 'role' ? (user) => this.#addRoles(user) : (user) => this.#addLines(lines.of(user))
  }

  /** Counts on; false when all users are counted. */
  step(work: number): boolean {
    let left = work
    while (left > 0) {
      const user = this.#users.next().value
      if (user === undefined) return false
      left -= this.#add(user.id)
    }
    return true
  }

  /** In the order of their keys. */
  get groups(): readonly ReviewGroup[] {
    return [...this.#groups.values()].sort((left, right) => compareText(left.key, right.key))
  }

  #addRoles(user: number): number {
    const kernel = this.#kernel
    const roles = new Set(listTenantGrants(kernel, user).flatMap((grant) => grantRoles(kernel, grant)))
    const onInstances = findInstanceRoles(kernel, user, LISTING_WALK_MAX)
    if (onInstances === undefined) this.complete = false
    for (const held of onInstances?.values() ?? []) for (const role of held) roles.add(role)
    for (const role of roles) this.#count(this.#readRoleName(role), 'users')
    return LINE_WORK * (1 + roles.size + (onInstances?.size ?? 0))
  }

  #readRoleName(role: number): string {
    const known = this.#names.get(role) ?? roleName(this.#kernel, role)
    this.#names.set(role, known)
    return known
  }

  #addLines({ lines, work }: { readonly lines: readonly AccessLine[]; readonly work: number }): number {
    const [allowed, conditional] = [new Set<string>(), new Set<string>()]
    for (const { resource, action, access } of lines) {
      if (access === 'incomplete' || access === 'undecided') this.complete = false
      else (access === 'allowed' ? allowed : conditional).add(`${resource}:${action}`)
    }
    for (const key of allowed) this.#count(key, 'users')
    for (const key of conditional) if (!allowed.has(key)) this.#count(key, 'conditional')
    return work
  }

  #count(key: string, what: 'users' | 'conditional'): void {
    const group = this.#groups.get(key)
    if (group !== undefined) group[what]++
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
