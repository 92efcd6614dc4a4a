// The log of record in PostgreSQL: every statement about logs, entries and secrets. An entry has the exact bytes that
// its chain hashes, in two parts, so that history is read without changes:
//
//   about     the body up to its member `changes`
//   changes   one byte, 0 plain or 1 deflated, then the rest of the body
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { LogId, Position } from '../../log/change.ts'
import { ZerohopError } from '../../model/errors.ts'
import { DATABASE_LOCK_MS, DATABASE_PAGE_BYTES_MAX, DATABASE_PAGE_MAX } from '../../model/limits.ts'
import type { RecordedEntry, SealedSecret } from '../batch.ts'
import { CHAIN_BYTES, type StoredEntry } from '../log.ts'
import { COMPRESS_BYTES_MIN } from '../tables.ts'
import type { Connection } from './connection.ts'
import { requireInUse } from './moves.ts'

export type LogKind = 'control' | 'environment'

/** A log on record. */
export interface KnownLog {
  readonly number: number
  readonly id: LogId
  readonly kind: LogKind
  readonly lineage: string
}

/** The last entry of a log on record. */
export interface RecordHead extends Position {
  readonly number: number
  /** when it was written, in ms since 1970 */
  readonly at: number
}

const CHANGES = Buffer.from(',"changes":')

function packChanges(bytes: Buffer): Buffer {
  if (bytes.length < COMPRESS_BYTES_MIN) return Buffer.concat([Buffer.of(0), bytes])
  return Buffer.concat([Buffer.of(1), deflateRawSync(bytes, { level: 1 })])
}

function unpackChanges(packed: Buffer): Buffer {
  return packed[0] === 1 ? inflateRawSync(packed.subarray(1)) : packed.subarray(1)
}

/** Opens a transaction that holds the locks of these logs, and reads their heads as they stand under the locks. */
export interface Locked {
  /** numbers of the logs whose lock was free */
  readonly locked: ReadonlySet<number>
  /** numbers of the control logs that no one changes before the transaction ends: their keys stay as they are */
  readonly steady: ReadonlySet<number>
  /** heads of the locked logs and of `beside`, by number */
  readonly heads: ReadonlyMap<number, RecordHead>
  /** the time of the database, in ms since 1970 */
  readonly now: number
}

/**
 * First half of the advisory lock of a control log, whose number is the second. Who changes the log has it alone, who
 * writes with one of its keys shares it: a key that was revoked writes nothing, however long a write takes.
 */
export const KEYS_LOCK = 7_405

/** A number for a UUID, below 2^60. */
const fenceNumber = (uuid: string): bigint => BigInt(`0x${uuid.replaceAll('-', '').slice(-15)}`)

/** The newest entry of each log of a list of numbers. */
const HEADS_OF = (numbers: string) => `
  SELECT l.number, e.revision::float8 AS revision, encode(e.chain, 'hex') AS chain, e.at::float8 AS at
  FROM unnest(${numbers}) AS l(number)
  CROSS JOIN LATERAL (
    SELECT revision, chain, at FROM zerohop.entries WHERE number = l.number ORDER BY revision DESC LIMIT 1) e`

/**
 * @param fence names the transaction: another one with the same fence waits until this one has ended
 * @param numbers logs to lock, which are locked in this order
 * @param beside control logs that stay as they are until the transaction ends, and whose heads are read
 * @param wait whether a lock that another replica has is waited for, or passed over
 * @param control those of `numbers` that are control logs
 */
export async function beginLocked(
  connection: Connection,
  fence: string,
  numbers: readonly number[],
  beside: readonly number[],
  wait: boolean,
  control: readonly number[] = [],
): Promise<Locked> {
  const wanted = [...numbers].sort((one, other) => one - other)
  const all = [...new Set([...wanted, ...beside])]
  // numbers only, so that one message without values does it all
  const list = (items: readonly number[]) => `'{${items.map(Number).join(',')}}'::int[]`
  const own = new Set(control)
  // before the locks of rows, and in order: no one waits for another who waits for him
  const keys = [...new Set([...beside, ...own])].sort((one, other) => one - other).map(Number)
  const keysLock = (number: number) =>
    `pg_${wait ? '' : 'try_'}advisory_xact_lock${own.has(number) ? '' : '_shared'}(${KEYS_LOCK}, ${number})`
  const results = await connection.script(`
    BEGIN;
    SET LOCAL lock_timeout = ${DATABASE_LOCK_MS};
    SET LOCAL idle_in_transaction_session_timeout = ${2 * DATABASE_LOCK_MS};
    SELECT pg_advisory_xact_lock(${fenceNumber(fence)});
    ${keys.map((number) => `SELECT ${number} AS number, ${keysLock(number)} AS granted;`).join(' ')}
    SELECT number FROM zerohop.logs WHERE number = ANY(${list(wanted)}) ORDER BY number
      FOR NO KEY UPDATE${wait ? '' : ' SKIP LOCKED'};
    ${HEADS_OF(list(all))};
    SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now, pg_backend_pid() AS pid`)
  const [locked = [], heads = [], [clock] = []] = results.slice(-3)
  connection.requireOwnSession(clock?.pid)
  const granted = results.slice(-3 - keys.length, -3).flat()
  const refused = new Set(granted.filter((row) => row.granted === false).map(({ number }) => number as number))
  return {
    locked: new Set(locked.map(({ number }) => number as number).filter((number) => !refused.has(number))),
    steady: new Set(keys.filter((number) => !refused.has(number))),
    heads: new Map(heads.map((head) => [head.number as number, head as unknown as RecordHead])),
    now: (clock?.now as number | undefined) ?? 0,
  }
}

