// The world after each revision of a random history, with questions about it: for laws of the definition, which need no
// image.
import fc from 'fast-check'
import type { Request } from '../reference/request.ts'
import { type Operation, World } from '../support/world.ts'
import { type History, listOperations, mixedHistories, POOLS, plainHistories } from './histories.ts'
import { numbers } from './numbers.ts'
import { questions } from './questions.ts'
import type { Next } from './values.ts'

export interface Drawn {
  readonly history: History
  readonly seed: number
}
export const mixed: fc.Arbitrary<Drawn> = fc.record({ history: mixedHistories, seed: fc.nat() })
export const plain: fc.Arbitrary<Drawn> = fc.record({ history: plainHistories, seed: fc.nat() })

export interface Moment {
  readonly world: World
  readonly next: Next
  readonly requests: readonly Request[]
}

/** The world after each revision of a history, with questions about it. */
export function* walk(
  { history, seed }: Drawn,
  asked: number,
  change = (operation: Operation) => operation,
): Generator<Moment> {
  const pool = POOLS[history.pool]
  const next = numbers(seed)
  const world = new World()
  for (const edits of history.revisions) {
    for (const edit of edits) world.runAll(listOperations(world, pool, edit).map(change))
    yield { world, next, requests: [...questions(world, pool, next, asked)] }
  }
}
