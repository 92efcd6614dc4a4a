// Announces what was granted for a time and ends soon (D15): as a revision of the system in each environment, a bounded
// number of ends in each and in each round. The writer looks at them again: another replica may have been faster.
import { setImmediate } from 'node:timers/promises'
import { type LogId, withoutRequest } from '../../log/change.ts'
import { ENDING_PER_REVISION, ENDING_PER_ROUND_MAX } from '../../model/limits.ts'
import type { Store } from '../../store/store.ts'
import type { TimedFact } from '../rules/payload.ts'
import { unannouncedSpan } from '../rules/time-spans.ts'
import { listEnvironments } from './open.ts'
import type { ManagementUseCases } from './registry.ts'

const BY = withoutRequest('announceEnding')

/** Ends that were announced in one revision. */
export interface EndingEvent {
  readonly event: 'ending'
  readonly environment: LogId
  readonly revision: number
  readonly count: number
}

interface Told {
  readonly announced: (event: EndingEvent) => void
  readonly failed: (error: unknown) => void
}

/**
 * Announces what ends within `noticeMs`; returns how many ends. What fails in one environment is left to the next time, and
 * the others go on.
 * @param noticeMs 0: nothing is announced
 */
export async function announceAllEnding(
  store: Store<ManagementUseCases>,
  noticeMs: number,
  now: number,
  { announced, failed }: Told,
): Promise<number> {
  let count = 0
  if (noticeMs <= 0) return count
  for (const environment of listEnvironments(store)) {
    try {
      count += await announceIn(store, environment, { noticeMs, now, announced })
    } catch (error) {
      failed(error)
    }
  }
  return count
}

interface Round extends Pick<Told, 'announced'> {
  readonly noticeMs: number
  readonly now: number
}

async function announceIn(
  store: Store<ManagementUseCases>,
  environment: LogId,
  { noticeMs, now, announced }: Round,
): Promise<number> {
  let total = 0
  while (total < ENDING_PER_ROUND_MAX) {
    const keys = findEnding(store, environment, now, now + noticeMs)
    if (keys.role_assignments.length + keys.relationship_tuples.length === 0) break
    const { result: count, revision } = await store.commit(environment, 'announceEnding', { ...keys, noticeMs }, BY)
    // another replica was faster, or the clock of the writer says otherwise
    if (count === 0) break
    total += count
    announced({ event: 'ending', environment, revision, count })
    await setImmediate() // waiting writes go first
  }
  return total
}

/** Keys of what ends first, after one instant and until another one. */
function findEnding(store: Store<ManagementUseCases>, environment: LogId, now: number, until: number) {
  const view = store.view(environment)
  const find = (kind: TimedFact, limit: number): string[] =>
    limit <= 0
      ? []
      : view
          .placesIn(unannouncedSpan(kind, now + 1, until + 1), { limit })
          .flatMap((place) => view.at(kind, place)?.key ?? [])
  const role_assignments = find('role_assignment', ENDING_PER_REVISION)
  const left = ENDING_PER_REVISION - role_assignments.length
  return { role_assignments, relationship_tuples: find('relationship_tuple', left) }
}
