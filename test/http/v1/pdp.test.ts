// Two PDPs side by side over one management API: one of the second version, and one for clients of the first, which
// also asks what is outside of environments. Real servers on loopback.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RemoteFeed } from '../../../src/client/http-feed.ts'
import { Follower } from '../../../src/pdp/follower.ts'
import { Pdp } from '../../../src/pdp/pdp.ts'
import { pdpServer } from '../../../src/server.ts'
import { GlobalObjects } from '../../../src/v1/pdp/v1-global-objects.ts'
import { eventually } from '../../support/eventually.ts'
import { type Harness, openHarness } from '../management/harness.ts'

type App = ReturnType<typeof pdpServer>

let api: Harness
let url: string
let key: string
const apps: App[] = []
beforeAll(async () => {
  api = await openHarness({})
  url = await api.app.listen({ host: '127.0.0.1', port: 0 })
  key = api.made.environments[0]?.secret ?? ''
})
afterAll(async () => {
  for (const app of apps) await app.close()
  await api.close()
})

const follow = (apiKey: string) => new Pdp(new Follower({ feed: new RemoteFeed({ url, apiKey }) }))
const makeGlobalObjects = (apiKey: string) =>
  new GlobalObjects({ feed: new RemoteFeed({ url, apiKey, globalObjects: true }), pollMs: 20 })

function v1Pdp(apiKey = key, keyless = false): App {
  const app = pdpServer(follow(apiKey), apiKey, { v1: { globalObjects: makeGlobalObjects(apiKey), keyless } })
  apps.push(app)
  return app
}

async function ask(app: App, payload: object, authorization: string | undefined = `Bearer ${key}`) {
  const headers = authorization === undefined ? {} : { authorization }
  const response = await app.inject({ method: 'POST', url: '/allowed', headers, payload })
  return { status: response.statusCode, body: response.json(), headers: response.headers }
}
const resource = (type: string, tenant?: string) => ({ type, ...(tenant === undefined ? {} : { context: { tenant } }) })
const old = async (app: App, user: string, action: string, type: string, tenant?: string) =>
  (await ask(app, { user, action, resource: resource(type, tenant), context: {} })).body.allow
const fresh = async (app: App, user: string, action: string, type: string) =>
  (await ask(app, { user: { key: user }, action, resource: { type, tenant: 'default' } })).body.allow
const ready = (app: App) => eventually(async () => (await app.inject({ url: '/ready' })).statusCode, 200)

