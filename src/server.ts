// The package entry `zerohop/server`: factories of the HTTP apps, for your own process. They do not listen: call
// `listen`, or `inject` in a test.
import { randomBytes } from 'node:crypto'
import { managementApp } from './http/apps/management-app.ts'
import { pdpApp } from './http/apps/pdp-app.ts'
import {
  decisionLogMetrics,
  makeMetrics,
  type PdpServerOptions,
  type ServerOptions,
  toAppOptions,
} from './http/apps/single-server.ts'
import type { ConsoleOptions } from './http/console/console.ts'
import { feedRoutes } from './http/management/routes/feed.ts'
import type { Metrics } from './http/metrics.ts'
import { PooledPdps } from './http/pdp/pdp-keys.ts'
import type { LogId } from './log/change.ts'
import { localFeed } from './management/feed/local-feed.ts'
import { type ManagementData, type ManagementDataOptions, openManagementData } from './management/host/open.ts'
import { requireAccess } from './management/rules/access.ts'
import type { OnEvent } from './model/events.ts'
import { PdpPool, type PooledEvent } from './pdp/pool.ts'

export type { TlsSettings } from './http/app.ts'
export {
  type DecisionLogStats,
  type PdpServerOptions,
  pdpServer,
  type ServerOptions,
  type SinglePdpOptions,
} from './http/apps/single-server.ts'
export type { ConsoleOptions } from './http/console/console.ts'
export { BodyBudget } from './http/intake/body-budget.ts'
export type { IntakeOptions } from './http/intake/intake.ts'
export type { Own, WorkerPeers } from './http/pdp/worker-peers.ts'

import { KeyUse } from './management/objects/key-use.ts'

export { type KeysFile, readKeys } from './management/objects/keys-file.ts'
export { type ConnectEvent, type ConnectOptions, connect } from './pdp/connect.ts'
export type { FollowerEvent } from './pdp/follower.ts'
export type { Pdp } from './pdp/pdp.ts'
export type { DecisionSenderEvent } from './pdp/pdp-source.ts'
export type { PooledEvent } from './pdp/pool.ts'

type App = ReturnType<typeof managementApp>

export interface PooledPdpOptions extends PdpServerOptions {
  /** bytes of all images together */
  readonly imageMemoryBytes?: number
  /** refuses request attributes that are not of their declared type */
  readonly strictAttributes?: boolean
  /** hears what the followers of environments tell; what it throws is dropped */
  readonly onEvent?: OnEvent<PooledEvent>
}

/** An open data folder. */
export type Management = ManagementData
export type ManagementOptions = Omit<ManagementDataOptions, 'newId'>

/**
 * Opens a data folder; a new one gets an organization, keys and an example policy. Close it with
 * `management.store.close()`, after the apps.
 */
export function openManagement(options: ManagementOptions): Promise<Management> {
  return openManagementData({ ...options, newId: () => randomBytes(16).toString('hex') })
}

export interface ManagementServerOptions extends ServerOptions {
  /** requests, and writes among them, that one API key may make in a minute */
  readonly rateLimits?: { readonly requests?: number; readonly writes?: number }
  /** how far back a read may be where several replicas share the data; default `linearizable` */
  readonly reads?: 'linearizable' | 'local'
  /** what bounds what tenants give by their own roles, where the acting user is named; default `within_own` */
  readonly tenantRoles?: 'within_own' | 'grantable'
  /** serves the console at `/console/`; it is not served without */
  readonly console?: ConsoleOptions
}

/** The management API over an open data folder, with the feed that PDPs follow. */
export function managementServer(
  { store, audit, snapshots, past, checkpoints, organization }: Management,
  options: ManagementServerOptions = {},
): App {
  const metrics = makeMetrics(options)
  return managementApp({
    store,
    audit,
    past,
    ...(checkpoints === undefined ? {} : { checkpoints }),
    snapshots,
    metrics,
    openMetrics: options.openMetrics ?? false,
    ...(options.metricsToken === undefined ? {} : { metricsToken: options.metricsToken }),
    ...(options.reads === undefined ? {} : { reads: options.reads }),
    ...(options.tenantRoles === undefined ? {} : { tenantRoles: options.tenantRoles }),
    ...(options.console === undefined ? {} : { console: { ...options.console, organization } }),
    routes: (app) => feedRoutes(app, { store, snapshots, metrics }),
    ...(options.rateLimits === undefined ? {} : { rateLimits: options.rateLimits }),
    ...(options.logger ? { logger: options.logger } : {}),
    ...(options.tls ? { tls: options.tls } : {}),
    ...(options.intake ? { intake: options.intake } : {}),
    ...(options.tracer ? { tracer: options.tracer } : {}),
  })
}

/**
 * A PDP for every environment of an open data folder: it answers for the environment of the bearer key of each request.
 */
export function pooledPdpServer({ store, snapshots }: Management, options: PooledPdpOptions = {}): App {
  const organizations = new Map<LogId, LogId>()
  const pool = new PdpPool({
    feed: (environment) =>
      localFeed({ store, snapshots }, { environment, organization: organizations.get(environment)! }),
    strictAttributes: options.strictAttributes ?? false,
    ...(options.imageMemoryBytes === undefined ? {} : { memoryBytes: options.imageMemoryBytes }),
    ...(options.onEvent === undefined ? {} : { onEvent: options.onEvent }),
  })
  const uses = new KeyUse(store, () => Date.now())
  const directory = new PooledPdps(store, {
    admit: (key) => requireAccess(key, 'feed.read'),
    open: (environment, organization) => {
      organizations.set(environment, organization)
      return pool.get(environment)
    },
    used: uses.note,
  })
  const stop = store.acknowledgeAfter(pool)
  const health = () => ({ ok: true, revision: null, ageMs: null, source: null, stale: false })
  const metrics = makeMetrics(options)
  metrics.gauge('zerohop_api_keys_ending', () => uses.countEnding())
  metrics.gauge('zerohop_images', () => pool.size)
  metrics.gauge('zerohop_image_bytes', () => pool.bytes)
  metrics.counter('zerohop_ill_typed_attributes_total', () => pool.illTyped)
  imageMetrics(metrics, pool)
  decisionLogMetrics(metrics, options.decisionLog?.stats)
  const app = pdpApp({ directory, health, metrics, ...toAppOptions(options) })
  app.addHook('onClose', async () => {
    stop()
    uses.stop()
    await pool.close()
  })
  return app
}

/** The image metrics that a key sees of its environment, while the image is open. */
function imageMetrics({ environments }: Metrics, pool: PdpPool): void {
  environments.gauge('zerohop_environment_image_bytes', (id) => pool.findStats(id)?.bytes)
  environments.gauge('zerohop_environment_image_revision', (id) => pool.findStats(id)?.revision)
  environments.counter('zerohop_environment_ill_typed_attributes_total', (id) => pool.findStats(id)?.illTyped)
}