/** The newest entry of every log, the oldest log first, and the oldest transaction that may still become visible. */
export async function allHeads(connection: Connection): Promise<{ horizon: string; heads: (RecordHead & KnownLog)[] }> {
  const rows = await connection.query<RecordHead & KnownLog & { horizon: string; pid: number }>(`
    SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS horizon, pg_backend_pid() AS pid,
      l.number, l.id, l.kind, encode(l.lineage, 'hex') AS lineage,
      e.revision::float8 AS revision, encode(e.chain, 'hex') AS chain, e.at::float8 AS at
    FROM (SELECT 1) AS always LEFT JOIN zerohop.logs l ON true
    LEFT JOIN LATERAL (
      SELECT revision, chain, at FROM zerohop.entries WHERE number = l.number ORDER BY revision DESC LIMIT 1) e ON true
    ORDER BY l.number`)
  connection.requireOwnSession(rows[0]?.pid)
  return { horizon: rows[0]?.horizon ?? '0', heads: rows.filter(({ revision }) => revision !== null) }
}

/**
 * Logs with entries of transactions from `since` on, with their newest revision. What this does not show was visible in
 * the snapshot that `since` came from. `scanned`: how many entries there were.
 */
export async function newHeads(
  connection: Connection,
  since: string,
): Promise<{ horizon: string; heads: (KnownLog & { revision: number })[]; scanned: number }> {
  const rows = await connection.query<KnownLog & { revision: number; horizon: string; pid: number; scanned: number }>(
    `SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS horizon, pg_backend_pid() AS pid,
      l.number, l.id, l.kind, encode(l.lineage, 'hex') AS lineage,
      e.revision::float8 AS revision, e.scanned::int AS scanned
    FROM (SELECT 1) AS always
    LEFT JOIN (
      SELECT number, max(revision) AS revision, count(*) AS scanned FROM zerohop.entries
      WHERE tx >= $1::xid8 GROUP BY number) e ON true
    LEFT JOIN zerohop.logs l ON l.number = e.number`, // of one that was removed meanwhile the rest may be left
    [since],
  )
  connection.requireOwnSession(rows[0]?.pid)
  const heads = rows.filter(({ id }) => id !== null)
  const scanned = heads.reduce((sum, head) => sum + head.scanned, 0)
  return { horizon: rows[0]?.horizon ?? since, heads, scanned }
}

interface EntryRow {
  readonly revision: number
  readonly chain: Buffer
  readonly about: Buffer
  readonly changes: Buffer
}

/** Entries of a log after a revision, in order: a page of bounded size. Empty when there are no more. */
export async function readEntriesAfter(connection: Connection, log: KnownLog, after: number): Promise<RecordedEntry[]> {
  // the sum of sizes is taken first: a page of large entries must not fill the memory
  const rows = await connection.query<EntryRow>(
    `SELECT revision::float8 AS revision, chain, about, changes FROM zerohop.entries
    WHERE number = $1 AND revision > $2 AND revision <= (
      SELECT max(revision) FROM (
        SELECT revision, sum(length(changes)) OVER (ORDER BY revision) - length(changes) AS before FROM zerohop.entries
        WHERE number = $1 AND revision > $2 ORDER BY revision LIMIT $3
      ) page WHERE before < $4)
    ORDER BY revision`,
    [log.number, after, DATABASE_PAGE_MAX, DATABASE_PAGE_BYTES_MAX],
  )
  const { number, id, lineage } = log
  return rows.map(({ revision, chain, about, changes }) => ({
    log: id,
    number,
    lineage,
    revision,
    chain: chain.toString('hex'),
    bytes: Buffer.concat([chain, about, unpackChanges(changes)]),
  }))
}

/**
 * The oldest entry of a log that is still on record, and the oldest one that has its changes; 1 when nothing was
 * trimmed.
 */
export async function firstRevisions(
  connection: Connection,
  number: number,
): Promise<{ readonly oldest: number; readonly whole: number }> {
  const [row] = await connection.query<{ oldest: number; whole: number }>(
    `SELECT coalesce((SELECT revision FROM zerohop.entries WHERE number = $1 ORDER BY revision LIMIT 1), 1)::float8 AS oldest,
      coalesce((SELECT max(deltas_from) FROM zerohop.snapshots WHERE number = $1), 1)::float8 AS whole`,
    [number],
  )
  return row ?? { oldest: 1, whole: 1 }
}

