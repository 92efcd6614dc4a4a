// When something was last used, in the database that replicas share: rows written in the transaction of the records. A
// program of an older format stores records without a mark, and they are looked at in the rounds of retention.
import { AUDIT_INDEXED_PER_STEP, LAST_USED_ROWS_MAX, LAST_USED_ROWS_PER_STEP } from '../model/limits.ts'
import type { Connection } from '../store/postgres/connection.ts'
import { type AuditRecord, timeOfId } from './audit-tables.ts'
import { withoutDashes } from './database-audit-reads.ts'
import { type KnownUses, type NewUses, sortedUses, type UseName, UseSums } from './last-uses.ts'

const HASH_DIGITS = 16

/** Arrays of the three hashes of uses, as PostgreSQL has them. */
const useColumns = (names: readonly UseName[]): string[][] =>
  [0, 1, 2].map((part) =>
    names.map((name) => {
      const hash = name.slice(part * HASH_DIGITS, (part + 1) * HASH_DIGITS)
      return BigInt.asIntN(64, BigInt(`0x${hash}`)).toString()
    }),
  )

/** Adds uses in the open transaction. Rows are locked in one order. @param roomFor rows of an environment */
export async function addUses(connection: Connection, sums: UseSums, roomFor = LAST_USED_ROWS_MAX): Promise<void> {
  for (const [environment, sum] of sums.sums()) {
    const rowsBefore = await lockKnown(connection, environment, sum)
    const { rows, lostAt } = await putUses(connection, environment, sum, rowsBefore < roomFor)
    await connection.query(
      `UPDATE zerohop.known_uses SET rows = rows + $2::bigint, lost_at = greatest(lost_at, $3::bigint)
      WHERE environment = $1::uuid`,
      [environment, rows, lostAt ?? null],
    )
  }
}

/** Adds what is known of the environment, whose row stays locked. Returns how many uses it had. */
async function lockKnown(
  connection: Connection,
  environment: string,
  { oldest, newest, dropped, droppedAt }: NewUses,
): Promise<number> {
  const [known] = await connection.query<{ rows: number }>(
    `INSERT INTO zerohop.known_uses AS k (environment, since, until, rows, dropped, dropped_at)
    VALUES ($1::uuid,
      CASE WHEN EXISTS (SELECT 1 FROM zerohop.decisions WHERE environment = $1::uuid AND is_used IS NULL) THEN NULL
      ELSE $2::bigint END, $3::bigint, 0, $4::bigint, $5::bigint)
    ON CONFLICT (environment) DO UPDATE SET until = greatest(k.until, excluded.until),
      dropped = k.dropped + excluded.dropped, dropped_at = greatest(k.dropped_at, excluded.dropped_at)
    RETURNING k.rows::float8 AS rows`,
    [environment, oldest, newest, dropped, droppedAt ?? null],
  )
  return known?.rows ?? 0
}

async function putUses(
  connection: Connection,
  environment: string,
  sum: NewUses,
  hasRoom: boolean,
): Promise<{ rows: number; lostAt: number | undefined }> {
  const sorted = sortedUses(sum)
  if (sorted.length === 0) return { rows: 0, lostAt: undefined }
  const names = sorted.map(([name]) => name)
  const columns = [...useColumns(names), sorted.map(([, at]) => at)]
  const given = `unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[]) AS n(user_term, permission_term, tenant_term, at)`
  if (hasRoom) {
    const put = await connection.query<{ fresh: boolean }>(
      `INSERT INTO zerohop.uses AS u (environment, user_term, permission_term, tenant_term, at)
      SELECT $1::uuid, n.* FROM ${given}
      ON CONFLICT (environment, user_term, permission_term, tenant_term) DO UPDATE SET at = excluded.at
        WHERE u.at < excluded.at
      RETURNING (xmax = 0) AS fresh`,
      [environment, ...columns],
    )
    return { rows: put.filter(({ fresh }) => fresh).length, lostAt: undefined }
  }
  await connection.query(
    `UPDATE zerohop.uses u SET at = n.at FROM ${given}
    WHERE (u.environment, u.user_term, u.permission_term, u.tenant_term) = ($1::uuid, n.user_term, n.permission_term, n.tenant_term)
      AND u.at < n.at`,
    [environment, ...columns],
  )
  const found = await readUses(connection, environment, names)
  const lost = sorted.filter((_, place) => found[place] === undefined).map(([, at]) => at)
  return { rows: 0, lostAt: lost.length === 0 ? undefined : lost.reduce((one, other) => Math.max(one, other)) }
}

