// Writes that say what they are made for: `if-match` with the etag of the object that was read, and `x-if-revision` with
// the revision of the environment. Where that has changed meanwhile, nothing is written.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { KindName } from '../../kinds/index.ts'
import { isZerohopError, ZerohopError } from '../../model/errors.ts'
import { type Expected, formatEtag } from '../../store/expected.ts'
import { managementError, toProblem } from '../errors.ts'

/** The revision that a write into an environment expects. @throws WAIT_INVALID */
export function readExpectedRevision(request: FastifyRequest): Pick<Expected, 'revision'> | undefined {
  const header = request.headers['x-if-revision']
  if (header === undefined) return undefined
  if (typeof header === 'string' && /^\d{1,15}$/.test(header)) return { revision: Number(header) }
  throw new ZerohopError('WAIT_INVALID', { header: 'x-if-revision', expected: 'a revision, as in x-revision' })
}

/**
 * The object that a write expects; undefined where it does not say, or takes any. It is compared by the transaction of the
 * write: a request that was carried out, and comes again with its idempotency key, gets its answer.
 * @param find the object as it is now. @throws OBJECT_NOT_FOUND
 * @throws WAIT_INVALID
 */
export function readExpectedObject(
  request: FastifyRequest,
  kind: KindName,
  ref: string,
  find: () => { readonly id: string },
): Expected['object'] {
  const etag = request.headers['if-match']?.trim()
  if (etag === undefined || etag === '*') return undefined
  if (!/^"[\w-]{22}"$/.test(etag))
    throw new ZerohopError('WAIT_INVALID', { header: 'if-match', expected: 'an etag of this API, or `*`' })
  try {
    return { kind, id: find().id, etag }
  } catch (error) {
    if (!isZerohopError(error, 'OBJECT_NOT_FOUND')) throw error
    return { kind, id: ref, etag }
  }
}

/** Says the etag of what is answered. */
export const sendEtag = (reply: FastifyReply, object: object): FastifyReply => reply.header('etag', formatEtag(object))

/**
 * Answers that the object has changed, with what it is now. @param now the object, as it is stored and as it is shown
 * @throws the error, when it is another one
 */
export async function answerChanged(
  reply: FastifyReply,
  error: unknown,
  now: () => Promise<{ readonly stored: object; readonly shown: unknown }>,
): Promise<unknown> {
  if (!isZerohopError(error, 'OBJECT_CHANGED')) throw error
  const { stored, shown } = await now()
  const { status, body } = managementError(toProblem(error))
  return sendEtag(reply, stored)
    .code(status)
    .send({ ...(body as object), additional_info: shown })
}
