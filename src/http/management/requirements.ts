// What an environment requires of writes: a reason, which the headers of a request say (src/model/reason-headers.ts), and
// that somebody else approves of changes of the policy.
import type { FastifyRequest } from 'fastify'
import type { Environment } from '../../kinds/environment.ts'
import type { Reasons } from '../../log/change.ts'
import { type Operation, writesEnvironment, writesPolicy } from '../../management/rules/access.ts'
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

/** Refuses to change the policy directly where it is changed by proposals. The system may. @throws APPROVAL_REQUIRED */
function requireNoApproval({ caller }: FastifyRequest, { require_approval, environment }: Environment): void {
  if (require_approval === true && !caller.isSystem) throw new ZerohopError('APPROVAL_REQUIRED', { environment })
}

/** What the environment requires of a request that does this in it. @throws REASON_REQUIRED, APPROVAL_REQUIRED */
export function requireRequired(request: FastifyRequest, environment: Environment, operation: Operation): void {
  if (!writesEnvironment(operation)) return
  if (writesPolicy(operation)) requireNoApproval(request, environment)
  requireReason(request, environment)
}
