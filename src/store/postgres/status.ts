// What `zerohop database status` shows.
import { DATABASE_LISTED_MAX } from '../../model/limits.ts'
import type { Connection } from './connection.ts'
import type { LogKind } from './entries.ts'
import { requireFormat } from './migrations.ts'
import { requireInUse } from './moves.ts'

export interface DatabaseReport {
  readonly format: number
  /** id of the data */
  readonly cluster: string
  /** of the server, as it shows it */
  readonly postgres: string
  readonly logs: number
  readonly entries: number
  readonly snapshots: number
  /** the first DATABASE_LISTED_MAX logs by their number */
  readonly listed: readonly ListedLog[]
  /** those that were seen last, at most DATABASE_LISTED_MAX */
  readonly replicas: readonly ListedReplica[]
}

interface ListedLog {
  readonly id: string
  readonly kind: LogKind
  readonly revision: number
  /** revision of its newest confirmed snapshot */
  readonly snapshot: number | null
}

interface ListedReplica {
  readonly id: string
  readonly version: string
  /** seconds since its last sign of life */
  readonly age: number
}

/** @throws DATABASE_REFUSED when servers of this version cannot use the database as it is */
export async function reportDatabase(connection: Connection): Promise<DatabaseReport> {
  await requireFormat(connection)
  await requireInUse(connection)
  const [counts] = await connection.query<Omit<DatabaseReport, 'listed' | 'replicas'>>(
    `SELECT format, cluster::text AS cluster, current_setting('server_version') AS postgres,
      (SELECT count(*)::float8 FROM zerohop.logs) AS logs, (SELECT count(*)::float8 FROM zerohop.entries) AS entries,
      (SELECT count(*)::float8 FROM zerohop.snapshots) AS snapshots FROM zerohop.meta`,
  )
  const listed = await connection.query<ListedLog & Record<string, unknown>>(
    `SELECT l.id, l.kind, coalesce(e.revision, 0)::float8 AS revision, s.revision::float8 AS snapshot
    FROM (SELECT number, id, kind FROM zerohop.logs ORDER BY number LIMIT $1) l
    LEFT JOIN LATERAL (
      SELECT revision FROM zerohop.entries WHERE number = l.number ORDER BY revision DESC LIMIT 1) e ON true
    LEFT JOIN LATERAL (
      SELECT revision FROM zerohop.snapshots
      WHERE number = l.number AND state = 'confirmed' ORDER BY revision DESC LIMIT 1) s ON true
    ORDER BY l.number`,
    [DATABASE_LISTED_MAX],
  )
  const replicas = await connection.query<ListedReplica & Record<string, unknown>>(
    `SELECT id::text AS id, version, extract(epoch FROM clock_timestamp() - seen)::float8 AS age
    FROM zerohop.replicas ORDER BY seen DESC LIMIT $1`,
    [DATABASE_LISTED_MAX],
  )
  if (counts === undefined) throw new Error('the database has no row of its own')
  return { ...counts, listed, replicas }
}
