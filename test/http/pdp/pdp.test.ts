// The PDP over HTTP: forms of bodies and answers, who may ask, what is refused. Asked by inject on a real data folder.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Image } from '../../../src/image/image.ts'
import { BULK_CHECKS_BYTES_MAX, BULK_CHECKS_MAX } from '../../../src/model/limits.ts'
import { loadImage } from '../../../src/pdp/pdp.ts'
import { type Management, openManagement, pdpServer, pooledPdpServer, readKeys } from '../../../src/server.ts'
import { give, HELLO } from '../../pdp/policies.ts'
import { ENVIRONMENT, makePosition } from '../../support/deltas.ts'
import { TESTER } from '../../support/environments.ts'
import { temporaryFolder } from '../../support/folders.ts'

type App = ReturnType<typeof pdpServer>

interface Asked {
  readonly status: number
  readonly body: ReturnType<typeof JSON.parse>
  readonly headers: Readonly<Record<string, unknown>>
}

async function post(app: App, path: string, body: unknown, headers: Record<string, string>): Promise<Asked> {
  const payload = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
  const all = { 'content-type': 'application/json', ...headers }
  const response = await app.inject({ method: 'POST', url: path, headers: all, payload })
  return {
    status: response.statusCode,
    body: response.body === '' ? undefined : response.json(),
    headers: response.headers,
  }
}

const KEY = 'the key of the environment'
const bearer = { authorization: `Bearer ${KEY}` }
const check = (user: string, action: string, rest: object = {}) => ({
  user: { key: user },
  action,
  resource: { type: 'hello', ...rest },
})
const decided = (allow: boolean) => ({ allow, result: allow, query: null, debug: null })

