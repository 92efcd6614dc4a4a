// Which rules of a policy its tests use. A rule is used when an expectation that is met is allowed by it: a permission
// of a role, an `extends`, a derivation, a set rule. A test of a condition has two branches, and each is used when it
// decides about a set of a matching rule, or of one of the nearest rules that do not match.
import { askAt } from '../image/asked-at.ts'
import { typeInInstanceKey } from '../image/contents.ts'
import type { Hop } from '../image/explain/hops.ts'
import type { Explained } from '../image/explain/ways.ts'
import type { Because, Image, TestFound } from '../image/image.ts'
import type { PolicyChange } from '../log/delta.ts'
import type { Expectation } from './expectation.ts'
import { toQuestion } from './judge.ts'
import { derivationName, extendsName, listRules, permissionName, type Rule, setRuleName } from './rules.ts'

export interface Covered {
  /** rules and branches */
  readonly total: number
  readonly used: number
  /** hundred for a policy without rules */
  readonly percent: number
  /** those that no expectation uses, in the order of the policy */
  readonly unused: readonly string[]
}

const isTrue = (name: string): string => `${name} is true`
const isFalse = (name: string): string => `${name} is false`

export class Coverage {
  readonly #names: readonly string[]
  readonly #used = new Set<string>()
  /** the names of tests, by set and path */
  readonly #tests = new Map<string, string>()

  constructor(changes: readonly PolicyChange[]) {
    const rules = listRules(changes)
    this.#names = rules.flatMap(({ kind, name }) => (kind === 'test' ? [isTrue(name), isFalse(name)] : [name]))
    for (const rule of rules) if (rule.kind === 'test') this.#tests.set(testKey(rule), rule.name)
  }

  /** Takes in an expectation that is met. @throws nothing that its check does not throw */
  add(image: Image, expectation: Expectation): void {
    const explained = expectation.allow
      ? askAt(image, expectation.about.sent, expectation.about.now, () => image.explainWays(...toQuestion(expectation)))
      : undefined
    const { because, matches, misses } =
      explained?.explanation ??
      askAt(image, expectation.about.sent, expectation.about.now, () => image.explain(...toQuestion(expectation)))
    for (const way of because) this.#way(way)
    if (explained !== undefined) this.#hops(explained)
    for (const { held } of matches) for (const { set, tests } of held) this.#decided(set, tests)
    for (const { failed } of misses) for (const { set, tests } of failed) this.#decided(set, tests)
  }

  get covered(): Covered {
    const unused = this.#names.filter((name) => !this.#used.has(name))
    const total = this.#names.length
    const used = total - unused.length
    return { total, used, percent: total === 0 ? 100 : Math.floor((used / total) * 1000) / 10, unused }
  }

  #way({ source, role, resource_set, permission, path }: Because): void {
    if (source === 'abac') this.#used.add(setRuleName(role, permission, resource_set!))
    if (source !== 'rbac') return
    this.#used.add(permissionName(path.at(-1)!, permission))
    for (const [index, parent] of path.entries()) if (index > 0) this.#used.add(extendsName(path[index - 1]!, parent))
  }

  #hops({ question: { type, action }, ways: { hops, hopsToRoles = new Map() } }: Explained): void {
    const [last] = hops.slice(-1)
    if (last !== undefined) this.#used.add(permissionName(roleOfHop(last), `${type}:${action}`))
    for (const way of [hops, ...hopsToRoles.values()]) {
      for (const [index, hop] of way.entries()) {
        const before = way[index - 1]
        if (before === undefined) continue
        const [name, from] = [roleOfHop(hop), roleOfHop(before)]
        const { relation } = hop
        this.#used.add(relation === undefined ? extendsName(from, name) : derivationName(name, from, relation))
      }
    }
  }

  #decided(set: string, tests: readonly TestFound[]): void {
    for (const { path, reason } of tests) {
      const name = this.#tests.get(JSON.stringify([set, path]))
      if (name !== undefined && reason !== 'undecided') this.#used.add(reason === 'met' ? isTrue(name) : isFalse(name))
    }
  }
}

const roleOfHop = ({ on, role }: Hop): string => `${typeInInstanceKey(on)}#${role}`
const testKey = ({ test }: Rule): string => JSON.stringify([test!.set, test!.path])
