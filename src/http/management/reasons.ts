// Why a write is made: what the headers of its request say (src/model/reason-headers.ts), and whether the environment
// requires it.
import type { FastifyRequest } from 'fastify'
import type { Environment } from '../../kinds/environment.ts'
import type { Reasons } from '../../log/change.ts'
import { ZerohopError } from '../../model/errors.ts'
import { readReasons } from '../../model/reason-headers.ts'

/** @throws INPUT_INVALID, LIMIT_EXCEEDED */
export const requestReasons = ({ raw }: FastifyRequest): Reasons => readReasons(raw.rawHeaders)

/**
 * Refuses the request of a person or a key without a reason where the environment requires one. The system needs none.
 * @throws REASON_REQUIRED; as requestReasons
 */
export function requireReason(request: FastifyRequest, { require_reason, environment }: Environment): void {
  const { reason } = requestReasons(request)
  if (require_reason !== true || reason !== undefined || request.caller.isSystem) return
  throw new ZerohopError('REASON_REQUIRED', { environment }, { path: ['header', 'x-reason'] })
}
