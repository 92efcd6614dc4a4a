// Announcing what was granted for a time and ends soon (D15): the revision of the announcement is the event. Each end is
// announced once: the grant has the end that was announced, so another end is announced again. No decision reads it.
import type { Objects } from '../../kinds/index.ts'
import type { Announced, StoredTimes } from '../../kinds/times.ts'
import { put } from '../../log/change.ts'
import { counted } from '../../model/counted.ts'
import { ENDING_NAMED_MAX } from '../../model/limits.ts'
import { formatInstant } from '../../model/print-time.ts'
import type { Decided, Mint, View } from '../../store/view.ts'
import type { TimedFact } from '../rules/payload.ts'

export interface EndingInput {
  /** keys of what was seen to end soon: it is looked at again */
  readonly role_assignments: readonly string[]
  readonly relationship_tuples: readonly string[]
  /** how long before its end it is announced */
  readonly noticeMs: number
}

/** Announces those of them that end soon, and whose end is not announced; returns how many. */
export function announceEnding(
  view: View,
  { role_assignments, relationship_tuples, noticeMs }: EndingInput,
  { now }: Mint,
): Decided<number> {
  const find = <K extends TimedFact>(kind: K, keys: readonly string[]): Objects[K][] =>
    keys.flatMap((key) => view.get(kind, key) ?? []).filter((object) => isToAnnounce(object, now, noticeMs))
  const assignments = find('role_assignment', role_assignments)
  const tuples = find('relationship_tuple', relationship_tuples)
  const ending = [...assignments, ...tuples]
  if (ending.length === 0) return { changes: [], result: 0 }
  const announce =
    <K extends TimedFact>(kind: K) =>
    (object: Objects[K]) =>
      put(kind, { ...object, end_announced: object.valid_until })
  const changes = [...assignments.map(announce('role_assignment')), ...tuples.map(announce('relationship_tuple'))]
  return { changes, summary: summarize(ending), result: ending.length }
}

function isToAnnounce(
  { valid_until: until, end_announced: announced }: StoredTimes & Announced,
  now: number,
  noticeMs: number,
): boolean {
  return until !== undefined && until !== null && until !== announced && now < until && until <= now + noticeMs
}

/** `announce what ends: 5 grants, the first at …: ana/editor/acme, … and 2 more` */
function summarize(ending: readonly Objects[TimedFact][]): string {
  const inOrder = ending.toSorted((left, right) => (left.valid_until ?? 0) - (right.valid_until ?? 0))
  const named = inOrder.slice(0, ENDING_NAMED_MAX).map(({ key }) => key)
  const more = ending.length - named.length
  const first = formatInstant(inOrder[0]?.valid_until ?? 0)
  return `announce what ends: ${counted(ending.length, 'grant')}, the first at ${first}: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
