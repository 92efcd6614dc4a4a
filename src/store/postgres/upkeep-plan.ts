// What the record needs: logs that are due for a snapshot, snapshots that wait for a confirmation, and entries that are
// no longer kept. One question for many logs; only numbers and times, no contents.
import type { LogId } from '../../log/change.ts'
import {
  PAST_PARTS,
  SNAPSHOT_ALONE_SECONDS,
  SNAPSHOT_ENTRIES_MIN,
  SNAPSHOT_RETRY_MINUTES,
  SNAPSHOT_UNCOVERED_BYTES_MIN,
  TRIM_AGE_MINUTES,
  UPKEEP_LOGS_MAX,
} from '../../model/limits.ts'
import type { Deletion, Keep } from '../trim.ts'
import type { Connection } from './connection.ts'
import type { KnownLog } from './entries.ts'
import type { ForgetTask } from './forget-log.ts'
import { IS_OF_RECORD } from './snapshots.ts'

/** How much of each log is kept on record, as in a data folder. */
export interface RecordRetention {
  readonly deltas: Keep
  readonly history: Keep
  /** how far back snapshots are kept, with the changes after the oldest; undefined: only the newest is kept */
  readonly past?: Keep | undefined
  /** environments whose history has expired */
  readonly deletions: readonly Deletion[]
}

export type UpkeepTask =
  /** `newest`: revision of the newest snapshot, confirmed or not; 0 without one */
  | { readonly do: 'write'; readonly log: KnownLog; readonly newest: number }
  | { readonly do: 'check'; readonly log: KnownLog; readonly revision: number }
  | { readonly do: 'trim'; readonly log: KnownLog }
  | ForgetTask

/** Where a log stands on record. Times are ms since 1970. */
export interface LogState extends KnownLog {
  readonly head: number
  readonly oldest: number
  readonly oldestAt: number
  /** the oldest entry that has its changes */
  readonly whole: number
  readonly wholeAt: number | null
  /** of the newest confirmed snapshot */
  readonly confirmed: number
  readonly objects: number
  readonly bytes: number
  /** when the oldest entry after it was written; null without one */
  readonly uncoveredAt: number | null
  /** of the newest snapshot that is not confirmed, later than the confirmed one */
  readonly pending: number | null
  readonly state: 'written' | 'refused' | null
  /** since when it waits, or was refused; null when it was confirmed before, and then damaged */
  readonly pendingAt: number | null
  /** whether this replica wrote it */
  readonly isOwn: boolean | null
  /** revisions of the two oldest confirmed snapshots, and when the entries there were written; null without them */
  readonly first: number | null
  readonly firstAt: number | null
  readonly second: number | null
  readonly secondAt: number | null
  readonly now: number
  /** whether another replica was seen lately */
  readonly isAlone: boolean
}

const MS = (time: string) => `floor(extract(epoch FROM ${time}) * 1000)::float8`
const FIRST_FROM = (revision: string) =>
  `SELECT at::float8 AS at FROM zerohop.entries WHERE number = l.number AND revision >= ${revision} ORDER BY revision LIMIT 1`

/** Confirmed snapshots of the history on record, the oldest first, with the times of their entries. */
export const confirmedFromOldest = (number: string): string => `
  SELECT s.revision, e.at FROM zerohop.snapshots s
  JOIN zerohop.entries e ON e.number = s.number AND e.revision = s.revision AND e.chain = s.chain
  WHERE s.number = ${number} AND s.state = 'confirmed' ORDER BY s.revision`

