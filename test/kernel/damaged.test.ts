// What is not an image, or no longer the image that was saved, is refused with a reason; nothing of it is believed and
// nothing traps.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HEADER_BYTES, Header, OrderRoot, Root } from '../../assembly/abi.ts'
import { ABI_VERSION, ORDER_HEIGHT_MAX } from '../../assembly/limits.ts'
import { Image } from '../../src/image/image.ts'
import { isZerohopError, type ZerohopError } from '../../src/model/errors.ts'
import { parameters } from '../property/seed.ts'
import { exampleImage, listAnswers } from '../support/example.ts'
import { temporaryFolder } from '../support/folders.ts'

const image = exampleImage()
const saved = image.save()

/** The error of loading; fails when it loads, or when what is thrown is not a typed refusal. */
function refusal(input: Uint8Array | string): ZerohopError {
  try {
    Image.load(input)
  } catch (error) {
    if (isZerohopError(error, 'IMAGE_UNREADABLE', 'IMAGE_DAMAGED', 'IMAGE_FOREIGN')) return error
    throw error
  }
  throw new Error('a damaged image was loaded')
}

function edited(edit: (bytes: Uint8Array, view: DataView) => void): Uint8Array {
  const bytes = saved.slice()
  edit(bytes, new DataView(bytes.buffer))
  return bytes
}

/** The same with a checksum that fits: what only a broken writer, or an attacker, makes. */
function forged(edit: (bytes: Uint8Array, view: DataView) => void): Uint8Array {
  return edited((bytes, view) => {
    edit(bytes, view)
    view.setUint32(Header.Crc, 0, true)
    view.setUint32(Header.Crc, crc32(bytes), true)
  })
}

describe('a damaged image is refused', () => {
  it('loads when nothing is wrong with it', () => {
    expect(listAnswers(Image.load(saved))).toEqual(listAnswers(image))
    expect(listAnswers(Image.load(forged(() => {})))).toEqual(listAnswers(image))
  })

  it('at every truncation', () => {
    const borders = [0, 1, 4, 95, HEADER_BYTES - 1, HEADER_BYTES, HEADER_BYTES + 1, saved.length - 4, saved.length - 1]
    for (const length of borders) expect(refusal(saved.slice(0, length)).code).toBe('IMAGE_DAMAGED')
    fc.assert(
      fc.property(fc.nat(saved.length - 1), (length) => void refusal(saved.slice(0, length))),
      parameters(75),
    )
  })

  it('with bytes added', () => {
    for (const added of [1, 4, 4096])
      expect(refusal(Buffer.concat([saved, Buffer.alloc(added)])).code).toBe('IMAGE_DAMAGED')
    expect(refusal(Buffer.concat([saved, saved])).code).toBe('IMAGE_DAMAGED')
  })

  it('with one bit changed, wherever it lies', () => {
    for (let at = 0; at < HEADER_BYTES; at++) refusal(edited((bytes) => (bytes[at] = bytes[at]! ^ (1 << (at % 8)))))
    fc.assert(
      fc.property(fc.nat(saved.length * 8 - 1), (bit) => {
        refusal(edited((bytes) => (bytes[bit >>> 3] = bytes[bit >>> 3]! ^ (1 << (bit & 7)))))
      }),
      parameters(250),
    )
  })

  it('with blocks swapped, zeroed or repeated', () => {
    fc.assert(
      fc.property(
        fc.nat(saved.length - 1),
        fc.nat(saved.length - 1),
        fc.integer({ min: 1, max: 4096 }),
        (from, to, size) => {
          const bytes = edited((copy) => copy.copyWithin(to, from, from + size))
          if (Buffer.compare(bytes, saved) !== 0) refusal(bytes)
          const zeroed = edited((copy) => copy.fill(0, from, from + size))
          if (Buffer.compare(zeroed, saved) !== 0) refusal(zeroed)
        },
      ),
      parameters(75),
    )
  })

  it('when it is junk', () => {
    expect(refusal(new Uint8Array(0)).code).toBe('IMAGE_DAMAGED')
    expect(refusal(Buffer.from('{"not":"an image"}')).code).toBe('IMAGE_DAMAGED')
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 8192, size: 'max' }), (junk) => void refusal(junk)),
      parameters(75),
    )
    // Junk behind a header that looks right.
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 64, maxLength: 4096, size: 'max' }), (junk) => {
        refusal(Buffer.concat([saved.slice(0, HEADER_BYTES), junk]))
      }),
      parameters(75),
    )
  })

  it('says what is wrong', () => {
    expect(refusal(saved.slice(0, 100)).message).toBe('the image is damaged: 100 bytes are fewer than a header needs')
    expect(refusal(edited((_, view) => view.setUint32(Header.Magic, 1, true))).message).toContain(
      'does not begin with the magic number of an image',
    )
    expect(refusal(edited((bytes) => bytes.fill(7, HEADER_BYTES, HEADER_BYTES + 8))).message).toContain('checksum')
    expect(refusal(saved.slice(0, saved.length - 8)).message).toContain(`${saved.length - 8}`)
  })

  it('of another ABI as foreign, whatever else is in it', () => {
    for (const abi of [0, ABI_VERSION + 1, 0xffffffff]) {
      const error = refusal(forged((_, view) => view.setUint32(Header.Abi, abi, true)))
      expect(error.code).toBe('IMAGE_FOREIGN')
      expect(error.message).toContain(`ABI ${abi}`)
    }
  })

  it('with a length, end or root that lies, although the checksum fits', () => {
    const lies: [at: number, value: number][] = [
      [Header.Length, saved.length - 4],
      [Header.Length, 0xffffffff],
      [Header.Top, 0],
      [Header.Top, 0xfffffff0],
      [Header.Tables + Root.Directory, 0],
      [Header.Tables + Root.Directory, 0xfffffff0],
      [Header.Tables + Root.Capacity, 0xffffffff],
      [Header.Orders + OrderRoot.Height, ORDER_HEIGHT_MAX + 1],
      [Header.Orders + OrderRoot.Bytes + OrderRoot.Height, 0xffffffff],
    ]
    for (const [at, value] of lies) {
      expect(refusal(forged((_, view) => view.setUint32(at, value, true))).code, `${at} = ${value}`).toBe(
        'IMAGE_DAMAGED',
      )
    }
  })
})

