// The checksum of one record and the digest of many. A checksum finds a record whose bytes changed; a digest finds
// records that are missing, doubled or stale while every checksum is valid, as when a page of the data file was
// damaged. docs/adr/0015-checksums.md.
import { endianness } from 'node:os'
import { crc32 } from 'node:zlib'

/**
 * Slicing-by-8: eight tables, so that eight bytes are looked up at once. The first is the usual one for single bytes.
 */
const TABLES = Array.from({ length: 8 }, () => new Int32Array(256))
const [T0, T1, T2, T3] = [TABLES[0]!, TABLES[1]!, TABLES[2]!, TABLES[3]!]
const [T4, T5, T6, T7] = [TABLES[4]!, TABLES[5]!, TABLES[6]!, TABLES[7]!]
for (let byte = 0; byte < 256; byte++) {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  T0[byte] = crc
}
for (let at = 1; at < 8; at++) {
  for (let byte = 0; byte < 256; byte++) {
    const before = TABLES[at - 1]![byte]!
    TABLES[at]![byte] = T0[before & 0xff]! ^ (before >>> 8)
  }
}

/** CRC-32 of the content, seeded with the number of its table so that a record of another table never matches. */
export function contentCrc(content: Uint8Array, table: number): number {
  return crc32(content, table)
}

/** From this size zlib is faster: the native call alone costs as much as 300 bytes in JavaScript. */
const NATIVE_BYTES = 400
const CAN_READ_WORDS = endianness() === 'LE'
/** A view of the last buffer as words, cached because lmdb always reads into the same buffer. */
let buffer: Uint8Array | undefined
let words: Int32Array = new Int32Array()

/** `contentCrc` of the first `length` bytes of a reused buffer. */
export function sharedCrc(bytes: Uint8Array, length: number, table: number): number {
  if (length >= NATIVE_BYTES || !CAN_READ_WORDS) return crc32(bytes.subarray(0, length), table)
  if (bytes !== buffer) {
    if (bytes.byteOffset % 4 !== 0) return crc32(bytes.subarray(0, length), table)
    buffer = bytes
    words = new Int32Array(
      bytes.buffer,
      bytes.byteOffset,
      Math.min(bytes.buffer.byteLength - bytes.byteOffset, NATIVE_BYTES) >>> 2,
    )
  }
  let crc = ~table
  const whole = length >>> 3
  for (let at = 0; at < whole; at++) {
    const low = words[2 * at]! ^ crc
    const high = words[2 * at + 1]!
    crc =
      T7[low & 0xff]! ^
      T6[(low >>> 8) & 0xff]! ^
      T5[(low >>> 16) & 0xff]! ^
      T4[low >>> 24]! ^
      T3[high & 0xff]! ^
      T2[(high >>> 8) & 0xff]! ^
      T1[(high >>> 16) & 0xff]! ^
      T0[high >>> 24]!
  }
  for (let at = whole << 3; at < length; at++) crc = T0[(crc ^ bytes[at]!) & 0xff]! ^ (crc >>> 8)
  return ~crc >>> 0
}

/** The CRC-32 continued over the key. In JavaScript: keys are so short that a second native call would cost more. */
export function withKey(crc: number, key: Uint8Array): number {
  let value = ~crc
  for (let at = 0; at < key.length; at++) value = T0[(value ^ key[at]!) & 0xff]! ^ (value >>> 8)
  return ~value >>> 0
}

/** A digest as it is stored: its high and its low 32 bits. */
export type Sum = readonly [number, number]
export const NO_SUM: Sum = [0, 0]

/**
 * The sum, modulo 2^64, of one number for each record, which is mixed from its key and checksum. Adding needs no order
 * and no other record, so a write moves it in the time of one record.
 */
export class Digest {
  /** records added minus records subtracted */
  count = 0
  #high: number
  #low: number

  constructor([high, low]: Sum = NO_SUM) {
    this.#high = high
    this.#low = low
  }

  add(key: Uint8Array, crc: number): void {
    mix(key, crc)
    const low = this.#low + mixedLow
    this.#low = low >>> 0
    this.#high = (this.#high + mixedHigh + (low > 0xffffffff ? 1 : 0)) >>> 0
    this.count++
  }

  /** Takes away what `add` added for the same key and checksum. */
  subtract(key: Uint8Array, crc: number): void {
    mix(key, crc)
    const low = this.#low - mixedLow
    this.#low = low >>> 0
    this.#high = (this.#high - mixedHigh - (low < 0 ? 1 : 0)) >>> 0
    this.count--
  }

  get sum(): Sum {
    return [this.#high, this.#low]
  }

  equals([high, low]: Sum): boolean {
    return this.#high === high && this.#low === low
  }
}

/** The result of the last `mix`: two numbers without an object, because this runs for each record that is read. */
let mixedHigh = 0
let mixedLow = 0

/**
 * 64 bits of key and checksum in two lanes. Not two CRCs: those are linear, so that damage to two records could cancel
 * out in the sum.
 */
function mix(key: Uint8Array, crc: number): void {
  let a = crc ^ 0x9e3779b9
  let b = crc ^ 0x6a09e667
  for (let at = 0; at < key.length; at += 4) {
    // beyond the end there are zeros; the length is mixed in below
    const word = (key[at]! << 24) | (key[at + 1]! << 16) | (key[at + 2]! << 8) | key[at + 3]!
    a = Math.imul(a ^ word, 0x85ebca6b)
    a ^= a >>> 13
    b = Math.imul(b ^ word, 0xc2b2ae35)
    b ^= b >>> 15
  }
  a ^= key.length
  a = finish(a + b)
  b = finish(b + a)
  mixedHigh = a
  mixedLow = b
}

/** The finalizer of MurmurHash3: each bit of the result depends on all of the input. */
function finish(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
