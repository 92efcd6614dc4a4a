// Users with the same roles somewhere, assigned or over relations, and what these roles give: found once for all of them.
// What an access review counts (counts.ts); where the roles are does not matter.
import { Table } from '../../../assembly/limits.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { LISTING_WALK_MAX, REVIEW_HELD_MAX } from '../../model/limits.ts'
import { findRolesSomewhere, reachOfRoles } from '../decide/effective-roles.ts'
import { eachGrantOfUser, grantRoleSet, grantScope, roleSetRoles } from '../records/grant.ts'
import { permissionResource } from '../records/permission.ts'
import { permissionIdsOfRole, roleType } from '../records/role.ts'
import { symbolTable } from '../records/symbol.ts'

/** What some users have. */
export interface Held {
  /** how many users were counted with it */
  users: number
  /** records */
  readonly roles: ReadonlySet<number>
  /** ids of the permissions that the roles give */
  readonly permissions: ReadonlySet<number>
}

/** What users with the same assigned roles have. */
interface Assigned {
  /** in tenants, and on instances */
  readonly roles: ReadonlySet<number>
  /** what can follow over relations from those on instances; empty where there are none */
  readonly reach: ReadonlySet<number>
  /** with all that can follow, which most users have */
  whole: Held | undefined
}

/** The work of looking at a user, at a grant, and at a tuple, in the unit of listings. */
const USER_WORK = 32
const GRANT_WORK = 8
const STEP_WORK = 8

export class RolesHeld {
  readonly #kernel: Kernel
  /** by the numbers of their role sets, by the roles that follow */
  readonly #assigned = new Map<string, Assigned>()
  readonly #held = new Map<string, Held>()
  /** roles and permissions in these */
  #kept = 0
  readonly #permissionsOfRole = new Map<number, readonly number[]>()
  /** the role sets of the last user */
  readonly #sets: number[] = []

  constructor(kernel: Kernel) {
    this.#kernel = kernel
  }

  /** What a user has, and whether that is all: false when it has more than is looked at. */
  of(user: number): { readonly held: Held; readonly isWhole: boolean; readonly work: number } {
    const kernel = this.#kernel
    const sets = this.#sets
    sets.length = 0
    let work = USER_WORK
    let onInstances = false
    for (const grant of eachGrantOfUser(kernel, user)) {
      work += GRANT_WORK
      onInstances ||= symbolTable(kernel, grantScope(kernel, grant)) === Table.Instances
      const set = grantRoleSet(kernel, grant)
      if (sets[sets.length - 1] !== set) sets.push(set)
    }
    const assigned = this.#findAssigned(sets)
    if (!onInstances) return { held: this.#whole(assigned), isWhole: true, work }
    const { roles, steps } = findRolesSomewhere(kernel, user, assigned.reach, LISTING_WALK_MAX)
    work += STEP_WORK * steps
    const isWhole = roles !== undefined
    if (roles?.size === assigned.reach.size) return { held: this.#whole(assigned), isWhole, work }
    return { held: this.#findHeld([...assigned.roles, ...(roles ?? [])]), isWhole, work }
  }

  /** Hands over how many users have what, and forgets it. */
  *take(): Iterable<Held> {
    yield* this.#held.values()
    this.#held.clear()
    this.#assigned.clear()
    this.#kept = 0
  }

  /** Whether it keeps so much that it is to be taken. */
  get isFull(): boolean {
    return this.#kept > REVIEW_HELD_MAX
  }

  #whole(assigned: Assigned): Held {
    assigned.whole ??= this.#findHeld([...assigned.roles, ...assigned.reach])
    return assigned.whole
  }

  #findAssigned(sets: number[]): Assigned {
    const name = formatName(sets)
    let known = this.#assigned.get(name)
    if (known === undefined) {
      const kernel = this.#kernel
      const roles = new Set(sets.flatMap((set) => roleSetRoles(kernel, set)))
      const onInstances = [...roles].filter((role) => roleType(kernel, role) !== 0)
      known = { roles, reach: reachOfRoles(kernel, onInstances), whole: undefined }
      this.#kept += sets.length + roles.size + known.reach.size
      this.#assigned.set(name, known)
    }
    return known
  }

  #findHeld(found: readonly number[]): Held {
    const roles = new Set(found)
    const name = formatName([...roles])
    let known = this.#held.get(name)
    if (known === undefined) {
      const permissions = new Set<number>()
      for (const role of roles) for (const id of this.#listPermissions(role)) permissions.add(id)
      known = { users: 0, roles, permissions }
      this.#kept += 2 * roles.size + permissions.size
      this.#held.set(name, known)
    }
    return known
  }

  /** A role on instances gives permissions of their type alone. */
  #listPermissions(role: number): readonly number[] {
    let known = this.#permissionsOfRole.get(role)
    if (known === undefined) {
      const kernel = this.#kernel
      const type = roleType(kernel, role)
      const isOfType = (id: number) => permissionResource(kernel, kernel.calls.permissionRecord(id)) === type
      const ids = permissionIdsOfRole(kernel, role)
      known = type === 0 ? ids : ids.filter(isOfType)
      this.#permissionsOfRole.set(role, known)
    }
    return known
  }
}

/** The same for the same numbers in any order. */
function formatName(numbers: number[]): string {
  return numbers.sort((left, right) => left - right).join()
}
