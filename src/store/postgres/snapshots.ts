// Snapshots in PostgreSQL: the whole state of a log at a revision, so that a replica with an empty folder need not fold
// every entry, and can begin where the oldest entries are no longer whole. The row of a snapshot is written after its
// parts: one that is there is complete.
//
//   part     deflated rows, each whole (object-rows.ts)
//   hash     SHA-256 over the rows of all parts
//   state    written by one replica; confirmed by another, which had the same state; or refused. Only a confirmed one
//            is loaded, and entries are trimmed only behind one
import { createHash } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { ZerohopError } from '../../model/errors.ts'
import type { PlacedObject, SnapshotPosition } from '../load-snapshot.ts'
import { packParts, unpackPart } from '../object-rows.ts'
import type { Connection } from './connection.ts'

/** A complete snapshot on record. */
export interface Snapshot extends SnapshotPosition {
  readonly number: number
  readonly objects: number
  readonly parts: number
  /** in hex */
  readonly hash: string
}

/**
 * Writes a snapshot; each part commits alone, and the snapshot is there when this resolves.
 * @param objects every object of the log, users before their assignments
 * @param written hears how many objects were written
 */
export async function writeSnapshot(
  connection: Connection,
  number: number,
  position: SnapshotPosition,
  objects: Iterable<PlacedObject>,
  written: (objects: number) => void = () => {},
): Promise<void> {
  const { revision, chain, next, deltasFrom } = position
  await connection.query('DELETE FROM zerohop.snapshot_parts WHERE number = $1 AND revision = $2', [number, revision])
  const hash = createHash('sha256')
  let parts = 0
  let count = 0
  for (const { rows, bytes } of packParts(objects)) {
    hash.update(bytes)
    await connection.query(
      'INSERT INTO zerohop.snapshot_parts (number, revision, part, content) VALUES ($1, $2, $3, $4)',
      [number, revision, ++parts, deflateRawSync(bytes, { level: 1 })],
    )
    count += rows
    written(count)
  }
  await connection.query(
    `INSERT INTO zerohop.snapshots (number, revision, chain, next, deltas_from, objects, parts, hash)
    VALUES ($1, $2, decode($3, 'hex'), $4, $5, $6, $7, $8)`,
    [number, revision, chain, next, deltasFrom, count, parts, hash.digest()],
  )
}

/** What is read of a snapshot. */
export const SNAPSHOT_COLUMNS = `s.number, s.revision::float8 AS revision, encode(s.chain, 'hex') AS chain,
  s.next::float8 AS next, s.deltas_from::float8 AS "deltasFrom", s.objects::float8 AS objects, s.parts,
  encode(s.hash, 'hex') AS hash`

/** Whether a snapshot is of the history on record: a failover may have lost the one that it was written from. */
export const IS_OF_RECORD = `NOT EXISTS (
  SELECT FROM zerohop.entries e WHERE e.number = s.number AND e.revision = s.revision AND e.chain <> s.chain)`

/** The newest confirmed snapshot of a log that is not beyond a revision, or undefined. */
export async function newestSnapshot(
  connection: Connection,
  number: number,
  revision: number,
): Promise<Snapshot | undefined> {
  const [found] = await connection.query<Snapshot & Record<string, unknown>>(
    `SELECT ${SNAPSHOT_COLUMNS} FROM zerohop.snapshots s
    WHERE s.number = $1 AND s.revision <= $2 AND s.state = 'confirmed' AND ${IS_OF_RECORD} ORDER BY s.revision DESC LIMIT 1`,
    [number, revision],
  )
  return found
}

/** What is stored of a snapshot is not what was written. */
export class DamagedSnapshot extends ZerohopError {
  constructor({ number, revision }: Pick<Snapshot, 'number' | 'revision'>, why: string) {
    const reason = `the snapshot of log ${number} at revision ${revision} is damaged: ${why}`
    super('DATABASE_REFUSED', { reason })
  }
}

/** Whether the snapshot is still there: one that was replaced is removed. */
export async function isThere(connection: Connection, { number, revision }: Snapshot): Promise<boolean> {
  const found = await connection.query('SELECT FROM zerohop.snapshots WHERE number = $1 AND revision = $2', [
    number,
    revision,
  ])
  return found.length > 0
}

/** Marks a snapshot, after which no one loads it, and nothing is trimmed behind it. */
export async function refuseSnapshot(
  connection: Connection,
  { number, revision, hash }: Snapshot,
  replica: string | null,
): Promise<void> {
  await connection.query(
    `UPDATE zerohop.snapshots SET state = 'refused', checked_by = $4::uuid, at = clock_timestamp()
    WHERE number = $1 AND revision = $2 AND hash = decode($3, 'hex')`,
    [number, revision, hash, replica],
  )
}

/** @throws DamagedSnapshot when what is stored is not what was written */
export async function requireWhole(connection: Connection, snapshot: Snapshot): Promise<void> {
  const hash = createHash('sha256')
  for await (const bytes of readParts(connection, snapshot)) hash.update(bytes)
  if (hash.digest('hex') !== snapshot.hash) throw new DamagedSnapshot(snapshot, 'it does not match its hash')
}

/**
 * The objects of a snapshot, part by part.
 * @throws DamagedSnapshot at the end, if not before, when they are not those that were written; DATABASE_REFUSED when
 *   this version does not know a kind
 */
export async function* readSnapshot(connection: Connection, snapshot: Snapshot): AsyncGenerator<PlacedObject[]> {
  const hash = createHash('sha256')
  for await (const bytes of readParts(connection, snapshot)) {
    hash.update(bytes)
    yield unpackPart(bytes)
  }
  if (hash.digest('hex') !== snapshot.hash) throw new DamagedSnapshot(snapshot, 'it does not match its hash')
}

async function* readParts(connection: Connection, snapshot: Snapshot): AsyncGenerator<Buffer> {
  const { number, revision, parts } = snapshot
  for (let part = 1; part <= parts; part++) {
    const [row] = await connection.query<{ content: Buffer }>(
      'SELECT content FROM zerohop.snapshot_parts WHERE number = $1 AND revision = $2 AND part = $3',
      [number, revision, part],
    )
    if (row === undefined) throw new DamagedSnapshot(snapshot, `its part ${part} is missing`)
    yield inflatePart(snapshot, part, row.content)
  }
}

function inflatePart(snapshot: Snapshot, part: number, content: Buffer): Buffer {
  try {
    return inflateRawSync(content)
  } catch {
    throw new DamagedSnapshot(snapshot, `its part ${part} cannot be unpacked`)
  }
}
