// Loaded into both servers by `npm run soak` (node --import), in every thread of them: says over a socket what the
// process holds after a full collection, so that garbage which nobody has collected yet is not taken for a leak. A
// server that runs otherwise never loads it.
import { createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { BroadcastChannel, isMainThread, threadId } from 'node:worker_threads'

/** Milliseconds in which the other threads answer. */
const THREADS_MS = 250

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')
const heapNow = () => {
  collect()
  return process.memoryUsage().heapUsed
}

const threads = new BroadcastChannel('soak')
threads.unref()
if (isMainThread) {
  let heaps = new Map()
  threads.onmessage = ({ data }) => heaps.set(data.thread, data.heap)
  createServer(async (socket) => {
    socket.on('error', () => undefined)
    heaps = new Map()
    threads.postMessage('collect')
    await pause(THREADS_MS)
    heaps.set(threadId, heapNow())
    const heap = [...heaps.values()].reduce((sum, each) => sum + each, 0)
    socket.end(JSON.stringify({ heap, resident: process.memoryUsage.rss() }))
  })
    .listen(process.env.SOAK_PROBE)
    .unref()
} else {
  threads.onmessage = ({ data }) => {
    if (data === 'collect') threads.postMessage({ thread: threadId, heap: heapNow() })
  }
}
