// Answers that may change, depending on what is sent with the question (docs/access-diff.md): for every permission,
// user and tenant that the changes can reach, what is left of the rules in both images is compared. Users for whom the
// rules mean the same share the work, and so do the tenants to which a user does not belong.
import { Table } from '../../../assembly/limits.ts'
import type { ConditionalChange, OverridableRule } from '../../model/access-diff.ts'
import { CONDITIONAL_WORK_MAX } from '../../model/limits.ts'
import { compareText } from '../../model/text-order.ts'
import { records } from '../records/tables.ts'
import type { Changed } from './changed.ts'
import { ConditionalLines } from './conditional-lines.ts'
import { type ChangedInstance, computeReach, type Found, type Reach, type ReachOfChanges } from './conditional-reach.ts'
import { Meter } from './meter.ts'
import type { Residual } from './open-conditions.ts'
import { OverridableRules } from './overridable-rules.ts'
import { GAINED, LOST, type Questions } from './questions.ts'
import {
  type AskedPermission,
  type AskedUser,
  collectOpenReads,
  instanceLine,
  instancesThatMatter,
  type Pair,
  ResidualPairs,
  toLineTexts,
} from './residual-pairs.ts'
import { type Inside, Side } from './side.ts'
import { FIRST_SIDE, SIDES } from './twins.ts'

export interface ConditionalChanges {
  readonly conditional: readonly ConditionalChange[]
  readonly overridable: readonly OverridableRule[]
  readonly conditional_complete: boolean
}

/** Work, counted in the unit of listings. */
const LOOK_WORK = 4
const SIGNATURE_WORK = 16
const RESIDUAL_WORK = 512

/**
 * What may change for stored users, and the rules that a request may reach by other attributes of the user.
 * @param questions what was asked with nothing sent
 * @param found what is known of the changes
 * @param budget work; at most CONDITIONAL_WORK_MAX of it is used
 */
export function conditionalChanges(
  insides: readonly [Inside, Inside],
  questions: Questions,
  changed: Changed,
  found: Found,
  budget: number,
): ConditionalChanges {
  return new Search(insides, questions, changed, found, budget).run()
}

/** The users outside of a tenant for whom the rules of a permission mean the same. */
interface Outsiders {
  readonly users: number[]
}

class Search {
  readonly #questions: Questions
  readonly #insides: readonly [Inside, Inside]
  readonly #meter: Meter
  readonly #baseline: readonly [Side, Side]
  readonly #reach: ReachOfChanges
  readonly #pairs: ResidualPairs
  readonly #lines: ConditionalLines
  readonly #overridable: OverridableRules
  #users: readonly number[] | undefined
  #tenants: readonly number[] | undefined

  constructor(
    insides: readonly [Inside, Inside],
    questions: Questions,
    changed: Changed,
    found: Found,
    budget: number,
  ) {
    const kernels = [insides[0].kernel, insides[1].kernel] as const
    this.#insides = insides
    this.#questions = questions
    this.#meter = new Meter(Math.min(budget, CONDITIONAL_WORK_MAX))
    this.#baseline = [new Side(insides[0], this.#meter), new Side(insides[1], this.#meter)]
    this.#reach = computeReach(questions, kernels, changed, found)
    this.#pairs = new ResidualPairs(questions, kernels, this.#reach, found.instants)
    this.#lines = new ConditionalLines(questions)
    this.#overridable = new OverridableRules(questions)
  }

