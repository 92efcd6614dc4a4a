// Measures times: tinybench runs one function a number of times and returns every sample. Its floor is about 30 ns a
// sample, so the functions given to it hold many calls. Without bench/node_modules (the tiny run of CI) a plain loop
// stands in.

/**
 * @typedef {(fn: () => unknown, options: { iterations: number, before?: () => void, async?: boolean }) =>
 * Promise<number[]>} Sample
 *   the durations of the calls in milliseconds
 */

/** @returns {Promise<Sample>} */
export async function loadSampler({ tiny = false } = {}) {
  if (tiny) return sampleWithLoop
  const { Bench } = await import('tinybench')
  return async (fn, { iterations, before, async = false }) => {
    const bench = new Bench({
      iterations,
      time: 0,
      warmup: false,
      retainSamples: true,
      subtractTimerOverhead: true,
      throws: true,
    })
    bench.add('sample', fn, { async, beforeEach: before })
    if (async) await bench.run()
    else bench.runSync()
    return [...bench.tasks[0].result.latency.samples]
  }
}

/** @type {Sample} */
async function sampleWithLoop(fn, { iterations, before, async = false }) {
  const samples = []
  for (let i = 0; i < iterations; i++) {
    before?.()
    const start = performance.now()
    if (async) await fn()
    else fn()
    samples.push(performance.now() - start)
  }
  return samples
}

/** The value below which `share` of the samples lie. */
export function quantile(samples, share) {
  const sorted = Float64Array.from(samples).sort()
  const at = (sorted.length - 1) * share
  const low = Math.floor(at)
  const high = Math.ceil(at)
  return sorted[low] + (sorted[high] - sorted[low]) * (at - low)
}

export const median = (samples) => quantile(samples, 0.5)

/** Half the distance between the 10th and the 90th percentile, as a share of the median: 0.05 reads ±5%. */
export function spread(samples) {
  return (quantile(samples, 0.9) - quantile(samples, 0.1)) / 2 / median(samples)
}
