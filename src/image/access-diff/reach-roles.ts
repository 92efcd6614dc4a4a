// From changed roles, assignments, users, tenants and actions to the questions that roles in tenants (D4) may answer
// otherwise.

import { Table } from '../../../assembly/limits.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { isOnInstance } from '../contents.ts'
import { findSymbol } from '../look-up.ts'
import {
  eachHolderGrantInScope,
  findGrant,
  grantRoleSet,
  grantScope,
  grantUser,
  permissionIdsOfGrant,
  roleSetRoles,
} from '../records/grant.ts'
import { idsInRowOfRole, roleChildren, roleKey, roleType } from '../records/role.ts'
import { records } from '../records/tables.ts'
import type { Changed } from './changed.ts'
import type { Questions } from './questions.ts'
import { otherSide, SIDES, type SideNumber } from './twins.ts'

/** The work of reading a record. */
const LOOK_WORK = 4

/**
 * The numbers of the permissions that a role gains or loses, of those that stand for roles (D17) too, by the record of the
 * role in the image that has them.
 */
export type RoleChanges = readonly [ReadonlyMap<number, readonly number[]>, ReadonlyMap<number, readonly number[]>]

export class ReachRoles {
  readonly #questions: Questions
  readonly #changed: Changed

  constructor(questions: Questions, changed: Changed) {
    this.#questions = questions
    this.#changed = changed
  }

  /** What changed of roles, resource roles included: of those that were changed, and of those that extend them. */
  roleChanges(): RoleChanges {
    const found = [new Map<number, number[]>(), new Map<number, number[]>()] as const
    for (const key of this.#affected()) {
      const ids = SIDES.map((side) => this.#find(side, key))
      const held = SIDES.map((side) => this.#findPermissions(side, ids[side]!))
      for (const side of SIDES) {
        const only = [...held[side]!].filter((permission) => !held[otherSide(side)]!.has(permission))
        if (only.length > 0) found[side].set(ids[side]!, only)
      }
    }
    return found
  }

  #find(side: SideNumber, key: string): number {
    const { kernel } = this.#questions.sides[side]
    return findSymbol(kernel, 'resource_role', key)
  }

  #findPermissions(side: SideNumber, role: number): Set<number> {
    if (role === 0) return new Set()
    const ids = idsInRowOfRole(this.#questions.sides[side].kernel, role)
    this.#questions.meter.spend(LOOK_WORK * ids.length)
    return new Set(ids.map((id) => this.#questions.permissions.of(side, id)))
  }

  /** Keys of the changed roles, and of those that extend them in one of the images. */
  #affected(): Set<string> {
    const affected = new Set(this.#changed.roles)
    for (const key of affected) {
      for (const side of SIDES) {
        const { kernel } = this.#questions.sides[side]
        const role = this.#find(side, key)
        if (role === 0) continue
        for (const child of roleChildren(kernel, role)) {
          /* canary: roles-that-extend */ affected.add(roleKey(kernel, child)) // also walked
        }
      }
    }
    return affected
  }

  /** Asks about the holders of the roles that gain or lose permissions. */
  askHolders(changes: RoleChanges): void {
    for (const side of SIDES) {
      const { kernel } = this.#questions.sides[side]
      const ofRoles = changes[side]
      if (![...ofRoles.keys()].some((role) => roleType(kernel, role) === 0)) continue
      const known = new Map<number, readonly number[]>()
      const listChanged = (roles: number): readonly number[] => {
        const found = known.get(roles) ?? [
          ...new Set(roleSetRoles(kernel, roles).flatMap((role) => ofRoles.get(role) ?? [])),
        ]
        known.set(roles, found)
        return found
      }
      for (const tenant of records(kernel, Table.Tenants)) {
        for (const grant of this.#grantsIn(kernel, tenant))
          this.#askAll(side, grant, listChanged(grantRoleSet(kernel, grant)))
      }
    }
  }

  *#grantsIn(kernel: Kernel, tenant: number): Iterable<number> {
    for (const at of eachHolderGrantInScope(kernel, tenant)) {
      this.#questions.meter.spend(LOOK_WORK)
      yield at
    }
  }

  #askAll(side: SideNumber, grant: number, permissions: readonly number[]): void {
    if (permissions.length === 0) return
    const { kernel } = this.#questions.sides[side]
    const user = this.#questions.users.of(side, grantUser(kernel, grant))
    const tenant = this.#questions.tenants.of(side, grantScope(kernel, grant))
    for (const permission of permissions) this.#questions.ask(user, permission, tenant)
  }

  /** Asks about changed assignments in tenants. */
  askAssigned(): void {
    const { users, tenants } = this.#questions
    for (const assignment of this.#changed.assignments) {
      if (/* canary: changed-assignment */ !isOnInstance(assignment))
        this.#askGrant(users.named(assignment.user), tenants.named(assignment.tenant))
    }
  }

  /** Asks about the permissions that the roles of a user in a tenant give in only one image. */
  #askGrant(user: number | undefined, tenant: number | undefined): void {
    if (user === undefined || tenant === undefined) return
    const held = SIDES.map((side) => this.#permissionsOfGrant(side, user, tenant))
    for (const side of SIDES) {
      for (const permission of held[side]!)
        if (!held[otherSide(side)]!.has(permission)) this.#questions.ask(user, permission, tenant)
    }
  }

  #permissionsOfGrant(side: SideNumber, user: number, tenant: number): Set<number> {
    const { users, tenants, permissions, meter } = this.#questions
    const { kernel } = this.#questions.sides[side]
    const [userId, tenantId] = [users.id(side, user), tenants.id(side, tenant)]
    const grant = userId === 0 || tenantId === 0 ? 0 : findGrant(kernel, userId, tenantId)
    if (grant === 0) return new Set()
    const ids = permissionIdsOfGrant(kernel, grant)
    meter.spend(LOOK_WORK * (1 + ids.length))
    return new Set(ids.map((id) => permissions.of(side, id)))
  }
}
