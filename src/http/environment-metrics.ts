// Metrics of single environments: at /metrics an API key sees those of the environments that it may access. They are
// read on request; a label has the id of the environment. What each is: metric-table.ts.
import { Counter, Gauge, Registry } from 'prom-client'
import { type EnvironmentMetric, metricFacts } from './metric-table.ts'

/** Values for an environment: one, or one for each value of a label; or undefined. */
type Reading = number | Readonly<Record<string, number>> | undefined

interface Series {
  readonly name: EnvironmentMetric<'gauge' | 'counter'>
  readonly read: (environments: readonly string[]) => Promise<(environment: string) => Reading>
}

export class EnvironmentMetrics {
  readonly #series: Series[] = []

  /** Registers a gauge with one value for each environment. */
  gauge(name: EnvironmentMetric<'gauge'>, read: (environment: string) => number | undefined): void {
    this.#series.push({ name, read: async () => read })
  }

  /** Registers a gauge whose values are read together; an environment without a value is left out. */
  gauges(
    name: EnvironmentMetric<'gauge'>,
    read: (environments: readonly string[]) => Promise<ReadonlyMap<string, number>>,
  ): void {
    const readAll: Series['read'] = async (environments) => {
      const values = await read(environments)
      return (environment) => values.get(environment)
    }
    this.#series.push({ name, read: readAll })
  }

  /** Registers a counter for each environment; it grows until the process ends or stops serving the environment. */
  counter(name: EnvironmentMetric<'counter'>, read: (environment: string) => number | undefined): void {
    this.#series.push({ name, read: async () => read })
  }

  /** Registers counters for each environment, by the values of their other label. */
  counterBy(
    name: EnvironmentMetric<'counter'>,
    read: (environment: string) => Readonly<Record<string, number>> | undefined,
  ): void {
    this.#series.push({ name, read: async () => read })
  }

  /** The series of these environments in the text format of Prometheus. */
  async text(environments: readonly string[]): Promise<string> {
    const registry = new Registry()
    for (const { name, read: readAll } of this.#series) {
      const { type, help, labels: [label] = [] } = metricFacts(name)
      const about = { name, help, labelNames: ['environment', ...(label === undefined ? [] : [label])] }
      const metric = { ...about, registers: [registry] }
      const add = type === 'counter' ? adder(new Counter(metric)) : adder(new Gauge(metric))
      const read = await readAll(environments)
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
