// What CONTRIBUTING.md writes about a field of tenants holds: one line in src/kinds/tenant.ts, and it can be sent, is
// answered, exported, planned, applied and described. Asked of a copy of the build with that line.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FIELD } from './field-of-tenants.ts'
import { type ServedCopy, serveCopy } from './served-copy.ts'

type PlainSchemas = typeof import('../../src/management/schemas/plain-kinds.ts')
type PolicyFileSchema = typeof import('../../src/management/schemas/policy-file.ts')

const TENANTS = '/v2/facts/default/development/tenants'

describe('one line in the fields of tenants', () => {
  let copy: ServedCopy
  beforeAll(async () => {
    copy = await serveCopy(FIELD)
  })
  afterAll(() => copy.close())

  it('makes it sent, answered, changed and reset', async () => {
    expect((await copy.ask('POST', TENANTS, { key: 'acme', website: 'https://acme.example' })).body).toMatchObject({
      key: 'acme',
      website: 'https://acme.example',
    })
    expect((await copy.ask('PATCH', `${TENANTS}/acme`, { website: 'https://acme.test' })).body.website).toBe(
      'https://acme.test',
    )
    expect((await copy.ask('GET', `${TENANTS}/acme`)).body.website).toBe('https://acme.test')
    expect((await copy.ask('PUT', `${TENANTS}/acme`, { name: 'Acme' })).body).toMatchObject({
      name: 'Acme',
      website: null,
    })
    expect((await copy.ask('PATCH', `${TENANTS}/acme`, { website: 5 })).status).toBe(422)
  })

  it('is null in the answer about a tenant that was stored before there was the field', async () => {
    const { body } = await copy.ask('GET', `${TENANTS}/default`)
    expect(body.website).toBeNull()
  })

  it('is exported, and a plan sees and applies a change of it', async () => {
    await copy.ask('PATCH', `${TENANTS}/acme`, { website: 'https://acme.example' })
    const exported = await copy.ask('GET', '/v2/projects/default/envs/development/export?facts=true')
    expect(exported.body.tenants).toContainEqual({ key: 'acme', name: 'Acme', website: 'https://acme.example' })
    const policy = { zerohop: 2, tenants: [{ key: 'acme', name: 'Acme', website: 'https://acme.new' }] }
    const plan = await copy.ask('POST', '/v2/projects/default/envs/development/plan', { policy })
    expect(JSON.stringify(plan.body.changes)).toContain('https://acme.new')
    expect((await copy.ask('GET', `${TENANTS}/acme`)).body.website).toBe('https://acme.example')
    const { status } = await copy.ask('POST', '/v2/projects/default/envs/development/apply', { policy })
    expect(status).toBe(200)
    expect((await copy.ask('GET', `${TENANTS}/acme`)).body.website).toBe('https://acme.new')
  })

  it('is in the schemas of bodies, answers and policy files', async () => {
    const { PLAIN_SCHEMAS } = await copy.load<PlainSchemas>('management/schemas/plain-kinds.js')
    const { create, update, replace, answer } = PLAIN_SCHEMAS.tenant
    for (const { properties } of [create, update, replace, answer]) expect(Object.keys(properties)).toContain('website')
    expect(JSON.stringify(create.properties)).toContain('home page of the tenant')
    const { PolicyFile } = await copy.load<PolicyFileSchema>('management/schemas/policy-file.js')
    expect(JSON.stringify(PolicyFile.properties.tenants)).toContain('home page of the tenant')
  })
})
