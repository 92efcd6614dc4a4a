// Writes that say what they are made for: `if-match` with the etag of the object that was read, and `x-if-revision` with
// the revision of the environment. Where that has changed meanwhile, nothing is written.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { KindName } from '../../kinds/index.ts'
import { isZerohopError, ZerohopError } from '../../model/errors.ts'
import { type Expected, formatEtag, type ObjectPart } from '../../store/expected.ts'
import { managementError, toProblem } from '../errors.ts'

/** The revision that a write into an environment expects. @throws WAIT_INVALID */
export function readExpectedRevision(request: FastifyRequest): Pick<Expected, 'revision'> | undefined {
  const header = request.headers['x-if-revision']
  if (header === undefined) return undefined
  if (typeof header === 'string' && /^\d{1,15}$/.test(header)) return { revision: Number(header) }
  throw new ZerohopError('WAIT_INVALID', { header: 'x-if-revision', expected: 'a revision, as in x-revision' })
}

/** The object that a route writes. */
export interface Tagged {
  readonly kind: KindName
  readonly object: { readonly id: string }
  /** what has the etag, where that is a part of it */
  readonly part?: { readonly kind: ObjectPart['kind']; readonly object: Omit<ObjectPart, 'kind'> }
  /** what `GET` of it answers with */
  readonly show: () => unknown
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The one object that the route writes, which has an etag. @throws OBJECT_NOT_FOUND */
    tagged?: (request: FastifyRequest) => Tagged
  }
}

/**
 * The object that a write expects; undefined where it does not say. It is compared by the transaction of the write: a
 * request that was carried out, and comes again with its idempotency key, gets its answer.
 * @throws WAIT_INVALID where the route writes no one object that has an etag
 */
export function readExpectedObject(request: FastifyRequest): Expected['object'] {
  const etag = request.headers['if-match']?.trim()
  if (etag === undefined) return undefined
  const { tagged } = request.routeOptions.config
  if (tagged === undefined)
    throw unfit('left out: the route writes no object that has an etag (`x-if-revision` is taken)')
  if (etag !== '*' && !/^"[\w-]{22}"$/.test(etag)) throw unfit('an etag of this API, or `*`')
  try {
    const { kind, object, part } = tagged(request)
    const named = part && { part: { kind: part.kind, id: part.object.id, key: part.object.key } }
    return { kind, id: object.id, ...named, etag }
  } catch (error) {
    if (!isZerohopError(error, 'OBJECT_NOT_FOUND')) throw error
    return { missing: error.details }
  }
}

const unfit = (expected: string) => new ZerohopError('WAIT_INVALID', { header: 'if-match', expected })

/** What has the etag. */
export const taggedObject = ({ part, object }: Omit<Tagged, 'show'>): object => part?.object ?? object

/** Says the etag of what is answered. */
export const sendEtag = (reply: FastifyReply, object: object): FastifyReply => reply.header('etag', formatEtag(object))

/** A write of an object that has changed meanwhile is answered with what it is now. */
export function answerChanged(app: FastifyInstance): void {
  app.setErrorHandler(async (error, request, reply) => {
    const { tagged } = request.routeOptions.config
    if (tagged === undefined || !isZerohopError(error, 'OBJECT_CHANGED')) throw error
    const now = tagged(request)
    const problem = toProblem(error)
    app.problems.log(error, problem, request.id)
    const { status, body } = managementError(problem)
    const shown = await now.show()
    return sendEtag(reply, taggedObject(now))
      .header('x-error-code', error.code)
      .code(status)
      .send({ ...(body as object), additional_info: shown })
  })
}
