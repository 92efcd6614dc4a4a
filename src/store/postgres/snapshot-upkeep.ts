// Writes the snapshot of a log from the state of this replica, and checks that of another one. Runs in a thread of its
// own, apart from the store (upkeep-thread.ts).
import { createHash } from 'node:crypto'
import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { deflateRawSync } from 'node:zlib'
import { ZerohopError } from '../../model/errors.ts'
import { BatchRunner } from '../batch.ts'
import type { Head } from '../heads.ts'
import { eachPlacedObject, type SnapshotPosition } from '../load-snapshot.ts'
import { packParts } from '../object-rows.ts'
import { scratchPath, withScratch } from '../scratch.ts'
import type { UpkeepEvent } from '../settings.ts'
import { openTables, type Tables } from '../tables.ts'
import { type Claim, ClaimLost, MINE, renew } from './claims.ts'
import type { Connection } from './connection.ts'
import { type KnownLog, readEntriesAfter } from './entries.ts'
import { loadObjects } from './pull.ts'
import {
  DamagedSnapshot,
  IS_OF_RECORD,
  refuseSnapshot,
  requireWhole,
  SNAPSHOT_COLUMNS,
  type Snapshot,
} from './snapshots.ts'

export interface UpkeepWork {
  readonly connection: Connection
  /** the cache of this replica */
  readonly folder: string
  /** id of this replica, a UUID */
  readonly replica: string
  readonly report: (event: UpkeepEvent) => void
  /** @throws CLOSED when the replica closes */
  readonly requireOpen: () => void
}

/** The state of a log, to be compared: the digest is that of a snapshot. */
interface Digested extends Pick<SnapshotPosition, 'revision' | 'chain' | 'next'> {
  readonly objects: number
  /** SHA-256 in hex */
  readonly hash: string
}

interface Spooled extends Digested {
  readonly path: string
  /** bytes of each part, as it is stored */
  readonly lengths: readonly number[]
}

/** Writes a snapshot of the state as it is now. @throws ClaimLost; DISK_FULL and what else the disk says */
export async function writeDueSnapshot(work: UpkeepWork, claim: Claim, log: KnownLog, newest: number): Promise<void> {
  const { connection, folder, replica, report } = work
  const [found] = await connection.query<{ newest: number | null }>(
    `SELECT max(revision)::float8 AS newest FROM zerohop.snapshots s WHERE number = $1 AND ${IS_OF_RECORD}
      AND revision <= (SELECT max(revision) FROM zerohop.entries WHERE number = $1)`,
    [log.number],
  )
  if ((found?.newest ?? 0) !== newest) return // another replica was faster
  await removeParts(connection, claim)
  const spooled = await spool(folder, log)
  if (spooled === undefined || spooled.revision < newest) return
  const { path, lengths, revision, chain, next, objects, hash } = spooled
  const file = openSync(path, 'r')
  try {
    for (const [at, length] of lengths.entries()) {
      work.requireOpen()
      const content = Buffer.allocUnsafe(length)
      readSync(file, content, 0, length, null)
      const rows = await connection.query(
        `WITH ${MINE} INSERT INTO zerohop.snapshot_parts (number, revision, part, content)
        SELECT number, $3, $4, $5 FROM mine JOIN zerohop.logs USING (number)
        ON CONFLICT (number, revision, part) DO UPDATE SET content = excluded.content RETURNING part`,
        [log.number, claim.token, revision, at + 1, content],
      )
      if (rows.length === 0) throw new ClaimLost()
    }
    const bytes = lengths.reduce((sum, length) => sum + length, 0)
    // a failover may have lost the entry that led to this state
    const written = await connection.query(
      `WITH ${MINE} INSERT INTO zerohop.snapshots
        (number, revision, chain, next, deltas_from, objects, parts, hash, state, bytes, writer)
      SELECT mine.number, e.revision, e.chain, $5, coalesce(
          (SELECT max(deltas_from) FROM zerohop.snapshots WHERE number = mine.number), 1), $6, $7, decode($8, 'hex'),
        'written', $9, $10::uuid
      FROM mine JOIN zerohop.entries e ON e.number = mine.number
      WHERE e.revision = $3 AND e.chain = decode($4, 'hex')
      ON CONFLICT (number, revision) DO UPDATE SET chain = excluded.chain, next = excluded.next,
        deltas_from = excluded.deltas_from, objects = excluded.objects, parts = excluded.parts, hash = excluded.hash,
        state = excluded.state, bytes = excluded.bytes, writer = excluded.writer, checked_by = NULL,
        at = clock_timestamp() RETURNING revision`,
      [log.number, claim.token, revision, chain, next, objects, lengths.length, hash, bytes, replica],
    )
    if (written.length === 0) throw new ClaimLost()
    report({ what: 'written', log: log.id, revision, objects })
  } finally {
    closeSync(file)
    rmSync(path, { force: true })
  }
}

