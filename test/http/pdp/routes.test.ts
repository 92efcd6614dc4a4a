// The further routes of a PDP over real HTTP: tenants, listings, gateways, the service itself, and the OPA-shaped API.
// Good and bad input, the forms in which clients send and read.
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { Image } from '../../../src/image/image.ts'
import type { PolicyChange } from '../../../src/log/delta.ts'
import { BULK_CHECKS_MAX } from '../../../src/model/limits.ts'
import { loadImage } from '../../../src/pdp/pdp.ts'
import { pdpServer } from '../../../src/server.ts'
import { give, HELLO, putUser } from '../../pdp/policies.ts'
import { ENVIRONMENT, makePosition } from '../../support/deltas.ts'

const KEY = 'the key of the environment'
const LOCAL = { host: '127.0.0.1', port: 0 }

/** In the year 2100. */
const START = Date.UTC(2100, 0, 1)

/** ana is admin in default and acme, ben viewer in default and owner of one note in acme; cyd will be. */
const POLICY: PolicyChange[] = [
  ...HELLO,
  { op: 'put', kind: 'tenant', key: 'acme', value: { attributes: { plan: 'free' } } },
  give('ana', 'admin', 'acme'),
  { op: 'put', kind: 'resource', key: 'note', value: { actions: ['read'] } },
  {
    op: 'put',
    kind: 'resource_role',
    key: 'note/owner',
    value: { resource: 'note', role: 'owner', permissions: ['note:read'], extends: [], granted_to: null },
  },
  { op: 'put', kind: 'resource_instance', key: 'note:1', value: { tenant: 'acme', attributes: { title: 'one' } } },
  {
    op: 'put',
    kind: 'role_assignment',
    key: 'ben/owner/acme/note:1',
    value: { user: 'ben', role: 'owner', tenant: 'acme', resource_instance: 'note:1' },
  },
  putUser('cyd'),
  {
    op: 'put',
    kind: 'role_assignment',
    key: 'cyd/owner/acme/note:1',
    value: { user: 'cyd', role: 'owner', tenant: 'acme', resource_instance: 'note:1', valid_from: START },
  },
]

/** Everybody may edit each memo, and one is stored in another tenant than acme. */
const MEMOS: PolicyChange[] = [
  { op: 'put', kind: 'resource', key: 'memo', value: { actions: ['edit'] } },
  { op: 'put', kind: 'resource_instance', key: 'memo:1', value: { tenant: 'default', attributes: {} } },
  {
    op: 'put',
    kind: 'condition_set',
    key: 'all',
    value: { type: 'userset', resource: null, conditions: {}, parent: null },
  },
  {
    op: 'put',
    kind: 'set_rule',
    key: 'memos',
    value: { user_set: 'all', permission: 'memo:edit', resource_set: '__autogen_memo' },
  },
]

const pdp = loadImage(Image.build(ENVIRONMENT, makePosition(7), POLICY).save())
const app = pdpServer(pdp, KEY, { version: '1.2.3' })
const opa = app.opa()
const at = { pdp: '', opa: '' }

beforeAll(async () => {
  at.pdp = await app.listen(LOCAL)
  at.opa = await opa.listen(LOCAL)
})
afterAll(async () => {
  await opa.close()
  await app.close()
})

async function ask(
  url: string,
  body?: unknown,
  headers: Record<string, string> = { authorization: `Bearer ${KEY}` },
  method = 'POST',
) {
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text), headers: response.headers }
}
const idsIn =
  (id: string) =>
  ({ results }: ReturnType<typeof JSON.parse>) =>
    results.some((found: { id?: string; name?: string }) => (found.id ?? found.name) === id)
const post = (path: string, body: unknown, headers?: Record<string, string>) => ask(at.pdp + path, body, headers)
const get = (path: string, headers?: Record<string, string>) => ask(at.pdp + path, undefined, headers, 'GET')
const acme = { key: 'acme', attributes: { plan: 'free' } }
const byDefault = { key: 'default', attributes: {} }

