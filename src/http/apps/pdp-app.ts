// The PDP over HTTP: the routes of docs/pdp-api.md over the very same `Pdp` that applications hold. A request is
// answered from one image at one revision, which the header x-revision names. Nothing here decides.
import type { IncomingMessage } from 'node:http'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import type { ErrorCode } from '../../model/errors.ts'
import { type V1PdpOptions, v1PdpRoutes } from '../../v1/pdp/v1-check-routes.ts'
import { headersOfEach, httpApp, requestIds, type TlsSettings } from '../app.ts'
import { authzenRoutes } from '../authzen/authzen-app.ts'
import type { AuthzenSettings } from '../authzen/deps.ts'
import { directEvaluation } from '../authzen/direct-evaluation.ts'
import { ENDING } from '../closing.ts'
import type { EarlyAnswer } from '../early-server.ts'
import { type ErrorForm, pdpError } from '../errors.ts'
import { formatSender, type IntakeOptions } from '../intake/intake.ts'
import { countRequests, intakeMetrics, Metrics, operatorCheck } from '../metrics.ts'
import { allowedRoutes } from '../pdp/allowed.ts'
import { type Applied, answerFromOneTake, authenticator, nameRevisions } from '../pdp/authenticate.ts'
import { type DirectRoute, directAnswer } from '../pdp/direct.ts'
import { directAllowed } from '../pdp/direct-allowed.ts'
import { type ForwardOptions, forwardRoutes } from '../pdp/forward.ts'
import { gatewayRoutes } from '../pdp/gateways.ts'
import { type Health, healthRoutes } from '../pdp/health.ts'
import { listingRoutes } from '../pdp/listing-routes.ts'
import { opaRoutes } from '../pdp/opa.ts'
import { findDirectory, type PdpDirectory } from '../pdp/pdp-keys.ts'
import { metricsRoute } from '../pdp/pdp-metrics.ts'
import { type DecisionLogging, Decisions } from '../pdp/record-decision.ts'
import type { PdpRouteDeps } from '../pdp/route-deps.ts'
import { type ServiceOptions, serviceRoutes } from '../pdp/service.ts'
import { snapshotRoutes } from '../pdp/snapshot-routes.ts'
import { tenantRoutes } from '../pdp/tenants.ts'
import { urlRoutes } from '../pdp/urls.ts'
import { findVouched } from '../pdp/vouched.ts'
import { readReadiness, type WorkerPeers } from '../pdp/worker-peers.ts'
import { type RequestTracer, traceRequests } from '../tracing.ts'

export interface PdpAppOptions extends ServiceOptions {
  /** who answers a request */
  readonly directory: PdpDirectory
  /** decisions carry the path to their answer (PDP_DEBUG) */
  readonly debug?: boolean
  readonly logger?: FastifyBaseLogger
  /** what else is shown at /metrics, besides requests */
  readonly metrics?: Metrics
  /** writes a record of each decision */
  readonly decisionLog?: DecisionLogging
  /** what AuthZEN answers name: the address that clients use, and the types of a subject that mean a user */
  readonly authzen?: AuthzenSettings
  /** listens with TLS */
  readonly tls?: TlsSettings
  /** bounds of connections, times and bodies */
  readonly intake?: IntakeOptions
  /** a span for each request */
  readonly tracer?: RequestTracer
  /** a `now` in the context of a request is kept (PDP_ACCEPT_NOW); default: it is set here */
  readonly acceptNow?: boolean
  /** shows everything at /metrics to whoever asks (PDP_ALLOW_METRICS_UNAUTHENTICATED) */
  readonly openMetrics?: boolean
  /** the operator's token, which shows everything at /metrics (ZEROHOP_METRICS_TOKEN) */
  readonly metricsToken?: string
  /** the management API to which facts and old calls are passed on; without one those routes are not offered */
  readonly forward?: Omit<ForwardOptions, 'applied' | 'scopeOf'>
  /** the other processes on the same port */
  readonly peers?: WorkerPeers
  /** when every process that answers for this PDP has a revision; this one alone when absent */
  readonly applied?: Applied
  /** answers clients of the first API version, instead of the routes of the second that decide (`--v1`) */
  readonly v1?: V1PdpOptions
}

declare module 'fastify' {
  interface FastifyInstance {
    /** of a PDP: makes the app of its OPA-shaped API, for a port of its own. The caller closes it. */
    opa: () => FastifyInstance
  }
}

const appliedHere: Applied = (pdp, revision, timeoutMs) => pdp.atLeast(revision, { timeoutMs })

