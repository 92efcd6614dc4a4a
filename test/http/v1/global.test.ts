// Objects outside of environments: the key of the organization on /v1. They stand in an environment of their own, which
// the first write makes; and who may do what.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { AccessLevel, KeyLevel } from '../../../src/kinds/api-key.ts'
import { V1_LIST_MAX } from '../../../src/model/limits.ts'
import { badValues } from '../../support/bad-input.ts'
import { makeKnownObjects } from '../../support/known-objects.ts'
import { type Harness, openHarness } from '../management/harness.ts'

const G = {
  S: '/v2/schema/v1compat_global_project/v1compat_global_env',
  F: '/v2/facts/v1compat_global_project/v1compat_global_env',
}

let api: Harness
const open = async () => {
  api = await openHarness({})
  return () => api.close()
}
const listKeys = async (path: string) => (await api.ask('GET', path)).body.map(({ key }: { key: string }) => key)
const revisions = () => api.store.logs().map((log) => api.store.head(log).revision)

describe('the environment of objects outside of environments', () => {
  beforeEach(open)

  it('is not there until a write needs it, and reading finds nothing', async () => {
    const before = revisions()
    for (const list of ['users', 'tenants', 'roles', 'role_assignments'])
      expect((await api.ask('GET', `/v1/${list}`)).body).toEqual({ url: `/v1/${list}`, data: [] })
    expect((await api.ask('GET', '/v1/users/ana')).status).toBe(404)
    expect(await listKeys('/v2/projects')).toEqual(['default'])
    expect(revisions()).toEqual(before)
  })

  it('comes with the first object in one commit, and is listed like any other', async () => {
    const { status, headers } = await api.ask('PUT', '/v1/users', { key: 'eva', roles: [] })
    expect([status, headers['x-revision']]).toEqual([200, '1'])
    expect(await listKeys('/v2/projects')).toEqual(['default', 'v1compat_global_project'])
    expect(await listKeys('/v2/projects/v1compat_global_project/envs')).toEqual(['v1compat_global_env'])
    expect((await api.ask('GET', `${G.F}/users`)).body.data).toMatchObject([{ key: 'eva' }])
    expect(await listKeys(`${G.F}/tenants`)).toEqual(['default'])
    await api.ask('PUT', '/v1/resources', { resources: [{ type: 'document', actions: { read: {} } }] })
    await api.ask('POST', '/v1/roles', { name: 'reader', permissions: ['document:read'] })
    await api.ask('POST', '/v1/role_assignments', { role: 'reader', user: 'eva', scope: 'default' })
    expect(await listKeys(`${G.S}/roles`)).toEqual(['reader'])
    expect(await listKeys(`${G.S}/resources`)).toEqual(['document'])
    expect((await api.ask('GET', `${G.F}/users/eva`)).body.roles).toEqual([{ role: 'reader', tenant: 'default' }])
    // nothing of it is in the environments of the team
    expect((await api.ask('GET', '$F/users/eva')).status).toBe(404)
    expect((await api.ask('GET', '$S/roles/reader')).status).toBe(404)
  })

  it('is made once by many first writes at the same time, and each of them is there', async () => {
    const keys = Array.from({ length: 20 }, (_, at) => `user${at}`)
    const answers = await Promise.all(keys.map((key) => api.ask('PUT', '/v1/users', { key })))
    expect(answers.map(({ status }) => status)).toEqual(keys.map(() => 200))
    expect(await listKeys('/v2/projects')).toEqual(['default', 'v1compat_global_project'])
    expect((await api.ask('GET', '/v1/users')).body.data).toHaveLength(20)
    expect(new Set(answers.map(({ headers }) => headers['x-revision'])).size).toBe(20)
  })

  it('is not left behind by a first write that is refused', async () => {
    const before = revisions()
    for (const [method, path, body, status] of [
      ['PUT', '/v1/users', { key: 'a b' }, 422],
      ['PUT', '/v1/users', { key: 'eva', roles: [{ role: 'nothing' }] }, 404],
      ['PATCH', '/v1/tenants/nothing', { name: 'x' }, 404],
      ['DELETE', '/v1/users/nobody', undefined, 404],
      ['POST', '/v1/role_assignments', { role: 'r', user: 'u', scope: 't' }, 404],
    ] as const)
      expect((await api.ask(method, path, body)).status, `${method} ${path}`).toBe(status)
    expect(revisions()).toEqual(before)
    expect(await listKeys('/v2/projects')).toEqual(['default'])
  })

  it('comes again, empty, after it was deleted', async () => {
    await api.ask('PUT', '/v1/users', { key: 'eva' })
    expect((await api.ask('DELETE', '/v2/projects/v1compat_global_project/envs/v1compat_global_env')).status).toBe(204)
    expect((await api.ask('GET', '/v1/users')).body.data).toEqual([])
    await api.ask('PUT', '/v1/users', { key: 'tom' })
    expect((await api.ask('GET', '/v1/users')).body.data).toMatchObject([{ customId: 'tom' }])
    await api.ask('DELETE', '/v2/projects/v1compat_global_project')
    await api.ask('PUT', '/v1/users', { key: 'kim' })
    expect((await api.ask('GET', '/v1/users')).body.data).toMatchObject([{ customId: 'kim' }])
  })

  it('belongs to one organization: another does not see it', async () => {
    const other = await api.another({ organization: 'other' })
    await api.ask('PUT', '/v1/users', { key: 'eva' })
    const options = { key: other.organization.secret }
    expect((await api.ask('GET', '/v1/users', undefined, options)).body.data).toEqual([])
    expect((await api.ask('GET', '/v1/users/eva', undefined, options)).status).toBe(404)
    await api.ask('PUT', '/v1/users', { key: 'zoe' }, options)
    expect((await api.ask('GET', '/v1/users')).body.data).toHaveLength(1)
  })

  it('refuses a list that is too long to be one answer, and pages it', async () => {
    const operations = (from: number) => Array.from({ length: 2500 }, (_, at) => ({ key: `u${from + at}` }))
    await api.ask('PUT', '/v1/users', { key: 'first' })
    for (let from = 0; from < V1_LIST_MAX; from += 2500)
      expect((await api.ask('POST', `${G.F}/bulk/users`, { operations: operations(from) })).status).toBe(200)
    const { status, body } = await api.ask('GET', '/v1/users')
    expect([status, body.detail?.[0].loc]).toEqual([422, ['query', 'page']])
    expect((await api.ask('GET', '/v1/users?page=101&per_page=100')).body.data).toHaveLength(1)
  })
})

