// kill -9 of a server while `zerohop import` sends facts as lines: the command waits for the server that comes back, and
// in the end each fact is there once, as after an import that nothing interrupted. Needs the build.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { temporaryFolder } from '../support/folders.ts'
import { runCommand } from '../support/run-command.ts'
import { endServers, freePort, readKeys, startApi, url } from '../support/server.ts'
import { startProxy } from '../support/tcp-proxy.ts'

const USERS = 30_000
/** Keys in the order of the file: what some of them begin with stands in a part of the middle and in no other. */
const toKey = (at: number) => `user-${String(at).padStart(5, '0')}`
const IN_THE_MIDDLE = '"user-15'
const line = (value: object) => `${JSON.stringify(value)}\n`

afterAll(endServers)

it('an import of facts goes on behind a server that was killed and started again', async () => {
  const folder = temporaryFolder('killed-import')
  const [data, file, port] = [join(folder, 'data'), join(folder, 'facts.ndjson'), await freePort()]
  const users = Array.from({ length: USERS }, (_, at) => line({ user: { key: toKey(at) } }))
  writeFileSync(file, line({ zerohop_facts: 1 }) + users.join(''))
  let server = await startApi(data, port)
  const proxy = await startProxy(port)
  const key = readKeys(data).environments.production
  const env = { ZEROHOP_API: proxy.through(url(port)), PDP_API_KEY: key }
  const count = async (): Promise<number> => {
    const path = '/v2/facts/default/production/users?include_total_count=true&per_page=1'
    const answer = await fetch(url(port) + path, { headers: { authorization: `Bearer ${key}` } })
    return (await answer.json()).total_count
  }

  // it is killed while parts before this one are written, and is away for the command until it was looked at
  const cut = proxy.cutAt(IN_THE_MIDDLE)
  const imported = runCommand(['import', file], env)
  await cut
  proxy.refuse()
  await server.end('SIGKILL')
  server = await startApi(data, port)
  const kept = await count()
  // whole parts are there, and not all of them: it was killed in the middle
  expect([kept % 1_000, kept > 0, kept < USERS]).toEqual([0, true, true])
  await proxy.accept()
  const { code, out, err } = await imported
  expect(code, err).toBe(0)
  expect(err).toContain('trying again in')
  // also what was written before an answer was lost is counted once
  expect(out).toMatch(/^30,000 facts: 30,000 created, 0 changed, /)
  expect(await count()).toBe(USERS)

  const again = await runCommand(['import', file, '--json'], env)
  expect(JSON.parse(again.out)).toMatchObject({ facts: USERS, created: 0, changed: 0 })
  proxy.close()
})
