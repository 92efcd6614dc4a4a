// Metrics of single environments: at /metrics an API key sees those of the environments that it may access. They are
// read on request; a label has the id of the environment. docs/operations.md lists them.
import { Counter, Gauge, Registry } from 'prom-client'

/** Values for an environment: one, or one for each value of a label; undefined when there is none. */
type Reading = number | Readonly<Record<string, number>> | undefined

interface Series {
  readonly type: 'gauge' | 'counter'
  readonly name: string
  readonly help: string
  /** a second label besides the environment */
  readonly label: string | undefined
  readonly read: (environments: readonly string[]) => Promise<(environment: string) => Reading>
}

export class EnvironmentMetrics {
  readonly #series: Series[] = []

  /** Registers a gauge with one value for each environment. */
  gauge(name: string, help: string, read: (environment: string) => number | undefined): void {
    this.#series.push({ type: 'gauge', name, help, label: undefined, read: async () => read })
  }

  /** Registers a gauge whose values are read together; an environment without a value is left out. */
  gauges(
    name: string,
    help: string,
    read: (environments: readonly string[]) => Promise<ReadonlyMap<string, number>>,
  ): void {
    const readAll: Series['read'] = async (environments) => {
      const values = await read(environments)
      return (environment) => values.get(environment)
    }
    this.#series.push({ type: 'gauge', name, help, label: undefined, read: readAll })
  }

  /** Registers a counter for each environment; it grows until the process ends or stops serving the environment. */
  counter(name: string, help: string, read: (environment: string) => number | undefined): void {
    this.#series.push({ type: 'counter', name, help, label: undefined, read: async () => read })
  }

  /** Registers counters for each environment, by the values of one label. */
  counterBy(
    name: string,
    help: string,
    label: string,
    read: (environment: string) => Readonly<Record<string, number>> | undefined,
  ): void {
    this.#series.push({ type: 'counter', name, help, label, read: async () => read })
  }

  /** The series of these environments in the text format of Prometheus. */
  async text(environments: readonly string[]): Promise<string> {
    const registry = new Registry()
    for (const series of this.#series) {
      const { name, help, label, type } = series
      const about = { name, help, labelNames: ['environment', ...(label === undefined ? [] : [label])] }
      const metric = { ...about, registers: [registry] }
      const add = type === 'counter' ? adder(new Counter(metric)) : adder(new Gauge(metric))
      const read = await series.read(environments)
      for (const environment of environments) addReading(add, label, environment, read(environment))
    }
    return registry.metrics()
  }
}

type Add = (labels: Record<string, string>, value: number) => void

const adder =
  (metric: Counter | Gauge): Add =>
  (labels, value) =>
    metric.inc(labels, value)

function addReading(add: Add, label: string | undefined, environment: string, reading: Reading): void {
  if (typeof reading === 'number') add({ environment }, reading)
  else for (const [value, count] of Object.entries(reading ?? {})) add({ environment, [label ?? '']: value }, count)
}
