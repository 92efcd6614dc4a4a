// Random rows for random questions, with what the filter says of each and what the definition says of the question that
// the row makes. Also for the long run and for filters that are wrong in one point.
import { holds, type RowReader } from '../../src/filters/evaluate.ts'
import type { Image } from '../../src/image/image.ts'
import { isZerohopError } from '../../src/model/errors.ts'
import type { Filter } from '../../src/model/filter.ts'
import type { Json, JsonObject } from '../../src/model/objects.ts'
import { check } from '../reference/check.ts'
import { type Request, tenantOf } from '../reference/request.ts'
import type { World } from '../support/world.ts'
import { numbers, POOLS } from './histories.ts'
import { type Play, play } from './laws.ts'
import type { Pool } from './pool.ts'
import { questions } from './questions.ts'
import { wordsOf } from './set-edits.ts'
import { attributesOf, hintsFor, type Next, sentFrom } from './values.ts'

export const FILTER_LAW_CASES = { questions: 12, rows: 8 }

/** A row of an application: what it says of itself. */
export interface Row {
  readonly key: string | undefined
  readonly attributes: JsonObject
}

export interface Compared {
  readonly asked: Request
  readonly filter: Filter
  readonly row: Row
  readonly defined: boolean
  readonly means: boolean
}

/** @param of makes the filter; the one of the image unless a wrong one is looked for */
export function* filterLaw(
  drawn: Play,
  { questions: count, rows }: typeof FILTER_LAW_CASES,
  of: (image: Image, asked: Request, tenant: string) => Filter = filterOf,
): Iterable<Compared> {
  const { image, world } = play(drawn, { checksPerRevision: 0 })
  const pool = POOLS[drawn.history.pool]
  const next = numbers(drawn.seed)
  for (const asked of questions(world, pool, next, count)) {
    const tenant = tenantOf(world.policy, asked)
    const filter = refusedOr(() => of(image, asked, tenant))
    if (filter === undefined) continue
    for (const row of rowsFor(world, pool, asked, next, rows)) {
      yield { asked, filter, row, defined: definedFor(world, asked, tenant, filter, row), means: meant(filter, row) }
    }
  }
}

export function filterOf(image: Image, { user, action, resource: { type }, sent }: Request, tenant: string): Filter {
  return image.filter({
    user,
    action,
    type,
    tenant,
    sent: { user: sent?.user, action: sent?.action, context: sent?.context },
  })
}

/** What a filter cannot say is refused by name; that is not what the law is about. */
function refusedOr(make: () => Filter): Filter | undefined {
  try {
    return make()
  } catch (error) {
    if (isZerohopError(error, 'FILTER_REFUSED')) return undefined
    throw error
  }
}

/** Whether the filter means the row. A row has `null` for every attribute that it does not have. */
export function meant(filter: Filter, row: Row): boolean {
  if (filter.kind !== 'when') return filter.kind === 'always'
  const reader: RowReader = {
    attribute: (name) => {
      if (!filter.reads.attributes.includes(name)) throw new Error(`\`${name}\` is not among what the filter reads`)
      return valueOf(row, name)
    },
    key: () => row.key,
    related: () => [],
    now: () => Number.NaN,
  }
  return holds(filter.where, reader)
}

const valueOf = ({ attributes }: Row, name: string): Json =>
  Object.hasOwn(attributes, name) ? attributes[name]! : null

/** The definition of the question that the row makes: with its value for every attribute that the filter reads. */
function definedFor(world: World, asked: Request, tenant: string, filter: Filter, row: Row): boolean {
  const names = filter.kind === 'when' ? filter.reads.attributes : []
  const resource = Object.fromEntries(names.map((name) => [name, valueOf(row, name)]))
  return check(world.policy, {
    ...asked,
    resource: { type: asked.resource.type, tenant, ...(row.key === undefined ? {} : { key: row.key }) },
    sent: { ...asked.sent, resource },
  })
}

/** Rows with attributes that the conditions ask for, nearly, and with keys that may be stored, here or elsewhere. */
function* rowsFor(world: World, pool: Pool, asked: Request, next: Next, count: number): Iterable<Row> {
  const words = wordsOf(world, pool)
  const { type } = asked.resource
  const stored = [...world.policy.resource_instance.keys()].filter((key) => key.startsWith(`${type}:`))
  const sets = [...world.policy.condition_set.values()].map(({ conditions }) => conditions)
  for (let row = 0; row < count; row++) {
    const key = [undefined, 'nothing', ...Array(4).fill(stored[next(Math.max(1, stored.length))])][next(6)]
    const hinted = sentFrom(next, words, hintsFor(next, words, sets)).resource ?? {}
    const own = asked.sent?.resource ?? {}
    const attributes = [own, hinted, { ...own, ...hinted }, attributesOf(next, words)][next(4)]!
    yield { key: key === undefined ? undefined : key.slice(key.indexOf(':') + 1), attributes }
  }
}
