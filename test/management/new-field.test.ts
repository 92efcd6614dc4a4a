// What CONTRIBUTING.md writes about a field of tenants holds: one line in src/kinds/tenant.ts, and it can be sent, is
// answered, exported, planned, applied and described. Asked of a copy of the build with that line.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../support/folders.ts'
import { otherBuild } from '../support/other-build.ts'
import { FIELD } from './field-of-tenants.ts'

type Server = typeof import('../../src/server.ts')
type PlainSchemas = typeof import('../../src/management/schemas/plain-kinds.ts')
type PolicyFileSchema = typeof import('../../src/management/schemas/policy-file.ts')

const TENANTS = '/v2/facts/default/development/tenants'

describe('one line in the fields of tenants', () => {
  let copy: string
  let close: () => Promise<void>
  let ask: (method: string, path: string, body?: unknown) => Promise<{ status: number; body: Record<string, unknown> }>
  const load = <M>(file: string): Promise<M> => import(pathToFileURL(join(copy, file)).href)

  beforeAll(async () => {
    copy = await otherBuild(FIELD)
    const { managementServer, openManagement, readKeys } = await load<Server>('server.js')
    const data = join(temporaryFolder('new-field'), 'data')
    const management = await openManagement({ data })
    const app = managementServer(management)
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    const authorization = `Bearer ${readKeys(data)?.organization}`
    ask = async (method, path, body) => {
      const headers = { authorization, 'content-type': 'application/json' }
      const sent = body === undefined ? {} : { body: JSON.stringify(body) }
      const answer = await fetch(url + path, { method, headers, ...sent })
      const text = await answer.text()
      return { status: answer.status, body: text === '' ? {} : JSON.parse(text) }
    }
    close = async () => {
      await app.close()
      await management.store.close()
    }
  })
  afterAll(() => close())

  it('makes it sent, answered, changed and reset', async () => {
    expect((await ask('POST', TENANTS, { key: 'acme', website: 'https://acme.example' })).body).toMatchObject({
      key: 'acme',
      website: 'https://acme.example',
    })
    expect((await ask('PATCH', `${TENANTS}/acme`, { website: 'https://acme.test' })).body.website).toBe(
      'https://acme.test',
    )
    expect((await ask('GET', `${TENANTS}/acme`)).body.website).toBe('https://acme.test')
    expect((await ask('PUT', `${TENANTS}/acme`, { name: 'Acme' })).body).toMatchObject({ name: 'Acme', website: null })
    expect((await ask('PATCH', `${TENANTS}/acme`, { website: 5 })).status).toBe(422)
  })

  it('is null in the answer about a tenant that was stored before there was the field', async () => {
    const { body } = await ask('GET', `${TENANTS}/default`)
    expect(body.website).toBeNull()
  })

  it('is exported, and a plan sees and applies a change of it', async () => {
    await ask('PATCH', `${TENANTS}/acme`, { website: 'https://acme.example' })
    const exported = await ask('GET', '/v2/projects/default/envs/development/export?facts=true')
    expect(exported.body.tenants).toContainEqual({ key: 'acme', name: 'Acme', website: 'https://acme.example' })
    const policy = { zerohop: 2, tenants: [{ key: 'acme', name: 'Acme', website: 'https://acme.new' }] }
    const plan = await ask('POST', '/v2/projects/default/envs/development/plan', { policy })
    expect(JSON.stringify(plan.body.changes)).toContain('https://acme.new')
    expect((await ask('GET', `${TENANTS}/acme`)).body.website).toBe('https://acme.example')
    const { status } = await ask('POST', '/v2/projects/default/envs/development/apply', { policy })
    expect(status).toBe(200)
    expect((await ask('GET', `${TENANTS}/acme`)).body.website).toBe('https://acme.new')
  })

  it('is in the schemas of bodies, answers and policy files', async () => {
    const { PLAIN_SCHEMAS } = await load<PlainSchemas>('management/schemas/plain-kinds.js')
    const { create, update, replace, answer } = PLAIN_SCHEMAS.tenant
    for (const { properties } of [create, update, replace, answer]) expect(Object.keys(properties)).toContain('website')
    expect(JSON.stringify(create.properties)).toContain('home page of the tenant')
    const { PolicyFile } = await load<PolicyFileSchema>('management/schemas/policy-file.js')
    expect(JSON.stringify(PolicyFile.properties.tenants)).toContain('home page of the tenant')
  })
})
