// The facts about a metric: its form at GET /metrics, its row in docs/operations.md, its panel on the dashboard
// (deploy/grafana) and its alert (deploy/prometheus). The tables next to this file have one entry for each metric.

/** Which servers show it, in the words of the documentation. */
export type Where =
  | 'both'
  | 'API'
  | 'API with a data folder'
  | 'API of a replica'
  | 'PDP'
  | '`zerohop pdp`'
  | 'PDP of `serve`'
  | 'API, for API keys'
  | 'PDP of `serve`, for API keys'

/** Units of Grafana. */
export type Unit = 'short' | 'bytes' | 's' | 'percentunit' | 'dateTimeFromNow' | 'bool'

export interface Alert {
  /** in the words of a person who is woken up by it, after `Zerohop`: `DiskFull` */
  readonly name: string
  readonly severity: 'critical' | 'warning'
  /** in PromQL */
  readonly when: string
  /** how long that must be so, such as `5m` */
  readonly for: string
  /** one sentence; `{{ $labels.instance }}` is the server */
  readonly summary: string
  /** what to do, one sentence */
  readonly action: string
}

export interface MetricFacts {
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly where: Where
  readonly unit: Unit
  /** besides `environment` */
  readonly labels?: readonly string[]
  /** the text after HELP, and in the documentation */
  readonly help: string
  /** said in the documentation only, in Markdown */
  readonly more?: string
  /** how the values of the worker processes of one PDP are combined; counters are always summed, gauges by default */
  readonly merged?: 'min' | 'max'
  readonly alert?: Alert
}
