// Snapshots in PostgreSQL: the whole state of a log at a revision, so that a replica with an empty folder need not fold
// every entry, and can begin where the oldest entries are no longer whole. The row of a snapshot is written after its
// parts: one that is there is complete.
//
//   part     deflated rows, each whole                      row   kind u8 │ place u48 │ length u32 │ object, JSON
//   hash     SHA-256 over the rows of all parts
import { createHash } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { ZerohopError } from '../../model/errors.ts'
import { SNAPSHOT_PART_BYTES_MAX } from '../../model/limits.ts'
import { KIND_NUMBERS, kindOfNumber } from '../kinds.ts'
import type { PlacedObject, SnapshotPosition } from '../load-snapshot.ts'
import type { Connection } from './connection.ts'

/** A complete snapshot on record. */
export interface Snapshot extends SnapshotPosition {
  readonly number: number
  readonly objects: number
  readonly parts: number
  /** in hex */
  readonly hash: string
}

const HEAD_BYTES = 1 + 6 + 4

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
  for (const { rows, bytes } of packed(objects)) {
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

/** The newest snapshot of a log that is not beyond a revision; undefined when there is none. */
export async function newestSnapshot(
  connection: Connection,
  number: number,
  revision: number,
): Promise<Snapshot | undefined> {
  const [found] = await connection.query<Snapshot & Record<string, unknown>>(
    `SELECT number, revision::float8 AS revision, encode(chain, 'hex') AS chain, next::float8 AS next,
      deltas_from::float8 AS "deltasFrom", objects::float8 AS objects, parts, encode(hash, 'hex') AS hash
    FROM zerohop.snapshots WHERE number = $1 AND revision <= $2 ORDER BY revision DESC LIMIT 1`,
    [number, revision],
  )
  return found
}

/**
 * The objects of a snapshot, part by part.
 * @throws DATABASE_REFUSED at the end when they are not those that were written, or when this version does not know a
 *   kind
 */
export async function* readSnapshot(connection: Connection, snapshot: Snapshot): AsyncGenerator<PlacedObject[]> {
  const { number, revision, parts } = snapshot
  const hash = createHash('sha256')
  for (let part = 1; part <= parts; part++) {
    const [row] = await connection.query<{ content: Buffer }>(
      'SELECT content FROM zerohop.snapshot_parts WHERE number = $1 AND revision = $2 AND part = $3',
      [number, revision, part],
    )
    if (row === undefined) throw broken(snapshot, `its part ${part} is missing`)
    const bytes = inflateRawSync(row.content)
    hash.update(bytes)
    yield unpacked(bytes)
  }
  if (hash.digest('hex') !== snapshot.hash) throw broken(snapshot, 'it does not match its hash')
}

function* packed(objects: Iterable<PlacedObject>): Generator<{ rows: number; bytes: Buffer }> {
  let rows: Buffer[] = []
  let size = 0
  for (const { kind, place, json } of objects) {
    const length = Buffer.byteLength(json)
    const row = Buffer.allocUnsafe(HEAD_BYTES + length)
    row[0] = KIND_NUMBERS[kind]
    row.writeUIntBE(place, 1, 6)
    row.writeUInt32BE(length, 7)
    row.write(json, HEAD_BYTES)
    if (size + row.length > SNAPSHOT_PART_BYTES_MAX && rows.length > 0) {
      yield { rows: rows.length, bytes: Buffer.concat(rows) }
      rows = []
      size = 0
    }
    rows.push(row)
    size += row.length
  }
  if (rows.length > 0) yield { rows: rows.length, bytes: Buffer.concat(rows) }
}

function unpacked(bytes: Buffer): PlacedObject[] {
  const objects: PlacedObject[] = []
  for (let at = 0; at < bytes.length; ) {
    const kind = kindOfNumber(bytes[at])
    if (kind === undefined)
      throw new ZerohopError('DATABASE_REFUSED', {
        reason: 'a snapshot holds objects of a kind that this version does not know: install a newer one',
      })
    const from = at + HEAD_BYTES
    const end = from + bytes.readUInt32BE(at + 7)
    objects.push({ kind, place: bytes.readUIntBE(at + 1, 6), json: bytes.toString('utf8', from, end) })
    at = end
  }
  return objects
}

function broken({ number, revision }: Snapshot, why: string): ZerohopError {
  return new ZerohopError('DATABASE_REFUSED', {
    reason: `the snapshot of log ${number} at revision ${revision} is damaged: ${why}`,
  })
}
