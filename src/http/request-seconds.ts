// How long requests took, as a histogram by route. The library's own histogram looks its labels up for every
// observation, which costs more than a check decides; here a request updates three numbers, which the library reads
// when the metrics are requested.
import type { Metric } from 'prom-client'

/** The histogram of one route. */
export class Times {
  /** requests in each bucket, not cumulative; the last bucket is for longer ones */
  readonly counts: Float64Array
  sum = 0
  readonly #bounds: readonly number[]

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.counts = new Float64Array(bounds.length + 1)
  }

  /** Counts a request that took so many seconds. */
  add(seconds: number): void {
    const bounds = this.#bounds
    let at = 0
    while (at < bounds.length && seconds > bounds[at]!) at++
    this.counts[at]!++
    this.sum += seconds
  }
}

export class RequestSeconds {
  readonly #name: string
  readonly #help: string
  readonly #bounds: readonly number[]
  readonly #routes = new Map<string, Times>()

  constructor({ name, help }: { readonly name: string; readonly help: string }, bounds: readonly number[]) {
    this.#name = name
    this.#help = help
    this.#bounds = bounds
  }

  times(route: string): Times {
    let times = this.#routes.get(route)
    if (times === undefined) {
      times = new Times(this.#bounds)
      this.#routes.set(route, times)
    }
    return times
  }

  /** The metric for a registry of the library, which reads only its name and `get`. */
  get metric(): Metric {
    const read = async () => ({
      name: this.#name,
      help: this.#help,
      type: 'histogram',
      aggregator: 'sum',
      values: [...this.#routes].flatMap(([route, times]) => this.#listValues(route, times)),
    })
    return { name: this.#name, get: read } as unknown as Metric
  }

  #listValues(route: string, { counts, sum }: Times) {
    let below = 0
    const buckets = [...this.#bounds, '+Inf'].map((le, at) => {
      below += counts[at]!
      return { metricName: `${this.#name}_bucket`, labels: { le, route }, value: below }
    })
    return [
      ...buckets,
      { metricName: `${this.#name}_sum`, labels: { route }, value: sum },
      { metricName: `${this.#name}_count`, labels: { route }, value: below },
    ]
  }
}