/** The app of a PDP, not listening yet. */
export function pdpApp(options: PdpAppOptions): FastifyInstance {
  const metrics = options.metrics ?? new Metrics()
  const { directory, debug = false, acceptNow = false, decisionLog, applied = appliedHere } = options
  const decisions = new Decisions(metrics, (request) => findKeyId(directory, request), decisionLog, acceptNow)
  const deps: PdpRouteDeps = { authenticate: authenticator(directory), debug, acceptNow, decisions }
  const isDirect = !debug && options.v1 === undefined && options.tracer === undefined
  const direct = {
    directory,
    routes: directRoutes(metrics, options.authzen),
    decisions,
    headers: headersOfEach(options.tls),
  }
  const app: FastifyInstance = emptyApp(options, decisions, isDirect ? directAnswer(() => app, direct) : undefined)
  const apps = [app]
  intakeMetrics(metrics, apps)
  app.decorate('opa', () => {
    const opa = emptyApp(options, decisions)
    opaRoutes(opa, deps)
    countRequests(opa, metrics)
    apps.push(opa)
    return opa
  })
  if (options.v1 === undefined) {
    allowedRoutes(app, deps)
    tenantRoutes(app, deps)
    listingRoutes(app, deps)
    snapshotRoutes(app, deps)
    gatewayRoutes(app, deps)
    urlRoutes(app, deps)
    authzenRoutes(app, { ...deps, ...options.authzen })
  } else {
    v1PdpRoutes(app, deps, options.v1)
  }
  forwardRoutes(
    app,
    deps,
    options.forward && { ...options.forward, applied, scopeOf: directory.scopeOf?.bind(directory) },
  )
  const { peers } = options
  const readiness = (): Health => {
    const current = options.health()
    return app.closing.announced ? { ...current, ok: false, reason: ENDING } : current
  }
  peers?.answer({ health: readiness, metrics: () => metrics.json() })
  healthRoutes(app, options.health, async () => (peers === undefined ? readiness() : readReadiness(peers)))
  serviceRoutes(app, deps, options)
  countRequests(app, metrics)
  const { openMetrics: open = false, metricsToken } = options
  const { authenticate } = deps
  metricsRoute(app, metrics, { directory, authenticate, isOperator: operatorCheck(metricsToken), open, peers })
  return app
}

/** The routes that are answered without the framework, by path. */
function directRoutes(metrics: Metrics, authzen: AuthzenSettings = {}): ReadonlyMap<string, DirectRoute> {
  const requestId = requestIds()
  const of = (route: string) => ({
    requestId,
    count: (status: number, seconds: number) => metrics.request('POST', route, status, seconds),
  })
  return new Map([
    ['/allowed', directAllowed(pdpForm, of('/allowed'))],
    ['/access/v1/evaluation', directEvaluation(authzen, of('/access/v1/evaluation'))],
  ])
}

const findKeyId = (directory: PdpDirectory, request: IncomingMessage): string =>
  findDirectory(directory, request).readKeyId(request.headers.authorization)

const isKnown = (request: IncomingMessage): boolean =>
  request.headers.authorization !== undefined || findVouched(request) !== undefined

/** What both servers of a PDP share. */
function emptyApp(
  { directory, ...options }: PdpAppOptions,
  decisions: Decisions,
  early?: EarlyAnswer,
): FastifyInstance {
  const { intake, logger, tls, tracer } = options
  const app = httpApp({
    errorForm: pdpForm,
    duplicates: 'last-wins',
    keyOf: ({ pdp, raw }) => (pdp === undefined || !isKnown(raw) ? '' : formatSender(findKeyId(directory, raw))),
    ...(intake ? { intake } : {}),
    ...(logger ? { logger } : {}),
    ...(tls ? { tls } : {}),
    ...(early ? { early } : {}),
  })
  if (tracer) traceRequests(app, tracer)
  answerFromOneTake(app)
  nameRevisions(app)
  decisions.watch(app)
  return app
}

/**
 * Where a status says more here than the class of the error; a deleted environment is "could not decide" for whoever
 * asks.
 */
const STATUS_OF: Readonly<Partial<Record<ErrorCode, number>>> = {
  CLIENT_OUTDATED: 421,
  ENVIRONMENT_DELETED: 503,
  NOT_APPLIED: 424,
  NOT_SERVED: 501,
  TOO_MANY_CHECKS: 413,
}

const pdpForm: ErrorForm = (problem) => {
  const status = problem.code === undefined ? undefined : STATUS_OF[problem.code]
  return status === undefined ? pdpError(problem) : { status, body: { detail: problem.message } }
}
