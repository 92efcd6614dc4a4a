// The management API: /v2 on port 8080. A factory; who listens is src/cli. docs/http-api.md lists what exists.

import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify'
import type { AuditLog } from '../../decision-log/audit-log.ts'
import type { LogId } from '../../log/change.ts'
import type { ManagementUseCases } from '../../management/host/registry.ts'
import { KeyUse } from '../../management/objects/key-use.ts'
import type { Checkpoints } from '../../management/past/checkpoints.ts'
import type { PastRevisions } from '../../management/past/past-revisions.ts'
import { Planner } from '../../management/plan/planner.ts'
import type { Snapshots } from '../../management/snapshot/snapshot.ts'
import { ZerohopError } from '../../model/errors.ts'
import * as t from '../../model/json-schema.ts'
import { IDEMPOTENCY_HOURS } from '../../model/limits.ts'
import type { Store } from '../../store/store.ts'
import { guideRoute } from '../../v1/routes/migration-guide.ts'
import { v1Routes } from '../../v1/routes/v1-routes.ts'
import { httpApp, type TlsSettings } from '../app.ts'
import type { ConsoleOptions } from '../console/console.ts'
import { markConsole } from '../console/console-request.ts'
import { describe } from '../description.ts'
import { managementError } from '../errors.ts'
import { beforeSending } from '../hooks.ts'
import { formatSender, type IntakeOptions } from '../intake/intake.ts'
import { Gate, guard } from '../management/auth.ts'
import { confirmReads, type Reads } from '../management/consistency.ts'
import { answerChanged } from '../management/preconditions.ts'
import { referenceRoutes } from '../management/reference.ts'
import { printTime } from '../management/render/stamps.ts'
import type { RouteContext, TenantRolesBound } from '../management/route-context.ts'
import { accessReviewRoutes } from '../management/routes/access-review.ts'
import { keyRoutes } from '../management/routes/api-keys.ts'
import { conditionMatchRoute } from '../management/routes/condition-matches.ts'
import { auditRoutes } from '../management/routes/decision-log.ts'
import { elementsRoutes } from '../management/routes/elements.ts'
import { copyRoutes } from '../management/routes/environment-copies.ts'
import { factStreamRoutes } from '../management/routes/fact-stream.ts'
import { factsFileRoutes } from '../management/routes/facts-file.ts'
import { groupRulePlanRoute } from '../management/routes/group-rules.ts'
import { historyRoutes } from '../management/routes/history.ts'
import { ROUTES } from '../management/routes/index.ts'
import { lastUsedRoutes } from '../management/routes/last-used.ts'
import { organizationRoutes } from '../management/routes/organizations.ts'
import { pastRoutes } from '../management/routes/past.ts'
import { pastListingRoutes } from '../management/routes/past-listing.ts'
import { planRoutes } from '../management/routes/plan.ts'
import { exportRoutes } from '../management/routes/policy-file.ts'
import { projectRoutes } from '../management/routes/projects.ts'
import { proposalRoutes } from '../management/routes/proposals.ts'
import { replayRoutes } from '../management/routes/replay.ts'
import { revertRoutes } from '../management/routes/revert.ts'
import { syncRoutes } from '../management/routes/syncs.ts'
import { tenantReadRoutes } from '../management/routes/tenant-reads.ts'
import { scimRoutes } from '../management/scim/scim-app.ts'
import { auditMetrics, checkpointMetrics, storeMetrics } from '../management/store-metrics.ts'
import { answerSystem } from '../management/system-requests.ts'
import { answerMetrics, countRequests, intakeMetrics, Metrics, operatorCheck } from '../metrics.ts'
import { checkQueries } from '../query-names.ts'
import { limitRates, type RateLimits } from '../rate-limit.ts'
import { type RequestTracer, traceRequests } from '../tracing.ts'
import { consoleServer } from './console-server.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** notes on which day keys were used */
    readonly keyUse: KeyUse
  }
}

