// The checksum of one record and the digest of many. A checksum finds a record whose bytes changed; a digest finds records that are missing,
// doubled or stale while every checksum is valid, as when a page of the data file was damaged. docs/adr/0015-checksums.md.
import { crc32 } from 'node:zlib'

const CRC_TABLE = new Uint32Array(256)
for (let byte = 0; byte < 256; byte++) {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  CRC_TABLE[byte] = crc >>> 0
}

/** CRC-32 of the content, begun at the number of its table so that a record of another table never fits. */
export function contentCrc(content: Uint8Array, table: number): number {
  return crc32(content, table)
}

/** The CRC-32 continued over the key. In JavaScript: keys are so short that a second native call would cost more. */
export function withKey(crc: number, key: Uint8Array): number {
  let value = ~crc
  for (let at = 0; at < key.length; at++) value = CRC_TABLE[(value ^ key[at]!) & 0xff]! ^ (value >>> 8)
  return ~value >>> 0
}

/** A digest as it is stored: its high and its low 32 bits. */
export type Sum = readonly [number, number]
export const NO_SUM: Sum = [0, 0]

/**
 * The sum, modulo 2^64, of one number for each record, which is mixed from its key and checksum. Adding needs no order and no other record, so a
 * write moves it in the time of one record.
 */
export class Digest {
  /** records that were added less those that were taken away */
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

/** 64 bits of key and checksum in two lanes. Not two CRCs: those are linear, so that damage to two records could cancel out in the sum. */
function mix(key: Uint8Array, crc: number): void {
  let a = crc ^ 0x9e3779b9
  let b = crc ^ 0x6a09e667
  for (let at = 0; at < key.length; at++) {
    const byte = key[at]!
    a = Math.imul(a ^ byte, 0x85ebca6b)
    a ^= a >>> 13
    b = Math.imul(b ^ byte, 0xc2b2ae35)
    b ^= b >>> 15
  }
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
