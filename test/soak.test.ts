// The soak works: a short one asks, writes, samples the memory of both processes and says what it did. Its verdict
// finds a leak that is far smaller than what a process swings by in a day, and takes no warm-up for one. Nothing here
// says how much the servers take.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { JUDGED, verdictOn } from '../scripts/soak/verdict.mjs'
import { temporaryFolder } from './support/folders.ts'

const run = promisify(execFile)
const MIB = 2 ** 20

it('npm run soak samples the memory of both processes until it has asked and written enough', {
  timeout: 60_000,
}, async () => {
  const file = join(temporaryFolder('soak'), 'soak.json')
  const args = ['scripts/soak.mjs', '--checks', '2000', '--deltas', '100', '--json', file]
  const { stdout } = await run(process.execPath, args, { cwd: join(import.meta.dirname, '..') })
  const { samples, verdicts } = JSON.parse(readFileSync(file, 'utf8'))
  const last = samples.at(-1)
  expect(last.checks).toBeGreaterThanOrEqual(2_000)
  expect(last.deltas).toBeGreaterThanOrEqual(100)
  for (const { pdp, api } of samples)
    for (const { resident, own, heap } of [pdp, api]) {
      expect(own).toBeLessThanOrEqual(resident)
      expect(heap).toBeLessThan(own)
      expect(heap).toBeGreaterThan(MIB)
    }
  expect(verdicts.map(({ side, part }: (typeof JUDGED)[number]) => `${side} ${part}`)).toEqual([
    'pdp resident',
    'pdp heap',
    'api own',
    'api heap',
  ])
  expect(stdout).toContain('both servers with an old space of 64 MiB')
  expect(stdout).toContain('too short to judge')
})

describe('the verdict of a soak', () => {
  const [PDP] = JUDGED
  /** A whole run of so many samples: what a server holds after so many checks and deltas, swinging by 2 MiB. */
  const verdictAfter = (
    held: (checks: number, deltas: number) => number,
    { checks = 10e6, deltas = 100e3, rounds = 60 } = {},
  ) => {
    const samples = Array.from({ length: rounds }, (_, at) => {
      const done = { checks: (checks * (at + 1)) / rounds, deltas: (deltas * (at + 1)) / rounds }
      const resident = 100 * MIB + held(done.checks, done.deltas) + ((at * 7) % 5) * 0.5 * MIB
      return { ...done, pdp: { resident }, api: {} }
    })
    return verdictOn(PDP!, samples)
  }

  it('is steady where nothing grows, and where all that grows is the first half', () => {
    expect(verdictAfter(() => 0).verdict).toBe('steady')
    expect(verdictAfter((checks) => Math.min(checks, 4e6) * 10).verdict).toBe('steady')
    expect(verdictAfter((_, deltas) => Math.min(deltas, 10e3) * 200).verdict).toBe('steady')
    expect(verdictAfter((checks) => -checks).verdict).toBe('steady')
  })

  it('finds a few bytes that stay behind each check or each delta, and says how many', () => {
    const perCheck = verdictAfter((checks) => checks * 3)
    expect([perCheck.verdict, Math.round(perCheck.perMillionChecks / 1e6)]).toEqual(['grows', 3])
    const perDelta = verdictAfter((_, deltas) => deltas * 200)
    expect([perDelta.verdict, Math.round(perDelta.perDeltas / 1e5 / 10) * 10]).toEqual(['grows', 200])
  })

  it('finds 50 bytes a check and 1 KiB a delta in the shortest run that it judges', () => {
    const short = { checks: 500_000, deltas: 25_000, rounds: 12 }
    expect(verdictAfter(() => 0, short).verdict).toBe('steady')
    expect(verdictAfter((checks) => checks * 50, short).verdict).toBe('grows')
    expect(verdictAfter((_, deltas) => deltas * 1024, short).verdict).toBe('grows')
    for (const less of [{ checks: 499_000 }, { deltas: 24_000 }, { rounds: 11 }])
      expect(verdictAfter((checks) => checks * 50, { ...short, ...less }).verdict).toBe('too short')
  })
})
