// From changed set rules, condition sets, declared attributes, and from changed attributes, assignments and memberships
// of users, tenants and instances, to the questions that set rules (D6) may answer otherwise.
import { Source } from '../../../assembly/limits.ts'
import { ruleIds } from '../build/write-records.ts'
import { READS_INSTANCE } from '../decide/required-attributes.ts'
import { ruledPermissions, typeOfPermission } from '../list/user-sides.ts'
import { eachHolderGrantInScope, grantUser, permissionIdsOfGrant } from '../records/grant.ts'
import { instanceType } from '../records/instance.ts'
import { permissionsOfType } from '../records/permission.ts'
import type { Changed } from './changed.ts'
import { type ChangedTypes, changedTypes, dirtySets } from './dirty-sets.ts'
import type { Questions } from './questions.ts'
import { RuleTruth } from './rule-truth.ts'
import { isRole, type ReadingRule, readsInstance } from './side.ts'
import { SIDES, type SideNumber } from './twins.ts'

/** What changed about a user, as bits of what rules read; a role that stands for a user set has a bit of its own. */
const ROLE = 1 << 30
const OF_ATTRIBUTES = 1 << Source.User
const OF_TIES = ROLE | (1 << Source.UserRoles) | (1 << Source.UserTenants) | (1 << Source.Tenant)
const EVERYTHING = -1

export class ReachRules {
  readonly #questions: Questions
  readonly #changed: Changed
  readonly #types: ChangedTypes
  /** by the number of the user */
  readonly #users = new Map<number, number>()
  /** numbers of tenants: with other attributes; new or deleted */
  readonly #tenants: { readonly changed: number[]; readonly alone: number[] } = { changed: [], alone: [] }
  /** numbers of instances, by the number of their type */
  readonly #instances = new Map<number, number[]>()

  constructor(questions: Questions, changed: Changed) {
    this.#questions = questions
    this.#changed = changed
    this.#types = changedTypes(questions, changed)
    this.#findUsers()
    this.#findPlaces()
  }

  #findUsers(): void {
    const { users } = this.#questions
    const note = (key: string, bits: number): void => {
      const user = users.named(key)
      if (user === undefined) return
      const all = users.areBoth(user) ? bits : EVERYTHING
      this.#users.set(user, (this.#users.get(user) ?? 0) | all)
    }
    for (const key of this.#changed.users) /* canary: attributes-of-a-user */ note(key, OF_ATTRIBUTES)
    for (const { user } of this.#changed.assignments) note(user, OF_TIES)
    for (const { user } of /* canary: tenants-of-a-user */ this.#changed.memberships) note(user, OF_TIES)
  }

  #findPlaces(): void {
    const { tenants, instances, sides, types } = this.#questions
    for (const key of this.#changed.tenants) {
      const tenant = tenants.named(key)
      if (tenant === undefined) continue
      this.#tenants[/* canary: deleted-tenant */ tenants.lacking(tenant) === undefined ? 'changed' : 'alone'].push(
        tenant,
      )
    }
    for (const key of this.#changed.instances) {
      const instance = instances.named(key)
      if (instance === undefined) continue
      const side = instances.id(0, instance) === 0 ? 1 : 0
      const type = types.of(side, instanceType(sides[side].kernel, instances.id(side, instance)))
      this.#instances.set(type, [...(this.#instances.get(type) ?? []), instance])
    }
  }

  /** Asks what the rules of both images may answer otherwise. */
  ask(): void {
    for (const side of SIDES) this.#askSide(side)
    /* canary: moved-instance */ this.#askMoved()
  }

