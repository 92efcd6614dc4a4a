// Writes that a client sends again by itself: with an idempotency key of their own, and only where the server has said
// that it carries such a write out once. All else is sent once: whether it may be repeated is for its caller to know.
import { contained } from '../model/contained.ts'
import { isZerohopError } from '../model/errors.ts'
import { CLIENT_RETRY_FIRST_MS, CLIENT_RETRY_WAIT_MS_MAX } from '../model/limits.ts'

/** Why a write is sent again, and when. */
export interface Retry {
  /** what was answered, or why nothing was */
  readonly reason: string
  readonly waitMs: number
  /** how often it was sent so far */
  readonly tried: number
}

type Send = (request: Request) => Promise<Response>

const SAYS = 'x-idempotency'
const KEY = 'idempotency-key'
/** What a proxy, or a server that is busy or starting, answers of a write that can be sent again. */
const PASSING: ReadonlySet<number> = new Set([502, 503])
const THROTTLED = 429

/**
 * @param tries how often a write is sent at most; 1: never again
 * @param onRetry called before each pause
 */
export function repeatWrites(send: Send, tries: number, onRetry: (retry: Retry) => void = () => undefined): Send {
  const say = contained('onRetry', onRetry)
  let isHonoured = false
  const hear = (response: Response): Response => {
    if (response.headers.has(SAYS)) isHonoured = true
    return response
  }
  return async (request) => {
    if (request.method === 'GET' || tries <= 1) return hear(await send(request))
    const { headers } = request
    if (!headers.has(KEY)) headers.set(KEY, globalThis.crypto.randomUUID())
    for (let attempt = 1; ; attempt++) {
      const isLast = attempt >= tries
      const backoffMs = CLIENT_RETRY_FIRST_MS * 2 ** (attempt - 1)
      let waitMs: number | undefined
      let reason: string
      try {
        const response = hear(await send(isLast ? request : request.clone()))
        waitMs = isLast || !isHonoured ? undefined : readWait(response, backoffMs)
        if (waitMs === undefined) return response
        reason = `the management API answered ${response.status}`
      } catch (error) {
        if (isLast || !isHonoured || request.signal.aborted || !isZerohopError(error, 'FEED_UNREACHABLE')) throw error
        waitMs = backoffMs
        reason = error.message
      }
      say({ reason, waitMs, tried: attempt })
      await pause(waitMs, request.signal)
    }
  }
}

/** How long to wait before a write is sent again; undefined where it is not. */
function readWait({ status, headers }: Response, backoffMs: number): number | undefined {
  const after = headers.get('retry-after')
  const seconds = after === null ? undefined : Number(after)
  if (status === THROTTLED ? seconds === undefined : !PASSING.has(status)) return undefined
  const waitMs = seconds === undefined || Number.isNaN(seconds) ? backoffMs : seconds * 1_000
  return waitMs <= CLIENT_RETRY_WAIT_MS_MAX ? waitMs : undefined
}

/** Resolves at once when the signal aborts: the next attempt ends with its reason. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end, { once: true })
  })
}
