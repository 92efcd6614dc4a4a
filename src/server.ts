// The door `zerohop/server`: the HTTP apps as factories, for a process of your own. They do not listen: call `listen`, or `inject` in a test.
import { randomBytes } from 'node:crypto'
import type { TlsSettings } from './http/app.ts'
import type { AuthzenSettings } from './http/authzen/deps.ts'
import type { IntakeOptions } from './http/intake/intake.ts'
import { Metrics } from './http/metrics.ts'
import { type PdpAppOptions, pdpApp } from './http/pdp/app.ts'
import { PooledPdps, singlePdp } from './http/pdp/auth.ts'
import type { DecisionLogging } from './http/pdp/record-decision.ts'
import type { RequestTracer } from './http/tracing.ts'
import type { LogId } from './log/change.ts'
import { requireAccess } from './management/access.ts'
import { localFeed } from './management/feed/local-feed.ts'
import { feedRoutes } from './management/feed/routes.ts'
import { managementApp } from './management/http/app.ts'
import { openPap, type Pap, type PapOptions } from './management/open.ts'
import type { FollowerEvent } from './pdp/follower.ts'
import type { Pdp } from './pdp/pdp.ts'
import { PdpPool } from './pdp/pool.ts'
import type { Outside } from './v1/pdp/v1-global-objects.ts'

export type { TlsSettings } from './http/app.ts'
export { BodyBudget } from './http/intake/body-budget.ts'
export type { IntakeOptions } from './http/intake/intake.ts'
export type { Own, Siblings } from './http/pdp/worker-peers.ts'
export { type KeysFile, readKeys } from './management/api-keys/keys-file.ts'
export { type ConnectOptions, connect } from './pdp/connect.ts'
export type { FollowerEvent } from './pdp/follower.ts'
export type { Pdp } from './pdp/pdp.ts'

type App = ReturnType<typeof managementApp>
type Logger = NonNullable<Parameters<typeof managementApp>[0]['logger']>

export interface ServerOptions {
  /** nothing is logged without one; a pino logger fits */
  readonly logger?: Logger
  /** shows everything at /metrics to whoever asks */
  readonly openMetrics?: boolean
  /** the operator's bearer token: it shows everything at /metrics, where an API key is shown its environments */
  readonly metricsToken?: string
  /** decisions carry the path to their answer */
  readonly debug?: boolean
  /** rejections that nobody handled in this process, where its own policy counts them; shown at /metrics */
  readonly unhandledRejections?: () => number
  /** listens with TLS, 1.2 or later */
  readonly tls?: TlsSettings
  /** bounds of connections, times and bodies; servers that are given the same budget of bodies share it */
  readonly intake?: IntakeOptions
  /** begins a span for each request */
  readonly tracer?: RequestTracer
  /** the PDP: a `now` in the context of a request is kept; default: it is set when the request comes (D8) */
  readonly acceptNow?: boolean
  /** the PDP: the address that AuthZEN's discovery names, and which types of a subject are users */
  readonly authzen?: AuthzenSettings
  /** the PDP: writes a record of each decision */
  readonly decisionLog?: DecisionLogging & {
    /** what /metrics says of it */
    readonly stats?: () => DecisionLogStats
    /** of `pdpServer`: the id of its key */
    readonly keyId?: () => string
  }
}

export interface DecisionLogStats {
  readonly written: number
  readonly refused: number
  readonly lost: number
  readonly waitingBytes: number
  readonly bytes: number
}

/** What a PDP over HTTP can be told besides. */
export interface PdpServerOptions
  extends ServerOptions,
    Pick<PdpAppOptions, 'forward' | 'control' | 'applied' | 'siblings'> {
  /** the version of this package, as /version says it */
  readonly version?: string
}

export interface PooledPdpOptions extends PdpServerOptions {
  /** bytes of all images together */
  readonly imageMemoryBytes?: number
  /** refuses attributes that are sent and not of their declared type */
  readonly strictAttributes?: boolean
  readonly report?: (environment: LogId, event: FollowerEvent) => void
}

/** An open data folder. */
export type Management = Pap
export type ManagementOptions = Omit<PapOptions, 'newId'>

