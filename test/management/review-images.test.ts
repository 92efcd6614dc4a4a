// Images of access reviews: the next revision is reached by deltas from an image that is there, or built where that is
// too far or the log was replaced; both answer and count the same.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type GroupedBy, ReviewCounts } from '../../src/image/access-review/counts.ts'
import type { Image } from '../../src/image/image.ts'
import { ReviewImages } from '../../src/management/access-review/review-images.ts'
import { imageAt } from '../../src/management/past/past-image.ts'
import { FolderPastReader } from '../../src/store/past-reader.ts'
import { openReader } from '../../src/store/reader.ts'
import { type ManagementData, openManagementData } from './harness.ts'

const NOW = Date.UTC(2026, 0, 1)

describe('images of access reviews', () => {
  let data: ManagementData
  /** images that were built from a whole state */
  let built: number
  beforeEach(async () => {
    data = await openManagementData({})
    built = 0
  })
  afterEach(() => data.close())

  const open = async (environment: string) => {
    const reader = new FolderPastReader(data.store.folder, openReader(data.store.folder), environment)
    const { start } = reader
    reader.start = (revision) => {
      built++
      return start.call(reader, revision)
    }
    return reader
  }
  const write = async (...users: string[]) => {
    for (const key of users) await data.run('createUser', { key })
    return head()
  }
  const head = () => {
    const { revision, chain } = data.store.head(data.environment)
    return { revision, chain }
  }
  const counts = (image: Image, by: GroupedBy) => {
    const made = image.inside((inside) => new ReviewCounts(inside, by), NOW)
    while (image.guardAt(NOW, () => made.step(100)));
    return made.groups
  }
  /** The image that is had equals one that is built, and counts the same. */
  const requireEqual = async (image: Image) => {
    const reader = await open(data.environment)
    const anew = await imageAt(reader, data.environment, image.revision)
    await reader.close()
    built--
    expect(image.hash()).toBe(anew.hash())
    for (const by of ['role', 'resource'] as const) expect(counts(image, by)).toEqual(counts(anew, by))
  }

  it('a later revision is reached by deltas, and the earlier one stays as it was', async () => {
    const images = new ReviewImages(open)
    const first = await images.at(data.environment, await write('ada', 'bo'))
    const hash = first.hash()
    const second = await images.at(data.environment, await write('cy', 'di'))
    const third = await images.at(data.environment, await write('ed'))
    expect(built).toBe(1)
    expect(third.revision - first.revision).toBe(3)
    for (const image of [first, second, third]) await requireEqual(image)
    expect(first.hash()).toBe(hash)
    expect(await images.at(data.environment, second.position)).toBe(second)
    expect(built).toBe(1)
  })

  it('an earlier revision, and one beyond the limit of changes, is built', async () => {
    const images = new ReviewImages(open, { changes: 2 })
    const early = await write('ada')
    await images.at(data.environment, await write('bo'))
    await requireEqual(await images.at(data.environment, await write('cy', 'di')))
    expect(built).toBe(1)
    await requireEqual(await images.at(data.environment, await write('ed')))
    expect(built).toBe(2)
    await requireEqual(await images.at(data.environment, await write('flo')))
    expect(built).toBe(2)
    await images.at(data.environment, early)
    expect(built).toBe(3)
  })

  it('a position of another history is not reached from an image of this one', async () => {
    const images = new ReviewImages(open)
    await images.at(data.environment, await write('ada'))
    const { revision } = await write('bo')
    await expect(images.at(data.environment, { revision, chain: 'f'.repeat(64) })).rejects.toMatchObject({
      code: 'REVISION_GONE',
    })
    expect(built).toBe(2)
    await requireEqual(await images.at(data.environment, head()))
  })

  it('the last used image stays whatever its size, and no other one beside it beyond the limit of bytes', async () => {
    const images = new ReviewImages(open, { bytes: 1 })
    const first = await write('ada')
    const image = await images.at(data.environment, first)
    expect(await images.at(data.environment, first)).toBe(image)
    expect(built).toBe(1)
    await images.at(data.environment, await write('bo'))
    await images.at(data.environment, first)
    expect(built).toBe(2)
  })
})
