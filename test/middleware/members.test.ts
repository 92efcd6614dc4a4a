// The routes of members: what the administrator of a customer does with them in each framework, and that no request,
// however it is made, reaches another tenant, tells what is not for them, or gets past the decision of the engine.
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { serve } from '@hono/node-server'
import express from 'express'
import Fastify from 'fastify'
import { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { clientOver, type ManagementClient } from '../../src/client/management-client.ts'
import { memberRoutes as forExpress } from '../../src/middleware/express.ts'
import { memberRoutes as forFastify } from '../../src/middleware/fastify.ts'
import { memberRoutes as forHono } from '../../src/middleware/hono.ts'
import { MemberRoutes } from '../../src/middleware/members/member-routes.ts'
import { ZerohopError } from '../../src/model/errors.ts'
import { ELEMENTS_SESSION_MS, MEMBER_BODY_BYTES_MAX } from '../../src/model/limits.ts'
import type { Pdp } from '../../src/pdp/pdp.ts'
import { loadPolicy } from '../../src/policy.ts'
import { type Harness, joinHarness } from '../http/management/harness.ts'
import {
  type Asked,
  askRoutes,
  JSON_TYPE,
  MARKED,
  clientWith as makeClient,
  memberIn,
  URL_OF_API,
} from './member-app.ts'

const POLICY = {
  zerohop: 2,
  resources: [
    { key: 'members', actions: { manage: {}, see: {} } },
    {
      key: 'doc',
      actions: { read: {}, edit: {} },
      roles: { editor: { permissions: ['edit'], assignable_by_tenants: true } },
    },
  ],
  roles: [
    { key: 'admin', permissions: ['members:manage', 'members:see'], assignable_by_tenants: true },
    { key: 'guide', permissions: ['members:see'], assignable_by_tenants: true },
    { key: 'clerk', name: 'Clerk', permissions: ['doc:read'], assignable_by_tenants: true },
    { key: 'deputy', name: 'Deputy', permissions: ['doc:read'], assignable_by_tenants: true, max_duration: 86_400 },
    { key: 'support', permissions: ['members:manage', 'doc:read'] },
  ],
}
const TENANTS = ['acme', 'globex']
const FACTS = {
  tenants: TENANTS.map((key) => ({ key })),
  users: [
    ...TENANTS.flatMap((tenant) =>
      ['boss', 'guide', 'clerk'].map((name) => ({
        key: `${tenant}-${name}`,
        email: `${name}@${tenant}.example`,
        attributes: { salary: `${tenant}-secret` },
      })),
    ),
    { key: 'shared' },
    { key: 'homeless' },
  ],
  resource_instances: TENANTS.map((tenant) => ({ resource: 'doc', key: `${tenant}-plan`, tenant })),
  role_assignments: TENANTS.flatMap((tenant) => [
    { user: `${tenant}-boss`, role: 'admin', tenant },
    { user: `${tenant}-guide`, role: 'guide', tenant },
    { user: `${tenant}-clerk`, role: 'clerk', tenant },
    { user: `${tenant}-clerk`, role: 'editor', resource_instance: `doc:${tenant}-plan` },
    { user: 'shared', role: 'clerk', tenant },
  ]),
}
const SECRETS = /zh_(tenant|env|proj|org)_|management\.internal|secret|globex/

let api: Harness
let pdp: Pdp
/** the clients with the keys of the tenants */
const clients = new Map<string, ManagementClient>()
const clientWith = (key: string): ManagementClient => makeClient(api, key)
async function clientOfLevel(level: 'env' | 'project'): Promise<ManagementClient> {
  const { organization_id, project_id, environment_id } = api.place
  const scope = level === 'env' ? { environment_id } : { project_id }
  const key = { organization_id, ...scope, object_type: level, access_level: 'write' }
  return clientWith((await api.ask('POST', '/v2/api-key', key)).body.secret)
}
const apply = async () => {
  const { status, body } = await api.ask('POST', '/v2/projects/default/envs/development/apply', {
    policy: { ...POLICY, ...FACTS },
  })
  expect({ status, body }).toMatchObject({ status: 200 })
}

beforeAll(async () => {
  api = await joinHarness()
  await apply()
  for (const tenant_id of TENANTS) {
    const { organization_id, environment_id } = api.place
    const key = { organization_id, environment_id, object_type: 'tenant', tenant_id }
    clients.set(tenant_id, clientWith((await api.ask('POST', '/v2/api-key', key)).body.secret))
  }
  pdp = loadPolicy(POLICY, { facts: FACTS, strict: false })
})
afterAll(async () => {
  await pdp.close()
  await api.close()
})

/** With a client for each tenant, or the one of the environment. */
let clientOf = (tenant: string) => clients.get(tenant)!
const OPTIONS = { client: (tenant: string) => clientOf(tenant), read: 'members:see' }

const ask = (asked: Asked) => askRoutes(pdp, OPTIONS, asked)
const give = (user: string, role: string, more: Partial<Asked> = {}) =>
  ask({ method: 'PUT', path: `/members/${user}/roles/${role}`, body: {}, ...more })
const take = (user: string, role: string, more: Partial<Asked> = {}) =>
  ask({ method: 'DELETE', path: `/members/${user}/roles/${role}`, ...more })

interface Running {
  readonly url: string
  close(): Promise<void>
}

async function onExpress(isParsed: boolean): Promise<Running> {
  const app = express()
  if (isParsed) app.use(express.json())
  const findMember = async (request: express.Request) => memberIn(request.header('x-session'))
  app.use('/authz', forExpress(pdp, { ...OPTIONS, findMember }))
  app.use(((error, _request, response, _next) => {
    response.status(500).send(`own: ${error.message}`)
  }) as express.ErrorRequestHandler)
  const server = createServer(app as Parameters<typeof createServer>[1])
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

async function onFastify(): Promise<Running> {
  const app = Fastify()
  app.setErrorHandler((error: Error, _request, reply) => reply.code(500).send(`own: ${error.message}`))
  const findMember = async ({ headers }: { headers: Record<string, unknown> }) =>
    memberIn(headers['x-session'] as string)
  await app.register(forFastify(pdp, { ...OPTIONS, findMember }), { prefix: '/authz' })
  app.post('/own', async ({ body }) => body)
  return { url: await app.listen({ port: 0, host: '127.0.0.1' }), close: () => app.close() }
}

async function onHono(isParsed: boolean): Promise<Running> {
  const inner = new Hono()
  inner.all('/*', forHono(pdp, { ...OPTIONS, findMember: async ({ req }) => memberIn(req.header('x-session')) }))
  const app = new Hono()
  if (isParsed)
    app.use(async ({ req }, next) => {
      await req.text()
      await next()
    })
  app.route('/authz', inner)
  app.onError((error, context) => context.text(`own: ${error.message}`, 500))
  return new Promise((resolve) => {
    const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
      resolve({
        url: `http://127.0.0.1:${port}`,
        close: () => new Promise((done) => void server.close(() => done())),
      }),
    )
  })
}

describe.each([
  ['Express', () => onExpress(false)],
  ['Express, where a parser came first', () => onExpress(true)],
  ['Fastify', onFastify],
  ['Hono', () => onHono(false)],
  ['Hono, where the body was read before', () => onHono(true)],
])('the routes of members on %s', (_name, start) => {
  let app: Running
  beforeAll(async () => {
    app = await start()
  })
  afterAll(() => app.close())

  const send = async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
    const response = await fetch(`${app.url}/authz${path}`, {
      method,
      headers: {
        'x-session': 'acme/acme-boss',
        ...MARKED,
        ...(body ? JSON_TYPE : {}),
        connection: 'close',
        ...headers,
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text }
  }

  it('list, give and take roles', async () => {
    const { status, headers, text } = await send('GET', '/members?search=clerk')
    expect([status, headers.get('cache-control')]).toEqual([200, 'private, no-store'])
    expect(headers.get('content-type')).toContain('application/json')
    expect(JSON.parse(text)).toEqual({
      data: [
        {
          key: 'acme-clerk',
          email: 'clerk@acme.example',
          first_name: null,
          last_name: null,
          roles: [
            { role: 'clerk', resource_instance: null },
            { role: 'editor', resource_instance: 'doc:acme-plan' },
          ],
        },
      ],
      total_count: 1,
      may_manage: true,
    })
    const path = '/members/acme-clerk/roles/guide'
    expect(await send('PUT', path, { reason: 'on call' })).toMatchObject({ status: 201 })
    expect(await send('PUT', path, {})).toMatchObject({ status: 200 })
    expect(await send('DELETE', path)).toMatchObject({ status: 204, text: '' })
    expect((await send('DELETE', path)).status).toBe(404)
  })

  it('pass an error of the session on to the application, and answer without one', async () => {
    expect(await send('GET', '/members', undefined, { 'x-session': 'trouble' })).toMatchObject({
      status: 500,
      text: 'own: no session',
    })
    expect((await send('GET', '/members', undefined, { 'x-session': '' })).status).toBe(401)
  })

  it('answer what is too long, and what is not of their form', async () => {
    const long = { reason: 'x'.repeat(MEMBER_BODY_BYTES_MAX) }
    expect(await send('PUT', '/members/acme-clerk/roles/guide', long)).toMatchObject({ status: 413 })
    for (const [method, path, want] of [
      ['GET', '/nothing', 404],
      ['GET', '/members/%2e%2e', 404],
      ['GET', '/../authz/members', 200],
      ['POST', '/members', 405],
      ['GET', '/members/acme-clerk/roles/guide', 405],
      ['PUT', '/%6dembers/acme-clerk/roles/nothing', 415],
    ] as const)
      expect([method, path, (await send(method, path)).status]).toEqual([method, path, want])
  })

  it('is where it was mounted, and nowhere else', async () => {
    for (const path of ['/authz', '/authz/', '/authzmembers', '/members', '//authz/members', '/x/authz/members']) {
      const { status } = await fetch(app.url + path, { headers: { 'x-session': 'acme/acme-boss', ...MARKED } })
      expect([path, status]).toEqual([path, 404])
    }
  })

  it('outlives a body that ends before it is whole', async () => {
    const { hostname, port } = new URL(app.url)
    const head = [
      'PUT /authz/members/acme-clerk/roles/guide HTTP/1.1',
      'host: app',
      'x-session: acme/acme-boss',
      'x-requested-with: zerohop',
      'content-type: application/json',
      'content-length: 100',
    ]
    await new Promise<void>((resolve) => {
      const socket = connect(Number(port), hostname, () => {
        socket.write(`${head.join('\r\n')}\r\n\r\n{"reason"`, () => socket.destroy())
      })
      socket.on('close', () => resolve())
    })
    expect((await send('GET', '/members')).status).toBe(200)
  })
})

describe('who may', () => {
  it('is decided by the engine: one may see, another manage, others neither', async () => {
    const statuses = async (as: string) => [
      (await ask({ as, path: '/members' })).status,
      (await ask({ as, path: '/roles' })).status,
      (await give('acme-clerk', 'clerk', { as })).status,
      (await take('acme-clerk', 'nothing', { as })).status,
      (await ask({ as, method: 'DELETE', path: '/members/nothing' })).status,
    ]
    expect(await statuses('acme/acme-boss')).toEqual([200, 200, 200, 404, 404])
    expect(await statuses('acme/acme-guide')).toEqual([200, 200, 403, 403, 403])
    for (const other of ['acme-clerk', 'globex-boss', 'homeless', 'shared', 'nothing', '*'])
      expect([other, await statuses(`acme/${other}`)]).toEqual([other, [403, 403, 403, 403, 403]])
    expect(await statuses('')).toEqual([401, 401, 401, 401, 401])
    expect((await ask({ as: 'acme/acme-guide', path: '/members' })).body.may_manage).toBe(false)
  })

  it('is the permission that the options name, and one to see where none is named', async () => {
    const asGuide = { as: 'acme/acme-guide', path: '/members' }
    expect((await ask({ ...asGuide, options: { manage: 'members:see' } })).body.may_manage).toBe(true)
    const { read: _, ...rest } = OPTIONS
    const routes = new MemberRoutes<null>(pdp, { ...rest, findMember: async () => memberIn('acme/acme-guide') })
    const request = new Request('http://app.example/members', { headers: MARKED })
    expect((await routes.handle(request, null, '/members')).status).toBe(403)
    for (const manage of ['members', 'a:b:c', ':', ''])
      expect(() => new MemberRoutes(pdp, { ...OPTIONS, manage, findMember: async () => null })).toThrow(
        'must be a permission',
      )
  })

  it('is 503 while the engine cannot decide', async () => {
    const closed = loadPolicy(POLICY, { facts: FACTS })
    await closed.close()
    const routes = new MemberRoutes<null>(closed, { ...OPTIONS, findMember: async () => memberIn('acme/acme-boss') })
    const response = await routes.handle(
      new Request('http://app.example/members', { headers: MARKED }),
      null,
      '/members',
    )
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
  })

  it('is not said by something that is no session', async () => {
    for (const member of [
      {},
      'acme-boss',
      { user: 'acme-boss' },
      { tenant: '', user: 'acme-boss' },
      { tenant: 'acme', user: 7 },
    ])
      await expect(ask({ path: '/members', options: { findMember: async () => member as never } })).rejects.toThrow(
        'findMember',
      )
  })
})

describe.each(['of the tenant', 'of the environment'])('another tenant, with the key %s,', (which) => {
  beforeAll(async () => {
    if (which === 'of the tenant') return
    const client = await clientOfLevel('env')
    clientOf = () => client
  })
  afterAll(() => {
    clientOf = (tenant) => clients.get(tenant)!
  })

  it('is not reached by a path, a query, a body or a header', async () => {
    const before = await api.ask('GET', '$F/role_assignments?tenant=globex&per_page=100')
    const keys = [
      'globex-clerk',
      '..%2F..%2Fglobex%2Fusers%2Fglobex-clerk',
      '%2e%2e',
      '..%2fglobex',
      'x%00',
      '%',
      'a%2Fb',
      '*',
    ]
    for (const key of keys) {
      for (const method of ['DELETE', 'PUT'] as const) {
        const body = method === 'PUT' ? { body: {} } : {}
        expect([key, (await ask({ method, path: `/members/${key}/roles/clerk`, ...body })).status]).toEqual([key, 404])
      }
      expect([key, (await ask({ method: 'DELETE', path: `/members/${key}` })).status]).toEqual([key, 404])
    }
    for (const field of ['tenant', 'tenant_id', 'user', 'role', 'as', '__proto__', 'constructor', 'toString'])
      expect(await give('acme-clerk', 'guide', { body: `{"${field}":"globex"}` })).toMatchObject({
        status: 422,
        body: { message: `unknown field \`${field}\`` },
      })
    for (const query of [
      'tenant=globex',
      'tenant_id=globex',
      'state=ended',
      '__proto__=x',
      'search=a&search=b',
      'role=a&role=b',
    ])
      expect([query, (await ask({ path: `/members?${query}` })).status]).toEqual([query, 422])
    for (const query of ['role=globex', 'search=globex', 'search=secret']) {
      const { body } = await ask({ path: `/members?${query}` })
      expect([query, body.data, body.total_count]).toEqual([query, [], 0])
    }
    const onPlan = { body: { resource_instance: 'doc:globex-plan' } }
    expect((await give('acme-clerk', 'editor', onPlan)).status).toBe(404)
    expect((await give('acme-clerk', 'support')).status).toBe(404)
    expect(
      (
        await take('globex-clerk', 'editor', {
          path: '/members/globex-clerk/roles/editor?resource_instance=doc:globex-plan',
        })
      ).status,
    ).toBe(404)
    const headers = { 'x-tenant': 'globex', authorization: 'Bearer x', 'x-forwarded-prefix': '/globex' }
    expect((await ask({ path: '/members', headers })).text).not.toMatch(/globex/)
    expect((await api.ask('GET', '$F/role_assignments?tenant=globex&per_page=100')).body).toEqual(before.body)
  })

  it('is not reached with its key in the session of this one, or with this one in the session of that', async () => {
    const crossed = { client: (tenant: string) => clients.get(tenant === 'acme' ? 'globex' : 'acme')! }
    for (const as of ['acme/acme-boss', 'globex/globex-boss'])
      expect((await ask({ as, path: '/members', options: crossed })).status).toBe(404)
  })

  it('is not reached with a key that is of no environment', async () => {
    const causes: unknown[] = []
    const client = await clientOfLevel('project')
    const answered = await ask({ path: '/members', options: { client, onError: (error) => causes.push(error) } })
    expect([answered.status, String(causes[0])]).toEqual([
      503,
      'Error: the key of the client is not the key of an environment or of a tenant',
    ])
  })

  it('keeps its users, attributes and ids to itself', async () => {
    const { text } = await ask({ path: '/members' })
    expect(text).not.toMatch(SECRETS)
    expect(text).not.toMatch(/attributes|[0-9a-f]{32}/)
    expect(
      (await ask({ as: 'globex/globex-boss', path: '/members' })).body.data.map(({ key }: { key: string }) => key),
    ).toEqual(['globex-boss', 'globex-guide', 'globex-clerk', 'shared'])
  })
})

describe('the roles', () => {
  it('that are offered are those that tenants may assign, and no other can be given', async () => {
    const { body } = await ask({ path: '/roles' })
    expect(body.data.map(({ key }: { key: string }) => key)).toEqual(['admin', 'guide', 'clerk', 'deputy', 'editor'])
    expect(body.data[3]).toEqual({
      key: 'deputy',
      is_own: false,
      resource: null,
      name: 'Deputy',
      description: null,
      permissions: ['doc:read'],
      extends: [],
      max_duration: 86_400,
    })
    expect((await give('acme-clerk', 'support')).body).toEqual({
      error: 'not_found',
      error_code: 'NOT_FOUND',
      message: expect.stringContaining('support'),
    })
  })

  it('are given with times, within their limits, and shown with them', async () => {
    const until = new Date(Date.now() + 3_600_000).toISOString()
    expect((await give('acme-guide', 'deputy', { body: { valid_until: until } })).status).toBe(201)
    const { body } = await ask({ path: '/members?search=guide' })
    const [, deputy] = body.data[0].roles
    expect([deputy.role, Date.parse(deputy.valid_until)]).toEqual(['deputy', Date.parse(until)])
    for (const [sent, want] of [
      [{ valid_until: null }, 422],
      [{ valid_until: 'tomorrow' }, 422],
      [{ valid_until: [] }, 422],
      [{ reason: 7 }, 422],
    ] as const)
      expect([sent, (await give('acme-guide', 'deputy', { body: sent })).status]).toEqual([sent, want])
    expect((await take('acme-guide', 'deputy')).status).toBe(204)
  })

  it('go with a member who is removed from the tenant, and stay in others', async () => {
    expect((await ask({ method: 'DELETE', path: '/members/shared' })).status).toBe(204)
    const { body } = await api.ask('GET', '$F/users/shared')
    expect(body.associated_tenants.map(({ tenant }: { tenant: string }) => tenant)).toEqual(['globex'])
    await apply()
  })
})

describe('invites', () => {
  const invite = (body: object, more: Partial<Asked> = {}) => ask({ method: 'POST', path: '/invites', body, ...more })

  it('are made, listed and cancelled, with the same answer whether the user exists', async () => {
    const made = []
    for (const user of ['globex-boss', 'no-one']) {
      const { status, body } = await invite({ user, role: 'clerk' })
      const { id, ...rest } = body
      made.push({ status, ...rest, user: null })
      expect((await invite({ user, role: 'clerk' })).status).toBe(409)
      expect((await ask({ method: 'DELETE', path: `/invites/${id}` })).status).toBe(204)
      expect((await ask({ method: 'DELETE', path: `/invites/${id}` })).status).toBe(404)
    }
    expect(made[0]).toEqual(made[1])
    const until = new Date(Date.now() + 3_600_000).toISOString()
    const named = { email: 'dan@acme.example', first_name: 'Dan', last_name: 'Dee', role: 'editor' }
    await invite({ ...named, resource_instance: 'doc:acme-plan', valid_until: until, reason: 'helps', ticket: 'T-1' })
    const { body } = await ask({ path: '/invites?status=pending' })
    expect(body).toEqual({
      data: [
        {
          id: expect.stringMatching(/^[0-9a-f]{32}$/),
          ...named,
          user: null,
          status: 'pending',
          resource_instance: 'doc:acme-plan',
          valid_until: expect.any(String),
        },
      ],
      total_count: 1,
      may_manage: true,
    })
    expect((await ask({ path: '/invites?status=approved' })).body.data).toEqual([])
    expect((await ask({ path: '/invites?status=nothing' })).status).toBe(422)
  })

  it('are of this tenant alone, to roles that tenants may assign, by who may manage', async () => {
    const there = await invite({ email: 'x@y.example', role: 'clerk' }, { as: 'globex/globex-boss' })
    expect((await ask({ method: 'DELETE', path: `/invites/${there.body.id}` })).status).toBe(404)
    for (const id of ['..', '%2e%2e%2fusers%2fshared', 'shared', '0'.repeat(32)])
      expect([id, (await ask({ method: 'DELETE', path: `/invites/${id}` })).status]).toEqual([id, 404])
    expect((await ask({ path: '/invites' })).text).not.toContain('x@y.example')
    expect((await invite({ email: 'x@y.example', role: 'support' })).status).toBe(404)
    for (const [body, want] of [
      [{ role: 'clerk' }, 422],
      [{ email: 'x', role: 'clerk' }, 422],
      [{ email: 'z@y.example' }, 422],
      [{ email: 'z@y.example', role: 'clerk', tenant: 'globex' }, 422],
      [{ email: 'z@y.example', role: 'clerk', by_tenant: false }, 422],
      [{ user: '*', role: 'clerk' }, 422],
    ] as const)
      expect([body, (await invite(body)).status]).toEqual([body, want])
    const asGuide = { as: 'acme/acme-guide' }
    expect((await ask({ path: '/invites', ...asGuide })).status).toBe(200)
    expect((await invite({ email: 'z@y.example', role: 'clerk' }, asGuide)).status).toBe(403)
    expect((await ask({ method: 'DELETE', path: `/invites/${there.body.id}`, ...asGuide })).status).toBe(403)
  })
})

describe('a session', () => {
  const COOKIE = '__Host-zerohop-members'
  let client: ManagementClient
  let key: string
  beforeAll(async () => {
    const { organization_id, environment_id } = api.place
    const wanted = { organization_id, environment_id, object_type: 'env', access_level: 'write' }
    key = (await api.ask('POST', '/v2/api-key', wanted)).body.secret
    client = clientWith(key)
  })
  const logIn = (user_id: string, tenant_id: string) =>
    api.ask('POST', '/v2/auth/elements_login_as', { user_id, tenant_id }, { key })
  /** A request of a product that has no session of its own, or that of `as`. */
  const askWith = (asked: Partial<Asked> & { token?: string; cookie?: string }) => {
    const { token = '', cookie = `${COOKIE}=${token}`, as = '', path = '/members', ...rest } = asked
    const options = { client, loginPage: '/members' }
    return ask({ ...rest, as, path, options, headers: { cookie, ...rest.headers } })
  }
  const begin = async (user: string, tenant: string): Promise<string> => {
    const { status, body } = await logIn(user, tenant)
    expect({ status, body }).toMatchObject({ status: 200 })
    return body.token
  }

  it('is begun by the server, taken into a cookie by a link, and is then who asks', async () => {
    const { body } = await logIn('acme-boss', 'acme')
    expect(body).toMatchObject({ redirect_url: `/authz/login?token=${body.token}` })
    expect(Math.abs(Date.parse(body.expires_at) - Date.now() - ELEMENTS_SESSION_MS)).toBeLessThan(60_000)
    const taken = await askWith({ path: `/login?token=${body.token}`, headers: { 'x-requested-with': '' } })
    expect([taken.status, taken.headers.get('location')]).toEqual([303, '/members'])
    expect(taken.headers.get('referrer-policy')).toBe('no-referrer')
    const cookie = taken.headers.get('set-cookie')!
    const form = `^${COOKIE}=${body.token}; Path=/; HttpOnly; Secure; SameSite=Strict; Expires=${new Date(body.expires_at).toUTCString()}$`
    expect(cookie).toMatch(new RegExp(form))
    const { body: members } = await askWith({ cookie: cookie.split(';')[0]! })
    expect([members.may_manage, members.data[0].key]).toEqual([true, 'acme-boss'])
  })

  it('decides nothing by itself: who may manage is a decision as ever, and the user is that of the session', async () => {
    const token = await begin('acme-clerk', 'acme')
    expect((await askWith({ token })).status).toBe(403)
    const shared = await begin('shared', 'globex')
    expect((await askWith({ token: shared })).status).toBe(403)
    for (const headers of [{ 'x-tenant': 'acme' }, { 'x-user': 'acme-boss' }] as Record<string, string>[])
      expect((await askWith({ token: shared, headers })).status).toBe(403)
  })

  it('reaches no other tenant', async () => {
    const token = await begin('globex-boss', 'globex')
    const { text } = await askWith({ token })
    expect(text).not.toMatch(/acme/)
    const taken = { method: 'DELETE', path: '/members/acme-clerk/roles/clerk' }
    expect((await askWith({ token, ...taken })).status).toBe(404)
    expect((await logIn('globex-boss', 'acme')).status).toBe(404)
    expect((await logIn('homeless', 'acme')).status).toBe(404)
    expect((await logIn('nothing', 'acme')).status).toBe(404)
    expect((await logIn('acme-boss', 'nothing')).status).toBe(404)
  })

  it('is over when it is ended, at once, and for every copy of its cookie', async () => {
    const token = await begin('acme-boss', 'acme')
    expect((await askWith({ token })).status).toBe(200)
    expect(
      (await askWith({ token, path: '/login', method: 'DELETE', headers: { 'x-requested-with': '' } })).status,
    ).toBe(403)
    const ended = await askWith({ token, path: '/login', method: 'DELETE' })
    expect([ended.status, ended.headers.get('set-cookie')]).toEqual([204, expect.stringContaining('Max-Age=0')])
    expect((await askWith({ token })).status).toBe(401)
    expect((await askWith({ path: `/login?token=${token}` })).status).toBe(401)
    expect((await askWith({ token, path: '/login', method: 'DELETE' })).status).toBe(204)
  })

  it('is over after its time', async () => {
    const token = await begin('acme-boss', 'acme')
    expect((await askWith({ token })).status).toBe(200)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ELEMENTS_SESSION_MS })
    try {
      expect((await askWith({ token })).status).toBe(401)
      expect((await askWith({ path: `/login?token=${token}` })).status).toBe(401)
    } finally {
      vi.useRealTimers()
    }
  })

  it('is over when its user leaves the tenant', async () => {
    const token = await begin('shared', 'acme')
    expect((await askWith({ token })).status).toBe(403)
    await api.ask('DELETE', '$F/tenants/acme/users/shared')
    expect((await askWith({ token })).status).toBe(401)
    await apply()
  })

  it('of somebody else is not begun by a link, and is not that of who is signed in to the product', async () => {
    const token = await begin('globex-boss', 'globex')
    const as = 'acme/acme-boss'
    for (const own of [as, 'globex/globex-clerk', 'acme/globex-boss'])
      expect((await askWith({ as: own, path: `/login?token=${token}` })).status).toBe(403)
    expect((await askWith({ as: 'globex/globex-boss', path: `/login?token=${token}` })).status).toBe(303)
    expect((await askWith({ as, token })).body.data[0].key).toBe('acme-boss')
  })

  it('is made of nothing but its token: no part of it, no key, no other cookie', async () => {
    const token = await begin('acme-boss', 'acme')
    const ofTenant = { object_type: 'tenant', tenant_id: 'acme' }
    const { organization_id, environment_id } = api.place
    const made = (await api.ask('POST', '/v2/api-key', { organization_id, environment_id, ...ofTenant })).body
    for (const cookie of [
      '',
      `${COOKIE}=`,
      `${COOKIE}=${token.slice(0, -1)}`,
      `${COOKIE}=${token}x`,
      `${COOKIE}=${key}`,
      `${COOKIE}=${made.secret}`,
      `x${COOKIE}=${token}`,
      `zerohop-members=${token}`,
      `${COOKIE}=${token}; ${COOKIE}=${token}`,
      `${COOKIE}="${token}"`,
    ])
      expect([cookie, (await askWith({ cookie })).status]).toEqual([cookie, 401])
    for (const path of [
      '/login',
      '/login?token=',
      `/login?token=${key}`,
      '/login?token=../x',
      `/login?token=${'x'.repeat(9_000)}`,
    ])
      expect([path.slice(0, 40), (await askWith({ path })).status]).toEqual([path.slice(0, 40), 401])
    expect((await ask({ as: '', path: `/login?token=${token}` })).status).toBe(404)
    expect((await ask({ as: '', path: '/members', headers: { cookie: `${COOKIE}=${token}` } })).status).toBe(401)
  })

  it('opens nothing of the management API, is on no list of keys, and is stored as a hash', async () => {
    const token = await begin('acme-boss', 'acme')
    for (const path of ['/v2/api-key/scope', '$F/tenants/acme/users', '$F/users'])
      expect((await api.ask('GET', path, undefined, { key: token })).status).toBe(401)
    const listed = (await api.ask('GET', '/v2/api-key?per_page=100')).body
    expect(JSON.stringify(listed)).not.toMatch(/"owner_type":"elements"/)
    const stored = [...api.store.view(api.place.organization_id).list('api_key')].filter(({ user_id }) => user_id)
    expect(stored.length).toBeGreaterThan(0)
    expect(JSON.stringify(stored)).not.toContain(token.slice('zh_elements_'.length))
    expect(stored.map(({ access, level }) => [access, level])).toEqual(stored.map(() => ['no_access', 'tenant']))
    const id = stored[0]!.id
    for (const [method, path] of [
      ['GET', `/v2/api-key/${id}`],
      ['DELETE', `/v2/api-key/${id}`],
      ['POST', `/v2/api-key/${id}/rotate-secret`],
    ] as const)
      expect([path, (await api.ask(method, path, method === 'POST' ? {} : undefined)).status]).toEqual([path, 404])
  })

  it('of one environment is unknown in another, and needs the key of an environment', async () => {
    const token = await begin('acme-boss', 'acme')
    const other = api.made.environments.find(({ key: name }) => name !== 'development')!.secret
    for (const path of ['/v2/auth/elements_session', '/v2/auth/elements_logout']) {
      expect((await api.ask('POST', path, { token }, { key: other })).status).toBe(404)
      expect((await api.ask('POST', path, { token })).status).toBe(403)
      expect((await api.ask('POST', path, { token: 'nothing' }, { key })).status).toBe(404)
      expect((await api.ask('POST', path, { token, user: 'x' }, { key })).status).toBe(422)
    }
    const looked = await api.ask('POST', '/v2/auth/elements_session', { token }, { key })
    expect(looked.body).toMatchObject({ user: 'acme-boss', tenant: 'acme' })
  })

  it('needs one client, and is unavailable while the management API is', async () => {
    const findMember = async () => null
    expect(() => new MemberRoutes(pdp, { ...OPTIONS, findMember, loginPage: '/' })).toThrow('one client')
    const down = clientOver(async () => new Response(null, { status: 500 }), URL_OF_API, 'key')
    const options = { client: down, loginPage: '/' }
    const headers = { cookie: `${COOKIE}=zh_elements_${'x'.repeat(40)}` }
    expect((await ask({ as: '', path: '/members', headers, options })).status).toBe(503)
    expect((await ask({ as: '', path: '/login', method: 'DELETE', headers, options })).status).toBe(503)
  })
})