describe('/allowed/all-tenants', () => {
  const rows = [acme, byDefault].map((tenant) => ({ allow: true, result: true, tenant }))

  it('answers a plain check body under both names', async () => {
    const body = { user: { key: 'ana' }, action: 'say', resource: { type: 'hello' }, context: {} }
    const answer = await post('/allowed/all-tenants', body)
    expect([answer.status, answer.headers.get('x-revision')]).toEqual([200, '7'])
    expect(answer.body).toEqual({ allowed_tenants: rows, allowedTenants: rows })
  })

  it('answers the form with the key in the body and plain strings', async () => {
    const headers = { Authorization: `Bearer ${KEY}`, 'X-Permit-Sdk-Language': 'node' }
    const body = { headers, params: { user: 'ana', action: 'say', resource: 'hello', context: null } }
    expect((await post('/allowed/all-tenants', body, {})).body.allowedTenants).toEqual(rows)
    const ben = { headers, params: { user: 'ben', action: 'say', resource: 'hello' } }
    expect((await post('/allowed/all-tenants', ben, {})).body).toEqual({ allowed_tenants: [], allowedTenants: [] })
    const nobody = { headers, params: { user: 'nobody', action: 'say', resource: 'hello' } }
    expect((await post('/allowed/all-tenants', nobody, {})).body.allowed_tenants).toEqual([])
  })

  it('wants a good key, in the header or in the body', async () => {
    const params = { user: 'ana', action: 'say', resource: 'hello' }
    const status = async (body: object, headers: Record<string, string>) =>
      (await post('/allowed/all-tenants', body, headers)).status
    expect(await status(params, {})).toBe(401)
    expect(await status({ params }, {})).toBe(401)
    expect(await status({ headers: { Authorization: 7 } }, {})).toBe(401)
    expect(await status({ headers: { Authorization: 'Bearer wrong' }, params }, {})).toBe(403)
    // a key in the header counts, whatever the body says
    expect(await status({ headers: { Authorization: `Bearer ${KEY}` }, params }, { authorization: 'Bearer x' })).toBe(
      403,
    )
    expect(await status({ headers: { authorization: `bearer ${KEY}` }, params }, {})).toBe(200)
  })

  it.each([
    ['null', ['body']],
    ['{"params":[]}', ['body', 'params']],
    ['{"params":{"user":7}}', ['body', 'params', 'user']],
    ['{"user":"ana","action":7,"resource":"hello"}', ['body', 'action']],
    ['{"user":"ana","action":"say","resource":{"type":7}}', ['body', 'resource', 'type']],
    ['{"user":', ['body']],
  ])('%s is refused with the place', async (body, loc) => {
    const answer = await post('/allowed/all-tenants', body)
    expect([answer.status, answer.body.detail[0].loc]).toEqual([422, loc])
  })
})

