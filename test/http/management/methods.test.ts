// What a path takes: a wrong method is 405 with `Allow` on every path, every object can be replaced and changed, and a
// body may name the object by the key that it has.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type KnownObjects, makeKnownObjects } from '../../support/known-objects.ts'
import type { Method } from '../../support/routes.ts'
import { type Harness, joinHarness } from './harness.ts'

const METHODS: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

let api: Harness
let known: KnownObjects
beforeAll(async () => {
  api = await joinHarness({})
  known = await makeKnownObjects(api)
})
afterAll(() => api.close())

describe('a wrong method', () => {
  /** The methods of each route, and of the patterns that its path fits, too: a name may be read as a parameter. */
  const listMethods = (path: string) => {
    const all = [...api.routes, ...api.v1Routes]
    const fits = all.filter(({ url }) => new RegExp(`^${url.replace(/:\w+/g, '[^/]+')}$`).test(path))
    return new Set(fits.map(({ method }) => method))
  }

  it('is 405 on every path and says which are right; HEAD is right where GET is', async () => {
    let refused = 0
    for (const url of new Set([...api.routes, ...api.v1Routes].map((route) => route.url))) {
      const path = url.replace(/:\w+/g, 'some')
      const right = listMethods(path)
      for (const method of METHODS.filter((one) => !right.has(one))) {
        const answer = await api.ask(method, path, undefined, { key: null })
        expect([answer.status, answer.body?.error_code], `${method} ${path}`).toEqual([405, 'INVALID_INPUT'])
        const allow = String(answer.headers.allow).split(', ').sort()
        expect(allow, `${method} ${path}`).toEqual([...right, ...(right.has('GET') ? ['HEAD'] : [])].sort())
        refused++
      }
    }
    expect(refused).toBeGreaterThan(200)
  })

  it('is not confused by a query; a path that is not there stays 404 without `Allow`', async () => {
    const put = await api.ask('PUT', '$S/groups/direct/team?x=/', { last_name: 'x' })
    expect([put.status, put.headers.allow]).toEqual([405, 'GET, HEAD'])
    expect(put.body).toMatchObject({ title: 'Method Not Allowed', message: expect.stringContaining('HEAD') })
    for (const path of ['/v2/nowhere', '$F/tenants/', '$F/tenants/a/b/c/d', '/v2//x']) {
      const missing = await api.ask('PUT', path, {})
      expect([missing.status, missing.headers.allow], path).toEqual([404, undefined])
    }
    expect((await api.ask('PUT', '/v2/facts/tenants/x', {})).status, 'outside of environments').toBe(400)
  })
})

describe('PATCH', () => {
  it('takes the key of the object itself, and no other, on every route', async () => {
    const patches = api.routes.filter(({ method }) => method === 'PATCH')
    expect(patches.length).toBeGreaterThan(14)
    for (const { url } of patches) {
      const path = known.path(url).replace(/^\/v2\/orgs\/[^/]+$/, `/v2/orgs/${api.made.organization.id}`)
      const before = await api.ask('GET', path)
      expect(before.status, path).toBe(200)
      const same = await api.ask('PATCH', path, { key: before.body.key })
      expect([same.status, same.body.key], `${path} ${JSON.stringify(same.body)}`).toEqual([200, before.body.key])
      expect((await api.ask('PATCH', path, { key: null })).status, path).toBe(200)
      const other = await api.ask('PATCH', path, { key: 'another' })
      expect([other.status, other.body.detail?.[0]?.loc], path).toEqual([422, ['body', 'key']])
    }
  })
})

describe('PUT', () => {
  /** What an object is created by and deleted with; these have no fields of their own. */
  const WITHOUT = ['/groups/:group', '/api-key/:key', '/users/:user', '/invites/:invite', '/syncs/:sync']

  it('is there for every single object that can be changed or deleted', () => {
    const has = (method: Method, url: string) => api.routes.some((one) => one.method === method && one.url === url)
    const objects = api.routes
      .filter(({ method, url }) => method === 'GET' && url.lastIndexOf(':') > url.lastIndexOf('/'))
      .map(({ url }) => url)
      .filter((url) => has('PATCH', url) || has('DELETE', url))
      .filter((url) => !WITHOUT.some((end) => url.endsWith(end)))
    expect(objects.length).toBeGreaterThan(16)
    for (const method of ['PUT', 'PATCH'] as const)
      expect(
        objects.filter((url) => !has(method, url)),
        method,
      ).toEqual([])
  })

  it('takes the key of the object itself, and no other, on every route, and keeps its id', async () => {
    const puts = api.routes.filter(
      ({ method, url }) => method === 'PUT' && api.routes.some((one) => one.method === 'PATCH' && one.url === url),
    )
    expect(puts.length).toBeGreaterThan(14)
    // parts first: a resource type that is replaced loses them
    for (const { url, body: schema } of puts.sort((one, other) => other.url.length - one.url.length)) {
      const path = known.path(url).replace(/^\/v2\/orgs\/[^/]+$/, `/v2/orgs/${api.made.organization.id}`)
      const { body: before } = await api.ask('GET', path)
      const { required = [] } = schema as { required?: string[] }
      const body = Object.fromEntries(required.map((name) => [name, before[name]]))
      for (const key of [undefined, null, before.key]) {
        const same = await api.ask('PUT', path, { ...body, key })
        expect([same.status, same.body.id], `${path} ${JSON.stringify(same.body)}`).toEqual([200, before.id])
      }
      if (url.endsWith('/users/:ref')) continue // the key of the path counts
      const other = await api.ask('PUT', path, { ...body, key: 'another' })
      expect([other.status, other.body.detail?.[0]?.loc], path).toEqual([422, ['body', 'key']])
    }
  })
})
