// Lists of what may be granted for a time (D15): they show what has not ended, unless `state` asks for something else.
// Objects are listed in the order of their creation, whatever their times; what has ended, or has not begun, is found by
// the indexes of ends and beginnings, so that a page of a million assignments does not read them all.
import { setImmediate } from 'node:timers/promises'
import type { KindName, Objects } from '../../kinds/index.ts'
import type { Membership } from '../../kinds/membership.ts'
import type { RoleAssignment } from '../../kinds/role-assignment.ts'
import { stateAt, type TimeState } from '../../kinds/times.ts'
import type { TimedFact } from '../../management/rules/payload.ts'
import { endedSpan, endingSpan, scheduledSpan } from '../../management/rules/time-spans.ts'
import { ZerohopError } from '../../model/errors.ts'
import { parseExactInstant } from '../../model/instant.ts'
import { SCAN_ROWS_PER_TURN, SPAN_ROWS_PER_TURN } from '../../model/limits.ts'
import type { Places, Span, StoredView, View } from '../../store/view.ts'
import { type Page, type Query, readText, readTexts } from '../page.ts'
import {
  everyObject,
  type Filter,
  filtered,
  NO_ROWS,
  placed,
  type Rows,
  type Source,
  searched,
} from './collection-pages.ts'
import { leavesFew } from './text-search.ts'

const TIME_STATES: readonly TimeState[] = ['scheduled', 'in_force', 'ended']

/** What a list shows of times. */
export interface Shown {
  readonly states: ReadonlySet<TimeState>
  /** ms since 1970 */
  readonly now: number
}

/** What has not ended. */
export const notEnded = (now = Date.now()): Shown => ({ states: new Set(['scheduled', 'in_force']), now })

/** By `state`, which may be repeated. @throws INPUT_INVALID */
export function readShown(query: Query, now = Date.now()): Shown {
  const sent = readTexts(query, 'state').filter((text) => text !== '')
  if (sent.length === 0) return notEnded(now)
  const isState = (text: string): text is TimeState => (TIME_STATES as readonly string[]).includes(text)
  if (sent.every(isState)) return { states: new Set(sent), now }
  const reason = `permitted: ${TIME_STATES.join(', ')}`
  throw new ZerohopError('INPUT_INVALID', { reason }, { path: ['query', 'state'] })
}

/** Whether a list shows all that has not ended. */
const isUsual = ({ states }: Shown): boolean => states.size === 2 && !states.has('ended')

/** Whether a list shows what has these times. */
export const isShown = (times: Objects[TimedFact], { states, now }: Shown): boolean => states.has(stateAt(times, now))

/** Whether a user belongs to the tenant by an assignment in one of the states; who was put there belongs to it now. */
export function isMemberShown(view: View, { user, tenant, explicit }: Membership, shown: Shown): boolean {
  if (explicit && shown.states.has('in_force')) return true
  const name = `${user}/${tenant}`
  return (
    anyShown(view.by('assignments_of_user_in_tenant', name), shown) ||
    anyShown(view.by('instance_assignments_of_user_in_tenant', name), shown)
  )
}

/** Whether a user has the tenant role, in any tenant, in one of the states. */
export const hasRoleShown = (view: View, user: string, role: string, shown: Shown): boolean =>
  anyShown(view.by('assignments_of_user_with_role', `${user}/${role}`), shown)

function anyShown(assignments: Iterable<RoleAssignment>, shown: Shown): boolean {
  for (const assignment of assignments) if (isShown(assignment, shown)) return true
  return false
}

/** The objects of a kind in these states, but for those in force. */
const listSpans = (kind: TimedFact, states: readonly TimeState[], now: number): Span[] =>
  states.flatMap((state) =>
    state === 'ended' ? endedSpan(kind, now) : state === 'scheduled' ? scheduledSpan(kind, now) : [],
  )

/** The places of spans, ascending. A bounded number is read in each turn of the event loop. */
export async function collectPlaces(view: () => StoredView, spans: readonly Span[]): Promise<Places> {
  const places: number[] = []
  for (const span of spans) {
    for (let offset = 0; ; offset += SPAN_ROWS_PER_TURN) {
      const found = view().placesIn(span, { offset, limit: SPAN_ROWS_PER_TURN })
      for (const place of found) places.push(place)
      if (found.length < SPAN_ROWS_PER_TURN) break
      await setImmediate()
    }
  }
  return places.sort((one, other) => one - other)
}

/**
 * The places of the objects to which assignments in a span lead and that are not shown, ascending.
 * @param find the key of the object; undefined where it is shown
 */
export async function collectLed(
  view: () => StoredView,
  span: Span,
  kind: KindName,
  find: (view: StoredView, assignment: RoleAssignment) => string | undefined,
): Promise<Places> {
  const places = await collectPlaces(view, [span])
  const led = new Set<number>()
  for (let from = 0; from < places.length; from += SCAN_ROWS_PER_TURN) {
    const now = view()
    for (const place of places.slice(from, from + SCAN_ROWS_PER_TURN)) {
      const assignment = now.at('role_assignment', place)
      const key = assignment && find(now, assignment)
      const found = key === undefined ? undefined : now.findPlace(kind, key)
      if (found !== undefined) led.add(found)
    }
    await setImmediate()
  }
  return [...led].sort((one, other) => one - other)
}