describe('a v1 PDP next to a PDP of the second version', () => {
  let first: App
  let second: App
  beforeAll(async () => {
    first = v1Pdp()
    second = pdpServer(follow(key), key)
    apps.push(second)
    await Promise.all([ready(first), ready(second)])
  })

  it('decides the same as long as nothing is outside of environments', async () => {
    for (const [user, action, allow] of [
      ['ana', 'say', true],
      ['ben', 'wave', true],
      ['ben', 'say', false],
      ['nobody', 'say', false],
    ] as const) {
      expect([user, action, await old(first, user, action, 'hello')]).toEqual([user, action, allow])
      expect(await fresh(second, user, action, 'hello')).toBe(allow)
    }
  })

  it('takes the forms of v1: tenant in the context of the resource, and the instance as id', async () => {
    await api.ask('POST', '$F/tenants', { key: 'acme' })
    const { headers } = await api.ask('POST', '$F/users/ben/roles', { role: 'admin', tenant: 'acme' })
    const options = { authorization: `Bearer ${key}`, 'x-min-revision': String(headers['x-revision']) }
    const body = { user: 'ben', action: 'say', resource: { type: 'hello', id: '7', context: { tenant: 'acme' } } }
    const waited = await first.inject({ method: 'POST', url: '/allowed', headers: options, payload: body })
    expect([waited.statusCode, waited.json().allow]).toEqual([200, true])
    expect(await old(first, 'ben', 'say', 'hello', 'acme')).toBe(true)
    expect(await old(first, 'ben', 'say', 'hello', '')).toBe(false)
    expect(await old(first, 'ben', 'say', 'hello')).toBe(false)
    expect(await fresh(first, 'ben', 'wave', 'hello')).toBe(true) // the body of v2 is taken as well
    const { body: instance } = await ask(first, {
      user: 'ana',
      action: 'say',
      resource: { type: 'hello', id: 'one', tenant: 'default' },
    })
    expect(instance).toEqual({ allow: true, result: true, query: null, debug: null })
  })

  it('allows what is outside of environments with the first object there, and the other never does', async () => {
    const g1 = (method: 'PUT' | 'POST', path: string, body: object) => api.ask(method, `/v1/${path}`, body)
    await g1('PUT', 'resources', {
      resources: [
        { type: 'hello', actions: { say: {} } },
        { type: 'archive', actions: { read: {} } },
      ],
    })
    await g1('POST', 'roles', { name: 'archivist', permissions: ['archive:read', 'hello:say'] })
    await g1('PUT', 'users', { key: 'ben', roles: [{ role: 'archivist', tenant: 'default' }] })
    await g1('PUT', 'users', { key: 'eva', roles: [{ role: 'archivist' }] })
    await eventually(() => old(first, 'eva', 'read', 'archive'), true)
    for (const [user, action, type, v1, v2] of [
      ['eva', 'read', 'archive', true, false],
      ['eva', 'say', 'hello', true, false],
      ['eva', 'wave', 'hello', false, false],
      ['ben', 'say', 'hello', true, false], // denied by one, allowed by the other
      ['ana', 'say', 'hello', true, true],
      ['ana', 'read', 'archive', false, false],
    ] as const) {
      const asked = [user, action, type]
      expect([...asked, await old(first, user, action, type), await fresh(second, user, action, type)]).toEqual([
        ...asked,
        v1,
        v2,
      ])
    }
    const { headers } = await ask(first, { user: 'eva', action: 'read', resource: { type: 'archive' } })
    expect([Number(headers['x-revision']), Number(headers['x-revision-outside'])]).toEqual([expect.any(Number), 4])
  })

  it('answers the local cache from both', async () => {
    const get = async (path: string) => {
      const response = await first.inject({ url: `/local/${path}`, headers: { authorization: `Bearer ${key}` } })
      return [response.statusCode, response.json()]
    }
    const [, users] = await get('users')
    expect(users.map(({ id }: { id: string }) => id)).toEqual(['ana', 'ben', 'eva'])
    const role = (id: string, org_id: string | null, permissions: string[]) => ({
      id,
      name: id,
      org_id,
      metadata: {},
      permissions,
    })
    const archivist = role('archivist', 'default', ['archive:read', 'hello:say'])
    expect(await get('users/eva')).toEqual([
      200,
      { id: 'eva', name: null, email: null, metadata: {}, roles: [archivist] },
    ])
    expect(await get('users/ben/tenants')).toEqual([200, ['acme', 'default']])
    const [, held] = await get('users/ben/roles')
    expect(held.map(({ id, org_id }: { id: string; org_id: string }) => `${id}/${org_id}`)).toEqual([
      'admin/acme',
      'viewer/default',
      'archivist/default',
    ])
    const [, roles] = await get('roles')
    expect(roles.map(({ id }: { id: string }) => id)).toEqual(['admin', 'viewer', 'archivist'])
    expect(await get('roles/by-name/archivist')).toEqual([200, { ...archivist, org_id: null }])
    expect(await get('roles/viewer')).toEqual([200, role('viewer', null, ['hello:wave'])])
    for (const path of [
      'users/nobody',
      'users/nobody/roles',
      'users/nobody/tenants',
      'roles/none',
      'roles/by-name/none',
    ])
      expect((await get(path))[0]).toBe(404)
    expect((await first.inject({ url: '/local/users' })).statusCode).toBe(401)
  })

  it('goes on with its own environment when what is outside is deleted, and finds it when it comes again', async () => {
    await api.ask('DELETE', '/v2/projects/v1compat_global_project')
    await eventually(() => old(first, 'eva', 'read', 'archive'), false)
    expect(await old(first, 'ana', 'say', 'hello')).toBe(true)
    expect((await first.inject({ url: '/ready' })).statusCode).toBe(200)
    await api.ask('PUT', '/v1/resources', { resources: [{ type: 'archive', actions: { read: {} } }] })
    await api.ask('POST', '/v1/roles', { name: 'archivist', permissions: ['archive:read'] })
    await api.ask('PUT', '/v1/users', { key: 'eva', roles: [{ role: 'archivist' }] })
    await eventually(() => old(first, 'eva', 'read', 'archive'), true)
  })

  it('a body of v1 is 421 at the PDP of the second version, with a hint', async () => {
    const { status, body } = await ask(second, { user: 'ana', action: 'say', resource: { type: 'hello' } })
    expect([status, body.detail]).toEqual([421, expect.stringContaining('upgrade the SDK')])
  })

  it.each([
    [{}, 'user'],
    [{ user: '', action: 'say', resource: { type: 'hello' } }, 'user'],
    [{ user: 7, action: 'say', resource: { type: 'hello' } }, 'user'],
    [{ user: 'ana', resource: { type: 'hello' } }, 'action'],
    [{ user: 'ana', action: 'say' }, 'resource'],
    [{ user: 'ana', action: 'say', resource: 'hello' }, 'resource'],
    [{ user: 'ana', action: 'say', resource: { type: 7 } }, 'resource'],
    [{ user: 'ana', action: 'say', resource: { type: 'hello', id: {} } }, 'resource'],
    [{ user: 'ana', action: 'say', resource: { type: 'hello', tenant: 7 } }, 'resource'],
    [{ user: 'ana', action: 'say', resource: { type: 'hello', context: { tenant: [] } } }, 'resource'],
    [{ user: 'ana', action: 'say', resource: { type: 'hello', attributes: [] } }, 'resource'],
    [{ user: 'ana', action: 'say', resource: { type: 'hello' }, context: 7 }, 'context'],
  ])('refuses a wrong check %j', async (body, field) => {
    const answer = await ask(first, body)
    expect([answer.status, answer.body.detail[0].loc.slice(0, 2)]).toEqual([422, ['body', field]])
  })

  it('names a field as the first version calls it', async () => {
    const loc = async (body: object) => (await ask(first, body)).body.detail[0].loc
    expect(await loc({ user: 'ana', action: 'say', resource: { type: 'hello', id: 7 } })).toEqual([
      'body',
      'resource',
      'id',
    ])
    expect(await loc({ user: 'ana', action: 'say', resource: { type: 'hello', key: 7 } })).toEqual([
      'body',
      'resource',
      'key',
    ])
  })

  it('asks for the key, unless it was told to answer checks without one', async () => {
    const check = { user: 'ana', action: 'say', resource: { type: 'hello' } }
    const open = v1Pdp(key, true)
    await ready(open)
    const status = async (app: App, header: string | null) =>
      (
        await app.inject({
          method: 'POST',
          url: '/allowed',
          payload: check,
          headers: header === null ? {} : { authorization: header },
        })
      ).statusCode
    expect([await status(first, null), await status(first, 'Bearer wrong')]).toEqual([401, 403])
    expect([await status(open, null), await status(open, 'Bearer wrong')]).toEqual([200, 403])
    expect((await open.inject({ url: '/local/users' })).statusCode).toBe(401)
  })

  it('does not answer what would leave out what is outside of environments', async () => {
    for (const path of ['/allowed/bulk', '/user-permissions', '/authorized_users']) {
      const headers = { authorization: `Bearer ${key}` }
      expect((await first.inject({ method: 'POST', url: path, headers, payload: {} })).statusCode).toBe(404)
    }
  })
})

