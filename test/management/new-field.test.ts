// What CONTRIBUTING.md writes about a field of tenants holds: one line in src/kinds/tenant.ts, and it can be sent, is
// answered, exported, planned, applied and described. The same of what connects others: role assignments, tuples and
// memberships. Asked of a copy of the build with these lines.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FIELD, PAYLOADS } from './field-of-tenants.ts'
import { type ServedCopy, serveCopy } from './served-copy.ts'

type PlainSchemas = typeof import('../../src/management/schemas/plain-kinds.ts')
type PolicyFileSchema = typeof import('../../src/management/schemas/policy-file.ts')

const TENANTS = '/v2/facts/default/development/tenants'

let copy: ServedCopy
beforeAll(async () => {
  copy = await serveCopy({ ...FIELD, ...PAYLOADS })
})
afterAll(() => copy.close())

describe('one line in the fields of tenants', () => {
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

describe('one line in the fields of what connects others', () => {
  const FACTS = '/v2/facts/default/development'
  const ENVIRONMENT = '/v2/projects/default/envs/development'
  const exported = async () => (await copy.ask('GET', `${ENVIRONMENT}/export?facts=true`)).body
  const assigned = { user: 'cleo', role: 'viewer', tenant: 'globex' }
  const related = { subject: 'folder:top', relation: 'parent', object: 'folder:sub' }

  beforeAll(async () => {
    const policy = {
      zerohop: 2,
      resources: [{ key: 'folder', actions: { read: {} }, relations: { parent: 'folder' } }],
      roles: [{ key: 'viewer', permissions: ['folder:read'] }],
      tenants: [{ key: 'globex' }],
      users: [{ key: 'cleo' }, { key: 'dan' }],
      resource_instances: ['top', 'sub'].map((key) => ({ key, resource: 'folder', tenant: 'globex' })),
    }
    expect((await copy.ask('POST', `${ENVIRONMENT}/apply`, { policy })).status).toBe(200)
  })

  it('makes it sent and answered', async () => {
    const assignment = await copy.ask('POST', `${FACTS}/role_assignments`, { ...assigned, note: 'asked for' })
    expect(assignment.body).toMatchObject({ ...assigned, note: 'asked for' })
    const tuple = await copy.ask('POST', `${FACTS}/relationship_tuples`, { ...related, note: 'moved' })
    expect(tuple.body).toMatchObject({ ...related, note: 'moved' })
    const rows = await copy.ask('GET', `${FACTS}/role_assignments?user=cleo`)
    expect(rows.body).toMatchObject([{ ...assigned, note: 'asked for' }])
    const detailed = await copy.ask('GET', `${FACTS}/relationship_tuples?detailed=true`)
    expect(detailed.body).toMatchObject([{ ...related, note: 'moved' }])
    expect((await copy.ask('POST', `${FACTS}/role_assignments`, { ...assigned, note: 5 })).status).toBe(422)
  })

  it('is null where it is not sent, and in what was stored before there was the field', async () => {
    const rows = (await copy.ask('GET', `${FACTS}/role_assignments?tenant=default`))
      .body as unknown as readonly object[]
    expect(rows).not.toEqual([])
    for (const row of rows) expect(row).toMatchObject({ note: null })
  })

  it('stays when the roles of a user are sent again without it, and changes when they are sent with it', async () => {
    const put = (sent: object) =>
      copy.ask('PUT', `${FACTS}/users/cleo`, { role_assignments: [{ role: 'viewer', tenant: 'globex', ...sent }] })
    await put({})
    expect((await exported()).role_assignments).toContainEqual({ ...assigned, note: 'asked for' })
    await put({ note: 'asked for again' })
    expect((await exported()).role_assignments).toContainEqual({ ...assigned, note: 'asked for again' })
  })

  it('is exported, and a plan sees, applies and takes back a change of it', async () => {
    const kinds = {
      role_assignments: [assigned, { kind: 'role_assignment', key: 'cleo/viewer/globex' }],
      relationship_tuples: [related, { kind: 'relationship_tuple', key: 'folder:top/parent/folder:sub' }],
      memberships: [
        { user: 'dan', tenant: 'globex' },
        { kind: 'membership', key: 'globex/dan' },
      ],
    } as const
    for (const [section, [names, entry]] of Object.entries(kinds)) {
      const apply = async (note: object) => {
        const policy = { zerohop: 2, [section]: [{ ...names, ...note }] }
        const plan = await copy.ask('POST', `${ENVIRONMENT}/plan`, { policy })
        const { status, body } = await copy.ask('POST', `${ENVIRONMENT}/apply`, { policy })
        expect(status).toBe(200)
        return { changes: plan.body.changes, revision: body.revision }
      }
      await apply({ note: 'first' })
      expect((await exported())[section]).toContainEqual({ ...names, note: 'first' })
      expect((await apply({ note: 'first' })).changes).toEqual([])
      const changed = await apply({ note: 'second' })
      expect(changed.changes).toMatchObject([{ ...entry, op: 'update', fields: { note: ['first', 'second'] } }])
      const reverted = await copy.ask('POST', `${ENVIRONMENT}/revisions/${changed.revision}/revert`, {})
      expect(reverted.status).toBe(200)
      expect((await exported())[section]).toContainEqual({ ...names, note: 'first' })
      const changes = [{ op: 'update', kind: entry.kind, key: entry.key, value: { note: 'third' } }]
      const sent = await copy.ask('POST', `${ENVIRONMENT}/plan`, { changes })
      expect(sent.body.changes).toMatchObject([{ ...entry, op: 'update', fields: { note: ['first', 'third'] } }])
      // what a file leaves out has its default
      expect((await apply({})).changes).toMatchObject([{ ...entry, op: 'update', fields: { note: ['first', null] } }])
    }
  })
})
