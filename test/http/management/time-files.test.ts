// Times of what is granted (D15) in files, plans, exports, copies and reverts.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { KindName } from '../../../src/kinds/index.ts'
import { type Ask, type Harness, joinHarness } from './harness.ts'

const ENVIRONMENT = '/v2/projects/default/envs/development'
const UNTIL = '2031-06-01T12:00:00.000+00:00'
const LATER = '2031-07-01T12:00:00.000+00:00'
const ENDED = '2001-01-01T00:00:00.000+00:00'
const ASSIGNED = { user: 'ana', role: 'editor', tenant: 'acme' }
const RELATED = { subject: 'folder:top', relation: 'parent', object: 'folder:sub' }
const KEY = 'ana/editor/acme'

let api: Harness
let ask: Ask
beforeAll(async () => {
  api = await joinHarness()
  ask = api.ask
})
afterAll(() => api.close())

const SCHEMA = {
  zerohop: 2,
  resources: [{ key: 'folder', actions: { read: {} }, relations: { parent: 'folder' } }],
  roles: [{ key: 'editor', permissions: ['folder:read'] }],
}
beforeEach(async () => {
  for (const ref of ['editor', 'writer']) await ask('DELETE', `$S/roles/${ref}`)
  await ask('DELETE', '$F/tenants/acme')
  await ask('DELETE', '$F/users/ana')
  const facts = {
    tenants: [{ key: 'acme' }],
    users: [{ key: 'ana' }],
    resource_instances: ['top', 'sub'].map((key) => ({ key, resource: 'folder', tenant: 'acme' })),
  }
  await apply({ ...SCHEMA, ...facts })
})

const stored = (kind: KindName, key: string) => api.store.view(api.environment).get(kind, key)
const planned = async (policy: object) => {
  const { status, body } = await ask('POST', `${ENVIRONMENT}/plan`, { policy: { zerohop: 2, ...policy } })
  expect(status).toBe(200)
  return body.changes
}
const apply = async (policy: object, more: object = {}) => {
  const { status, body } = await ask('POST', `${ENVIRONMENT}/apply`, { policy: { zerohop: 2, ...policy }, ...more })
  expect({ status, body }).toMatchObject({ status: 200 })
  return body
}
const exported = async () => (await ask('GET', `${ENVIRONMENT}/export?facts=true`)).body

describe('a policy file', () => {
  it('gives times, changes them, and shows what it leaves out as lost', async () => {
    await apply({
      role_assignments: [{ ...ASSIGNED, valid_until: UNTIL }],
      relationship_tuples: [{ ...RELATED, valid_from: 5 }],
    })
    expect(stored('role_assignment', KEY)).toMatchObject({ valid_until: Date.parse(UNTIL) })
    expect(stored('relationship_tuple', 'folder:top/parent/folder:sub')).toMatchObject({ valid_from: 5 })
    expect(await planned({ role_assignments: [{ ...ASSIGNED, valid_until: '2031-06-01T14:00:00+02:00' }] })).toEqual([])
    const entry = { op: 'update', kind: 'role_assignment', key: KEY }
    expect(await planned({ role_assignments: [{ ...ASSIGNED, valid_until: LATER }] })).toEqual([
      { ...entry, fields: { valid_until: [UNTIL, LATER] } },
    ])
    expect(await planned({ role_assignments: [ASSIGNED] })).toEqual([
      { ...entry, fields: { valid_until: [UNTIL, null] } },
    ])
    await apply({ role_assignments: [ASSIGNED] })
    expect(stored('role_assignment', KEY)).not.toHaveProperty('valid_until')
  })

  it('with a fact that has ended and is not there makes no difference, with prune too', async () => {
    const policy = { manages: [{ kind: 'role_assignment' }, { kind: 'relationship_tuple' }] }
    const facts = {
      role_assignments: [{ ...ASSIGNED, valid_until: ENDED }],
      relationship_tuples: [{ ...RELATED, valid_until: ENDED }],
    }
    expect(await planned({ ...policy, ...facts })).toEqual([])
    const body = { policy: { zerohop: 2, ...policy, ...facts }, prune: true }
    expect((await ask('POST', `${ENVIRONMENT}/plan`, body)).body.changes).toEqual([])
    await apply({ ...policy, ...facts }, { prune: true })
    expect(stored('role_assignment', KEY)).toBeUndefined()
  })

  it('with a fact that has ended and is there leaves it as it is', async () => {
    await ask('POST', '$F/role_assignments', { ...ASSIGNED, valid_until: ENDED })
    expect(await planned({ role_assignments: [{ ...ASSIGNED, valid_until: ENDED }] })).toEqual([])
    expect(await planned({ role_assignments: [ASSIGNED] })).toMatchObject([{ fields: { valid_until: [ENDED, null] } }])
  })

  it('that renames a role, a user or a tenant keeps the times of its assignments', async () => {
    const times = { valid_from: 5, valid_until: Date.parse(UNTIL) }
    await ask('POST', '$F/role_assignments', { ...ASSIGNED, ...times })
    const moved = [
      { kind: 'role', from: 'editor', to: 'writer' },
      { kind: 'user', from: 'ana', to: 'anna' },
      { kind: 'tenant', from: 'acme', to: 'acme-2' },
    ]
    await apply({
      moved,
      roles: [{ key: 'writer', permissions: ['folder:read'] }],
      users: [{ key: 'anna' }],
      tenants: [{ key: 'acme-2' }],
    })
    expect(stored('role_assignment', KEY)).toBeUndefined()
    expect(stored('role_assignment', 'anna/writer/acme-2')).toMatchObject(times)
    const before = `ending_before=${Date.parse(LATER)}`
    expect((await ask('GET', `$F/role_assignments?tenant=acme-2&${before}`)).body).toMatchObject([{ user: 'anna' }])
    await ask('DELETE', '$F/users/anna')
    await ask('DELETE', '$F/tenants/acme-2')
  })

  it('may be sent as changes', async () => {
    const changes = [{ op: 'create', kind: 'role_assignment', key: KEY, value: { ...ASSIGNED, valid_until: UNTIL } }]
    expect((await ask('POST', `${ENVIRONMENT}/apply`, { changes })).status).toBe(200)
    const update = [{ op: 'update', kind: 'role_assignment', key: KEY, value: { valid_from: 5 } }]
    await ask('POST', `${ENVIRONMENT}/apply`, { changes: update })
    expect(stored('role_assignment', KEY)).toMatchObject({ valid_from: 5, valid_until: Date.parse(UNTIL) })
    const wrong = [{ op: 'update', kind: 'role_assignment', key: KEY, value: { valid_until: '2031-06-01' } }]
    const refused = await ask('POST', `${ENVIRONMENT}/plan`, { changes: wrong })
    expect(refused.body.detail[0].loc).toEqual(['body', 'changes', 0, 'valid_until'])
  })
})

