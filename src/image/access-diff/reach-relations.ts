// From changed resource roles, derivations, assignments on instances and tuples to the questions that relations (D5)
// may answer otherwise. A role is derived along tuples from subject to object, so what a tuple or an assignment changes
// is for users above it, on instances below it. What a role or a derivation changes is found by comparing what its
// holders hold.

import { Table } from '../../../assembly/limits.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { typeInInstanceKey } from '../contents.ts'
import { type InstanceRoles, walkInstanceRoles } from '../decide/effective-roles.ts'
import { ruledPermissions } from '../list/user-sides.ts'
import { findRelation, findSymbol } from '../look-up.ts'
import { eachHolderGrantInScope, grantRoleSet, grantUser, roleSetRoles } from '../records/grant.ts'
import { instanceType } from '../records/instance.ts'
import { relationKey } from '../records/relation.ts'
import { eachRoleOfType, idsInRowOfRole, roleKey, roleSkipsDirect } from '../records/role.ts'
import { eachRuleToRole, ruleAloneSkipsDirect, ruleRelation, ruleSource } from '../records/rule.ts'
import { permissionsOfRoleSides } from '../records/set-rule.ts'
import { records } from '../records/tables.ts'
import { eachTupleFromSubject, eachTupleToObject, tupleObject, tupleRelation, tupleSubject } from '../records/tuple.ts'
import type { Changed } from './changed.ts'
import type { Questions } from './questions.ts'
import type { RoleChanges } from './reach-roles.ts'
import { otherSide, SIDES, type SideNumber } from './twins.ts'

/** The work of reading a record. */
const LOOK_WORK = 4

export class ReachRelations {
  readonly #questions: Questions
  readonly #changed: Changed
  /** numbers of the permissions of any role of a type, by its number */
  readonly #ofType = new Map<number, readonly number[]>()
  /** numbers of the permissions of some roles, by their records; for each image */
  readonly #ofRoles = [new Map<string, ReadonlySet<number>>(), new Map<string, ReadonlySet<number>>()] as const
  /** what rules give to those who hold a role on instances, by the number of the permission that stands for it */
  #byRole: ReadonlyMap<number, ReadonlySet<number>> | undefined
  /** users whose roles on instances were compared */
  readonly #compared = new Set<number>()
  /** numbers of the users who have roles on instances above changed tuples, in the image that has the tuple */
  readonly upstream = new Set<number>()

  constructor(questions: Questions, changed: Changed) {
    this.#questions = questions
    this.#changed = changed
  }

  /** Compares what the holders of changed resource roles hold on instances. */
  askHolders(changes: RoleChanges): void {
    for (const side of SIDES) {
      const roles = this.#addSources(side, this.#changedRoles(side, changes))
      if (roles.size > 0) this.#compareHolders(side, roles)
    }
  }

