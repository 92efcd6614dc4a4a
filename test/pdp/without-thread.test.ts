// Large work on an image where no worker thread can do it: in many turns, on a copy, with the same result.
import { describe, expect, it } from 'vitest'
import { Image } from '../../src/image/image.ts'
import type { PolicyChange } from '../../src/log/delta.ts'
import { CHANGES_IN_TURN } from '../../src/model/limits.ts'
import { deltaTo, ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { exampleImage, listAnswers } from '../support/example.ts'
import { give, HELLO, putUser, take } from './policies.ts'

const COUNT = 4 * CHANGES_IN_TURN

/** Every kind of change in one delta, with references in both directions. */
const many: readonly PolicyChange[] = [
  ...Array.from({ length: COUNT }, (_, index) => give(`user${index}`, 'viewer')),
  ...Array.from({ length: COUNT }, (_, index) => putUser(`user${index}`)),
  ...Array.from({ length: COUNT / 2 }, (_, index) => take(`user${index}`, 'viewer')),
  take('ben', 'viewer'),
]

/** Counts the turns. */
function turns(): { pause: () => Promise<void>; readonly count: number } {
  let count = 0
  const pause = async (): Promise<void> => {
    count++
  }
  return {
    pause,
    get count() {
      return count
    },
  }
}

describe('without a worker thread', () => {
  it('a large delta is applied to a copy, and the image goes on answering as before', async () => {
    const image = Image.build(ENVIRONMENT, makePosition(1), HELLO)
    const at = turns()
    const applied = await image.appliedSlowly(deltaTo(2, many), at.pause)
    expect(at.count).toBeGreaterThan((3 * COUNT) / CHANGES_IN_TURN)
    expect([image.check('ben', 'wave', 'hello'), applied.check('ben', 'wave', 'hello')]).toEqual([true, false])
    image.apply(deltaTo(2, many))
    expect([applied.position, applied.hash()]).toEqual([image.position, image.hash()])
    applied.verify()
  })

  it('a delta that cannot be applied leaves the image as it was', async () => {
    const image = Image.build(ENVIRONMENT, makePosition(1), HELLO)
    const before = image.hash()
    const refused = image.appliedSlowly(deltaTo(2, [...many, give('nobody', 'viewer')]), turns().pause)
    await expect(refused).rejects.toMatchObject({ code: 'DELTA_INVALID' })
    expect([image.revision, image.hash()]).toEqual([1, before])
  })

  it('a state becomes an image, and an image is compacted', async () => {
    const image = exampleImage()
    const built = await Image.buildSlowly(ENVIRONMENT, makePosition(1), image.contents(), turns().pause)
    expect([built.hash(), listAnswers(built)]).toEqual([image.hash(), listAnswers(image)])
    image.apply(
      deltaTo(
        2,
        Array.from({ length: COUNT }, (_, index) => putUser(`user${index}`)),
      ),
    )
    const deletes = Array.from({ length: COUNT }, (_, index) => ({
      op: 'delete' as const,
      kind: 'user' as const,
      key: `user${index}`,
    }))
    image.apply(deltaTo(3, deletes))
    const at = turns()
    const compacted = await image.compactSlowly(at.pause)
    expect([compacted.hash(), compacted.position]).toEqual([image.hash(), image.position])
    expect(compacted.stats().bytes).toBeLessThan(image.stats().bytes)
    compacted.verify()
  })
})
