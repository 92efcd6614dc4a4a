// Forwards requests to the management API, so that an application needs only one address: facts, the calls of the first
// API version, and what old clients fetch. Method, query, body and key are forwarded unchanged; project and environment
// in a path are replaced by those of the key. Answers are returned unchanged. Nothing is stored or decided here.
import { createHash, randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest, RawServerDefault, RouteGenericInterface } from 'fastify'
import { ask } from '../../client/ask.ts'
import { isZerohopError, ZerohopError } from '../../model/errors.ts'
import { AUTH_CACHE_MAX, FORWARD_BODY_BYTES_MAX, FORWARD_CONNECTIONS_MAX } from '../../model/limits.ts'
import { whenWritten } from '../hooks.ts'
import type { Applied } from './authenticate.ts'
import type { Scope } from './pdp-keys.ts'
import type { PdpRouteDeps } from './route-deps.ts'
import { Upstream } from './upstream.ts'
import { readWait, type Wait, waits } from './wait-for-revision.ts'

export interface ForwardOptions {
  /** address of the management API */
  readonly controlPlane: string
  /** the management API runs in this process: its certificate, which has another name, is not verified */
  readonly sameProcess?: boolean
  /** milliseconds without a byte after which it counts as unreachable */
  readonly timeoutMs: number
  /** the project and environment of a key, when they are known without the management API */
  readonly scopeOf?: ((authorization: string | undefined) => Scope) | undefined
  /** how long writes of facts wait by default */
  readonly wait: Wait
  readonly applied: Applied
}

type Handler = (request: FastifyRequest<RouteGenericInterface, RawServerDefault>, reply: FastifyReply) => unknown

/** The forwarded routes; without a management API they answer NOT_SERVED. */
export function forwardRoutes(app: FastifyInstance, { authenticate }: PdpRouteDeps, options?: ForwardOptions): void {
  const onRequest = authenticate
  if (options === undefined) {
    const nowhere = (): never => {
      throw new ZerohopError('NOT_SERVED', { what: 'forwarding to the management API, of which this PDP has none' })
    }
    for (const path of ['/facts/*', '/v2/facts/:p/:e/*', '/cloud/*', '/sdk/*']) app.all(path, { onRequest }, nowhere)
    return
  }
  const base = options.controlPlane.replace(/\/+$/, '')
  const scopes = new Scopes(base, options.timeoutMs)
  void app.register(async (scope) => {
    // Bodies pass through unparsed: the management API validates and bounds them.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
    const upstream = new Upstream({
      base,
      disableRequestLogging: true,
      disableCache: true,
      destroyAgent: true,
      undici: {
        connections: FORWARD_CONNECTIONS_MAX,
        headersTimeout: options.timeoutMs,
        bodyTimeout: options.timeoutMs,
        ...(options.sameProcess ? { connect: { rejectUnauthorized: false } } : {}),
      },
    })
    scope.addHook('onClose', (closing) => upstream.close(closing))
    const facts: Handler = async (request, reply) => {
      const path = findRest(request.url, request.url.startsWith('/facts/') ? 2 : 5)
      const wait = waits(request.method, path) ? readWait(request.headers, options.wait) : undefined
      if (wait?.timeoutMs === 0 && request.pdp !== undefined) whenWritten(reply, request.pdp.hold())
      const { authorization } = request.headers
      const { project, environment } = options.scopeOf?.(authorization) ?? (await scopes.of(authorization ?? ''))
      const target = `${prefix}/v2/facts/${project}/${environment}/${path}`
      await forward(upstream, request, reply, target, wait && { ...wait, applied: options.applied })
      return reply
    }
    const under = (to: string, wait?: WaitFor): Handler => {
      return async (request, reply) => {
        const writes = request.method !== 'GET' && request.method !== 'HEAD'
        await forward(upstream, request, reply, `${prefix}${to}/${findRest(request.url, 2)}`, writes ? wait : undefined)
        return reply
      }
    }
    // Clients of the first version cannot send wait headers: their writes always wait, so that the next check sees
    // them.
    const always: WaitFor = { ...options.wait, policy: 'ignore', applied: options.applied }
    const prefix = new URL(base).pathname.replace(/\/+$/, '')
    scope.all('/facts/*', { onRequest }, facts)
    scope.all('/v2/facts/:p/:e/*', { onRequest }, facts)
    scope.all('/cloud/*', { onRequest }, under('/v1', always))
    scope.all('/sdk/*', { onRequest }, under('/sdk'))
  })
}

/** The path after its first parts, as it was sent. @throws PATH_INVALID on one that could lead elsewhere */
function findRest(url: string, parts: number): string {
  const path = url.split('?', 1)[0]!.split('/').slice(parts)
  for (const part of path) {
    const decoded = decodePart(part)
    if (decoded === undefined || decoded === '.' || decoded === '..' || /[/\\]/.test(decoded)) {
      throw new ZerohopError('PATH_INVALID', { part: part.slice(0, 100) })
    }
  }
  return path.join('/')
}

