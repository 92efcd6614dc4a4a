// How much work an access diff may take, counted as that of listings (LISTING_WORK_MAX). Beyond it the search ends, and
// what was found is a lower bound.
import { isZerohopError } from '../../model/errors.ts'

/** Ends the search; what was found until then is kept. */
const SPENT = Symbol('the budget of an access diff is spent')

export class Meter {
  #left: number
  /** false when the search ended early, or a question could not be decided (D13: undecided is not a deny) */
  complete = true

  constructor(budget: number) {
    this.#left = budget
  }

  /** The remaining work. */
  get left(): number {
    return this.#left
  }

  spend(work: number): void {
    this.#left -= work
    if (this.#left < 0) this.stop()
  }

  /** Ends the search. */
  stop(): never {
    throw SPENT
  }

  /** Runs the search, to its end or until the budget is spent. */
  run(search: () => void): void {
    try {
      search()
    } catch (error) {
      if (error !== SPENT) throw error
      this.complete = false
    }
  }

  /** The answer of a check; undefined when it could not be decided. */
  decided(check: () => boolean): boolean | undefined {
    try {
      return check()
    } catch (error) {
      if (!isZerohopError(error, 'UNDECIDED')) throw error
      this.complete = false
      return undefined
    }
  }
}
