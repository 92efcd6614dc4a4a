// An HTTP server for a single PDP from `connect`, behind one key. It does not import the management side, so that
// `zerohop pdp` loads neither its routes nor LMDB. Exported by `zerohop/server`; the options of both kinds of PDP
// servers are here too.

import type { Pdp } from '../../pdp/pdp.ts'
import type { GlobalObjects } from '../../v1/pdp/v1-global-objects.ts'
import type { TlsSettings } from '../app.ts'
import type { AuthzenSettings } from '../authzen/deps.ts'
import type { IntakeOptions } from '../intake/intake.ts'
import { Metrics } from '../metrics.ts'
import { singlePdp } from '../pdp/pdp-keys.ts'
import type { DecisionLogging } from '../pdp/record-decision.ts'
import type { RequestTracer } from '../tracing.ts'
import { type PdpAppOptions, pdpApp } from './pdp-app.ts'

type App = ReturnType<typeof pdpApp>
type Logger = NonNullable<PdpAppOptions['logger']>

export interface ServerOptions {
  /** for example a pino logger; without one nothing is logged */
  readonly logger?: Logger
  /** serves all of /metrics without authentication */
  readonly openMetrics?: boolean
  /** the operator's bearer token, for all of /metrics; an API key sees its environments only */
  readonly metricsToken?: string
  /** answers include an explanation */
  readonly debug?: boolean
  /** number of unhandled rejections in this process, when it counts them; shown at /metrics */
  readonly unhandledRejections?: () => number
  /** listens with TLS, 1.2 or later */
  readonly tls?: TlsSettings
  /** bounds of connections, times and bodies; servers with the same body budget share it */
  readonly intake?: IntakeOptions
  /** begins a span for each request */
  readonly tracer?: RequestTracer
  /**
   * PDP: keeps a `now` in the context of a request; by default it is set on arrival (D8: where attributes come from)
   */
  readonly acceptNow?: boolean
  /** PDP: the public address for AuthZEN discovery, and the subject types that mean users */
  readonly authzen?: AuthzenSettings
  /** PDP: writes a record of each decision */
  readonly decisionLog?: DecisionLogging & {
    /** its figures for /metrics */
    readonly stats?: () => DecisionLogStats
    /** for `pdpServer`: the id of its key */
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

/** Further options of a single PDP server. */
export interface PdpServerOptions
  extends ServerOptions,
    Pick<PdpAppOptions, 'forward' | 'control' | 'applied' | 'peers'> {
  /** the version of this package, for /version */
  readonly version?: string
}

export interface SinglePdpOptions extends PdpServerOptions {
  /** serves clients of the first API version, including its global objects; `keyless` answers checks without a key */
  readonly v1?: { readonly globalObjects: GlobalObjects; readonly keyless: boolean }
}

/** The HTTP server of one PDP from `connect`, behind one key. */
export function pdpServer(pdp: Pdp, apiKey: string, options: SinglePdpOptions = {}): App {
  const { v1 } = options
  const health = () => {
    const refusal = pdp.refusal ?? v1?.globalObjects.refusal
    const { revision = null, ageMs = null, source = null, stale, loading } = pdp.state
    return {
      ok: refusal === undefined,
      ...(refusal ? { reason: refusal.message } : {}),
      revision,
      ageMs,
      source,
      stale,
      loading,
    }
  }
  const metrics = makeMetrics(options)
  metrics.gauge('zerohop_image_bytes', () => pdp.imageBytes)
  metrics.gauge('zerohop_image_garbage_bytes', () => pdp.garbageBytes)
  metrics.gauge('zerohop_feed_connected', () => (pdp.state.source === 'feed' && !pdp.state.stale ? 1 : 0))
  metrics.counter('zerohop_ill_typed_attributes_total', () => pdp.illTyped)
  metrics.gauge('zerohop_image_revision', () => pdp.imageRevision ?? 0)
  metrics.gauge('zerohop_image_age_seconds', () => (pdp.state.ageMs === undefined ? -1 : pdp.state.ageMs / 1000))
  metrics.gauge('zerohop_clock_difference_seconds', () => (pdp.state.clockAheadMs ?? 0) / 1000)
  decisionLogMetrics(metrics, options.decisionLog?.stats)
  const globalObjects = v1 && { globalObjects: v1.globalObjects, ...(v1.keyless ? { keyless: pdp } : {}) }
  const app = pdpApp({
    directory: singlePdp(pdp, apiKey, options.decisionLog?.keyId),
    health,
    metrics,
    ...toAppOptions(options),
    ...(globalObjects === undefined ? {} : { v1: globalObjects }),
  })
  app.addHook('onClose', () => Promise.all([pdp.close(), v1?.globalObjects.close()]))
  return app
}

export function toAppOptions(options: PdpServerOptions) {
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
  const { version, forward, control, applied, peers, metricsToken } = options
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
    ...(peers === undefined ? {} : { peers }),
  }
}

export function makeMetrics({ unhandledRejections }: ServerOptions): Metrics {
  const metrics = new Metrics()
  if (unhandledRejections !== undefined) metrics.counter('zerohop_unhandled_rejections_total', unhandledRejections)
  return metrics
}

export function decisionLogMetrics(metrics: Metrics, stats: (() => DecisionLogStats) | undefined): void {
  if (stats === undefined) return
  metrics.counter('zerohop_decision_log_written_total', () => stats().written)
  metrics.counter('zerohop_decision_log_refused_total', () => stats().refused)
  metrics.counter('zerohop_decision_log_dropped_total', () => stats().lost)
  metrics.gauge('zerohop_decision_log_waiting_bytes', () => stats().waitingBytes)
  metrics.gauge('zerohop_decision_log_bytes', () => stats().bytes)
}
