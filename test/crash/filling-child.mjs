// Child process of the full-disk test: writes until the disk refuses, tries again with less, and tells in one line of
// JSON what happened. It also survives being told to wait until room is made (a line on its input), and then writes on.
import { once } from 'node:events'
import { openStore } from '../../dist/src/store/store.js'

const [data, mode] = process.argv.slice(2)
const LOG = '1'.repeat(32)
const BY = { api_key_id: null, request_id: null, address: null, method: null, path: null, operation: 'fill' }
const writerThread = new URL('../store/writer-thread.mjs', import.meta.url)
const store = await openStore({ data, writerThread })

const acknowledged = []
const refusals = new Set()
async function fill(bytes) {
  const batch = await Promise.allSettled(Array.from({ length: 4 }, () => store.commit(LOG, 'fill', { bytes }, BY)))
  for (const { status, value, reason } of batch) {
    if (status === 'fulfilled') acknowledged.push(value.result)
    else refusals.add(reason.code)
  }
  return batch.filter(({ status }) => status === 'rejected').length
}

let refusedTogether = 0
while (refusedTogether === 0) refusedTogether = await fill(20_000)
await fill(20_000)
const readable = store.view(LOG).count('user')
if (mode === 'wait') {
  process.stdout.write('full\n')
  await once(process.stdin, 'data')
  process.stdin.destroy()
}
const later = mode === 'wait' ? await fill(20_000) : undefined
process.stdout.write(`${JSON.stringify({ acknowledged, refusals: [...refusals], refusedTogether, readable, later })}\n`)
await store.close()
