// How keys and values of the tables are written: big-endian numbers, so that LMDB's byte order is the order of the
// numbers.
//
//   objects   log u32 │ kind u8 │ place u48               log   log u32 │ revision u48
//   keys      log u32 │ kind u8 │ key, UTF-8              indexes   log u32 │ name, UTF-8 │ 00 │ value, UTF-8
//   ids       log u32 │ kind u8 │ id, 16 bytes            a place as a value   u48
//
// Nothing here reads or writes a table.

import type { IndexName, KindName } from '../kinds/index.ts'
import { OBJECT_KEY_BYTES_MAX } from '../model/limits.ts'
import { KIND_NUMBERS } from './kinds.ts'

const LONE_SURROGATE = /\p{Cs}/u
const KIND_AT = 4
const REST_AT = 5

/** True when `text` may stand in a key: what is not storable is in no table, so a look-up of it finds nothing. */
export function isStorable(text: string): boolean {
  return (
    text.length > 0 &&
    text.length <= OBJECT_KEY_BYTES_MAX &&
    Buffer.byteLength(text) <= OBJECT_KEY_BYTES_MAX &&
    !LONE_SURROGATE.test(text)
  )
}

export function objectKey(log: number, kind: KindName, place: number): Buffer {
  const key = Buffer.allocUnsafe(REST_AT + 6)
  key.writeUInt32BE(log, 0)
  key[KIND_AT] = KIND_NUMBERS[kind]
  key.writeUIntBE(place, REST_AT, 6)
  return key
}

/** First and one beyond the last possible object key of a kind. */
export function objectRange(log: number, kind: KindName): { start: Buffer; end: Buffer } {
  const start = objectKey(log, kind, 0)
  const end = objectKey(log, kind, 0)
  end[KIND_AT] = KIND_NUMBERS[kind] + 1
  return { start, end }
}

/** `text` must be storable. */
export function nameKey(log: number, kind: KindName, text: string): Buffer {
  const key = Buffer.allocUnsafe(REST_AT + Buffer.byteLength(text))
  key.writeUInt32BE(log, 0)
  key[KIND_AT] = KIND_NUMBERS[kind]
  key.write(text, REST_AT)
  return key
}

/** The ASCII text of a name key from its character `from`; other characters come out as their bytes. */
export function textOfNameKey(key: Uint8Array, from: number): string {
  return Buffer.prototype.latin1Slice.call(key, REST_AT + from, key.length)
}

/** `id` is 32 hex digits. */
export function idKey(log: number, kind: KindName, id: string): Buffer {
  const key = Buffer.allocUnsafe(REST_AT + 16)
  key.writeUInt32BE(log, 0)
  key[KIND_AT] = KIND_NUMBERS[kind]
  if (key.write(id, REST_AT, 'hex') !== 16) throw new TypeError(`\`${id}\` is not an id`)
  return key
}

/** `value` must be storable. */
export function indexKey(log: number, index: IndexName, value: string): Buffer {
  const valueAt = 4 + index.length + 1
  const key = Buffer.allocUnsafe(valueAt + Buffer.byteLength(value))
  key.writeUInt32BE(log, 0)
  key.write(index, 4, 'latin1')
  key[valueAt - 1] = 0
  key.write(value, valueAt)
  return key
}

export function revisionKey(log: number, revision: number): Buffer {
  const key = Buffer.allocUnsafe(4 + 6)
  key.writeUInt32BE(log, 0)
  key.writeUIntBE(revision, 4, 6)
  return key
}

/** First and one beyond the last possible key of a log, in each table whose keys begin with its number. */
export function logRange(log: number): { start: Buffer; end: Buffer } {
  const start = Buffer.allocUnsafe(4)
  const end = Buffer.allocUnsafe(4)
  start.writeUInt32BE(log, 0)
  end.writeUInt32BE(log + 1, 0)
  return { start, end }
}

/** The place at the end of an object key. */
export const readObjectPlace = (objectKey: Uint8Array): number => readPlace(objectKey, REST_AT)

/** The place that stands in a key or a value. */
export const readPlace = (bytes: Uint8Array, at: number): number => Buffer.prototype.readUIntBE.call(bytes, at, 6)
