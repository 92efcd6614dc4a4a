// `zerohop pdps` against a management API in this process: what it prints.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { listPdps } from '../../src/cli/commands/pdps.ts'
import { type Env, readEnv } from '../../src/cli/configuration/env.ts'
import { managementServer, openManagement, readKeys } from '../../src/server.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folders.ts'
import { printedBy } from '../support/printed.ts'

const data = temporaryFolder('pdps-command')
let env: Env
let close: () => Promise<void>
let follow: (headers: Readonly<Record<string, string>>) => Promise<() => void>

beforeAll(async () => {
  const management = await openManagement({ data, noExample: true })
  const app = managementServer(management)
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const { store, organization } = management
  const { id } = store.view(organization).require('environment', 'default/development')
  const key = readKeys(data)!.environments.development!
  env = { ...readEnv({}), api: url, pdpApiKey: key }
  follow = async (headers) => {
    const { revision, chain } = store.head(id)
    const path = `/v2/feed/default/development/deltas?after=${revision}&chain=${chain}`
    const ending = new AbortController()
    await fetch(url + path, { headers: { ...headers, authorization: `Bearer ${key}` }, signal: ending.signal })
    return () => ending.abort()
  }
  close = async () => {
    await app.close()
    await store.close()
  }
})
afterAll(() => close())

const pdps = (options: object = {}) => printedBy(() => listPdps(env, options))

it('prints the PDPs as a table, stale ones first, and as JSON one in each line', async () => {
  expect(await pdps()).toBe('name  version  API  revision  behind  last seen  state\n')
  await follow({
    'x-pdp-instance': 'instance-1',
    'x-pdp-name': 'till%201',
    'x-pdp-version': '0.1.0',
    'x-pdp-api-version': '1',
    'x-pdp-revision': '1',
  })
  await follow({})
  const end = await follow({
    'x-pdp-instance': 'instance-2',
    'x-pdp-name': 'zebra',
    'x-pdp-version': '0.2.0',
    'x-pdp-api-version': '4',
  })
  end()
  await eventually(async () => (await pdps({ stale: true })).includes('not connected'), true)
  const lines = (await pdps()).trimEnd().split('\n')
  const time = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`
  expect(lines[0]).toMatch(/^name +version +API +revision +behind +last seen +state$/)
  expect(lines[1]).toMatch(new RegExp(`^zebra +0\\.2\\.0 +v2 +\\d+ \\(sent\\) +0 +${time} +not connected$`))
  expect(lines[2]).toMatch(new RegExp(`^unknown +unknown +unknown +\\d+ \\(sent\\) +0 +${time} +connected$`))
  expect(lines[3]).toMatch(new RegExp(`^till 1 +0\\.1\\.0 +v1 +1 +\\d+ +${time} +(connected|stale)$`))
  expect(lines).toHaveLength(4)
  const [one, ...more] = (await pdps({ stale: true, json: true })).trimEnd().split('\n')
  expect(JSON.parse(one!)).toMatchObject({ name: 'zebra', connected: false, stale: true })
  expect(more).toEqual([])
})
