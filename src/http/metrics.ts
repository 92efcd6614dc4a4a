// GET /metrics in the text form of Prometheus: what a server counted itself, and what is read when somebody asks. Labels have few values: a
// route is its pattern, never a path. docs/operations.md lists every metric.
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Histogram } from '../model/histogram.ts'

type Labels = Readonly<Record<string, string>>
type Sample = readonly [name: string, labels: Labels, value: number]
interface Family {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly read: () => Iterable<Sample>
}

export class Metrics {
  readonly #families: Family[] = []
  /** by method, route and status */
  readonly #requests = new Map<string, { readonly labels: Labels; count: number }>()
  readonly #durations = new Map<string, Histogram>()

  constructor() {
    const requests = () =>
      [...this.#requests.values()].map(({ labels, count }): Sample => ['zerohop_http_requests_total', labels, count])
    this.#add('zerohop_http_requests_total', 'counter', 'Requests by method, route and status.', requests)
    this.#add('zerohop_http_request_seconds', 'histogram', 'Seconds from a request to its answer, by route.', () =>
      [...this.#durations].flatMap(([route, histogram]) =>
        samples('zerohop_http_request_seconds', { route }, histogram),
      ),
    )
    let loop: IntervalHistogram | undefined // costs nothing while nobody reads it
    this.gauge(
      'zerohop_event_loop_delay_p99_seconds',
      'Delay of the event loop since the last reading, 99th percentile.',
      () => {
        if (loop === undefined) {
          loop = monitorEventLoopDelay({ resolution: 20 })
          loop.enable()
          return 0
        }
        const seconds = loop.percentile(99) / 1e9
        loop.reset()
        return seconds
      },
    )
    this.gauge('process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss())
    this.counter('process_cpu_seconds_total', 'Processor time.', () => {
      const { user, system } = process.cpuUsage()
      return (user + system) / 1e6
    })
  }

  /** Counts a request. */
  request(method: string, route: string, status: number, seconds: number): void {
    const name = `${method} ${route} ${status}`
    const counted = this.#requests.get(name)
    if (counted === undefined) this.#requests.set(name, { labels: { method, route, status: String(status) }, count: 1 })
    else counted.count++
    let durations = this.#durations.get(route)
    if (durations === undefined) {
      durations = new Histogram()
      this.#durations.set(route, durations)
    }
    durations.add(seconds)
  }

  gauge(name: string, help: string, read: () => number): void {
    this.#add(name, 'gauge', help, () => [[name, {}, read()]])
  }

  counter(name: string, help: string, read: () => number): void {
    this.#add(name, 'counter', help, () => [[name, {}, read()]])
  }

  histogram(name: string, help: string, read: () => Histogram): void {
    this.#add(name, 'histogram', help, () => samples(name, {}, read()))
  }

  /** Everything, as Prometheus reads it. */
  text(): string {
    const lines: string[] = []
    for (const { name, type, help, read } of this.#families) {
      lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`)
      for (const [of, labels, value] of read()) lines.push(`${of}${braces(labels)} ${value}`)
    }
    return `${lines.join('\n')}\n`
  }

  #add(name: string, type: Family['type'], help: string, read: Family['read']): void {
    this.#families.push({ name, type, help, read })
  }
}

function samples(name: string, labels: Labels, histogram: Histogram): Sample[] {
  const { bounds, counts, sum } = histogram
  const all = counts.at(-1) ?? 0
  return [
    ...bounds.map((bound, at): Sample => [`${name}_bucket`, { ...labels, le: String(bound) }, counts[at] ?? 0]),
    [`${name}_bucket`, { ...labels, le: '+Inf' }, all],
    [`${name}_sum`, labels, sum],
    [`${name}_count`, labels, all],
  ]
}

function braces(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value.replaceAll(/["\\\n]/g, '_')}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

/** Counts every answer of the app. */
export function countRequests(app: FastifyInstance, metrics: Metrics): void {
  app.addHook('onResponse', (request: FastifyRequest, reply: FastifyReply, done) => {
    const route = request.routeOptions.url ?? 'none'
    metrics.request(request.method, route, reply.statusCode, reply.elapsedTime / 1000)
    done()
  })
}

/** The answer of GET /metrics. */
export function answerMetrics(metrics: Metrics, reply: FastifyReply): FastifyReply {
  return reply.header('content-type', 'text/plain; version=0.0.4; charset=utf-8').send(metrics.text())
}
