// What an attacker with the key of a tenant would try, one after the other: another tenant by its id, its key and a
// nested path, in bulk calls, searches, pages, history, decisions, metrics, the feed, snapshots and plans. Random
// requests are in tenant-keys.test.ts.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Ask, type Harness, joinHarness } from './harness.ts'

let api: Harness
let ask: Ask
let acme: string
let globex: string
/** ids of objects of `globex` */
let ids: readonly string[]

const ENVIRONMENT = '/v2/projects/default/envs/development'
const POLICY = {
  zerohop: 2,
  resources: [
    { key: 'doc', actions: { read: {} }, roles: { editor: { permissions: ['read'], assignable_by_tenants: true } } },
  ],
  roles: [{ key: 'member', permissions: ['doc:read'], assignable_by_tenants: true }],
  tenants: [{ key: 'acme' }, { key: 'globex' }],
  users: Array.from({ length: 6 }, (_, n) =>
    ['acme', 'globex'].map((of) => ({ key: `${of}-${n}`, first_name: 'Same' })),
  ).flat(),
  resource_instances: ['acme', 'globex'].map((tenant) => ({ resource: 'doc', key: `${tenant}-plan`, tenant })),
  role_assignments: Array.from({ length: 6 }, (_, n) =>
    ['acme', 'globex'].map((tenant) => ({ user: `${tenant}-${n}`, role: 'member', tenant })),
  ).flat(),
}
const get = (path: string, key = acme) => ask('GET', path, undefined, { key })

beforeAll(async () => {
  api = await joinHarness()
  ask = api.ask
  expect(await ask('POST', `${ENVIRONMENT}/apply`, { policy: POLICY })).toMatchObject({ status: 200 })
  const { organization_id, environment_id } = api.place
  const createKey = async (tenant_id: string) =>
    (await ask('POST', '/v2/api-key', { organization_id, environment_id, object_type: 'tenant', tenant_id })).body
      .secret
  acme = await createKey('acme')
  globex = await createKey('globex')
  const found = JSON.stringify([
    (await get('$F/tenants/globex/users', globex)).body,
    (await get('$F/tenants/globex/role_assignments', globex)).body,
    (await ask('GET', '$F/tenants/globex')).body,
  ])
  const shared = new Set(Object.values(api.place))
  const roles = JSON.stringify((await get('$F/tenants/acme/roles')).body)
  ids = [...new Set(found.match(/\b[0-9a-f]{32}\b/g))].filter((id) => !shared.has(id) && !roles.includes(id))
})
afterAll(() => api.close())

