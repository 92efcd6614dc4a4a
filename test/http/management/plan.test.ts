// Plans over HTTP: what a policy file would do, and doing it, with everything that may come between the two.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { POLICY_FILE_BYTES_MAX, POLICY_FILES_MAX } from '../../../src/model/limits.ts'
import { type Harness, joinHarness } from './harness.ts'

let api: Harness
const E = '/v2/projects/default/envs/development'
const plan = (body: object) => api.ask('POST', `${E}/plan`, body)
const apply = (body: object) => api.ask('POST', `${E}/apply`, body)
const revision = async () => (await plan({ changes: [] })).body.revision as number

const POLICY = {
  zerohop: 2,
  resources: [{ key: 'doc', actions: { read: {}, write: {} } }],
  roles: [
    { key: 'reader', permissions: ['doc:read'] },
    { key: 'writer', permissions: ['doc:write'], extends: ['reader'] },
  ],
}
const withRole = (key: string, fields: object) => ({
  ...POLICY,
  roles: POLICY.roles.map((role) => (role.key === key ? { ...role, ...fields } : role)),
})

beforeAll(async () => {
  api = await joinHarness()
  expect((await apply({ policy: POLICY })).status).toBe(200)
  for (const key of ['ana', 'ben']) await api.ask('POST', '$F/users', { key })
  await api.ask('POST', '$F/role_assignments', { user: 'ana', role: 'reader', tenant: 'default' })
})
afterAll(() => api.close())

