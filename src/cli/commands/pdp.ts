// `zerohop pdp`: the PDP alone. It follows the environment of PDP_API_KEY at PDP_CONTROL_PLANE, and answers from its
// last image while the management API cannot be reached, also after a restart; with `--image` it answers from a file
// only.

import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { DecisionClient, type RefusedEvent } from '../../client/decision-client.ts'
import { environmentKey } from '../../client/environment-key.ts'
import { RemoteFeed } from '../../client/http-feed.ts'
import { pdpServer } from '../../http/apps/single-server.ts'
import { Trust } from '../../log/signature.ts'
import { inBackground } from '../../model/contained.ts'
import { isZerohopError, ZerohopError } from '../../model/errors.ts'
import type { OnEvent } from '../../model/events.ts'
import { WORKER_START_MS } from '../../model/limits.ts'
import { isLoopback } from '../../model/loopback.ts'
import { PDP_API_VERSION, PDP_API_VERSION_V1 } from '../../model/version.ts'
import { Follower, type FollowerEvent } from '../../pdp/follower.ts'
import { LastImage } from '../../pdp/last-image.ts'
import { loadImage, Pdp } from '../../pdp/pdp.ts'
import { GlobalObjects } from '../../v1/pdp/v1-global-objects.ts'
import { type Env, lastImageFolder } from '../configuration/env.ts'
import { readTls, reload, reloadOnHangup } from '../configuration/tls.ts'
import { startDecisionLog } from '../process/decision-logging.ts'
import {
  Closers,
  closeOnSignals,
  fail,
  type Listener,
  listen,
  listenOpa,
  newId,
  pdpOptions,
  stopper,
  warnOfPublicUrl,
} from '../process/process.ts'
import { startTracing } from '../process/start-tracing.ts'
import { unhandledRejections } from '../process/unhandled.ts'
import { type Place, WorkerSide } from '../process/worker.ts'
import { runWorkers } from '../process/workers.ts'

export interface PdpCommandOptions {
  /** an image file to answer from; no management API is used */
  readonly image?: string
  /** serves clients of the first API version, including its global objects */
  readonly v1?: boolean
  /** with `v1`: answers checks without a key */
  readonly keylessChecks?: boolean
}

/** Runs until a signal. */
export async function runPdp(env: Env, options: PdpCommandOptions, log: Logger): Promise<void> {
  requireFitting(options)
  if (env.workers > 1 && !WorkerSide.isOne) return runWorkers(env.workers, env.drainMs, log)
  const place = WorkerSide.isOne ? await WorkerSide.place() : undefined
  const apiKey = env.pdpApiKey ?? (await keyByWider(env))
  const tls = readTls(env)
  const readOnly = place !== undefined && place.index > 0
  const pdp =
    options.image === undefined
      ? followEnvironment(env, apiKey, options, readOnly, log)
      : fromFile(options.image, env, log)
  const closers = new Closers()
  const tracer = await startTracing(env, 'pdp', log, closers)
  closers.add(() => pdp.close())
  const decisionLog = await openDecisionLog(env, apiKey, place, log, closers)
  const stop = stopper(closers)
  let reread = (): void => undefined
  const side =
    place &&
    new WorkerSide(() => pdp, { stop: (drains) => void stop(drains ? env.drainMs : 0), hangup: () => reread() })
  const app = pdpServer(pdp, apiKey, {
    ...(tls === undefined ? {} : { tls }),
    ...(tracer === undefined ? {} : { tracer }),
    unhandledRejections,
    ...pdpOptions(env, env.controlPlane),
    ...makeV1(env, apiKey, options, readOnly, log),
    ...(side && together(side, env)),
    logger: log.child({ part: 'pdp', ...(place && { worker: place.index }) }),
    ...(decisionLog === undefined ? {} : { decisionLog }),
  })
  closers.addApp(app)
  const servers: Listener[] = [app]
  // A key that was never valid is a configuration error; a key revoked later is answered with 401.
  const ready = pdp.ready().then(
    () => side?.ready(),
    (error: unknown) => {
      if (!isZerohopError(error, 'CLOSED')) fail(error)
    },
  )
  try {
    // While other workers answer, this one takes no connections until it is ready.
    if (place?.first === false) await Promise.race([ready, pause(WORKER_START_MS, undefined, { ref: false })])
    await listen(app, env.pdpHost, env.pdpPort)
    // the OPA-shaped API would leave out the global objects of v1
    if (!options.v1) servers.push(...(await listenOpa(app, env, log, closers)))
  } catch (error) {
    await closers.close()
    throw error
  }
  side?.listening()
  if (side === undefined) {
    reloadOnHangup(env, servers, log)
    closeOnSignals(closers, env.drainMs)
  } else {
    reread = () => reload(env, servers, log)
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
      process.on(signal, () => void (signal === 'SIGTERM' && stop(env.drainMs)))
  }
}

