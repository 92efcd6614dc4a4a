// What a process does about what nobody handled. A rejection concerns one task: a server logs it with its cause, counts it and goes on. After an
// exception anything may be half done: the process says so and ends with exit code 1, for its supervisor to start it again. A command ends with either.
import { inspect } from 'node:util'
import type { Logger } from 'pino'
import { PROBLEM_LOG_MS } from '../../model/limits.ts'
import { fail, lineOf } from './process.ts'

let rejections = 0

/** Rejections that nobody handled since this process started. */
export const unhandledRejections = (): number => rejections

/** A command that meets one ends with the exit code that means "not done", never with one that means an answer. */
export function endOnUnhandled(exitCode: number): void {
  const end = (error: unknown): void => fail(new Error(withoutSecrets(lineOf(error), [])), exitCode)
  process.on('unhandledRejection', end)
  process.on('uncaughtException', end)
}

/** A server goes on after a rejection and ends after an exception. `secrets` are texts that no line of the log may hold. */
export function outliveRejections(log: Logger, secrets: readonly string[]): void {
  process.removeAllListeners('unhandledRejection').removeAllListeners('uncaughtException')
  let loggedAt = Number.NEGATIVE_INFINITY
  let suppressed = 0
  process.on('unhandledRejection', (error) => {
    rejections++
    const now = performance.now()
    if (now - loggedAt < PROBLEM_LOG_MS) {
      suppressed++
      return
    }
    const before = suppressed === 0 ? {} : { suppressed }
    log.error({ reason: reasonOf(error, secrets), ...before }, 'a rejection that nobody handled; the process goes on')
    loggedAt = now
    suppressed = 0
  })
  process.on('uncaughtException', (error) => {
    log.fatal({ reason: reasonOf(error, secrets) }, 'an exception that nobody handled; the process ends')
    process.exit(1)
  })
}

/** The error with its stack and causes, without keys. */
export function reasonOf(error: unknown, secrets: readonly string[]): string {
  return withoutSecrets(inspect(error, { depth: 2, breakLength: Number.POSITIVE_INFINITY }), secrets)
}

/** The text without these, and without whatever looks like a key of ours or a bearer token. */
function withoutSecrets(text: string, secrets: readonly string[]): string {
  const known = secrets.reduce((rest, secret) => rest.replaceAll(secret, '…'), text)
  return known.replace(/\bpermit_key_\w+/g, 'permit_key_…').replace(/\b(bearer\s+)[^\s'"]+/gi, '$1…')
}