describe('a plan', () => {
  it('says nothing when the policy is applied, and applying it writes nothing', async () => {
    const before = await revision()
    const planned = await plan({ policy: POLICY })
    expect(planned.status, JSON.stringify(planned.body)).toBe(200)
    expect(planned.body).toMatchObject({ revision: before, changes: [], more: 0, fingerprints: {}, outside: [] })
    expect((await apply({ policy: POLICY })).body.revision).toBe(before)
  })

  it('says field by field what changes, and who gains what', async () => {
    const policy = withRole('reader', { permissions: ['doc:read', 'doc:write'], description: 'reads' })
    const { body } = await plan({ policy })
    expect(body.changes).toEqual([
      {
        op: 'update',
        kind: 'role',
        key: 'reader',
        fields: { permissions: [['doc:read'], ['doc:read', 'doc:write']], description: [null, 'reads'] },
      },
    ])
    expect(body.access.gained).toMatchObject({ users: 1, decisions: 1, complete: true })
    expect(body.access.gained.first).toMatchObject([{ user: 'ana', action: 'write', resource: { type: 'doc' } }])
    expect(body.access.lost).toMatchObject({ users: 0, decisions: 0 })
  })

  it('refuses a version of the file that does not exist, and names each that does once', async () => {
    const { status, body } = await plan({ policy: { ...POLICY, zerohop: 3 } })
    expect(status).toBe(422)
    expect(body.detail).toEqual([{ loc: ['body', 'policy', 'zerohop'], msg: 'permitted: 2', type: 'type_error.enum' }])
  })

  it('deletes nothing without `prune`, and suggests `moved` for what looks like another key', async () => {
    const policy = { ...POLICY, roles: [POLICY.roles[0], { ...POLICY.roles[1], key: 'author' }] }
    expect((await plan({ policy })).body.changes).toMatchObject([{ op: 'create', kind: 'role', key: 'author' }])
    const pruned = (await plan({ policy, prune: true })).body
    expect(pruned.changes).toMatchObject([
      { op: 'create', key: 'author' },
      { op: 'delete', key: 'writer' },
    ])
    expect(pruned.suggested).toEqual([{ kind: 'role', from: 'writer', to: 'author' }])
    const moved = (await plan({ policy: { ...policy, moved: pruned.suggested }, prune: true })).body
    expect(moved.changes).toEqual([{ op: 'move', kind: 'role', key: 'author', fields: { key: ['writer', 'author'] } }])
  })

  it('counts access that only has another name once, as renamed, and what is really lost as lost', async () => {
    const moved = [{ kind: 'action', from: 'doc/read', to: 'doc/view' }]
    const resources = [{ key: 'doc', actions: { view: {}, write: {} } }]
    const roles = [{ ...POLICY.roles[0], permissions: ['doc:view'] }, POLICY.roles[1]]
    const policy = { ...POLICY, resources, roles, moved }
    const planned = (await plan({ policy })).body
    expect(planned.changes).toMatchObject([{ op: 'move', kind: 'action', key: 'doc/view' }])
    expect(planned.policy).toEqual({ gained: [], lost: [], changed: [], complete: true, renamed: 2 })
    expect(planned.access.renamed).toEqual({ users: 1, decisions: 1 })
    const none = { users: 0, decisions: 0, groups: [], first: [], complete: true }
    expect(planned.access).toMatchObject({ gained: none, lost: none })
    // the reader keeps nothing: only what the writer keeps is renamed
    const narrower = (await plan({ policy: { ...policy, roles: [{ ...roles[0], permissions: [] }, roles[1]] } })).body
    expect(narrower.access.renamed).toBeUndefined()
    expect(narrower.access.lost).toMatchObject({ users: 1, first: [{ user: 'ana', action: 'read' }] })
    expect(narrower.policy.lost).toMatchObject([
      { source: { role: 'reader' }, permission: 'doc:read' },
      { source: { role: 'writer' }, permission: 'doc:read' },
    ])
  })

  it('counts what users keep after a move of the user, the tenant and the resource type once', async () => {
    const moved = [
      { kind: 'user', from: 'ana', to: 'anna' },
      { kind: 'resource', from: 'doc', to: 'paper' },
      { kind: 'tenant', from: 'default', to: 'main' },
    ]
    const { access, policy } = (await plan({ policy: { zerohop: 2, moved } })).body
    const none = { users: 0, decisions: 0, groups: [], first: [] }
    expect(access).toMatchObject({ renamed: { users: 1, decisions: 1 }, gained: none, lost: none })
    expect(policy).toMatchObject({ renamed: 3, gained: [], lost: [] })
  })

  it('counts the facts that a delete takes along, and is not applied with them unless asked', async () => {
    const policy = { ...POLICY, roles: [{ key: 'writer', permissions: ['doc:write'] }] }
    const before = await revision()
    expect((await plan({ policy, prune: true })).body.cascade).toEqual([{ kind: 'role_assignment', count: 1 }])
    const refused = await apply({ policy, prune: true })
    expect([refused.status, refused.body.message]).toEqual([
      409,
      expect.stringContaining('this would also delete 1 role assignment'),
    ])
    expect(await revision()).toBe(before)
  })

  it('refuses to prune by a policy that names nothing', async () => {
    expect((await plan({ policy: { zerohop: 2 }, prune: true })).status).toBe(422)
    expect((await plan({ policy: { zerohop: 2, roles: [], resources: [] }, prune: true })).status).toBe(422)
  })

  it('takes either a policy or changes', async () => {
    expect((await plan({})).status).toBe(422)
    expect((await plan({ policy: POLICY, changes: [] })).status).toBe(422)
  })

  it('names the key that changed an object since it was applied', async () => {
    expect((await api.ask('PATCH', '$S/roles/writer', { description: 'by hand' })).status).toBe(200)
    const now = await revision()
    const { body } = await plan({ policy: POLICY })
    expect(body.changes).toMatchObject([{ op: 'update', key: 'writer', fields: { description: ['by hand', null] } }])
    expect(body.outside).toMatchObject([{ kind: 'role', key: 'writer', revision: now }])
    expect(body.outside[0].by).toEqual(expect.any(String))
    expect((await apply({ policy: POLICY })).status).toBe(200)
    expect((await plan({ policy: POLICY })).body).toMatchObject({ changes: [], outside: [] })
  })

  it('is refused when an object of it changed, and not when facts moved on', async () => {
    const policy = withRole('writer', { description: 'on Monday' })
    const { body: friday } = await plan({ policy })
    await api.ask('POST', '$F/users', { key: 'cyd' })
    await api.ask('POST', '$F/role_assignments', { user: 'cyd', role: 'reader', tenant: 'default' })
    const expected = { policy: friday.policy, access: friday.access }
    const monday = { policy, fingerprints: friday.fingerprints, expected }
    await api.ask('PATCH', '$S/roles/writer', { description: 'in between' })
    const refused = await apply(monday)
    expect([refused.status, refused.body.message]).toEqual([
      409,
      expect.stringMatching(/changed since the plan was made: role `writer` \(revision \d+\)/),
    ])
    await api.ask('PATCH', '$S/roles/writer', { description: null })
    expect((await apply(monday)).status).toBe(200)
    expect((await apply(monday)).status, 'it is applied already').toBe(409)
    expect((await apply({ policy: POLICY })).status).toBe(200)
  })

  it('is refused when more access would change than it said, unless forced', async () => {
    const policy = withRole('reader', { permissions: ['doc:read', 'doc:write'] })
    const { body: planned } = await plan({ policy })
    await api.ask('POST', '$F/role_assignments', { user: 'ben', role: 'reader', tenant: 'default' })
    const agreed = {
      policy,
      fingerprints: planned.fingerprints,
      expected: { policy: planned.policy, access: planned.access },
    }
    const refused = await apply(agreed)
    expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining('gained doc:write by reader')])
    expect((await apply({ ...agreed, force: true })).status).toBe(200)
    expect((await apply({ policy: POLICY })).status).toBe(200)
  })

  it('of two people who apply at once, one comes first and the other gets a conflict', async () => {
    const of = async (description: string) => {
      const policy = withRole('writer', { description })
      return { policy, fingerprints: (await plan({ policy })).body.fingerprints }
    }
    const both = [await of('one'), await of('other')]
    const statuses = (await Promise.all(both.map(apply))).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([200, 409])
    expect((await apply({ policy: POLICY })).status).toBe(200)
  })

  it('takes changes in the form of the API, in their order', async () => {
    const changes = [
      { op: 'create', kind: 'action', key: 'doc/share', value: { name: 'Share' } },
      { op: 'update', kind: 'role', key: 'reader', value: { permissions: ['doc:read', 'doc:share'] } },
      { op: 'create', kind: 'role_assignment', key: '-', value: { user: 'ben', role: 'writer', tenant: 'default' } },
    ]
    const { status, body } = await plan({ changes })
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body.changes).toMatchObject([
      { op: 'create', kind: 'action', key: 'doc/share', fields: { name: [null, 'Share'] } },
      { op: 'update', kind: 'role', key: 'reader' },
      { op: 'create', kind: 'role_assignment', key: 'ben/writer/default' },
    ])
    const wrong = await plan({ changes: [{ op: 'create', kind: 'role', key: 'x', value: { permissionz: [] } }] })
    expect(wrong.status).toBe(422)
    expect(wrong.body.detail[0].loc).toEqual(['body', 'changes', 0, 'value', 'permissionz'])
    expect((await apply({ changes })).status).toBe(200)
    expect((await api.ask('GET', '$S/roles/reader')).body.permissions).toEqual(['doc:read', 'doc:share'])
  })

  it('never has a secret, of whatever the environment holds and the plan deletes', async () => {
    const secret = 'a-secret-of-the-mail-server'
    const rule = { url: 'https://mail.example.com', http_method: 'post', resource: 'doc', action: 'read' }
    const config = { key: 'mail', name: 'Mail', auth_mechanism: 'Bearer', secret, mapping_rules: [rule] }
    const { headers } = await api.ask('POST', '$F/proxy_configs', config)
    await api.addKey('env', 'write', 'a-secret-of-its-own-key')
    const nothing = { zerohop: 2, resources: [{ key: 'other' }], manages: [{ kind: 'resource' }, { kind: 'role' }] }
    const deleted = { changes: [{ op: 'delete', kind: 'resource', key: 'doc' }] }
    const made = `${E}/revisions/${headers['x-revision']}`
    const plans = [
      await plan({ policy: nothing, prune: true, cascade: true }),
      await plan(deleted),
      await api.ask('POST', `${made}/revert/plan`, {}),
      await api.ask('GET', made),
      await api.ask('GET', `${E}/export?facts=true`),
    ]
    for (const { status, body } of plans) {
      expect(status, JSON.stringify(body)).toBe(200)
      expect(JSON.stringify(body)).not.toMatch(/a-secret/)
    }
    expect((await api.ask('GET', '$F/proxy_configs')).body[0].secret).toBe(secret)
    await api.ask('DELETE', '$F/proxy_configs/mail')
  })

  it('forgets what was applied of an object that is deleted', async () => {
    expect((await api.ask('DELETE', '$S/roles/writer')).status).toBe(204)
    await api.ask('POST', '$S/roles', { key: 'writer', permissions: [] })
    expect(
      (await plan({ policy: POLICY })).body.outside.filter(({ key }: { key: string }) => key === 'writer'),
    ).toEqual([])
  })
})

