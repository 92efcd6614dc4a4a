// Ticks at the moments at which a paced load is due. They come from a thread that sleeps until each: a timer of the
// event loop may be a millisecond late, and looking at the clock again and again would take from the server the core
// that it needs.
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'

/**
 * Calls `tick` with the moment (of performance.now()) at which each of `total` requests is due, `perSecond` of them a
 * second; ends after the last. A tick that comes late tells the moment that it was due, so that what was late counts.
 */
export function everyTick({ perSecond, total }, tick) {
  const thread = new Worker(new URL(import.meta.url), { workerData: { perSecond, total } })
  return new Promise((resolve, reject) => {
    let start
    thread.once('message', (startNs) => {
      start = performance.now() - msSince(startNs)
      thread.on('message', (number) => tick(start + (number * 1000) / perSecond))
    })
    thread.once('error', reject)
    thread.once('exit', resolve)
  })
}

/** The clock that all threads share. */
const msSince = (ns) => Number(process.hrtime.bigint() - ns) / 1e6

if (!isMainThread && workerData?.perSecond !== undefined) {
  const { perSecond, total } = workerData
  const cell = new Int32Array(new SharedArrayBuffer(4))
  const startNs = process.hrtime.bigint()
  parentPort.postMessage(startNs)
  for (let number = 0; number < total; number++) {
    const waitMs = (number * 1000) / perSecond - msSince(startNs)
    if (waitMs > 0) Atomics.wait(cell, 0, 0, waitMs)
    parentPort.postMessage(number)
  }
}
