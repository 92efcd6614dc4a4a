// Counts of measurements by size, in the form that Prometheus reads: a few numbers whatever the traffic.

/** Seconds: from a write without waiting to one behind a slow disk. */
const BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const

export class Histogram {
  readonly bounds: readonly number[] = BOUNDS
  /** how many were at most the bound of their place; the last counts all */
  readonly #counts = new Float64Array(BOUNDS.length + 1)
  #sum = 0

  add(seconds: number): void {
    let at = 0
    while (at < BOUNDS.length && seconds > (BOUNDS[at] ?? 0)) at++
    this.#counts[at] = (this.#counts[at] ?? 0) + 1
    this.#sum += seconds
  }

  get sum(): number {
    return this.#sum
  }

  /** Cumulative counts, one for each bound and then all. */
  get counts(): readonly number[] {
    let total = 0
    return [...this.#counts].map((count) => {
      total += count
      return total
    })
  }
}
