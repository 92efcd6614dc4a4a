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
  /** that of the sync file */
  readonly folder: string
  /** ends it */
  readonly signal: AbortSignal
  readonly onNotified: () => void
  /** hears of each failure, after which it is tried again */
  readonly onFailure: (error: Error) => void
}

/** Listens until the signal ends it. Never rejects. */
export async function listenToPostgres(options: ListenOptions): Promise<void> {
  const { url, signal, onFailure } = options
  while (!signal.aborted) {
    try {
      await listenOnce(options)
    } catch (error) {
      if (signal.aborted) return
      onFailure(toSourceError(error, 'PostgreSQL', listSecrets(url)))
      await pause(SYNC_LISTEN_PAUSE_MS, undefined, { signal }).catch(() => undefined)
    }
  }
}

/** Ends when the connection does. */
async function listenOnce({ url, channel, folder, signal, onNotified }: ListenOptions): Promise<void> {
  const pg = await loadDriver<{ default: typeof import('pg') }>('pg', folder)
  const client: Client = new pg.default.Client({
    connectionString: url,
    application_name: 'zerohop sync watch',
    connectionTimeoutMillis: SYNC_CONNECT_MS,
    keepAlive: true,
  })
  let stop = (): void => undefined
  const ended = new Promise<void>((_resolve, reject) => {
    const lose = (error?: Error): void => reject(error ?? new Error('the connection was closed'))
    stop = contained('the end of a watch', () => lose())
    client.on('error', contained('the loss of a database', lose))
    client.on('end', stop)
  })
  signal.addEventListener('abort', stop, { once: true })
  ended.catch(() => undefined)
  try {
    await client.connect()
    client.on('notification', contained('a notification of a database', onNotified))
    await client.query(`LISTEN ${client.escapeIdentifier(channel)}`)
    onNotified()
    await ended
  } finally {
    signal.removeEventListener('abort', stop)
    await client.end().catch(() => undefined)
  }
}
