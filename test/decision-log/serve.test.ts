// `zerohop serve` with two sinks at once: the lines on stdout, and the management API of the same process, which lists
// them.
import { afterAll, expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folders.ts'
import { endServers, freePort, readKeys, Server, url } from '../support/server.ts'

afterAll(endServers)

it('zerohop serve writes decisions to stdout and keeps them, with the key that asked', async () => {
  const data = temporaryFolder('decisions')
  const [api, pdp] = [await freePort(), await freePort()]
  const server = new Server('serve', {
    ZEROHOP_DATA: data,
    ZEROHOP_API_PORT: String(api),
    PDP_PORT: String(pdp),
    PDP_DECISION_LOG: 'stdout,api',
  })
  await server.until(async () => (await fetch(`${url(pdp)}/ready`)).ok)
  const key = readKeys(data).environments.development
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  for (const user of ['ana', 'ben']) {
    const body = JSON.stringify({ user: { key: user }, action: 'say', resource: { type: 'hello' } })
    expect((await fetch(`${url(pdp)}/allowed`, { method: 'POST', headers, body })).status).toBe(200)
  }
  const kept = async () => {
    const answer = await fetch(`${url(api)}/v2/pdps/default/development/audit_logs`, { headers })
    const { data: rows } = (await answer.json()) as { data: { user_key: string; decision: boolean }[] }
    return rows.map(({ user_key, decision }) => [user_key, decision])
  }
  await eventually(kept, [
    ['ben', false],
    ['ana', true],
  ])
  const lines = () => server.output.split('\n').filter((line) => line.startsWith('{"instance":'))
  await eventually(() => lines().length, 2)
  const [first, second] = lines().map((line) => JSON.parse(line))
  expect([first, second]).toMatchObject([
    { seq: 1, user: 'ana', decision: true },
    { seq: 2, user: 'ben', decision: false },
  ])
  expect(first.api_key).toMatch(/^[0-9a-f]{32}$/)
  expect(server.output).not.toContain(key)
  expect(await server.end()).toBe(0)

  // without the variable it keeps them too, and says nothing on stdout
  const again = new Server('serve', { ZEROHOP_DATA: data, ZEROHOP_API_PORT: String(api), PDP_PORT: String(pdp) })
  await again.until(async () => (await fetch(`${url(pdp)}/ready`)).ok)
  const body = JSON.stringify({ user: { key: 'cas' }, action: 'say', resource: { type: 'hello' } })
  expect((await fetch(`${url(pdp)}/allowed`, { method: 'POST', headers, body })).status).toBe(200)
  await eventually(async () => (await kept())[0], ['cas', false])
  expect(again.output).not.toContain('{"instance":')
  expect(await again.end()).toBe(0)
})
