// What is left of conditions when a part of what they read is not known yet: everything that is known is decided, and
// what remains is data. A test is false of a missing or ill-typed value (D7), so a part that depends on something open
// stays a comparison of two values; it never becomes "unknown". What is open is for those who extend this: of a filter
// the row (conditions.ts), of an access diff whatever a question sends (src/image/access-diff).
import { compare, findMember, type Operand, plain } from '../../filters/meaning/operators.ts'
import { isObject } from '../../model/attribute-types.ts'
import type { AttributePath, Condition, Test } from '../../model/condition.ts'
import { OPERATORS } from '../../model/condition.ts'
import type { RowPath, Term } from '../../model/filter.ts'
import type { AttributeType, Json } from '../../model/objects.ts'
import { all, any, match, not, type Part } from './simplify.ts'

/**
 * A side of a test: known, or a term. With both it is known, and is written as the term where the other side is open.
 */
export type Side<Open = never> =
  | { readonly known: Operand; readonly term?: Term<Open> }
  | { readonly known?: undefined; readonly term: Term<Open> }

export type ForeignMatch = Extract<Test, { kind: 'match' }> & { readonly foreignType: string }

export abstract class Residuals<Open extends object = never> {
  /** @throws what the conditions of a subclass throw */
  toPart(condition: Condition): Part<Open> {
    switch (condition.kind) {
      case 'all':
        return all(condition.items.map((item) => this.toPart(item)))
      case 'any':
        return any(condition.items.map((item) => this.toPart(item)))
      case 'not':
        return not(this.toPart(condition.item))
      case 'operand':
        return this.test(condition.test, this.side(condition.left))
    }
  }

  /** What a path of a condition leads to. */
  protected abstract side(path: AttributePath): Side<Open>

  /** The value, or an item of it, is the key of a stored instance for which the tests of the match are true. */
  protected abstract foreignMatch(test: ForeignMatch, left: Side<Open>): Part<Open>

  protected test(test: Test, left: Side<Open>): Part<Open> {
    switch (test.kind) {
      case 'all':
        return all(test.tests.map((each) => this.test(each, left)))
      case 'any':
        return any(test.tests.map((each) => this.test(each, left)))
      case 'not':
        return not(this.test(test.test, left))
      case 'compare':
        return this.#compare(test, left)
      case 'match':
        return test.foreignType === null
          ? this.#match(test, left)
          : this.foreignMatch({ ...test, foreignType: test.foreignType }, left)
    }
  }

  #compare({ operator, right: to }: Extract<Test, { kind: 'compare' }>, left: Side<Open>): Part<Open> {
    const right: Side<Open> =
      to.kind === 'ref' ? this.side(to.path) : { known: { value: to.value, time: false } satisfies Operand }
    if (left.known !== undefined && right.known !== undefined) return compare(operator, left.known, right.known)
    if (isMissing(left) || isMissing(right)) return false
    if (left.known === undefined && !takes(OPERATORS[operator].left, left.term)) return false
    return { op: operator, left: toTerm(left), right: toTerm(right) }
  }

  #match({ of, members }: Extract<Test, { kind: 'match' }>, left: Side<Open>): Part<Open> {
    if (left.known === undefined) {
      const where = all(members.map(({ names, test }) => this.test(test, { term: { item: names } })))
      return match(of, left.term, where)
    }
    return this.each(of, left.known, (item) =>
      isObject(item)
        ? all(members.map(({ names, test }) => this.test(test, { known: plain(findMember(item, names)) })))
        : false,
    )
  }

  /** A match on a known value: of the value itself, or of some or every item of a list. */
  protected each(of: 'object' | 'any' | 'all', { value }: Operand, passes: (item: Json) => Part<Open>): Part<Open> {
    if (of === 'object') return value === undefined ? false : passes(value)
    if (!Array.isArray(value)) return false
    return of === 'any' ? any(value.map(passes)) : all(value.map(passes))
  }
}

const isMissing = <Open>(side: Side<Open>): boolean => side.known !== undefined && side.known.value === undefined

export function toTerm<Open>(side: Side<Open>): Term<Open> {
  if (side.known === undefined) return side.term
  if (side.term !== undefined) return side.term
  const { value = null, time } = side.known
  return time ? { value, time: true } : { value }
}

/** Whether an open value can be one that the operator takes: an attribute of another declared type never is. */
function takes(types: readonly AttributeType[], term: object): boolean {
  if (!('path' in term)) return true
  const { path, type } = term as RowPath // open terms with a path have the declared type too
  if (path.length > 1 || type === 'json') return true
  return (ALSO[type] ?? [type]).some((each) => types.includes(each))
}
/** What the values of a declared type are, where that is another type. */
const ALSO: Partial<Record<AttributeType, readonly AttributeType[]>> = {
  time: ['string', 'number'],
  object_array: ['array'],
}

/** What a match on instances is, over the list of the keys that pass. */
export const FOREIGN_OPERATORS = { object: 'in', any: 'array_intersect', all: 'array_subset' } as const
