// The law of ways and doors. A normal run asks a third of the product in each story, another third in the next one. `npm
// run test:ways` (scripts/test-ways.mjs) asks all of it for WAYS_MS milliseconds, or looks for planted faults
// (WAYS_CANARY).
import { writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Door } from '../support/doors.ts'
import { waysHere } from '../support/ways.ts'
import { parameters } from './seed.ts'
import { FAULTS } from './ways-canaries.ts'
import { Difference, type Product, Stage, smallest, Tally, tell } from './ways-law.ts'
import { type Drawn, stories, timedStories, untimedStories } from './ways-script.ts'

const { WAYS_MS, WAYS_SEED, WAYS_CANARY, WAYS_SUMMARY } = process.env
const THIRDS = 3
/** Stories of a run of all of it; `npm test` tells a quarter of them (seed.ts). */
const STORIES = 16
/** Beside so many stories one whose grants are for a time. */
const TIMED_ONE_IN = 2
/** No door and no way is asked less often in a normal run: one that always says why it cannot be asked shows nothing. */
const ASKED_MIN = 5
/** Of the questions so many are about policies with times (D15), each at an instant. */
const IN_TIME_MIN = 0.1
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
  it.skipIf(WAYS_MS !== undefined || WAYS_CANARY !== undefined)(
    '[D12] whatever way an image came about, every door says what is defined',
    { timeout: NORMAL_MS },
    async () => {
      const { numRuns, seed } = parameters(STORIES)
      const tally = new Tally()
      const [plain, timed] = [untimedStories, timedStories].map((from) => fc.sample(from, { seed, numRuns }))
      const drawnStories = [...plain!, ...timed!.slice(0, Math.ceil(numRuns / TIMED_ONE_IN))]
      for (const [number, drawn] of drawnStories.entries()) {
        const isAsked: Product['isAsked'] = (way, door, instant) =>
          (way + door + instant + number + seed) % THIRDS === 0
        await tellStory(drawn, { ways, doors, isAsked }, tally, `seed ${seed}, story ${number}`)
      }
      process.stdout.write(`${formatSummary(tally)}, seed ${seed}\n`)
      const [leastDoor, leastWay] = [findLeast(doors, tally.byDoor), findLeast(ways, tally.byWay)]
      expect([leastDoor, leastWay].filter(([, count]) => count < ASKED_MIN)).toEqual([])
      expect(countInTime(tally) / tally.questions).toBeGreaterThan(IN_TIME_MIN)
    },
  )

  // only `npm run test:ways` says how long
  it.runIf(WAYS_MS !== undefined)('agree for as long as wished', { timeout: 2 ** 31 - 1 }, async () => {
    const end = Date.now() + Number(WAYS_MS)
    const tally = new Tally()
    let printed = Date.now()
    for (let seed = Number(WAYS_SEED); Date.now() < end; seed++) {
      const [drawn] = fc.sample(stories, { seed: seed | 0, numRuns: 1 })
      await tellStory(drawn!, { ways, doors, isAsked: () => true }, tally, `seed ${seed}`)
      if (Date.now() - printed < 10_000) continue
      printed = Date.now()
      process.stdout.write(`${formatSummary(tally)}\n`)
    }
    const lines = (title: string, counts: ReadonlyMap<string, number>) =>
      [title, ...[...counts].sort().map(([name, count]) => `  ${count.toLocaleString('en')} ${name}`)].join('\n')
    const parts = [
      lines('questions by door:', tally.byDoor),
      lines('questions by way:', tally.byWay),
      lines('questions about policies with times, by door:', tally.inTime),
      lines('could not be asked:', tally.lacks),
    ]
    process.stdout.write(`${parts.join('\n')}\n${formatSummary(tally)}, 0 differences\n`)
    if (WAYS_SUMMARY !== undefined) writeFileSync(WAYS_SUMMARY, asked(tally))
  })

  const canaries = Object.keys(FAULTS).filter((name) => WAYS_CANARY === 'all' || WAYS_CANARY === name)
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

const asked = ({ questions, stories: count, byWay, byDoor }: Tally): string =>
  `${questions.toLocaleString('en')} questions in ${count} stories, ${byWay.size} ways and ${byDoor.size} doors`
const countInTime = ({ inTime }: Tally): number => [...inTime.values()].reduce((sum, each) => sum + each, 0)
const formatSummary = (tally: Tally): string =>
  `${asked(tally)}, ${countInTime(tally).toLocaleString('en')} of them about policies with times, agree with the definition`

/** The one that was asked least. */
const findLeast = (all: readonly { readonly name: string }[], counts: ReadonlyMap<string, number>): [string, number] =>
  all
    .map(({ name }): [string, number] => [name, counts.get(name) ?? 0])
    .reduce((least, each) => (each[1] < least[1] ? each : least))
