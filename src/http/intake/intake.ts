// What a server lets in: how many connections, how long a request may take to arrive, and how many bytes of bodies. Bodies are read after the
// key of a request is known, by the one reader, and what they take is given back when the answer is sent.
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { BODY_BYTES_MAX, CONNECTIONS_MAX_DEFAULT, REQUEST_LOOK_MS, REQUEST_TIMEOUT_MS } from '../../model/limits.ts'
import { type BodyBudget, type Hold, processBudget } from './body-budget.ts'
import { readBody } from './body-reader.ts'

export interface IntakeOptions {
  /** bytes of bodies that are held at once; one for all servers of the process when absent */
  readonly bodies?: BodyBudget
  /** connections at once; default CONNECTIONS_MAX_DEFAULT */
  readonly maxConnections?: number
  /** milliseconds in which a request must have arrived; default REQUEST_TIMEOUT_MS */
  readonly requestTimeoutMs?: number
}

/** What a server has let in. */
export interface Intake {
  readonly bodies: BodyBudget
  /** connections that are open */
  readonly sockets: ReadonlySet<Socket>
  /** connections that were closed at once, because there were too many */
  refused: number
}

/** Hears of the bytes of a body, or why there are none. */
type OnBytes = (error: Error | null, bytes: Buffer) => void

declare module 'fastify' {
  interface FastifyInstance {
    readonly intake: Intake
    /** reads the body of a request: what every content type parser begins with */
    readBytes(request: FastifyRequest, done: OnBytes): void
  }
  interface FastifyRequest {
    /** what is held for its body */
    hold: Hold | undefined
  }
}

/** Who sends a body, for the budget: a key, which may have an empty id, is never among those without one. */
export const senderOf = (keyId: string): string => `key ${keyId}`

/** The options of `node:http` and `node:https` for it: a request that is late is noticed soon. */
export function timeoutsOf({ requestTimeoutMs = REQUEST_TIMEOUT_MS }: IntakeOptions = {}) {
  return {
    requestTimeout: requestTimeoutMs,
    headersTimeout: requestTimeoutMs,
    connectionsCheckingInterval: Math.min(REQUEST_LOOK_MS, requestTimeoutMs),
  }
}

/**
 * Bounds connections and bodies of an app that was made with `timeoutsOf`.
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
  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  app.decorateRequest('hold', undefined)
  app.decorate('readBytes', (request: FastifyRequest, done: OnBytes) => {
    if (request.is404) return done(null, Buffer.alloc(0)) // no key was asked for
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
  app.addHook('onSend', (request, reply, payload, done) => {
    request.hold?.release()
    if (isLongUnread(request)) reply.header('connection', 'close')
    done(null, payload)
  })
}

/**
 * True when the answer goes out before a body that is long, or of unknown length, has come: refused by its key or its path, for example. A
 * short one is read and dropped by Node, and the connection goes on.
 */
function isLongUnread({ raw, headers }: FastifyRequest): boolean {
  if (raw.complete !== false) return false // `inject` does not say
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > BODY_BYTES_MAX
}