describe('a request', () => {
  it('without the header that marks it, or from another site, changes and reads nothing', async () => {
    const refused: Record<string, string>[] = [
      { 'x-requested-with': '' },
      { 'x-requested-with': 'XMLHttpRequest' },
      { 'sec-fetch-site': 'cross-site' },
    ]
    for (const headers of refused)
      for (const one of [ask({ path: '/members', headers }), give('acme-clerk', 'guide', { headers })])
        expect([headers, (await one).status]).toEqual([headers, 403])
  })

  it('has a body of JSON, an object of known fields', async () => {
    for (const [body, headers, want] of [
      ['{}', { 'content-type': 'text/plain' }, 415],
      ['{}', { 'content-type': 'application/jsonx' }, 415],
      ['a=b', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
      ['{', {}, 400],
      ['', {}, 400],
      ['null', {}, 422],
      ['[]', {}, 422],
      ['"x"', {}, 422],
      [`{"reason":"${'x'.repeat(MEMBER_BODY_BYTES_MAX)}"}`, {}, 413],
      ['[['.repeat(8_000), {}, 400],
    ] as const)
      expect([body.slice(0, 20), (await give('acme-clerk', 'clerk', { body, headers })).status]).toEqual([
        body.slice(0, 20),
        want,
      ])
    expect(
      (await give('acme-clerk', 'clerk', { headers: { 'content-type': 'application/json; charset=utf-8' } })).status,
    ).toBe(200)
  })

  it('is answered without the key and the address, whatever the management API does', async () => {
    const causes: string[] = []
    const onError = (error: unknown) => {
      causes.push(String(error))
      throw new Error('the log is full')
    }
    const failing = (answer: () => Promise<Response>) => {
      const client = clientOver(answer, URL_OF_API, 'zh_tenant_secret')
      return ask({ path: '/members', options: { client, onError } })
    }
    const body = { message: 'at http://management.internal with zh_tenant_secret', id: '1' }
    for (const answer of [
      async () => Response.json(body, { status: 500 }),
      async () => Response.json(body, { status: 401 }),
      async () => Response.json(body, { status: 403 }),
      async () => Response.json(body, { status: 429 }),
      async () => Promise.reject(new ZerohopError('FEED_UNREACHABLE', { reason: 'connect management.internal' })),
      async () => new Response('<html>', { status: 502 }),
    ]) {
      const { status, text, headers } = await failing(answer)
      expect([status, headers.get('retry-after'), text]).toEqual([503, '1', expect.not.stringMatching(SECRETS)])
    }
    expect(causes).toHaveLength(6)
  })

  it('works again when the management API does', async () => {
    let isDown = true
    const client = clientOver(
      async (request) => {
        if (isDown) return new Response(null, { status: 503 })
        if (request.url.endsWith('/scope'))
          return Response.json({ project_id: 'p', environment_id: 'e', tenant_id: 't' })
        expect(request.url).toContain('/v2/facts/p/e/tenants/acme/users')
        return Response.json({ data: [], total_count: 0, page_count: 0 })
      },
      URL_OF_API,
      'key',
    )
    const options = { client }
    expect((await ask({ path: '/members', options })).status).toBe(503)
    isDown = false
    expect((await ask({ path: '/members', options })).status).toBe(200)
  })
})
