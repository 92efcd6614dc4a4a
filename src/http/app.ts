// What all servers share: bounds of what comes in, body parser, request ids, error hook, timeouts and the way they
// close. Routes live in management/ and pdp/; which status an error gets is errors.ts. Nothing here listens, and
// nothing here knows what a policy is.
import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { requireCodeGeneration } from '../model/code-generation.ts'
import { isZerohopError, ZerohopError } from '../model/errors.ts'
import { BODY_BYTES_MAX, PARAM_LENGTH_MAX } from '../model/limits.ts'
import { noteCertificate } from './certificate.ts'
import { closeWell } from './closing.ts'
import { type EarlyAnswer, earlyServer } from './early-server.ts'
import { type ErrorForm, toProblem } from './errors.ts'
import { beforeSending } from './hooks.ts'
import { boundIntake, type IntakeOptions, makeTimeouts } from './intake/intake.ts'
import { BULK, type Duplicates, type JsonLimits, ORDINARY, parseJson } from './json.ts'
import { loadOnceListening } from './late-modules.ts'
import { namingItem } from './list-item.ts'
import { ProblemLog } from './problem-log.ts'
import { refuseRepeatedHeaders } from './repeated-headers.ts'
import { type NotedRoute, noRouteFor, RouteMethods } from './route-methods.ts'
import { answerUnreadable } from './unreadable.ts'
import { lateValidators } from './validation.ts'

export interface HttpAppOptions {
  /** how this server prints an error */
  readonly errorForm: ErrorForm
  /** what a second JSON member of the same name means */
  readonly duplicates: Duplicates
  /** bytes of a body, unless a route says otherwise; default BODY_BYTES_MAX */
  readonly bodyLimit?: number
  /** nothing is logged without one */
  readonly logger?: FastifyBaseLogger
  /** what a path of no route gets instead of 404, when it is known what was meant */
  readonly noRoute?: (url: string) => ZerohopError | undefined
  /** listens with TLS, 1.2 or later */
  readonly tls?: TlsSettings
  /** bounds of connections, times and bodies; the defaults of src/model/limits.ts when absent */
  readonly intake?: IntakeOptions
  /** the id of the API key of a request whose key was found good, '' without one: no key may hold all bodies alone */
  readonly keyOf?: (request: FastifyRequest) => string
  /** sees each request before the app does, and may answer it */
  readonly early?: EarlyAnswer
  /** the path under which a request is routed, from the request as it was sent */
  readonly rewriteUrl?: (request: IncomingMessage) => string
}

/** PEM texts. */
export interface TlsSettings {
  readonly cert: Buffer
  readonly key: Buffer
}

declare module 'fastify' {
  interface FastifyInstance {
    /** every route of this server, once it is ready */
    noted: readonly NotedRoute[]
    /** tells the operator of answers from 500 on */
    problems: ProblemLog
  }
  interface FastifyContextConfig {
    /** its answer to a good request lasts as long as the connection */
    lasts?: true
    /** answers about the server itself: whatever the state of its image or its store */
    alwaysAnswers?: true
    /** tells whether requests should be sent here: 503 once the server has been asked to end */
    tellsReadiness?: true
    /** takes many objects at once, although its body may be no longer than that of other routes */
    bulk?: true
  }
}

const HSTS_SECONDS = 365 * 24 * 60 * 60
const JSON_TYPE = 'application/json'
const REQUEST_ID = /^[\x21-\x7e]{1,128}$/

/**
 * A fastify instance with the settings of this project. The caller adds routes, then listens or injects.
 * @throws CODE_GENERATION_OFF
 */
export function httpApp(options: HttpAppOptions): FastifyInstance {
  requireCodeGeneration()
  const validators = lateValidators()
  const timeouts = makeTimeouts(options.intake)
  const app: FastifyInstance = Fastify({
    ...(options.logger ? { loggerInstance: options.logger } : {}),
    // the type of an app does not tell by which protocol it listens
    ...((options.tls
      ? { https: { ...options.tls, ...timeouts, minVersion: 'TLSv1.2' } }
      : { http: timeouts }) as object),
    ...(options.early ? { serverFactory: earlyServer(options.early) } : {}),
    ...(options.rewriteUrl ? { rewriteUrl: options.rewriteUrl } : {}),
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: options.bodyLimit ?? BODY_BYTES_MAX,
    requestTimeout: timeouts.requestTimeout,
    routerOptions: { maxParamLength: PARAM_LENGTH_MAX },
    requestIdHeader: false,
    return503OnClosing: false, // who is connected is answered to the end (closing.ts)
    genReqId: requestIds(),
    childLoggerFactory: (logger) => logger, // a child a request costs more than a check; what logs names the request itself
    clientErrorHandler: answerUnreadable(options.errorForm),
    // a path that no route can read; its own message would repeat the whole path
    frameworkErrors: (error, request, reply) => {
      const message =
        error.statusCode === 414 ? 'a part of the path is too long' : 'the path is not valid percent-encoding'
      const { status, body } = options.errorForm({ ...toProblem(error), message })
      const answer = reply as FastifyReply
      void answer
        .code(status)
        .header('content-type', JSON_TYPE)
        .header('x-request-id', request.id)
        .serializer(JSON.stringify)
        .send(body)
    },
    schemaController: { compilersFactory: validators.compilersFactory },
  })
  loadOnceListening(app, validators.load)
  readHeadersOnce(app)
  if (options.tls) noteCertificate(app.server, options.tls.cert)
  boundIntake(app, options.intake, options.keyOf)
  sendWithEach(app, headersOfEach(options.tls))
  readJsonBodies(app, options.duplicates)
  noteRoutes(app)
  answerErrors(app, options)
  finishAnswers(app)
  closeWell(app)
  return app
}