describe('the PDP of one environment', () => {
  const image = Image.build(ENVIRONMENT, makePosition(7), HELLO)
  let app: App
  const ask = (path: string, body: unknown, headers: Record<string, string> = bearer) => post(app, path, body, headers)

  beforeAll(() => {
    app = pdpServer(loadImage(image.save()), KEY)
  })
  afterAll(() => app.close())

  it('answers a check with the revision that decided it', async () => {
    const allowed = await ask('/allowed', check('ana', 'say'))
    expect(allowed).toMatchObject({ status: 200, body: decided(true) })
    expect([allowed.headers['x-revision'], allowed.headers['content-type']]).toEqual(['7', 'application/json'])
    expect((await ask('/allowed', check('ben', 'say'))).body).toEqual(decided(false))
  })

  it('accepts what public clients send: nulls, instances, attributes, unknown fields, a second member of one name', async () => {
    const bodies = [
      {
        ...check('ana', 'say', { key: null, tenant: null, attributes: null, context: {} }),
        context: null,
        sdk: 'node',
      },
      {
        ...check('ana', 'say', { key: 'plan', id: 'x', tenant: 'default', attributes: { a: 1 } }),
        context: { now: 1 },
      },
      { ...check('ana', 'say'), user: { key: 'ana', email: null, firstName: 'Ana', roles: [], attributes: null } },
    ]
    for (const body of bodies) expect((await ask('/allowed', body)).body).toEqual(decided(true))
    const twice = '{"user":{"key":"ben"},"user":{"key":"ana"},"action":"say","resource":{"type":"hello"}}'
    expect((await ask('/allowed', twice)).body).toEqual(decided(true))
  })

  it('[D1] denies what is unknown, and is not shaken by any name', async () => {
    for (const name of ['nobody', '__proto__', 'constructor', 'toString', '', '\ud800', 'a/b:c', 'x'.repeat(5000)]) {
      const asked = [
        check(name, 'say'),
        check('ana', name),
        check('ana', 'say', { type: name }),
        check('ana', 'say', { tenant: name }),
      ]
      for (const body of asked)
        expect(await ask('/allowed', body), name).toMatchObject({ status: 200, body: decided(false) })
    }
    const proto =
      '{"__proto__":{"key":"ana"},"user":{"__proto__":1,"key":"ana"},"action":"say","resource":{"type":"hello"}}'
    expect((await ask('/allowed', proto)).body).toEqual(decided(true))
  })

  it.each([
    ['user', {}, ['body', 'user']],
    ['user.key', { ...check('ana', 'say'), user: {} }, ['body', 'user', 'key']],
    ['user.key', { ...check('ana', 'say'), user: { key: 5 } }, ['body', 'user', 'key']],
    [
      'user.attributes',
      { ...check('ana', 'say'), user: { key: 'ana', attributes: [] } },
      ['body', 'user', 'attributes'],
    ],
    ['action', { ...check('ana', 'say'), action: null }, ['body', 'action']],
    ['resource', { ...check('ana', 'say'), resource: 'hello' }, ['body', 'resource']],
    ['resource.type', { ...check('ana', 'say'), resource: {} }, ['body', 'resource', 'type']],
    ['resource.key', check('ana', 'say', { key: 7 }), ['body', 'resource', 'key']],
    ['resource.tenant', check('ana', 'say', { tenant: {} }), ['body', 'resource', 'tenant']],
    ['resource.relations', check('ana', 'say', { relations: [] }), ['body', 'resource', 'relations']],
    ['relation', check('ana', 'say', { relations: { in: 'f:1' } }), ['body', 'resource', 'relations', 'in']],
    ['subject', check('ana', 'say', { relations: { in: ['f:1', 'f1'] } }), ['body', 'resource', 'relations', 'in', 1]],
    [
      'number of subjects',
      check('ana', 'say', { relations: { in: Array(65).fill('f:1') } }),
      ['body', 'resource', 'relations', 'in'],
    ],
    ['context', { ...check('ana', 'say'), context: 'now' }, ['body', 'context']],
    ['the body', [], ['body']],
  ])('refuses a wrong %s with 422 and its path', async (_, body, loc) => {
    const { status, body: answer } = await ask('/allowed', body)
    expect([status, answer.detail[0].loc]).toEqual([422, loc])
    expect(Object.keys(answer.detail[0]).sort()).toEqual(['loc', 'msg', 'type'])
  })

  it('tells a client of the first API version to upgrade', async () => {
    const { status, body } = await ask('/allowed', { user: 'ana', action: 'say', resource: { type: 'hello' } })
    expect([status, body.detail]).toEqual([421, expect.stringContaining('upgrade')])
  })

  it('refuses a body that is not JSON, not UTF-8, missing, or of another type, with an error in JSON', async () => {
    const bad = [
      await ask('/allowed', '{"user":'),
      await ask('/allowed', Buffer.from([0x22, 0xff, 0x22])),
      await ask('/allowed', ''),
      await ask('/allowed', `${'['.repeat(40)}${']'.repeat(40)}`),
      await ask('/allowed', 'user=ana', { ...bearer, 'content-type': 'application/x-www-form-urlencoded' }),
      await ask('/nowhere', {}),
    ]
    expect(bad.map(({ status }) => status)).toEqual([422, 422, 422, 422, 415, 404])
    for (const { body } of bad) expect(body).toHaveProperty('detail')
  })

  it('answers a bulk check in order, an empty one with nothing', async () => {
    const { body, headers } = await ask('/allowed/bulk', [
      check('ana', 'say'),
      check('ben', 'say'),
      check('ben', 'wave'),
    ])
    expect(body).toEqual({ allow: [decided(true), decided(false), decided(true)] })
    expect(headers['x-revision']).toBe('7')
    expect((await ask('/allowed/bulk', [])).body).toEqual({ allow: [] })
  })

  it('refuses a bulk check with one wrong item as a whole, and names the item', async () => {
    const { status, body } = await ask('/allowed/bulk', [check('ana', 'say'), { ...check('ana', 'say'), action: 1 }])
    expect([status, body.detail[0].loc]).toEqual([422, ['body', 1, 'action']])
    const related = [check('ana', 'say', { relations: { in: Array(65).fill('f:1') } })]
    const loc = ['body', 0, 'resource', 'relations', 'in']
    expect((await ask('/allowed/bulk', related)).body.detail[0].loc).toEqual(loc)
    expect((await ask('/allowed/bulk', [null])).body.detail[0].loc).toEqual(['body', 0])
    expect((await ask('/allowed/bulk', {})).body.detail[0].loc).toEqual(['body'])
  })

  it('answers as many checks as the limit says, and no more', async () => {
    const small = check('ana', 'say')
    const most = await ask(
      '/allowed/bulk',
      Array.from({ length: BULK_CHECKS_MAX }, () => small),
    )
    expect([most.status, most.body.allow.length]).toEqual([200, BULK_CHECKS_MAX])
    const more = await ask(
      '/allowed/bulk',
      Array.from({ length: BULK_CHECKS_MAX + 1 }, () => small),
    )
    expect([more.status, more.body.detail]).toEqual([413, expect.stringContaining(String(BULK_CHECKS_MAX))])
    const context = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`member${at}`, at]))
    const large = JSON.stringify(Array.from({ length: BULK_CHECKS_MAX }, () => ({ ...small, context })))
    expect((await ask('/allowed/bulk', large.padEnd(BULK_CHECKS_BYTES_MAX))).body.allow).toHaveLength(BULK_CHECKS_MAX)
    const padding = ' '.repeat(BULK_CHECKS_BYTES_MAX)
    expect((await ask('/allowed/bulk', `[]${padding}`)).status).toBe(413)
    expect((await ask('/allowed', JSON.stringify(small) + ' '.repeat(1024 * 1024))).status).toBe(413)
  })

  it('lists the permissions of a user by tenant', async () => {
    const { body, headers } = await ask('/user-permissions', { user: { key: 'ana' }, tenants: null, resources: null })
    const tenant = { key: 'default', attributes: {} }
    expect(body).toEqual({ '__tenant:default': { tenant, permissions: ['hello:say', 'hello:wave'], roles: ['admin'] } })
    expect(headers['x-revision']).toBe('7')
    const none = [
      { user: { key: 'nobody' } },
      { user: { key: 'ana' }, tenants: ['acme'] },
      { user: { key: 'ana' }, resource_types: ['hello'] },
      { user: { key: 'ana' }, resources: ['hello:plan'] },
    ]
    for (const query of none) expect((await ask('/user-permissions', query)).body).toEqual({})
    expect((await ask('/user-permissions', { user: { key: 'ana' }, tenants: 'acme' })).body.detail[0].loc).toEqual([
      'body',
      'tenants',
    ])
  })

  it('explains a decision when asked to', async () => {
    const explain = { ...bearer, 'x-explain': 'true' }
    const allowed = await ask('/allowed', check('ana', 'say', { key: 'plan' }), explain)
    expect(allowed.body).toMatchObject({ allow: true, result: true, query: null })
    expect(allowed.body.debug).toMatchObject({
      request: {
        user: { key: 'ana', synced: true },
        tenant: 'default',
        action: 'say',
        resource: { type: 'hello', key: 'plan' },
      },
      rbac: { allow: true, code: 'allow', allowing_roles: ['admin'] },
      rebac: { allow: false, code: 'no_such_instance', allowing_roles: [] },
      abac: { allow: false, code: 'disabled', rules: 0, allowing_rules: [], nearest_misses: [], notes: [] },
    })
    const codes: [object, string][] = [
      [check('ana', 'say', { type: 'nothing' }), 'no_such_resource'],
      [check('ana', 'sing'), 'no_such_action'],
      [check('ana', 'say', { tenant: 'nowhere' }), 'no_such_tenant'],
      [check('nobody', 'say'), 'user_not_synced'],
      [check('zoe', 'say'), 'no_user_roles'],
      [check('ana', 'say', { tenant: 'acme' }), 'no_role_in_tenant'],
      [check('ben', 'say'), 'no_permission'],
    ]
    for (const [body, code] of codes) expect((await ask('/allowed', body, explain)).body.debug.rbac.code).toBe(code)
  })

  it('[D16] says of a role for everybody that everybody holds it, and who is not stored', async () => {
    const given = Image.build(ENVIRONMENT, makePosition(8), [...HELLO, give('*', 'viewer')])
    const shared = pdpServer(loadImage(given.save()), KEY)
    const explained = async (user: string) =>
      (await post(shared, '/allowed', check(user, 'wave'), { ...bearer, 'x-explain': 'true' })).body
    for (const [user, synced, reason] of [
      ['nobody', false, 'everyone holds `viewer`, which has the permission'],
      ['zoe', true, 'everyone holds `viewer`, which has the permission'],
      ['ben', true, 'the user holds `viewer`, which has the permission'],
    ] as const)
      expect(await explained(user)).toMatchObject({
        allow: true,
        debug: {
          request: { user: { key: user, synced } },
          rbac: { reason, allowing_roles: ['viewer'] },
        },
      })
    await shared.close()
  })

  it('asks for a key: none is 401, a wrong one 403, before it looks at the body', async () => {
    const headers: Record<string, string>[] = [
      {},
      { authorization: '' },
      { authorization: 'Bearer wrong' },
      { authorization: `Bearer ${KEY}x` },
      { authorization: `Basic ${KEY}` },
      { authorization: KEY },
    ]
    for (const path of ['/allowed', '/allowed/bulk', '/user-permissions']) {
      const answers = await Promise.all(headers.map((header) => ask(path, '{', header)))
      expect(answers.map(({ status }) => status)).toEqual([401, 401, 403, 403, 403, 403])
      for (const { body } of answers) expect(body).toEqual({ detail: expect.any(String) })
    }
    expect((await ask('/allowed', check('ana', 'say'), { authorization: `bearer ${KEY}` })).status).toBe(200)
  })

  it('waits for a revision, and says 503 when it does not come', async () => {
    const wait = (revision: string) => ask('/allowed', check('ana', 'say'), { ...bearer, 'x-min-revision': revision })
    expect((await wait('7')).body).toEqual(decided(true))
    expect((await wait('8')).status).toBe(503)
    expect((await wait('soon')).body.detail[0].loc).toEqual(['header', 'x-min-revision'])
  })

  it('reports its health without a key', async () => {
    for (const path of ['/health', '/healthy', '/ready']) {
      const response = await app.inject(path)
      expect(response.statusCode).toBe(200)
      expect(response.json()).toMatchObject({
        status: 'ok',
        components: { horizon: { status: 'ok' }, opa: { status: 'ok' } },
        revision: 7,
      })
    }
  })
})