describe('objects outside of environments', () => {
  beforeAll(open)

  it.each(['/v2/users', '/v2/roles/admin', '/v2/schema/resources', '/v2/facts/tenants'])(
    'are refused by v2: %s',
    async (path) => {
      for (const method of ['GET', 'POST'] as const) {
        const { status, body } = await api.ask(method, path, method === 'POST' ? { key: 'x' } : undefined)
        expect([status, body.error_code]).toEqual([400, 'INVALID_INPUT'])
        expect(body.message).toMatch(
          /every object belongs to one, as in `\/v2\/(schema|facts)\/\{project\}\/\{environment\}\//,
        )
      }
    },
  )
})

describe('keys on /v1', () => {
  beforeAll(open)

  const LEVELS: readonly KeyLevel[] = ['env', 'project', 'org']
  const ACCESSES: readonly AccessLevel[] = ['no_access', 'read', 'write', 'admin']

  it('need read to read and write to write; one of a project is refused', async () => {
    for (const level of LEVELS) {
      for (const access of ACCESSES) {
        const key = `a-key-of-${level}-${access}`
        await api.addKey(level, access, key)
        for (const { method, url } of api.v1Routes.filter((route) => !route.url.includes('/feed/'))) {
          const may = level !== 'project' && ACCESSES.indexOf(access) >= (method === 'GET' ? 1 : 2)
          const path = url.replace(':ref', 'absent')
          const { status, body } = await api.ask(method, path, method === 'GET' ? undefined : { nonsense: 1 }, { key })
          const what = `${method} ${url} by ${level} ${access}: ${status} ${JSON.stringify(body)}`
          if (may) expect([200, 404, 422], what).toContain(status)
          else expect([status, body.error_code], what).toEqual([403, 'FORBIDDEN_ACCESS'])
        }
      }
    }
  })

  it('are asked for on every route', async () => {
    for (const { method, url } of api.v1Routes) {
      for (const key of [null, 'garbage']) {
        const { status } = await api.ask(method, url.replace(':ref', 'x'), undefined, { key })
        expect([method, url, status]).toEqual([method, url, 401])
      }
    }
  })
})

describe('bad input on /v1', () => {
  beforeAll(open)

  it('gets a 4xx in the form of the contract that names the v1 field, and changes nothing', async () => {
    const known = await makeKnownObjects(api)
    const key = api.made.environments[0]?.secret ?? ''
    const before = revisions()
    let asked = 0
    for (const { method, url, body } of api.v1Routes) {
      if (body === undefined) continue
      const good = GOOD[`${method} ${url}`]
      expect(good, `${method} ${url}`).toBeDefined()
      const path = url.replace('/:ref', url.includes('tenants') ? '/default' : '/hello')
      for (const bad of badValues(body, known.fields, '', good)) {
        const what = `${method} ${url} ${bad.at.join('.')}: ${bad.what}`
        const answer = await api.ask(method, path, bad.value, { key })
        expect(answer.status, `${what}: ${JSON.stringify(answer.body)?.slice(0, 300)}`).toBe(bad.status)
        const at = JSON.stringify(['body', ...(bad.whole ? [] : bad.at)])
        if (bad.status === 422)
          expect(
            answer.body.detail.map(({ loc }: { loc: unknown[] }) => JSON.stringify(loc)),
            what,
          ).toContain(at)
        asked++
      }
    }
    expect(revisions()).toEqual(before)
    expect(asked).toBeGreaterThan(200)
  })

  it('refuses names that are not keys of v2, and lists the allowed characters', async () => {
    const key = api.made.environments[0]?.secret ?? ''
    for (const [method, path, body, field] of [
      ['PUT', '/v1/users', { key: 'eva roth' }, 'key'],
      ['PUT', '/v1/users', { customId: 'über' }, 'key'],
      ['PUT', '/v1/tenants', { externalId: 'acme.com' }, 'externalId'],
      ['POST', '/v1/roles', { name: 'Team Lead' }, 'name'],
      ['PUT', '/v1/resources/my%20task', { type: 'rest' }, 'name'],
    ] as const) {
      const { status, body: answer } = await api.ask(method, path, body, { key })
      expect([status, answer.detail?.[0].loc]).toEqual([422, ['body', field]])
      expect(answer.detail[0].msg).toContain('allowed characters are a-z, A-Z, 0-9')
    }
    for (const body of [{}, { key: 'a', customId: 'b' }])
      expect((await api.ask('PUT', '/v1/users', body, { key })).status).toBe(422)
    expect((await api.ask('PATCH', '/v1/tenants/default', { externalId: 'other' }, { key })).status).toBe(422)
    expect((await api.ask('PUT', '/v1/resources/hello', { name: 'other' }, { key })).status).toBe(422)
    for (const query of ['', 'role=admin', 'user=ana', 'role=admin&user=nobody'])
      expect([404, 422]).toContain(
        (await api.ask('DELETE', `/v1/role_assignments?${query}`, undefined, { key })).status,
      )
  })
})

const GOOD: Readonly<Record<string, object>> = {
  'PUT /v1/users': { key: 'fresh' },
  'PUT /v1/tenants': { externalId: 'fresh' },
  'PATCH /v1/tenants/:ref': {},
  'POST /v1/roles': { name: 'fresh' },
  'POST /v1/role_assignments': { role: 'viewer', user: 'ben', scope: 'default' },
  'POST /v1/embeddables/login': { userId: 'ana', tenantId: 'default' },
  'PUT /v1/resources': { resources: [{ type: 'fresh' }] },
  'PUT /v1/resources/:ref': { type: 'rest' },
  'PUT /v1/resources/:ref/actions': { name: 'fresh' },
}
