// The histogram of request times is equal to the library's own histogram of the same requests.
import { AggregatorRegistry, Histogram, Registry } from 'prom-client'
import { describe, expect, it } from 'vitest'
import { RequestSeconds } from '../../src/http/request-seconds.ts'

const NAME = 'seconds'
const BUCKETS = [0.001, 0.01, 0.1]
const SEEN: readonly (readonly [string, number])[] = [
  ['/allowed', 0.0005],
  ['/allowed', 0.001], // on a bound
  ['/allowed', 0.05],
  ['/health', 7], // beyond the last bound
  ['/health', 0],
]

function registries(): { ours: Registry; theirs: Registry } {
  const [ours, theirs] = [new Registry(), new Registry()]
  const help = 'Seconds from a request to its answer, by route.'
  const times = new RequestSeconds({ name: NAME, help }, BUCKETS)
  ours.registerMetric(times.metric)
  const histogram = new Histogram({ name: NAME, help, labelNames: ['route'], buckets: BUCKETS, registers: [theirs] })
  for (const [route, seconds] of SEEN) {
    times.times(route).add(seconds)
    histogram.observe({ route }, seconds)
  }
  return { ours, theirs }
}

describe('the histogram of request times', () => {
  it('is read as that of the library', async () => {
    const { ours, theirs } = registries()
    expect((await ours.metrics()).split('\n').sort()).toEqual((await theirs.metrics()).split('\n').sort())
  })

  it('is merged with that of another process as that of the library', async () => {
    const { ours, theirs } = registries()
    const merged = async (registry: Registry) => {
      const one = await registry.getMetricsAsJSON()
      return (await AggregatorRegistry.aggregate([one, one]).metrics()).split('\n').sort()
    }
    expect(await merged(ours)).toEqual(await merged(theirs))
    expect(await merged(ours)).toContain(`${NAME}_count{route="/allowed"} 6`)
  })
})
