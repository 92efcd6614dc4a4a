// Where a set rule may be true in one image (D6), and the questions about it there. A side that depends on few things is
// evaluated once for all that it does not depend on.
import { Grant, Instance, Principal, Table } from '../../../assembly/abi.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { READS_INSTANCE, READS_TENANT, READS_USER } from '../decide/required-attributes.ts'
import { typeOfPermission } from '../list/user-sides.ts'
import { instancesOfType, records, rolesOf, tableOf } from '../read-records.ts'
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

  constructor(questions: Questions, side: SideNumber) {
    this.#questions = questions
    this.#number = side
    this.#side = questions.sides[side]
  }

  /** Asks where the rule of the permission (an id of this image) may be true. */
  ask(permission: number, rule: ReadingRule, within: Within): void {
    const number = this.#questions.permissions.of(this.#number, permission)
    if (within.instances !== undefined || readsInstance(rule)) this.#askOn(permission, number, rule, within)
    else this.#askTypes(permission, number, rule, within)
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

  #askOn(permission: number, number: number, rule: ReadingRule, within: Within): void {
    const type = typeOfPermission(this.#side.kernel, permission)
    const byTenant = within.instances === undefined ? this.#instancesOf(type) : this.#grouped(within.instances)
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
        for (let at = id === 0 ? 0 : kernel.word(id + Principal.Grants); at !== 0; ) {
          meter.spend(LOOK_WORK)
          const scope = kernel.word(at + Grant.Scope)
          const tenant = tableOf(kernel, scope) === Table.Tenants ? allTenants.of(this.#number, scope) : undefined
          if (tenant !== undefined && wanted.has(tenant) && hasRole(kernel, at, role)) yield [user, tenant] as const
          at = kernel.word(at + Grant.NextOfUser)
        }
      }
      return
    }
    for (const tenant of tenants) {
      const id = allTenants.id(this.#number, tenant)
      for (let at = id === 0 ? 0 : kernel.word(id + Principal.Grants); at !== 0; ) {
        meter.spend(LOOK_WORK)
        if (hasRole(kernel, at, role)) yield [allUsers.of(this.#number, kernel.word(at + Grant.User)), tenant] as const
        at = kernel.word(at + Grant.NextOfScope)
      }
    }
  }

  #isTrue(side: number, asked: AskedIds): boolean {
    if (tableOf(this.#side.kernel, side) === Table.Resources)
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

  #instancesOf(type: number): Map<number, number[]> {
    const known = this.#byType.get(type)
    if (known !== undefined) return known
    const { kernel } = this.#side
    const { tenants, instances, meter } = this.#questions
    const found = new Map<number, number[]>()
    for (const instance of instancesOfType(kernel, type)) {
      meter.spend(LOOK_WORK)
      if (!kernel.isLive(instance)) continue
      const tenant = tenants.of(this.#number, kernel.word(instance + Instance.Tenant))
      addTo(found, tenant, instances.of(this.#number, instance))
    }
    this.#byType.set(type, found)
    return found
  }

  #grouped(instances: Iterable<number>): Map<number, number[]> {
    const found = new Map<number, number[]>()
    for (const instance of instances) addTo(found, this.#questions.homesOf(instance)[this.#number], instance)
    return found
  }
}

function addTo(groups: Map<number, number[]>, name: number, item: number): void {
  const group = groups.get(name)
  if (group === undefined) groups.set(name, [item])
  else group.push(item)
}

function hasRole(kernel: Kernel, grant: number, role: number): boolean {
  return rolesOf(kernel, kernel.word(grant + Grant.Roles)).includes(role)
}
