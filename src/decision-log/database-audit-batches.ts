// Batches of decision records in one transaction of the database. The rows of their series are locked first: two
// replicas that get the same batch store it one after the other, and the second finds all of it.
import { ZerohopError } from '../model/errors.ts'
import { AUDIT_INSERT_MAX } from '../model/limits.ts'
import type { Connection } from '../store/postgres/connection.ts'
import { type PreparedLine, type Refusal, type Stored, toStored } from './audit-lines.ts'
import { type AuditRecord, keyId, recordKey } from './audit-tables.ts'
import { MinuteSums } from './audit-terms.ts'
import { addMinutes, TERM_COLUMNS, termColumns, termParameters } from './database-audit-index.ts'
import { withoutDashes } from './database-audit-reads.ts'
import { addUses } from './database-last-uses.ts'
import { UseSums } from './last-uses.ts'

export interface PreparedBatch {
  /** id of the key that sent it; null for a process with the management side in it */
  readonly sender: string | null
  readonly lines: readonly PreparedLine[]
  /** why lines were refused, and how many */
  readonly refusals: Record<Refusal, number>
}

interface Series {
  readonly number: number
  readonly sender: string | null
}

/** A record that may be new. */
interface Row {
  readonly id: string
  readonly line: PreparedLine
  readonly batch: PreparedBatch
}

interface Totals {
  stored: number
  dropped: number
  last: number
}

/** Stores batches in the open transaction. Returns what became of each. */
export async function storeBatches(
  connection: Connection,
  batches: readonly PreparedBatch[],
  now: number,
): Promise<Stored[]> {
  const series = await lockSeries(connection, batches, now)
  const known = new Map(batches.map((batch) => [batch, 0]))
  const add = (counts: Map<PreparedBatch, number>, batch: PreparedBatch): void =>
    void counts.set(batch, (counts.get(batch) ?? 0) + 1)
  const rows = new Map<string, Row>()
  for (const batch of batches) {
    for (const line of batch.lines) {
      const { environment, record, dropped } = line
      const { number, sender } = series.get(record.instance)!
      // what comes from such a process itself is taken as it is
      if (batch.sender !== null && batch.sender !== sender) {
        batch.refusals.other_sender++
        continue
      }
      const id = keyId(recordKey(environment, record.at, number, record.seq))
      if (rows.has(environment + id)) add(known, batch)
      else rows.set(environment + id, { id, line: { environment, record, dropped }, batch })
    }
  }
  const stored = new Map<PreparedBatch, number>()
  const totals = new Map<string, Totals>()
  const counts = new Map<string, number>()
  const minutes = new MinuteSums()
  const uses = new UseSums()
  const fresh = await insertRecords(connection, [...rows.values()])
  for (const [key, { line, batch }] of rows) {
    if (!fresh.has(key)) {
      add(known, batch)
      continue
    }
    add(stored, batch)
    const { environment, record, dropped } = line
    minutes.add(environment, record)
    uses.add(environment, record, dropped)
    counts.set(environment, (counts.get(environment) ?? 0) + 1)
    const of = totals.get(record.instance) ?? { stored: 0, dropped: 0, last: 0 }
    totals.set(record.instance, {
      stored: of.stored + 1,
      dropped: of.dropped + dropped,
      last: Math.max(of.last, record.seq),
    })
  }
  if (fresh.size > 0) {
    await Promise.all([
      addTotals(connection, totals, now),
      addCounts(connection, counts),
      addMinutes(connection, minutes),
    ])
    await addUses(connection, uses)
  }
  return batches.map((batch) => toStored(stored.get(batch) ?? 0, known.get(batch) ?? 0, batch.refusals))
}

