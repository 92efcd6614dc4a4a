// A thread of the tests of src/threads: does what it is asked.
import { threadId, workerData } from 'node:worker_threads'
import { ZerohopError } from '../../dist/src/model/errors.js'
import { sendEvent, serve, serveSlow } from '../../dist/src/threads/worker-host.js'

/** What a question may be, besides milliseconds after which it is answered. */
const DO = {
  throw: () => {
    setImmediate(() => JSON.parse('on its own'))
    return new Promise(() => {})
  },
  exit: () => process.exit(3),
  fail: () => {
    throw new ZerohopError('DISK_FAILED', { reason: 'worn' }, { path: ['body', 0], cause: new Error('of the disk') })
  },
  break: () => undefined.member,
  'fail without a clone': () => {
    throw new ZerohopError('DISK_FAILED', { reason: () => 'a function' })
  },
  'answer without a clone': () => () => 'a function',
  'send another message': () => import('node:worker_threads').then(({ parentPort }) => parentPort.postMessage('word')),
  'send an event': () => sendEvent({ what: 'event' }),
  bytes: () => new Uint8Array(8),
  'never answer': () => new Promise(() => setInterval(() => {}, 1000)),
}

const close = async () => {
  if (workerData?.closed !== undefined) Atomics.add(workerData.closed, 0, 1)
}
const transfer = (answer) => (answer instanceof Uint8Array ? [answer.buffer] : [])

if (workerData?.isFast) serve((question) => DO[question]?.() ?? [question, threadId], { close, transfer })
else
  serveSlow(
    async (question) => {
      if (typeof question === 'number') await new Promise((resolve) => setTimeout(resolve, question))
      return (await DO[question]?.()) ?? [question, threadId]
    },
    { close, transfer },
  )
