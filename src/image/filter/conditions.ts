// The conditions of a set with everything decided that does not depend on the row (docs/filters.md): what is left is
// data over the row alone. A test is false of a missing or ill-typed value (D7), so a part that depends on the row stays
// a comparison of two values; it never becomes "unknown".
import { compare, memberOf, type Operand, plain } from '../../filters/operators.ts'
import { isObject } from '../../model/attribute-types.ts'
import type { AttributePath, Condition, Test } from '../../model/condition.ts'
import { OPERATORS } from '../../model/condition.ts'
import { ZerohopError } from '../../model/errors.ts'
import type { RowPath, Term } from '../../model/filter.ts'
import { FILTER_INSTANCES_MAX, FILTER_KEYS_MAX } from '../../model/limits.ts'
import type { AttributeType, Json } from '../../model/objects.ts'
import type { Constants, Named } from './constants.ts'
import { all, any, match, not, type Part } from './simplify.ts'

/** A side of a test: known, or a term over the row. */
type Side = { readonly known: Operand } | { readonly term: Term }

type ForeignMatch = Extract<Test, { kind: 'match' }> & { readonly foreignType: string }

/** What remains of the conditions for rows of one type in one tenant. */
export class RowConditions {
  readonly #constants: Constants
  readonly #type: string
  readonly #isKept: boolean

  /**
   * @param type resource type of the rows
   * @param isKept the filter is kept by somebody else: the time of asking stays open, no other context may be read than
   * what was sent, and the instances that a condition follows are not named
   */
  constructor(constants: Constants, type: string, isKept: boolean) {
    this.#constants = constants
    this.#type = type
    this.#isKept = isKept
  }

  /** @throws FILTER_REFUSED where a filter cannot say it; LISTING_TOO_LARGE when a list of keys is too long */
  partOf(condition: Condition): Part {
    switch (condition.kind) {
      case 'all':
        return all(condition.items.map((item) => this.partOf(item)))
      case 'any':
        return any(condition.items.map((item) => this.partOf(item)))
      case 'not':
        return not(this.partOf(condition.item))
      case 'operand':
        return this.#test(condition.test, this.#side(condition.left))
    }
  }

