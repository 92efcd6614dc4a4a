// The law of filters in databases: the rows for which the condition is true are those for which the filter holds, of
// the tenant of the filter; and no condition is ever unknown.
import { holds } from '../../src/filters/evaluate.ts'
import type { Mapping } from '../../src/filters/mapping.ts'
import { type ResourceOptions, type RowResource, toResource } from '../../src/filters/rows.ts'
import type { Statement } from '../../src/filters/sql/fragment.ts'
import type { ConditionalFilter } from '../../src/model/filter.ts'
import { isZerohopError } from '../../src/model/errors.ts'
import { MIDNIGHT, type Next } from './random-rows.ts'
import { TENANT } from './random-filters.ts'

export const NOW = MIDNIGHT

/** A generator of random numbers that is the same everywhere. */
export function generator(seed: number): Next {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

export interface StoredRow {
  /** number of the row in its table */
  readonly n: number
  readonly tenant: string | null
  /** undefined for a row without a tenant */
  readonly resource: RowResource | undefined
}

/** What the driver gave, as rows of the law. */
export function storedRow(row: Readonly<Record<string, unknown>>, mapping: Mapping, options?: ResourceOptions): StoredRow {
  const tenant = row[mapping.tenant as string] as string | null
  const n = Number(row.n)
  return { n, tenant, resource: tenant === null ? undefined : toResource(row, mapping, options) }
}

/** Numbers of the rows that the filter means. */
export function expected({ where }: ConditionalFilter, rows: readonly StoredRow[]): number[] {
  return rows.filter((row) => row.tenant === TENANT && row.resource !== undefined && means(where, row.resource)).map(({ n }) => n)
}

function means(where: ConditionalFilter['where'], { key, attributes, relations }: RowResource): boolean {
  return holds(where, {
    attribute: (name) => attributes[name]!,
    key: () => key ?? undefined,
    related: (name) => relations[name]!,
    now: () => NOW,
  })
}

/** The condition, or the reason for which it is refused. */
export function conditionOrRefusal(make: () => Statement): Statement | string {
  try {
    return make()
  } catch (error) {
    if (isZerohopError(error, 'FILTER_REFUSED')) return error.message
    throw error
  }
}
