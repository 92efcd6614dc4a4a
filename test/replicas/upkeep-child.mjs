// A replica as a process of its own, for tests that kill it: it looks for what is due all the time.
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { openManagementData } from '../../dist/src/management/host/open.js'
import { applyRetention } from '../../dist/src/management/host/retention.js'

const { url, data, secretsKey, snapshotEntries } = JSON.parse(process.argv[2])
const settings = { url, replica: randomUUID(), version: 'test', snapshotEntries }
const replica = { settings, secretsKey: Buffer.from(secretsKey, 'hex') }
const { store } = await openManagementData({ data, newId: () => randomUUID().replaceAll('-', ''), replica })
for (;;) {
  await applyRetention(store, {}, Date.now())
  await pause(50)
}