  /** Records of the resource roles of an image whose permissions or derivations differ from the other image. */
  #changedRoles(side: SideNumber, changes: RoleChanges): Set<number> {
    const found = new Set<number>()
    const { kernel } = this.#questions.sides[side]
    const names = new Set(this.#changed.roles)
    for (const each of SIDES) {
      for (const role of changes[each].keys()) names.add(roleKey(this.#questions.sides[each].kernel, role))
    }
    for (const key of names) {
      if (!key.includes('/')) continue
      const role = findSymbol(kernel, 'resource_role', key)
      if (role === 0) continue
      const differs = SIDES.some((each) =>
        changes[each].has(findSymbol(this.#questions.sides[each].kernel, 'resource_role', key)),
      )
      if (differs || /* canary: changed-derivation */ this.#serializeRules(0, key) !== this.#serializeRules(1, key))
        found.add(role)
    }
    return found
  }

  /** The rules of a resource role as text: equal exactly if they say the same. */
  #serializeRules(side: SideNumber, key: string): string {
    const { kernel } = this.#questions.sides[side]
    const role = findSymbol(kernel, 'resource_role', key)
    if (role === 0) return ''
    const rules: string[] = []
    for (const at of eachRuleToRole(kernel, role)) {
      const relation = relationKey(kernel, ruleRelation(kernel, at))
      const source = roleKey(kernel, ruleSource(kernel, at))
      rules.push(JSON.stringify([relation, source, ruleAloneSkipsDirect(kernel, at)]))
    }
    return `${roleSkipsDirect(kernel, role)} ${rules.sort().join()}`
  }

  /** These roles and all from which they may be derived. */
  #addSources(side: SideNumber, roles: Set<number>): ReadonlySet<number> {
    const { kernel } = this.#questions.sides[side]
    for (const role of roles) {
      for (const at of eachRuleToRole(kernel, role)) {
        /* canary: sources-of-a-derivation */ roles.add(ruleSource(kernel, at)) // also walked
      }
    }
    return roles
  }

  #compareHolders(side: SideNumber, roles: ReadonlySet<number>): void {
    const { kernel } = this.#questions.sides[side]
    const known = new Map<number, boolean>()
    const counts = (set: number): boolean => {
      const found = known.get(set) ?? roleSetRoles(kernel, set).some((role) => roles.has(role))
      known.set(set, found)
      return found
    }
    for (const instance of records(kernel, Table.Instances)) {
      this.#questions.meter.spend(LOOK_WORK)
      for (const grant of this.#grantsOn(kernel, instance)) {
        if (counts(grantRoleSet(kernel, grant))) this.#compare(this.#questions.users.of(side, grantUser(kernel, grant)))
      }
    }
  }

  *#grantsOn(kernel: Kernel, scope: number): Iterable<number> {
    for (const at of eachHolderGrantInScope(kernel, scope)) {
      this.#questions.meter.spend(LOOK_WORK)
      yield at
    }
  }

  /** Asks about the instances on which a user holds other permissions in the two images. */
  #compare(user: number): void {
    if (this.#compared.has(user)) return
    this.#compared.add(user)
    const { users, instances } = this.#questions
    const held = SIDES.map((side) => {
      const byInstance = new Map<number, ReadonlySet<number>>()
      const id = users.id(side, user)
      if (id === 0) return byInstance
      for (const [instance, roles] of this.#findRoles(side, id))
        byInstance.set(instances.of(side, instance), this.#findPermissions(side, roles))
      return byInstance
    })
    for (const side of SIDES) {
      for (const [instance, permissions] of held[side]!) {
        const others = held[otherSide(side)]!.get(instance)
        for (const permission of permissions)
          if (others?.has(permission) !== true) this.#ask(user, permission, instance)
      }
    }
  }

  #findRoles(side: SideNumber, user: number): InstanceRoles {
    const { meter } = this.#questions
    const walked = walkInstanceRoles(this.#questions.sides[side].kernel, user, meter.left)
    if (walked === undefined) return meter.stop()
    meter.spend(meter.left - walked.left)
    return walked.rolesByInstance
  }

  #findPermissions(side: SideNumber, roles: readonly number[]): ReadonlySet<number> {
    const name = roles.toSorted().join()
    const known = this.#ofRoles[side].get(name)
    if (known !== undefined) return known
    const ids = roles.flatMap((role) => idsInRowOfRole(this.#questions.sides[side].kernel, role))
    this.#questions.meter.spend(LOOK_WORK * ids.length)
    const found = new Set(ids.map((id) => this.#questions.permissions.of(side, id)))
    this.#ofRoles[side].set(name, found)
    return found
  }

  /** Asks about a permission; about one that stands for a role, whatever rules give to those who hold it (D17). */
  #ask(user: number, permission: number, instance: number): void {
    this.#byRole ??= this.#findByRole()
    const given = /* canary: roles-as-user-sets */ this.#byRole.get(permission) ?? [permission]
    for (const each of given) this.#questions.askOn(user, each, instance)
  }

  /** Numbers of the permissions of the rules, by the number of the one that stands for the role. */
  #findByRole(): ReadonlyMap<number, ReadonlySet<number>> {
    const { permissions, sides } = this.#questions
    const found = new Map<number, Set<number>>()
    for (const side of SIDES) {
      const { kernel } = sides[side]
      for (const id of ruledPermissions(kernel)) {
        for (const asRole of permissionsOfRoleSides(kernel, id)) {
          const number = permissions.of(side, asRole)
          found.set(number, (found.get(number) ?? new Set()).add(permissions.of(side, id)))
        }
      }
    }
    return found
  }

  /** Asks about what changed assignments on instances and changed tuples give and take. */
  askChanged(): void {
    const { users, instances } = this.#questions
    for (const { user, resource_instance: instance } of this.#changed.assignments) {
      const [who, where] = [users.named(user), instance == null ? undefined : instances.named(instance)]
      if (who === undefined || where === undefined) continue
      // A direct role can also take away what is derived: on either side.
      for (const side of SIDES) this.#askEach([who], /* canary: below-an-assignment */ this.#below(side, where))
    }
    for (const tuple of this.#changed.tuples) {
      const [subject, object] = [instances.named(tuple.subject), instances.named(tuple.object)]
      if (subject === undefined || object === undefined) continue
      for (const side of SIDES) {
        if (/* canary: changed-tuple */ !this.#isRelated(side, tuple)) continue
        const holders = this.#holdersAbove(side, subject)
        for (const user of holders) this.upstream.add(user)
        this.#askEach(holders, this.#below(side, object))
      }
    }
  }

  #isRelated(side: SideNumber, { subject, relation, object }: Changed['tuples'][number]): boolean {
    const { kernel } = this.#questions.sides[side]
    const name = findRelation(kernel, typeInInstanceKey(object), relation)
    const [from, to] = [subject, object].map((key) => {
      const instance = this.#questions.instances.named(key)
      return instance === undefined ? 0 : this.#questions.instances.id(side, instance)
    }) as [number, number]
    if (name === 0 || from === 0 || to === 0) return false
    for (const at of eachTupleToObject(kernel, to)) {
      this.#questions.meter.spend(1)
      if (tupleRelation(kernel, at) === name && tupleSubject(kernel, at) === from) return true
    }
    return false
  }

  /** Numbers of the users with a role on the instance or on one above it. */
  #holdersAbove(side: SideNumber, instance: number): readonly number[] {
    const { kernel } = this.#questions.sides[side]
    const holders = new Set<number>()
    const above = this.#reached(side, instance, (at) => eachSubject(kernel, at))
    for (const each of above) {
      for (const grant of this.#grantsOn(kernel, each))
        holders.add(this.#questions.users.of(side, grantUser(kernel, grant)))
    }
    return [...holders]
  }

  /** Numbers of the instance and of all below it. */
  #below(side: SideNumber, instance: number): number[] {
    const { kernel } = this.#questions.sides[side]
    const below = this.#reached(side, instance, (at) => eachObject(kernel, at))
    return [...below].map((each) => this.#questions.instances.of(side, each))
  }

  /** Records of the instance and of what is reached from it. */
  #reached(side: SideNumber, instance: number, next: (at: number) => Iterable<number>): Set<number> {
    const id = this.#questions.instances.id(side, instance)
    const reached = new Set(id === 0 ? [] : [id])
    for (const at of reached) {
      this.#questions.meter.spend(LOOK_WORK)
      for (const each of next(at)) {
        this.#questions.meter.spend(1)
        reached.add(each) // also walked
      }
    }
    return reached
  }

  #askEach(users: readonly number[], instances: readonly number[]): void {
    for (const instance of instances) {
      const permissions = this.#permissionsOn(instance)
      for (const permission of permissions) for (const user of users) this.#ask(user, permission, instance)
    }
  }

  /** Numbers of the permissions that some resource role of the type of an instance has. */
  #permissionsOn(instance: number): readonly number[] {
    const { instances, sides } = this.#questions
    const side = instances.id(0, instance) === 0 ? 1 : 0
    const record = instanceType(sides[side].kernel, instances.id(side, instance))
    const type = this.#questions.types.of(side, record)
    const known = this.#ofType.get(type)
    if (known !== undefined) return known
    const found = new Set<number>()
    for (const each of SIDES) {
      const id = this.#questions.types.id(each, type)
      const { kernel } = sides[each]
      const roles: number[] = []
      for (const role of id === 0 ? [] : eachRoleOfType(kernel, id)) {
        roles.push(role)
      }
      for (const permission of this.#findPermissions(each, roles)) found.add(permission)
    }
    this.#ofType.set(type, [...found])
    return [...found]
  }
}

/** The subjects of the tuples whose object an instance is. */
function* eachSubject(kernel: Kernel, instance: number): Iterable<number> {
  for (const at of eachTupleToObject(kernel, instance)) yield tupleSubject(kernel, at)
}

/** The objects of the tuples whose subject an instance is. */
function* eachObject(kernel: Kernel, instance: number): Iterable<number> {
  for (const at of eachTupleFromSubject(kernel, instance)) yield tupleObject(kernel, at)
}
