// OpenID AuthZEN 1.0 beside the PDP's own routes, with the same keys and the same decisions. Its ways differ in three points, which is why it is
// a scope of its own: errors are one plain line of text, a wrong content type is 400, and a request id is echoed exactly as it was sent.
import type { FastifyInstance } from 'fastify'
import { addJsonParser } from '../../app.ts'
import { problemOf } from '../../errors.ts'
import type { PdpRouteDeps } from '../app.ts'
import { wrong } from './bodies.ts'
import { discoveryRoute } from './discovery.ts'
import { plainError } from './errors.ts'
import { evaluationRoutes } from './evaluation.ts'
import { searchRoutes } from './search.ts'

export interface AuthzenSettings {
  /** the address that clients use, when it is not the one that the server listens on (PDP_PUBLIC_URL) */
  readonly publicUrl?: string
  /** types of a subject that mean a user; every other is unknown (PDP_AUTHZEN_SUBJECT_TYPES) */
  readonly subjectTypes?: readonly string[]
}

export type AuthzenDeps = PdpRouteDeps & AuthzenSettings

const ASCII = /^[\x20-\x7e\t]*$/

export function authzenRoutes(parent: FastifyInstance, deps: AuthzenDeps): void {
  parent.register(async (app) => {
    app.removeAllContentTypeParsers()
    addJsonParser(app, 'refuse')
    app.addContentTypeParser('*', (_request, _payload, done) => done(wrong('the content type', '`application/json`')))
    app.setErrorHandler((error, request, reply) => {
      const { status, message } = plainError(error)
      app.problems.tell(error, { ...problemOf(error), status, message }, request.id)
      if (status === 503) reply.header('retry-after', '1')
      if (status === 401) reply.header('www-authenticate', 'Bearer')
      return reply.code(status).type('text/plain; charset=utf-8').send(message)
    })
    app.addHook('onRequest', (request, _reply, done) => {
      const sent = request.headers['x-request-id']
      if (typeof sent === 'string') request.id = sent
      done()
    })
    // node writes the headers as UTF-8 too when the body is a string: bytes above 127 would not come back as they were sent
    app.addHook('onSend', (request, _reply, payload, done) =>
      done(null, typeof payload === 'string' && !ASCII.test(request.id) ? Buffer.from(payload) : payload),
    )
    evaluationRoutes(app, deps)
    searchRoutes(app, deps)
    discoveryRoute(app, deps)
  })
}
