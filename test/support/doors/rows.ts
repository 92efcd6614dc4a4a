// The doors that tell which rows of an application are meant: filters in memory and over HTTP, and the decisions of a
// page by a snapshot, which is asked for again under its etag.
import { permissions } from '../../../src/browser/permissions.ts'
import { matches } from '../../../src/filters/rows.ts'
import { isZerohopError } from '../../../src/model/errors.ts'
import type { Filter } from '../../../src/model/filter.ts'
import type { Snapshot } from '../../../src/model/snapshot.ts'
import type { FilterOptions } from '../../../src/pdp/request.ts'
import { MIDNIGHT } from '../../property/values.ts'
import { check } from '../../reference/check.ts'
import { isRowAllowed, questionOfRow, type Row, rowAttribute } from '../rows.ts'
import type { Asked, Clock } from './asked.ts'
import { type Awaitable, type Door, Lack, type Place } from './door.ts'
import { clockLack, HTTP_CLOCK, LIBRARY_CLOCK, toUser, withAttributes } from './library.ts'

const pickAttributes = (row: Row, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, rowAttribute(row, name)]))

/** The row with what the filter reads of it. */
function asRead(
  row: Row,
  { tenant, names }: Asked,
  { attributes, relations }: { attributes: readonly string[]; relations: readonly string[] },
) {
  const unknown = attributes.filter((name) => !names.includes(name))
  if (unknown.length > 0) throw new Error(`a filter reads ${unknown.join()}, which no row has`)
  const related = (name: string) => (Object.hasOwn(row.relations, name) ? row.relations[name]! : [])
  return {
    key: row.key ?? null,
    tenant,
    attributes: pickAttributes(row, names),
    relations: Object.fromEntries(relations.map((name) => [name, related(name)])),
  }
}

/** Whether a filter matches each row. */
function meant(filter: Filter, asked: Asked, clock: Clock): boolean[] {
  const reads = filter.kind === 'when' ? filter.reads : { attributes: [], relations: [] }
  const now = asked.instant(clock)
  const at = now === undefined ? {} : { now }
  return asked.rows.map((row) => matches(filter, asRead(row, asked, reads), at))
}

/** The filter of a question; what a filter cannot say is refused by name. */
export async function filterOrLack(find: () => Awaitable<Filter>): Promise<Filter | Lack> {
  try {
    return await find()
  } catch (error) {
    if (isZerohopError(error, 'FILTER_REFUSED')) return new Lack('a filter cannot say it')
    throw error
  }
}

/** The filter of the library. */
export function makeFilter({ desk }: Place, { request, tenant }: Asked, options: Partial<FilterOptions> = {}): Filter {
  const { user, action, resource, sent = {} } = request
  const asks = sent.action === undefined ? action : { key: action, attributes: sent.action }
  const asked = { tenant, context: sent.context ?? null, ...options }
  return desk.pdp.filter(toUser(user, sent.user), asks, resource.type, asked)
}

/** The definition of the question that each row makes; over HTTP rows are not marked unless a header says so (D2). */
export const rightOfRows =
  (clock: Clock, areMarked = true) =>
  (asked: Asked): boolean[] =>
    asked.once(`rows ${clock} ${areMarked}`, () =>
      asked.rows.map((row) =>
        isRowAllowed(asked.inForce(clock), asked.at(clock), asked.tenant, row, asked.names, areMarked),
      ),
    )

/** Whether the filter of the library matches each row. */
export async function filterWith(
  place: Place,
  asked: Asked,
  options?: Partial<FilterOptions>,
): Promise<boolean[] | Lack> {
  const filter = await filterOrLack(() => makeFilter(place, asked, options))
  return filter instanceof Lack ? filter : meant(filter, asked, LIBRARY_CLOCK)
}

/** The clock of a page: the instant of the question, or one near which random instants lie. */
const pageClock = ({ t = MIDNIGHT }: Asked): number => t

const RELATIONS = ['parent', 'owner', 'constructor', 'other', 'inside']

