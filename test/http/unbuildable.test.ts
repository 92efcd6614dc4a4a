// An environment whose objects no image can hold, because one names another that is not stored: it answers 503 and says
// why, the others go on.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type FollowerEvent,
  type Management,
  managementServer,
  openManagement,
  pooledPdpServer,
  readKeys,
} from '../../src/server.ts'
import { BY, openWithTestUseCases } from '../store/support.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folders.ts'

const LOCAL = { host: '127.0.0.1', port: 0 }

describe('an environment that cannot be built', () => {
  const data = temporaryFolder('unbuildable')
  const events: FollowerEvent[] = []
  let management: Management
  let api: string
  let pdp: string
  let app: ReturnType<typeof pooledPdpServer>
  let managing: ReturnType<typeof managementServer>
  beforeAll(async () => {
    const first = await openManagement({ data })
    const production = first.store.view(first.organization).require('environment', 'default/production')
    await first.store.close()
    // A use case of the tests assigns roles without looking whether they are there, as damage on disk could.
    const store = await openWithTestUseCases(data)
    await store.commit(production.id, 'createMember', { key: 'eve' }, BY)
    await store.close()
    management = await openManagement({ data })
    app = pooledPdpServer(management, { onEvent: (event) => events.push(event) })
    managing = managementServer(management)
    pdp = await app.listen(LOCAL)
    api = await managing.listen(LOCAL)
  })
  afterAll(async () => {
    await app.close()
    await managing.close()
    await management.store.close()
  })

  const key = (environment: string) => readKeys(data)?.environments[environment] ?? ''
  async function ask(environment: string, user = 'ana') {
    const headers = { authorization: `Bearer ${key(environment)}`, 'content-type': 'application/json' }
    const question = { user: { key: user }, action: 'say', resource: { type: 'hello' } }
    const response = await fetch(`${pdp}/allowed`, { method: 'POST', headers, body: JSON.stringify(question) })
    return { status: response.status, body: await response.json() }
  }

  it('answers 503 with its reason, while others are answered', async () => {
    const answers = await Promise.all([ask('production'), ask('development')])
    const detail = expect.stringContaining('role `admin` of an assignment does not exist')
    expect(answers).toMatchObject([
      { status: 503, body: { detail } },
      { status: 200, body: { allow: true } },
    ])
    expect(events).toContainEqual(expect.objectContaining({ event: 'trouble', retryMs: expect.any(Number) }))
  })

  it('is managed meanwhile, and answers by itself when what was missing is there', async () => {
    const headers = { authorization: `Bearer ${key('production')}`, 'content-type': 'application/json' }
    for (const role of ['admin', 'viewer']) {
      const body = JSON.stringify({ key: role, name: role })
      const url = `${api}/v2/schema/default/production/roles`
      expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(200)
    }
    await eventually(async () => (await ask('production')).status, 200)
  })
})
