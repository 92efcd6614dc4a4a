// A replica that starts while its database does not answer waits for it, alive and not ready, as a restart would not
// help. What trying again cannot fix, such as a wrong password, still ends the process.
import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { TlsSettings } from '../../http/app.ts'
import { waitingApp } from '../../http/management/waiting-app.ts'
import { contained } from '../../model/contained.ts'
import { isZerohopError, type ZerohopError } from '../../model/errors.ts'
import { DATABASE_START_RETRY_MS } from '../../model/limits.ts'
import type { Env } from '../configuration/env.ts'
import { listen } from './process.ts'

/** What `open` returns, once the database answers. @throws what it throws for another reason; PORT_BUSY */
export async function whenDatabaseAnswers<T>(
  open: () => Promise<T>,
  env: Env,
  log: Logger,
  tls: TlsSettings | undefined,
): Promise<T> {
  let trouble: ZerohopError | undefined
  const first = await attempt(open)
  if ('opened' in first) return first.opened
  trouble = first.trouble
  log.error({ code: trouble.code }, `${trouble.message}; this replica waits for it and is not ready`)
  const app = waitingApp(() => trouble as ZerohopError, log, tls)
  const end = contained('a signal', () => process.exit(0))
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, end)
  try {
    await listen(app, env.host, env.apiPort)
    for (;;) {
      await pause(DATABASE_START_RETRY_MS)
      const next = await attempt(open)
      if ('opened' in next) {
        log.info('the database answers')
        return next.opened
      }
      trouble = next.trouble
    }
  } finally {
    await app.close()
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.off(signal, end)
  }
}

async function attempt<T>(open: () => Promise<T>): Promise<{ opened: T } | { trouble: ZerohopError }> {
  try {
    return { opened: await open() }
  } catch (error) {
    if (isZerohopError(error, 'DATABASE_UNAVAILABLE')) return { trouble: error }
    throw error
  }
}
