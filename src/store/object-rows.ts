// Objects of a log as rows, in parts of bounded size: what snapshots of the record and checkpoints of a data folder are
// made of. A row is whole within its part.
//
//   row   kind u8 │ place u48 │ length u32 │ object, JSON
import { ZerohopError } from '../model/errors.ts'
import { SNAPSHOT_PART_BYTES_MAX } from '../model/limits.ts'
import type { PlacedObject } from './load-snapshot.ts'
import { fromRowNumber, toRowNumber } from './newer-kinds.ts'

const HEAD_BYTES = 1 + 6 + 4

/** The rows of all objects, in parts of bounded size before they are compressed. */
export function* packParts(objects: Iterable<PlacedObject>): Generator<{ rows: number; bytes: Buffer }> {
  let rows: Buffer[] = []
  let size = 0
  for (const { kind, place, json } of objects) {
    const length = Buffer.byteLength(json)
    const row = Buffer.allocUnsafe(HEAD_BYTES + length)
    row[0] = toRowNumber(kind, json)
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

/** The objects of a part. @throws DATABASE_REFUSED when this version does not know a kind */
export function unpackPart(bytes: Buffer): PlacedObject[] {
  const objects: PlacedObject[] = []
  for (let at = 0; at < bytes.length; ) {
    const kind = fromRowNumber(bytes[at])
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
