// A forged image: its checksum is good, what it holds is not. Whatever is asked of it, the answer is a decision or a
// typed error, never a bare trap and never an end of the process; once the kernel has run into trouble the image is
// poisoned and answers nothing any more.
import { crc32 } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { Header } from '../../assembly/abi.ts'
import { Image } from '../../src/image/image.ts'
import { isZerohopError, type ZerohopError } from '../../src/model/errors.ts'
import { loadImage, type Pdp } from '../../src/pdp/pdp.ts'
import { numbers } from '../property/numbers.ts'
import { exampleImage } from '../support/example.ts'

const saved = exampleImage().save()
const FIRST = Header.Top + 4

/** The image with some of its words changed, and a checksum that fits. */
function forged(seed: number): Uint8Array {
  const next = numbers(seed)
  const bytes = saved.slice()
  const view = new DataView(bytes.buffer)
  const somewhere = () => FIRST + next((saved.length - FIRST) >>> 2) * 4
  for (let left = 1 + next(3); left > 0; left--) {
    const at = somewhere()
    const was = view.getUint32(at, true)
    const values = [next(2 ** 32), view.getUint32(somewhere(), true), was ^ (1 << next(32)), 0]
    view.setUint32(at, values[next(4)]!, true)
  }
  view.setUint32(Header.Crc, 0, true)
  view.setUint32(Header.Crc, crc32(bytes), true)
  return bytes
}

const ASKS: readonly ((pdp: Pdp) => unknown)[] = [
  (pdp) => pdp.check('ben', 'wave', 'hello'),
  (pdp) => pdp.check('nobody', 'say', 'hello'),
  (pdp) => pdp.check({ key: 'ben', attributes: { team: 'red' } }, 'shout', 'hello', { level: 9 }),
  (pdp) => pdp.check('dan', 'shout', { type: 'hello', key: 'two', attributes: { loud: true } }),
  (pdp) => pdp.subject('dan').can('say', 'hello'),
  (pdp) => pdp.bulkCheck([{ user: 'eve', action: 'shout', resource: 'hello:one' }]),
  (pdp) => pdp.explain('ben', 'shout', 'hello:two', { level: 9 }),
  (pdp) => pdp.userPermissions('ben'),
  (pdp) => pdp.users('shout', 'hello:two'),
  (pdp) => pdp.resources('ana', 'shout', 'hello'),
  (pdp) => pdp.roleAssignments({ page: 1, perPage: 100 }),
]

/** The error of an ask; undefined when there was an answer. Fails when it is not typed. */
function errorOf(ask: () => unknown): ZerohopError | undefined {
  try {
    ask()
    return undefined
  } catch (error) {
    if (isZerohopError(error)) return error
    throw error
  }
}

const KNOWN = ['answered', 'POISONED', 'UNDECIDED', 'INTERNAL']

describe('a forged image', () => {
  it('answers or throws a typed error, whatever words of it were changed', () => {
    const codes = new Map<string, number>()
    const odd: string[] = []
    for (let seed = 1; seed <= 1500; seed++) {
      let pdp: Pdp | undefined
      const refused = errorOf(() => {
        pdp = loadImage(forged(seed))
      })
      for (const [index, ask] of pdp === undefined ? [] : ASKS.entries()) {
        const code = errorOf(() => ask(pdp!))?.code ?? 'answered'
        codes.set(code, (codes.get(code) ?? 0) + 1)
        if (!KNOWN.includes(code)) odd.push(`seed ${seed}, ask ${index}: ${code}`)
      }
      if (refused && refused.code !== 'IMAGE_DAMAGED') odd.push(`seed ${seed}, load: ${refused.code}`)
    }
    expect(odd).toEqual([])
    expect(codes.get('POISONED')).toBeGreaterThan(20) // or nothing was forged that mattered
    expect(codes.get('answered')).toBeGreaterThan(5000)
  })

  it('is poisoned by the first trap: from then on everything is refused', () => {
    let found = 0
    for (let seed = 1; seed <= 1500 && found < 5; seed++) {
      const bytes = forged(seed)
      let image: Image | undefined
      errorOf(() => {
        image = Image.load(bytes)
      })
      if (image === undefined) continue
      const broken = image
      const ask = (user: string) => () =>
        broken.check(user, 'shout', 'hello', 'default', undefined, { context: { level: 9 } })
      if (!['ana', 'ben', 'cyd', 'dan', 'eve'].some((user) => errorOf(ask(user))?.code === 'POISONED')) continue
      found++
      expect(broken.poisoned).toBe(true)
      for (const again of [
        ask('ana'),
        () => broken.check('ben', 'wave', 'hello', 'default', 'one'),
        () => broken.checkWithoutAttributes('ben', 'wave', 'hello', 'default'),
        () => broken.explain('ben', 'wave', 'hello'),
        () => broken.listings.actions('ben', { type: 'hello' } as never),
        () => broken.save(),
        () => broken.contents(),
      ])
        expect(errorOf(again)?.code).toBe('POISONED')
    }
    expect(found).toBeGreaterThan(0)
  })
})
