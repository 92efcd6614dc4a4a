// What a command shows on a terminal while it waits for something long: what it does, and for how long. Nothing
// elsewhere, and never on standard output, which is for results.
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
