// The policy for unhandled rejections and exceptions. A rejection concerns one task: a server logs it with its cause,
// counts it and continues. After an exception the state may be inconsistent: the process logs it and ends with exit
// code 1, so that its supervisor restarts it. A command ends with either.
import { inspect } from 'node:util'
import type { Logger } from 'pino'
import { hearContained } from '../../model/contained.ts'
import { toErrorLine } from '../../model/error-line.ts'
import { PROBLEM_LOG_MS } from '../../model/limits.ts'
import { fail } from './process.ts'

let rejections = 0

/** Unhandled rejections since this process started. */
export const unhandledRejections = (): number => rejections

/** Makes a command end with the exit code that means "not done", never with one that means an answer. */
export function endOnUnhandled(exitCode: number): void {
  const end = (error: unknown): void => fail(new Error(withoutSecrets(toErrorLine(error), [])), exitCode)
  process.on('unhandledRejection', end)
  process.on('uncaughtException', end)
}

/**
 * Makes a server continue after a rejection and end after an exception. `secrets` are texts that must not appear in the
 * log.
 */
export function outliveRejections(log: Logger, secrets: readonly string[]): void {
  process.removeAllListeners('unhandledRejection').removeAllListeners('uncaughtException')
  process.stdout.removeAllListeners('error').on('error', () => undefined) // a server does not end with its terminal
  const seldom = (): ((write: (before: object) => void) => void) => {
    let loggedAt = Number.NEGATIVE_INFINITY
    let suppressed = 0
    return (write) => {
      const now = performance.now()
      if (now - loggedAt < PROBLEM_LOG_MS) {
        suppressed++
        return
      }
      write(suppressed === 0 ? {} : { suppressed })
      loggedAt = now
      suppressed = 0
    }
  }
  const [rejection, callback] = [seldom(), seldom()]
  process.on('unhandledRejection', (error) => {
    rejections++
    rejection((before) =>
      log.error({ reason: formatReason(error, secrets), ...before }, 'unhandled rejection; the process continues'),
    )
  })
  hearContained((place, error) =>
    callback((before) =>
      log.error({ reason: formatReason(error, secrets), ...before }, `${place} failed; the process continues`),
    ),
  )
  process.on('uncaughtException', (error) => {
    log.fatal({ reason: formatReason(error, secrets) }, 'unhandled exception; the process ends')
    process.exit(1)
  })
}

/** The error with its stack and causes, with secrets removed. */
export function formatReason(error: unknown, secrets: readonly string[]): string {
  return withoutSecrets(inspect(error, { depth: 2, breakLength: Number.POSITIVE_INFINITY }), secrets)
}

/** The text without these secrets, and without anything that looks like a Zerohop key or a bearer token. */
function withoutSecrets(text: string, secrets: readonly string[]): string {
  const known = secrets.reduce((rest, secret) => rest.replaceAll(secret, '…'), text)
  return known.replace(/\bpermit_key_\w+/g, 'permit_key_…').replace(/\b(bearer\s+)[^\s'"]+/gi, '$1…')
}
