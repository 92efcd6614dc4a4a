// Which forwarded writes wait until this PDP has applied them, and for how long. A write that waits makes the follower
// apply deltas at once; one that does not wait leaves the follower's batching as it is, so an immediate check may still
// be answered from before the write.
import type { IncomingHttpHeaders } from 'node:http'
import { ZerohopError } from '../../model/errors.ts'
import { FACTS_WAIT_MAX_MS } from '../../model/limits.ts'

export type TimeoutPolicy = 'ignore' | 'fail'

export interface Wait {
  /** 0: do not wait */
  readonly timeoutMs: number
  /** how a write is answered that was not applied in time: with its own answer, or with 424 */
  readonly policy: TimeoutPolicy
}

/** Methods that wait, by the path after the environment; a star matches one part. */
const WAITING: readonly (readonly [path: string, methods: string])[] = [
  ['users', 'POST'],
  ['users/*', 'PUT PATCH'],
  ['users/*/roles', 'POST DELETE'],
  ['tenants', 'POST'],
  ['role_assignments', 'POST DELETE'],
  ['resource_instances', 'POST'],
  ['resource_instances/*', 'PATCH'],
  ['relationship_tuples', 'POST'],
]

/** True for a write that the next check must see. */
export function waits(method: string, path: string): boolean {
  const parts = path.split('/')
  return WAITING.some(([pattern, methods]) => {
    const wanted = pattern.split('/')
    const fits = wanted.length === parts.length && wanted.every((part, at) => part === '*' || part === parts[at])
    return fits && methods.split(' ').includes(method)
  })
}

/** The wait of the request, else the default of the PDP. @throws WAIT_INVALID */
export function readWait(headers: IncomingHttpHeaders, byDefault: Wait): Wait {
  const { 'x-wait-timeout': seconds, 'x-timeout-policy': policy } = headers
  return {
    timeoutMs: seconds === undefined ? byDefault.timeoutMs : milliseconds(String(seconds).trim()),
    policy: policy === undefined ? byDefault.policy : parsePolicy(String(policy)),
  }
}

/** Empty, negative and infinite mean the longest wait, which is bounded. */
function milliseconds(seconds: string): number {
  if (seconds === '' || /^[-+]?inf(inity)?$/i.test(seconds)) return FACTS_WAIT_MAX_MS
  const number = /^[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?$/i.test(seconds) ? Number(seconds) : Number.NaN
  if (Number.isNaN(number))
    throw new ZerohopError('WAIT_INVALID', { header: 'x-wait-timeout', expected: 'a number of seconds' })
  return number < 0 ? FACTS_WAIT_MAX_MS : Math.min(number * 1000, FACTS_WAIT_MAX_MS)
}

function parsePolicy(sent: string): TimeoutPolicy {
  const policy = sent.trim().toLowerCase()
  if (policy === 'ignore' || policy === 'fail') return policy
  throw new ZerohopError('WAIT_INVALID', { header: 'x-timeout-policy', expected: '`ignore` or `fail`' })
}
