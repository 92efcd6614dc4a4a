// The first step of nearly every route: authenticates the request and waits for the revision that it requires.
// `x-min-revision` is that revision, `x-min-revision-timeout` the longest wait; `x-revision` in every answer is the
// revision that answered.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ZerohopError } from '../../model/errors.ts'
import { AT_LEAST_DEFAULT_MS, AT_LEAST_MAX_MS } from '../../model/limits.ts'
import type { Pdp } from '../../pdp/pdp.ts'
import { beforeSending } from '../hooks.ts'
import { findDirectory, type PdpDirectory } from './pdp-keys.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** the PDP that answers; set by `authenticate` */
    pdp: Pdp | undefined
  }
}

export type Authenticate = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void

/** Resolves when checks see the revision. @throws REVISION_TIMEOUT */
export type Applied = (pdp: Pdp, revision: number, timeoutMs: number) => Promise<void>

/**
 * The hook that finds the PDP of a request. `authorizationOf` reads the key; by default from the Authorization header.
 */
export function authenticator(
  directory: PdpDirectory,
  authorizationOf: (request: FastifyRequest) => string | undefined = ({ headers }) => headers.authorization,
): Authenticate {
  return (request, _reply, done) => {
    const answering = findDirectory(directory, request.raw)
    try {
      request.pdp = answering.findNow(authorizationOf(request))
    } catch (error) {
      done(error as Error)
      return
    }
    if (request.pdp !== undefined && request.headers['x-min-revision'] === undefined) done()
    else wait(request, answering, authorizationOf(request)).then(() => done(), done)
  }
}

/** Every route answers from one image, at one revision and one instant, until it awaits something. */
export function answerFromOneTake(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const { handler } = route
    route.handler = function (request, reply) {
      const answer = () => handler.call(this, request, reply)
      return request.pdp === undefined ? answer() : request.pdp.asOneRequest(answer)
    }
  })
}

/** Sets `x-revision` unless the route has set it. */
export function nameRevisions(app: FastifyInstance): void {
  app.decorateRequest('pdp', undefined)
  beforeSending(app, (request, reply) => {
    const revision = request.pdp?.imageRevision
    if (revision !== undefined && !reply.hasHeader('x-revision')) reply.header('x-revision', revision)
  })
}

async function wait(request: FastifyRequest, directory: PdpDirectory, authorization: string | undefined) {
  request.pdp ??= await directory.find(authorization)
  const revision = wholeNumber(request, 'x-min-revision', 'value is not a revision')
  const asked = wholeNumber(request, 'x-min-revision-timeout', 'value is not a number of milliseconds')
  if (revision === undefined) return
  await request.pdp.atLeast(revision, { timeoutMs: Math.min(asked ?? AT_LEAST_DEFAULT_MS, AT_LEAST_MAX_MS) })
}

function wholeNumber(request: FastifyRequest, header: string, reason: string): number | undefined {
  const sent = request.headers[header]
  if (sent === undefined) return undefined
  const number = typeof sent === 'string' && /^\d+$/.test(sent) ? Number(sent) : Number.NaN
  if (!Number.isSafeInteger(number)) throw new ZerohopError('INPUT_INVALID', { reason }, { path: ['header', header] })
  return number
}
