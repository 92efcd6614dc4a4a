// Removes a deleted environment from the record, when its history has expired. First its row in `logs` goes, and with
// that the log is gone for every replica; then what was stored of it, some rows at a time. The claim stays until all is
// gone: a claim without a log tells the next replica that something was left.
import type { LogId } from '../../log/change.ts'
import { FORGET_PARTS_PER_STEP, TRIM_ENTRIES_PER_STEP } from '../../model/limits.ts'
import type { Deletion } from '../trim.ts'
import { type Claim, ClaimLost, MINE } from './claims.ts'
import type { Connection } from './connection.ts'
import type { KnownLog } from './entries.ts'
import type { UpkeepWork } from './snapshot-upkeep.ts'

export interface ForgetTask {
  readonly do: 'forget'
  readonly log: Pick<KnownLog, 'number' | 'id'>
  /** absent when its row is gone already: the rest is removed */
  readonly deletion?: Deletion
}

/** What is stored of each log, and how many rows go with one statement. */
const CONTENTS = [
  ['snapshots', FORGET_PARTS_PER_STEP],
  ['snapshot_parts', FORGET_PARTS_PER_STEP],
  ['entries', TRIM_ENTRIES_PER_STEP],
  ['secrets', TRIM_ENTRIES_PER_STEP],
] as const

/** The environments whose row still exists, and those that left something behind. */
export async function forgetTasks(connection: Connection, deletions: readonly Deletion[]): Promise<ForgetTask[]> {
  const known = new Map(deletions.map((deletion) => [deletion.log, deletion]))
  const due = await connection.query<{ number: number; id: string }>(
    "SELECT number, id FROM zerohop.logs WHERE id = ANY($1::text[]) AND kind = 'environment'",
    [[...known.keys()]],
  )
  const left = await connection.query<{ number: number }>(
    'SELECT number FROM zerohop.upkeep u WHERE NOT EXISTS (SELECT FROM zerohop.logs l WHERE l.number = u.number)',
  )
  return [
    ...due.flatMap(({ number, id }): ForgetTask[] => {
      const deletion = known.get(id)
      return deletion === undefined ? [] : [{ do: 'forget', log: { number, id }, deletion }]
    }),
    ...left.map(({ number }): ForgetTask => ({ do: 'forget', log: { number, id: `number ${number}` } })),
  ]
}

/** Which of these logs are not on record. */
export async function goneLogs(connection: Connection, logs: readonly LogId[]): Promise<LogId[]> {
  const rows = await connection.query<{ id: string }>(
    'SELECT id FROM unnest($1::text[]) AS asked(id) WHERE NOT EXISTS (SELECT FROM zerohop.logs l WHERE l.id = asked.id)',
    [logs],
  )
  return rows.map(({ id }) => id)
}

/**
 * @returns whether all is removed. False when the record does not say that the environment was deleted: it was restored
 *   to an older state, or has lost that.
 * @throws ClaimLost; CLOSED, after which the claim stays and says that there is more
 */
export async function forgetLog(
  { connection, report, requireOpen }: UpkeepWork,
  claim: Claim,
  { log, deletion }: ForgetTask,
): Promise<boolean> {
  if (deletion !== undefined && !(await endLog(connection, claim, deletion))) return false
  let removed = 0
  try {
    for (const [table, rows] of CONTENTS)
      for (let more = true; more; ) {
        requireOpen()
        const count = await removeSome(connection, claim, table, rows)
        if (table === 'entries') removed += count
        more = count === rows
      }
  } finally {
    if (removed > 0) report({ what: 'trimmed', log: log.id, removed, shortened: 0 })
  }
  return true
}

async function endLog(
  connection: Connection,
  { number, token }: Claim,
  { log, control, position, deletedAt, keepMs }: Deletion,
): Promise<boolean> {
  const rows = await connection.query(
    `WITH ${MINE}
    DELETE FROM zerohop.logs l USING mine WHERE l.number = mine.number AND l.id = $3 AND l.kind = 'environment'
      AND EXISTS (SELECT FROM zerohop.logs c JOIN zerohop.entries e ON e.number = c.number
        WHERE c.id = $4 AND c.kind = 'control' AND e.revision = $5 AND e.chain = decode($6, 'hex'))
      AND floor(extract(epoch FROM clock_timestamp()) * 1000) >= $7::bigint
      AND (SELECT move IS NULL FROM zerohop.meta) RETURNING l.number`,
    [number, token, log, control, position.revision, position.chain, Math.ceil(deletedAt + keepMs)],
  )
  return rows.length > 0
}

/** @throws ClaimLost */
async function removeSome(
  connection: Connection,
  { number, token }: Claim,
  table: (typeof CONTENTS)[number][0],
  limit: number,
): Promise<number> {
  const [done] = await connection.query<{ rows: number; mine: number }>(
    `WITH ${MINE}, gone AS (
      DELETE FROM zerohop.${table} USING mine
      WHERE ${table}.number = mine.number AND ${table}.ctid = ANY (ARRAY(
        SELECT ctid FROM zerohop.${table} WHERE number = $1 LIMIT ${limit}))
        AND NOT EXISTS (SELECT FROM zerohop.logs WHERE number = $1)
      RETURNING 1)
    SELECT (SELECT count(*) FROM gone)::float8 AS rows, (SELECT count(*) FROM mine)::float8 AS mine`,
    [number, token],
  )
  if (done === undefined || done.mine === 0) throw new ClaimLost()
  return done.rows
}
