// A bulk call is the single call for each item, in order, each on what the earlier ones left: one revision, all or nothing. An error
// names the item that it came from.
import { ZerohopError } from '../../model/errors.ts'
import { Draft } from '../../store/draft.ts'
import type { Decided, View } from '../../store/view.ts'
import { BODY, type Path } from '../fields.ts'

/** Where the items of a call stand in its body, and how many there may be. */
export interface Items<I> {
  readonly items: readonly I[]
  readonly path: Path
  /** what the items are, for a message */
  readonly what: string
  readonly most: number
}

/** @throws LIMIT_EXCEEDED, and what `run` throws, with the path of the item */
export function eachOf<I>(
  view: View,
  { items, path, what, most }: Items<I>,
  run: (draft: Draft, item: I) => Decided<unknown>,
): Draft {
  if (items.length > most) {
    throw new ZerohopError('LIMIT_EXCEEDED', { what: `the ${what} of one call`, limit: most }, { path })
  }
  const draft = new Draft(view)
  for (const [at, item] of items.entries()) within([...path, at], () => draft.take(run(draft, item)))
  return draft
}

/** Runs what takes one item for its body, and says in an error where in the real body that item stands. */
export function within<T>(path: Path, run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof ZerohopError)) throw error
    const inner = error.path !== undefined && error.path[0] === BODY[0] ? error.path.slice(1) : []
    throw new ZerohopError(error.code, error.details, { path: [...path, ...inner], cause: error.cause })
  }
}