/** The options of a server that is one of several workers. */
function together(side: WorkerSide, env: Env) {
  return {
    peers: side,
    applied: (_: Pdp, revision: number, timeoutMs: number) => side.applied(revision, timeoutMs),
    control: { key: env.controlKey, exit: () => void process.kill(process.ppid, 'SIGTERM') },
  }
}

/** Logged at the start, because records would wait in vain. */
const READ_KEY =
  'PDP_DECISION_LOG=api: this API key has access `read` and cannot send decisions. They are kept on disk: give the PDP a key of access `write`'

const formatFingerprint = (apiKey: string): string => createHash('sha256').update(apiKey).digest('hex').slice(0, 16)

/** Opens the decision log with the id of the key; each worker has a folder of its own. */
async function openDecisionLog(env: Env, apiKey: string, place: Place | undefined, log: Logger, closers: Closers) {
  const { controlPlane: url } = env
  const onEvent = ({ count, refusals }: RefusedEvent) =>
    log.error(
      { sink: 'api', count, refusals },
      'the management API will never accept some decision records: they belong to another API key or environment, or are damaged',
    )
  const client = url === undefined ? undefined : new DecisionClient({ url, apiKey, onEvent })
  const folder = join(env.decisionLog.folder ?? join(env.data, 'decisions'), `worker-${place?.index}`)
  const own = place === undefined ? env : { ...env, decisionLog: { ...env.decisionLog, folder } }
  const decisionLog = await startDecisionLog(own, log, closers, client, formatFingerprint(apiKey))
  if (decisionLog === undefined) return undefined
  const stopping = new AbortController()
  const identify = async (): Promise<void> => {
    await client?.identify(stopping.signal)
    if (env.decisionLog.sinks?.includes('api') && client?.access === 'read') log.error({ sink: 'api' }, READ_KEY)
  }
  inBackground('asking for the id of the API key', identify())
  closers.add(async () => stopping.abort())
  return { ...decisionLog, ...(client && { keyId: () => client.keyId }) }
}

/** @throws CONFIG_INVALID when the options do not go together */
function requireFitting({ image, v1 = false, keylessChecks = false }: PdpCommandOptions): void {
  if (keylessChecks && !v1)
    throw new ZerohopError('CONFIG_INVALID', { reason: '--keyless-checks can only be used with --v1' })
  if (v1 && image !== undefined)
    throw new ZerohopError('CONFIG_INVALID', {
      reason: '--v1 follows a management API and cannot be used with --image',
    })
}

/**
 * The key of the environment, read with a wider one if configured. @throws CONFIG_INVALID when a variable is missing
 */
async function keyByWider({ wider: { key, project, environment }, controlPlane }: Env): Promise<string> {
  if (key === undefined)
    throw missing('PDP_API_KEY', 'the API key of the environment to serve, which callers send as their bearer key')
  if (controlPlane === undefined)
    throw missing('PDP_CONTROL_PLANE', 'the URL of the management API, such as http://localhost:8080')
  if (environment === undefined) throw missing('PDP_ACTIVE_ENV', 'the environment to serve with a wider key')
  return environmentKey({ url: controlPlane, widerKey: key, project, environment })
}