/** Opens a data folder; a new one gets an organization, keys and an example policy. Close it with `management.store.close()`, after the apps. */
export function openManagement(options: ManagementOptions): Promise<Management> {
  return openPap({ ...options, newId: () => randomBytes(16).toString('hex') })
}

export interface ManagementServerOptions extends ServerOptions {
  /** requests, and writes among them, that one API key may make in a minute */
  readonly rateLimits?: { readonly requests?: number; readonly writes?: number }
}

/** The management API over an open data folder, with the feed that PDPs follow. */
export function managementServer({ store, snapshots }: Management, options: ManagementServerOptions = {}): App {
  const metrics = metricsOf(options)
  return managementApp({
    store,
    metrics,
    openMetrics: options.openMetrics ?? false,
    ...(options.metricsToken === undefined ? {} : { metricsToken: options.metricsToken }),
    routes: (app) => feedRoutes(app, { store, snapshots, metrics }),
    ...(options.rateLimits === undefined ? {} : { rateLimits: options.rateLimits }),
    ...(options.logger ? { logger: options.logger } : {}),
    ...(options.tls ? { tls: options.tls } : {}),
    ...(options.intake ? { intake: options.intake } : {}),
    ...(options.tracer ? { tracer: options.tracer } : {}),
  })
}

/** A PDP for every environment of an open data folder: it answers for the environment of the bearer key of each request. */
export function pooledPdpServer({ store, snapshots }: Management, options: PooledPdpOptions = {}): App {
  const organizations = new Map<LogId, LogId>()
  const pool = new PdpPool({
    feed: (environment) =>
      localFeed({ store, snapshots }, { environment, organization: organizations.get(environment)! }),
    strictAttributes: options.strictAttributes ?? false,
    ...(options.imageMemoryBytes === undefined ? {} : { memoryBytes: options.imageMemoryBytes }),
    ...(options.report === undefined ? {} : { report: options.report }),
  })
  const directory = new PooledPdps(
    store,
    (key) => requireAccess(key, 'feed.read'),
    (environment, organization) => {
      organizations.set(environment, organization)
      return pool.get(environment)
    },
  )
  const stop = store.acknowledgeAfter(pool)
  const health = () => ({ ok: true, revision: null, ageMs: null, source: null, stale: false })
  const metrics = metricsOf(options)
  metrics.gauge('zerohop_images', 'Images that are open.', () => pool.size)
  metrics.gauge('zerohop_image_bytes', 'Bytes of the images that are open.', () => pool.bytes)
  illTypedMetric(metrics, () => pool.illTyped)
  imageMetrics(metrics, pool)
  decisionLogMetrics(metrics, options.decisionLog?.stats)
  const app = pdpApp({ directory, health, metrics, ...served(options) })
  app.addHook('onClose', async () => {
    stop()
    await pool.close()
  })
  return app
}

export interface SinglePdpOptions extends PdpServerOptions {
  /** answers clients of the first API version, over these objects too; `keyless` answers checks that carry no key */
  readonly v1?: { readonly outside: Outside; readonly keyless: boolean }
}

/** One PDP behind one key: what `connect` gave, over HTTP. */
export function pdpServer(pdp: Pdp, apiKey: string, options: SinglePdpOptions = {}): App {
  const { v1 } = options
  const health = () => {
    const refusal = pdp.refusal ?? v1?.outside.refusal
    const { revision = null, ageMs = null, source = null, stale } = pdp.state
    return {
      ok: refusal === undefined,
      ...(refusal ? { reason: refusal.message } : {}),
      revision,
      ageMs,
      source,
      stale,
    }
  }
  const metrics = metricsOf(options)
  metrics.gauge('zerohop_image_bytes', 'Bytes of the image that answers.', () => pdp.imageBytes)
  metrics.gauge('zerohop_image_garbage_bytes', 'Bytes of it that nothing uses any more.', () => pdp.garbageBytes)
  metrics.gauge(
    'zerohop_feed_connected',
    '1 while the management side says that the image is current, else 0.',
    () => (pdp.state.source === 'feed' && !pdp.state.stale ? 1 : 0),
    'min',
  )
  illTypedMetric(metrics, () => pdp.illTyped)
  metrics.gauge(
    'zerohop_image_revision',
    'Revision of the image that answers; 0 when there is none.',
    () => pdp.state.revision ?? 0,
    'min',
  )
  metrics.gauge(
    'zerohop_image_age_seconds',
    'Seconds since the management side last said that the image is current; -1 when never.',
    () => (pdp.state.ageMs === undefined ? -1 : pdp.state.ageMs / 1000),
    'max',
  )
  decisionLogMetrics(metrics, options.decisionLog?.stats)
  const outside = v1 && { outside: v1.outside, ...(v1.keyless ? { keyless: pdp } : {}) }
  const app = pdpApp({
    directory: singlePdp(pdp, apiKey, options.decisionLog?.keyId),
    health,
    metrics,
    ...served(options),
    ...(outside === undefined ? {} : { v1: outside }),
  })
  app.addHook('onClose', () => Promise.all([pdp.close(), v1?.outside.close()]))
  return app
}

