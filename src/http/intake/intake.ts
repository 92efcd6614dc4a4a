// Bounds what a server accepts: the number of connections, the time in which a request must arrive, and the bytes of
// bodies. Bodies are read after the key of a request is known, by one reader, and their bytes are released when the
// answer is sent.
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { contain, contained } from '../../model/contained.ts'
import { BODY_BYTES_MAX, CONNECTIONS_MAX_DEFAULT, REQUEST_LOOK_MS, REQUEST_TIMEOUT_MS } from '../../model/limits.ts'
import { beforeSending } from '../hooks.ts'
import { type BodyBudget, type Hold, processBudget } from './body-budget.ts'
import { readBody } from './body-reader.ts'

export interface IntakeOptions {
  /** budget of body bytes; by default one for all servers of the process */
  readonly bodies?: BodyBudget
  /** simultaneous connections; default CONNECTIONS_MAX_DEFAULT */
  readonly maxConnections?: number
  /** milliseconds in which a request must have arrived; default REQUEST_TIMEOUT_MS */
  readonly requestTimeoutMs?: number
}

/** Counters of what a server has accepted. */
export interface Intake {
  readonly bodies: BodyBudget
  /** open connections */
  readonly sockets: ReadonlySet<Socket>
  /** connections closed at once because there were too many */
  refused: number
}

/** Called with the bytes of a body or with an error. */
type OnBytes = (error: Error | null, bytes: Buffer) => void

declare module 'fastify' {
  interface FastifyInstance {
    readonly intake: Intake
    /** reads the body of a request; called by every content type parser */
    readBytes(request: FastifyRequest, done: OnBytes): void
  }
  interface FastifyRequest {
    /** the count of its body's bytes */
    hold: Hold | undefined
  }
}

/** The sender of a body, for the budget. A key with an empty id is kept apart from requests without a key. */
export const formatSender = (keyId: string): string => `key ${keyId}`

/** The options of `node:http` and `node:https` for these bounds; late requests are looked for often. */
export function makeTimeouts({ requestTimeoutMs = REQUEST_TIMEOUT_MS }: IntakeOptions = {}) {
  return {
    requestTimeout: requestTimeoutMs,
    headersTimeout: requestTimeoutMs,
    connectionsCheckingInterval: Math.min(REQUEST_LOOK_MS, requestTimeoutMs),
  }
}

/**
 * Bounds connections and bodies of an app that was created with `makeTimeouts`.
 * @param keyOf the id of the API key of a request, '' without one
 */
export function boundIntake(
  app: FastifyInstance,
  options: IntakeOptions = {},
  keyOf: (request: FastifyRequest) => string = () => '',
): void {
  const sockets = new Set<Socket>()
  const intake: Intake = { bodies: options.bodies ?? processBudget, sockets, refused: 0 }
  app.decorate('intake', intake)
  app.server.maxConnections = options.maxConnections ?? CONNECTIONS_MAX_DEFAULT
  app.server.on('drop', () => intake.refused++)
  const opened = (socket: Socket): void => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  }
  app.server.on('connection', contained('a new connection', opened))
  // such as no descriptor for one more connection; what listening fails with is heard by whoever called it
  app.server.on('error', (error) => {
    if (app.server.listening) contain('a server', error)
  })
  app.decorateRequest('hold', undefined)
  app.decorate('readBytes', (request: FastifyRequest, done: OnBytes) => {
    if (request.is404) return done(null, Buffer.alloc(0)) // no key is required there
    const source = {
      stream: request.raw,
      announced: request.headers['content-length'],
      limit: request.routeOptions.bodyLimit,
      budget: intake.bodies,
      keyOf: () => keyOf(request),
    }
    readBody(source, (error, bytes, hold) => {
      request.hold = hold
      done(error ?? null, bytes)
    })
  })
  beforeSending(app, (request, reply) => {
    request.hold?.release()
    if (isLongUnread(request)) reply.header('connection', 'close')
  })
}

/**
 * True when the answer is sent before a long body, or one of unknown length, has arrived, for example because the key
 * was refused. Node reads and drops a short body, and the connection stays open.
 */
function isLongUnread({ raw, headers }: FastifyRequest): boolean {
  if (raw.complete !== false) return false // `inject` does not set it
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > BODY_BYTES_MAX
}
