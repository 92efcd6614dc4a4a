// `zerohop sync watch`: applies a sync again and again, after a pause or when a PostgreSQL database notifies. A run that
// fails is said and tried again by the next one. A signal ends it at once, or after the slice that is being written.
import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { contained } from '../../model/contained.ts'
import { parseDuration } from '../../model/durations.ts'
import { ZerohopError } from '../../model/errors.ts'
import { SYNC_EVERY_MS_MIN, SYNC_LEAVE_MS } from '../../model/limits.ts'
import { readSyncFile } from '../../sync/file/sync-file.ts'
import { listenToPostgres } from '../../sync/sources/listen-postgres.ts'
import { type Env, readVariable } from '../configuration/env.ts'
import { sayOnStderr } from '../terminal/print-warnings.ts'
import { REFUSED } from './agreement.ts'
import { applySync, type SyncApplyOptions } from './sync.ts'
import { SYNC_FILE } from './sync-rows.ts'

export interface SyncWatchOptions
  extends Omit<SyncApplyOptions, 'plan' | 'yes' | 'force' | 'takeOver' | 'signal' | 'onWrite'> {
  readonly every: string
  readonly listen?: string
}

/**
 * Returns the exit code once a signal has come. A database or a server that does not answer may still be waited for then:
 * the caller ends the process.
 * @throws CONFIG_INVALID
 */
export async function watchSync(
  env: Env,
  name: string | undefined,
  { every, listen, ...options }: SyncWatchOptions,
): Promise<number> {
  const seconds = parseDuration(every)
  if (seconds === undefined || seconds * 1000 < SYNC_EVERY_MS_MIN)
    throw new ZerohopError('CONFIG_INVALID', { reason: '--every needs a time such as 30s or 5m' })
  const ending = new AbortController()
  const end = contained('the end of a watch', () => ending.abort())
  process.once('SIGTERM', end)
  process.once('SIGINT', end)
  const wake = new Wake(ending.signal)
  const path = name ?? SYNC_FILE
  const listening = listen === undefined ? undefined : startListening(path, listen, ending.signal, wake)
  const ended = new Promise<void>((resolve) => {
    ending.signal.addEventListener(
      'abort',
      contained('the end of a run', () => resolve()),
      { once: true },
    )
  })
  while (!ending.signal.aborted) {
    let isWriting = false
    const onWrite = (): void => {
      isWriting = true
    }
    const run = runOnce(env, path, { ...options, yes: true, force: true, signal: ending.signal, onWrite })
    await Promise.race([run, ended])
    if (isWriting) await run
    await wake.sleep(seconds * 1000)
  }
  await Promise.race([listening, pause(SYNC_LEAVE_MS)])
  return 0
}

async function runOnce(env: Env, path: string, options: SyncApplyOptions): Promise<void> {
  try {
    const code = await applySync(env, path, options)
    if (code === REFUSED) sayOnStderr('this run was refused; the next one tries again')
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    sayOnStderr(`${reason}; the next run tries again`)
  }
}

/** @throws CONFIG_INVALID unless the source is PostgreSQL */
function startListening(path: string, channel: string, signal: AbortSignal, wake: Wake): Promise<void> {
  const { file } = readSyncFile({ name: path, text: readFileSync(path, 'utf8') })
  const variable = file?.source.postgres?.url_env
  const url = variable === undefined ? undefined : readVariable(variable)
  if (url === undefined)
    throw new ZerohopError('CONFIG_INVALID', { reason: '--listen needs the source `postgres`, and its variable' })
  return listenToPostgres({
    url,
    channel,
    folder: dirname(path),
    signal,
    onNotified: () => wake.now(),
    onFailure: ({ message }) => sayOnStderr(`${message}; it is tried again`),
  })
}

/** A pause that a notification ends. One that comes while nobody waits ends the next pause. */
class Wake {
  readonly #signal: AbortSignal
  #isNotified = false
  #end: (() => void) | undefined

  constructor(signal: AbortSignal) {
    this.#signal = signal
    const stop = (): void => this.#end?.()
    signal.addEventListener('abort', contained('the end of a pause', stop), { once: true })
  }

  now(): void {
    this.#isNotified = true
    this.#end?.()
  }

  async sleep(ms: number): Promise<void> {
    if (!this.#isNotified && !this.#signal.aborted) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms)
        this.#end = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    this.#end = undefined
    this.#isNotified = false
  }
}
