// A sync knows a part of a user: it changes what it is given, and takes no restriction away. An attribute that a condition
// with `not` reads stays, and so does a suspension.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { inProcess, type Permissions } from '../../src/integration/permission-client.ts'
import { type Management, managementServer, openManagement, readKeys } from '../../src/server.ts'
import { temporaryFolder } from '../support/folders.ts'

let management: Management
let app: ReturnType<typeof managementServer>
let permissions: Permissions
let token = ''
beforeAll(async () => {
  const data = temporaryFolder('syncs')
  management = await openManagement({ data, noExample: false })
  app = managementServer(management)
  const apiUrl = await app.listen({ host: '127.0.0.1', port: 0 })
  token = readKeys(data)?.environments.development ?? ''
  permissions = await inProcess({ token, apiUrl, pdpUrl: '' })
})
afterAll(async () => {
  await permissions.close()
  await app.close()
  await management.store.close()
})

const USERS = '/v2/facts/default/development/users'
const ask = async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, payload?: object) => {
  const headers = { authorization: `Bearer ${token}` }
  const answer = await app.inject({ method, url, headers, ...(payload && { payload }) })
  expect([url, answer.statusCode < 300 ? 200 : answer.body]).toEqual([url, 200])
  return answer.body === '' ? undefined : answer.json()
}
const kept = { attributes: { barred: true, level: 1 }, suspension: { reason: 'left' } }
const read = () => ask('GET', `${USERS}/ana`)

beforeEach(async () => {
  await ask('PUT', `${USERS}/ana`, { attributes: kept.attributes, email: 'ana@example.com' })
  await ask('PUT', `${USERS}/ana/suspension`, kept.suspension)
})

describe('a sync of a user who is there leaves what it does not name', () => {
  it('of the reference backend, which knows the key alone', async () => {
    await permissions.sync('ana')
    expect(await read()).toMatchObject({ ...kept, email: 'ana@example.com' })
  })

  it('of the first API version', async () => {
    await ask('PUT', '/v1/users', { key: 'ana', firstName: 'Ana', attributes: { level: 2 } })
    expect(await read()).toMatchObject({ ...kept, first_name: 'Ana', attributes: { barred: true, level: 2 } })
  })

  it('that puts the user into a tenant', async () => {
    const answer = await app.inject({
      method: 'POST',
      url: '/v2/facts/default/development/tenants/default/users',
      headers: { authorization: `Bearer ${token}` },
      payload: { key: 'ana', email: 'other@example.com', attributes: { level: 3 } },
    })
    expect([answer.statusCode, String(answer.headers.warning)]).toEqual([
      200,
      expect.stringContaining('is not changed'),
    ])
    await ask('PUT', '/v2/facts/default/development/tenants/default/users/ana')
    expect(await read()).toMatchObject({ ...kept, email: 'ana@example.com' })
  })

  it('and `on_duplicate=ignore` of one and of many', async () => {
    const sent = { key: 'ana', attributes: { level: 4 } }
    await ask('POST', `${USERS}?on_duplicate=ignore`, sent)
    await ask('POST', '/v2/facts/default/development/bulk/users?on_duplicate=ignore', { operations: [sent] })
    expect(await read()).toMatchObject(kept)
  })
})
