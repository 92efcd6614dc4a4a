// Trims the record: entries first lose their changes, and later go altogether, as in a data folder (../trim.ts). Only
// what lies behind the oldest confirmed snapshot that is kept, is older than TRIM_AGE_MINUTES, and was folded by every
// replica that gives signs of life. The entry of the snapshot itself stays: it shows that the snapshot is of this
// history.
import { TRIM_AGE_MINUTES, TRIM_ENTRIES_PER_STEP } from '../../model/limits.ts'
import type { Keep } from '../trim.ts'
import { type Claim, ClaimLost, MINE } from './claims.ts'
import type { Connection } from './connection.ts'
import type { KnownLog } from './entries.ts'
import { removeSnapshots, type UpkeepWork } from './snapshot-upkeep.ts'
import { confirmedFromOldest, isExpired, isReplaced, oldestKept, type RecordRetention } from './upkeep-plan.ts'

interface Bounds {
  readonly head: number
  /** first revision on record, and first that has its changes */
  readonly oldest: number
  readonly whole: number
  /** revision of the newest confirmed snapshot */
  readonly confirmed: number
  /** the two oldest confirmed snapshots, and when the entries there were written */
  readonly first: number | null
  readonly firstAt: number | null
  readonly second: number | null
  readonly secondAt: number | null
  readonly now: number
  /** the oldest transaction that a replica may not have folded; null when one has folded nothing yet */
  readonly floor: string | null
}

/** `,"changes":[]}` as it is stored. */
const NO_CHANGES = Buffer.from('\0,"changes":[]}')

const CONFIRMED = (revision: string) => `EXISTS (
  SELECT FROM zerohop.snapshots s JOIN zerohop.entries k ON k.number = s.number AND k.revision = s.revision
  WHERE s.number = $1 AND s.state = 'confirmed' AND k.chain = s.chain AND s.revision >= ${revision})
  AND (SELECT move IS NULL FROM zerohop.meta)`

const REMOVE = `WITH ${MINE}
  DELETE FROM zerohop.entries e USING mine WHERE e.number = mine.number AND revision < $3 AND ${CONFIRMED('$3')}
  RETURNING revision`

const SHORTEN = `WITH ${MINE}, marked AS (
    UPDATE zerohop.snapshots SET deltas_from = greatest(deltas_from, $3) FROM mine
    WHERE snapshots.number = mine.number AND ${CONFIRMED('$3')})
  UPDATE zerohop.entries e SET changes = $5 FROM mine
  WHERE e.number = mine.number AND revision >= $4 AND revision < $3 AND ${CONFIRMED('$3')} RETURNING revision`

/** Trims a log as far as its retention allows, some entries at a time. @throws ClaimLost */
export async function trimLog(
  { connection, report, requireOpen }: UpkeepWork,
  claimed: Claim,
  { id, number }: KnownLog,
  { deltas, history, past }: RecordRetention,
): Promise<void> {
  let [removed, shortened] = [0, 0]
  const { token } = claimed
  try {
    for (let more = true; more; ) {
      requireOpen()
      const bounds = await readBounds(connection, number)
      more = bounds?.second != null && isReplaced(bounds, past)
      if (more && bounds?.second != null) await removeSnapshots(connection, claimed, bounds.second)
    }
    for (;;) {
      requireOpen()
      const bounds = await readBounds(connection, number)
      if (bounds === undefined || bounds.floor === null) return
      const before = oldestKept(bounds, past)
      const gone = await expiredFrom(connection, number, bounds, { from: bounds.oldest, before }, history)
      if (gone !== undefined) {
        const rows = await connection.query(REMOVE, [number, token, gone])
        if (rows.length === 0) throw new ClaimLost()
        removed += rows.length
        continue
      }
      const short = await expiredFrom(connection, number, bounds, { from: bounds.whole, before }, deltas)
      if (short === undefined) return
      const rows = await connection.query(SHORTEN, [number, token, short, bounds.whole, NO_CHANGES])
      if (rows.length === 0) throw new ClaimLost()
      shortened += rows.length
    }
  } finally {
    if (removed + shortened > 0) report({ what: 'trimmed', log: id, removed, shortened })
  }
}

async function readBounds(connection: Connection, number: number): Promise<Bounds | undefined> {
  const [bounds] = await connection.query<Bounds & Record<string, unknown>>(
    `WITH live AS (
      SELECT floor FROM zerohop.replicas
      WHERE coalesce(folded, seen) > clock_timestamp() - interval '${TRIM_AGE_MINUTES} minutes')
    SELECT h.revision::float8 AS head, o.revision::float8 AS oldest, s.revision::float8 AS confirmed,
      f.revision::float8 AS first, f.at::float8 AS "firstAt", t.revision::float8 AS second, t.at::float8 AS "secondAt",
      greatest(o.revision, (SELECT max(deltas_from) FROM zerohop.snapshots WHERE number = $1))::float8 AS whole,
      floor(extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now,
      CASE WHEN NOT EXISTS (SELECT FROM live WHERE floor IS NULL)
        THEN (SELECT floor::text FROM live ORDER BY floor LIMIT 1) END AS floor
    FROM (SELECT revision FROM zerohop.entries WHERE number = $1 ORDER BY revision DESC LIMIT 1) h
    CROSS JOIN (SELECT revision FROM zerohop.entries WHERE number = $1 ORDER BY revision LIMIT 1) o
    CROSS JOIN (
      SELECT s.revision FROM zerohop.snapshots s JOIN zerohop.entries k ON k.number = s.number AND k.revision = s.revision
      WHERE s.number = $1 AND s.state = 'confirmed' AND k.chain = s.chain ORDER BY s.revision DESC LIMIT 1) s
    LEFT JOIN LATERAL (${confirmedFromOldest('$1')} LIMIT 1) f ON true
    LEFT JOIN LATERAL (${confirmedFromOldest('$1')} OFFSET 1 LIMIT 1) t ON true`,
    [number],
  )
  return bounds
}

/** The revision before which entries from `from` on go with the next step; undefined when none do. */
async function expiredFrom(
  connection: Connection,
  number: number,
  bounds: Bounds,
  { from, before }: { readonly from: number; readonly before: number },
  keep: Keep,
): Promise<number | undefined> {
  if (from >= before) return undefined
  const entries = await connection.query<{ revision: number; at: number; isHeld: boolean }>(
    `SELECT revision::float8 AS revision, at::float8 AS at, tx >= $4::xid8 AS "isHeld" FROM zerohop.entries
    WHERE number = $1 AND revision >= $2 AND revision < $3 ORDER BY revision LIMIT ${TRIM_ENTRIES_PER_STEP}`,
    [number, from, before, bounds.floor],
  )
  const kept = entries.findIndex((entry) => entry.isHeld || !isExpired(entry, bounds, keep))
  const count = kept === -1 ? entries.length : kept
  return count === 0 ? undefined : (entries[count - 1]?.revision ?? 0) + 1
}
