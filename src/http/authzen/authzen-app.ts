// OpenID AuthZEN 1.0 next to the own routes of the PDP, with the same keys and decisions. It is a Fastify scope of
// its own because it differs: errors are one line of plain text, also for unknown paths; a wrong body or content type
// is 400; an unknown key is 401; and a request id is echoed exactly as sent.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { addJsonParser } from '../app.ts'
import { beforeSending } from '../hooks.ts'
import { noRouteFor, RouteMethods } from '../route-methods.ts'
import { wrong } from './authzen-bodies.ts'
import { challenge, plainProblem, sendPlain } from './authzen-errors.ts'
import type { AuthzenDeps } from './deps.ts'
import { discoveryRoute } from './discovery.ts'
import { evaluationRoutes } from './evaluation.ts'
import { interchangeable } from './i-json.ts'
import { readPublicUrl } from './public-url.ts'
import { isEchoedAsSent } from './request-ids.ts'
import { searchRoutes } from './search.ts'

/** @throws CONFIG_INVALID on a public URL that cannot be published */
export function authzenRoutes(parent: FastifyInstance, deps: AuthzenDeps): void {
  if (deps.publicUrl !== undefined) readPublicUrl(deps.publicUrl)
  parent.register(async (app) => {
    echoRequestIds(app)
    app.setErrorHandler((error, request, reply) => answerError(app, error, request, reply))
    discoveryRoute(app, deps)
    app.register(async (routes) => accessRoutes(routes, deps), { prefix: '/access/v1' })
  })
}

/** Everything below /access/v1, unknown paths included. */
function accessRoutes(app: FastifyInstance, deps: AuthzenDeps): void {
  app.removeAllContentTypeParsers()
  addJsonParser(app, 'refuse')
  app.addContentTypeParser('*', (_request, _payload, done) => done(wrong('the content type', '`application/json`')))
  app.addHook('preHandler', async ({ body }) => void interchangeable(body))
  const methods = new RouteMethods(app.noted)
  app.setNotFoundHandler((request, reply) => {
    const others = methods.others(request.method, request.url.split('?', 1)[0]!)
    if (others.length > 0) reply.header('allow', others.join(', '))
    const { status, message } = noRouteFor(request.method, others)
    return sendPlain(reply, status, message)
  })
  evaluationRoutes(app, deps)
  searchRoutes(app, deps)
}

function answerError(app: FastifyInstance, error: unknown, request: FastifyRequest, reply: FastifyReply) {
  const problem = plainProblem(error)
  const { status, message } = problem
  app.problems.log(error, problem, request.id)
  if (status === 503) reply.header('retry-after', '1')
  if (status === 401) reply.header('www-authenticate', challenge(error))
  return sendPlain(reply, status, message)
}

function echoRequestIds(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const sent = request.headers['x-request-id']
    if (typeof sent === 'string') request.id = sent
    done()
  })
  beforeSending(app, (request, _reply, payload) =>
    typeof payload === 'string' && !isEchoedAsSent(request.id) ? Buffer.from(payload) : payload,
  )
}
