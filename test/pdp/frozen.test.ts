// A process with a PDP of the library that is frozen, with questions waiting: for longer than its limit of staleness, while the
// management side goes away, it answers none of them from its old image; and none by what ended meanwhile. Processes with a PDP server, and with
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

/** The application in a process of its own, which follows a management API of this one; ana may. */
async function freezable(limitMs: number) {
  const data = temporaryFolder('frozen')
  const management = await openManagement({ data })
  const servers = [managementServer(management)]
  const url = await servers[0]!.listen({ host: '127.0.0.1', port: 0 })
  const key = readKeys(data)?.environments.development ?? ''
  const child = fork(CHILD, [url, key, String(limitMs)])
  onTestFinished(async () => {
    child.kill('SIGKILL')
    for (const server of servers) await server.close()
    await management.store.close()
  })
  const [port] = (await once(child, 'message')) as [number]
  const read = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text()
  const ask = () => read('/')
  const askMany = () => Promise.all(Array.from({ length: 50 }, ask))
  // connections that are open already are read before any timer runs
  expect(new Set(await askMany())).toEqual(new Set(['true']))
  const begin = async () => {
    const server = managementServer(management)
    servers.push(server)
    await server.listen({ host: '127.0.0.1', port: Number(new URL(url).port) })
  }
  return { url, key, child, read, ask, askMany, begin, end: () => servers[0]!.close() }
}

/** Waits by the clock of this machine: what is compared with it is an instant of a grant, or an age. */
const wait = (ms: number) => {
  const start = performance.now()
  return eventually(() => performance.now() - start > ms, true)
}

it('a frozen PDP answers nothing from before the freeze, and goes on when the management side is back', async () => {
  const { child, ask, askMany, begin, end } = await freezable(LIMIT_MS)
  child.kill('SIGSTOP')
  await end()
  await wait(LIMIT_MS)
  const waiting = askMany()
  await wait(LIMIT_MS)
  child.kill('SIGCONT')
  expect(new Set(await waiting)).toEqual(new Set(['STALE']))
  await begin()
  await eventually(ask, 'true')
})

it('[D15] a frozen PDP answers nothing by what ended in the freeze, with its image from before', async () => {
  const { url, key, child, read, askMany } = await freezable(60_000)
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const grants = `${url}/v2/facts/default/development/role_assignments`
  const [held] = (await (await fetch(`${grants}?user=ana`, { headers })).json()) as Record<string, unknown>[]
  const { user, role, tenant } = held!
  const until = Date.now() + 2 * LIMIT_MS
  const body = JSON.stringify({ user, role, tenant, valid_until: until })
  const written = await fetch(grants, { method: 'PUT', headers, body })
  expect(written.status).toBe(200)
  await eventually(() => read('/revision'), written.headers.get('x-revision') ?? '')
  child.kill('SIGSTOP')
  const waiting = askMany()
  await eventually(() => Date.now() > until, true)
  child.kill('SIGCONT')
  expect(new Set(await waiting)).toEqual(new Set(['false']))
})