  run(): ConditionalChanges {
    const { permissions } = this.#questions
    const jobs = [...this.#reach.permissions].map(([number, reach]) => ({
      key: permissions.key(number),
      number,
      reach,
    }))
    jobs.sort((left, right) => compareText(left.key, right.key))
    for (const { number, reach } of jobs) {
      this.#meter.run(() => this.#look(number, reach))
      if (!this.#meter.complete) {
        this.#lines.leaveOpen(number)
        break
      }
    }
    return {
      conditional: this.#lines.changes(),
      overridable: this.#overridable.rules(),
      conditional_complete: this.#lines.complete,
    }
  }

  #look(number: number, reach: Reach): void {
    const asked = this.#pairs.permission(number)
    if (!this.#pairs.isConditional(asked)) return
    const everybody = reach.everybody || this.#pairs.followsChanged(asked)
    new PermissionSearch(
      asked,
      { ...reach, everybody },
      {
        questions: this.#questions,
        reach: this.#reach,
        pairs: this.#pairs,
        lines: this.#lines,
        overridable: this.#overridable,
        meter: this.#meter,
        baseline: this.#baseline,
        users: () => this.#allUsers(),
        tenants: () => this.#allTenants(),
      },
    ).run()
  }

  #allUsers(): readonly number[] {
    this.#users ??= this.#all(Table.Users, 'users', this.#reach.users.keys())
    return this.#users
  }

  #allTenants(): readonly number[] {
    this.#tenants ??= this.#all(Table.Tenants, 'tenants', this.#reach.tenants)
    return this.#tenants
  }

  /** The objects of either image; `others` are those that only one may have. */
  #all(table: Table, of: 'users' | 'tenants', others: Iterable<number>): readonly number[] {
    const twins = this.#questions[of]
    const numbers = new Set(others)
    for (const side of this.#reach.isCopy ? FIRST_SIDE : SIDES) {
      for (const record of records(this.#insides[side].kernel, table)) {
        this.#meter.spend(LOOK_WORK)
        numbers.add(twins.of(side, record))
      }
    }
    return [...numbers]
  }
}

/** What all permissions share. */
interface Shared {
  readonly questions: Questions
  readonly reach: ReachOfChanges
  readonly pairs: ResidualPairs
  readonly lines: ConditionalLines
  readonly overridable: OverridableRules
  readonly meter: Meter
  readonly baseline: readonly [Side, Side]
  users(): readonly number[]
  tenants(): readonly number[]
}

class PermissionSearch {
  readonly #asked: AskedPermission
  readonly #own: Reach
  readonly #shared: Shared
  /** tenants that are looked at for everyone */
  readonly #places: ReadonlySet<number>
  readonly #instances: readonly ChangedInstance[]
  /** tenants of these */
  readonly #homes: ReadonlySet<number>
  readonly #readsTenant: boolean
  readonly #known = new Map<string, Pair>()
  readonly #outsiders = { everywhere: new Map<string, Outsiders>(), inPlaces: new Map<string, Outsiders>() }
  readonly #ties = new Map<number, ReadonlySet<number>>()
  /** names of user attributes that the rules read, until it is known that sending them can change an answer */
  #attributes: readonly string[]
  /** these, where questions may send them */
  readonly #isOpen = (name: string): boolean => this.#attributes.includes(name)

  constructor(asked: AskedPermission, own: Reach, shared: Shared) {
    this.#asked = asked
    this.#own = own
    this.#shared = shared
    this.#instances = shared.reach.instances.get(asked.type) ?? []
    const homes = this.#instances.flatMap(({ homes: [was, is] }) => [was, is])
    this.#homes = new Set(homes.filter((home) => home !== undefined))
    this.#places = new Set([...shared.reach.tenants, ...this.#homes])
    this.#readsTenant = asked.reads.some(({ tenantKey }) => tenantKey)
    this.#attributes = [...new Set(asked.reads.flatMap(({ attributes }) => attributes))]
  }