/** What a page decides by a snapshot; null where it asks the server. */
function decided(snapshot: Snapshot, asked: Asked): (boolean | null)[] {
  const now = pageClock(asked)
  const page = permissions({ ...snapshot, expiresAt: now + 1 }, { now: () => now })
  const { request, rows } = asked
  const { type } = request.resource
  const declared = [...asked.world.relations.values()].map(({ relation }) => relation)
  return rows.map((row) => {
    // a page gives all that a condition may read
    const relations = [...new Set([...RELATIONS, ...declared, ...Object.keys(row.relations)])]
    const about = asRead(row, asked, { attributes: [], relations })
    return page.may(request.action, { type, ...about }) ?? null
  })
}

const rightInPage = (asked: Asked, areMarked: boolean): boolean[] =>
  asked.once(`page ${areMarked}`, () => {
    const { request, policy, tenant, rows, names } = asked
    const { user, context } = request.sent ?? {}
    const sent = { ...(user === undefined ? {} : { user }), context: { ...context, now: pageClock(asked) } }
    return rows.map((row) => check(policy, questionOfRow({ ...request, sent }, tenant, row, names, areMarked)))
  })

/** Where a page asks the server it says nothing wrong. */
const agreesInPage: Door['agrees'] = (answers, right) =>
  (answers as readonly (boolean | null)[]).every((each, at) => each === null || each === (right as boolean[])[at])

const noAction = ({ request }: Asked) =>
  request.sent?.action === undefined ? undefined : new Lack('it takes no attributes of the action')

/** A snapshot as a client keeps it, for the next time that the same is asked. */
interface Kept {
  readonly etag: string
  readonly snapshot: Snapshot
}

async function snapshotOverHttp({ desk, kept }: Place, { request, tenant }: Asked): Promise<Snapshot> {
  const { user, resource, sent = {} } = request
  const body = {
    user: withAttributes({ key: user }, sent.user),
    tenants: [tenant],
    types: [resource.type],
    context: sent.context ?? {},
  }
  const name = `snapshot ${JSON.stringify(body)}`
  const before = kept.get(name) as Kept | undefined
  const headers: Record<string, string> = before === undefined ? {} : { 'if-none-match': before.etag }
  const { status, json, etag } = await desk.ask('pdp', '/snapshot', { body, headers })
  if (status === 304 && before !== undefined) return before.snapshot
  if (status !== 200) throw new Error(`POST /snapshot: ${status} ${JSON.stringify(json)}`)
  kept.set(name, { etag: etag!, snapshot: json } satisfies Kept)
  return json
}

export const ROW_DOORS: readonly Door[] = [
  {
    name: 'filter in memory',
    say: filterWith,
    right: rightOfRows(LIBRARY_CLOCK),
  },
  {
    name: 'POST /filter',
    say: async ({ desk }, asked) => {
      const { user, action, resource, sent = {} } = asked.request
      const lack = noAction(asked) ?? clockLack(asked)
      if (lack !== undefined) return lack
      const { tenant } = asked
      const about = { action, resource: { type: resource.type, tenant }, context: sent.context ?? {} }
      const body = { user: withAttributes({ key: user }, sent.user), ...about }
      const { status, json } = await desk.ask('pdp', '/filter', { body })
      if (status === 200) return meant(json, asked, HTTP_CLOCK)
      if (status === 400 && /cannot be said|filter/i.test(JSON.stringify(json)))
        return new Lack('a filter cannot say it')
      throw new Error(`POST /filter: ${status} ${JSON.stringify(json)}`)
    },
    right: rightOfRows(HTTP_CLOCK, false),
  },
  {
    name: 'page by a snapshot',
    say: ({ desk }, asked) => {
      const { user, resource, sent = {} } = asked.request
      const lack = noAction(asked)
      if (lack !== undefined) return lack
      const options = { tenants: [asked.tenant], types: [resource.type], context: sent.context ?? {} }
      const snapshot = desk.pdp.snapshot(toUser(user, sent.user), options)
      return decided(JSON.parse(JSON.stringify(snapshot)), asked)
    },
    right: (asked) => rightInPage(asked, true),
    agrees: agreesInPage,
  },
  {
    name: 'page by a snapshot over HTTP, under its etag',
    say: async (place, asked) => noAction(asked) ?? decided(await snapshotOverHttp(place, asked), asked),
    right: (asked) => rightInPage(asked, false),
    agrees: agreesInPage,
  },
]
