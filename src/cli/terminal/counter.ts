// What a command shows on a terminal while it works through something long: how much is done, and of how much. Nothing
// elsewhere, and never on standard output, which is for results.
import { SingleBar } from 'cli-progress'

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
