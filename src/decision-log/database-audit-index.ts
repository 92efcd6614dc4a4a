// The index of recorded decisions in the database, and their counts by minute. Both are written in the transaction of
// the record: a record that has its terms is counted, one that has none (an older version stored it) is neither.
import { AUDIT_INDEXED_PER_STEP } from '../model/limits.ts'
import type { Connection, Value } from '../store/postgres/connection.ts'
import type { AuditMatches, AuditMatchRange } from './audit-log.ts'
import { type AuditRecord, TIME_MAX } from './audit-tables.ts'
import {
  type AuditMinutes,
  type AuditMinutesRange,
  listTerms,
  MinuteSums,
  makeTerm,
  type Term,
  type TermGroups,
  timeOfMinute,
  toMinute,
} from './audit-terms.ts'
import { idAt, withoutDashes } from './database-audit-reads.ts'

/** The kinds that have a column of hashes. An outcome is a column itself. */
const KINDS = ['user', 'action', 'type', 'instance', 'tenant'] as const
const COLUMNS = KINDS.map((kind) => `${kind}_term`)

/** Names of the columns that `termColumns` fills, and the types of its arrays. */
export const TERM_COLUMNS = [...COLUMNS, 'allowed'].join(', ')
export const termParameters = (first: number): string =>
  [...KINDS.map((_, at) => `$${first + at}::bigint[]`), `$${first + KINDS.length}::boolean[]`].join(', ')

const toBigint = ({ hash }: Term): string => BigInt.asIntN(64, BigInt(`0x${hash}`)).toString()

/** Arrays of the terms of records, one for each column. */
export function termColumns(records: readonly Omit<AuditRecord, 'id'>[]): Value[] {
  const terms = records.map((record) => new Map(listTerms(record).map((term) => [term.kind, toBigint(term)])))
  const hashes = KINDS.map((kind) => terms.map((of) => of.get(kind) ?? null))
  return [...hashes, records.map(({ decision }) => String(decision))]
}

/** Adds counts. Rows are locked in one order. */
export async function addMinutes(connection: Connection, counted: MinuteSums): Promise<void> {
  const sums = counted.sums()
  if (sums.length === 0) return
  await connection.query(
    `INSERT INTO zerohop.decision_minutes AS m (environment, minute, allowed, denied)
    SELECT * FROM unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::bigint[])
    ON CONFLICT (environment, minute) DO UPDATE
      SET allowed = m.allowed + excluded.allowed, denied = m.denied + excluded.denied`,
    [
      sums.map(({ environment }) => environment),
      sums.map(({ minute }) => minute),
      sums.map(({ allowed }) => allowed),
      sums.map(({ denied }) => denied),
    ],
  )
}

/** Forgets counts from before a time. */
export async function trimMinutes(connection: Connection, before: number, most: number): Promise<void> {
  await connection.query(
    `DELETE FROM zerohop.decision_minutes WHERE (environment, minute) IN (
      SELECT environment, minute FROM zerohop.decision_minutes WHERE minute < $1 LIMIT $2 FOR UPDATE SKIP LOCKED)`,
    [toMinute(before), most],
  )
}

/**
 * Indexes records that an older version stored, a bounded number. Returns false when there were fewer. Runs in the open
 * transaction.
 */
export async function indexOlder(connection: Connection): Promise<boolean> {
  const rows = await connection.query<{ environment: string; id: string; record: Buffer }>(
    `SELECT environment::text AS environment, id::text AS id, record FROM zerohop.decisions
    WHERE user_term IS NULL ORDER BY environment, id LIMIT $1 FOR UPDATE SKIP LOCKED`,
    [AUDIT_INDEXED_PER_STEP],
  )
  if (rows.length === 0) return false
  const records = rows.map(({ record }) => JSON.parse(record.toString('utf8')) as AuditRecord)
  await connection.query(
    `UPDATE zerohop.decisions d SET (${TERM_COLUMNS}) = (${[...COLUMNS, 'allowed'].map((name) => `n.${name}`).join(', ')})
    FROM unnest($1::uuid[], $2::uuid[], ${termParameters(3)}) AS n(environment, id, ${TERM_COLUMNS})
    WHERE d.environment = n.environment AND d.id = n.id`,
    [rows.map(({ environment }) => environment), rows.map(({ id }) => id), ...termColumns(records)],
  )
  const counted = new MinuteSums()
  for (const [at, { environment }] of rows.entries()) counted.add(withoutDashes(environment), records[at]!)
  await addMinutes(connection, counted)
  return rows.length === AUDIT_INDEXED_PER_STEP
}

const ALLOW = makeTerm('decision', true).hash

/** As of a folder: undefined while records of an older version wait for their terms. */
export async function matchTerms(
  connection: Connection,
  environment: string,
  groups: TermGroups,
  { since = 0, before = TIME_MAX, after = idAt(before), limit }: AuditMatchRange,
): Promise<AuditMatches | undefined> {
  const [older] = await connection.query(
    'SELECT 1 FROM zerohop.decisions WHERE user_term IS NULL AND environment = $1::uuid LIMIT 1',
    [environment],
  )
  if (older !== undefined) return undefined
  const parameters: Value[] = [environment, idAt(since), after, limit]
  const tests = groups.map((group) => formatTest(group, parameters))
  const rows = await connection.query<{ id: string }>(
    `SELECT id::text AS id FROM zerohop.decisions d
    WHERE environment = $1::uuid AND id > $2::uuid AND id < $3::uuid AND ${tests.join(' AND ')}
    ORDER BY id DESC LIMIT $4`,
    parameters,
  )
  const ids = rows.map(({ id }) => withoutDashes(id))
  return { ids, next: ids.length < limit ? undefined : ids.at(-1) }
}

/** A group as SQL; adds its parameters. */
function formatTest(group: readonly Term[], parameters: Value[]): string {
  const add = (value: Value): string => `$${parameters.push(value)}`
  const tests = KINDS.flatMap((kind) => {
    const terms = group.filter((term) => term.kind === kind).map(toBigint)
    return terms.length === 0 ? [] : `${kind}_term = ANY(${add(terms)}::bigint[])`
  })
  const outcomes = group.filter(({ kind }) => kind === 'decision').map(({ hash }) => String(hash === ALLOW))
  if (outcomes.length > 0) tests.push(`allowed = ANY(${add(outcomes)}::boolean[])`)
  return `(${tests.join(' OR ')})`
}

/** Counts of an environment, in time. */
export async function sumMinutes(
  connection: Connection,
  environment: string,
  { since, before, minutes }: AuditMinutesRange,
): Promise<AuditMinutes[]> {
  const rows = await connection.query<{ minute: number; allowed: number; denied: number }>(
    `SELECT (minute / $4::bigint * $4::bigint)::float8 AS minute, sum(allowed)::float8 AS allowed, sum(denied)::float8 AS denied
    FROM zerohop.decision_minutes WHERE environment = $1::uuid AND minute >= $2::bigint AND minute < $3::bigint
    GROUP BY 1 ORDER BY 1`,
    [environment, toMinute(since), toMinute(before), minutes],
  )
  return rows.map(({ minute, allowed, denied }) => ({ at: timeOfMinute(minute), allowed, denied }))
}
