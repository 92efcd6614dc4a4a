// What a request for a plan says, as the thread of plans takes it.
import { ZerohopError } from '../../model/errors.ts'
import { parseInstant } from '../../model/instant.ts'
import { BODY } from '../rules/fields.ts'
import type { PlanRequest } from '../schemas/plan.ts'
import type { PlanTask } from './plan-task.ts'

/**
 * The same with its second instant in ms since 1970.
 * @param now ms since 1970
 * @throws INPUT_INVALID unless that is an instant that is to come
 */
export function readPlanRequest(
  { at: sent, ...request }: PlanRequest,
  now: number,
): Omit<PlanTask, 'environment' | 'now'> {
  if (sent === undefined || sent === null) return request
  const at = parseInstant(sent)
  if (at === undefined || !Number.isSafeInteger(at))
    throw new ZerohopError('INPUT_INVALID', { reason: '`at` is not an instant' }, { path: [...BODY, 'at'] })
  if (at <= now)
    throw new ZerohopError('INPUT_INVALID', { reason: '`at` is not in the future' }, { path: [...BODY, 'at'] })
  return { ...request, at }
}
