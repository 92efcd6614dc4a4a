// Hears of notifications of a PostgreSQL database. A connection that is lost is made again; what was notified meanwhile
// is not known, so that counts as a notification.
import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from 'pg'
import { contained } from '../../model/contained.ts'
import { SYNC_CONNECT_MS, SYNC_LISTEN_PAUSE_MS } from '../../model/limits.ts'
import { loadDriver } from './load-driver.ts'
import { listSecrets, toSourceError } from './source-failure.ts'

export interface ListenOptions {
  readonly url: string
  readonly channel: string
  /** ends it */
  readonly signal: AbortSignal
  readonly onNotified: () => void
  /** hears of each failure, after which it is tried again */
  readonly onFailure: (error: Error) => void
}

/** Listens until the signal ends it. Never rejects. */
export async function listenToPostgres({ url, channel, signal, onNotified, onFailure }: ListenOptions): Promise<void> {
  while (!signal.aborted) {
    try {
      await listenOnce(url, channel, signal, onNotified)
    } catch (error) {
      if (signal.aborted) return
      onFailure(toSourceError(error, 'PostgreSQL', listSecrets(url)))
      await pause(SYNC_LISTEN_PAUSE_MS, undefined, { signal }).catch(() => undefined)
    }
  }
}

/** Ends when the connection does. */
async function listenOnce(url: string, channel: string, signal: AbortSignal, onNotified: () => void): Promise<void> {
  const pg = await loadDriver<{ default: typeof import('pg') }>('pg')
  const client: Client = new pg.default.Client({
    connectionString: url,
    application_name: 'zerohop sync watch',
    connectionTimeoutMillis: SYNC_CONNECT_MS,
    keepAlive: true,
  })
  const ended = new Promise<void>((_resolve, reject) => {
    const lose = (error?: Error): void => reject(error ?? new Error('the connection was closed'))
    client.on('error', contained('the loss of a database', lose))
    client.on(
      'end',
      contained('the end of a connection', () => lose()),
    )
    const stop = (): void => lose()
    signal.addEventListener('abort', contained('the end of a watch', stop), { once: true })
  })
  ended.catch(() => undefined)
  try {
    await client.connect()
    client.on('notification', contained('a notification of a database', onNotified))
    await client.query(`LISTEN ${client.escapeIdentifier(channel)}`)
    onNotified()
    await ended
  } finally {
    await client.end().catch(() => undefined)
  }
}
