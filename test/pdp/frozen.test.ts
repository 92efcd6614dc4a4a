// A process with a PDP of the library that is frozen for longer than its limit of staleness, with questions waiting,
// while the management side goes away: it answers none of them from its old image. Processes with a PDP server, and with
// workers, are in scripts/test-frozen.mjs.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { managementServer, openManagement, readKeys } from '../../src/server.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folders.ts'

const LIMIT_MS = 1_000
const CHILD = fileURLToPath(new URL('frozen-child.mjs', import.meta.url))

it('a frozen PDP answers nothing from before the freeze, and goes on when the management side is back', async () => {
  const data = temporaryFolder('frozen')
  const management = await openManagement({ data })
  let app = managementServer(management)
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const key = readKeys(data)?.environments.development ?? ''
  const child = fork(CHILD, [url, key, String(LIMIT_MS)])
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await app.close()
    await management.store.close()
  })
  const [port] = (await once(child, 'message')) as [number]
  const ask = async () => (await fetch(`http://127.0.0.1:${port}`)).text()
  // connections that are open already are read before any timer runs
  expect(new Set(await Promise.all(Array.from({ length: 50 }, ask)))).toEqual(new Set(['true']))
  child.kill('SIGSTOP')
  await app.close()
  const gone = performance.now()
  await eventually(() => performance.now() - gone > LIMIT_MS, true)
  const waiting = Array.from({ length: 50 }, ask)
  await eventually(() => performance.now() - gone > 2 * LIMIT_MS, true)
  child.kill('SIGCONT')
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(['STALE']))
  app = managementServer(management)
  await app.listen({ host: '127.0.0.1', port: Number(new URL(url).port) })
  await eventually(ask, 'true')
})