/** The series of all lines, locked; those that are new begin, and belong to the first batch that names them. */
async function lockSeries(
  connection: Connection,
  batches: readonly PreparedBatch[],
  now: number,
): Promise<ReadonlyMap<string, Series>> {
  const senders = new Map<string, string | null>()
  for (const { sender, lines } of batches) {
    for (const { record } of lines) if (!senders.has(record.instance)) senders.set(record.instance, sender)
  }
  // everyone locks in this order
  const names = [...senders.keys()].sort()
  const found = new Map<string, Series>()
  const lock = async (): Promise<string[]> => {
    const rows = await connection.query<Series & { id: string }>(
      `SELECT id::text AS id, number::float8 AS number, sender FROM zerohop.decision_series
      WHERE id = ANY($1::uuid[]) ORDER BY id FOR NO KEY UPDATE`,
      [names.filter((name) => !found.has(name))],
    )
    for (const { id, number, sender } of rows) found.set(withoutDashes(id), { number, sender })
    return names.filter((name) => !found.has(name))
  }
  const missing = await lock()
  if (missing.length === 0) return found
  // only those: each attempt to insert uses a number
  const begun = await connection.query<Series & { id: string }>(
    `INSERT INTO zerohop.decision_series (id, sender, seen)
    SELECT id, sender, $3::bigint FROM unnest($1::uuid[], $2::text[]) AS n(id, sender) ORDER BY id
    ON CONFLICT (id) DO NOTHING RETURNING id::text AS id, number::float8 AS number, sender`,
    [missing, missing.map((name) => senders.get(name) ?? null), now],
  )
  for (const { id, number, sender } of begun) found.set(withoutDashes(id), { number, sender })
  if (found.size < names.length && (await lock()).length > 0)
    throw new ZerohopError('DATABASE_UNAVAILABLE', { reason: 'a series of records was forgotten meanwhile' })
  return found
}

/** Inserts records that are not there. Returns those that were not, as environment and id. */
async function insertRecords(connection: Connection, rows: readonly Row[]): Promise<ReadonlySet<string>> {
  const fresh = new Set<string>()
  for (let at = 0; at < rows.length; at += AUDIT_INSERT_MAX) {
    const some = rows.slice(at, at + AUDIT_INSERT_MAX)
    const inserted = await connection.query<{ environment: string; id: string }>(
      `INSERT INTO zerohop.decisions (environment, id, record, ${TERM_COLUMNS}, is_used)
      SELECT *, true FROM unnest($1::uuid[], $2::uuid[], $3::bytea[], ${termParameters(4)})
      ON CONFLICT (environment, id) DO NOTHING RETURNING environment::text AS environment, id::text AS id`,
      [
        some.map(({ line }) => line.environment),
        some.map(({ id }) => id),
        some.map(({ id, line }) => Buffer.from(JSON.stringify({ id, ...line.record } satisfies AuditRecord))),
        ...termColumns(some.map(({ line }) => line.record)),
      ],
    )
    for (const { environment, id } of inserted) fresh.add(withoutDashes(environment + id))
  }
  return fresh
}

async function addTotals(connection: Connection, totals: ReadonlyMap<string, Totals>, now: number): Promise<void> {
  const of = [...totals.values()]
  await connection.query(
    `UPDATE zerohop.decision_series s SET stored = s.stored + n.stored, dropped = s.dropped + n.dropped,
      last = greatest(s.last, n.last), seen = $5
    FROM unnest($1::uuid[], $2::bigint[], $3::float8[], $4::bigint[]) AS n(id, stored, dropped, last) WHERE s.id = n.id`,
    [
      [...totals.keys()],
      of.map(({ stored }) => stored),
      of.map(({ dropped }) => dropped),
      of.map(({ last }) => last),
      now,
    ],
  )
}

/** Batches of one environment wait for each other from here on. */
async function addCounts(connection: Connection, counts: ReadonlyMap<string, number>): Promise<void> {
  const sorted = [...counts].sort(([one], [other]) => (one < other ? -1 : 1))
  await connection.query(
    `INSERT INTO zerohop.decision_counts AS c (environment, records)
    SELECT * FROM unnest($1::uuid[], $2::bigint[]) ON CONFLICT (environment) DO UPDATE SET records = c.records + excluded.records`,
    [sorted.map(([environment]) => environment), sorted.map(([, count]) => count)],
  )
}
