// The kernel and the definition over at least 30,000 checks of random policies, the same ones in every normal run; `npm
// run test:long` asks new ones for as long as one likes, and seed.ts says how to have other ones here.
import { expect, it } from 'vitest'
import { runLong } from './long.ts'
import { parameters } from './seed.ts'

/** Also where laws are asked less: README.md promises it of each run. */
const CASES_MIN = 30_000

it('[D10] both kernels answer as defined, by deltas and built, over 30,000 random checks', () => {
  const { numRuns, seed } = parameters(CASES_MIN)
  const cases = Math.max(CASES_MIN, numRuns)
  const { count, failure } = runLong({ cases, seed, debug: 'debug' })
  expect(failure?.text, `seed ${seed}`).toBeUndefined()
  const printed = (number: number) => number.toLocaleString('en')
  process.stdout.write(
    `${printed(count.checks)} random checks in ${printed(count.histories)} histories agree with the definition, ` +
      `${printed(count.inTime)} of them about policies with times, ${printed(count.inDebug)} in the debug build, ${printed(count.ofBuilt)} of images built anew; everything was listed about ${printed(count.listed)} (seed ${seed})\n`,
  )
  expect(count.checks).toBeGreaterThanOrEqual(cases)
  expect(count.inTime / count.checks).toBeGreaterThan(0.2)
  expect(count.inDebug / count.checks).toBeGreaterThan(0.1)
  expect(count.ofBuilt / count.checks).toBeGreaterThan(0.05)
  expect(count.listed).toBeGreaterThan(cases / 20_000)
  // A run that only ever denies, or only ever allows, would show little.
  expect(count.allowed / count.checks).toBeGreaterThan(0.25)
  expect(count.allowed / count.checks).toBeLessThan(0.75)
})
