// The seed and the length of a run. The normal run has a fixed seed: the same commit gives the same result everywhere,
// and a new failure is due to the change. `npm run test:random` looks somewhere new, with a seed that is printed when a
// law fails and more runs of every law. ZEROHOP_TEST_SEED is a seed, or `random` for a fresh one; ZEROHOP_TEST_SCALE
// multiplies the runs of every law: `npm test` makes a quarter of them, `npm run test:all` all.
import type fc from 'fast-check'

const FIXED_SEED = 1

const { ZEROHOP_TEST_SEED: wanted = String(FIXED_SEED), ZEROHOP_TEST_SCALE: scale = '1' } = process.env

const SEED = wanted === 'random' ? Date.now() % 2 ** 31 : Number(wanted)
if (!Number.isSafeInteger(SEED)) throw new Error('ZEROHOP_TEST_SEED must be a whole number or `random`')

/** `runs`, times ZEROHOP_TEST_SCALE. */
export const scaled = (runs: number): number => Math.ceil(runs * Number(scale))

export const parameters = <T>(
  runs: number,
): fc.Parameters<T> & { readonly numRuns: number; readonly seed: number } => ({
  numRuns: scaled(runs),
  seed: SEED,
})
