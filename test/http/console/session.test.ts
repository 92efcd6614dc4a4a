// Sessions of the console: what signs in, what a session may do, and what an attacker would try with its cookie.
import type { FastifyInstance } from 'fastify'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { withoutRequest } from '../../../src/log/change.ts'
import { hashSecret } from '../../../src/management/objects/api-key.ts'
import {
  SESSION_IDLE_MS,
  SESSION_MS,
  SESSION_RENEW_MS,
  SIGN_IN_LINK_MS,
  WRONG_KEYS_FREE,
} from '../../../src/model/limits.ts'
import { type Installation, openInstallation, PROXIED, Visitor } from './harness.ts'

const SESSION = '/console/api/session'
const USERS = '/console/api/v2/facts/default/development/users'
const BY = withoutRequest('test')

let own: Installation
let admin: string
beforeAll(async () => {
  own = await openInstallation()
  admin = (await own.addKey('admin')).secret
})
afterAll(() => own.close())
afterEach(() => void vi.useRealTimers())

async function signedIn(key = admin): Promise<Visitor> {
  const visitor = new Visitor(own.app)
  expect((await visitor.signIn(key)).status).toBe(200)
  return visitor
}

/** The secret of a key that ends in `ms`. */
async function endingKey(ms: number): Promise<string> {
  const { organization, store } = own.management
  const expires_at = new Date(Date.now() + ms).toISOString()
  const of = { level: 'org', access: 'admin', expires_at } as const
  return (await store.commit(organization, 'createApiKey', of, BY)).result.secret
}

/** Lets the clock of the server go on; timers stay as they are. */
function later(ms: number): void {
  const now = Date.now() + ms
  vi.useFakeTimers({ toFake: ['Date'], now })
}

