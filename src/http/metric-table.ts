// Every metric of every server, with its name, type, help, where it is shown and when it is an alarm. What is written
// nowhere else: docs/operations.md, the dashboard of deploy/grafana and the rules of deploy/prometheus are made of it.
import { ENVIRONMENT_METRICS } from './metric-table/environment-metrics.ts'
import type { MetricFacts } from './metric-table/metric-facts.ts'
import { PDP_METRICS } from './metric-table/pdp-metrics.ts'
import { REPLICA_METRICS } from './metric-table/replica-metrics.ts'
import { SERVER_METRICS } from './metric-table/server-metrics.ts'
import { STORE_METRICS } from './metric-table/store-metrics.ts'

/** By name. */
export const METRICS = {
  ...SERVER_METRICS,
  ...STORE_METRICS,
  ...REPLICA_METRICS,
  ...PDP_METRICS,
  ...ENVIRONMENT_METRICS,
}

type Table = typeof METRICS
type Name = keyof Table

/** The names of all metrics of a type. */
export type MetricName<T extends MetricFacts['type']> = {
  [N in Name]: Table[N]['type'] extends T ? N : never
}[Name]

/** The names of those of single environments. */
export type EnvironmentMetric<T extends MetricFacts['type']> = MetricName<T> & keyof typeof ENVIRONMENT_METRICS

/** The entry of a metric in the table. */
export const metricFacts = (name: Name): MetricFacts => METRICS[name]
