// Deletes what was granted for a time some time after its end (D15): as a revision of the system in each environment, a
// bounded number of objects in each. The writer looks at them again, because somebody may have prolonged one meanwhile.
import { setImmediate } from 'node:timers/promises'
import { STORED_STATES } from '../../kinds/access-request.ts'
import { type LogId, withoutRequest } from '../../log/change.ts'
import { ENDED_PER_REVISION } from '../../model/limits.ts'
import type { Store } from '../../store/store.ts'
import type { StoredView } from '../../store/view.ts'
import { endedBefore } from '../objects/ended.ts'
import type { TimedFact } from '../rules/payload.ts'
import { closedSpan, endedSpan } from '../rules/time-spans.ts'
import { listEnvironments } from './open.ts'
import type { ManagementUseCases } from './registry.ts'

const BY = withoutRequest('deleteEnded')

/**
 * Deletes what ended longer ago than `keptMs`; returns how many objects. What fails in one environment is left to the next
 * time, and the others go on.
 * @param failed called with each error
 */
export async function deleteAllEnded(
  store: Store<ManagementUseCases>,
  keptMs: number,
  now: number,
  failed: (error: unknown) => void,
): Promise<number> {
  let deleted = 0
  for (const environment of listEnvironments(store)) {
    try {
      deleted += await deleteEndedIn(store, environment, keptMs, now)
    } catch (error) {
      failed(error)
    }
  }
  return deleted
}

async function deleteEndedIn(
  store: Store<ManagementUseCases>,
  environment: LogId,
  keptMs: number,
  now: number,
): Promise<number> {
  let deleted = 0
  for (;;) {
    const keys = findEnded(store, environment, keptMs, now)
    if (Object.values(keys).every(({ length }) => length === 0)) return deleted
    const { result } = await store.commit(environment, 'deleteEnded', { ...keys, keptMs }, BY)
    // another replica was faster, or somebody prolonged all of them
    if (result === 0) return deleted
    deleted += result
    await setImmediate() // waiting writes go first
  }
}

/** Keys of access requests that were closed at that instant. */
function findClosed(view: StoredView, before: number | undefined, limit: number): string[] {
  if (before === undefined || before < 0) return []
  const keys: string[] = []
  for (const span of STORED_STATES.map((state) => closedSpan(state, before))) {
    if (keys.length >= limit) break
    const places = view.placesIn(span, { limit: limit - keys.length })
    keys.push(...places.flatMap((place) => view.at('access_request', place)?.key ?? []))
  }
  return keys
}

/** Keys of the first objects that ended long enough ago. */
function findEnded(store: Store<ManagementUseCases>, environment: LogId, keptMs: number, now: number) {
  const view = store.view(environment)
  const before = endedBefore(view, now, keptMs)
  const find = (kind: TimedFact): string[] => {
    if (before === undefined || before < 0) return []
    const places = view.placesIn(endedSpan(kind, before), { limit: ENDED_PER_REVISION })
    return places.flatMap((place) => view.at(kind, place)?.key ?? [])
  }
  const role_assignments = find('role_assignment')
  const isFull = role_assignments.length >= ENDED_PER_REVISION
  const relationship_tuples = isFull ? [] : find('relationship_tuple')
  const left = ENDED_PER_REVISION - role_assignments.length - relationship_tuples.length
  return { role_assignments, relationship_tuples, access_requests: findClosed(view, before, left) }
}
