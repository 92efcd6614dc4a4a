// A replica as a process of its own: it announces what ends, from the first line on that it reads. It writes a line for each
// announcement; with `isSlow` it rests after each, so that a test can kill it between two.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { writeSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { announceAllEnding } from '../../dist/src/management/host/ending-upkeep.js'
import { openManagementData } from '../../dist/src/management/host/open.js'

const REST_MS = 60_000
const { url, data, secretsKey, noticeMs, isSlow } = JSON.parse(process.argv[2])
const replica = {
  settings: { url, replica: randomUUID(), version: 'test' },
  secretsKey: Buffer.from(secretsKey, 'hex'),
}
const { store } = await openManagementData({ data, newId: () => randomUUID().replaceAll('-', ''), replica })
writeSync(1, 'ready\n')
await once(process.stdin, 'data')
const announced = ({ count }) => {
  writeSync(1, `announced ${count}\n`)
  if (isSlow) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, REST_MS)
}
const failed = (error) => writeSync(1, `failed ${error}\n`)
for (;;) {
  await announceAllEnding(store, noticeMs, Date.now(), { announced, failed })
  await pause(20)
}