export interface ManagementOptions {
  readonly store: Store<ManagementUseCases>
  readonly audit: AuditLog
  /** questions about past revisions are answered with it */
  readonly past?: PastRevisions
  /** shown in the metrics */
  readonly checkpoints?: Pick<Checkpoints, 'bytes' | 'failures'>
  /** the images for followers: plans begin with them */
  readonly snapshots?: Pick<Snapshots, 'renew'>
  /** nothing is logged without one */
  readonly logger?: FastifyBaseLogger
  /** counts requests, and shows itself at /metrics; one of its own when none is given */
  readonly metrics?: Metrics
  /** shows everything at /metrics to whoever asks */
  readonly openMetrics?: boolean
  /** the operator's token, which shows everything at /metrics */
  readonly metricsToken?: string
  /** listens with TLS */
  readonly tls?: TlsSettings
  /** a span for each request */
  readonly tracer?: RequestTracer
  /** bounds of connections, times and bodies */
  readonly intake?: IntakeOptions
  /** requests that one key may make in a minute; they are not counted without it */
  readonly rateLimits?: RateLimits
  /** how far back a read may be where several replicas share the data; default `linearizable` */
  readonly reads?: Reads
  /** what bounds what tenants give by their own roles, where the acting user is named; default `within_own` */
  readonly tenantRoles?: TenantRolesBound
  /** serves the console; it is not served without */
  readonly console?: ConsoleOptions & {
    /** that of users, who have no key that names one */
    readonly organization: LogId
  }
  /** further routes behind the same gate: each names its operation */
  readonly routes?: (app: FastifyInstance, management: RouteContext) => void
}

const Health = t.named('Health', t.open({ status: t.enumOf('ok') }))
const Ready = t.named(
  'Ready',
  t.open({
    status: t.enumOf('ok', 'degraded', 'unavailable', 'ending'),
    code: t.optional(t.Text),
    history_lost: t.optional(t.Text),
  }),
)

/** The app with every route; not listening yet. */
export function managementApp({ store, audit, logger, routes, ...options }: ManagementOptions): FastifyInstance {
  const { metrics = new Metrics(), openMetrics = false, rateLimits, tls, intake } = options
  const listening = { ...(intake ? { intake } : {}), ...(logger ? { logger } : {}), ...(tls ? { tls } : {}) }
  const callerKey = ({ caller }: FastifyRequest) => (caller === undefined ? '' : formatSender(caller.key.id))
  const app = httpApp({
    errorForm: managementError,
    duplicates: 'refuse',
    noRoute,
    keyOf: callerKey,
    ...listening,
    ...(options.console ? { rewriteUrl: markConsole } : {}),
  })
  keepNowhere(app)
  if (options.tracer) traceRequests(app, options.tracer)
  const uses = new KeyUse(
    store,
    () => Date.now(),
    ({ id, name, expires_at }) =>
      app.log.warn({ api_key_id: id, name, expires_at: printTime(expires_at) }, 'an API key in use expires soon'),
  )
  app.decorate('keyUse', uses)
  app.addHook('onClose', async () => uses.stop())
  const gate = new Gate(store, uses.note)
  const management: RouteContext = { store, audit, gate, tenantRoles: options.tenantRoles ?? 'within_own' }
  answerSystem(app, management.gate)
  countRequests(app, metrics)
  intakeMetrics(metrics, [app])
  const console = options.console && consoleServer(app, store, management.gate, options.console, tls !== undefined)
  storeMetrics(app, metrics, store)
  metrics.gauge('zerohop_api_keys_ending', () => uses.countEnding())
  if (options.checkpoints !== undefined) checkpointMetrics(metrics, options.checkpoints)
  auditMetrics(metrics, audit)
  referenceRoutes(app)
  guideRoute(app)
  const open = describe({ tag: 'server' }, 'Read the metrics')
  if (openMetrics) app.get('/metrics', open, (_request, reply) => answerMetrics(metrics, reply))
  const health = { description: 'Answers as soon as the server does.', response: { 200: Health } }
  app.get('/health', describe({ tag: 'server' }, 'Check that the server answers', health), () => ({ status: 'ok' }))
  readyRoute(app, store)
  app.register(async (guarded) => {
    confirmReads(guarded, store, options.reads ?? 'linearizable')
    guard(guarded, management.gate, operatorCheck(options.metricsToken), console?.cookieCaller)
    if (rateLimits !== undefined) await limitRates(guarded, rateLimits)
    checkQueries(guarded)
    answerChanged(guarded)
    console?.routes(guarded)
    if (!openMetrics) metricsRoute(guarded, management, metrics)
    keyRoutes(guarded, management)
    organizationRoutes(guarded, management)
    projectRoutes(guarded, management)
    for (const mount of Object.values(ROUTES)) mount?.(guarded, management)
    const { snapshots } = options
    const planner = new Planner(store.folder, snapshots && ((environment) => snapshots.renew(environment)))
    store.closeWith(planner)
    copyRoutes(guarded, management, planner)
    planRoutes(guarded, management, planner)
    proposalRoutes(guarded, management, planner)
    syncRoutes(guarded, management, planner)
    groupRulePlanRoute(guarded, management, planner)
    conditionMatchRoute(guarded, planner)
    exportRoutes(guarded, management, options.past)
    factsFileRoutes(guarded, management, options.past)
    factStreamRoutes(guarded, management)
    if (options.past !== undefined) {
      pastRoutes(guarded, management, options.past)
      pastListingRoutes(guarded, management, options.past)
      replayRoutes(guarded, management, options.past)
      accessReviewRoutes(guarded, management, options.past)
      revertRoutes(guarded, management, { planner, past: options.past })
    }
    tenantReadRoutes(guarded, management, options.past)
    historyRoutes(guarded, management)
    auditRoutes(guarded, management)
    lastUsedRoutes(guarded, management)
    elementsRoutes(guarded, management)
    scimRoutes(guarded, management)
    v1Routes(guarded, management)
    routes?.(guarded, management)
  })
  return app
}

