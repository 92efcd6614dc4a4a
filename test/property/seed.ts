// The seed and the length of a run. The seed is fresh every time, so that every run looks somewhere new, and fast-check prints it when a
// law fails: ZEROHOP_TEST_SEED repeats that run. ZEROHOP_TEST_SCALE multiplies the runs of every law.
import type fc from 'fast-check'

const { ZEROHOP_TEST_SEED: seed, ZEROHOP_TEST_SCALE: scale = '1' } = process.env

export function parameters<T>(runs: number): fc.Parameters<T> {
  const numRuns = Math.ceil(runs * Number(scale))
  return seed === undefined ? { numRuns } : { numRuns, seed: Number(seed) }
}
