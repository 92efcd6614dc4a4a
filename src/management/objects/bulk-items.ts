// A bulk call runs the single call for each item, in order, each on the result of the earlier ones: one revision, all
// or nothing. An error names its item.
import { ZerohopError } from '../../model/errors.ts'
import { Draft } from '../../store/draft.ts'
import type { Decided, View } from '../../store/view.ts'
import { BODY, type Path } from '../rules/fields.ts'

/** The items of a call, their path in the body, and their maximal number. */
export interface Items<I> {
  readonly items: readonly I[]
  readonly path: Path
  /** a name of the items, for messages */
  readonly what: string
  readonly limit: number
}

/** @throws LIMIT_EXCEEDED, and what `run` throws, with the path of the item */
export function stageEach<I>(
  view: View,
  { items, path, what, limit }: Items<I>,
  run: (draft: Draft, item: I) => Decided<unknown>,
): Draft {
  if (items.length > limit) {
    throw new ZerohopError('LIMIT_EXCEEDED', { what: `the ${what} of one call`, limit }, { path })
  }
  const draft = new Draft(view)
  for (const [at, item] of items.entries()) within([...path, at], () => draft.take(run(draft, item)))
  return draft
}

/** Runs a use case whose body is one item, and puts the item's path in the real body into its errors. */
export function within<T>(path: Path, run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof ZerohopError)) throw error
    const inner = error.path !== undefined && error.path[0] === BODY[0] ? error.path.slice(1) : []
    throw new ZerohopError(error.code, error.details, { path: [...path, ...inner], cause: error.cause })
  }
}
