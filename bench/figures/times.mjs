// Rows about grants for a time (D15): what a check costs that meets none, although others have one; what one costs that
// meets one; a user with a thousand of them; and how many bytes one takes.
import { runChild } from '../child.mjs'

const SIZES = {
  full: { users: 2_000, others: 100_000, many: 1_000, questions: 2_000, rounds: 60 },
  quick: { users: 2_000, others: 50_000, many: 1_000, questions: 2_000, rounds: 20 },
  tiny: { users: 50, others: 100, many: 20, questions: 40, rounds: 2 },
}
/** The instructions of a check that look whether there is a time. */
const UNMET_MOST = 1.02
/** The kernel is called, says that it met a time, the clock is read, and the kernel is called again. */
const MET_MOST = 1.02
const BYTES_MOST = 80

export async function measureTimes(results, { effort, progress }) {
  const sizes = SIZES[effort]
  progress('times: checks, and what an image takes')
  const { result, failure } = await runChild('./figures/times-work.mjs', sizes)
  if (failure) throw new Error(`times: ${failure}`)
  const bound = (most) => (effort === 'tiny' ? {} : { most })
  const { plainNs, unmet, met, clockNs, many, bytes } = result
  results.addFigure({
    name: `a check that meets no grant for a time, where ${print(sizes.others)} others have one`,
    ...{ value: unmet.ns, unit: 'ns', peer: 'where nobody has one', ratio: unmet.ratio, ...bound(UNMET_MOST) },
  })
  results.addFigure({
    name: 'a check that meets a grant for a time',
    ...{ value: met.ns, unit: 'ns', ratio: met.ratio, ...bound(MET_MOST) },
    peer: `two that meet none and a reading of the clock, ${(2 * plainNs + clockNs).toFixed(0)} ns`,
  })
  results.addFigure({
    name: `a check of a user with ${print(sizes.many)} roles for a time in the tenant, half of them ended`,
    ...{ value: many.ns, unit: 'ns', peer: 'the same roles without times', ratio: many.ratio },
  })
  results.addFigure({
    name: `bytes of an image for each grant for a time, more than for one without`,
    ...{ value: bytes, unit: 'bytes', ...bound(BYTES_MOST) },
  })
}

const print = (count) => count.toLocaleString('en-US')