describe('an image with a checksum that fits its damage', () => {
  it('never hangs or breaks the host: it is refused, found by verify, or answers', () => {
    let found = 0
    const byte = fc.record({ at: fc.integer({ min: 16, max: saved.length - 1 }), value: fc.nat(255) })
    fc.assert(
      fc.property(
        fc.array(byte, { minLength: 1, maxLength: 4 }),
        fc.constantFrom('release' as const, 'debug' as const),
        (edits, kernel) => {
          const bytes = forged((copy) => {
            for (const { at, value } of edits) copy[at] = value
          })
          let loaded: Image
          try {
            loaded = Image.load(bytes, { kernel, verified: true })
          } catch (error) {
            expect(isZerohopError(error, 'IMAGE_DAMAGED', 'IMAGE_FOREIGN')).toBe(true)
            return
          }
          try {
            loaded.verify()
          } catch (error) {
            expect(isZerohopError(error, 'IMAGE_DAMAGED')).toBe(true)
            expect(() => Image.load(bytes, { kernel })).toThrow(error as Error)
            found++
            return
          }
          listAnswers(loaded)
        },
      ),
      parameters(100),
    )
    expect(found).toBeGreaterThan(0)
  })
})

describe('a file that is not an image', () => {
  const folder = temporaryFolder('damaged')
  const file = (name: string, bytes: Uint8Array) => {
    writeFileSync(join(folder, name), bytes)
    return join(folder, name)
  }

  it('loads from its path when nothing is wrong with it', () => {
    expect(listAnswers(Image.load(file('sound', saved)))).toEqual(listAnswers(image))
  })

  it('is refused with the reason', () => {
    mkdirSync(join(folder, 'directory'))
    expect(refusal(join(folder, 'missing')).message).toContain('ENOENT')
    expect(refusal(join(folder, 'directory')).code).toBe('IMAGE_UNREADABLE')
    expect(refusal(file('empty', new Uint8Array(0))).code).toBe('IMAGE_DAMAGED')
    expect(refusal(file('short', saved.slice(0, saved.length / 2))).code).toBe('IMAGE_DAMAGED')
    expect(
      refusal(
        file(
          'flipped',
          edited((bytes) => bytes.fill(1, 5000, 5001)),
        ),
      ).code,
    ).toBe('IMAGE_DAMAGED')
    expect(
      refusal(
        file(
          'abi',
          forged((_, view) => view.setUint32(Header.Abi, 99, true)),
        ),
      ).code,
    ).toBe('IMAGE_FOREIGN')
  })
})