/** Secrets that entries of a log after a revision sealed or deleted. */
export async function readSecretsAfter(
  connection: Connection,
  { id: log, number }: KnownLog,
  after: number,
): Promise<SealedSecret[]> {
  const secrets = await connection.query<Omit<SealedSecret, 'log'>>(
    'SELECT id, revision::float8 AS revision, sealed FROM zerohop.secrets WHERE number = $1 AND revision > $2',
    [number, after],
  )
  return secrets.map((secret) => ({ ...secret, log }))
}

/**
 * Holds back other replicas that set up the same empty database.
 * @throws OBJECT_EXISTS when there is an organization; DATABASE_REFUSED while data is moved into it
 */
export async function lockSetup(connection: Connection): Promise<void> {
  await requireInUse(connection, 'FOR UPDATE')
  const [found] = await connection.query<{ id: string }>("SELECT id FROM zerohop.logs WHERE kind = 'control' LIMIT 1")
  if (found !== undefined) throw new ZerohopError('OBJECT_EXISTS', { kind: 'organization', key: found.id })
}

/** Holds back other replicas that make an organization: its key must be new. @throws DATABASE_REFUSED as above */
export const lockOrganizations = (connection: Connection): Promise<void> => requireInUse(connection, 'FOR UPDATE')

/** Records new logs and returns them with their numbers. */
export async function insertLogs(
  connection: Connection,
  logs: readonly Omit<KnownLog, 'number'>[],
): Promise<KnownLog[]> {
  if (logs.length === 0) return []
  const rows = await connection.query<{ number: number; id: string }>(
    `INSERT INTO zerohop.logs (id, kind, lineage)
    SELECT id, kind, decode(lineage, 'hex') FROM unnest($1::text[], $2::text[], $3::text[]) AS n(id, kind, lineage)
    RETURNING number, id`,
    [logs.map(({ id }) => id), logs.map(({ kind }) => kind), logs.map(({ lineage }) => lineage)],
  )
  return logs.map((log) => ({ ...log, number: rows.find(({ id }) => id === log.id)?.number ?? 0 }))
}

/** Records entries; the primary key guards that no revision is written twice. */
export async function insertEntries(
  connection: Connection,
  batch: string,
  entries: readonly (StoredEntry & { readonly number: number })[],
): Promise<void> {
  if (entries.length === 0) return
  const parts = entries.map(({ bytes }) => {
    const body = Buffer.from(bytes.buffer, bytes.byteOffset + CHAIN_BYTES, bytes.byteLength - CHAIN_BYTES)
    const at = body.indexOf(CHANGES)
    return { about: body.subarray(0, at), changes: packChanges(body.subarray(at)) }
  })
  await connection.query(
    `INSERT INTO zerohop.entries (number, revision, chain, batch, at, status, about, changes)
    SELECT number, revision, decode(chain, 'hex'), $1::uuid, at, status, about, changes
    FROM unnest($2::int[], $3::bigint[], $4::text[], $5::bigint[], $6::int[], $7::bytea[], $8::bytea[])
      AS n(number, revision, chain, at, status, about, changes)`,
    [
      batch,
      entries.map(({ number }) => number),
      entries.map(({ revision }) => revision),
      entries.map(({ chain }) => chain),
      entries.map(({ at }) => at),
      entries.map(({ status }) => status),
      parts.map(({ about }) => about),
      parts.map(({ changes }) => changes),
    ],
  )
}

/** Records what became of secrets. */
export async function putSecrets(
  connection: Connection,
  secrets: readonly (Omit<SealedSecret, 'log'> & { readonly number: number })[],
): Promise<void> {
  if (secrets.length === 0) return
  const last = [...new Map(secrets.map((secret) => [secret.id, secret])).values()]
  await connection.query(
    `INSERT INTO zerohop.secrets (id, number, revision, sealed)
    SELECT * FROM unnest($1::text[], $2::int[], $3::bigint[], $4::bytea[])
    ON CONFLICT (id) DO UPDATE SET number = excluded.number, revision = excluded.revision, sealed = excluded.sealed`,
    [
      last.map(({ id }) => id),
      last.map(({ number }) => number),
      last.map(({ revision }) => revision),
      last.map(({ sealed }) => sealed),
    ],
  )
}

/** The batch that wrote a revision; undefined when the revision does not exist. */
export async function findBatch(connection: Connection, number: number, revision: number): Promise<string | undefined> {
  const [row] = await connection.query<{ batch: string }>(
    'SELECT batch::text AS batch FROM zerohop.entries WHERE number = $1 AND revision = $2',
    [number, revision],
  )
  return row?.batch
}
