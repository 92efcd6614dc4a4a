// The law of filters in time (D15): rows at instants from the one at which their filter was made on. Also for filters that
// are wrong in one point.
import type { Image } from '../../src/image/image.ts'
import type { Filter } from '../../src/model/filter.ts'
import { askedAt, resolveTenant } from '../reference/request.ts'
import { policyAt } from '../reference/times.ts'
import { isRowAllowed } from '../support/rows.ts'
import { type Drawn, makeFilter, makeSituation, meant, refusedOr, rowsFor } from './filter-law.ts'
import { numbers } from './numbers.ts'
import { makeWords } from './set-edits.ts'
import { instantsAround } from './times.ts'

const INSTANTS = 3

export interface Compared {
  readonly about: string
  readonly filter: Filter
  readonly made: number
  readonly at: number
  readonly defined: boolean
  readonly means: boolean
}

/** Rows at instants from the one at which their filter was made on: also at those at which it has ended. */
export function* filtersInTime(drawn: Drawn, of?: typeof Image): Iterable<Compared> {
  const next = numbers(drawn.seed)
  const { image, world, pool, requests } = makeSituation(drawn, next, of)
  const times = instantsAround(world.policy)
  for (const request of requests) {
    const tenant = resolveTenant(world.policy, request)
    const areRows = next(2) === 0
    for (let count = INSTANTS; count > 0; count--) {
      const made = times[next(times.length)]!
      const asked = askedAt(request, made)
      const filter = refusedOr(() => image.guardAt(made, () => makeFilter(image, asked, tenant, areRows)))
      if (filter === undefined) continue
      const reads = filter.kind === 'when' ? filter.reads.attributes : []
      for (const row of rowsFor(world, makeWords(world, pool), request, next)) {
        const means = meant(filter, row)
        for (const at of times.filter((time) => time >= made)) {
          const defined = isRowAllowed(policyAt(world.policy, at), asked, tenant, row, reads, areRows)
          yield { about: JSON.stringify({ asked, row, filter, made, at }), filter, made, at, defined, means }
        }
      }
    }
  }
}

export const isOver = ({ filter: { validUntil = Number.POSITIVE_INFINITY }, at }: Compared): boolean => at >= validUntil
