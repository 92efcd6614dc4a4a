// The reference integration backend: an identity provider's tokens on one side, Zerohop on the other. Its five routes
// are those of docs/integration.md. Every failure is answered: 403 with a text that says what failed, 502 when the
// sync itself fails, 503 when the identity provider does. No request is left open.
import cors from '@fastify/cors'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { closeWell } from '../http/closing.ts'
import { boundIntake, type IntakeOptions, makeTimeouts } from '../http/intake/intake.ts'
import { repeatedHeader } from '../http/repeated-headers.ts'
import { isZerohopError, ZerohopError } from '../model/errors.ts'
import { INTEGRATION_BODY_BYTES_MAX, INTEGRATION_HEADER_BYTES_MAX, SERVICE_TIMEOUT_MS } from '../model/limits.ts'
import type { TokenUse } from '../oidc/token-use.ts'
import type { Claims } from '../oidc/token-verifier.ts'
import type { Permissions } from './permission-client.ts'
import type { Tokens } from './tokens.ts'

export interface IntegrationOptions {
  readonly tokens: Tokens
  readonly permissions: Permissions
  /** the one origin whose pages may call; none when undefined */
  readonly frontendOrigin?: string
  /** milliseconds after which a call to Zerohop counts as failed; default SERVICE_TIMEOUT_MS */
  readonly timeoutMs?: number
  readonly logger?: FastifyBaseLogger
  /** bounds of connections, times and bodies */
  readonly intake?: IntakeOptions
}

declare module 'fastify' {
  interface FastifyRequest {
    /** claims of the verified token; set before the handler runs */
    claims: Claims | undefined
  }
}

const NOT_VALID = 'Token not valid!'
const TOO_LARGE = 'Body too large'
const FAILED = 'The request failed'
const NOT_SYNCED = 'The user could not be synced'
const NOT_VERIFIED = 'The token could not be verified'
const NOT_CHECKED = 'The permission could not be checked'
const RESOURCE = 'hello'
/** Characters of a reason in the log. */
const REASON_LENGTH = 300

/** The app, not listening yet. */
export function integrationApp(options: IntegrationOptions): FastifyInstance {
  const { tokens, permissions, logger, timeoutMs = SERVICE_TIMEOUT_MS } = options
  const timeouts = makeTimeouts(options.intake)
  const app: FastifyInstance = Fastify({
    ...(logger ? { loggerInstance: logger } : {}),
    logController: new LogController({ disableRequestLogging: true }),
    // A token that is too long is refused like every other invalid one; node itself would answer 431.
    http: { maxHeaderSize: INTEGRATION_HEADER_BYTES_MAX, ...timeouts },
    bodyLimit: INTEGRATION_BODY_BYTES_MAX,
    requestTimeout: timeouts.requestTimeout,
    frameworkErrors: (_error, _request, reply) => void missing(reply), // a path that cannot be decoded
  })
  app.decorateRequest('claims', undefined)
  app.addHook('onRequest', (request, reply, done) => {
    const name = repeatedHeader(request.raw)
    if (name === undefined) done()
    else text(reply, 400, `The header ${name} was sent twice`)
  })
  boundIntake(app, options.intake)
  closeWell(app)
  ignoreBodies(app)
  allowOrigin(app, options.frontendOrigin)
  app.setErrorHandler((error, request, reply) => {
    if (isZerohopError(error, 'PROVIDER_UNUSABLE'))
      return failed(request, reply.header('retry-after', '1'), 503, NOT_VERIFIED, error)
    request.log.info({ path: request.routeOptions.url, reason: formatReason(error) }, 'refused')
    return refuse(reply, formatRefusal(error))
  })
  app.setNotFoundHandler((_request, reply) => missing(reply))

  const holding = (use: TokenUse) => ({
    onRequest: async (request: FastifyRequest) => {
      request.claims = await tokens.verify(request.headers.authorization, use)
    },
  })
  app.get('/api/id', holding('id'), (request, reply) => reply.send(request.claims))
  app.get('/api/access', holding('access'), (request, reply) => reply.send(request.claims))
  app.post('/api/sync', holding('access'), async (request, reply) => {
    const { sub } = request.claims!
    try {
      return reply.send(syncedUser(sub, await within(timeoutMs, () => permissions.sync(sub))))
    } catch (error) {
      return failed(request, reply, 502, NOT_SYNCED, error)
    }
  })
  for (const action of ['say', 'wave']) {
    app.post(`/${action}_hello`, holding('id'), async (request, reply) => {
      const { sub } = request.claims!
      try {
        const allowed = decision(await within(timeoutMs, () => permissions.check(sub, action, RESOURCE)))
        return allowed
          ? text(reply, 200, `Permitted! to ${action} hello`)
          : refuse(reply, `Not permitted to ${action} hello`)
      } catch (error) {
        return failed(request, reply, 403, NOT_CHECKED, error)
      }
    })
  }
  app.addHook('onClose', () => permissions.close())
  return app
}

