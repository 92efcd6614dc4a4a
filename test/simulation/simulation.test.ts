// Followers behind bad links, from seeds: whatever goes wrong on the way, no answer is wrong and all end with the same
// image. The normal run has the same few seeds everywhere; `npm run test:simulation` has many fresh ones, and
// SIMULATION_SEED repeats one of them.
import { afterAll, describe, expect, it } from 'vitest'
import { Environments } from '../support/environments.ts'
import { temporaryFolder } from '../support/folders.ts'
import { type Seen, simulate } from './simulation.ts'

const FIXED_SEED = 1
const FIXED_RUNS = 6

const { SIMULATION_SEED, SIMULATION_RUNS } = process.env
const long = SIMULATION_SEED === undefined && SIMULATION_RUNS !== undefined
const first = long ? Date.now() % 1_000_000_000 : Number(SIMULATION_SEED ?? FIXED_SEED)
const runs = SIMULATION_SEED === undefined ? Number(SIMULATION_RUNS ?? FIXED_RUNS) : 1
const environments = new Environments()
const folder = temporaryFolder('simulation')
afterAll(() => environments.close())

describe('five followers of one management side', () => {
  it(`answer as the definition at the revision that they name, and come to the same image: ${runs} seeds`, async () => {
    const all: Seen = { answers: 0, refusals: 0, restarts: 0, mishaps: {} }
    for (let seed = first; seed < first + runs; seed++) {
      const seen = await simulate(seed, environments, folder).catch((error: unknown) => {
        throw new Error(`SIMULATION_SEED=${seed}: ${error instanceof Error ? error.message : error}`, { cause: error })
      })
      for (const name of ['answers', 'refusals', 'restarts'] as const) all[name] += seen[name]
      for (const [mishap, count] of Object.entries(seen.mishaps) as [keyof Seen['mishaps'], number][])
        all.mishaps[mishap] = (all.mishaps[mishap] ?? 0) + count
    }
    if (long) process.stdout.write(`seeds ${first} to ${first + runs - 1}: ${JSON.stringify(all)}\n`)
    if (SIMULATION_SEED !== undefined) return
    // A run in which nothing went wrong, or nobody answered, would show nothing.
    expect(all.answers).toBeGreaterThan(runs * 50)
    const kinds = ['lost', 'doubled', 'late', 'cut', 'garbled', 'down', 'old image', 'damaged image']
    expect(Object.keys(all.mishaps).sort()).toEqual(kinds.sort())
    expect(all.restarts).toBeGreaterThan(0)
  }, 3_600_000)
})
