// Why set rules allow or deny (D6: set rules): which sets are true; for rules that do not allow, the nearest ones with
// their failing tests; and where a `not` is true only because a value is missing or ill-typed (D7). Work and output are
// bounded by src/model/limits.ts.
import { Table, Verdict } from '../../../assembly/limits.ts'
import { textAt } from '../../kernel/decode.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { EXPLAIN_ITEMS_MAX, EXPLAIN_MISSES_MAX, EXPLAIN_RULES_MAX } from '../../model/limits.ts'
import { sideKey } from '../read-records.ts'
import { conditionSetJson, conditionSetResource, eachSetUpwards } from '../records/condition-set.ts'
import { findGrant, grantRoleUntil } from '../records/grant.ts'
import { hasSetRules } from '../records/header.ts'
import { permissionResource } from '../records/permission.ts'
import { isResourceRole, permissionSetRules, setRuleResources, setRuleUsers } from '../records/set-rule.ts'
import { symbolTable } from '../records/symbol.ts'
import { atInstant } from '../records/times.ts'
import { type Asked, Conditions, Work } from './explain-conditions.ts'
import { findWayToRole } from './explain-relations.ts'
import {
  type AbacCode,
  type Because,
  endsAt,
  type FailedSet,
  type HeldSet,
  type Match,
  type Miss,
  NO_SETS,
  type Note,
  type SetsExplained,
} from './explanation.ts'

interface Rule {
  /** a condition set or a role, a condition set or a resource */
  readonly users: number
  readonly resources: number
}
type Explained = SetsExplained & {
  readonly because: readonly Because[]
  /** roles on instances (D17): with one of them alone, a rule would allow */
  readonly needed: readonly number[]
}

/** The tenant, the permission and the resource, as the answer shows them. */
type Named = Parameters<typeof findWayToRole>[2]

export function explainSets(kernel: Kernel, asked: Asked, named: Named): Explained {
  return new SetRules(kernel, asked, named).explain()
}

class SetRules {
  readonly #kernel: Kernel
  readonly #asked: Asked
  readonly #named: Named
  readonly #work = new Work()
  readonly #rules: readonly Rule[]
  readonly #truths = new Map<number, Verdict>()
  readonly #conditions = new Map<number, Conditions>()
  readonly #wayByRole = new Map<number, Partial<Pick<Because, 'path' | 'valid_until'>>>()
  /** whether some side was not evaluated because the work limit was reached */
  #passedOver = false