/** Removes parts of snapshots that were replaced, or not finished. */
async function removeParts(connection: Connection, { number, token }: Claim): Promise<void> {
  await connection.query(
    `WITH ${MINE} DELETE FROM zerohop.snapshot_parts p USING mine WHERE p.number = mine.number AND NOT EXISTS (
      SELECT FROM zerohop.snapshots s WHERE s.number = p.number AND s.revision = p.revision)`,
    [number, token],
  )
}

/**
 * Compares a snapshot with the state of this replica: the snapshot is loaded into tables of its own, and folded to the
 * same revision.
 * @param keepsOlder whether the confirmed ones before it stay, for past revisions
 * @throws ClaimLost; when it cannot be compared: it stays as it is then
 */
export async function checkSnapshot(
  work: UpkeepWork,
  claim: Claim,
  log: KnownLog,
  { revision, keepsOlder }: { readonly revision: number; readonly keepsOlder: boolean },
): Promise<void> {
  const { connection, folder, replica, report } = work
  const [snapshot] = await connection.query<Snapshot & Record<string, unknown>>(
    `SELECT ${SNAPSHOT_COLUMNS} FROM zerohop.snapshots s
    WHERE number = $1 AND revision = $2 AND state = 'written' AND ${IS_OF_RECORD}`,
    [log.number, revision],
  )
  const own = snapshot && (await readTables(folder, (tables) => computeDigest(tables, log)))
  if (snapshot === undefined || own === undefined || own.revision < revision) return
  const reason = await findDifference(work, claim, log, snapshot, own)
  if (reason === undefined) {
    if (await confirm(connection, claim, snapshot, { replica, keepsOlder }))
      report({ what: 'confirmed', log: log.id, revision })
    return
  }
  await renew(connection, claim)
  await refuseSnapshot(connection, snapshot, replica)
  report({ what: 'refused', log: log.id, revision, reason })
}

/** Why the snapshot does not lead to the state of this replica; undefined when it does. */
async function findDifference(
  work: UpkeepWork,
  claim: Claim,
  log: KnownLog,
  snapshot: Snapshot,
  own: Digested,
): Promise<string | undefined> {
  try {
    const other = await withScratch(work.folder, 'check', async (tables) => {
      await foldFrom(work, claim, tables, log, { snapshot, to: own.revision })
      return computeDigest(tables, log)
    })
    const differs = (['revision', 'chain', 'next', 'objects', 'hash'] as const).find(
      (name) => other?.[name] !== own[name],
    )
    return differs && `it leads to another state at revision ${own.revision}: its ${differs} differs`
  } catch (error) {
    if (work.connection.isLost || error instanceof ClaimLost) throw error
    try {
      await requireWhole(work.connection, snapshot)
    } catch (damage) {
      if (damage instanceof DamagedSnapshot) return damage.message
      throw damage
    }
    throw error
  }
}

