// The conditions of a set with everything decided that does not depend on the row (docs/filters.md): what is left is
// data over the row alone.
import { plain } from '../../filters/meaning/operators.ts'
import type { AttributePath } from '../../model/condition.ts'
import { ZerohopError } from '../../model/errors.ts'
import type { RowPath, Term } from '../../model/filter.ts'
import { FILTER_INSTANCES_MAX, FILTER_KEYS_MAX } from '../../model/limits.ts'
import type { Constants, Named } from './constants.ts'
import { FOREIGN_OPERATORS, type ForeignMatch, Residuals, type Side } from './residuals.ts'
import { all, type Part } from './simplify.ts'

/** What remains of the conditions for rows of one type in one tenant. */
export class RowConditions extends Residuals {
  readonly #constants: Constants
  readonly #type: string
  readonly #isKept: boolean

  /**
   * @param type resource type of the rows
   * @param isKept the filter is kept by someone else: the time of asking stays open, no other context may be read than
   * what was sent, and the instances that a condition follows are not named
   */
  constructor(constants: Constants, type: string, isKept: boolean) {
    super()
    this.#constants = constants
    this.#type = type
    this.#isKept = isKept
  }

  /** @throws FILTER_REFUSED where a filter cannot say it */
  protected side(path: AttributePath): Side {
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

  /**
   * From the row: the keys of all instances that would pass.
   * @throws FILTER_REFUSED where a filter cannot say it; LISTING_TOO_LARGE when a list of keys is too long
   */
  protected foreignMatch(test: ForeignMatch, left: Side): Part {
    const { of, foreignType: type } = test
    if (left.known !== undefined) {
      return this.each(of, left.known, (item) => {
        const instance = typeof item === 'string' ? this.#constants.instance(type, item) : undefined
        return instance === undefined ? false : this.#passes(test, instance)
      })
    }
    if (this.#isKept) throw refused(undefined, `it would name the keys of \`${type}\` for which it is true`)
    if ('path' in left.term && left.term.type === 'time')
      throw refused({ root: 'resource', names: left.term.path }, 'a time is not the key of an instance')
    const right: Term = { value: this.#keysThatPass(test) }
    return { op: FOREIGN_OPERATORS[of], left: left.term, right }
  }

  #passes({ foreignType: type, members }: ForeignMatch, instance: Named): Part {
    return all(
      members.map(({ names, test }) => this.test(test, { known: this.#constants.findOperand(type, instance, names) })),
    )
  }

  #keysThatPass(test: ForeignMatch): string[] {
    const keys: string[] = []
    let looked = 0
    for (const instance of this.#constants.instances(test.foreignType)) {
      if (++looked > FILTER_INSTANCES_MAX)
        throw tooLarge(MORE, `instances of \`${test.foreignType}\` to look at`, FILTER_INSTANCES_MAX)
      const passes = this.#passes(test, instance)
      if (typeof passes !== 'boolean')
        throw refused(undefined, `a test of the instances of \`${test.foreignType}\` depends on the row`)
      if (passes) keys.push(instance.key)
    }
    if (keys.length > FILTER_KEYS_MAX) throw tooLarge(keys.length, `keys of \`${test.foreignType}\``, FILTER_KEYS_MAX)
    return keys
  }
}

/** The error for a condition that no filter can say. */
function refused(path: AttributePath | RowAttribute | undefined, reason: string): ZerohopError {
  const what = path === undefined ? 'a condition' : `a condition on \`${[path.root, ...path.names].join('.')}\``
  return new ZerohopError('FILTER_REFUSED', { what, reason })
}
type RowAttribute = { readonly root: 'resource'; readonly names: RowPath['path'] }

/** How many there are; MORE: more than the limit, and no one counted on. */
export type Count = number | typeof MORE
export const MORE = 'more'

/** The error for a filter that would be too long: with `count` of what it may have `limit` of; `hint` is a way out. */
export function tooLarge(count: Count, what: string, limit: number, hint = ''): ZerohopError {
  const many = count === MORE ? `more than ${limit}` : count
  return new ZerohopError('LISTING_TOO_LARGE', {
    what: `a filter over ${many} ${what}`,
    limit: `${limit} of them${hint}`,
  })
}
