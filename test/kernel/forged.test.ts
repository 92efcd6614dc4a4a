// A forged image: its checksum is good, what it holds is not. It is refused when it is loaded, unless the caller says
// that nobody else can have written it. Whatever is asked of it then, the answer is a decision or a typed error, never a
// bare trap and never an end of the process; once the kernel has run into trouble the image is poisoned and answers
// nothing any more.
import { describe, expect, it } from 'vitest'
import { Header, OrderRoot } from '../../assembly/abi.ts'
import { Order } from '../../assembly/limits.ts'
import { Image } from '../../src/image/image.ts'
import { isZerohopError, type ZerohopError } from '../../src/model/errors.ts'
import { loadImage, type Pdp } from '../../src/pdp/pdp.ts'
import { numbers } from '../property/numbers.ts'
import { exampleImage } from '../support/example.ts'
import { inACircle, withChecksum, withWord } from '../support/forged-image.ts'

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
  return withChecksum(bytes)
}

const ASKS: readonly ((pdp: Pdp) => unknown)[] = [
  (pdp) => pdp.check('ben', 'wave', 'hello'),
  (pdp) => pdp.check('nobody', 'say', 'hello'),
  (pdp) => pdp.check({ key: 'ben', attributes: { team: 'red' } }, 'shout', 'hello', { level: 9 }),
  (pdp) => pdp.check('dan', 'shout', { type: 'hello', key: 'two', attributes: { loud: true } }),
  (pdp) => pdp.subject('dan').can('say', 'hello'),
  (pdp) => pdp.permission('shout', 'hello').allows('dan', { key: 'two' }),
  (pdp) => pdp.bulkCheck([{ user: 'eve', action: 'shout', resource: 'hello:one' }]),
  (pdp) => pdp.explain('ben', 'shout', 'hello:two', { level: 9 }),
  (pdp) => pdp.userPermissions('ben'),
  (pdp) => pdp.users('shout', 'hello:two'),
  (pdp) => pdp.resources('ana', 'shout', 'hello'),
  (pdp) => pdp.roleAssignments({ page: 1, perPage: 100 }),
]

/** The error of an ask; undefined when there was an answer. Fails when it is not typed. */
function findError(ask: () => unknown): ZerohopError | undefined {
  try {
    ask()
    return undefined
  } catch (error) {
    if (isZerohopError(error)) return error
    throw error
  }
}

/** Everything else that can be asked of a PDP, with what it reads of the image. */
const DOORS: readonly ((pdp: Pdp) => unknown)[] = [
  ...ASKS,
  (pdp) => pdp.filter('ben', 'shout', 'hello', { tenant: 'default' }),
  (pdp) => pdp.snapshot('ben'),
  (pdp) => pdp.why('ben', 'shout', 'hello:two'),
]

describe('an image with words changed and a checksum that fits', () => {
  it('is refused, or answers every question as the true one does', () => {
    const truth = loadImage(saved)
    const asked = (pdp: Pdp) => DOORS.map((door) => findError(() => door(pdp))?.code ?? 'answered')
    const answered = asked(truth)
    let refused = 0
    for (let seed = 1; seed <= 500; seed++) {
      let pdp: Pdp | undefined
      const error = findError(() => {
        pdp = loadImage(forged(seed))
      })
      if (error !== undefined) {
        expect(error.code, `seed ${seed}`).toBe('IMAGE_DAMAGED')
        refused++
        continue
      }
      expect(asked(pdp!), `seed ${seed}`).toEqual(answered)
      const again = Image.load(forged(seed))
      expect([...again.contents()].length, `seed ${seed}`).toBeGreaterThan(0)
    }
    expect(refused).toBeGreaterThan(50)
  })

  it('is refused with an order of keys that is too high, also by those who want no verification', () => {
    for (const order of [Order.Users, Order.Instances, Order.Tenants]) {
      const bytes = withWord(saved, Header.Orders + order * OrderRoot.Bytes + OrderRoot.Height, 0x7fffffff)
      for (const verify of [true, false])
        expect(findError(() => loadImage(bytes, { verify }))?.code, `${order} ${verify}`).toBe('IMAGE_DAMAGED')
    }
  })

  it('ends a walk in a circle', () => {
    for (const [order, offset] of [Order.Instances, Order.Tenants].flatMap((each) => [
      [each, 0],
      [each, 4],
    ])) {
      const pdp = loadImage(inACircle(saved, order!, offset), { verify: false })
      for (const ask of [
        () => pdp.resources('ana', 'shout', 'hello'),
        () => pdp.resources('ana', 'shout', 'hello', { tenant: 'default' }),
        () => pdp.users('shout', 'hello:two'),
      ])
        expect([undefined, 'POISONED']).toContain(findError(ask)?.code)
    }
  })
})

const KNOWN = ['answered', 'POISONED', 'UNDECIDED', 'INTERNAL']

describe('a forged image', () => {
  it('answers or throws a typed error, whatever words of it were changed', () => {
    const codes = new Map<string, number>()
    const odd: string[] = []
    for (let seed = 1; seed <= 1500; seed++) {
      let pdp: Pdp | undefined
      const refused = findError(() => {
        pdp = loadImage(forged(seed), { verify: false })
      })
      for (const [index, ask] of pdp === undefined ? [] : ASKS.entries()) {
        const code = findError(() => ask(pdp!))?.code ?? 'answered'
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
      findError(() => {
        image = Image.load(bytes, { verified: true })
      })
      if (image === undefined) continue
      const broken = image
      const ask = (user: string) => () =>
        broken.check(user, 'shout', 'hello', 'default', undefined, { context: { level: 9 } })
      if (!['ana', 'ben', 'cyd', 'dan', 'eve'].some((user) => findError(ask(user))?.code === 'POISONED')) continue
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
        expect(findError(again)?.code).toBe('POISONED')
    }
    expect(found).toBeGreaterThan(0)
  })
})
