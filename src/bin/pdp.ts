// `zerohop pdp`: the PDP alone. It follows the environment of PDP_API_KEY at PDP_CONTROL_PLANE, and goes on answering, or starts, from its last
// image when the management API cannot be reached; with `--image` it answers from a file alone.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { DecisionClient } from '../client/decisions.ts'
import { environmentKey } from '../client/environment-key.ts'
import { RemoteFeed } from '../client/feed.ts'
import { isZerohopError, ZerohopError } from '../model/errors.ts'
import { Follower, type FollowerEvent } from '../pdp/follower.ts'
import { LastImage } from '../pdp/last-image.ts'
import { Outside } from '../pdp/outside.ts'
import { loadImage, Pdp } from '../pdp/pdp.ts'
import { pdpServer } from '../server.ts'
import { startDecisionLog } from './decisions.ts'
import { type Env, lastImageFolder } from './env.ts'
import { Closers, closeOnSignals, fail, listen, listenOpa, pdpOptions } from './process.ts'
import { readTls, reloadOnHangup } from './tls.ts'

export interface PdpCommandOptions {
  /** an image file to answer from, for ever: no management API is asked */
  readonly image?: string
  /** for clients of the first API version: asks also what is outside of environments */
  readonly v1?: boolean
  /** with `v1`: answers checks that carry no key */
  readonly keylessChecks?: boolean
}

/** Runs until a signal. */
export async function runPdp(env: Env, options: PdpCommandOptions, log: Logger): Promise<void> {
  const apiKey = env.pdpApiKey ?? (await keyByWider(env))
  const tls = readTls(env)
  const pdp = options.image === undefined ? followed(env, apiKey, log) : fromFile(options.image, log)
  const closers = new Closers()
  closers.add(() => pdp.close())
  const { controlPlane: url } = env
  const client = url === undefined ? undefined : new DecisionClient({ url, apiKey })
  const decisionLog = await startDecisionLog(env, log, closers, client)
  const stopping = new AbortController()
  if (decisionLog !== undefined) void client?.identify(stopping.signal)
  closers.add(async () => stopping.abort())
  const app = pdpServer(pdp, apiKey, {
    ...(tls === undefined ? {} : { tls }),
    ...pdpOptions(env, url),
    ...v1Of(env, apiKey, options, log),
    logger: log.child({ part: 'pdp' }),
    ...(decisionLog === undefined
      ? {}
      : { decisionLog: { ...decisionLog, ...(client && { keyId: () => client.keyId }) } }),
  })
  closers.addApp(app)
  try {
    await listen(app, env.pdpHost, env.pdpPort)
    const opa = await listenOpa(app, env, log, closers)
    reloadOnHangup(env, [app, ...opa], log)
  } catch (error) {
    await closers.close()
    throw error
  }
  closeOnSignals(closers)
  // A key that never was good is a mistake of the operator; one that dies later is answered with 401.
  pdp.ready().catch((error: unknown) => {
    if (!isZerohopError(error, 'CLOSED')) fail(error)
  })
}

/** The key of the environment, by a wider one. @throws CONFIG_INVALID when there is none, or not enough is said */
async function keyByWider({ wider: { key, project, environment }, controlPlane }: Env): Promise<string> {
  if (key === undefined)
    throw missing('PDP_API_KEY', 'the API key of the environment to serve, which callers send as their bearer key')
  if (controlPlane === undefined)
    throw missing('PDP_CONTROL_PLANE', 'the URL of the management API, such as http://localhost:8080')
  if (environment === undefined) throw missing('PDP_ACTIVE_ENV', 'the environment to serve with a wider key')
  return environmentKey({ url: controlPlane, widerKey: key, project, environment })
}

/** Follows the environment of the key. @throws CONFIG_INVALID when it is not said where */
function followed(env: Env, apiKey: string, log: Logger): Pdp {
  const { controlPlane: url, maxStalenessMs } = env
  if (url === undefined)
    throw missing('PDP_CONTROL_PLANE', 'the URL of the management API, such as http://localhost:8080')
  warn(env, url, log)
  const name = createHash('sha256').update(apiKey).digest('hex').slice(0, 16)
  const follower = new Follower({
    feed: new RemoteFeed({ url, apiKey }),
    lastImage: new LastImage(join(lastImageFolder(env), `${name}.image`), apiKey),
    report: reportOf(log),
    ...(maxStalenessMs === undefined ? {} : { maxStalenessMs }),
  })
  return new Pdp(follower)
}

/** @throws IMAGE_DAMAGED, IMAGE_FOREIGN */
function fromFile(path: string, log: Logger): Pdp {
  const pdp = loadImage(path)
  log.info({ revision: pdp.revision, source: 'file', path }, 'policy is loaded; it changes with a restart only')
  return pdp
}

/** What else a PDP for clients of the first API version follows. @throws CONFIG_INVALID */
function v1Of(env: Env, apiKey: string, { image, v1, keylessChecks = false }: PdpCommandOptions, log: Logger) {
  if (!v1) {
    if (keylessChecks) throw new ZerohopError('CONFIG_INVALID', { reason: '--keyless-checks goes with --v1 only' })
    return {}
  }
  const { controlPlane: url } = env
  if (url === undefined || image !== undefined)
    throw new ZerohopError('CONFIG_INVALID', { reason: '--v1 follows a management API and does not go with --image' })
  const name = createHash('sha256').update(apiKey).digest('hex').slice(0, 16)
  const outside = new Outside({
    feed: new RemoteFeed({ url, apiKey, outside: true }),
    lastImage: new LastImage(join(lastImageFolder(env), `${name}.outside.image`), apiKey),
    report: reportOf(log.child({ part: 'outside' })),
    ...(env.maxStalenessMs === undefined ? {} : { maxStalenessMs: env.maxStalenessMs }),
  })
  log.warn('--v1 is for the time of a migration: stop this PDP when every service has moved')
  if (keylessChecks) log.warn('--keyless-checks: whoever reaches this port may ask for decisions')
  return { v1: { outside, keyless: keylessChecks } }
}

/** Writes what a follower tells to the log. */
export function reportOf(log: Logger): (event: FollowerEvent) => void {
  return (event) => {
    switch (event.event) {
      case 'ready':
        log.info({ revision: event.revision, source: event.source }, 'policy is loaded')
        break
      case 'trouble':
        log.warn({ code: event.error.code, retryMs: event.retryMs }, event.error.message)
        break
      case 'ended':
        log.error({ code: event.error.code }, `no policy any more: ${event.error.message}`)
        break
      default:
        log.warn({ code: event.error.code }, `last image is not written: ${event.error.message}`)
    }
  }
}

function warn(env: Env, url: string, log: Logger): void {
  const { protocol, hostname } = new URL(url)
  const isLoopback = hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.')
  if (protocol === 'http:' && !isLoopback)
    log.warn({ url }, 'PDP_CONTROL_PLANE is plain http: the API key crosses the network in clear')
  if (env.maxStalenessMs === undefined) {
    log.warn(
      'PDP_MAX_STALENESS is not set: a PDP that is cut off goes on answering from its last image and cannot learn of a revocation',
    )
  }
}

function missing(name: string, what: string): ZerohopError {
  return new ZerohopError('CONFIG_INVALID', { reason: `${name} is not set: it is ${what}` })
}