/** Follows the environment of the key. @throws CONFIG_INVALID without the address of the management API */
function followEnvironment(env: Env, apiKey: string, { v1 }: PdpCommandOptions, readOnly: boolean, log: Logger): Pdp {
  const { controlPlane: url, maxStalenessMs } = env
  if (url === undefined)
    throw missing('PDP_CONTROL_PLANE', 'the URL of the management API, such as http://localhost:8080')
  warn(env, url, log)
  const trust = env.imagePublicKey === undefined ? undefined : new Trust(env.imagePublicKey)
  const name = formatFingerprint(apiKey)
  const pdp = {
    instance: newId(),
    name: env.pdpName,
    apiVersion: v1 ? PDP_API_VERSION_V1 : PDP_API_VERSION,
    applied: () => follower.state.revision,
  }
  const follower: Follower = new Follower({
    feed: new RemoteFeed({ url, apiKey, trust, pdp }),
    trust,
    lastImage: new LastImage(join(lastImageFolder(env), `${name}.image`), apiKey, { readOnly }),
    onEvent: eventLog(log),
    ...(maxStalenessMs === undefined ? {} : { maxStalenessMs }),
  })
  return new Pdp(follower, { strictAttributes: env.strictAttributes })
}

/** @throws IMAGE_UNREADABLE, IMAGE_DAMAGED, IMAGE_FOREIGN, SIGNATURE_INVALID */
function fromFile(path: string, { imagePublicKey: publicKey, strictAttributes }: Env, log: Logger): Pdp {
  const pdp = loadImage(path, { publicKey, strictAttributes })
  log.info({ revision: pdp.revision, source: 'file', path }, 'policy is loaded; it changes only with a restart')
  return pdp
}

/** The global objects, which a PDP for clients of the first API version follows too. */
function makeV1(
  env: Env,
  apiKey: string,
  { v1 = false, keylessChecks = false }: PdpCommandOptions,
  readOnly: boolean,
  log: Logger,
) {
  const { controlPlane: url } = env
  if (!v1 || url === undefined) return {}
  const name = formatFingerprint(apiKey)
  const trust = env.imagePublicKey === undefined ? undefined : new Trust(env.imagePublicKey)
  const globalObjects = new GlobalObjects({
    feed: new RemoteFeed({ url, apiKey, globalObjects: true, trust }),
    trust,
    lastImage: new LastImage(join(lastImageFolder(env), `${name}.outside.image`), apiKey, { readOnly }),
    onEvent: eventLog(log.child({ part: 'outside' })),
    strictAttributes: env.strictAttributes,
    ...(env.maxStalenessMs === undefined ? {} : { maxStalenessMs: env.maxStalenessMs }),
  })
  log.warn('--v1 is meant for a migration: stop this PDP when every service has moved')
  if (keylessChecks) log.warn('--keyless-checks: everyone who can reach this port can get decisions')
  return { v1: { globalObjects, keyless: keylessChecks } }
}

/** Logs the events of a follower. */
export function eventLog(log: Logger): OnEvent<FollowerEvent> {
  return (event) => {
    switch (event.event) {
      case 'ready':
        log.info({ revision: event.revision, source: event.source }, 'policy is loaded')
        break
      case 'trouble':
        log.warn({ code: event.error.code, retryMs: event.retryMs }, event.error.message)
        break
      case 'head not said':
        log.warn({ code: event.error.code }, event.error.message)
        break
      case 'clock differs':
        log.warn(
          { aheadMs: event.aheadMs },
          'the clock of this machine differs from that of the management API: what starts and ends follows the later one',
        )
        break
      case 'new history':
        log.warn(
          { lineage: event.lineage, revision: event.revision },
          'the environment has another history, as after a restore; its management API signed that',
        )
        break
      case 'ended':
        if (event.error.code === 'ENVIRONMENT_DELETED')
          log.info({ code: event.error.code }, 'the environment was deleted: checks for it are no longer answered')
        else log.error({ code: event.error.code }, `policy no longer loaded: ${event.error.message}`)
        break
      default:
        log.warn({ code: event.error.code }, `could not write the last image: ${event.error.message}`)
    }
  }
}

function warn(env: Env, url: string, log: Logger): void {
  const { protocol, hostname } = new URL(url)
  if (protocol === 'http:' && !isLoopback(hostname))
    log.warn({ url }, 'PDP_CONTROL_PLANE is plain http: the API key is sent unencrypted')
  warnOfPublicUrl(env, log)
  if (env.maxStalenessMs === undefined) {
    log.warn(
      'PDP_MAX_STALENESS is not set: a disconnected PDP keeps answering from its last image and does not learn of revocations',
    )
  }
}

function missing(name: string, what: string): ZerohopError {
  return new ZerohopError('CONFIG_INVALID', { reason: `${name} is not set: it is ${what}` })
}
