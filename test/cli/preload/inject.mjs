// For a process that is started with it (NODE_OPTIONS=--import): on SIGUSR2 it meets what nobody handles, as INJECT
// says: a `rejection` or an `exception`, in `main` or in the `writer` thread. With INJECT_WHEN as soon as there is such
// a file, in each process that was started along.
import { existsSync } from 'node:fs'
import { isMainThread, workerData } from 'node:worker_threads'

const [what, where] = (process.env.INJECT ?? '').split(' in ')
const here = isMainThread ? 'main' : workerData?.secretsKey === undefined ? 'other' : 'writer'

function meet() {
  const error = new Error('injected, on the way with Bearer permit_key_SECRET1', {
    cause: new Error(`the deeper reason: ${process.env.PDP_API_KEY}`),
  })
  if (what === 'rejection') void Promise.reject(error)
  else
    setImmediate(() => {
      throw error
    })
}

// Threads hear no signals: the main thread passes them on.
const channel = new BroadcastChannel('inject')
channel.unref()
if (isMainThread) process.on('SIGUSR2', () => (where === 'main' ? meet() : channel.postMessage('meet')))
else if (here === where) channel.onmessage = meet
if (process.env.INJECT_WHEN && here === where) {
  const timer = setInterval(() => {
    if (!existsSync(process.env.INJECT_WHEN)) return
    clearInterval(timer)
    meet()
  }, 10)
}