function decodePart(part: string): string | undefined {
  try {
    return decodeURIComponent(part)
  } catch {
    return undefined
  }
}

/** Headers of the connection, and headers with which a write of facts addresses this PDP. */
const OWN_HEADERS = ['expect', 'keep-alive', 'proxy-connection', 'te', 'upgrade', 'x-wait-timeout', 'x-timeout-policy']
const OWN_ANSWER_HEADERS = ['connection', 'keep-alive', 'transfer-encoding', 'date', 'content-length']

type WaitFor = Wait & Pick<ForwardOptions, 'applied'>

async function forward(
  upstream: Upstream,
  request: FastifyRequest,
  reply: FastifyReply,
  target: string,
  wait?: WaitFor,
): Promise<void> {
  const from = await upstream.from()
  return new Promise((resolve, reject) => {
    from.call(reply, target, {
      rewriteRequestHeaders: (_, headers) => {
        const sent = { ...headers, 'x-request-id': request.id }
        for (const name of OWN_HEADERS) delete sent[name as keyof typeof sent]
        if (request.body === undefined) delete (sent as Record<string, unknown>)['content-length']
        if (wait === undefined) return sent
        // a management API with a PDP in its process, as in `serve`, would answer when that one has the write
        if (wait.timeoutMs === 0) return { ...sent, 'x-wait-timeout': '0' }
        return { ...sent, 'x-permit-consistent-update': 'true', 'x-permit-update-id': randomUUID() }
      },
      rewriteHeaders: (headers) => {
        return Object.fromEntries(Object.entries(headers).filter(([name]) => !OWN_ANSWER_HEADERS.includes(name)))
      },
      onResponse: (_request, _reply, response) => {
        const { stream } = response as unknown as { stream: AsyncIterable<Buffer> }
        settle(request, reply, stream, wait).then(resolve, reject)
      },
      onError: (_reply, { error }) => reject(unreachable(error)),
    })
  })
}

/** Sends the answer; for a write that waits, once this PDP has applied it. */
async function settle(
  request: FastifyRequest,
  reply: FastifyReply,
  stream: AsyncIterable<Buffer>,
  wait: WaitFor | undefined,
): Promise<void> {
  const revision = Number(reply.getHeader('x-revision') ?? Number.NaN)
  const isWritten = reply.statusCode >= 200 && reply.statusCode < 300 && Number.isSafeInteger(revision)
  if (wait === undefined || wait.timeoutMs === 0 || !isWritten) {
    void reply.send(stream)
    return
  }
  const body = await readAll(stream)
  try {
    await wait.applied(request.pdp!, revision, wait.timeoutMs)
  } catch (error) {
    if (wait.policy === 'fail')
      throw new ZerohopError('NOT_APPLIED', { revision, timeoutMs: wait.timeoutMs }, { cause: error })
    if (!isZerohopError(error)) throw error
  }
  void reply.send(body)
}

async function readAll(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of stream) {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes > FORWARD_BODY_BYTES_MAX) throw new Error('its answer is too long')
    }
  } catch (error) {
    throw unreachable(error)
  }
  return Buffer.concat(chunks)
}

function unreachable(cause: unknown): ZerohopError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new ZerohopError('FEED_UNREACHABLE', { reason: reason.charAt(0).toLowerCase() + reason.slice(1) }, { cause })
}

/** The project and environment of a key. They never change, so each key is looked up once. */
class Scopes {
  readonly #base: string
  readonly #timeoutMs: number
  readonly #known = new Map<string, Scope>()

  constructor(base: string, timeoutMs: number) {
    this.#base = base
    this.#timeoutMs = timeoutMs
  }

  /** @throws FEED_UNREACHABLE, KEY_REVOKED, KEY_TOO_NARROW */
  async of(authorization: string): Promise<Scope> {
    const name = createHash('sha256').update(authorization).digest('base64')
    const known = this.#known.get(name)
    if (known !== undefined) return known
    const scope = await this.#ask(authorization)
    if (this.#known.size >= AUTH_CACHE_MAX) this.#known.clear()
    this.#known.set(name, scope)
    return scope
  }

  async #ask(authorization: string): Promise<Scope> {
    const asked = { headers: { authorization }, timeoutMs: this.#timeoutMs }
    const { status, body } = await ask(`${this.#base}/v2/api-key/scope`, asked)
    if (status === 401) throw new ZerohopError('KEY_REVOKED')
    const { project_id: project, environment_id: environment } = (body ?? {}) as Readonly<Record<string, unknown>>
    if (status === 200 && typeof project === 'string' && typeof environment === 'string')
      return { project: encodeURIComponent(project), environment: encodeURIComponent(environment) }
    throw new ZerohopError('FEED_UNREACHABLE', { reason: `it answered with status ${status}` })
  }
}