/** A page of logs in the order of their numbers. */
export async function readLogStates(
  connection: Connection,
  replica: string,
  after: number,
): Promise<(LogState & Record<string, unknown>)[]> {
  return connection.query<LogState & Record<string, unknown>>(
    `SELECT l.number, l.id, l.kind, encode(l.lineage, 'hex') AS lineage, h.revision::float8 AS head,
      o.revision::float8 AS oldest, o.at::float8 AS "oldestAt", w.revision::float8 AS whole, wa.at AS "wholeAt",
      coalesce(c.revision, 0)::float8 AS confirmed, coalesce(c.objects, 0)::float8 AS objects,
      coalesce(c.bytes, 0)::float8 AS bytes, b.at AS "uncoveredAt", p.revision::float8 AS pending, p.state,
      f.revision::float8 AS first, f.at::float8 AS "firstAt", t.revision::float8 AS second, t.at::float8 AS "secondAt",
      ${MS('p.at')} AS "pendingAt", p.writer = $1::uuid AS "isOwn", ${MS('clock_timestamp()')} AS now,
      NOT EXISTS (SELECT FROM zerohop.replicas WHERE id <> $1::uuid
        AND seen > clock_timestamp() - interval '${SNAPSHOT_ALONE_SECONDS} seconds') AS "isAlone"
    FROM (SELECT number, id, kind, lineage FROM zerohop.logs WHERE number > $2 ORDER BY number LIMIT ${UPKEEP_LOGS_MAX}) l
    CROSS JOIN LATERAL (SELECT revision FROM zerohop.entries WHERE number = l.number ORDER BY revision DESC LIMIT 1) h
    CROSS JOIN LATERAL (SELECT revision, at FROM zerohop.entries WHERE number = l.number ORDER BY revision LIMIT 1) o
    LEFT JOIN LATERAL (
      SELECT revision, objects, bytes FROM zerohop.snapshots s
      WHERE number = l.number AND state = 'confirmed' AND revision <= h.revision AND ${IS_OF_RECORD}
      ORDER BY revision DESC LIMIT 1) c ON true
    LEFT JOIN LATERAL (
      SELECT revision, state, writer, CASE WHEN state = 'written' OR checked_by IS NOT NULL THEN at END AS at
      FROM zerohop.snapshots s WHERE number = l.number AND state <> 'confirmed'
        AND revision > coalesce(c.revision, 0) AND revision <= h.revision AND ${IS_OF_RECORD} ORDER BY revision DESC LIMIT 1) p ON true
    CROSS JOIN LATERAL (SELECT greatest(o.revision, coalesce(
      (SELECT max(deltas_from) FROM zerohop.snapshots WHERE number = l.number), 1)) AS revision) w
    LEFT JOIN LATERAL (${confirmedFromOldest('l.number')} LIMIT 1) f ON true
    LEFT JOIN LATERAL (${confirmedFromOldest('l.number')} OFFSET 1 LIMIT 1) t ON true
    LEFT JOIN LATERAL (${FIRST_FROM('w.revision')}) wa ON true
    LEFT JOIN LATERAL (${FIRST_FROM('coalesce(c.revision, 0) + 1')}) b ON true
    ORDER BY l.number`,
    [replica, after],
  )
}

/** Whether an entry has expired. */
export function isExpired(
  { revision, at }: { readonly revision: number; readonly at: number },
  { head, now }: Pick<LogState, 'head' | 'now'>,
  { revisions, ms }: Keep,
): boolean {
  if (at >= now - TRIM_AGE_MINUTES * 60_000) return false
  return revision <= head - revisions || at < now - ms
}

/** What is due for a log. `uncovered`: bytes of the entries after the confirmed snapshot. */
export function listTasks(
  state: LogState,
  { deltas, history, past }: Pick<RecordRetention, 'deltas' | 'history' | 'past'>,
  {
    uncovered,
    entriesMin = SNAPSHOT_ENTRIES_MIN,
  }: { readonly uncovered: number; readonly entriesMin?: number | undefined },
): UpkeepTask[] {
  const { number, id, kind, lineage, head, confirmed, now } = state
  const log = { number, id, kind, lineage }
  const tasks: UpkeepTask[] = []
  if (state.pending !== null && state.state === 'written' && (state.isOwn === false || state.isAlone))
    tasks.push({ do: 'check', log, revision: state.pending })
  const isWaiting = state.pendingAt !== null && state.pendingAt > now - SNAPSHOT_RETRY_MINUTES * 60_000
  const isDue =
    // without it no one could begin
    confirmed + 1 < Math.max(state.oldest, state.whole) ||
    head - confirmed >= Math.max(entriesMin, state.objects) ||
    uncovered >= Math.max(SNAPSHOT_UNCOVERED_BYTES_MIN, state.bytes) ||
    (state.uncoveredAt !== null &&
      isExpired({ revision: confirmed + 1, at: state.uncoveredAt }, state, byAge(deltas))) ||
    isDueForPast(state, past)
  if (isDue && !isWaiting) tasks.push({ do: 'write', log, newest: Math.max(confirmed, state.pending ?? 0) })
  const isOld = (revision: number, at: number | null, keep: Keep): boolean =>
    at !== null && revision < kept && isExpired({ revision, at }, state, keep)
  const kept = oldestKept(state, past)
  if (isReplaced(state, past)) tasks.push({ do: 'trim', log })
  else if (isOld(state.oldest, state.oldestAt, history) || isOld(state.whole, state.wholeAt, deltas))
    tasks.push({ do: 'trim', log })
  return tasks
}