/** No route reads a body; a request's body is bounded and dropped. */
function ignoreBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (request, _payload, done) => app.readBytes(request, (error) => done(error)))
}

function allowOrigin(app: FastifyInstance, origin: string | undefined): void {
  if (origin === undefined) return
  app.register(cors, {
    // Any other origin gets no CORS header, so its preflight requests fail.
    origin: (sent, done) => done(null, sent === origin),
    methods: ['GET', 'POST'],
    allowedHeaders: ['authorization', 'content-type'],
    strictPreflight: false,
  })
}

/**
 * The answer, or an error when it does not arrive in time: no request is left open, whatever the Zerohop client does.
 */
async function within<T>(timeoutMs: number, answer: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ZerohopError('SERVICE_LATE', { timeoutMs })), timeoutMs)
  })
  try {
    return await Promise.race([answer(), late])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * The answer to a sync, which may come from any server that API_URL names.
 * @throws SERVICE_ANSWER_INVALID unless it is the user with this key
 */
function syncedUser(key: string, answer: unknown): object {
  const user = typeof answer === 'object' && answer !== null ? (answer as { id?: unknown; key?: unknown }) : {}
  if (typeof user.id === 'string' && user.id !== '' && user.key === key) return user
  throw new ZerohopError('SERVICE_ANSWER_INVALID', { what: 'the sync', expected: 'the synced user' })
}

/** The answer to a check. @throws SERVICE_ANSWER_INVALID unless it is a decision */
function decision(answer: unknown): boolean {
  if (typeof answer === 'boolean') return answer
  throw new ZerohopError('SERVICE_ANSWER_INVALID', { what: 'the check', expected: 'true or false' })
}

/** The text of the 403 for a request that reached no route handler. */
function formatRefusal(error: unknown): string {
  if (isZerohopError(error, 'TOKEN_INVALID')) return NOT_VALID
  return (error as NodeJS.ErrnoException).code === 'FST_ERR_CTP_BODY_TOO_LARGE' ? TOO_LARGE : FAILED
}

/** Answers that Zerohop, or the identity provider, failed; the reason goes to the log only. */
function failed(
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  message: string,
  error: unknown,
): FastifyReply {
  request.log.error({ path: request.routeOptions.url, reason: formatReason(error) }, message)
  return text(reply, status, message)
}

/** The reason for the log, as one line: a caller may control a part of the text. */
function formatReason(error: unknown): string {
  const cause = isZerohopError(error, 'TOKEN_INVALID') ? (error.cause ?? error) : error
  return (cause instanceof Error ? cause.message : String(cause)).slice(0, REASON_LENGTH)
}

function missing(reply: FastifyReply): FastifyReply {
  return text(reply, 404, 'Not found')
}

function refuse(reply: FastifyReply, message: string): FastifyReply {
  return text(reply, 403, message)
}

function text(reply: FastifyReply, status: number, message: string): FastifyReply {
  return reply.code(status).type('text/plain; charset=utf-8').send(message)
}
