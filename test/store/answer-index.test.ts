// The index of kept answers in memory, against a plain list: places that share a tag, slots that run together, and
// places around 2^32.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { AnswerIndex } from '../../src/store/answer-index.ts'

const SCALE = Number(process.env.ZEROHOP_TEST_SCALE ?? 1)

/** Tags whose slots run together, at the end of the table and over it, and a few that lie alone. */
const tag = fc.oneof(
  fc.integer({ min: 1_020, max: 1_026 }),
  fc.nat({ max: 3 }).map((n) => 1 + n * 1_024),
  fc.integer({ min: 1, max: 2 ** 32 - 1 }),
)

it('finds each place by its tag until it is removed', () => {
  const step = fc.record({ tag, isRemoved: fc.boolean(), which: fc.nat() })
  fc.assert(
    fc.property(
      fc.array(step, { minLength: 1, maxLength: 400 }),
      fc.constantFrom(0, 2 ** 32 - 100, 2 ** 40),
      (steps, first) => {
        const index = new AnswerIndex()
        let kept: { readonly tag: number; readonly place: number }[] = []
        let next = first
        for (const { tag, isRemoved, which } of steps) {
          const gone = isRemoved ? kept[which % Math.max(1, kept.length)] : undefined
          if (gone !== undefined) {
            index.remove(gone.tag, gone.place)
            kept = kept.filter((each) => each !== gone)
          } else {
            index.add(tag, next)
            kept.push({ tag, place: next++ })
          }
        }
        for (const wanted of [...kept.map((each) => each.tag), ...steps.map((each) => each.tag)]) {
          const found: number[] = []
          index.find(wanted, next, (place) => void found.push(place))
          const places = kept.filter((each) => each.tag === wanted).map(({ place }) => place)
          expect(found.toSorted((a, b) => a - b)).toEqual(places)
        }
      },
    ),
    { numRuns: Math.ceil(100 * SCALE), seed: 66 },
  )
})

it('grows', () => {
  const index = new AnswerIndex()
  for (let place = 0; place < 5_000; place++) index.add(1 + place * 3, place)
  for (let place = 0; place < 5_000; place += 7)
    expect(index.find(1 + place * 3, 5_000, (found) => (found === place ? found : undefined))).toBe(place)
})