describe('a PDP without a policy', () => {
  it('says 503 to checks and to health, never a deny', async () => {
    const pdp = loadImage(Image.build(ENVIRONMENT, makePosition(7), HELLO).save())
    const app = pdpServer(pdp, KEY)
    await pdp.close()
    const answers = await Promise.all(
      ['/allowed', '/allowed/bulk'].map((path) =>
        post(app, path, path === '/allowed' ? check('ana', 'say') : [check('ana', 'say')], bearer),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual([503, 503])
    const ready = await app.inject('/ready')
    expect([ready.statusCode, ready.json().status]).toEqual([503, 'error'])
    await app.close()
  })
})

describe('the PDP of every environment', () => {
  const data = temporaryFolder('pooled')
  let management: Management
  let app: App
  const key = (name: string) => readKeys(data)?.environments[name] ?? ''
  const ask = (body: unknown, secret: string, headers: Record<string, string> = {}) =>
    post(app, '/allowed', body, { authorization: `Bearer ${secret}`, ...headers })
  const environment = (name: string) => {
    const environments = [...management.store.view(management.organization).list('environment')]
    return environments.find((each) => each.environment === name)!.id
  }

  beforeAll(async () => {
    management = await openManagement({ data })
    app = pooledPdpServer(management)
  })
  afterAll(async () => {
    await app.close()
    await management.store.close()
  })

  it('answers for the environment of the key', async () => {
    expect((await ask(check('ana', 'say'), key('development'))).body).toEqual(decided(true))
    expect((await ask(check('ana', 'say'), key('production'))).body).toEqual(decided(false))
  })

  it('answers by a write whose revision is asked for', async () => {
    const log = environment('production')
    const create = async (name: 'createResource' | 'createRole' | 'createUser', input: never) =>
      (await management.store.commit(log, name, input, TESTER)).revision
    await create('createResource', { key: 'hello', actions: { say: {} } } as never)
    await create('createRole', { key: 'admin', permissions: ['hello:say'] } as never)
    const revision = await create('createUser', { key: 'ana', role_assignments: [{ role: 'admin' }] } as never)
    const asked = await ask(check('ana', 'say'), key('production'), { 'x-min-revision': String(revision) })
    expect([asked.body, asked.headers['x-revision']]).toEqual([decided(true), String(revision)])
  })

  it('refuses the organization key, which names no environment', async () => {
    expect((await ask(check('ana', 'say'), readKeys(data)?.organization ?? '')).status).toBe(403)
  })

  it('admits a `read` key, refuses one without access, and buries a deleted one with 401', async () => {
    const make = async (access: 'read' | 'no_access') => {
      const input = { level: 'env', access, project: 'default', environment: 'development' } as const
      return (await management.store.commit(management.organization, 'createApiKey', input, TESTER)).result
    }
    const [read, none] = [await make('read'), await make('no_access')]
    expect((await ask(check('ana', 'say'), read.secret)).body).toEqual(decided(true))
    expect((await ask(check('ana', 'say'), none.secret)).status).toBe(403)
    await management.store.commit(management.organization, 'deleteApiKey', { ref: read.key.id }, TESTER)
    expect((await ask(check('ana', 'say'), read.secret)).status).toBe(401)
    expect((await ask(check('ana', 'say'), key('development'))).status).toBe(200)
  })

  it('could not decide for an environment that is deleted, and says so', async () => {
    const { store, organization } = management
    const input = { project: 'default', environment: { key: 'short-lived' } }
    const { id } = (await store.commit(organization, 'createEnvironment', input, TESTER)).result
    const secret = store.readSecret([...store.view(organization).by('keys_of_environment', id)][0]!.id)!
    expect((await ask(check('ana', 'say'), secret)).body).toEqual(decided(false))
    await store.commit(organization, 'deleteEnvironment', { ref: id }, TESTER)
    const answer = await ask(check('ana', 'say'), secret)
    expect([answer.status, answer.body]).toEqual([503, { detail: 'environment deleted' }])
  })
})
