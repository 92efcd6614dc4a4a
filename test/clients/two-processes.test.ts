// `zerohop api` and `zerohop pdp` as two processes: a write becomes visible, the PDP answers without the API, and
// catches up with it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folders.ts'
import { apiHere } from '../support/serve-here.ts'
import { endServers, freePort, readKeys, type Server, startApi, startPdp, url } from '../support/server.ts'

describe('a PDP of another process', () => {
  const data = temporaryFolder('api')
  let apiPort: number
  let pdpPort: number
  let key: string
  let api: Server
  let facts: string

  const call = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${url(apiPort)}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    expect(response.ok, `${method} ${path}: ${response.status} ${text}`).toBe(true)
    return text === '' ? undefined : JSON.parse(text)
  }
  const allowed = async (user: string, action: string) => {
    const response = await fetch(`${url(pdpPort)}/allowed`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ user: { key: user }, action, resource: { type: 'hello', tenant: 'default' } }),
    })
    expect(response.status).toBe(200)
    return ((await response.json()) as { allow: boolean }).allow
  }

  beforeAll(async () => {
    apiPort = await freePort()
    pdpPort = await freePort()
    api = await startApi(data, apiPort)
    key = readKeys(data).environments.development
    await startPdp(temporaryFolder('pdp'), pdpPort, key, apiPort)
    const scope = (await call('GET', '/v2/api-key/scope')) as { project_id: string; environment_id: string }
    facts = `/v2/facts/${scope.project_id}/${scope.environment_id}`
    const schema = `/v2/schema/${scope.project_id}/${scope.environment_id}`
    await call('POST', `${schema}/resources`, { key: 'hello', name: 'Hello', actions: { say: {}, wave: {} } })
    await call('POST', `${schema}/roles`, { key: 'viewer', name: 'Viewer', permissions: ['hello:wave'] })
  })
  afterAll(endServers)

  it('sees a write', async () => {
    expect(await allowed('ana', 'wave')).toBe(false)
    await call('POST', `${facts}/users`, { key: 'ana' })
    await call('POST', `${facts}/role_assignments`, { user: 'ana', role: 'viewer', tenant: 'default' })
    await eventually(() => allowed('ana', 'wave'), true)
    expect(await allowed('ana', 'say')).toBe(false)
  })

  it('keeps answering when the API is killed', async () => {
    await api.end('SIGKILL')
    for (let asked = 0; asked < 20; asked++) {
      expect(await allowed('ana', 'wave')).toBe(true)
      expect(await allowed('ana', 'say')).toBe(false)
    }
  })

  it('catches up when the API is back', async () => {
    await apiHere(data, apiPort)
    await call('POST', `${facts}/users`, { key: 'ben' })
    await call('POST', `${facts}/role_assignments`, { user: 'ben', role: 'viewer', tenant: 'default' })
    await call('DELETE', `${facts}/users/ana`)
    await eventually(() => allowed('ben', 'wave'), true)
    await eventually(() => allowed('ana', 'wave'), false)
  })
})