describe('signing in with an API key', () => {
  it('gives a cookie that scripts cannot read, and the token that changes need', async () => {
    const { key, secret } = await own.addKey('read', 'support')
    const visitor = new Visitor(own.app)
    const answer = await visitor.signIn(secret)
    expect(answer.headers['set-cookie']).toMatch(/^zerohop_session=[\w.-]+; Path=\/; HttpOnly; SameSite=Strict$/)
    expect(answer.json()).toEqual({
      csrf_token: expect.stringMatching(/^[\w-]{22}$/),
      expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      access: {
        organization_id: key.organization_id,
        project_id: null,
        environment_id: null,
        object_type: 'org',
        access_level: 'read',
        only: null,
        name: 'support',
      },
      user: null,
      acts_as: null,
    })
    expect((await visitor.ask('GET', SESSION)).json()).toEqual(answer.json())
    expect((await visitor.ask('GET', USERS)).json()).toMatchObject({ data: [] })
    // what the key may not do, its session may not do
    expect((await visitor.ask('POST', USERS, { body: { key: 'ana' } })).status).toBe(403)
  })

  it('under TLS, also behind a proxy, names the cookie so that no other host can plant it', async () => {
    const visitor = new Visitor(own.app, PROXIED)
    const answer = await visitor.signIn(admin)
    expect(answer.headers['set-cookie']).toMatch(
      /^__Host-zerohop_session=[\w.-]+; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    )
    expect((await visitor.ask('GET', SESSION)).status).toBe(200)
    // the name without the prefix, which a neighbour under plain HTTP could set, counts for nothing there
    visitor.cookie = visitor.cookie?.replace('__Host-', '')
    expect((await visitor.ask('GET', SESSION)).status).toBe(401)
  })

  it('writes as the key does, and history names the key', async () => {
    const visitor = await signedIn()
    const written = await visitor.ask('POST', USERS, { body: { key: 'ana' } })
    expect(written.status).toBe(200)
    const { json } = await visitor.ask('GET', '/console/api/v2/history')
    expect(json().data[0]).toMatchObject({ method: 'POST', path: '/v2/facts/default/development/users' })
  })

  it('refuses what is not a key, and makes an address that guesses wait longer and longer', async () => {
    const guess = (address: string) => new Visitor(own.app).signIn('zh_org_guess', { address })
    for (let at = 0; at < WRONG_KEYS_FREE; at++) {
      const answer = await guess('192.0.2.1')
      expect(answer.status).toBe(401)
      expect(answer.headers['set-cookie']).toBeUndefined()
    }
    const waits: unknown[] = []
    for (let at = 0; at < 3; at++) {
      const refused = await guess('192.0.2.1')
      expect(refused.status).toBe(429)
      waits.push(refused.headers['retry-after'])
      later(Number(refused.headers['retry-after']) * 1000)
      await guess('192.0.2.1')
    }
    expect(waits).toEqual(['1', '2', '4'])
  })

  it('holds nobody up who has a right key, behind the same address or another one', async () => {
    const guess = () => new Visitor(own.app).signIn('zh_org_guess', { address: '192.0.2.3' })
    for (let at = 0; at < WRONG_KEYS_FREE; at++) await guess()
    expect((await guess()).status).toBe(429)
    for (const address of ['192.0.2.3', '192.0.2.4'])
      expect((await new Visitor(own.app).signIn(admin, { address })).status).toBe(200)
    expect((await guess()).status).toBe(429) // what was right does not end the wait of what is wrong
  })

  it('counts the hosts of one IPv6 network together', async () => {
    for (let at = 0; at < WRONG_KEYS_FREE; at++)
      await new Visitor(own.app).signIn('zh_org_guess', { address: `2001:db8:0:1::${at}` })
    const guess = (address: string) => new Visitor(own.app).signIn('zh_org_guess', { address })
    expect((await guess('2001:db8:0:1:ffff::7')).status).toBe(429)
    expect((await guess('2001:db8:0:2::1')).status).toBe(401)
  })

  it('counts hosts of IPv4 each for itself, also where the server listens on IPv6 and sees them mapped', async () => {
    const guess = (address: string) => new Visitor(own.app).signIn('zh_org_guess', { address })
    for (let at = 0; at < WRONG_KEYS_FREE; at++) await guess('::ffff:192.0.2.5')
    expect((await guess('::ffff:192.0.2.5')).status).toBe(429)
    expect((await guess('::FFFF:192.0.2.5')).status).toBe(429)
    expect((await guess('::ffff:192.0.2.6')).status).toBe(401)
    expect((await guess('192.0.2.5')).status).toBe(429)
  })

  it('takes a right key once and again while its address waits, and does not count one that has ended', async () => {
    const address = '192.0.2.7'
    const ending = await endingKey(60_000)
    for (let at = 0; at < WRONG_KEYS_FREE; at++) await new Visitor(own.app).signIn('zh_org_guess', { address })
    const tries = Array.from({ length: WRONG_KEYS_FREE + 1 }, () => new Visitor(own.app).signIn(admin, { address }))
    expect((await Promise.all(tries)).map(({ status }) => status)).toEqual(tries.map(() => 200))
    expect((await new Visitor(own.app).signIn(ending, { address })).status).toBe(200)
    later(60_000)
    for (let at = 0; at <= WRONG_KEYS_FREE; at++) {
      const answer = await new Visitor(own.app).signIn(ending, { address: '192.0.2.8' })
      expect([answer.status, answer.json().message]).toEqual([401, 'this API key has expired'])
    }
    expect((await new Visitor(own.app).signIn('zh_org_guess', { address: '192.0.2.8' })).status).toBe(401)
  })

  it.each([
    ['nothing', {}],
    ['a number', { api_key: 1 }],
    ['more than a key', { api_key: 'k', remember: true }],
  ])('refuses %s', async (_, body) => {
    expect((await new Visitor(own.app).ask('POST', SESSION, { body })).status).toBe(422)
  })

  it('reads no body that is longer than a key', async () => {
    const answer = await new Visitor(own.app).signIn('k'.repeat(5_000))
    expect(answer.status).toBe(413)
  })
})

