// The management API: /v2 on port 8080. A factory; who listens is src/cli. docs/http-api.md lists what exists.

import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify'
import type { AuditLog } from '../../decision-log/audit-log.ts'
import { auditRoutes } from '../../decision-log/routes.ts'
import { httpApp, type TlsSettings } from '../../http/app.ts'
import type { ConsoleOptions } from '../../http/console/console.ts'
import { markConsole } from '../../http/console/console-request.ts'
import { managementError } from '../../http/errors.ts'
import { beforeSending } from '../../http/hooks.ts'
import { type IntakeOptions, senderOf } from '../../http/intake/intake.ts'
import { answerMetrics, countRequests, intakeMetrics, Metrics, operatorCheck } from '../../http/metrics.ts'
import { checkQueries } from '../../http/query-names.ts'
import { limitRates, type RateLimits } from '../../http/rate-limit.ts'
import { type RequestTracer, traceRequests } from '../../http/tracing.ts'
import type { LogId } from '../../log/change.ts'
import { ZerohopError } from '../../model/errors.ts'
import { enumOf, named, open, optional, Text } from '../../model/json-schema.ts'
import type { Store } from '../../store/store.ts'
import { guideRoute } from '../../v1/routes/migration-guide.ts'
import { v1Routes } from '../../v1/routes/v1-routes.ts'
import { accessReviewRoutes } from '../access-review/routes.ts'
import { actionGroupRoutes } from '../action-groups/routes.ts'
import { KeyUse } from '../api-keys/key-use.ts'
import { keyRoutes } from '../api-keys/routes.ts'
import { bulkRoutes } from '../bulk/routes.ts'
import { conditionMatchRoute } from '../condition-sets/match-routes.ts'
import { conditionSetRoutes } from '../condition-sets/routes.ts'
import { elementsRoutes } from '../elements/routes.ts'
import { copyRoutes } from '../environments/copy-routes.ts'
import { groupRoutes } from '../groups/routes.ts'
import { historyRoutes } from '../history/routes.ts'
import { instanceRoutes } from '../instances/routes.ts'
import { inviteRoutes } from '../invites/routes.ts'
import { organizationRoutes } from '../organizations/routes.ts'
import type { Checkpoints } from '../past/checkpoints.ts'
import { pastListingRoutes } from '../past/past-listing-routes.ts'
import type { PastRevisions } from '../past/past-revisions.ts'
import { pastRoutes } from '../past/past-routes.ts'
import { replayRoutes } from '../past/replay-routes.ts'
import { Planner } from '../plan/planner.ts'
import { planRoutes } from '../plan/routes.ts'
import { exportRoutes } from '../policy-file/routes.ts'
import { projectRoutes } from '../projects/routes.ts'
import { proxyConfigRoutes } from '../proxy-configs/routes.ts'
import type { ManagementUseCases } from '../registry.ts'
import { relationRoutes } from '../relations/routes.ts'
import { resourceRoleRoutes } from '../resource-roles/routes.ts'
import { resourceRoutes } from '../resources/routes.ts'
import { revertRoutes } from '../revert/revert-routes.ts'
import { assignmentRoutes } from '../role-assignments/routes.ts'
import { roleRoutes } from '../roles/routes.ts'
import { setRuleRoutes } from '../set-rules/routes.ts'
import type { Snapshots } from '../snapshot/snapshot.ts'
import { tenantRoutes } from '../tenants/routes.ts'
import { tupleRoutes } from '../tuples/routes.ts'
import { userRoutes } from '../users/routes.ts'
import { Gate, guard } from './auth.ts'
import { confirmReads, type Reads } from './consistency.ts'
import { consoleServer } from './console-server.ts'
import { referenceRoutes } from './reference.ts'
import { printTime } from './render.ts'
import type { RouteContext } from './route-context.ts'
import { auditMetrics, checkpointMetrics, storeMetrics } from './store-metrics.ts'
import { answerSystem } from './system-requests.ts'

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
  /** serves the console; it is not served without */
  readonly console?: ConsoleOptions & {
    /** that of users, who have no key that names one */
    readonly organization: LogId
  }
  /** further routes behind the same gate: each names its operation */
  readonly routes?: (app: FastifyInstance, management: RouteContext) => void
}