describe('validate', () => {
  it.each([
    ['2031-06-01', 'an instant'],
    ['tomorrow', 'an instant'],
    ['true', 'a text or a whole number'],
    ['1.5', 'a text or a whole number'],
  ])('says where `%s` is wrong', async (value, message) => {
    const text = `zerohop: 2\nroles: [{ key: editor }]\nrole_assignments:\n  - user: ana\n    role: editor\n    valid_until: ${value}\n`
    const { body } = await ask('POST', `${ENVIRONMENT}/validate`, { files: [{ name: 'policy.yaml', text }] })
    const errors = body.problems.filter(({ severity }: { readonly severity: string }) => severity === 'error')
    expect(errors).toMatchObject([{ place: { file: 'policy.yaml', line: 6 } }])
    expect(errors[0].message).toContain(message)
  })

  it('says where an end is not after the beginning, and takes what is right', async () => {
    const text = (until: string) =>
      `zerohop: 2\nroles: [{ key: editor }]\nrole_assignments:\n  - { user: ana, role: editor, valid_from: 2031-06-01T12:00:00Z, valid_until: ${until} }\n`
    const problems = async (until: string) => {
      const files = [{ name: 'policy.yaml', text: text(until) }]
      const { body } = await ask('POST', `${ENVIRONMENT}/validate`, { files })
      return body.problems.filter(({ severity }: { readonly severity: string }) => severity === 'error')
    }
    expect(await problems('2031-06-01T12:00:00+01:00')).toMatchObject([{ place: { line: 4 } }])
    expect(await problems('2031-06-01T12:00:00-01:00')).toEqual([])
  })
})

