// Someone deletes an environment that is in use: no log reports this as an error.
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folders.ts'
import { freePort, readKeys, Server, url } from '../support/server.ts'

const WARN = 40

it.each([
  ['one process', {}],
  ['two workers', { PDP_WORKERS: '2' }],
])('neither `serve` nor a PDP that follows logs an error or a warning: %s', async (_, workers) => {
  const data = temporaryFolder('deleted')
  const [api, own, follower] = [await freePort(), await freePort(), await freePort()]
  const serve = new Server('serve', { ZEROHOP_DATA: data, ZEROHOP_API_PORT: `${api}`, PDP_PORT: `${own}` })
  await serve.until(async () => (await fetch(`${url(api)}/ready`)).ok)
  const keys = readKeys(data)
  const pdp = new Server('pdp', {
    ...workers,
    ZEROHOP_DATA: join(data, 'pdp'),
    PDP_PORT: `${follower}`,
    PDP_API_KEY: keys.environments.development,
    PDP_CONTROL_PLANE: url(api),
  })
  await pdp.until(async () => (await fetch(`${url(follower)}/ready`)).ok)
  const headers = { authorization: `Bearer ${keys.environments.development}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ user: { key: 'ana' }, action: 'say', resource: { type: 'hello' } })
  const check = async (port: number) => (await fetch(`${url(port)}/allowed`, { method: 'POST', headers, body })).status
  expect([await check(own), await check(follower)]).toEqual([200, 200])
  const before = [serve.output.length, pdp.output.length]

  const authorization = `Bearer ${keys.organization}`
  const environment = `${url(api)}/v2/projects/default/envs/development`
  expect((await fetch(environment, { method: 'DELETE', headers: { authorization } })).status).toBe(204)
  await eventually(() => pdp.output.includes('the environment was deleted'), true)
  await eventually(() => check(follower), 503)
  expect(await serve.end()).toBe(0)
  await pdp.end()

  const logged = [serve.output.slice(before[0]), pdp.output.slice(before[1])].flatMap((output) =>
    output.split('\n').filter((line) => line.startsWith('{') && JSON.parse(line).level >= WARN),
  )
  // a check that could not be decided is logged once a minute
  expect(logged.filter((line) => !line.includes('"request_id"'))).toEqual([])
})