const Health = named('Health', open({ status: enumOf('ok') }))
const Ready = named(
  'Ready',
  open({
    status: enumOf('ok', 'degraded', 'unavailable', 'ending'),
    code: optional(Text),
    history_lost: optional(Text),
  }),
)

/** The app with every route; not listening yet. */
export function managementApp({ store, audit, logger, routes, ...options }: ManagementOptions): FastifyInstance {
  const { metrics = new Metrics(), openMetrics = false, rateLimits, tls, intake } = options
  const listening = { ...(intake ? { intake } : {}), ...(logger ? { logger } : {}), ...(tls ? { tls } : {}) }
  const keyOf = ({ caller }: FastifyRequest) => (caller === undefined ? '' : senderOf(caller.key.id))
  const app = httpApp({
    errorForm: managementError,
    duplicates: 'refuse',
    noRoute,
    keyOf,
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
  const management: RouteContext = { store, audit, gate: new Gate(store, uses.note) }
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
  if (openMetrics) app.get('/metrics', (_request, reply) => answerMetrics(metrics, reply))
  const health = { description: 'Answers as soon as the server does.', response: { 200: Health } }
  app.get('/health', { schema: health }, () => ({ status: 'ok' }))
  readyRoute(app, store)
  app.register(async (guarded) => {
    confirmReads(guarded, store, options.reads ?? 'linearizable')
    guard(guarded, management.gate, operatorCheck(options.metricsToken), console?.cookieCaller)
    if (rateLimits !== undefined) await limitRates(guarded, rateLimits)
    checkQueries(guarded)
    console?.routes(guarded)
    if (!openMetrics) metricsRoute(guarded, management, metrics)
    keyRoutes(guarded, management)
    organizationRoutes(guarded, management)
    projectRoutes(guarded, management)
    roleRoutes(guarded, management)
    resourceRoutes(guarded, management)
    resourceRoleRoutes(guarded, management)
    relationRoutes(guarded, management)
    actionGroupRoutes(guarded, management)
    conditionSetRoutes(guarded, management)
    groupRoutes(guarded, management)
    userRoutes(guarded, management)
    tenantRoutes(guarded, management)
    assignmentRoutes(guarded, management)
    instanceRoutes(guarded, management)
    tupleRoutes(guarded, management)
    setRuleRoutes(guarded, management)
    bulkRoutes(guarded, management)
    inviteRoutes(guarded, management)
    proxyConfigRoutes(guarded, management)
    const { snapshots } = options
    const planner = new Planner(store.folder, snapshots && ((environment) => snapshots.renew(environment)))
    store.closeWith(planner)
    copyRoutes(guarded, management, planner)
    planRoutes(guarded, management, planner)
    conditionMatchRoute(guarded, planner)
    exportRoutes(guarded, management, options.past)
    if (options.past !== undefined) {
      pastRoutes(guarded, management, options.past)
      pastListingRoutes(guarded, management, options.past)
      replayRoutes(guarded, management, options.past)
      accessReviewRoutes(guarded, management, options.past)
      revertRoutes(guarded, management, { planner, past: options.past })
    }
    historyRoutes(guarded, management)
    auditRoutes(guarded, management)
    elementsRoutes(guarded, management)
    v1Routes(guarded, management)
    routes?.(guarded, management)
  })
  return app
}

/** Answers hold facts of people: no cache keeps them, unless a route says so itself, and no browser guesses what they are. */
function keepNowhere(app: FastifyInstance): void {
  beforeSending(app, (_request, reply) => {
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
    reply.header('x-content-type-options', 'nosniff')
  })
}

/**
 * Whether a load balancer should send requests here. Without its database a replica still serves PDPs, and with a full
 * disk so does who has the data; a replica that cannot fold what others write falls behind.
 */
function readyRoute(app: FastifyInstance, store: Store<ManagementUseCases>): void {
  const description =
    'Whether requests should be sent here. `degraded`: nothing can be written, because the database of the replicas does not answer, or the disk is full or fails.'
  const config = { tellsReadiness: true } as const
  app.get('/ready', { config, schema: { description, response: { 200: Ready, 503: Ready } } }, (_request, reply) => {
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
  const config = { operation: 'metrics.read', forOperators: true } as const
  app.get('/metrics', { config }, async (request, reply) => {
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