describe('an export', () => {
  it('has the times, and an import makes the same of it', async () => {
    await ask('POST', '$F/role_assignments', { ...ASSIGNED, valid_from: 5, valid_until: UNTIL })
    await ask('POST', '$F/relationship_tuples', { ...RELATED, valid_until: ENDED })
    const { role_assignments, relationship_tuples } = await exported()
    expect(role_assignments).toContainEqual({
      ...ASSIGNED,
      valid_from: '1970-01-01T00:00:00.005+00:00',
      valid_until: UNTIL,
    })
    expect(relationship_tuples).toEqual([{ ...RELATED, valid_until: ENDED }])
    const lines = (await ask('GET', '$F/export')).body as string
    expect(lines).toContain(JSON.stringify({ relationship_tuple: { ...RELATED, valid_until: ENDED } }))
    const before = [stored('role_assignment', KEY), stored('relationship_tuple', 'folder:top/parent/folder:sub')]
    await ask('DELETE', '$F/role_assignments', ASSIGNED)
    await ask('DELETE', '$F/relationship_tuples', RELATED)
    const headers = { 'content-type': 'application/x-ndjson' }
    expect((await ask('POST', '$F/import', lines, { headers })).body).toMatchObject({ created: 2 })
    const after = [stored('role_assignment', KEY), stored('relationship_tuple', 'folder:top/parent/folder:sub')]
    for (const [at, object] of after.entries()) {
      const { valid_from, valid_until } = before[at] as { valid_from?: number; valid_until?: number }
      expect(object).toMatchObject({ ...(valid_from && { valid_from }), valid_until })
    }
    expect((await ask('POST', '$F/import', lines, { headers })).body).toMatchObject({ created: 0, changed: 0 })
  })

  it('of a past revision has the times of then', async () => {
    await ask('POST', '$F/role_assignments', { ...ASSIGNED, valid_until: UNTIL })
    const { revision } = api.store.head(api.environment)
    await ask('PUT', '$F/role_assignments', { ...ASSIGNED, valid_until: LATER })
    const { body } = await ask('GET', `${ENVIRONMENT}/export?facts=true&at=${revision}`)
    expect(body.role_assignments).toContainEqual({ ...ASSIGNED, valid_until: UNTIL })
  })
})

describe('a revert', () => {
  const revert = async (revision: number) => {
    const answer = await ask('POST', `${ENVIRONMENT}/revisions/${revision}/revert`, {})
    expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 200 })
  }
  const revision = () => api.store.head(api.environment).revision

  it('gives back the times that were, none included', async () => {
    await ask('POST', '$F/role_assignments', { ...ASSIGNED, valid_until: UNTIL })
    await ask('PUT', '$F/role_assignments', { ...ASSIGNED, valid_from: 5, valid_until: LATER })
    await revert(revision())
    expect(stored('role_assignment', KEY)).toMatchObject({ valid_until: Date.parse(UNTIL) })
    expect(stored('role_assignment', KEY)).not.toHaveProperty('valid_from')
    await ask('PUT', '$F/role_assignments', { ...ASSIGNED, valid_until: null })
    await ask('PUT', '$F/role_assignments', { ...ASSIGNED, valid_until: UNTIL })
    await revert(revision())
    expect(stored('role_assignment', KEY)).not.toHaveProperty('valid_until')
  })

  it('of a delete over an end brings back what has ended meanwhile', async () => {
    await ask('POST', '$F/role_assignments', { ...ASSIGNED, valid_until: ENDED })
    await ask('DELETE', '$F/role_assignments', ASSIGNED)
    await revert(revision())
    expect(stored('role_assignment', KEY)).toMatchObject({ valid_until: Date.parse(ENDED) })
  })

  it('of what made anew something that had ended brings back its end', async () => {
    await ask('POST', '$F/role_assignments', { ...ASSIGNED, valid_until: ENDED })
    await ask('POST', '$F/role_assignments', ASSIGNED)
    await revert(revision())
    expect(stored('role_assignment', KEY)).toMatchObject({ valid_until: Date.parse(ENDED) })
  })
})

describe('a copy of an environment', () => {
  it('copies no facts, with ends or without', async () => {
    await ask('POST', '$F/role_assignments', { ...ASSIGNED, valid_until: UNTIL })
    const target_env = { new: { key: 'copied', name: 'copied' } }
    const { status } = await ask('POST', `${ENVIRONMENT}/copy`, { target_env })
    expect(status).toBe(201)
    expect((await ask('GET', '/v2/facts/default/copied/role_assignments')).body).toEqual([])
    await ask('DELETE', '/v2/projects/default/envs/copied')
  })
})

describe('what is made again under its key', () => {
  it('a user has nothing of before, and neither has a tenant', async () => {
    await ask('POST', '$F/role_assignments', { ...ASSIGNED, valid_from: Date.now() + 9_999_999 })
    await ask('DELETE', '$F/users/ana')
    await ask('POST', '$F/users', { key: 'ana' })
    expect(stored('role_assignment', KEY)).toBeUndefined()
    await ask('POST', '$F/role_assignments', { ...ASSIGNED, valid_until: ENDED })
    await ask('DELETE', '$F/tenants/acme')
    await ask('POST', '$F/tenants', { key: 'acme' })
    for (const state of ['scheduled', 'in_force', 'ended']) {
      expect((await ask('GET', `$F/role_assignments?tenant=acme&state=${state}`)).body).toEqual([])
      expect((await ask('GET', `$F/tenants/acme/users?state=${state}`)).body.data).toEqual([])
    }
    expect((await ask('GET', '$F/users/ana?state=ended')).body.roles).toEqual([])
  })
})
