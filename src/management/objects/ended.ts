// Deleting what was granted for a time and has ended (D15), and access requests that are closed. Nothing
// depends on when that happens: what has ended gives nothing, whether it is still there or not.
import { closesAt } from '../../kinds/access-request.ts'
import type { Objects } from '../../kinds/index.ts'
import { isEnded } from '../../kinds/times.ts'
import type { Decided, Mint, View } from '../../store/view.ts'
import { removals, withoutAssignments } from '../rules/cascade.ts'
import type { TimedFact } from '../rules/payload.ts'

export interface EndedInput {
  /** keys of what was seen to have ended: it is looked at again */
  readonly role_assignments: readonly string[]
  readonly relationship_tuples: readonly string[]
  readonly access_requests?: readonly string[]
  /** how long it is kept after its end */
  readonly keptMs: number
}

/**
 * What ended before this instant may be deleted. The earlier one of the own clock and the time of the last entry is taken,
 * so that a clock that is ahead deletes nothing; undefined when no entry says a time.
 */
export function endedBefore(view: View, now: number, keptMs: number): number | undefined {
  const at = view.writtenAt()
  return at === undefined ? undefined : Math.min(now, at) - keptMs
}

/** Deletes those of them that have ended for long enough; returns how many. */
export function deleteEnded(
  view: View,
  { role_assignments, relationship_tuples, access_requests = [], keptMs }: EndedInput,
  { now }: Mint,
): Decided<number> {
  const before = endedBefore(view, now, keptMs)
  if (before === undefined) return { changes: [], result: 0 }
  const find = <K extends TimedFact>(kind: K, keys: readonly string[]): Objects[K][] =>
    keys.flatMap((key) => view.get(kind, key) ?? []).filter((object) => isEnded(object, before))
  const assignments = find('role_assignment', role_assignments)
  const tuples = find('relationship_tuple', relationship_tuples)
  const requests = access_requests
    .flatMap((key) => view.get('access_request', key) ?? [])
    .filter((request) => closesAt(request) <= before)
  const changes = [
    ...withoutAssignments(view, assignments),
    ...removals('relationship_tuple', tuples),
    ...removals('access_request', requests),
  ]
  const result = assignments.length + tuples.length + requests.length
  return { changes, summary: `delete what has ended: ${result} deleted`, result }
}
