// A fixed piece of work, beside which those figures are read that have nothing else beside them: reading 300 KB of JSON. The machine
// on which the budgets were set in milliseconds needed one for it, so each budget is the same number of times this work,
// and a processor that is half as fast has twice the time.
import { median } from './sampling.mjs'

const ROUNDS = 15
const BYTES = 300_000

const CHECKS = []
for (let length = 2; length < BYTES; ) {
  const at = CHECKS.length
  const check = {
    user: { key: `user-${at}` },
    action: `action-${at % 6}`,
    resource: { type: `resource-${at % 50}`, key: `document-${at}`, tenant: `tenant-${at % 100}` },
    context: { hour: at % 24 },
  }
  CHECKS.push(check)
  length += JSON.stringify(check).length + 1
}
const TEXT = JSON.stringify(CHECKS)

/** How figures call it. */
export const FIXED_WORK = 'reading 300 KB of JSON'

/** @returns {number} the milliseconds that it takes now, the median of 15 rounds */
export function measureFixedWork() {
  const times = []
  let read = 0
  for (let round = 0; round < ROUNDS; round++) {
    const begun = performance.now()
    read += JSON.parse(TEXT).length
    times.push(performance.now() - begun)
  }
  if (read !== ROUNDS * CHECKS.length) throw new Error('the fixed work was not done')
  return median(times)
}