/** Brings empty tables to a revision. */
async function foldFrom(
  { connection, requireOpen }: UpkeepWork,
  claim: Claim,
  tables: Tables,
  log: KnownLog,
  { snapshot, to }: { readonly snapshot: Snapshot; readonly to: number },
): Promise<void> {
  const runner = new BatchRunner(tables, {}, () => new Uint8Array(), tables.folder)
  const loading = await loadObjects(tables, connection, log, snapshot, async () => {
    requireOpen()
    await renew(connection, claim)
  })
  runner.begin(log.id, loading.head(snapshot), [])
  for (let have = snapshot.revision; have < to; ) {
    requireOpen()
    await renew(connection, claim)
    const page = await readEntriesAfter(connection, log, have)
    const entries = page.filter((entry) => entry.revision <= to)
    if (entries.length === 0) throw new ZerohopError('HISTORY_LOST', { log: log.id, have, got: to })
    runner.fold(entries, [])
    have = entries.at(-1)?.revision ?? to
  }
}

/**
 * Confirms a snapshot, and removes those that it replaces.
 * @param keepsOlder whether confirmed ones stay, for past revisions
 * @returns false when the snapshot is gone
 */
async function confirm(
  connection: Connection,
  claim: Claim,
  { revision, hash }: Snapshot,
  { replica, keepsOlder }: { readonly replica: string; readonly keepsOlder: boolean },
): Promise<boolean> {
  const confirmed = await connection.query(
    `WITH ${MINE} UPDATE zerohop.snapshots s SET state = 'confirmed', checked_by = $5::uuid, at = clock_timestamp() FROM mine
    WHERE s.number = mine.number AND revision = $3 AND hash = decode($4, 'hex') AND state = 'written' RETURNING revision`,
    [claim.number, claim.token, revision, hash, replica],
  )
  if (confirmed.length === 0) return false
  await connection.query(
    `WITH ${MINE} DELETE FROM zerohop.snapshots s USING mine
    WHERE s.number = mine.number AND revision < $3
      ${keepsOlder ? `AND NOT (state = 'confirmed' AND ${IS_OF_RECORD})` : ''}`,
    [claim.number, claim.token, revision],
  )
  await removeParts(connection, claim)
  return true
}

/** Removes the snapshots before a revision, which no one will need. @throws ClaimLost */
export async function removeSnapshots(connection: Connection, claim: Claim, before: number): Promise<void> {
  const removed = await connection.query(
    `WITH ${MINE} DELETE FROM zerohop.snapshots s USING mine WHERE s.number = mine.number AND revision < $3
    RETURNING s.revision`,
    [claim.number, claim.token, before],
  )
  if (removed.length === 0) throw new ClaimLost()
  await removeParts(connection, claim)
}

/** Reads the cache, in one turn of the event loop: that is one consistent state. */
async function readTables<T>(folder: string, read: (tables: Tables) => T): Promise<T> {
  const tables = openTables(folder, 'read')
  try {
    return read(tables)
  } finally {
    await tables.root.close()
  }
}

/** Undefined when the log is not known here. */
function computeDigest(tables: Tables, log: KnownLog, part: (bytes: Buffer) => void = () => {}): Digested | undefined {
  const head = tables.heads.get(log.id)
  if (head === undefined || head.leaving !== undefined) return undefined
  const hash = createHash('sha256')
  let objects = 0
  for (const { rows, bytes } of packParts(eachPlacedObject(tables, head))) {
    hash.update(bytes)
    objects += rows
    part(bytes)
  }
  return { ...toPosition(head), objects, hash: hash.digest('hex') }
}

const toPosition = ({ revision, chain, next }: Head) => ({ revision, chain, next })

/** Writes the parts of the snapshot of a log into a file: sending them takes longer than the state may be held for. */
function spool(folder: string, log: KnownLog): Promise<Spooled | undefined> {
  return readTables(folder, (tables) => {
    const path = scratchPath(folder, 'snapshot')
    const file = openSync(path, 'wx', 0o600)
    const lengths: number[] = []
    try {
      const digested = computeDigest(tables, log, (bytes) => {
        const packed = deflateRawSync(bytes, { level: 1 })
        for (let at = 0; at < packed.length; ) at += writeSync(file, packed, at)
        lengths.push(packed.length)
      })
      return digested && { ...digested, path, lengths }
    } finally {
      closeSync(file)
    }
  })
}
