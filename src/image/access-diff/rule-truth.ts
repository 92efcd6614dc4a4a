// Where a set rule may be true in one image (D6), and the questions about it there. A side that depends on few things
// is evaluated once for all that it does not depend on.
import { Table } from '../../../assembly/limits.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { walkInstanceRoles } from '../decide/effective-roles.ts'
import { READS_INSTANCE, READS_TENANT, READS_USER } from '../decide/required-attributes.ts'
import { typeOfPermission } from '../list/user-sides.ts'
import { eachGrantInScope, eachGrantOfUser, grantRoles, grantScope, grantUser } from '../records/grant.ts'
import { instancesOfType, instanceTenant, instanceType } from '../records/instance.ts'
import { permissionOfRole } from '../records/role.ts'
import { isResourceRole } from '../records/set-rule.ts'
import { symbolTable } from '../records/symbol.ts'
import { records } from '../records/tables.ts'
import { alike, type Numbered, readsAttributesAlone } from './alike.ts'
import { keyOn } from './objects.ts'
import type { Questions } from './questions.ts'
import { type AskedIds, isRole, type ReadingRule, readsInstance, type Side } from './side.ts'
import type { SideNumber } from './twins.ts'

/** The work of reading a record. */
const LOOK_WORK = 4

/** Numbers of the objects to look at; all of the image where they are absent. */
export interface Within {
  readonly users?: Iterable<number>
  readonly tenants?: Iterable<number>
  readonly instances?: Iterable<number>
}

export class RuleTruth {
  readonly #questions: Questions
  readonly #number: SideNumber
  readonly #side: Side
  /** numbers of the instances of a type by the number of their tenant, by the record of the type */
  readonly #byType = new Map<number, Map<number, number[]>>()
  /** users, and instances of a type, that are alike in some attributes */
  readonly #users = new Map<string, readonly (readonly number[])[]>()
  readonly #instances = new Map<string, readonly (readonly number[])[]>()

  constructor(questions: Questions, side: SideNumber) {
    this.#questions = questions
    this.#number = side
    this.#side = questions.sides[side]
  }

