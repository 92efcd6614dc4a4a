// Runs a verification in a child process (verify-child.ts) and receives its reports. A damaged page may kill the
// process that reads it, which also counts as damage (child-end.ts); it never kills the server. It can run next to a server: LMDB
// shares a folder among processes, and the child only reads. Only the opening is not safe there.
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { LogId } from '../log/change.ts'
import { contained } from '../model/contained.ts'
import { ZerohopError } from '../model/errors.ts'
import { PROBE_MS, SCRUB_OPEN_MS } from '../model/limits.ts'
import { threadUrl } from '../threads/thread-url.ts'
import { endText, isFault, unfinished } from './child-end.ts'
import { dataFolder } from './disk.ts'
import type { Damage } from './verify-part.ts'

/** The child's messages, one JSON text on each line. */
export type FromVerifyChild =
  | { readonly checked: number; readonly total: number; readonly done?: true }
  /** loaded: waits for a line before it opens the folder (in the background only) */
  | { readonly ready: true }
  | { readonly opened: true }
  | { readonly log: LogId | null; readonly what: string; readonly reason: string }
  /** the data is not of this version: nothing was compared */
  | { readonly refused: string }
  /** what it needed of the system could not be had: nothing is said about the data */
  | { readonly failed: string }

export interface Verified {
  /** records and entries that were compared */
  readonly checked: number
  readonly damages: number
}

export interface VerifyListener {
  readonly damage: (damage: Damage) => void
  readonly progress: (checked: number, total: number) => void
}

/** A verification next to a server that writes. */
export interface VerifyBesideServer extends VerifyListener {
  /**
   * Runs `open` while no one writes to the data file. A process that opens a folder copies the number of the last
   * transaction from the file to the memory that all processes share (mdb_env_open2 of LMDB, also for a reader): when
   * a write commits in between, the number goes back, and the next write replaces that one.
   */
  readonly whileNothingIsWritten: (open: () => Promise<void>) => Promise<void>
}

export interface RunningVerification {
  /** undefined when it was stopped before its end; rejects with CHECK_UNFINISHED when something else ended it */
  readonly ended: Promise<(Verified & { readonly refused?: string }) | undefined>
  /** asks the child to end; `ended` resolves when it has */
  stop(): void
}

/** Verifies a folder that no process writes to. */
export function startVerification(folder: string, listener: VerifyListener): RunningVerification {
  return start(folder, 'at full speed', listener, () => undefined)
}

/** The same next to a server: it works only a part of the time, at the lowest priority (SCRUB_PERCENT). */
export function verifyBesideServer(folder: string, listener: VerifyBesideServer): RunningVerification {
  let opened: () => void = () => undefined
  const verification = start(folder, 'in the background', listener, (message, child) => {
    if (message === 'opened') return opened()
    const open = async (): Promise<void> => {
      const limit = setTimeout(() => child.kill('SIGKILL'), SCRUB_OPEN_MS)
      await new Promise<void>((resolve) => {
        opened = resolve
        child.on('close', resolve)
        if (child.exitCode !== null || child.signalCode !== null) resolve()
        child.stdin.write('open\n')
      })
      clearTimeout(limit)
    }
    // without a writer nothing can be verified: the store is closed, or its writer died
    listener.whileNothingIsWritten(open).catch(() => verification.stop())
  })
  return verification
}

type Child = ChildProcessByStdio<Writable, Readable, null>

function start(
  folder: string,
  pace: 'at full speed' | 'in the background',
  listener: VerifyListener,
  step: (message: 'ready' | 'opened', child: Child) => void,
): RunningVerification {
  const script = fileURLToPath(threadUrl(import.meta.url, './verify-child.ts'))
  const child = spawn(process.execPath, [script, folder, pace], { stdio: ['pipe', 'pipe', 'ignore'] })
  const found = { checked: 0, damages: 0 }
  let [isDone, isStopped] = [false, false]
  let [refused, failed]: (string | undefined)[] = []
  const damage = (reporter: Damage): void => {
    found.damages++
    listener.damage(reporter)
  }
  const silent = (): void => {
    failed = `it said nothing for ${PROBE_MS / 1000} s`
    child.kill('SIGKILL')
  }
  const silence = setTimeout(contained('the silence of the child process', silent), PROBE_MS).unref()
  const heard = (line: string): void => {
    silence.refresh()
    const message = JSON.parse(line) as FromVerifyChild // a child that is killed may leave half a line
    if ('ready' in message) step('ready', child)
    else if ('opened' in message) step('opened', child)
    else if ('refused' in message) refused = message.refused
    else if ('failed' in message) failed = message.failed
    else if ('what' in message) damage(toDamage(message.log ?? undefined, message.what, message.reason))
    else {
      found.checked = message.checked
      isDone = message.done ?? false
      listener.progress(message.checked, message.total)
    }
  }
  createInterface({ input: child.stdout }).on('line', contained('a line of the child process', heard))
  child.stdin.on('error', () => undefined) // the child has already ended
  const ended = new Promise<(Verified & { readonly refused?: string }) | undefined>((resolve, reject) => {
    child.on('error', reject)
    const closed = (code: number | null, signal: string | null): void => {
      clearTimeout(silence)
      const end = { code, signal }
      const isWhole = isDone || refused !== undefined || found.damages > 0
      if (isStopped && !isDone) resolve(undefined)
      else if (isWhole || isFault(end)) {
        if (!isWhole) damage(toDamage(undefined, dataFolder(folder), endText(end)))
        resolve({ ...found, ...(refused === undefined ? {} : { refused }) })
      } else reject(unfinished(dataFolder(folder), failed ?? endText(end)))
    }
    child.on('close', contained('the end of the child process', closed, reject))
  })
  const stop = (): void => {
    isStopped = true
    child.stdin.end()
  }
  return { ended, stop }
}

function toDamage(log: LogId | undefined, what: string, reason: string): Damage {
  return { log, error: new ZerohopError('DATA_DAMAGED', { what, reason }) }
}
