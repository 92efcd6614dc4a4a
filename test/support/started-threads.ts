// The worker threads that this process starts from now on, so that a test can end one in the middle of its work.
// Threads that a worker starts itself are not among them.
import { createRequire, syncBuiltinESMExports } from 'node:module'
import type { Worker } from 'node:worker_threads'

const threads = createRequire(import.meta.url)('node:worker_threads') as typeof import('node:worker_threads')

/** In the order of their start. `stop` puts back what the process had before. */
export function watchThreads(): { readonly started: Worker[]; stop(): void } {
  const started: Worker[] = []
  const before = threads.Worker
  class WatchedWorker extends before {
    constructor(...args: ConstructorParameters<typeof Worker>) {
      super(...args)
      started.push(this)
    }
  }
  const put = (worker: typeof Worker): void => {
    Object.assign(threads, { Worker: worker })
    syncBuiltinESMExports()
  }
  put(WatchedWorker)
  return { started, stop: () => put(before) }
}