/** Whether no past revision is asked about: then only the newest snapshot is kept. */
export const isPastOff = (past: Keep | undefined): past is undefined => past === undefined || past.revisions === 0

/** A tenth of the reach has passed since the newest snapshot: what is kept is never older than a tenth more. */
function isDueForPast(state: LogState, past: Keep | undefined): boolean {
  const { head, confirmed, objects, uncoveredAt, now } = state
  if (isPastOff(past) || uncoveredAt === null) return false
  const many = Math.min(Math.max(SNAPSHOT_ENTRIES_MIN, objects), Math.ceil(past.revisions / PAST_PARTS))
  const isMany = head - confirmed >= many
  return isMany || uncoveredAt < now - past.ms / PAST_PARTS
}

type Starts = Pick<LogState, 'head' | 'now' | 'whole' | 'confirmed' | 'first' | 'firstAt' | 'second' | 'secondAt'>

/** Whether the oldest snapshot is not needed: the next one is beyond the reach too. */
export function isReplaced({ head, now, second, secondAt }: Starts, past: Keep | undefined): boolean {
  if (second === null || secondAt === null) return false
  return isPastOff(past) || isExpired({ revision: second, at: secondAt }, { head, now }, past)
}

/** The revision before which entries may go: that of the oldest start. The empty beginning of a log is one as well. */
export function oldestKept({ head, now, whole, confirmed, first, firstAt }: Starts, past: Keep | undefined): number {
  if (isPastOff(past) || first === null || firstAt === null) return confirmed
  const isWhole = whole <= 1 && !isExpired({ revision: first, at: firstAt }, { head, now }, past)
  return isWhole ? 0 : first
}

/** A log that is written to rarely is due when the entries after its snapshot get old, however few they are. */
const byAge = ({ ms }: Keep): Keep => ({ revisions: Number.POSITIVE_INFINITY, ms })

/** Bytes of entries after a revision, up to another. */
async function bytesOfEntries(
  connection: Connection,
  ranges: readonly { readonly number: number; readonly after: number; readonly to: number }[],
): Promise<ReadonlyMap<number, number>> {
  const rows = await connection.query<{ number: number; bytes: number }>(
    `SELECT r.number, sum(length(e.changes))::float8 AS bytes
    FROM unnest($1::int[], $2::bigint[], $3::bigint[]) AS r(number, after, upto)
    JOIN zerohop.entries e ON e.number = r.number AND e.revision > r.after AND e.revision <= r.upto GROUP BY r.number`,
    [ranges.map(({ number }) => number), ranges.map(({ after }) => after), ranges.map(({ to }) => to)],
  )
  return new Map(rows.map(({ number, bytes }) => [number, bytes]))
}

/** Sums up the bytes after snapshots from one look to the next: each entry is measured once. */
export class UncoveredBytes {
  readonly #known = new Map<LogId, { readonly from: number; readonly to: number; readonly bytes: number }>()

  async measure(connection: Connection, states: readonly LogState[]): Promise<(log: LogId) => number> {
    const ranges = states.flatMap(({ number, id, confirmed, head }) => {
      const known = this.#known.get(id)
      const isSame = known?.from === confirmed && known.to <= head
      const after = isSame ? known.to : confirmed
      if (!isSame) this.#known.set(id, { from: confirmed, to: confirmed, bytes: 0 })
      return after < head ? [{ number, id, after, to: head }] : []
    })
    const found = ranges.length === 0 ? new Map<number, number>() : await bytesOfEntries(connection, ranges)
    for (const { number, id, to } of ranges) {
      const known = this.#known.get(id)
      if (known !== undefined) this.#known.set(id, { ...known, to, bytes: known.bytes + (found.get(number) ?? 0) })
    }
    return (log) => this.#known.get(log)?.bytes ?? 0
  }
}