/** Answers 404, and tells nothing of `globex` but what was asked for. */
async function expectNothing(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<void> {
  const answer = await ask(method, path, body, { key: acme })
  const what = `${method} ${path}`
  expect([what, answer.status]).toEqual([what, 404])
  const sent = `${path} ${JSON.stringify(body)}`
  const received = JSON.stringify([answer.body, answer.headers])
  for (const mark of ['globex', ...ids])
    if (!sent.includes(mark)) expect([what, received.includes(mark)]).toEqual([what, false])
}

describe('the key of a tenant that asks for another one', () => {
  const BELOW = ['users', 'roles', 'role_assignments', 'invites', 'resources', 'decisions', 'history']

  it('finds it neither by its key nor by its id, nor what is below it', async () => {
    const { id } = (await ask('GET', '$F/tenants/globex')).body
    for (const ref of ['globex', id, 'acme%2F..%2Fglobex', '..%2Fglobex', 'acme%00', 'ACME']) {
      for (const part of BELOW) await expectNothing('GET', `$F/tenants/${ref}/${part}`)
      await expectNothing('POST', `$F/tenants/${ref}/role_assignments`, { user: 'acme-0', role: 'member' })
      await expectNothing('POST', `$F/tenants/${ref}/invites`, { email: 'a@b.example', role: 'member' })
      await expectNothing('POST', `$F/tenants/${ref}/why`, { user: 'acme-0', action: 'read', resource: 'doc' })
      await expectNothing('DELETE', `$F/tenants/${ref}/users/acme-0`)
    }
    expect((await get('$F/tenants/globex/users', globex)).body.total_count).toBe(6)
  })

  it('finds nothing of it through a field, a nested path or another environment', async () => {
    const path = '$F/tenants/acme/role_assignments'
    await expectNothing('POST', path, { user: 'globex-0', role: 'member' })
    await expectNothing('POST', path, { user: 'acme-0', role: 'editor', resource_instance: 'doc:globex-plan' })
    await expectNothing('DELETE', path, { user: 'globex-0', role: 'member' })
    await expectNothing('DELETE', '$F/tenants/acme/users/globex-0')
    await expectNothing('GET', '/v2/facts/default/production/tenants/acme/users')
    for (const ref of ids) {
      await expectNothing('GET', `$F/tenants/acme/invites/${ref}`)
      await expectNothing('DELETE', `$F/tenants/acme/users/${ref}`)
    }
    for (const url of ['users/globex-0', 'tenants/globex', 'resource_instances/doc:globex-plan'])
      await expectNothing('GET', `$F/${url}`)
  })

  it('finds neither bulk calls nor lists of the environment', async () => {
    await expectNothing('POST', '$F/role_assignments/bulk', [{ user: 'globex-0', role: 'member', tenant: 'globex' }])
    await expectNothing('DELETE', '$F/bulk/tenants', { idents: ['globex'] })
    await expectNothing('POST', '$F/bulk/users', { operations: [{ key: 'globex-0' }] })
    for (const url of ['$F/users?search=globex', '$F/tenants', '$F/role_assignments?tenant=globex', '$F/user_invites'])
      await expectNothing('GET', url)
  })

  it('finds no users of it by searches and filters of its own', async () => {
    for (const query of ['search=globex', 'search=globex-0', 'search=Same', 'role=member', `search=${ids[0]}`]) {
      const { body } = await get(`$F/tenants/acme/users?${query}`)
      expect(JSON.stringify(body)).not.toContain('globex')
      expect([query, body.total_count]).toEqual([query, /Same|role/.test(query) ? 6 : 0])
    }
    for (const query of ['user=globex-0', `user=${ids[0]}`, 'resource_instance=doc:globex-plan'])
      expect((await get(`$F/tenants/acme/role_assignments?${query}`)).body).toMatchObject({ data: [], total_count: 0 })
  })

  it('gets its own pages, whichever page of another tenant was read before', async () => {
    const read = async (key: string, tenant: string, page: number): Promise<unknown> => {
      const { body } = await get(`$F/tenants/${tenant}/users?search=Same&per_page=2&page=${page}`, key)
      return body.data.map((user: { key: string }) => user.key)
    }
    for (let page = 1; page <= 4; page++) {
      const [own, other] = [await read(acme, 'acme', page), await read(globex, 'globex', page)]
      const of = (tenant: string) => [0, 1].map((n) => `${tenant}-${(page - 1) * 2 + n}`)
      expect([own, other]).toEqual(page === 4 ? [[], []] : [of('acme'), of('globex')])
    }
    expect((await get('$F/tenants/acme/users?page=0')).status).toBe(422)
    expect((await get('$F/tenants/acme/users?page=99')).body.data).toEqual([])
  })

  it('finds no history, decisions, metrics, feed, snapshot, plan or key of the environment', async () => {
    const urls = [
      '/v2/history',
      `/v2/history?env_id=${api.environment}&search=globex`,
      '/v2/activity',
      '/v2/pdps/default/development/audit_logs?tenant=globex',
      '/v2/pdps/default/development/audit_logs/counts',
      '/v2/pdps/default/development',
      '/metrics',
      '/v2/feed/default/development/image',
      '/v2/feed/default/development/deltas?from=0',
      '/v2/api-key',
      `${ENVIRONMENT}/export?facts=true`,
      `${ENVIRONMENT}/revisions/1`,
    ]
    for (const url of urls) await expectNothing('GET', url)
    const policy = { zerohop: 2, tenants: [{ key: 'globex' }] }
    for (const what of ['plan', 'apply']) await expectNothing('POST', `${ENVIRONMENT}/${what}`, { policy })
    for (const what of ['check', 'explain'])
      await expectNothing('POST', `${ENVIRONMENT}/${what}`, { user: 'globex-0', action: 'read', resource: 'doc' })
    await expectNothing('POST', `${ENVIRONMENT}/user-permissions`, { user: 'globex-0' })
    await expectNothing('POST', '/v2/feed/default/development/head', {
      instance: 'a'.repeat(32),
      revision: 0,
      nonce: 'n',
    })
  })
})
