// The package entry `zerohop/shadow`: an engine that you have decides, and Zerohop is asked as well, or the other way
// round. Loads neither Fastify nor LMDB.
import type { Pdp } from './pdp/pdp.ts'
import type { Action, Attributes, Resource, User } from './pdp/request.ts'
import type { ShadowCounts } from './shadow/difference.ts'
import { type ShadowOptions, ShadowRun } from './shadow/shadow-run.ts'

export type { Cause, Decider, Difference, ShadowCounts } from './shadow/difference.ts'
export type { ShadowOptions, ShadowQuestion } from './shadow/shadow-run.ts'

/** The arguments of a function that is asked as `check` of a PDP is. */
export type CheckArguments = [user: User, action: Action, resource: Resource, context?: Attributes | null]

interface Shadowed {
  /** what was asked and compared so far */
  readonly counts: ShadowCounts
  /** writes what the file does not have yet, and the counts */
  close(): Promise<void>
}

/** A function that answers as the one that decides. */
export type ShadowedCheck<A extends readonly unknown[]> = ((...args: A) => boolean) & Shadowed

/** The same of an old function that answers later. */
export type ShadowedAsyncCheck<A extends readonly unknown[]> = ((...args: A) => Promise<boolean>) & Shadowed

/**
 * Asks the new engine beside an old function, for a sample of the questions, and reports where they differ. The answer, and
 * what is thrown, is that of the one that decides.
 * @throws INPUT_INVALID
 */
export function shadow<A extends readonly unknown[] = CheckArguments>(
  old: (...args: A) => boolean,
  pdp: Pick<Pdp, 'check' | 'explain'>,
  options: ShadowOptions<A> = {},
): ShadowedCheck<A> {
  const run = makeRun(pdp, options)
  return expose(
    options.decide === 'new' ? (...args: A) => run.byNew(old, args) : (...args: A) => run.byOld(old, args),
    run,
  )
}

/** `shadow` for an old function that answers later. While the new engine decides, no one waits for it. */
export function shadowAsync<A extends readonly unknown[] = CheckArguments>(
  old: (...args: A) => Promise<boolean>,
  pdp: Pick<Pdp, 'check' | 'explain'>,
  options: ShadowOptions<A> = {},
): ShadowedAsyncCheck<A> {
  const run = makeRun(pdp, options)
  const isNew = options.decide === 'new'
  return expose(isNew ? (...args: A) => run.byNewNow(old, args) : (...args: A) => run.byOldLater(old, args), run)
}

const makeRun = <A extends readonly unknown[]>(pdp: Pick<Pdp, 'check' | 'explain'>, options: ShadowOptions<A>) =>
  new ShadowRun(pdp, options, {
    now: () => Date.now(),
    random: Math.random,
    run: crypto.randomUUID(),
  })

function expose<F extends object, A extends readonly unknown[]>(check: F, run: ShadowRun<A>): F & Shadowed {
  return Object.defineProperties(check, {
    counts: { get: () => run.counts, enumerable: true },
    close: { value: () => run.close(), enumerable: true },
  }) as F & Shadowed
}