  run(): void {
    this.#addChangedRules()
    const { everybody, holders, upstream } = this.#own
    const { users, tenantsOfTies, hasMoved, upstream: above } = this.#shared.reach
    const isForAll = everybody || holders || hasMoved || tenantsOfTies.size > 0 || this.#places.size > 0
    if (isForAll || this.#searchesTies) for (const user of this.#shared.users()) this.#lookAt(user)
    else {
      for (const user of upstream ? new Set([...users.keys(), ...above]) : users.keys()) this.#lookAt(user)
      if (this.#own.ties) this.#lookAtAsked()
    }
    for (const group of this.#outsiders.everywhere.values()) this.#lookOutside(group, this.#shared.tenants())
    for (const group of this.#outsiders.inPlaces.values()) this.#lookOutside(group, [...this.#places])
  }

  /** Whether the answers with nothing sent, where they end early, leave open whom changed roles and tuples reach. */
  get #searchesTies(): boolean {
    return (this.#own.ties || this.#own.upstream) && !this.#shared.questions.meter.complete
  }

  /** Those whose roles in a tenant give or take the permission: they were asked about with nothing sent. */
  #lookAtAsked(): void {
    const { questions, reach } = this.#shared
    for (const who of questions.asked(this.#asked.number)) if (!reach.users.has(who.user)) this.#lookInside(who, true)
  }

  #lookAt(user: number): void {
    const { reach, pairs, meter, tenants } = this.#shared
    const isEverywhere = this.#own.everybody || reach.users.has(user)
    const isAbove = this.#own.upstream && (reach.upstream.has(user) || this.#searchesTies)
    const mayHold = isEverywhere || this.#own.holders || reach.hasMoved || isAbove
    const areTies = mayHold || this.#own.ties
    const ties = pairs.findTies(user)
    meter.spend(LOOK_WORK + ties.size)
    const byRoleAlone = !mayHold
    for (const tenant of ties) {
      const isPlace = reach.tenantsOfTies.has(tenant) || this.#places.has(tenant)
      if (areTies || isPlace) this.#lookInside({ user, tenant }, byRoleAlone && !isPlace)
    }
    const places = isEverywhere ? tenants() : this.#places
    for (const tenant of places) {
      if (ties.has(tenant)) continue
      this.#noteOutside({ user, tenant }, ties, isEverywhere)
      break
    }
  }

  /**
   * A user in a tenant that he or she belongs to; `byRoleAlone` when nothing but a role in it can make a difference.
   */
  #lookInside(who: AskedUser, byRoleAlone: boolean): void {
    this.#shared.meter.spend(SIGNATURE_WORK)
    const { pairs } = this.#shared
    const [was = false, is = false] = pairs.byRoles(this.#asked, who)
    if (was === is && (was || byRoleAlone)) return
    if (was !== is && this.#isListed(was, is, who)) return // whatever the other side leaves
    const pair = this.#pairFor(pairs.signature(this.#asked, who, true), who)
    this.#record(pair, who, [who.user], [who.tenant])
    this.#lookOpen(who, true)
  }

  /** A user in tenants that he or she does not belong to: the same in all of them, but for the key of the tenant. */
  #noteOutside(who: AskedUser, ties: ReadonlySet<number>, isEverywhere: boolean): void {
    this.#shared.meter.spend(SIGNATURE_WORK)
    const groups = this.#outsiders[isEverywhere ? 'everywhere' : 'inPlaces']
    const signature = this.#outside(who.user)
    const group = groups.get(signature)
    this.#ties.set(who.user, ties)
    if (group === undefined) groups.set(signature, { users: [who.user] })
    else group.users.push(who.user)
  }

  /** The same for all users outside of a tenant for whom the rules mean the same, whatever the tenant. */
  #outside(user: number): string {
    const { questions, pairs, reach } = this.#shared
    const changed = reach.users.get(user)
    const there = SIDES.map((side) => questions.users.id(side, user) !== 0)
    // Users who are alike by what is stored may differ by what is not: a test of the key, say.
    const open = this.#attributes.length === 0 ? '' : pairs.outsideSignature(this.#asked, user, this.#isOpen)
    return `${there} ${changed === undefined ? '' : user} ${pairs.outsideSignature(this.#asked, user)} ${open}`
  }

  #lookOutside({ users }: Outsiders, tenants: readonly number[]): void {
    const byPair = new Map<string, { pair: Pair; who: AskedUser; tenants: number[] }>()
    for (const tenant of tenants) {
      const user = users.find((each) => !this.#ties.get(each)!.has(tenant))
      this.#shared.meter.spend(LOOK_WORK)
      if (user === undefined) continue
      const name = this.#toTenantGroup(tenant)
      const known = byPair.get(name)
      if (known !== undefined) known.tenants.push(tenant)
      else {
        this.#shared.meter.spend(RESIDUAL_WORK)
        const who = { user, tenant }
        byPair.set(name, { pair: this.#shared.pairs.pair(this.#asked, who), who, tenants: [tenant] })
      }
    }
    for (const { pair, who, tenants: there } of byPair.values()) {
      this.#record(pair, who, this.#listOutsiders(users, there), there)
      this.#lookOpen(who, false)
    }
  }

  /** The users who do not belong to some of the tenants. */
  #listOutsiders(users: readonly number[], tenants: readonly number[]): readonly number[] {
    return users.filter((user) => {
      const ties = this.#ties.get(user)!
      return ties.size < tenants.length || tenants.some((tenant) => !ties.has(tenant))
    })
  }

  #pairFor(signature: string, who: AskedUser): Pair {
    const name = `${this.#toTenantGroup(who.tenant)} ${signature}`
    let pair = this.#known.get(name)
    if (pair === undefined) {
      this.#shared.meter.spend(RESIDUAL_WORK)
      pair = this.#shared.pairs.pair(this.#asked, who)
      this.#known.set(name, pair)
    }
    return pair
  }

  #instancesIn(tenant: number): ChangedInstance[] {
    return this.#homes.has(tenant) ? this.#instances.filter(({ homes }) => homes.includes(tenant)) : []
  }

  /** The same for tenants in which the rules mean the same for those who do not belong to them. */
  #toTenantGroup(tenant: number): string {
    const { tenants } = this.#shared.questions
    const there = tenants.lacking(tenant) ?? 'both'
    return `${there} ${this.#readsTenant || this.#homes.has(tenant) ? tenant : ''}`
  }

  #record(pair: Pair, who: AskedUser, users: readonly number[], tenants: readonly number[]): void {
    const { lines } = this.#shared
    if (pair.isSame) {
      const instances = instancesThatMatter(pair.residuals[0], this.#instancesIn(who.tenant))
      if (instances.length > 0)
        lines.add(this.#asked.number, instanceLine(pair.residuals[0], instances), users, tenants)
    } else if (pair.refused !== undefined || !this.#isListed(...pair.residuals, who))
      lines.add(this.#asked.number, toLineTexts(pair), users, tenants)
  }

  /** Whether one side is always allowed, and the answer on the type is among those that are gained or lost. */
  #isListed(before: Residual, after: Residual, who: AskedUser): boolean {
    if (before !== true && after !== true) return false
    const { questions, baseline, meter } = this.#shared
    const known = questions.known(who.user, this.#asked.number, who.tenant)
    if (known !== undefined) return known === (before === true ? LOST : GAINED)
    const answers = SIDES.map((side) => {
      const [user, tenant] = [questions.users.id(side, who.user), questions.tenants.id(side, who.tenant)]
      if (user === 0 || tenant === 0 || this.#asked.ids[side] === 0) return false
      return meter.decided(() => baseline[side].allowsOnType(user, tenant, this.#asked.ids[side]))
    })
    return answers[0] === (before === true) && answers[1] === (after === true)
  }

  /**
   * Rules that mean something else, and read attributes of the user that a question may send: others remain to be
   * tried.
   */
  #addChangedRules(): void {
    const changed = this.#own.rules.map(({ rule }) => `${rule.user_set}/${rule.resource_set}`)
    if (changed.length === 0) return
    const read = this.#shared.overridable.add(this.#asked, (name) => changed.includes(name))
    this.#attributes = this.#attributes.filter((name) => !read.has(name))
  }

  /** Whether other attributes of the user, sent with a question, can make a difference between the images. */
  #lookOpen(who: AskedUser, isTied: boolean): void {
    if (this.#attributes.length === 0) return
    const { pairs, reach, meter } = this.#shared
    const changed = [...(reach.users.get(who.user) ?? [])].filter((name) => this.#attributes.includes(name))
    const unchanged = (name: string): boolean => this.#isOpen(name) && !changed.includes(name)
    const opens = [this.#isOpen, ...(changed.length === 0 ? [] : [unchanged])]
    const differs = opens.some((isOpen, at) => {
      const signature = pairs.signature(this.#asked, who, isTied, isOpen)
      const name = `${at} ${isTied} ${this.#toTenantGroup(who.tenant)} ${signature}`
      meter.spend(SIGNATURE_WORK)
      if (at === 0 && this.#known.has(name)) return false
      meter.spend(RESIDUAL_WORK)
      const pair = pairs.pair(this.#asked, who, isOpen)
      this.#known.set(name, pair)
      return this.#isOverridable(pair, who)
    })
    if (!differs && changed.length < 2) return
    this.#shared.overridable.add(this.#asked, () => true)
    this.#attributes = []
  }

  #isOverridable(pair: Pair, { tenant }: AskedUser): boolean {
    const isOpen = pair.residuals.some((residual) => collectOpenReads(residual).user.size > 0)
    if (!isOpen) return false
    return !pair.isSame || instancesThatMatter(pair.residuals[0], this.#instancesIn(tenant)).length > 0
  }
}
