// One environment or organization is damaged on disk: it is refused, everything else goes on, and a damaged environment
// can be deleted. Over HTTP.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { withoutRequest } from '../../src/log/change.ts'
import { applyRetention } from '../../src/management/host/retention.ts'
import { type Management, managementServer, openManagement, pooledPdpServer } from '../../src/server.ts'
import { verifyData } from '../../src/store/verify-data.ts'
import { overwrite } from '../support/damage.ts'
import { temporaryFolder } from '../support/folders.ts'

const BY = withoutRequest('test')

/** A folder whose development and production hold a user each that may read, and keys of both. */
async function folder() {
  const data = temporaryFolder('damage')
  const management = await openManagement({ data, noExample: true })
  const { store, organization } = management
  for (const environment of [...store.view(organization).list('environment')]) {
    const log = environment.id
    await store.commit(log, 'createResource', { key: 'doc', name: 'Doc', actions: { read: {} } }, BY)
    await store.commit(log, 'createRole', { key: 'reader', name: 'Reader', permissions: ['doc:read'] }, BY)
    const key = `eve1-${environment.environment}`
    await store.commit(log, 'createUser', { key }, BY)
    await store.commit(log, 'assign', { user: key, role: 'reader', tenant: 'default' }, BY)
  }
  await store.close()
  return data
}

async function opened(data: string): Promise<Management> {
  const management = await openManagement({ data })
  onTestFinished(() => management.store.close())
  return management
}

const keysIn = (data: string): { organization: string; environments: Record<string, string> } =>
  JSON.parse(readFileSync(join(data, 'keys.json'), 'utf8'))

/** A function that asks the PDP of an environment whether a user may read. */
function makeCheck(management: Management, data: string) {
  const app = pooledPdpServer(management)
  onTestFinished(async () => void (await app.close()))
  return async (environment: string, user: string) => {
    const { statusCode, body } = await app.inject({
      method: 'POST',
      url: '/allowed',
      headers: { authorization: `Bearer ${keysIn(data).environments[environment]}` },
      payload: { user: { key: user }, action: 'read', resource: { type: 'doc', tenant: 'default' } },
    })
    return statusCode === 200 ? JSON.parse(body).allow : `${statusCode} ${body}`
  }
}

describe('a stored assignment with one changed byte', () => {
  it('allows nobody: its environment answers 503, the other decides, and it can be deleted', async () => {
    const data = await folder()
    expect(overwrite(data, '"user":"eve1-development","role"', '"user":"eve3-development","role"')).toBeGreaterThan(0)
    const management = await opened(data)
    const allowed = makeCheck(management, data)
    for (const user of ['eve1-development', 'eve3-development'])
      expect(await allowed('development', user)).toMatch(/^503 .*role assignment \d+ in table objects_role_assignment/)
    expect(await allowed('production', 'eve1-production')).toBe(true)
    expect(await allowed('production', 'eve3-production')).toBe(false)

    const api = managementServer(management)
    onTestFinished(async () => void (await api.close()))
    const headers = { authorization: `Bearer ${keysIn(data).organization}` }
    const listed = await api.inject({ url: '/v2/facts/default/development/role_assignments', headers })
    expect(listed.statusCode).toBe(503)
    const deleted = await api.inject({ method: 'DELETE', url: '/v2/projects/default/envs/development', headers })
    expect(deleted.statusCode).toBe(204)
    await applyRetention(management.store, {}, Date.now())
    expect(await allowed('production', 'eve1-production')).toBe(true)
    await api.close()
    await management.store.close()
    const found: string[] = []
    await verifyData(data, { damage: (text) => found.push(text) })
    // The log of the environment stays for history; the state is gone.
    expect(found.filter((text) => !text.includes('table log'))).toEqual([])
  })
})

describe('a control log that is damaged', () => {
  it('stops its organization and no other', async () => {
    const data = await folder()
    const before = await openManagement({ data })
    const organizationKey = `permit_key_${'k'.repeat(64)}`
    const second = { organization: 'second', name: 'Second Limited', noExample: true, organizationKey }
    await before.store.commit('5'.repeat(32), 'bootstrap', second, BY)
    await before.store.close()
    expect(overwrite(data, '"name":"Second Limited"', '"name":"Second Limitex"')).toBeGreaterThan(0)
    const management = await opened(data)
    const api = managementServer(management)
    onTestFinished(async () => void (await api.close()))
    const projects = (key: string) => api.inject({ url: '/v2/projects', headers: { authorization: `Bearer ${key}` } })
    expect((await projects(keysIn(data).organization)).statusCode).toBe(200)
    const refused = await projects(organizationKey)
    expect([refused.statusCode, refused.json().message]).toEqual([503, expect.stringContaining('organization `5555')])
    expect(await makeCheck(management, data)('production', 'eve1-production')).toBe(true)
  })

  it('of the only organization refuses to start, and never makes another one', async () => {
    const data = await folder()
    expect(overwrite(data, '"key":"default/development"', '"key":"default/develupment"')).toBeGreaterThan(0)
    const refused = { code: 'DATA_DAMAGED', message: expect.stringContaining('environment') }
    for (let time = 0; time < 2; time++) await expect(openManagement({ data })).rejects.toMatchObject(refused)
  })
})