function served(options: PdpServerOptions) {
  const {
    debug = false,
    acceptNow = false,
    openMetrics = false,
    logger,
    tls,
    intake,
    tracer,
    decisionLog,
    authzen = {},
  } = options
  const { version, forward, control, applied, siblings, metricsToken } = options
  return {
    debug,
    acceptNow,
    openMetrics,
    authzen,
    ...(metricsToken === undefined ? {} : { metricsToken }),
    ...(logger ? { logger } : {}),
    ...(tls ? { tls } : {}),
    ...(intake ? { intake } : {}),
    ...(tracer ? { tracer } : {}),
    ...(decisionLog ? { decisionLog } : {}),
    ...(version === undefined ? {} : { version }),
    ...(forward === undefined ? {} : { forward }),
    ...(control === undefined ? {} : { control }),
    ...(applied === undefined ? {} : { applied }),
    ...(siblings === undefined ? {} : { siblings }),
  }
}

function metricsOf({ unhandledRejections }: ServerOptions): Metrics {
  const metrics = new Metrics()
  const help = 'Rejections that nobody handled; the process went on.'
  if (unhandledRejections !== undefined)
    metrics.counter('zerohop_unhandled_rejections_total', help, unhandledRejections)
  return metrics
}

/** What a key is shown of the image of its environment, while that is open. */
function imageMetrics({ environments }: Metrics, pool: PdpPool): void {
  const help = 'while it is open'
  environments.gauge('zerohop_environment_image_bytes', `Bytes of its image, ${help}.`, (id) => pool.statsOf(id)?.bytes)
  environments.gauge(
    'zerohop_environment_image_revision',
    `Revision of its image, ${help}.`,
    (id) => pool.statsOf(id)?.revision,
  )
  environments.counter(
    'zerohop_environment_ill_typed_attributes_total',
    `${ILL_TYPED} Counted ${help}.`,
    (id) => pool.statsOf(id)?.illTyped,
  )
}

const ILL_TYPED = 'Times that a condition met an attribute, sent or stored, that is not of its declared type.'

function illTypedMetric(metrics: Metrics, read: () => number): void {
  metrics.counter('zerohop_ill_typed_attributes_total', ILL_TYPED, read)
}

function decisionLogMetrics(metrics: Metrics, stats: (() => DecisionLogStats) | undefined): void {
  if (stats === undefined) return
  const count = (name: string, help: string, read: (stats: DecisionLogStats) => number): void =>
    metrics.counter(`zerohop_decision_log_${name}`, help, () => read(stats()))
  const size = (name: string, help: string, read: (stats: DecisionLogStats) => number): void =>
    metrics.gauge(`zerohop_decision_log_${name}`, help, () => read(stats()))
  count('written_total', 'Decisions that were recorded since the start.', ({ written }) => written)
  count('refused_total', 'Decisions that were not answered because they could not be recorded.', (each) => each.refused)
  count(
    'dropped_total',
    'Decisions that were answered but not recorded, as long as this log exists.',
    ({ lost }) => lost,
  )
  size('waiting_bytes', 'Bytes of records that the slowest sink does not have yet.', (each) => each.waitingBytes)
  size('bytes', 'Bytes of the files of the decision log.', ({ bytes }) => bytes)
}