describe('[D13] a v1 PDP that does not know what is outside of environments', () => {
  it('allows what its environment allows, and could not decide the rest', async () => {
    const feed = new RemoteFeed({ url: 'http://127.0.0.1:9', apiKey: key, globalObjects: true })
    const app = pdpServer(follow(key), key, { v1: { globalObjects: new GlobalObjects({ feed }), keyless: false } })
    apps.push(app)
    await eventually(() => old(app, 'ana', 'say', 'hello'), true)
    const { status, body } = await ask(app, { user: 'ben', action: 'say', resource: { type: 'hello' } })
    expect([status, body.detail]).toEqual([503, 'no policy is loaded yet'])
    expect((await app.inject({ url: '/ready' })).statusCode).toBe(503)
  })

  it('allows what is outside while its environment is not there yet, and could not decide the rest', async () => {
    const own = new Pdp(new Follower({ feed: new RemoteFeed({ url: 'http://127.0.0.1:9', apiKey: key }) }))
    const app = pdpServer(own, key, { v1: { globalObjects: makeGlobalObjects(key), keyless: false } })
    apps.push(app)
    await eventually(() => old(app, 'eva', 'read', 'archive'), true)
    expect((await ask(app, { user: 'ben', action: 'say', resource: { type: 'hello' } })).status).toBe(503)
  })
})

describe('the feed of objects outside of environments', () => {
  const get = async (path: string, secret: string | undefined) =>
    api.app.inject({
      url: `/v1/feed/${path}`,
      headers: secret === undefined ? {} : { authorization: `Bearer ${secret}` },
    })

  it('is read by keys of environments and of the organization, from access read on', async () => {
    for (const level of ['env', 'org', 'project'] as const) {
      for (const access of ['no_access', 'read', 'admin'] as const) {
        const secret = `a-feed-key-of-${level}-${access}`
        await api.addKey(level, access, secret)
        const { statusCode } = await get('image', secret)
        expect([level, access, statusCode]).toEqual([
          level,
          access,
          access === 'no_access' || level === 'project' ? 403 : 200,
        ])
      }
    }
    expect((await get('image', api.made.environments[1]?.secret)).statusCode).toBe(200)
    expect((await get('image', undefined)).statusCode).toBe(401)
    expect((await get('deltas', key)).statusCode).toBe(422)
  })

  it('gives another organization nothing of ours, and v2 gives it to no environment key', async () => {
    const other = await api.another({ organization: 'neighbour' })
    for (const secret of [other.organization.secret, other.environments[0]?.secret]) {
      const { statusCode, body } = await get('image', secret)
      expect(statusCode).toBe(404)
      for (const id of [api.made.organization.id, api.made.project.id]) expect(body).not.toContain(id)
    }
    const path = '/v2/feed/v1compat_global_project/v1compat_global_env/image'
    expect((await api.ask('GET', path, undefined, { key })).status).toBe(404)
    expect(
      (await api.ask('GET', '/v2/facts/v1compat_global_project/v1compat_global_env/users', undefined, { key })).status,
    ).toBe(404)
  })
})
