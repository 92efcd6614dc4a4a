// What was answered with 5xx, for the operator. What is ours goes to the log with its stack, each time. What is only "not now" (503: not ready, too old,
// not there in time, overloaded) is one line for each reason and PROBLEM_LOG_MS, with how many there were: a PDP whose image is too old refuses
// every check, and must not fill a disk with saying so.
import type { FastifyBaseLogger } from 'fastify'
import { PROBLEM_LOG_MS } from '../model/limits.ts'
import type { Problem } from './errors.ts'

interface Told {
  readonly at: number
  /** since then */
  unsaid: number
}

export class ProblemLog {
  readonly #log: FastifyBaseLogger
  readonly #now: () => number
  /** by code: as many as the table of errors has */
  readonly #told = new Map<string, Told>()

  constructor(log: FastifyBaseLogger, now: () => number = () => performance.now()) {
    this.#log = log
    this.#now = now
  }

  /** Tells an answer, unless it is below 500. */
  tell(
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
    const told = this.#told.get(reason)
    if (told !== undefined && this.#now() - told.at < PROBLEM_LOG_MS) {
      told.unsaid++
      return
    }
    this.#told.set(reason, { at: this.#now(), unsaid: 0 })
    const before = told === undefined || told.unsaid === 0 ? {} : { unsaid: told.unsaid }
    this.#log.warn({ code, request_id, ...before }, message)
  }
}
