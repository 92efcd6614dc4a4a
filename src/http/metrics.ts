// GET /metrics in the text format of Prometheus: values that a server counts, and values that are read on request. Each
// server has a registry of its own; the global one is empty. Labels have few values: a route is its pattern, never a
// path. The totals cover all organizations and are for operators only: API keys see their environments
// (environment-metrics.ts). What each metric is: metric-table.ts.
import { hash, timingSafeEqual } from 'node:crypto'
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { AggregatorRegistry, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { containedErrors } from '../model/contained.ts'
import { certificateExpiry } from './certificate.ts'
import { EnvironmentMetrics } from './environment-metrics.ts'
import { whenAnswered } from './hooks.ts'
import type { BodyBudget } from './intake/body-budget.ts'
import type { Intake } from './intake/intake.ts'
import { type MetricName, metricFacts } from './metric-table.ts'
import { RequestSeconds, type Times } from './request-seconds.ts'

/** Buckets in seconds: from a check to a write on a slow disk. */
const BUCKETS = [
  0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
]

/** Resolution of the event loop delay in milliseconds. */
const LOOP_RESOLUTION_MS = 20

interface Tally {
  readonly method: string
  readonly status: number
  readonly labels: { readonly method: string; readonly route: string; readonly status: string }
  /** requests not yet added to the counter */
  fresh: number
}

/** The counts of one route. */
interface RouteTallies {
  readonly times: Times
  /** few entries, one for each method and status */
  readonly tallies: Tally[]
}

export class Metrics {
  /** metrics of single environments, for API keys */
  readonly environments = new EnvironmentMetrics()
  readonly #registry = new Registry()
  /** by route: a request costs a few additions, and the counter is updated when it is read */
  readonly #routes = new Map<string, RouteTallies>()
  readonly #seconds = new RequestSeconds(describeMetric('zerohop_http_request_seconds'), BUCKETS)

  constructor() {
    const routes = this.#routes
    new Counter({
      ...describeMetric('zerohop_http_requests_total'),
      registers: [this.#registry],
      collect() {
        for (const { tallies } of routes.values())
          for (const tally of tallies) {
            this.inc(tally.labels, tally.fresh)
            tally.fresh = 0
          }
      },
    })
    this.#registry.registerMetric(this.#seconds.metric)
    this.gauge('zerohop_event_loop_delay_p99_seconds', eventLoopDelay())
    this.gauge('process_resident_memory_bytes', () => process.memoryUsage.rss())
    this.counter('zerohop_contained_errors_total', containedErrors)
    this.counter('process_cpu_seconds_total', () => {
      const { user, system } = process.cpuUsage()
      return (user + system) / 1e6
    })
  }

  /** Counts a request. */
  request(method: string, route: string, status: number, seconds: number): void {
    let counted = this.#routes.get(route)
    if (counted === undefined) {
      counted = { times: this.#seconds.times(route), tallies: [] }
      this.#routes.set(route, counted)
    }
    const { times, tallies } = counted
    let tally = tallies.find((each) => each.status === status && each.method === method)
    if (tally === undefined) {
      tally = { method, status, labels: { method, route, status: String(status) }, fresh: 0 }
      tallies.push(tally)
    }
    tally.fresh++
    times.add(seconds)
  }

  /** Registers a gauge that is read on request. Without a value it is not shown. */
  gauge(name: MetricName<'gauge'>, read: () => number | undefined): void {
    new Gauge({
      ...describeMetric(name),
      aggregator: metricFacts(name).merged ?? 'sum',
      registers: [this.#registry],
      collect() {
        try {
          const value = read()
          if (value === undefined) this.remove()
          else this.set(value)
        } catch {
          this.remove() // such as of a store that is closed: what can be read is shown
        }
      },
    })
  }

  /** Registers a counter that is counted elsewhere and read on request. */
  counter(name: MetricName<'counter'>, read: () => number): void {
    new Counter({
      ...describeMetric(name),
      registers: [this.#registry],
      collect() {
        this.reset()
        try {
          this.inc(read())
        } catch {
          this.remove()
        }
      },
    })
  }

  /** Registers counters that are counted elsewhere, by the values of their label. */
  counterBy(name: MetricName<'counter'>, read: () => Readonly<Record<string, number>>): void {
    const about = describeMetric(name)
    const [label = ''] = about.labelNames
    new Counter({
      ...about,
      registers: [this.#registry],
      collect() {
        this.reset()
        for (const [value, count] of Object.entries(read())) this.inc({ [label]: value }, count)
      },
    })
  }

  /** Registers a histogram of seconds; the returned function records one measurement. */
  histogram(name: MetricName<'histogram'>): (seconds: number) => void {
    const histogram = new Histogram({ ...describeMetric(name), buckets: BUCKETS, registers: [this.#registry] })
    return (seconds) => histogram.observe(seconds)
  }

  /** The media type of `text`. */
  get contentType(): string {
    return this.#registry.contentType
  }

  /** All metrics in the form that `textOf` merges. */
  json(): Promise<object[]> {
    return this.#registry.getMetricsAsJSON()
  }

  /** All metrics in the text format of Prometheus. */
  text(): Promise<string> {
    return this.#registry.metrics()
  }
}

/** The description of a metric, as the library takes it. */
function describeMetric(name: Parameters<typeof metricFacts>[0]) {
  const { help, labels = [] } = metricFacts(name)
  return { name, help, labelNames: [...labels] }
}

/**
 * Reads the 99th percentile since the last reading, in seconds; measuring starts with the first reading and costs
 * nothing before it.
 */
function eventLoopDelay(): () => number {
  let loop: IntervalHistogram | undefined
  return () => {
    if (loop === undefined) {
      loop = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS })
      loop.enable()
      return 0
    }
    const ms = loop.percentile(99) / 1e6 - LOOP_RESOLUTION_MS // it measures from one look at the clock to the next
    loop.reset()
    return Math.max(0, ms) / 1000
  }
}

/** Counts every answer of the app. */
export function countRequests(app: FastifyInstance, metrics: Metrics): void {
  whenAnswered(app, (request, reply) => {
    const route = request.routeOptions.url ?? 'none'
    metrics.request(request.method, route, reply.statusCode, reply.elapsedTime / 1000)
  })
}

/** The answer of GET /metrics: of this process, or merged from all processes that answer on the same port. */
export async function answerMetrics(
  metrics: Metrics,
  reply: FastifyReply,
  all?: { metrics(): Promise<object[][]> },
): Promise<string> {
  reply.header('content-type', metrics.contentType)
  return all === undefined ? metrics.text() : mergeMetrics(await all.metrics())
}

/** Merges metrics: counters and histograms are summed, gauges as they declare. */
function mergeMetrics(all: readonly object[][]): Promise<string> {
  return AggregatorRegistry.aggregate([...all]).metrics()
}

/** Registers metrics of what the servers of a process have accepted; `apps` may grow. */
export function intakeMetrics(metrics: Metrics, apps: readonly FastifyInstance[]): void {
  const sum = (of: (intake: Intake) => number) => () => apps.reduce((all, { intake }) => all + of(intake), 0)
  metrics.gauge(
    'zerohop_connections',
    sum(({ sockets }) => sockets.size),
  )
  metrics.counter(
    'zerohop_connections_refused_total',
    sum(({ refused }) => refused),
  )
  const bodies = (): BodyBudget | undefined => apps[0]?.intake.bodies
  metrics.gauge('zerohop_body_bytes', () => bodies()?.held ?? 0)
  metrics.counter('zerohop_bodies_refused_total', () => bodies()?.refused ?? 0)
  metrics.gauge('zerohop_certificate_expires_timestamp_seconds', () => {
    const ends = apps.flatMap(({ server }) => certificateExpiry(server) ?? [])
    return ends.length === 0 ? undefined : Math.min(...ends) / 1000
  })
}

/** True for an Authorization header with the operator's token. */
export type OperatorCheck = (authorization: string | undefined) => boolean

/**
 * Compares in constant time; without a configured token no one is the operator. An address never proves it: behind a
 * local proxy all requests come from loopback.
 */
export function operatorCheck(token: string | undefined): OperatorCheck {
  if (token === undefined) return () => false
  const wanted = hash('sha256', token, 'buffer')
  return (authorization) => {
    const sent = /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
    return sent !== undefined && timingSafeEqual(hash('sha256', sent, 'buffer'), wanted)
  }
}