describe('policy files as text', () => {
  const validate = (files: readonly object[], more: object = {}) => api.ask('POST', `${E}/validate`, { files, ...more })
  const file = (text: string, name = 'policy.yaml') => ({ name, text })
  const ROLES = 'zerohop: 2\nroles:\n  - key: reader\n    permissions: ['

  it('are one policy that can be planned, with warnings', async () => {
    const set = '\ncondition_sets:\n  - { key: staff, type: userset, conditions: {} }\n'
    const files = [file(`${ROLES}doc:read]\n`, 'roles.yaml'), file(`zerohop: 2${set}`, 'sets.yaml')]
    const { status, body } = await validate([...files, file(JSON.stringify({ ...POLICY, roles: [] }), 'doc.json')])
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body.problems).toMatchObject([
      { severity: 'warning', place: { file: 'sets.yaml', line: 3, column: 12 } },
      { severity: 'warning', place: { file: 'doc.json', line: 1 } },
    ])
    const { changes } = (await plan({ policy: body.policy })).body
    expect(changes).toMatchObject([
      { op: 'update', kind: 'role', key: 'reader' },
      { op: 'create', key: 'staff' },
    ])
  })

  it('say all that is wrong with them, and where', async () => {
    const { body } = await validate([file(`${ROLES}doc:raed]\n`), file(JSON.stringify(POLICY), 'all.json')])
    expect(body.policy).toBeNull()
    expect(body.problems).toMatchObject([
      { severity: 'error', message: expect.stringContaining('`read`'), place: { line: 4, column: 19, length: 8 } },
      { message: expect.stringContaining('twice'), place: { file: 'all.json' }, related: { place: { line: 3 } } },
    ])
    expect((await validate([file('a: [')])).body.problems).toMatchObject([{ severity: 'error', place: { line: 1 } }])
  })

  it('may refer to what the environment has, unless what no file names is pruned', async () => {
    const files = [file(`${ROLES}doc:read]\n`)]
    const { policy, problems } = (await validate(files)).body
    expect([policy?.roles, problems.filter(({ severity }: { severity: string }) => severity === 'error')]).toEqual([
      [expect.objectContaining({ key: 'reader' })],
      [],
    ])
    const unknown = (await validate([file(`${ROLES}doc:raed, dco:read]\n`)])).body
    expect([unknown.policy, unknown.problems.length > 0]).toEqual([null, true])
    expect((await validate(files, { prune: true })).body).toMatchObject({
      policy: null,
      problems: [{ severity: 'error' }],
    })
  })

  it('say what only this environment refuses, where it stands', async () => {
    const assignments = 'zerohop: 2\nrole_assignments:\n  - { user: nobody, role: reader, tenant: default }\n'
    const { body } = await validate([file(assignments), file(JSON.stringify(POLICY), 'all.json')])
    expect(body.policy).toBeNull()
    expect(body.problems).toMatchObject([
      { severity: 'error', message: expect.stringContaining('nobody'), place: { file: 'policy.yaml', line: 3 } },
    ])
    // about no part of the files
    const empty = await validate([file('zerohop: 2\n')], { prune: true })
    expect(empty.status).toBe(422)
    expect(empty.body.detail[0].msg).toContain('prune')
  })

  it('have a bound in number and size', async () => {
    const many = Array.from({ length: POLICY_FILES_MAX + 1 }, (_, at) => file('zerohop: 2', `${at}.yaml`))
    expect((await validate(many)).status).toBe(422)
    const { body } = await validate([file(`# ${'x'.repeat(POLICY_FILE_BYTES_MAX)}`)])
    expect(body.problems).toMatchObject([{ severity: 'error', message: expect.stringContaining('larger') }])
  })
})
