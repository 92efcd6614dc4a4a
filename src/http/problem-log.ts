// Logs answers with 5xx for the operator. An unexpected error is logged each time, with its stack. A temporary
// condition (503: not ready, image too old, timeout, overloaded) is logged once per code and PROBLEM_LOG_MS, with the
// number of occurrences: a PDP whose image is too old refuses every check, and must not fill a disk with log lines.
import type { FastifyBaseLogger } from 'fastify'
import { PROBLEM_LOG_MS } from '../model/limits.ts'
import type { Problem } from './errors.ts'

interface Logged {
  readonly at: number
  /** occurrences since the last logged line */
  suppressed: number
}

export class ProblemLog {
  readonly #log: FastifyBaseLogger
  readonly #now: () => number
  /** by code, so bounded by the table of errors */
  readonly #logged = new Map<string, Logged>()

  constructor(log: FastifyBaseLogger, now: () => number = () => performance.now()) {
    this.#log = log
    this.#now = now
  }

  /** Logs the answer when its status is 500 or above. */
  log(
    error: unknown,
    { status, code, message }: Pick<Problem, 'status' | 'code' | 'message'>,
    request_id: string,
  ): void {
    if (status < 500) return
    if (status !== 503) {
      this.#log.error({ err: error, code, request_id }, message)
      return
    }
    const reason = code ?? ''
    const logged = this.#logged.get(reason)
    if (logged !== undefined && this.#now() - logged.at < PROBLEM_LOG_MS) {
      logged.suppressed++
      return
    }
    this.#logged.set(reason, { at: this.#now(), suppressed: 0 })
    const before = logged === undefined || logged.suppressed === 0 ? {} : { suppressed: logged.suppressed }
    this.#log.warn({ code, request_id, ...before }, message)
  }
}
