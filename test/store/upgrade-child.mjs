// Child process of the upgrade test: opens a folder and says how far its upgrade is, until it is killed or done.
import { writeSync } from 'node:fs'
import { openStore } from '../../dist/src/store/store.js'

const writerThread = new URL('./writer-thread.mjs', import.meta.url)
const upgrading = (done, total) => writeSync(1, `${done}/${total}\n`)
const store = await openStore({ data: process.argv[2], writerThread, upgrading })
await store.close()
