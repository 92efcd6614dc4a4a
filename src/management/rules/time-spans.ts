// The parts of indexes that have what was granted for a time and has ended, or has not begun (D15).
import type { StoredState } from '../../kinds/access-request.ts'
import { INSTANT_MAX } from '../../model/instant.ts'
import type { Span } from '../../store/view.ts'
import type { TimedFact } from './payload.ts'

const ENDS = { role_assignment: 'assignments_by_end', relationship_tuple: 'tuples_by_end' } as const
const UNANNOUNCED = { role_assignment: 'assignments_unannounced', relationship_tuple: 'tuples_unannounced' } as const
const STARTS = { role_assignment: 'assignments_by_start', relationship_tuple: 'tuples_by_start' } as const
/** In this order they are told of. */
export const TIMED_FACTS = Object.keys(ENDS) as readonly TimedFact[]

/** What ends from an instant on and before another one, in ms since 1970. */
export const endingSpan = (kind: TimedFact, from: number, to: number = INSTANT_MAX + 1): Span => ({
  index: ENDS[kind],
  from,
  to,
})

/** What ends from an instant on and before another one, and is not announced. */
export const unannouncedSpan = (kind: TimedFact, from: number, to: number): Span => ({
  index: UNANNOUNCED[kind],
  from,
  to,
})

/** What has ended. */
export const endedSpan = (kind: TimedFact, now: number): Span => endingSpan(kind, 0, now + 1)

/** What has not begun. */
export const scheduledSpan = (kind: TimedFact, now: number): Span => ({
  index: STARTS[kind],
  from: now + 1,
  to: INSTANT_MAX + 1,
})

/** Access requests in a stored state that were closed at that instant: decided, expired or ended. */
export const closedSpan = (state: StoredState, now: number): Span => ({ ...openSpan(state, 0), from: 0, to: now + 1 })

/** The others in that state, which were still open. */
export const openSpan = (state: StoredState, now: number): Span => ({
  index: 'requests_by_close',
  prefix: `${state}/`,
  from: now + 1,
  to: INSTANT_MAX + 1,
})

/** The assignments in one tenant that have ended. */
export const endedInTenant = (tenant: string, now: number): Span => ({
  index: 'assignments_of_tenant_by_end',
  prefix: `${tenant}/`,
  from: 0,
  to: now + 1,
})
