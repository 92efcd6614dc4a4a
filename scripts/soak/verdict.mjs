// Decides whether memory still grows in the second half of a soak, which has the same load as the first: fits a line
// through the samples and compares its rise with the spread of the samples around it. Pure: numbers in, numbers out.

/** The judged series: all pages of the PDP, pages of the API that belong to no file, and the heaps of both. */
export const JUDGED = [
  { side: 'pdp', part: 'resident' },
  { side: 'pdp', part: 'heap' },
  { side: 'api', part: 'own' },
  { side: 'api', part: 'heap' },
]

/**
 * A smaller rise is not a leak, however straight: V8 goes on compiling, and allocators take pages by the piece. In the
 * whole run of 10,000,000 checks and 100,000 deltas it is a byte a check, or 80 bytes a delta.
 */
export const CREEP_BYTES = 4 * 2 ** 20

/**
 * Fewer are not conclusive: a follower keeps 10,000 positions of the log, and must have all of them before the second
 * half begins.
 */
const CHECKS_MIN = 500_000
const DELTAS_MIN = 25_000
export const SAMPLES_MIN = 12

export function verdictOn({ side, part }, samples) {
  const half = samples.filter(({ deltas }) => deltas >= samples.at(-1).deltas / 2)
  const [first, last] = [half[0], half.at(-1)]
  const done = last.deltas - first.deltas
  // by deltas and not by time, so that a temporarily slow machine does not matter
  const { slope, noise } = lineThrough(half.map((each) => [each.deltas, each[side][part]]))
  const rise = slope * done
  const isShort = samples.length < SAMPLES_MIN || last.checks < CHECKS_MIN || last.deltas < DELTAS_MIN
  const verdict = rise > Math.max(2 * noise, CREEP_BYTES) ? 'grows' : 'steady'
  return {
    side,
    part,
    rise,
    noise,
    perMillionChecks: (rise / Math.max(1, last.checks - first.checks)) * 1e6,
    perDeltas: (rise / Math.max(1, done)) * 1e5,
    verdict: isShort ? 'too short' : verdict,
  }
}

/** Least squares; `noise` is the standard deviation of what is left. */
function lineThrough(points) {
  const mean = (numbers) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length
  const [x, y] = [mean(points.map(([at]) => at)), mean(points.map(([, value]) => value))]
  const spread = points.reduce((sum, [at]) => sum + (at - x) ** 2, 0)
  const slope = spread === 0 ? 0 : points.reduce((sum, [at, value]) => sum + (at - x) * (value - y), 0) / spread
  const noise = Math.sqrt(mean(points.map(([at, value]) => (value - y - slope * (at - x)) ** 2)))
  return { slope, noise }
}