describe('listings', () => {
  it('/user-permissions by tenant and by instance', async () => {
    const { body } = await post('/user-permissions', { user: { key: 'ben' }, tenants: null, resources: null })
    expect(body).toEqual({
      '__tenant:default': { tenant: byDefault, permissions: ['hello:wave'], roles: ['viewer'] },
      'note:1': {
        resource: { type: 'note', key: '1', attributes: { title: 'one' } },
        tenant: acme,
        permissions: ['note:read'],
        roles: ['owner'],
      },
    })
    const only = await post('/user-permissions', { user: 'ben', resource_types: ['note'] })
    expect(Object.keys(only.body)).toEqual(['note:1'])
  })

  it('/user-permissions in pages, each bound to its question', async () => {
    const askPage = async (body: object) => (await post('/user-permissions', { user: 'ben', limit: 1, ...body })).body
    const whole = (await post('/user-permissions', { user: 'ben' })).body
    const first = await askPage({})
    expect(first).toEqual({ permissions: { '__tenant:default': whole['__tenant:default'] }, next: expect.any(String) })
    const second = await askPage({ after: first.next })
    expect(second).toEqual({ permissions: { 'note:1': whole['note:1'] }, next: null })
    for (const same of [{ limit: 10_000 }, { limit: null }, { tenants: null }, { context: null }])
      expect(await askPage({ after: first.next, ...same })).toEqual(second)
    expect(await askPage({ user: 'nobody' })).toEqual({ permissions: {}, next: null })
    const altered = [`${first.next.slice(0, -2)}AA`, Buffer.from('["a","note:0"]').toString('base64url'), 'x y', 7, '']
    for (const after of altered)
      expect((await askPage({ after })).detail[0].loc, String(after)).toEqual(['body', 'after'])
    for (const other of [{ user: 'ana' }, { tenants: ['acme'] }, { resource_types: [] }, { context: { a: 1 } }]) {
      expect((await askPage({ after: first.next, ...other })).detail[0].loc).toEqual(['body', 'after'])
    }
    for (const limit of [0, 10_001, 1.5, '1'])
      expect((await askPage({ limit })).detail[0].loc).toEqual(['body', 'limit'])
    const input = { user: 'ben', limit: 1 }
    const page = await ask(`${at.opa}/v1/data/permit/user_permissions/permissions`, { input })
    expect(page.body.result).toEqual(first)
  })

  it('[D15] /allowed that is asked to explain itself says what would allow, were it in force', async () => {
    const question = { user: { key: 'cyd' }, action: 'read', resource: { type: 'note', key: '1', tenant: 'acme' } }
    const explained = await post('/allowed', question, { authorization: `Bearer ${KEY}`, 'x-explain': 'why' })
    const text = 'role owner of cyd on note:1 starts 2100-01-01T00:00:00.000Z, and would allow this'
    const grant = { user: 'cyd', role: 'owner', tenant: 'acme', resource_instance: 'note:1' }
    expect(explained.body.debug.not_in_force).toEqual([
      { ...grant, state: 'scheduled', valid_from: '2100-01-01T00:00:00.000Z', text },
    ])
    expect(explained.body.why.tree.children[0].text).toBe(text)
    const other = await post(
      '/allowed',
      { ...question, user: { key: 'ana' } },
      { authorization: `Bearer ${KEY}`, 'x-explain': 'true' },
    )
    expect(other.body.debug).not.toHaveProperty('not_in_force')
  })

  it('/filter of one type in one tenant', async () => {
    const asked = { user: { key: 'ben' }, action: 'read', resource: { type: 'note', tenant: 'acme' } }
    const answer = await post('/filter', asked)
    const about = { format: 2, revision: 7, type: 'note', tenant: 'acme' }
    const where = { key: { in: ['1'] } }
    const reads = { attributes: [], relations: [], key: true }
    expect([answer.status, answer.headers.get('x-revision')]).toEqual([200, '7'])
    expect(answer.body).toEqual({ ...about, kind: 'when', where, reads })
    expect((await post('/filter', { ...asked, user: 'zoe', context: null })).body).toEqual({ ...about, kind: 'never' })
    expect((await post('/filter', { ...asked, user: 'cyd' })).body).toEqual({
      ...about,
      kind: 'never',
      validUntil: START,
    })
    const wrong: [object, (string | number)[]][] = [
      [{ ...asked, resource: { type: 'note' } }, ['body', 'resource', 'tenant']],
      [{ ...asked, resource: 'note' }, ['body', 'resource']],
      [{ ...asked, action: null }, ['body', 'action']],
      [{ ...asked, context: [] }, ['body', 'context']],
      [{ ...asked, tenant_column_is_authoritative: 'yes' }, ['body', 'tenant_column_is_authoritative']],
    ]
    for (const [body, loc] of wrong) {
      const { status, body: refused } = await post('/filter', body)
      expect([status, refused.detail[0].loc]).toEqual([422, loc])
    }
  })

  it('[D2] a row decides by its tenant where the application says so in a header, in checks and filters alike', async () => {
    const ofMemos = pdpServer(loadImage(Image.build(ENVIRONMENT, makePosition(7), [...POLICY, ...MEMOS]).save()), KEY)
    const url = await ofMemos.listen(LOCAL)
    onTestFinished(() => ofMemos.close())
    const memo = (path: string, body: unknown, headers?: Record<string, string>) => ask(url + path, body, headers)
    const rows = { authorization: `Bearer ${KEY}`, 'x-tenant-column-is-authoritative': 'true' }
    const question = { user: { key: 'ana' }, action: 'edit', resource: { type: 'memo', key: '1', tenant: 'acme' } }
    const asked = { user: 'ana', action: 'edit', resource: { type: 'memo', tenant: 'acme' } }
    const wanted = { user: 'ana', tenants: ['acme'], types: ['memo'] }
    const allow = async (headers?: Record<string, string>) => [
      (await memo('/allowed', question, headers)).body.allow,
      (await memo('/allowed/bulk', [question], headers)).body.allow[0].allow,
      (await memo('/allowed', question, { ...(headers ?? { authorization: rows.authorization }), 'x-explain': 'true' }))
        .body.allow,
    ]
    expect(await allow()).toEqual([false, false, false])
    expect(await allow(rows)).toEqual([true, true, true])
    const excluding = { kind: 'when', where: { not: { key: { in: ['1'] } } } }
    expect((await memo('/filter', asked)).body).toMatchObject(excluding)
    const { body } = await memo('/filter', asked, rows)
    expect(body).toMatchObject({ kind: 'always', tenantColumnIsAuthoritative: true })
    expect((await memo('/snapshot', wanted)).body.answers).toContainEqual({
      where: { node: { and: [] }, attributes: [], relations: [], isKeyOpen: true },
    })
    expect((await memo('/snapshot', wanted, rows)).body.answers).toContainEqual(true)
    // nothing in a body marks a row, and the header says yes or no
    const inBody = { ...question, isRow: true, resource: { ...question.resource, isRow: true } }
    expect(
      (await memo('/allowed', { ...inBody, context: { 'x-tenant-column-is-authoritative': 'true' } })).body.allow,
    ).toBe(false)
    expect(await allow({ ...rows, 'x-tenant-column-is-authoritative': 'false' })).toEqual([false, false, false])
    for (const path of ['/allowed', '/filter', '/snapshot']) {
      const { status, body: refused } = await memo(
        path,
        { ...asked, ...question },
        { ...rows, 'x-tenant-column-is-authoritative': 'yes' },
      )
      expect([status, refused.detail[0].loc]).toEqual([422, ['header', 'x-tenant-column-is-authoritative']])
    }
  })

  it('[D2] every route that takes a resource with its key takes the header that says that it is a row', async () => {
    const ofMemos = pdpServer(loadImage(Image.build(ENVIRONMENT, makePosition(7), [...POLICY, ...MEMOS]).save()), KEY)
    const ofOpa = ofMemos.opa()
    const [url, opaUrl] = [await ofMemos.listen(LOCAL), await ofOpa.listen(LOCAL)]
    onTestFinished(async () => {
      await ofOpa.close()
      await ofMemos.close()
    })
    const question = { user: { key: 'ana' }, action: 'edit', resource: { type: 'memo', key: '1', tenant: 'acme' } }
    const subject = { type: 'user', id: 'ana' }
    const resource = { type: 'memo', id: '1', properties: { tenant: 'acme' } }
    const evaluation = { subject, action: { name: 'edit' }, resource }
    const permit = `${opaUrl}/v1/data/permit`
    const routes: [string, unknown, (body: ReturnType<typeof JSON.parse>) => unknown][] = [
      [`${url}/allowed`, question, ({ allow }) => allow],
      [`${url}/allowed/bulk`, [question], ({ allow }) => allow[0].allow],
      [`${url}/authorized_users`, question, ({ users }) => 'ana' in users],
      [`${permit}/root`, { input: question }, ({ result }) => result.allow],
      [`${permit}/bulk`, { input: [question] }, ({ result }) => result.allow[0].allow],
      [`${permit}/authorized_users`, { input: question }, ({ result }) => 'ana' in result.users],
      [`${url}/access/v1/evaluation`, evaluation, ({ decision }) => decision],
      [`${url}/access/v1/evaluations`, { evaluations: [evaluation] }, ({ evaluations }) => evaluations[0].decision],
      [`${url}/access/v1/search/subject`, { ...evaluation, subject: { type: 'user' } }, idsIn('ana')],
      [`${url}/access/v1/search/action`, { subject, resource }, idsIn('edit')],
    ]
    for (const [route, body, read] of routes) {
      const askAs = async (header: string) => {
        const answer = await fetch(route, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${KEY}`,
            'content-type': 'application/json',
            'x-tenant-column-is-authoritative': header,
          },
          body: JSON.stringify(body),
        })
        const text = await answer.text() // AuthZEN says what is wrong in plain text
        return [400, 422].includes(answer.status) ? 'refused' : read(JSON.parse(text))
      }
      expect([route, await askAs('true'), await askAs('false'), await askAs('yes')]).toEqual([
        route,
        true,
        false,
        'refused',
      ])
    }
  })

  it('/snapshot, kept from caches, and unchanged by its tag', async () => {
    const asked = { user: 'ben', tenants: ['acme', 'default'], types: ['hello', 'note'], lifetime_ms: 1000 }
    const answer = await post('/snapshot', asked)
    const { body: snapshot, headers } = answer
    expect([answer.status, headers.get('x-revision')]).toEqual([200, '7'])
    expect([headers.get('cache-control'), headers.get('etag')]).toEqual(['private, no-store', `"${snapshot.etag}"`])
    expect(snapshot).toMatchObject({ format: 1, revision: 7, user: 'ben', lifetimeMs: 1000 })
    expect(snapshot.answers).toContainEqual({ keys: ['1'] })
    const again = (tags: string, body: object = asked) =>
      post('/snapshot', body, { authorization: `Bearer ${KEY}`, 'if-none-match': tags })
    const same = await again(`"other", W/"${snapshot.etag}"`)
    expect([same.status, same.body, same.headers.get('etag')]).toEqual([304, undefined, `"${snapshot.etag}"`])
    expect((await again(`"${snapshot.etag}"`, { ...asked, actions: ['wave'] })).status).toBe(200)
    const soon = { ...asked, user: 'cyd' }
    const { body: until } = await post('/snapshot', soon)
    expect(until).toMatchObject({ validUntil: START, lifetimeMs: 1000 })
    expect((await again(`"${until.etag}"`, soon)).status).toBe(304)
    const wrong: [object, (string | number)[]][] = [
      [{ ...asked, user: {} }, ['body', 'user', 'key']],
      [{ ...asked, tenants: 'acme' }, ['body', 'tenants']],
      [{ ...asked, types: ['note', 7] }, ['body', 'types', 1]],
      [{ ...asked, actions: {} }, ['body', 'actions']],
      [{ ...asked, context: [] }, ['body', 'context']],
      [{ ...asked, lifetime_ms: 3_600_001 }, ['body', 'lifetime_ms']],
      [{ ...asked, tenant_column_is_authoritative: 1 }, ['body', 'tenant_column_is_authoritative']],
    ]
    for (const [body, loc] of wrong) {
      const { status, body: refused } = await post('/snapshot', body)
      expect([status, refused.detail[0].loc]).toEqual([422, loc])
    }
  })

  it('/user-tenants with their attributes', async () => {
    const answer = await post('/user-tenants', { user: { key: 'ben' }, context: {} })
    expect([answer.status, answer.body, answer.headers.get('x-revision')]).toEqual([200, [acme, byDefault], '7'])
    expect((await post('/user-tenants', { user: 'zoe' })).body).toEqual([])
    expect((await post('/user-tenants', { user: {} })).body.detail[0].loc).toEqual(['body', 'user', 'key'])
  })

  it('/authorized_users by user, with all four fields', async () => {
    const { body } = await post('/authorized_users', { action: 'wave', resource: { type: 'hello', tenant: 'default' } })
    expect(body).toMatchObject({ resource: 'hello:*', tenant: 'default' })
    expect(Object.keys(body.users).sort()).toEqual(['ana', 'ben'])
    for (const entries of Object.values<object[]>(body.users))
      for (const entry of entries) expect(Object.keys(entry).sort()).toEqual(['resource', 'role', 'tenant', 'user'])
    const note = await post('/authorized_users', { action: 'read', resource: 'note:1', context: null })
    expect(note.body).toMatchObject({ resource: 'note:1', tenant: 'acme', users: { ben: [{ user: 'ben' }] } })
    expect((await post('/authorized_users', { action: 'read' })).body.detail[0].loc).toEqual(['body', 'resource'])
    expect((await post('/authorized_users', { resource: 'note' })).body.detail[0].loc).toEqual(['body', 'action'])
  })

  it('/local/role_assignments without parameters that it does not have, and without a bare + in a key', async () => {
    for (const query of ['usr=ana', 'user=a+b@example.com'])
      expect([query, (await get(`/local/role_assignments?${query}`)).status]).toEqual([query, 422])
    for (const query of ['user=a%2Bb@example.com', 'detailed=true', 'sort_by=key'])
      expect([query, (await get(`/local/role_assignments?${query}`)).status]).toEqual([query, 200])
  })

  it('/local/role_assignments with filters and pages', async () => {
    const all = (await get('/local/role_assignments')).body
    expect(all).toHaveLength(4)
    expect(all).toContainEqual({ user: 'ben', role: 'owner', tenant: 'acme', resource_instance: 'note:1' })
    expect((await get('/local/role_assignments?user=ana&tenant=acme')).body).toEqual([
      { user: 'ana', role: 'admin', tenant: 'acme' },
    ])
    expect((await get('/local/role_assignments?resource_instance=note:1')).body).toHaveLength(1)
    const pages = await Promise.all([1, 2, 3].map((page) => get(`/local/role_assignments?page=${page}&per_page=2`)))
    expect(pages.map(({ body }) => body.length)).toEqual([2, 2, 0])
    expect(pages.flatMap(({ body }) => body)).toEqual(all)
    for (const query of ['page=0', 'per_page=101', 'page=x'])
      expect((await get(`/local/role_assignments?${query}`)).body.detail[0].loc[0]).toBe('query')
  })

  it('/local/role_assignments page by page behind the last row, by the link of each', async () => {
    const all = (await get('/local/role_assignments')).body
    const next = ({ headers }: { readonly headers: Headers }) =>
      /^<(\?[^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1]
    const walked: object[] = []
    for (let query: string | undefined = '?per_page=1'; query !== undefined; ) {
      const page = await get(`/local/role_assignments${query}`)
      walked.push(...page.body)
      query = next(page)
    }
    expect(walked).toEqual(all)
    const after = next(await get('/local/role_assignments?per_page=1'))!
    const other = new URLSearchParams(after).get('after')!
    const altered = `${other.slice(0, -2)}${other.endsWith('AA') ? 'BB' : 'AA'}`
    for (const query of [`${after}&user=ana`, `?after=${altered}`, '?after=x'])
      expect([query, (await get(`/local/role_assignments${query}`)).status]).toEqual([query, 400])
    expect((await get(`/local/role_assignments${after}&page=2`)).status).toBe(422)
  })
})

describe('/nginx_allowed', () => {
  const parts = (user: string, tenant = 'default') => ({
    authorization: `Bearer ${KEY}`,
    'permit-user-key': user,
    'permit-tenant-id': tenant,
    'permit-action': 'say',
    'permit-resource-type': 'hello',
  })

  it('says by its status whether the request may go on', async () => {
    const allowed = await ask(`${at.pdp}/nginx_allowed`, undefined, parts('ana'))
    expect([allowed.status, allowed.body.allow, allowed.headers.get('x-revision')]).toEqual([200, true, '7'])
    expect((await ask(`${at.pdp}/nginx_allowed`, undefined, parts('ben'))).status).toBe(403)
    expect((await ask(`${at.pdp}/nginx_allowed`, undefined, parts('ana', 'nowhere'))).body.allow).toBe(false)
    const { 'permit-tenant-id': _, ...without } = parts('ana')
    expect((await ask(`${at.pdp}/nginx_allowed`, undefined, without)).status).toBe(200)
  })

  it.each(['permit-user-key', 'permit-action', 'permit-resource-type'])('needs the header %s', async (name) => {
    const { body, status } = await ask(`${at.pdp}/nginx_allowed`, undefined, { ...parts('ana'), [name]: '' })
    expect([status, body.detail[0].loc]).toEqual([422, ['header', name]])
  })
})

describe('the service', () => {
  it('shows its version and health without a key', async () => {
    expect((await get('/version', {})).body).toEqual({ api_version: 4, version: '1.2.3', revision: 7 })
    for (const path of [
      '/health',
      '/healthy',
      '/ready',
      ...['ready', 'healthy', 'system'].map((part) => `/healthchecks/opa/${part}`),
    ]) {
      const { status, body } = await get(path, {})
      expect([status, body.status]).toEqual([200, 'ok'])
    }
    expect((await get('/health?check_cache=true', {})).body.components.cache).toEqual({ status: 'ok' })
  })

  it('takes triggers, also under their old names', async () => {
    for (const [old, now] of [
      ['/update_policy', '/policy-updater/trigger'],
      ['/update_policy_data', '/data-updater/trigger'],
    ] as const) {
      const moved = await post(old, undefined)
      expect([moved.status, moved.headers.get('location')]).toEqual([307, now])
      expect((await post(now, undefined)).body).toEqual({ status: 'ok' })
      expect((await post(now, undefined, {})).status).toBe(401)
    }
  })

  it('says of the vendor’s own plumbing that it is not offered', async () => {
    for (const path of [
      '/callbacks',
      '/callbacks/x',
      '/policy-store/config',
      '/control-plane/connectivity',
      '/kong',
      '/trino/allowed',
    ]) {
      const { status, body } = await get(path)
      expect([path, status, body.detail]).toEqual([path, 501, expect.stringContaining('does not offer')])
      expect((await get(path, {})).status).toBe(401)
    }
  })

  it('a wrong path is 404, a wrong method 405 with the right ones', async () => {
    const missing = await get('/nowhere')
    expect([missing.status, typeof missing.body.detail]).toEqual([404, 'string'])
    const refused = await get('/allowed')
    expect([refused.status, typeof refused.body.detail, refused.headers.get('allow')]).toEqual([405, 'string', 'POST'])
    expect((await post('/version', {})).headers.get('allow')).toContain('GET')
  })

  it('names the revision in every answer to a good key, also when it refuses', async () => {
    for (const answer of [await post('/allowed', { user: 7 }), await post('/user-tenants', {}), await get('/kong')])
      expect(answer.headers.get('x-revision')).toBe('7')
  })

  it('waits for x-min-revision as long as the header allows, and cannot decide without that revision', async () => {
    const body = { user: { key: 'ana' }, action: 'say', resource: { type: 'hello' } }
    const key = { authorization: `Bearer ${KEY}` }
    for (const path of ['/allowed', '/user-tenants', '/allowed/all-tenants']) {
      expect((await post(path, body, { ...key, 'x-min-revision': '7' })).status).toBe(200)
      const late = await post(path, body, { ...key, 'x-min-revision': '8', 'x-min-revision-timeout': '1' })
      expect([late.status, late.body.detail]).toEqual([503, expect.stringContaining('revision 8')])
    }
    for (const header of ['x-min-revision', 'x-min-revision-timeout'])
      for (const value of ['x', '-1', '1.5', '']) {
        const answer = await post('/allowed', body, { ...key, 'x-min-revision': '7', [header]: value })
        expect([answer.status, answer.body.detail[0].loc]).toEqual([422, ['header', header]])
      }
  })

  it('is ended only with the key for that', async () => {
    const refused = await post('/_exit', undefined)
    expect([refused.status, refused.body.detail]).toEqual([403, expect.stringContaining('PDP_CONTAINER_CONTROL_KEY')])
    let ended = 0
    const control = { key: 'the other key', exit: () => void ended++ }
    const image = Image.build(ENVIRONMENT, makePosition(7), POLICY).save()
    const ending = pdpServer(loadImage(image), KEY, { control })
    const exit = `${await ending.listen(LOCAL)}/_exit`
    expect((await ask(exit, undefined, {})).status).toBe(401)
    expect((await ask(exit)).status).toBe(403)
    expect((await ask(exit, undefined, { authorization: 'Basic the other key' })).status).toBe(403)
    expect(ended).toBe(0)
    expect((await ask(exit, undefined, { authorization: 'bearer the other key' })).status).toBe(202)
    await expect.poll(() => ended).toBe(1)
    await ending.close()
  })
})

describe('the OPA-shaped API', () => {
  const data = (path: string, body: unknown, headers?: Record<string, string>) =>
    ask(`${at.opa}/v1/data/permit/${path}`, body, headers)
  const check = (user: string, action = 'say') => ({
    user: { key: user },
    action,
    resource: { type: 'hello', tenant: 'default' },
  })

  it('root: a decision with what allowed it', async () => {
    const { body, headers } = await data('root', { input: check('ana') })
    expect(body.result).toMatchObject({
      allow: true,
      allowing_sources: ['rbac'],
      debugger_activated: false,
      debug: null,
    })
    expect(headers.get('x-revision')).toBe('7')
    expect((await data('root', { input: check('ben') })).body.result).toMatchObject({
      allow: false,
      allowing_sources: [],
    })
    const note = { user: { key: 'ben' }, action: 'read', resource: { type: 'note', key: '1', tenant: 'acme' } }
    expect((await data('root', { input: note })).body.result).toMatchObject({
      allow: true,
      allowing_sources: ['rebac'],
    })
  })

  it('explains what it allows, to say by which part of the policy, and no refusal', async () => {
    const explain = vi.spyOn(pdp, 'explain')
    await data('bulk', { input: ['ben', 'nobody', 'ana', 'ben'].map((user) => check(user)) })
    expect(explain.mock.calls.map(([user]) => user)).toEqual([{ key: 'ana' }])
    explain.mockRestore()
  })

  it('bulk: in order, as a list or in an object', async () => {
    const checks = [check('ana'), check('ben'), check('ben', 'wave')]
    for (const input of [checks, { checks }]) {
      const { body } = await data('bulk', { input })
      expect(body.result.allow.map(({ allow }: { allow: boolean }) => allow)).toEqual([true, false, true])
    }
    const many = Array.from({ length: BULK_CHECKS_MAX + 1 }, () => check('ana'))
    expect((await data('bulk', { input: many })).status).toBe(413)
  })

  it('listings are those of the PDP', async () => {
    const user = { user: { key: 'ben' } }
    const permissions = (await post('/user-permissions', user)).body
    expect((await data('user_permissions', { input: user })).body.result.permissions).toEqual(permissions)
    expect((await data('user_permissions/permissions', { input: user })).body.result).toEqual(permissions)
    const users = { action: 'wave', resource: { type: 'hello', tenant: 'default' } }
    expect((await data('authorized_users', { input: users })).body.result).toEqual(
      (await post('/authorized_users', users)).body,
    )
    for (const path of ['any_tenant', 'all_tenants'])
      expect(
        (await data(path, { input: check('ana') })).body.result.allowed_tenants.map(
          ({ tenant }: { tenant: object }) => tenant,
        ),
      ).toEqual([acme, byDefault])
    const rows = (await data('api/role_assignments', { input: { page: 1, per_page: 2, user: null } })).body.result
    expect(rows).toEqual((await get('/local/role_assignments?per_page=2')).body)
  })

  it('wants the same key and an input', async () => {
    expect((await data('root', { input: check('ana') }, {})).status).toBe(401)
    expect((await data('root', { input: check('ana') }, { authorization: 'Bearer wrong' })).status).toBe(403)
    expect((await data('root', check('ana'))).body.detail[0].loc).toEqual(['body', 'input'])
    expect((await data('root', { input: { user: { key: 7 } } })).status).toBe(422)
    expect((await data('nothing', { input: {} })).status).toBe(404)
    expect((await ask(`${at.opa}/v1/data/permit/root`, undefined, undefined, 'GET')).status).toBe(405)
  })
})
