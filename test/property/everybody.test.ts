// A host or a kernel that is wrong in one point about roles for everybody (D16) is found by the law of ways and doors: of
// random stories, in which users are suspended, grants are for a time, and rules are for roles on instances, by the answers of
// some door. What is planted once is found by all doors of management and HTTP, too: they answer by the same images.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { KernelSource } from '../../src/image/image.ts'
import {
  OF_EVERYBODY,
  OF_SIDES_BY_EVERYBODY,
  OF_EVERYBODY_AS_USERS as OF_USERS_IN_KERNELS,
} from '../kernel/canaries.ts'
import type { Canary } from '../support/canary.ts'
import { kernelWith } from '../support/canary-kernel.ts'
import { accessDoorsWith } from '../support/doors/access.ts'
import { LIBRARY_DOORS } from '../support/doors/library.ts'
import { ROW_DOORS } from '../support/doors/rows.ts'
import { temporaryFolder } from '../support/folders.ts'
import { IS_WHOLE } from '../support/sample.ts'
import { waysWith } from '../support/ways.ts'
import { OF_EVERYBODY_AS_USERS, OF_FORGOTTEN } from './everybody-canaries.ts'
import { MODULES } from './live-ids-law.ts'
import { modulesWith } from './times-canaries.ts'
import { Stage, Tally, tell } from './ways-law.ts'
import { sharedStories } from './ways-script.ts'

/** Stories that may be told until a fault must be found, and the time that it may stay. */
const STORIES = 60
const FOUND_MS = 120_000
/** Where in the sequence of stories a fault is found at once; the others are at its beginning. */
const FROM: Readonly<Record<string, number>> = { 'everybody-despite-suspension': 12, 'shared-tenants': 172 }
/** A normal run looks for a sixth of them; `npm run test:all` for all. */
const some = <T>(all: readonly T[]): readonly T[] => (IS_WHOLE ? all : all.filter((_, at) => at % 6 === 0))

describe('a fault about roles for everybody', () => {
  const folder = temporaryFolder('everybody-canaries')
  let stage: Stage

  beforeAll(async () => {
    stage = await Stage.withoutDatabases()
  })
  afterAll(() => stage.close())

  /** The first difference in so many stories; undefined without one. */
  async function findDifference(modules: typeof MODULES, kernel: KernelSource, from: number, most: number) {
    const { Image } = modules
    const doors = [
      ...LIBRARY_DOORS,
      ...ROW_DOORS.filter(({ name }) => !/HTTP|POST/.test(name)),
      ...accessDoorsWith(modules),
    ]
    const product = { ways: waysWith(Image, kernel), doors, isAsked: () => true, Image }
    for (let number = from; number < from + most; number++) {
      const [drawn] = fc.sample(sharedStories, { seed: number, numRuns: 1 })
      try {
        await tell(drawn!, product, stage, new Tally())
      } catch (error) {
        // an image may not even take what is written
        return String(error)
      }
    }
    return undefined
  }

  it('is not found in what is right', async () => {
    expect(await findDifference(MODULES, 'release', 1, 6)).toBeUndefined()
  })

  it.each(some(Object.entries({ ...OF_FORGOTTEN, ...OF_EVERYBODY_AS_USERS })))(
    'is found in the host: %s',
    { timeout: FOUND_MS },
    async (tag, code) => {
      const modules = await modulesWith({ [tag]: code }, folder)
      expect(await findDifference(modules, 'release', FROM[tag] ?? 1, STORIES)).toEqual(expect.any(String))
    },
  )

  // test/kernel/everybody.test.ts finds all of those in a small world
  const { 'everybody-despite-suspension': despite } = OF_USERS_IN_KERNELS
  const inKernels: readonly (readonly [string, Canary])[] = [
    ['everybody-in-tenants', { 'everybody-in-tenants': OF_EVERYBODY['everybody-in-tenants'] }],
    ['everybody-despite-suspension', { 'everybody-despite-suspension': despite }],
    ['everybody-at-goals', { 'everybody-at-goals': OF_EVERYBODY['everybody-at-goals'] }],
    ['side-searches-of-everybody', OF_SIDES_BY_EVERYBODY],
  ]
  it.each(some(inKernels))('is found in the kernel: %s', { timeout: FOUND_MS }, async (name, canary) => {
    const kernel = await kernelWith(canary)
    expect(await findDifference(MODULES, kernel, FROM[name] ?? 1, STORIES)).toEqual(expect.any(String))
  })
})
