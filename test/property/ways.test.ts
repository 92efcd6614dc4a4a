// The law of ways and doors. A normal run asks a third of the product in each story, another third in the next one. `npm
// run test:ways` (scripts/test-ways.mjs) asks all of it for WAYS_MS milliseconds or until WAYS_ANSWERS were given, or looks
// for planted faults (WAYS_CANARY).
import { renameSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Door } from '../support/doors.ts'
import { waysHere } from '../support/ways.ts'
import { parameters } from './seed.ts'
import { FAULTS } from './ways-canaries.ts'
import { Difference, FEATURES, type Product, Stage, smallest, Tally, tell } from './ways-law.ts'
import { type Drawn, sharedStories, stories, timedStories, untimedStories } from './ways-script.ts'

const { WAYS_MS, WAYS_ANSWERS, WAYS_SEED, WAYS_STEP, WAYS_CANARY, WAYS_SUMMARY } = process.env
const IS_LONG = WAYS_MS !== undefined || WAYS_ANSWERS !== undefined
const THIRDS = 3
/** Stories of each kind in a run of all of it; `npm test` tells a quarter of them (seed.ts). */
const STORIES: readonly (readonly [kind: fc.Arbitrary<Drawn>, count: number])[] = [
  [untimedStories, 8],
  [timedStories, 8],
  [sharedStories, 8],
]
/** No door and no way is asked less often in a normal run: one that always says why it cannot be asked shows nothing. */
const ASKED_MIN = 5
/** Of the questions so many are about policies with each of the features that are counted. */
const FEATURE_MIN = 0.1
/** As many differences end a long run. */
const DIFFERENCES_MAX = 10
/** A normal run, of half a minute of processor time, beside all other tests on a slow machine. */
const NORMAL_MS = 600_000
/** How long a planted fault may stay. */
const FOUND_MS = 120_000