  constructor(kernel: Kernel, asked: Asked, named: Named) {
    this.#kernel = kernel
    this.#asked = asked
    this.#named = named
    this.#rules = permissionSetRules(kernel, asked.permission).map((rule) => ({
      users: setRuleUsers(kernel, rule),
      resources: setRuleResources(kernel, rule),
    }))
  }

  explain(): Explained {
    const { calls } = this.#kernel
    const rules = this.#rules.length
    const answer = (abac: AbacCode): Explained => ({ ...NO_SETS, abac, rules, because: [], needed: [] })
    if (rules === 0) return answer(hasSetRules(this.#kernel) ? 'no_matching_rules' : 'disabled')
    const { user, tenant, permission, instance, relate, end } = this.#asked
    const verdict = atInstant(calls.decideSets(user, tenant, permission, instance, relate(), end))
    if (verdict === Verdict.Undecided) return answer('undecided')
    if (verdict === Verdict.Deny) {
      const nearest = this.#nearest()
      return { ...answer(this.#whyNone()), ...nearest, needed: this.#neededRoles() }
    }
    const allowing = this.#byName(this.#allowing())
    const matches = allowing.slice(0, EXPLAIN_MISSES_MAX).map((rule) => this.#match(rule))
    const notes = this.#notes(allowing)
    const { resource: _, ...named } = this.#named
    const because = allowing.map((rule): Because => {
      const sides = { role: sideKey(this.#kernel, rule.users), resource_set: sideKey(this.#kernel, rule.resources) }
      return { source: 'abac', ...sides, ...named, path: [], ...this.#wayToRole(rule.users) }
    })
    return { ...answer('allow'), because, matches, notes }
  }

  #neededRoles(): number[] {
    const kernel = this.#kernel
    const isRole = (side: number) => symbolTable(kernel, side) === Table.Roles && isResourceRole(kernel, side)
    const rules = this.#rules.filter(({ users, resources }) => isRole(users) && this.#holds(resources))
    return [...new Set(rules.map(({ users }) => users))]
  }

  /** Where a role stands for the user set: how the user holds it on the resource (D17), and when that ends. */
  #wayToRole(users: number): Partial<Pick<Because, 'path' | 'valid_until'>> {
    const kernel = this.#kernel
    const { user, tenant } = this.#asked
    if (symbolTable(kernel, users) !== Table.Roles) return {}
    if (!isResourceRole(kernel, users)) return endsAt(grantRoleUntil(kernel, findGrant(kernel, user, tenant), users))
    let way = this.#wayByRole.get(users)
    if (way === undefined) {
      way = findWayToRole(kernel, this.#asked, this.#named, users) ?? {}
      this.#wayByRole.set(users, way)
    }
    return way
  }

  /** Why both sides of a rule are true. */
  #match({ users, resources }: Rule): Match {
    const held = [...this.#held(users, 'user_set'), ...this.#held(resources, 'resource_set')]
    return { user_set: sideKey(this.#kernel, users), resource_set: sideKey(this.#kernel, resources), held }
  }

  #held(first: number, side: HeldSet['side']): HeldSet[] {
    if (symbolTable(this.#kernel, first) !== Table.Sets) return []
    return this.#chain(first).map((set) => {
      const conditions = this.#readConditions(set)
      // beyond the limit of work the tests are not known
      const tests = conditions.hold ? conditions.causes().slice(0, EXPLAIN_ITEMS_MAX) : []
      return { side, set: sideKey(this.#kernel, set), tests }
    })
  }

  /** The rules that allow: the kernel found one, so the first is searched for without a limit. */
  #allowing(): Rule[] {
    const found: Rule[] = []
    for (const rule of this.#rules) {
      if (found.length >= EXPLAIN_RULES_MAX || (found.length > 0 && this.#work.done)) break
      const always = found.length === 0
      if (this.#holds(rule.users, always) && this.#holds(rule.resources, always)) found.push(rule)
    }
    return found
  }

  /** Which side is true in no rule. When sides were skipped that is unknown, and only the general code is returned. */
  #whyNone(): AbacCode {
    const users = this.#rules.some((rule) => this.#holds(rule.users))
    const resources = users && this.#rules.some((rule) => this.#holds(rule.resources))
    if (this.#passedOver || resources) return 'no_matching_rules'
    return users ? 'no_matching_resourcesets' : 'no_matching_usersets'
  }

  /** The rules with the fewest failing tests; rules with one true side come first. */
  #nearest(): { misses: Miss[]; notes: Note[] } {
    const half = new Set(this.#rules.filter(({ users, resources }) => this.#holds(users) || this.#holds(resources)))
    const others = this.#rules.filter((rule) => !half.has(rule))
    const near = [...this.#byName([...half]), ...this.#byName(others)].slice(0, EXPLAIN_RULES_MAX)
    const looked: { rule: Rule; failed: FailedSet[]; far: number }[] = []
    for (const rule of near) {
      if (this.#work.done && looked.length > 0) break
      const failed = [...this.#failed(rule.users, 'user_set'), ...this.#failed(rule.resources, 'resource_set')]
      const tests = failed.reduce((sum, { tests: each }) => sum + Math.max(1, each.length), 0)
      looked.push({ rule, failed, far: half.has(rule) ? tests : tests + 1_000_000 })
    }
    looked.sort((left, right) => left.far - right.far) // stable: then by name
    const nearest = looked.slice(0, EXPLAIN_MISSES_MAX)
    const misses = nearest.map(({ rule, failed }) => ({
      user_set: sideKey(this.#kernel, rule.users),
      resource_set: sideKey(this.#kernel, rule.resources),
      failed: failed.map((set) => ({ ...set, tests: set.tests.slice(0, EXPLAIN_ITEMS_MAX) })),
    }))
    return { misses, notes: this.#notes(nearest.map(({ rule }) => rule)) }
  }

  /** Why a side is false: each set of its chain whose conditions are false. */
  #failed(first: number, side: FailedSet['side']): FailedSet[] {
    const kernel = this.#kernel
    if (this.#holds(first)) return []
    if (symbolTable(kernel, first) !== Table.Sets) {
      const whole = isResourceRole(kernel, first) ? 'role_not_held' : 'role_not_assigned'
      const reason = side === 'user_set' ? whole : 'other_resource'
      return [{ side, set: sideKey(this.#kernel, first), reason, tests: [] }]
    }
    const failed: FailedSet[] = []
    for (const set of this.#chain(first)) {
      if (this.#isElsewhere(set))
        failed.push({ side, set: sideKey(this.#kernel, set), reason: 'other_resource', tests: [] })
      else {
        const conditions = this.#readConditions(set)
        if (!conditions.hold)
          failed.push({ side, set: sideKey(this.#kernel, set), reason: 'conditions', tests: conditions.causes() })
      }
    }
    return failed
  }

  #isElsewhere(set: number): boolean {
    const resource = conditionSetResource(this.#kernel, set)
    const record = this.#kernel.calls.permissionRecord(this.#asked.permission)
    return resource !== 0 && resource !== permissionResource(this.#kernel, record)
  }

  #notes(rules: readonly Rule[]): Note[] {
    const notes: Note[] = []
    const sides = rules.flatMap(({ users, resources }) => [users, resources])
    const sets = new Set(
      sides.filter((side) => symbolTable(this.#kernel, side) === Table.Sets).flatMap((set) => this.#chain(set)),
    )
    for (const set of [...sets].filter((each) => !this.#isElsewhere(each))) {
      if (notes.length >= EXPLAIN_ITEMS_MAX || this.#work.done) break
      const key = sideKey(this.#kernel, set)
      for (const test of this.#readConditions(set).negatedInVain()) notes.push({ set: key, ...test })
    }
    return notes.slice(0, EXPLAIN_ITEMS_MAX)
  }

  /** A set and its ancestors. */
  #chain(first: number): number[] {
    const chain: number[] = []
    for (const set of eachSetUpwards(this.#kernel, first)) chain.push(set)
    return chain
  }

  #readConditions(set: number): Conditions {
    let conditions = this.#conditions.get(set)
    if (conditions === undefined) {
      const json = JSON.parse(textAt(this.#kernel, conditionSetJson(this.#kernel, set)))
      conditions = new Conditions(this.#kernel, this.#asked, this.#work, json)
      this.#conditions.set(set, conditions)
    }
    return conditions
  }

  #holds(side: number, always = false): boolean {
    let truth = this.#truths.get(side)
    if (truth === undefined) {
      const { user, tenant, permission, instance, relate, end } = this.#asked
      // roles and types cost no work
      const passedOver = this.#work.done && !always && symbolTable(this.#kernel, side) === Table.Sets
      if (passedOver) this.#passedOver = true
      truth = passedOver
        ? Verdict.Undecided
        : (atInstant(this.#kernel.calls.decideSide(user, tenant, permission, instance, relate(), end, side)) as Verdict)
      this.#work.steps(this.#kernel.calls.stepsOfSets())
      this.#truths.set(side, truth)
    }
    return truth === Verdict.Allow
  }

  /** Sorted by the names of their sides: the order of rules in an image is arbitrary. */
  #byName(rules: readonly Rule[]): Rule[] {
    const named = rules.map((rule) => ({
      rule,
      name: `${sideKey(this.#kernel, rule.users)}/${sideKey(this.#kernel, rule.resources)}`,
    }))
    return named.sort((left, right) => (left.name < right.name ? -1 : 1)).map(({ rule }) => rule)
  }
}