describe('the end of a session', () => {
  it('comes when it is signed out: a copy of its cookie is worth nothing', async () => {
    const visitor = await signedIn()
    const { cookie, csrf } = visitor
    const answer = await visitor.ask('DELETE', SESSION)
    expect(answer.status).toBe(204)
    expect(answer.headers['set-cookie']).toMatch(/^zerohop_session=; .*Max-Age=0$/)
    expect((await visitor.ask('GET', USERS, { headers: { cookie, 'x-csrf-token': csrf } })).status).toBe(401)
  })

  it('comes after eight hours without a request', async () => {
    const visitor = await signedIn()
    later(SESSION_IDLE_MS - 1000)
    expect((await visitor.ask('GET', USERS)).status).toBe(200)
    later(SESSION_IDLE_MS - 1000)
    expect((await visitor.ask('GET', USERS)).status).toBe(200)
    later(SESSION_IDLE_MS)
    const ended = await visitor.ask('GET', USERS)
    expect(ended.status).toBe(401)
    expect(ended.json().message).toContain('sign in')
  })

  it('comes after a day, however busy it is; its cookie is sealed anew only now and then', async () => {
    const visitor = await signedIn()
    const first = visitor.cookie
    expect((await visitor.ask('GET', USERS)).headers['set-cookie']).toBeUndefined()
    for (let at = 0; at < 3; at++) {
      later(SESSION_IDLE_MS - SESSION_RENEW_MS)
      expect((await visitor.ask('GET', USERS)).status).toBe(200)
    }
    expect(visitor.cookie).not.toBe(first)
    const { expires_at } = (await visitor.ask('GET', SESSION)).json()
    expect(Date.parse(expires_at) - Date.now()).toBeLessThanOrEqual(
      SESSION_MS - 3 * (SESSION_IDLE_MS - SESSION_RENEW_MS),
    )
    later(4 * SESSION_RENEW_MS)
    expect((await visitor.ask('GET', USERS)).status).toBe(401)
  })

  it.each([
    ['rotated', 'rotateApiKey'],
    ['deleted', 'deleteApiKey'],
  ] as const)('comes at once when its key is %s, for a stolen cookie too', async (_, useCase) => {
    const { key, secret } = await own.addKey('admin', 'about to go')
    const visitor = await signedIn(secret)
    expect((await visitor.ask('GET', USERS)).status).toBe(200)
    await own.management.store.commit(own.management.organization, useCase, { ref: key.id }, BY)
    for (const [method, path] of [
      ['GET', USERS],
      ['GET', SESSION],
      ['DELETE', SESSION],
    ] as const) {
      const answer = await visitor.ask(method, path)
      expect(answer.status).toBe(401)
      expect(answer.json().message).toBe('this API key was rotated or deleted')
    }
  })

  it('comes with the end of its key, which is seen at the next request', async () => {
    const visitor = await signedIn(await endingKey(60_000))
    later(59_000)
    expect((await visitor.ask('GET', USERS)).status).toBe(200)
    later(1_000)
    expect((await visitor.ask('GET', USERS)).status).toBe(401)
    expect((await visitor.ask('POST', USERS, { body: { key: 'after-the-end' } })).status).toBe(401)
  })

  it('comes with the end of the old secret that opened it, while the new one goes on', async () => {
    const { key, secret } = await own.addKey('admin', 'rotated-slowly')
    const before = await signedIn(secret)
    const { organization, store } = own.management
    const kept = { ref: key.id, keepOldSeconds: 60 }
    const after = (await store.commit(organization, 'rotateApiKey', kept, BY)).result.secret
    const renewed = await signedIn(after)
    expect((await before.ask('GET', USERS)).status).toBe(200)
    later(61_000)
    expect([(await before.ask('GET', USERS)).status, (await renewed.ask('GET', USERS)).status]).toEqual([401, 200])
  })

  it('is the same on another replica and after a restart', async () => {
    const visitor = await signedIn()
    const other = new Visitor(own.again())
    other.cookie = visitor.cookie
    expect((await other.ask('GET', USERS)).status).toBe(200)
  })
})