/** Before anything else reads a header. */
function readHeadersOnce(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    try {
      refuseRepeatedHeaders(request.raw)
      done()
    } catch (error) {
      done(error as Error)
    }
  })
}

/**
 * Headers that each answer of a server has, whatever it answers and however it is written.
 * @param tls undefined where TLS does not end here
 */
export function headersOfEach(tls: unknown): Readonly<Record<string, string>> {
  // a browser that came by TLS once comes by nothing else for a year
  return tls === undefined ? {} : { 'strict-transport-security': `max-age=${HSTS_SECONDS}` }
}

function sendWithEach(app: FastifyInstance, headers: Readonly<Record<string, string>>): void {
  if (Object.keys(headers).length === 0) return
  beforeSending(app, (_request, reply) => {
    reply.headers(headers)
  })
}

function readJsonBodies(app: FastifyInstance, duplicates: Duplicates): void {
  app.removeAllContentTypeParsers()
  addJsonParser(app, duplicates, ({ headers }) => requirePlain(headers['content-encoding']))
}

/**
 * Reads bodies of type application/json, or of another type that is JSON.
 * @param admit throws on a request whose body is not read at all
 */
export function addJsonParser(
  app: FastifyInstance,
  duplicates: Duplicates,
  admit: (request: FastifyRequest) => void = () => undefined,
  type = JSON_TYPE,
): void {
  app.addContentTypeParser(type, (request, _payload, done) => {
    try {
      admit(request)
    } catch (error) {
      return done(error as Error)
    }
    app.readBytes(request, (error, bytes) => {
      if (error !== null) return done(error)
      try {
        done(null, parseJson(bytes, duplicates, findJsonLimits(request)))
      } catch (error) {
        done(error as Error)
      }
    })
  })
}

/** How many members the body of a route may hold: more where it may be longer than that of an ordinary route. */
function findJsonLimits({ routeOptions: { bodyLimit, config } }: FastifyRequest): JsonLimits {
  return config.bulk || bodyLimit > BODY_BYTES_MAX ? BULK : ORDINARY
}

/** @throws JSON_INVALID on a body that is packed: what it unpacks to is not bounded by its length */
export function requirePlain(encoding: string | undefined): void {
  if (encoding === undefined || encoding === 'identity') return
  const reason = `its content-encoding is \`${encoding.slice(0, 32)}\`, send it plain`
  throw new ZerohopError('JSON_INVALID', { reason }, { path: ['body'] })
}

/** Status of errors whose code is in a header: what refuses the request of somebody who is known. */
const WITH_CODE: ReadonlySet<number> = new Set([403, 409, 412, 422])

function answerErrors(app: FastifyInstance, { errorForm: form, noRoute }: HttpAppOptions): void {
  app.decorate('problems', new ProblemLog(app.log))
  app.setErrorHandler((error, request, reply) => {
    const problem = namingItem(toProblem(error), error, request.body)
    app.problems.log(error, problem, request.id)
    const { status, body } = form(problem)
    if (status === 503 && !reply.hasHeader('retry-after')) reply.header('retry-after', '1')
    // a header shows whether a write happened: the body has one code for all that is unavailable
    if (isZerohopError(error, 'DATABASE_UNAVAILABLE', 'OUTCOME_UNKNOWN')) reply.header('x-unavailable', error.code)
    // the body has one code for all refusals of a class; where it is 404 nothing tells which one it was
    if (problem.code !== undefined && WITH_CODE.has(status)) reply.header('x-error-code', problem.code)
    if (status === 401) reply.header('www-authenticate', 'Bearer')
    return reply.code(status).send(body)
  })
  const methods = new RouteMethods(app.noted)
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0]!
    const known = noRoute?.(request.url)
    const others = known ? [] : methods.others(request.method, path)
    if (others.length > 0) reply.header('allow', others.join(', '))
    const { status, body } = form(known ? toProblem(known) : noRouteFor(request.method, others))
    return reply.code(status).send(body)
  })
}

/** Notes every route that is registered from now on. */
function noteRoutes(app: FastifyInstance): void {
  const routes: NotedRoute[] = []
  app.decorate('noted', routes)
  app.addHook('onRoute', ({ url, method, schema, config }) => {
    const known = { ...(schema ? { schema } : {}), ...(config ? { config } : {}) }
    for (const each of [method].flat()) routes.push({ method: each, url, ...known })
  })
}

/** Headers of every answer: the request id, and a content type without charset. */
function finishAnswers(app: FastifyInstance): void {
  beforeSending(app, (request, reply) => {
    reply.header('x-request-id', request.id)
    if (reply.getHeader('content-type') === 'application/json; charset=utf-8') reply.header('content-type', JSON_TYPE)
  })
}

/**
 * The caller's own id when it is a modest printable text, else a fresh one: random for each server, counted within it.
 */
export function requestIds(): (request: IncomingMessage) => string {
  const prefix = randomBytes(8).toString('hex')
  let count = 0
  return (request) => {
    const sent = request.headers['x-request-id']
    if (typeof sent === 'string' && REQUEST_ID.test(sent)) return sent
    return prefix + (++count).toString(16).padStart(16, '0')
  }
}