describe('ways and doors', () => {
  const ways = waysHere()
  let stage: Stage
  let doors: readonly Door[]

  beforeAll(async () => {
    stage = await Stage.open()
    doors = stage.doors
  })
  afterAll(async () => {
    for (const way of ways) await way.close?.()
    await stage.close()
  })

  /** Tells a story. @throws an error with the smallest story that shows a difference */
  async function tellStory(drawn: Drawn, product: Product, tally: Tally, about: string): Promise<void> {
    try {
      await tell(drawn, product, stage, tally)
    } catch (error) {
      if (!(error instanceof Difference)) throw error
      throw new Error(`${about}: ${await smallest(error, stage)}`)
    }
  }

  // not beside a run of `npm run test:ways`, which asks for one of the two below
  it.skipIf(IS_LONG || WAYS_CANARY !== undefined)(
    '[D12] whatever way an image came about, every door says what is defined',
    { timeout: NORMAL_MS },
    async () => {
      const { seed } = parameters(1)
      const tally = new Tally()
      const drawnStories = STORIES.flatMap(([kind, count]) => fc.sample(kind, parameters(count)))
      for (const [number, drawn] of drawnStories.entries()) {
        const isAsked: Product['isAsked'] = (way, door, instant) =>
          (way + door + instant + number + seed) % THIRDS === 0
        await tellStory(drawn, { ways, doors, isAsked }, tally, `seed ${seed}, story ${number}`)
      }
      process.stdout.write(`${formatSummary(tally)}, seed ${seed}\n`)
      const [leastDoor, leastWay] = [findLeast(doors, tally.byDoor), findLeast(ways, tally.byWay)]
      expect([leastDoor, leastWay].filter(([, count]) => count < ASKED_MIN)).toEqual([])
      const shares = Object.keys(FEATURES).map((name) => [name, (tally.byFeature.get(name) ?? 0) / tally.questions])
      expect(shares.filter(([, share]) => Number(share) < FEATURE_MIN)).toEqual([])
    },
  )

  // only `npm run test:ways` says how long
  it.runIf(IS_LONG)('agree for as long as wished', { timeout: 2 ** 31 - 1 }, async () => {
    const began = Date.now()
    const [most, ms] = [WAYS_ANSWERS, WAYS_MS].map((each) => (each === undefined ? Infinity : Number(each)))
    const tally = new Tally()
    const differences: string[] = []
    const report = () => {
      const text = JSON.stringify({ ...pickCounts(tally), differences: differences.length })
      if (WAYS_SUMMARY === undefined) return
      writeFileSync(`${WAYS_SUMMARY}.next`, text)
      renameSync(`${WAYS_SUMMARY}.next`, WAYS_SUMMARY) // which is read meanwhile
    }
    let printed = began
    for (let seed = Number(WAYS_SEED); tally.questions < most! && Date.now() - began < ms!; seed += Number(WAYS_STEP)) {
      const [drawn] = fc.sample(stories, { seed: seed | 0, numRuns: 1 })
      try {
        await tellStory(drawn!, { ways, doors, isAsked: () => true }, tally, `seed ${seed}`)
      } catch (error) {
        differences.push(String(error))
        process.stdout.write(`${(error as Error).stack}\n`)
        if (differences.length === DIFFERENCES_MAX) break
      }
      if (Date.now() - printed < 5_000) continue
      printed = Date.now()
      report()
    }
    report()
    expect(differences).toEqual([])
  })

  // a normal run plants the one that is found soonest of those about roles of tenants
  const wanted = WAYS_CANARY ?? (IS_LONG ? undefined : 'a role of a tenant counts in other tenants')
  const canaries = Object.keys(FAULTS).filter((name) => wanted === 'all' || wanted === name)
  // only where `npm run test:ways` plants one
  it.runIf(WAYS_CANARY !== undefined)('a fault is planted', () => expect(canaries).not.toEqual([]))

  it.each(canaries)('finds that %s', { timeout: 2 * FOUND_MS }, async (name) => {
    const began = Date.now()
    const product: Product = { ...FAULTS[name]!({ ways, doors, isAsked: () => true }), isAsked: () => true }
    for (let seed = Number(WAYS_SEED ?? 1); Date.now() - began < FOUND_MS; seed++) {
      const [drawn] = fc.sample(stories, { seed: seed | 0, numRuns: 1 })
      const found = await tell(drawn!, product, stage, new Tally()).then(
        () => undefined,
        (error: unknown) => String(error),
      )
      if (found === undefined) continue
      process.stdout.write(`found in ${((Date.now() - began) / 1000).toFixed(1)} s: ${name}: ${found.slice(0, 200)}\n`)
      return
    }
    throw new Error(`not found within ${FOUND_MS / 1000} s`)
  })
})

const formatSummary = ({ questions, stories: count, byWay, byDoor, byFeature }: Tally): string => {
  const about = Object.keys(FEATURES).map((name) => `${(byFeature.get(name) ?? 0).toLocaleString('en')} with ${name}`)
  return `${questions.toLocaleString('en')} questions in ${count} stories, ${byWay.size} ways and ${byDoor.size} doors agree with the definition; of the policies ${about.join(', ')}`
}

/** What scripts/test-ways.mjs adds up of its processes, and prints. */
const pickCounts = ({ questions: answers, stories: count, byWay, byDoor, byFeature, lacks }: Tally) => ({
  answers,
  stories: count,
  ...Object.fromEntries(
    Object.entries({ byWay, byDoor, byFeature, lacks }).map(([name, of]) => [name, Object.fromEntries(of)]),
  ),
})

/** The one that was asked least. */
const findLeast = (all: readonly { readonly name: string }[], counts: ReadonlyMap<string, number>): [string, number] =>
  all
    .map(({ name }): [string, number] => [name, counts.get(name) ?? 0])
    .reduce((least, each) => (each[1] < least[1] ? each : least))