describe('a cookie', () => {
  it('of another installation is not believed', async () => {
    const other = await openInstallation()
    const visitor = new Visitor(other.app)
    await visitor.signIn((await other.addKey('admin')).secret)
    const here = new Visitor(own.app)
    here.cookie = visitor.cookie
    await other.close()
    expect((await here.ask('GET', SESSION)).status).toBe(401)
  })

  it('that is tampered with, truncated, empty, doubled or endless is not believed', async () => {
    const { cookie } = await signedIn()
    const [name, value = ''] = cookie!.split('=')
    const flipped = (at: number) => `${value.slice(0, at)}${value[at] === 'A' ? 'B' : 'A'}${value.slice(at + 1)}`
    const middle = value.lastIndexOf('.', value.length - 30) + 20
    const forged = `${Buffer.from('{"alg":"none"}').toString('base64url')}...${Buffer.from('{}').toString('base64url')}.`
    const planted = `${cookie}; ${name}=${value}`
    const bad = [
      flipped(middle),
      flipped(3),
      value.slice(0, -4),
      value.slice(1),
      '',
      forged,
      `${value}${'A'.repeat(4_000)}`,
    ]
    for (const sent of [...bad.map((one) => `${name}=${one}`), planted]) {
      const answer = await new Visitor(own.app).ask('GET', SESSION, { headers: { cookie: sent } })
      expect([sent, answer.status]).toEqual([sent, 401])
    }
    expect(
      (await new Visitor(own.app).ask('GET', SESSION, { headers: { cookie: `a=1; ${cookie}; b=2` } })).status,
    ).toBe(200)
  })

  it('says nothing to who reads it', async () => {
    const { cookie } = await signedIn()
    const parts = cookie!.split('=')[1]!.split('.')
    const readable = parts.map((part) => Buffer.from(part, 'base64url').toString('latin1')).join()
    expect(readable).not.toContain(hashSecret(admin))
    expect(readable).toContain('A256GCM')
  })

  it('cannot be fixed in advance: signing in gives another session, and ends the one that was there', async () => {
    const planted = await signedIn()
    const victim = new Visitor(own.app)
    victim.cookie = planted.cookie
    await victim.signIn(admin)
    expect(victim.cookie).not.toBe(planted.cookie)
    expect(victim.csrf).not.toBe(planted.csrf)
    expect((await planted.ask('GET', SESSION)).status).toBe(401)
  })

  it('counts below /console/api alone, and a bearer key counts everywhere but there', async () => {
    const { cookie, csrf } = await signedIn()
    const bearer = { authorization: `Bearer ${admin}` }
    const status = async (path: string, headers: Record<string, string | undefined>) =>
      (await new Visitor(own.app).ask('GET', path, { headers })).status
    const direct = '/v2/facts/default/development/users'
    expect(await status(direct, { cookie, 'x-csrf-token': csrf })).toBe(401)
    expect(await status(direct, bearer)).toBe(200)
    expect(await status(USERS, bearer)).toBe(401)
    expect(await status(SESSION, bearer)).toBe(401)
    expect(await status(USERS, { cookie, ...bearer })).toBe(200)
    // the cookie decides, not the key in the same request
    expect(await status(USERS, { cookie, authorization: 'Bearer zh_org_guess' })).toBe(200)
  })

  it('opens no other spelling of a path', async () => {
    const { cookie } = await signedIn()
    for (const method of ['GET', 'POST', 'DELETE'] as const) {
      const body = method === 'POST' ? { api_key: admin } : undefined
      const headers = { cookie, authorization: `Bearer ${admin}` }
      const answer = await new Visitor(own.app).ask(method, '/console/%61pi/session', { headers, body })
      expect([method, [404, 405].includes(answer.status), answer.headers['set-cookie']]).toEqual([
        method,
        true,
        undefined,
      ])
    }
    const bearer = { authorization: `Bearer ${admin}` }
    for (const path of ['/console/%61pi/session', '/console/api/../api/v2/projects', '//console/api/session']) {
      const answer = await new Visitor(own.app).ask('GET', path, { headers: { cookie, ...bearer } })
      expect([path, answer.text.includes('csrf_token')]).toEqual([path, false])
    }
    for (const path of [
      '/console/api',
      '/console/api/',
      '/console/api/metrics',
      '/console/api/v1/users',
      '/console/api/health',
    ])
      expect([path, (await new Visitor(own.app).ask('GET', path, { headers: { cookie } })).status]).toEqual([path, 404])
  })
})

