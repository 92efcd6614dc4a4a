// Reverts over HTTP: what a revert would do, what is in its way, and doing it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Harness, joinHarness } from './harness.ts'

let api: Harness
const E = '/v2/projects/default/envs/development'
const plan = (revision: number, body: object = {}) => api.ask('POST', `${E}/revisions/${revision}/revert/plan`, body)
const revert = (revision: number, body: object = {}) => api.ask('POST', `${E}/revisions/${revision}/revert`, body)
const head = () => api.store.head(api.environment).revision

async function write(method: 'POST' | 'PATCH' | 'DELETE', path: string, body: object = {}): Promise<number> {
  const { status, headers } = await api.ask(method, path, method === 'DELETE' && !('user' in body) ? undefined : body)
  expect([path, status < 300]).toEqual([path, true])
  return Number(headers['x-revision'])
}

beforeAll(async () => {
  api = await joinHarness()
  await write('POST', '$S/resources', { key: 'doc', name: 'Doc', actions: { read: {}, write: {} } })
  await write('POST', '$S/roles', { key: 'reader', name: 'Reader', permissions: ['doc:read'] })
  await write('POST', '$F/users', { key: 'ana' })
  await write('POST', '$F/role_assignments', { user: 'ana', role: 'reader', tenant: 'default' })
})
afterAll(() => api.close())

describe('the plan of a revert', () => {
  it('says what comes back, and who gains access by it; a read key suffices, and nothing is written', async () => {
    const revision = await write('DELETE', '$F/role_assignments', { user: 'ana', role: 'reader', tenant: 'default' })
    await api.addKey('env', 'read', 'a-key-that-reads')
    const path = `${E}/revisions/${revision}/revert`
    const { status, body } = await api.ask('POST', `${path}/plan`, {}, { key: 'a-key-that-reads' })
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body).toMatchObject({ reverts: revision, revision, conflicts: [], cascade: [] })
    expect(body.changes).toEqual([{ op: 'create', kind: 'role_assignment', key: 'ana/reader/default', fields: {} }])
    expect(body.lost).toMatchObject([{ kind: 'role_assignment', key: 'ana/reader/default' }])
    expect(body.access.gained).toMatchObject({ users: 1, decisions: 1 })
    expect((await api.ask('POST', path, {}, { key: 'a-key-that-reads' })).status).toBe(403)
    expect(head()).toBe(revision)
  })

  it('is done in one revision, which can be reverted too', async () => {
    const revision = head()
    const { fingerprints, policy, access } = (await plan(revision)).body
    const done = await revert(revision, { fingerprints, expected: { policy, access } })
    expect([done.status, done.body.revision]).toEqual([200, revision + 1])
    expect((await api.ask('GET', '$F/role_assignments?user=ana')).body).toHaveLength(1)
    // it is what it was before the revision already
    expect((await plan(revision)).body).toMatchObject({ changes: [], conflicts: [] })
    const again = await revert(revision + 1)
    expect([again.status, again.body.revision]).toEqual([200, revision + 2])
    expect((await api.ask('GET', '$F/role_assignments?user=ana')).body).toEqual([])
  })
})

describe('what is in the way', () => {
  it('of an object that changed since: it is named with who and when, and nothing is written', async () => {
    const revision = await write('PATCH', '$S/roles/reader', { permissions: ['doc:read', 'doc:write'] })
    const later = await write('PATCH', '$S/roles/reader', { description: 'reads' })
    const { body } = await plan(revision)
    expect(body).toMatchObject({ changes: [], conflicts: [{ kind: 'role', key: 'reader', reason: 'changed' }] })
    expect(body.conflicts[0]).toMatchObject({ what: 'was changed since', revision: later })
    const refused = await revert(revision)
    expect(refused.status).toBe(409)
    expect(refused.body.message).toContain(`role \`reader\` was changed since by`)
    expect(refused.body.message).toContain(`at revision ${later}`)
    expect(head()).toBe(later)
  })

  it('of something new that others use: it is named, counted with `cascade`, and then taken along', async () => {
    const revision = await write('POST', '$S/roles', { key: 'guest', name: 'Guest', permissions: ['doc:read'] })
    await write('POST', '$F/role_assignments', { user: 'ana', role: 'guest', tenant: 'default' })
    expect((await plan(revision)).body.conflicts).toMatchObject([
      { kind: 'role', key: 'guest', reason: 'used', what: 'is used since by role assignment `ana/guest/default`' },
    ])
    expect((await plan(revision, { cascade: true })).body).toMatchObject({
      conflicts: [],
      cascade: [{ kind: 'role_assignment', count: 1 }],
      access: { lost: { users: 1 } },
    })
    expect((await revert(revision)).status).toBe(409)
    expect((await revert(revision, { cascade: true })).status).toBe(200)
    expect((await api.ask('GET', '$S/roles/guest')).status).toBe(404)
    expect((await api.ask('GET', '$F/role_assignments?user=ana')).body).toEqual([])
  })

  it('of something deleted that refers to what is gone', async () => {
    await write('POST', '$S/resources', { key: 'folder', name: 'Folder', actions: { open: {} } })
    await write('POST', '$S/roles', { key: 'opener', name: 'Opener', permissions: ['folder:open'] })
    const revision = await write('DELETE', '$S/roles/opener')
    await write('DELETE', '$S/resources/folder')
    const [conflict, ...others] = (await plan(revision)).body.conflicts
    expect(others).toEqual([])
    expect(conflict).toMatchObject({ kind: 'role', key: 'opener', reason: 'refused' })
    expect(conflict.what).toContain('folder')
  })

  it('is left out with `only`, which names what the revision changed', async () => {
    const changes = ['one', 'two'].map((key) => ({ op: 'create', kind: 'user', key }))
    const revision = (await api.ask('POST', `${E}/apply`, { changes })).body.revision as number
    await write('PATCH', '$F/users/two', { first_name: 'Two' })
    expect((await plan(revision)).body.conflicts).toMatchObject([{ kind: 'user', key: 'two' }])
    const only = ['user:one']
    expect((await plan(revision, { only })).body.changes).toMatchObject([{ op: 'delete', kind: 'user', key: 'one' }])
    const wrong = await plan(revision, { only: ['user:three'] })
    expect([wrong.status, wrong.body.detail[0].loc]).toEqual([422, ['body', 'only', 0]])
    expect((await revert(revision, { only })).status).toBe(200)
    expect((await api.ask('GET', '$F/users/one')).status).toBe(404)
    expect((await api.ask('GET', '$F/users/two')).status).toBe(200)
  })

  it('of what has a secret: it is listed, and does not come back', async () => {
    const rule = { url: 'https://example.com', http_method: 'get', resource: 'doc', action: 'read' }
    const config = { key: 'mail', name: 'Mail', auth_mechanism: 'Bearer', secret: 's', mapping_rules: [rule] }
    const made = await write('POST', '$F/proxy_configs', config)
    expect((await plan(made)).body).toMatchObject({ conflicts: [] })
    const revision = await write('DELETE', '$F/proxy_configs/mail')
    expect((await plan(revision)).body).toMatchObject({
      changes: [],
      conflicts: [],
      lost: [{ kind: 'proxy_config', key: 'mail' }],
    })
    expect((await plan(9_999_999)).status).toBe(404)
  })
})
