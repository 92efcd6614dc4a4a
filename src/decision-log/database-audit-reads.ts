// Reads records of decisions from the database. They are the JSON that the folder of a process would have, under the
// same ids, so that both list and count alike.
import type { Connection } from '../store/postgres/connection.ts'
import type { AuditInstance, AuditRange } from './audit-log.ts'
import { keyId, TIME_MAX, timeKey } from './audit-tables.ts'

/** The least id of a record made at a time. */
export const idAt = (at: number): string => keyId(timeKey('', at))

/** `uuid` is the type of PostgreSQL for 16 bytes; it is printed with dashes. */
export const withoutDashes = (uuid: string): string => uuid.replaceAll('-', '')

/**
 * Pairs are compared and sorted as they are in the index: asked for one environment, PostgreSQL would read all of it
 * and sort while it has no statistics of the table.
 */
export const OF_ENVIRONMENT = `(environment, id) >= ($1::uuid, '${'0'.repeat(32)}'::uuid)
  AND (environment, id) <= ($1::uuid, '${'f'.repeat(32)}'::uuid)`

export const LIST_RECORDS = `SELECT record FROM zerohop.decisions
  WHERE (environment, id) > ($1::uuid, $2::uuid) AND (environment, id) < ($1::uuid, $3::uuid)
  ORDER BY environment DESC, id DESC OFFSET $4 LIMIT $5`

/** Records of an environment in a range of time as JSON, the newest first. */
export async function listRecords(connection: Connection, environment: string, range: AuditRange): Promise<string[]> {
  const { since = 0, before = TIME_MAX, after = idAt(before), skip = 0, limit } = range
  const rows = await connection.query<{ record: Buffer }>(LIST_RECORDS, [environment, idAt(since), after, skip, limit])
  return rows.map(({ record }) => record.toString('utf8'))
}

export async function findRecord(connection: Connection, environment: string, id: string): Promise<string | undefined> {
  const [row] = await connection.query<{ record: Buffer }>(
    'SELECT record FROM zerohop.decisions WHERE environment = $1::uuid AND id = $2::uuid',
    [environment, id],
  )
  return row?.record.toString('utf8')
}

/** Records with these ids as JSON, in their order. */
export async function findRecords(
  connection: Connection,
  environment: string,
  ids: readonly string[],
): Promise<string[]> {
  const rows = await connection.query<{ id: string; record: Buffer }>(
    'SELECT id::text AS id, record FROM zerohop.decisions WHERE environment = $1::uuid AND id = ANY($2::uuid[])',
    [environment, ids],
  )
  const found = new Map(rows.map(({ id, record }) => [withoutDashes(id), record.toString('utf8')]))
  return ids.flatMap((id) => found.get(id) ?? [])
}

/** Records of environments; one without records is missing. */
export async function countRecords(
  connection: Connection,
  environments: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await connection.query<{ environment: string; records: number }>(
    `SELECT environment::text AS environment, records::float8 AS records FROM zerohop.decision_counts
    WHERE environment = ANY($1::uuid[])`,
    [environments],
  )
  return new Map(rows.map(({ environment, records }) => [withoutDashes(environment), records]))
}

export async function findSeries(connection: Connection, name: string): Promise<AuditInstance | undefined> {
  const [found] = await connection.query<AuditInstance & Record<string, unknown>>(
    `SELECT number::float8 AS number, stored::float8 AS stored, dropped::float8 AS dropped, last::float8 AS last,
      seen::float8 AS seen, sender FROM zerohop.decision_series WHERE id = $1::uuid`,
    [name],
  )
  return found
}