describe('a page of another origin', () => {
  it.each([
    ['of another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    [
      'of another site, in a browser without fetch metadata',
      { origin: 'https://evil.example', 'sec-fetch-site': undefined },
    ],
    [
      'of a sibling port, which gets the cookie too',
      { origin: 'http://localhost:3000', 'sec-fetch-site': 'same-site' },
    ],
    ['of the same host over TLS', { origin: 'https://localhost', 'sec-fetch-site': undefined }],
    ['in a sandbox', { origin: 'null', 'sec-fetch-site': undefined }],
    ['that sends no origin', { origin: undefined, 'sec-fetch-site': 'cross-site' }],
    ['that is a subdomain', { origin: 'http://localhost.evil.example', 'sec-fetch-site': undefined }],
  ])('%s neither reads nor writes nor signs in', async (_, headers) => {
    const visitor = await signedIn()
    const before = visitor.cookie
    for (const [method, path, body] of [
      ['GET', USERS, undefined],
      ['POST', USERS, { key: 'eve' }],
      ['DELETE', SESSION, undefined],
      ['POST', SESSION, { api_key: admin }],
    ] as const) {
      const answer = await visitor.ask(method, path, { headers, body })
      expect([method, path, answer.status]).toEqual([method, path, 403])
      expect(answer.headers['access-control-allow-origin']).toBeUndefined()
    }
    expect(visitor.cookie).toBe(before)
    expect((await visitor.ask('GET', USERS)).status).toBe(200)
  })

  it.each([
    'evil.example',
    'localhost:8081',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '10.0.0.5',
    'localhost.',
    '',
  ])('under the name %j, which leads to this server, gets nothing', async (host) => {
    const visitor = await signedIn()
    const headers = { host, origin: `http://${host}` }
    const answer = await visitor.ask('GET', USERS, { headers })
    expect(answer.status).toBe(403)
    expect((await visitor.signIn(admin)).status).toBe(200)
    expect((await visitor.ask('POST', SESSION, { headers, body: { api_key: admin } })).status).toBe(403)
  })

  it.each(['127.0.0.1', '[::1]', 'LOCALHOST'])('is not what asks under the loopback name %s', async (host) => {
    const visitor = await signedIn()
    const headers = { host, origin: `http://${host.toLowerCase()}` }
    expect((await visitor.ask('POST', USERS, { headers, body: { key: host.replace(/\W/g, '-') } })).status).toBe(200)
  })

  it('cannot change anything without the token of the session', async () => {
    const visitor = await signedIn()
    const other = await signedIn()
    for (const token of [undefined, '', 'x', other.csrf, `${visitor.csrf}x`]) {
      const answer = await visitor.ask('POST', USERS, { headers: { 'x-csrf-token': token }, body: { key: 'eve' } })
      expect(answer.status).toBe(403)
      expect(answer.json().message).toContain('x-csrf-token')
    }
    expect((await visitor.ask('DELETE', SESSION, { headers: { 'x-csrf-token': undefined } })).status).toBe(403)
    expect((await visitor.ask('GET', USERS, { headers: { 'x-csrf-token': undefined } })).status).toBe(200)
  })
})

