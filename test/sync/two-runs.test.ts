// A plan that was made while another run wrote is not written, whether that run still holds the sync or has ended.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { createClient } from '../../src/client/management-client.ts'
import { readSyncFile } from '../../src/sync/file/sync-file.ts'
import { planDifferences } from '../../src/sync/make-plan.ts'
import { readSource } from '../../src/sync/read-source.ts'
import { SyncServer } from '../../src/sync/server.ts'
import { writePlan } from '../../src/sync/write-plan.ts'
import { temporaryFolder } from '../support/folders.ts'
import { apiHere } from '../support/serve-here.ts'
import { endServers, freePort, readKeys, url } from '../support/server.ts'

afterAll(endServers)

it('a plan that was made while another run wrote is not written', async () => {
  const folder = temporaryFolder('two-runs')
  const port = await freePort()
  await apiHere(join(folder, 'data'), port)
  const apiKey = readKeys(join(folder, 'data')).environments.development!
  const client = createClient({ url: url(port), apiKey })
  const path = { p: 'default', e: 'development' }
  const server = new SyncServer({ client, url: url(port), apiKey, path, name: 'app' })
  const [source, ...runs] = ['a', 'b', 'c', 'd'].map((digit) => digit.repeat(32))
  const [first, second, third] = runs as [string, string, string]
  writeFileSync(join(folder, 'users.ndjson'), '{"key":"ana"}\n{"key":"ben"}\n')
  const { file } = readSyncFile({
    name: 'sync.yaml',
    text: 'sync: 1\nsource: { ndjson: {} }\nowner: app\nusers: { file: users.ndjson }\n',
  })
  const plan = async (name: string) => {
    const temporary = join(folder, name)
    mkdirSync(temporary)
    return planDifferences(
      file!,
      await readSource(file!, { folder, temporary, variable: () => undefined, sqlite: undefined }),
      server,
      temporary,
    )
  }
  const put = (key: string) => ({ op: 'put', kind: 'user', item: { key } }) as const

  await server.lease(source!, first, false)
  const during = await plan('during')
  const refused = async () => writePlan(during, server, { source: source!, run: second })
  await expect(refused()).rejects.toMatchObject({ code: 'API_REFUSED', message: expect.stringContaining('holds sync') })
  await server.write(first, [put('eve')])
  await server.release(first)
  await expect(refused()).rejects.toMatchObject({ code: 'SYNC_PLAN_STALE' })
  expect((await server.find())?.lease).toBe(null)
  const { counts } = await writePlan(await plan('after'), server, { source: source!, run: third })
  expect(counts).toMatchObject({ created: 2, deleted: 1 })
})