  #side(path: AttributePath): Side {
    const [name = ''] = path.names
    if (path.root === 'resource' && name === 'key') {
      return path.names.length === 1 ? { term: { key: true } } : { known: plain(undefined) } // text has no members
    }
    if (path.root === 'resource' && name !== 'type' && name !== 'tenant') {
      const declared = this.#constants.declared(this.#type)
      return { term: { path: path.names, type: Object.hasOwn(declared, name) ? declared[name]! : 'json' } }
    }
    if (this.#isKept && path.root === 'context') {
      if (name === 'now' && path.names.length === 1) return { term: { now: true } }
      if (!this.#constants.isSent(name)) throw refused(path, 'a snapshot was not given this part of the context')
    }
    return { known: this.#constants.operand(path) }
  }

  #test(test: Test, left: Side): Part {
    switch (test.kind) {
      case 'all':
        return all(test.tests.map((each) => this.#test(each, left)))
      case 'any':
        return any(test.tests.map((each) => this.#test(each, left)))
      case 'not':
        return not(this.#test(test.test, left))
      case 'compare':
        return this.#compare(test, left)
      case 'match':
        return test.foreignType === null
          ? this.#match(test, left)
          : this.#foreignMatch({ ...test, foreignType: test.foreignType }, left)
    }
  }

  #compare({ operator, right: to }: Extract<Test, { kind: 'compare' }>, left: Side): Part {
    const right: Side =
      to.kind === 'ref' ? this.#side(to.path) : { known: { value: to.value, time: false } satisfies Operand }
    if ('known' in left && 'known' in right) return compare(operator, left.known, right.known)
    if (isMissing(left) || isMissing(right)) return false
    if ('term' in left && !takes(OPERATORS[operator].left, left.term)) return false
    return { op: operator, left: termOf(left), right: termOf(right) }
  }

  #match({ of, members }: Extract<Test, { kind: 'match' }>, left: Side): Part {
    if ('term' in left) {
      const where = all(members.map(({ names, test }) => this.#test(test, { term: { item: names } })))
      return match(of, left.term, where)
    }
    return this.#each(of, left.known, (item) =>
      isObject(item)
        ? all(members.map(({ names, test }) => this.#test(test, { known: plain(memberOf(item, names)) })))
        : false,
    )
  }

  /** A match on a known value: of the value itself, or of some or every item of a list. */
  #each(of: 'object' | 'any' | 'all', { value }: Operand, passes: (item: Json) => Part): Part {
    if (of === 'object') return value === undefined ? false : passes(value)
    if (!Array.isArray(value)) return false
    return of === 'any' ? any(value.map(passes)) : all(value.map(passes))
  }

  /** The value, or an item of it, is the key of a stored instance. From the row: the keys of all that would pass. */
  #foreignMatch(test: ForeignMatch, left: Side): Part {
    const { of, foreignType: type } = test
    if ('known' in left) {
      return this.#each(of, left.known, (item) => {
        const instance = typeof item === 'string' ? this.#constants.instance(type, item) : undefined
        return instance === undefined ? false : this.#passes(test, instance)
      })
    }
    if (this.#isKept) throw refused(undefined, `it would name the keys of \`${type}\` for which it is true`)
    if ('path' in left.term && left.term.type === 'time')
      throw refused({ root: 'resource', names: left.term.path }, 'a time is not the key of an instance')
    const right: Term = { value: this.#keysThatPass(test) }
    const operator = { object: 'in', any: 'array_intersect', all: 'array_subset' } as const
    return { op: operator[of], left: left.term, right }
  }

  #passes({ foreignType: type, members }: ForeignMatch, instance: Named): Part {
    return all(
      members.map(({ names, test }) => this.#test(test, { known: this.#constants.operandOf(type, instance, names) })),
    )
  }

  #keysThatPass(test: ForeignMatch): string[] {
    const keys: string[] = []
    let looked = 0
    for (const instance of this.#constants.instances(test.foreignType)) {
      if (++looked > FILTER_INSTANCES_MAX)
        throw tooLarge(looked, `instances of \`${test.foreignType}\` to look at`, FILTER_INSTANCES_MAX)
      const passes = this.#passes(test, instance)
      if (typeof passes !== 'boolean')
        throw refused(undefined, `a test of the instances of \`${test.foreignType}\` depends on the row`)
      if (passes) keys.push(instance.key)
    }
    if (keys.length > FILTER_KEYS_MAX) throw tooLarge(keys.length, `keys of \`${test.foreignType}\``, FILTER_KEYS_MAX)
    return keys
  }
}

const isMissing = (side: Side): boolean => 'known' in side && side.known.value === undefined

function termOf(side: Side): Term {
  if ('term' in side) return side.term
  const { value = null, time } = side.known
  return time ? { value, time: true } : { value }
}

/** Whether a value of the row can be one that the operator takes: an attribute of another declared type never is. */
function takes(types: readonly AttributeType[], term: Term): boolean {
  if (!('path' in term) || term.path.length > 1 || term.type === 'json') return true
  return (ALSO[term.type] ?? [term.type]).some((type) => types.includes(type))
}
/** What the values of a declared type are, where that is another type. */
const ALSO: Partial<Record<AttributeType, readonly AttributeType[]>> = {
  time: ['string', 'number'],
  object_array: ['array'],
}

/** The error for a condition that no filter can say. */
function refused(path: AttributePath | RowAttribute | undefined, reason: string): ZerohopError {
  const what = path === undefined ? 'a condition' : `a condition on \`${[path.root, ...path.names].join('.')}\``
  return new ZerohopError('FILTER_REFUSED', { what, reason })
}
type RowAttribute = { readonly root: 'resource'; readonly names: RowPath['path'] }

/** The error for a filter that would be too long: with `count` of what it may have `limit` of. */
export function tooLarge(count: number, what: string, limit: number): ZerohopError {
  return new ZerohopError('LISTING_TOO_LARGE', { what: `a filter over ${count} ${what}`, limit: `${limit} of them` })
}
