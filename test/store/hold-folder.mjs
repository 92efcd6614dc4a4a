// Child process of the tests: opens a data folder, says so, and holds it until it is killed.
import { openStore } from '../../dist/src/store/store.js'

const store = await openStore({ data: process.argv[2], writerThread: new URL('./writer-thread.mjs', import.meta.url) })
await store.commit('1'.repeat(32), 'countUp', null, { operation: 'hold' })
process.stdout.write('open\n')
setInterval(() => undefined, 1_000)
