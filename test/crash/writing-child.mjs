// Child process of the crash test: many writers at once on one folder. Says what was acknowledged, at once and on its
// own, so that nothing of it is lost when the process is killed.
import { writeSync } from 'node:fs'
import { openStore } from '../../dist/src/store/store.js'

const [data, round] = process.argv.slice(2)
const writerThread = new URL('../store/writer-thread.mjs', import.meta.url)
const store = await openStore({ data, writerThread })
const by = { api_key_id: null, request_id: null, address: null, method: null, path: null, operation: 'crash' }

async function write(writer) {
  for (let step = 0; ; step++) {
    const key = `r${round}-w${writer}-${step}`
    const { revision } = await store.commit('1'.repeat(32), 'createMember', { key }, by)
    writeSync(1, `${key} ${revision}\n`)
  }
}

await Promise.all(Array.from({ length: 32 }, (_, writer) => write(writer)))