describe('answers with data', () => {
  it('are for no cache and no other page, refusals too', async () => {
    const visitor = await signedIn()
    const stranger = new Visitor(own.app)
    for (const answer of [
      await visitor.ask('GET', USERS),
      await visitor.ask('GET', SESSION),
      await visitor.ask('GET', '/console/api/v2/nothing'),
      await stranger.ask('GET', USERS),
      await stranger.signIn('zh_org_guess'),
    ])
      expect(answer.headers).toMatchObject({
        'cache-control': 'no-store',
        'content-type': 'application/json',
        'cross-origin-resource-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
      })
  })

  it('have the names of keys as they are, never as markup, and the longest keys of the policy', async () => {
    const name = '</script><img src=x onerror=alert(1)>'
    const { secret } = await own.addKey('admin', name)
    const visitor = await signedIn(secret)
    const shown = await visitor.ask('GET', SESSION)
    expect(shown.headers['content-type']).toBe('application/json')
    expect(shown.json().access.name).toBe(name)
    const page = await visitor.ask('GET', '/console/')
    expect(page.text).not.toContain('onerror')
    const key = 'k'.repeat(256)
    expect((await visitor.ask('POST', USERS, { body: { key } })).status).toBe(200)
    expect((await visitor.ask('GET', `${USERS}/${key}`)).json().key).toBe(key)
    expect((await visitor.ask('DELETE', `${USERS}/${key}`)).status).toBe(204)
  })
})

describe('the link of a new folder', () => {
  // its own count of wrong keys
  let app: FastifyInstance
  beforeAll(() => {
    app = own.again()
  })
  const link = () => app.console!.link(hashSecret(admin))
  const redeem = (token: string, asking: Parameters<Visitor['ask']>[2] = {}, visitor = new Visitor(app)) =>
    visitor.ask('POST', `${SESSION}/link`, { ...asking, body: { token } })

  it('signs in once', async () => {
    const token = link()
    const visitor = new Visitor(app)
    const answer = await redeem(token, {}, visitor)
    expect(answer.json()).toMatchObject({ access: { access_level: 'admin' } })
    expect((await visitor.ask('GET', USERS)).status).toBe(200)
    expect((await redeem(token)).status).toBe(401)
  })

  it('is too old after five minutes', async () => {
    const token = link()
    later(SIGN_IN_LINK_MS)
    expect((await redeem(token)).status).toBe(401)
  })

  it.each([
    ['from another machine', { address: '192.0.2.9' }],
    ['from another machine over IPv6', { address: '2001:db8::9' }],
    ['through a proxy', { headers: { 'x-forwarded-for': '192.0.2.9' } }],
    ['through a proxy of the standard', { headers: { forwarded: 'for=192.0.2.9' } }],
    ['under the name of a proxy', { headers: { host: new URL(PROXIED).host, origin: PROXIED } }],
  ])('does not work %s, and is not used up by that', async (_, asking) => {
    const token = link()
    expect((await redeem(token, asking)).status).toBe(403)
    expect((await redeem(token)).status).toBe(200)
  })

  it('is not used up by a wrong token, and is refused to pages of others', async () => {
    const token = link()
    expect((await redeem(`${token}x`, { address: '127.0.0.9' })).status).toBe(401)
    expect(
      (await redeem(token, { headers: { origin: 'http://localhost:3000', 'sec-fetch-site': 'same-site' } })).status,
    ).toBe(403)
    expect((await redeem(token)).status).toBe(200)
  })

  it('is replaced by the next one, and ends with its key', async () => {
    const first = link()
    const { key, secret } = await own.addKey('admin', 'first')
    const second = app.console!.link(hashSecret(secret))
    expect((await redeem(first, { address: '127.0.0.10' })).status).toBe(401)
    await own.management.store.commit(own.management.organization, 'deleteApiKey', { ref: key.id }, BY)
    expect((await redeem(second, { address: '127.0.0.10' })).status).toBe(401)
  })
})