  #askSide(side: SideNumber): void {
    const { kernel } = this.#questions.sides[side]
    const truth = new RuleTruth(this.#questions, side)
    const dirty = dirtySets(this.#questions, side, this.#changed, this.#types)
    const changedRules = this.#findChangedRules(side)
    for (const permission of ruledPermissions(kernel)) {
      const { all } = this.#questions.sides[side].listRules(permission)
      for (const rule of all) {
        this.#questions.meter.spend(1)
        const isChanged =
          changedRules.has(/* canary: changed-set-rule */ toRuleKey(permission, rule)) ||
          dirty.has(rule.users) ||
          dirty.has(rule.resources)
        if (isChanged || this.#isDeclaredOtherwise(side, permission, rule)) {
          truth.ask(permission, rule, {})
          this.#askGone(truth, side, permission, rule)
        } else this.#askFacts(truth, side, permission, rule)
      }
    }
  }

  /** The changed rules that this image has, or could have. */
  #findChangedRules(side: SideNumber): Set<string> {
    const { kernel } = this.#questions.sides[side]
    const names = this.#changed.rules.map((rule) => {
      const [permission, users, resources] = ruleIds(kernel, rule)
      return toRuleKey(permission, { users, resources })
    })
    return new Set(names)
  }

  /** Whether the rule reads an attribute of the resource whose declared type changed. */
  #isDeclaredOtherwise(side: SideNumber, permission: number, rule: ReadingRule): boolean {
    const { declared } = this.#types
    if (declared.size === 0 || ((rule.userReads | rule.resourceReads) & (1 << Source.Resource)) === 0) return false
    const { types } = this.#questions
    return declared.has(types.key(types.of(side, typeOfPermission(this.#questions.sides[side].kernel, permission))))
  }

  /** Asks about the instances that this image does not have: a rule may allow by their keys what is not stored. */
  #askGone(truth: RuleTruth, side: SideNumber, permission: number, rule: ReadingRule): void {
    const { instances: twins, types, sides } = this.#questions
    const changed = this.#instances.get(types.of(side, typeOfPermission(sides[side].kernel, permission))) ?? []
    const instances = changed.filter((instance) => twins.id(side, instance) === 0)
    if (/* canary: rule-on-a-deleted-instance */ instances.length > 0 && readsInstance(rule))
      truth.ask(permission, rule, { instances })
  }

  /** Asks about the changed users, tenants and instances that the rule reads. */
  #askFacts(truth: RuleTruth, side: SideNumber, permission: number, rule: ReadingRule): void {
    const { kernel } = this.#questions.sides[side]
    const reads = rule.userReads | rule.resourceReads
    const bits = reads | (isRole(kernel, rule.users) ? ROLE : 0)
    const users = [...this.#users].filter(([, mask]) => mask === EVERYTHING || (mask & bits) !== 0)
    if (users.length > 0) truth.ask(permission, rule, { users: users.map(([user]) => user) })
    const { changed, alone } = this.#tenants
    const tenants =
      (reads & (1 << Source.Tenant)) === 0 ? alone : /* canary: attributes-of-a-tenant */ [...alone, ...changed]
    if (tenants.length > 0) truth.ask(permission, rule, { tenants })
    const type = this.#questions.types.of(side, typeOfPermission(kernel, permission))
    const instances = (reads & READS_INSTANCE) === 0 ? undefined : this.#instances.get(type)
    if (/* canary: attributes-of-an-instance */ instances !== undefined) truth.ask(permission, rule, { instances })
  }

  /** Asks about instances that moved to another tenant: what roles and rules allow there counts for them. */
  #askMoved(): void {
    const { sides, instances, types } = this.#questions
    for (const [type, numbers] of this.#instances) {
      const moved = numbers.filter((instance) => {
        const [before, after] = this.#questions.findHomes(instance)
        return instances.lacking(instance) === undefined && before !== after
      })
      if (moved.length === 0) continue
      for (const side of SIDES) {
        const id = types.id(side, type)
        const { kernel } = sides[side]
        const truth = new RuleTruth(this.#questions, side)
        for (const [permission] of id === 0 ? [] : permissionsOfType(kernel, id)) {
          for (const rule of sides[side].listRules(permission).all) truth.ask(permission, rule, { instances: moved })
        }
        for (const instance of moved) this.#askHoldersAt(side, type, instance)
      }
    }
  }

  /** Asks about the users whose roles in the tenant of the instance give something on its type. */
  #askHoldersAt(side: SideNumber, type: number, instance: number): void {
    const { sides, tenants, users, types, permissions, meter } = this.#questions
    const { kernel } = sides[side]
    const ofType = new Set(permissionsOfType(kernel, types.id(side, type)).map(([permission]) => permission))
    const tenant = tenants.id(side, this.#questions.findHomes(instance)[side])
    for (const at of eachHolderGrantInScope(kernel, tenant)) {
      const held = permissionIdsOfGrant(kernel, at).filter((permission) => ofType.has(permission))
      meter.spend(1 + held.length)
      for (const permission of held)
        this.#questions.askOn(users.of(side, grantUser(kernel, at)), permissions.of(side, permission), instance)
    }
  }
}

const toRuleKey = (permission: number, { users, resources }: { readonly users: number; readonly resources: number }) =>
  `${permission}/${users}/${resources}`