/** How a list leaves out what has ended: by the places of it, or by a condition on each row. */
export interface LeftOut<R> {
  readonly hidden: Places
  readonly fits: ((row: R) => boolean) | undefined
}

/**
 * How a list over an index leaves out what is not shown, which assignments in a span lead to. Few rows are looked at one
 * by one, and so are all of them where other states are asked for than the usual ones.
 * @param fits whether a row is shown
 * @param rows how many there are
 * @param collect the places of those that are not
 */
export async function findLeftOut<R>(
  view: () => StoredView,
  { shown, span, rows }: { readonly shown: Shown; readonly span: Span; readonly rows: number },
  fits: (row: R) => boolean,
  collect: () => Promise<Places>,
): Promise<LeftOut<R>> {
  if (isUsual(shown) && !hasRows(view(), [span])) return { hidden: [], fits: undefined }
  if (!isUsual(shown) || rows <= SCAN_ROWS_PER_TURN) return { hidden: [], fits }
  return { hidden: await collect(), fits: undefined }
}

/** True when a span has a row. */
const hasRows = (view: StoredView, spans: readonly Span[]): boolean =>
  spans.some((span) => view.placesIn(span, { limit: 1 }).length > 0)

/**
 * One page of assignments or tuples that fit the filters, by `state` and `ending_before`. With the latter only those that
 * have an end, the first one first.
 * @param filtersOf the filters, over a view that may leave rows out
 */
export async function listTimed<K extends TimedFact>(
  view: () => StoredView,
  kind: K,
  query: Query,
  page: Page,
  counted: boolean,
  filtersOf: (view: () => StoredView) => Filter<Objects[K]>[],
): Promise<Rows<Objects[K]>> {
  const shown = readShown(query)
  const { states, now } = shown
  const before = readInstant(query, 'ending_before')
  const fits = (row: Objects[K]) => isShown(row, shown)
  if (before !== undefined) {
    const filters = filtersOf(view)
    if (filters.some(({ sources }) => sources?.every((source) => source.count() === 0))) return NO_ROWS
    const to = states.size === 1 && states.has('ended') ? Math.min(before, now + 1) : before
    const span = endingSpan(kind, states.has('ended') ? 0 : now + 1, to)
    const pick = (row: Objects[K]) => (fits(row) && filters.every((filter) => filter.fits(row)) ? row : undefined)
    return searched(spanned(view, kind, span), page, pick, counted)
  }
  if (!states.has('in_force')) {
    const places = await collectPlaces(view, listSpans(kind, [...states], now))
    const only: Filter<Objects[K]> = { sources: [placed(view, kind, places)], fits }
    return filtered(everyObject(view, kind), [...filtersOf(view), only], page, counted)
  }
  const hidden = listSpans(
    kind,
    TIME_STATES.filter((state) => !states.has(state)),
    now,
  )
  const filters = filtersOf(view)
  if (!hasRows(view(), hidden)) return filtered(everyObject(view, kind), filters, page, counted)
  if (leavesFew(filters)) return filtered(everyObject(view, kind), [...filters, { fits }], page, counted)
  const places = await collectPlaces(view, hidden)
  const visible = () => view().without(kind, places)
  return filtered(everyObject(visible, kind), filtersOf(visible), page, counted)
}

/** The objects of a span of ends, in the order of these; where two end at once, in the order of creation. */
function spanned<K extends TimedFact>(view: () => StoredView, kind: K, span: Span): Source<Objects[K]> {
  return {
    count: () => view().countIn(span),
    open({ offset, after }) {
      const [end, place] = (after ?? []) as readonly number[]
      let last = end === undefined || place === undefined ? undefined : { at: end, place }
      return {
        read(limit) {
          const now = view()
          const places = now.placesIn(span, last === undefined ? { offset, limit } : { after: last, limit })
          return places.map((place) => {
            const row = now.at(kind, place) as Objects[K] // of one moment: each leads to an object
            last = { at: row.valid_until ?? 0, place } // what is in the span has an end
            return { row, at: [last.at, place] }
          })
        },
        close: () => undefined,
      }
    },
  }
}

/** @throws INPUT_INVALID */
function readInstant(query: Query, name: string): number | undefined {
  const text = readText(query, name)
  if (text === undefined) return undefined
  const instant = parseExactInstant(/^\d{1,15}$/.test(text) ? Number(text) : text)
  if (instant !== undefined) return instant
  const reason = 'it is an instant: ISO 8601 with an offset, such as 2026-12-31T18:00:00Z, or milliseconds since 1970'
  throw new ZerohopError('INPUT_INVALID', { reason }, { path: ['query', name] })
}
