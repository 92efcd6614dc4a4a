// What a command shows on a terminal while it does something long: what it does, and for how long or how much of it.
// Nothing elsewhere, and never on standard output, which is for results.
import { setTimeout as sleep } from 'node:timers/promises'
import { SingleBar } from 'cli-progress'
import { PROGRESS_AFTER_MS } from '../../model/limits.ts'

/** Runs the work; when it takes long, a line on the terminal says so until it is done. */
export async function withProgress<T>(what: string, run: () => Promise<T>): Promise<T> {
  if (process.stderr.isTTY !== true) return run()
  const done = new AbortController()
  const bar = new SingleBar({
    format: `${what} {duration_formatted}`,
    stream: process.stderr,
    clearOnComplete: true,
    hideCursor: false,
    linewrap: null,
  })
  const shown = sleep(PROGRESS_AFTER_MS, undefined, { signal: done.signal, ref: false })
    .then(() => bar.start(1, 0))
    .catch(() => undefined) // done before
  try {
    return await run()
  } finally {
    done.abort()
    await shown
    bar.stop()
  }
}

/** The rows, with a line on the terminal that counts them when reading them takes long. */
export async function* counting<R>(what: string, rows: AsyncIterable<R>): AsyncGenerator<R> {
  const begun = performance.now()
  let counter: Counter | undefined
  let read = 0
  try {
    for await (const row of rows) {
      read++
      if (counter === undefined && performance.now() - begun > PROGRESS_AFTER_MS) counter = startCounter(what, 0)
      counter?.set(read)
      yield row
    }
  } finally {
    counter?.end()
  }
}

/** How much is done of something. */
export interface Counter {
  /** @param more how much more is done */
  add(more: number): void
  /** @param done how much is done in all */
  set(done: number): void
  end(): void
}

/** @param total 0 when it is not known: then only what is done is shown */
export function startCounter(what: string, total: number): Counter {
  if (process.stderr.isTTY !== true) return { add: () => undefined, set: () => undefined, end: () => undefined }
  const format = total > 0 ? `${what} [{bar}] {percentage} %, {eta_formatted} left` : `${what}: {value}`
  const options = { format, stream: process.stderr, clearOnComplete: true, hideCursor: false, linewrap: null }
  const bar = new SingleBar(options)
  bar.start(total, 0)
  return { add: (more) => bar.increment(more), set: (done) => bar.update(done), end: () => bar.stop() }
}