/** Looks at records of an older format, a bounded number in the open transaction. Returns whether there were any. */
export async function addOlderUses(connection: Connection): Promise<boolean> {
  const rows = await connection.query<{ environment: string; id: string; record: Buffer }>(
    `SELECT environment::text AS environment, id::text AS id, record FROM zerohop.decisions
    WHERE is_used IS NULL ORDER BY environment, id LIMIT $1 FOR UPDATE SKIP LOCKED`,
    [AUDIT_INDEXED_PER_STEP],
  )
  if (rows.length > 0) {
    const sums = new UseSums()
    for (const { environment, record } of rows)
      sums.add(withoutDashes(environment), JSON.parse(record.toString('utf8')) as AuditRecord, 0)
    await connection.query(
      `UPDATE zerohop.decisions d SET is_used = true FROM unnest($1::uuid[], $2::uuid[]) AS n(environment, id)
      WHERE d.environment = n.environment AND d.id = n.id`,
      [rows.map(({ environment }) => environment), rows.map(({ id }) => id)],
    )
    await addUses(connection, sums)
  }
  // an environment whose last one was looked at: what is known begins with the oldest there is
  const waiting = await connection.query<{ environment: string; id: string | null }>(
    `SELECT environment::text AS environment, (
      SELECT d.id::text FROM zerohop.decisions d WHERE (d.environment, d.id) >= (k.environment, '${'0'.repeat(32)}'::uuid)
      AND d.environment = k.environment ORDER BY d.environment, d.id LIMIT 1) AS id
    FROM zerohop.known_uses k WHERE since IS NULL
      AND NOT EXISTS (SELECT 1 FROM zerohop.decisions o WHERE o.environment = k.environment AND o.is_used IS NULL)
    FOR UPDATE SKIP LOCKED`,
  )
  for (const { environment, id } of waiting) {
    await connection.query(
      'UPDATE zerohop.known_uses SET since = coalesce($2::bigint, until) WHERE environment = $1::uuid',
      [environment, id === null ? null : timeOfId(withoutDashes(id))],
    )
  }
  return rows.length > 0
}

/** What is known of the uses of an environment; undefined when nothing is. */
export async function readKnownUses(connection: Connection, environment: string): Promise<KnownUses | undefined> {
  const [known] = await connection.query<{
    since: number | null
    until: number
    dropped: number
    dropped_at: number | null
  }>(
    `SELECT CASE WHEN EXISTS (SELECT 1 FROM zerohop.decisions WHERE environment = $1::uuid AND is_used IS NULL) THEN NULL
      ELSE CASE WHEN since IS NULL THEN NULL ELSE greatest(since, lost_at) END END::float8 AS since,
      until::float8 AS until, dropped::float8 AS dropped, dropped_at::float8 AS dropped_at
    FROM zerohop.known_uses WHERE environment = $1::uuid`,
    [environment],
  )
  if (known === undefined) return undefined
  const { since, until, dropped, dropped_at: droppedAt } = known
  return { since: since ?? undefined, until, dropped, droppedAt: droppedAt ?? undefined }
}

/** The newest instant of each use; undefined where it is not known. */
export async function readUses(
  connection: Connection,
  environment: string,
  names: readonly UseName[],
): Promise<(number | undefined)[]> {
  if (names.length === 0) return []
  const rows = await connection.query<{ place: number; at: number }>(
    `SELECT n.place::float8 AS place, u.at::float8 AS at
    FROM unnest($2::bigint[], $3::bigint[], $4::bigint[]) WITH ORDINALITY AS n(user_term, permission_term, tenant_term, place)
    JOIN zerohop.uses u ON (u.environment, u.user_term, u.permission_term, u.tenant_term)
      = ($1::uuid, n.user_term, n.permission_term, n.tenant_term)`,
    [environment, ...useColumns(names)],
  )
  const found: (number | undefined)[] = names.map(() => undefined)
  for (const { place, at } of rows) found[place - 1] = at
  return found
}

const DAY_MS = 86_400_000

/**
 * Forgets uses from before an instant, a bounded number, in the open transaction: about once a day, as this looks at all of
 * them. What a batch has locked is in use.
 */
export async function trimUses(connection: Connection, before: number): Promise<void> {
  const locked = await connection.query<{ environment: string }>(
    `SELECT environment::text AS environment FROM zerohop.known_uses WHERE since < $1
    ORDER BY environment LIMIT 1 FOR UPDATE SKIP LOCKED`,
    [before - DAY_MS],
  )
  for (const { environment } of locked) {
    const gone = await connection.query(
      `DELETE FROM zerohop.uses WHERE environment = $1::uuid AND (user_term, permission_term, tenant_term) IN (
        SELECT user_term, permission_term, tenant_term FROM zerohop.uses WHERE environment = $1::uuid AND at < $2 LIMIT $3)
      RETURNING 1`,
      [environment, before, LAST_USED_ROWS_PER_STEP],
    )
    await connection.query(
      `UPDATE zerohop.known_uses SET rows = rows - $2::bigint, since = coalesce($3::bigint, since)
      WHERE environment = $1::uuid`,
      [environment, gone.length, gone.length < LAST_USED_ROWS_PER_STEP ? before : null],
    )
  }
}