/** That a write with an idempotency key is carried out once, for so long: a client repeats writes only where it is said. */
const IDEMPOTENCY_SAID = `${IDEMPOTENCY_HOURS}h`

/** Answers hold facts of people: no cache keeps them, unless a route says so itself, and no browser guesses what they are. */
function keepNowhere(app: FastifyInstance): void {
  beforeSending(app, (_request, reply) => {
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
    reply.header('x-content-type-options', 'nosniff')
    reply.header('x-idempotency', IDEMPOTENCY_SAID)
  })
}

/**
 * Whether a load balancer should send requests here. Without its database a replica still serves PDPs, and with a full
 * disk so does who has the data; a replica that cannot fold what others write falls behind.
 */
function readyRoute(app: FastifyInstance, store: Store<ManagementUseCases>): void {
  const description =
    'Whether requests should be sent here. `degraded`: nothing can be written, because the database of the replicas does not answer, or the disk is full or fails.'
  const config = { tag: 'server', tellsReadiness: true } as const
  const schema = { description, response: { 200: Ready, 503: Ready } }
  app.get('/ready', describe(config, 'Check that the server is ready', schema), (_request, reply) => {
    if (app.closing.announced) return reply.code(503).send({ status: 'ending' as const })
    const { historyLost } = store
    const trouble = store.trouble ?? store.disk.trouble
    const lost = historyLost === undefined ? {} : { history_lost: historyLost.message }
    if (trouble === undefined) return { status: 'ok' as const, ...lost }
    const isServing = trouble.code === 'DATABASE_UNAVAILABLE' || !store.isReplicated
    return reply
      .code(isServing ? 200 : 503)
      .send({ status: isServing ? 'degraded' : 'unavailable', code: trouble.code, ...lost })
  })
}

/** Everything for the operator; for an API key the series of the environments that it reaches. */
function metricsRoute(app: FastifyInstance, { gate }: RouteContext, metrics: Metrics): void {
  const config = { operation: 'metrics.read', tag: 'server', forOperators: true } as const
  app.get('/metrics', describe(config, 'Read the metrics'), async (request, reply) => {
    if (request.isOperator) return answerMetrics(metrics, reply)
    reply.header('content-type', metrics.contentType)
    return metrics.environments.text(gate.environments(request.caller))
  })
}

/** Objects outside of environments, which only the first API version has. */
const OUTSIDE =
  /^\/v2\/(?:(?:schema|facts)\/)?(users|tenants|roles|resources|role_assignments|condition_sets|set_rules|resource_instances|relationship_tuples)(?:\/[^/]*)?$/

function noRoute(url: string): ZerohopError | undefined {
  const kind = OUTSIDE.exec(url.split('?', 1)[0] ?? '')?.[1]
  if (kind === undefined) return undefined
  const area = /^(users|tenants|role_assignments|set_rules|resource_instances|relationship_tuples)$/.test(kind)
  const path = `/v2/${area ? 'facts' : 'schema'}/{project}/{environment}/${kind}`
  return new ZerohopError('ENVIRONMENT_MISSING', { path })
}
