// The checksum of a record and the digest of many. src/store/checksum.ts.
import { crc32 } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { contentCrc, Digest, NO_SUM, sharedCrc, withKey } from '../../src/store/checksum.ts'

const bytes = Buffer.from(new ArrayBuffer(4_096))
for (let at = 0; at < bytes.length; at++) bytes[at] = (at * 7_919 + (at >> 3)) & 0xff

describe('a checksum', () => {
  it('is that of zlib at every length, in aligned buffers and others', () => {
    for (const buffer of [bytes, bytes.subarray(1), bytes.subarray(4), bytes]) {
      for (let length = 0; length < 900; length++) {
        const content = buffer.subarray(0, length)
        expect(sharedCrc(buffer, length, 7)).toBe(crc32(content, 7))
        expect(contentCrc(content, 7)).toBe(crc32(content, 7))
      }
    }
  })

  it('goes on over the key as zlib would', () => {
    const [content, key] = [bytes.subarray(0, 300), bytes.subarray(1_000, 1_011)]
    expect(withKey(contentCrc(content, 7), key)).toBe(crc32(Buffer.concat([content, key]), 7))
  })
})

describe('a digest', () => {
  const key = (number: number): Buffer => {
    const made = Buffer.alloc(11)
    made.writeUIntBE(number, 5, 6)
    return made
  }

  it('is the same in any order, and zero when everything was removed again', () => {
    const [forward, backward] = [new Digest(), new Digest()]
    for (let at = 0; at < 2_000; at++) forward.add(key(at), at * 31)
    for (let at = 1_999; at >= 0; at--) backward.add(key(at), at * 31)
    expect(backward.sum).toEqual(forward.sum)
    const rest = new Digest(forward.sum)
    for (let at = 0; at < 2_000; at += 2) rest.subtract(key(at), at * 31)
    expect(rest.equals(forward.sum)).toBe(false)
    for (let at = 1; at < 2_000; at += 2) rest.subtract(key(at), at * 31)
    expect(rest.sum).toEqual(NO_SUM)
    expect([forward.count, rest.count]).toEqual([2_000, -2_000])
  })

  it('tells apart what differs in one bit of key or checksum, and checksums that were exchanged', () => {
    const seen = new Set<string>()
    const of = (...records: (readonly [number, number])[]) => {
      const digest = new Digest()
      for (const [place, crc] of records) digest.add(key(place), crc)
      return digest.sum.join()
    }
    for (let bit = 0; bit < 32; bit++) for (const sum of [of([2 ** bit, 5]), of([5, 2 ** bit])]) seen.add(sum)
    expect(seen.size).toBeGreaterThanOrEqual(63) // the place 5 and the checksum 5 are never among these
    expect(of([1, 2], [3, 4])).not.toBe(of([1, 4], [3, 2]))
    expect(of([1, 2], [1, 2])).not.toBe(of())
  })
})
