// The world after each revision of a random history, with questions about it: for laws of the definition, which need no
// image.
import fc from 'fast-check'
import type { Request } from '../reference/request.ts'
import type { Instant } from '../support/instants.ts'
import { type Operation, World } from '../support/world.ts'
import {
  findPool,
  type History,
  listOperations,
  mixedHistories,
  plainHistories,
  timedHistories,
  untimedHistories,
} from './histories.ts'
import { numbers } from './numbers.ts'
import { questions } from './questions.ts'
import { instants } from './times.ts'
import type { Next } from './values.ts'

export interface Drawn {
  readonly history: History
  readonly seed: number
}
export const mixed: fc.Arbitrary<Drawn> = fc.record({ history: mixedHistories, seed: fc.nat() })
export const untimed: fc.Arbitrary<Drawn> = fc.record({ history: untimedHistories, seed: fc.nat() })
export const timed: fc.Arbitrary<Drawn> = fc.record({ history: timedHistories, seed: fc.nat() })
export const plain: fc.Arbitrary<Drawn> = fc.record({ history: plainHistories, seed: fc.nat() })

export interface Moment {
  readonly world: World
  readonly next: Next
  readonly requests: readonly Request[]
  /** instants at which to ask them */
  readonly at: readonly Instant[]
}

/** The world after each revision of a history, with questions about it. */
export function* walk(
  { history, seed }: Drawn,
  asked: number,
  change = (operation: Operation) => operation,
): Generator<Moment> {
  const pool = findPool(history)
  const next = numbers(seed)
  const world = new World()
  for (const edits of history.revisions) {
    for (const edit of edits) world.runAll(listOperations(world, pool, edit).map(change))
    const requests = [...questions(world, pool, next, asked)]
    yield { world, next, requests, at: instants(world.policy, next, 2) }
  }
}