  /** Asks where the rule of the permission (an id of this image) may be true. */
  ask(permission: number, rule: ReadingRule, within: Within): void {
    const number = this.#questions.permissions.of(this.#number, permission)
    if (within.instances !== undefined || readsInstance(rule)) {
      const areAlike = readsAttributesAlone(rule) && !isRole(this.#side.kernel, rule.users)
      if (areAlike && within.tenants === undefined) this.#askAlike(permission, number, rule, within)
      else this.#askOn(permission, number, rule, within)
    } else this.#askTypes(permission, number, rule, within)
  }

  #askTypes(permission: number, number: number, rule: ReadingRule, within: Within): void {
    const tenants = [...(within.tenants ?? this.#allTenants())]
    const isSame = (rule.resourceReads & (READS_USER | READS_TENANT)) === 0
    let everywhere: boolean | undefined
    for (const [user, tenant] of this.#holders(permission, rule, tenants, within.users)) {
      const asked = this.#ids(user, tenant, permission)
      const holds = (isSame ? everywhere : undefined) ?? this.#isTrue(rule.resources, asked)
      if (isSame) everywhere = holds
      if (holds) this.#questions.ask(user, number, tenant)
      else if (isSame) return
    }
  }

  /**
   * Evaluates a rule that reads attributes alone: once for users and instances with the same ones, wherever they are.
   */
  #askAlike(permission: number, number: number, rule: ReadingRule, within: Within): void {
    const read = this.#side.attributesRead(permission)
    const later = (rule.userReads & READS_INSTANCE) !== 0
    let groups: readonly (readonly number[])[] | undefined
    for (const users of this.#alikeUsers(within.users, read.user)) {
      let holds: boolean | undefined = later ? true : undefined
      groups ??= this.#alikeInstances(typeOfPermission(this.#side.kernel, permission), within.instances, read.resource)
      for (const instances of groups) {
        const asked = this.#idsOn(users[0]!, permission, instances[0]!)
        holds ??= this.#isTrue(rule.users, asked)
        if (!holds) break
        if (later && !this.#isTrue(rule.users, asked)) continue
        if (!this.#isTrue(rule.resources, asked)) continue
        for (const instance of instances) {
          for (const user of users) {
            this.#questions.meter.spend(1)
            this.#questions.askOn(user, number, instance)
          }
        }
      }
    }
  }

  #alikeUsers(users: Iterable<number> | undefined, names: readonly string[]): readonly (readonly number[])[] {
    const { users: twins, meter } = this.#questions
    const name = names.join('\n')
    const known = users === undefined ? this.#users.get(name) : undefined
    if (known !== undefined) return known
    const stored = [...(users ?? this.#allUsers())]
      .map((user): Numbered => [user, twins.id(this.#number, user)])
      .filter(([, id]) => id !== 0)
    const found = alike(this.#side.kernel, meter, stored, names)
    if (users === undefined) this.#users.set(name, found)
    return found
  }

  #alikeInstances(type: number, instances: Iterable<number> | undefined, names: readonly string[]) {
    const { meter } = this.#questions
    const name = `${type} ${names.join('\n')}`
    const known = instances === undefined ? this.#instances.get(name) : undefined
    if (known !== undefined) return known
    const byTenant = instances === undefined ? this.#findInstances(type) : this.#grouped(instances)
    const found = alike(this.#side.kernel, meter, this.#withIds(byTenant), names)
    if (instances === undefined) this.#instances.set(name, found)
    return found
  }

  /** Instances in the tenants that this image has. */
  *#withIds(byTenant: ReadonlyMap<number, readonly number[]>): Iterable<Numbered> {
    const { instances: twins, tenants } = this.#questions
    for (const [tenant, instances] of byTenant) {
      if (tenants.id(this.#number, tenant) === 0) continue
      for (const instance of instances) yield [instance, twins.id(this.#number, instance)]
    }
  }

  /** A question about an instance in its own tenant. */
  #idsOn(user: number, permission: number, instance: number): AskedIds {
    const { instances } = this.#questions
    const home = this.#questions.findHomes(instance)[this.#number]
    const id = instances.id(this.#number, instance)
    return {
      ...this.#ids(user, home, permission),
      instance: id,
      key: id === 0 ? keyOn(this.#questions, instance) : undefined,
    }
  }

  /** Asks about the instances on which users hold the role on instances that is the user set (D17). */
  #askHolders(permission: number, number: number, rule: ReadingRule, within: Within): void {
    const { kernel } = this.#side
    const { users, tenants, instances, meter } = this.#questions
    const type = typeOfPermission(kernel, permission)
    const asRole = permissionOfRole(kernel, rule.users)
    const wanted = within.instances && new Set(within.instances)
    const inTenants = within.tenants && new Set(within.tenants)
    for (const user of within.users ?? this.#allUsers()) {
      const id = users.id(this.#number, user)
      if (id === 0) continue
      const { left } = meter
      const walked = walkInstanceRoles(kernel, id, left) ?? meter.stop()
      meter.spend(LOOK_WORK + left - walked.left)
      for (const [instance, roles] of walked.rolesByInstance) {
        if (instanceType(kernel, instance) !== type) continue
        if (!roles.some((role) => kernel.calls.holds(role, asRole) === 1)) continue
        const at = instances.of(this.#number, instance)
        const tenant = tenants.of(this.#number, instanceTenant(kernel, instance))
        if (wanted?.has(at) === false || inTenants?.has(tenant) === false) continue
        const asked = { ...this.#ids(user, tenant, permission), instance }
        if (this.#isTrue(rule.resources, asked)) this.#questions.askOn(user, number, at)
      }
    }
  }

  #askOn(permission: number, number: number, rule: ReadingRule, within: Within): void {
    if (isResourceRole(this.#side.kernel, rule.users)) {
      this.#askHolders(permission, number, rule, within)
      return
    }
    const type = typeOfPermission(this.#side.kernel, permission)
    const byTenant = within.instances === undefined ? this.#findInstances(type) : this.#grouped(within.instances)
    const tenants = within.tenants === undefined ? [...byTenant.keys()] : [...within.tenants]
    const usersRead = (rule.userReads & READS_INSTANCE) !== 0
    const isSame = (rule.resourceReads & READS_USER) === 0
    const truths = new Map<number, boolean>()
    for (const [user, tenant] of this.#holders(permission, rule, tenants, within.users)) {
      const asked: { -readonly [name in keyof AskedIds]: AskedIds[name] } = this.#ids(user, tenant, permission)
      for (const instance of byTenant.get(tenant) ?? []) {
        asked.instance = this.#questions.instances.id(this.#number, instance)
        asked.key = asked.instance === 0 ? keyOn(this.#questions, instance) : undefined
        if (usersRead && !this.#isTrue(rule.users, asked)) continue
        const known = isSame ? truths.get(instance) : undefined
        const holds = known ?? this.#isTrue(rule.resources, asked)
        if (isSame && known === undefined) truths.set(instance, holds)
        this.#questions.meter.spend(1)
        if (holds) this.#questions.askOn(user, number, instance)
      }
    }
  }

  /** Users with the tenants in which the user side may be true; it is evaluated later if it depends on the resource. */
  *#holders(
    permission: number,
    rule: ReadingRule,
    tenants: readonly number[],
    users: Iterable<number> | undefined,
  ): Iterable<readonly [user: number, tenant: number]> {
    const side = rule.users
    if (isRole(this.#side.kernel, side)) {
      yield* this.#assigned(side, tenants, users)
      return
    }
    const later = (rule.userReads & READS_INSTANCE) !== 0
    const isSame = (rule.userReads & READS_TENANT) === 0
    for (const user of users ?? this.#allUsers()) {
      if (this.#questions.users.id(this.#number, user) === 0) continue
      let everywhere: boolean | undefined = later ? true : undefined
      for (const tenant of tenants) {
        if (this.#questions.tenants.id(this.#number, tenant) === 0) continue
        const holds: boolean = everywhere ?? this.#isTrue(side, this.#ids(user, tenant, permission))
        if (isSame) everywhere = holds
        if (holds) yield [user, tenant]
        else if (isSame) break
      }
    }
  }

  /** Users with a role in tenants. */
  *#assigned(role: number, tenants: readonly number[], users: Iterable<number> | undefined) {
    const { kernel } = this.#side
    const { users: allUsers, tenants: allTenants, meter } = this.#questions
    if (users !== undefined) {
      const wanted = new Set(tenants)
      for (const user of users) {
        const id = allUsers.id(this.#number, user)
        for (const at of id === 0 ? [] : eachGrantOfUser(kernel, id)) {
          meter.spend(LOOK_WORK)
          const scope = grantScope(kernel, at)
          const tenant = symbolTable(kernel, scope) === Table.Tenants ? allTenants.of(this.#number, scope) : undefined
          if (tenant !== undefined && wanted.has(tenant) && hasRole(kernel, at, role)) yield [user, tenant] as const
        }
      }
      return
    }
    for (const tenant of tenants) {
      const id = allTenants.id(this.#number, tenant)
      for (const at of id === 0 ? [] : eachGrantInScope(kernel, id)) {
        meter.spend(LOOK_WORK)
        if (hasRole(kernel, at, role)) yield [allUsers.of(this.#number, grantUser(kernel, at)), tenant] as const
      }
    }
  }

  #isTrue(side: number, asked: AskedIds): boolean {
    if (symbolTable(this.#side.kernel, side) === Table.Resources)
      return side === typeOfPermission(this.#side.kernel, asked.permission)
    return this.#side.mayBeTrue(side, asked)
  }

  /** A question about the type. */
  #ids(user: number, tenant: number, permission: number): AskedIds {
    const { users, tenants } = this.#questions
    const ids = { user: users.id(this.#number, user), tenant: tenants.id(this.#number, tenant) }
    return { ...ids, permission, instance: 0, key: undefined }
  }

  *#allUsers(): Iterable<number> {
    for (const user of records(this.#side.kernel, Table.Users)) yield this.#questions.users.of(this.#number, user)
  }

  *#allTenants(): Iterable<number> {
    for (const id of records(this.#side.kernel, Table.Tenants)) yield this.#questions.tenants.of(this.#number, id)
  }

  #findInstances(type: number): Map<number, number[]> {
    const known = this.#byType.get(type)
    if (known !== undefined) return known
    const { kernel } = this.#side
    const { tenants, instances, meter } = this.#questions
    const found = new Map<number, number[]>()
    for (const instance of instancesOfType(kernel, type)) {
      meter.spend(LOOK_WORK)
      const tenant = tenants.of(this.#number, instanceTenant(kernel, instance))
      addTo(found, tenant, instances.of(this.#number, instance))
    }
    this.#byType.set(type, found)
    return found
  }

  #grouped(instances: Iterable<number>): Map<number, number[]> {
    const found = new Map<number, number[]>()
    for (const instance of instances) addTo(found, this.#questions.findHomes(instance)[this.#number], instance)
    return found
  }
}

function addTo(groups: Map<number, number[]>, name: number, item: number): void {
  const group = groups.get(name)
  if (group === undefined) groups.set(name, [item])
  else group.push(item)
}

function hasRole(kernel: Kernel, grant: number, role: number): boolean {
  return grantRoles(kernel, grant).includes(role)
}
