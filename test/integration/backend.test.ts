// The integration backend over real HTTP, with tokens signed by a key of the test: what each route answers, and that
// every bad token gets the same 403 in text. No request is left open, whatever Zerohop does.
import { createHmac, createPublicKey, type JsonWebKey } from 'node:crypto'
import { request } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeTokens } from '../../src/integration/tokens.ts'
import { ZerohopError } from '../../src/model/errors.ts'
import { INTEGRATION_BODY_BYTES_MAX } from '../../src/model/limits.ts'
import { CLIENT_ID, ISSUER, Provider, ScriptedPermissions, startBackend } from './support.ts'

const FRONTEND = 'https://app.example.com'
const ROUTES = [
  ['GET', '/api/id', 'id'],
  ['GET', '/api/access', 'access'],
  ['POST', '/api/sync', 'access'],
  ['POST', '/say_hello', 'id'],
  ['POST', '/wave_hello', 'id'],
] as const

const provider = new Provider()
let permissions = new ScriptedPermissions()
let backend: Awaited<ReturnType<typeof startBackend>>

beforeAll(async () => {
  await provider.addKey('first')
  const asking = {
    sync: (key: string) => permissions.sync(key),
    check: (...asked: [string, string, string]) => permissions.check(...asked),
    close: async () => undefined,
  }
  backend = await startBackend({ tokens: provider.tokens(), permissions: asking, frontendOrigin: FRONTEND })
})
beforeEach(() => {
  permissions = new ScriptedPermissions()
})
afterAll(() => backend.app.close())

const call = (method: string, path: string, token?: string, headers: Record<string, string> = {}, body?: string) =>
  backend.call(method, path, { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...headers }, body)

describe('with a token that holds', () => {
  it('syncs a user under `sub` and nothing else, and answers the user', async () => {
    const token = await provider.token('access', { email: 'x@example.com', username: 'Ben' })
    const { status, text } = await call('POST', '/api/sync', token)
    expect([status, JSON.parse(text), permissions.synced]).toEqual([200, { id: 'id of ben', key: 'ben' }, ['ben']])
    expect(permissions.asked).toEqual([])
  })

  it('shows the claims of either token', async () => {
    const id = await call('GET', '/api/id', await provider.token('id', { 'cognito:username': 'Ben' }))
    expect([id.status, JSON.parse(id.text)]).toEqual([
      200,
      expect.objectContaining({ sub: 'ben', aud: CLIENT_ID, 'cognito:username': 'Ben' }),
    ])
    const access = await call('GET', '/api/access', await provider.token('access'))
    expect([access.status, JSON.parse(access.text)]).toEqual([
      200,
      expect.objectContaining({ sub: 'ben', client_id: CLIENT_ID }),
    ])
  })

  it('permits what a check allows and refuses what it denies, both in text', async () => {
    const token = await provider.token('id')
    const wave = await call('POST', '/wave_hello', token)
    expect([wave.status, wave.text]).toEqual([200, 'Permitted! to wave hello'])
    const say = await call('POST', '/say_hello', token)
    expect([say.status, say.text]).toEqual([403, 'Not permitted to say hello'])
    expect(say.headers.get('content-type')).toContain('text/plain')
    expect(permissions.asked).toEqual(['ben wave hello', 'ben say hello'])
  })

  it('takes any letter case of the scheme, and drops whatever body comes', async () => {
    const token = await provider.token('id')
    for (const [type, body] of [
      ['application/json', '{"a":'],
      ['text/plain', 'x'],
      ['application/x-www-form-urlencoded', 'a=1'],
    ] as const) {
      const { status } = await call(
        'POST',
        '/wave_hello',
        undefined,
        { authorization: `bEARER ${token}`, 'content-type': type },
        body,
      )
      expect(status, type).toBe(200)
    }
  })
})

const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Headers that must not pass, by what is wrong with them. */
const BAD: Readonly<Record<string, (use: 'id' | 'access') => Promise<string | undefined>>> = {
  'no header': async () => undefined,
  'an empty header': async () => '',
  'a scheme without a token': async () => 'Bearer',
  'the scheme Basic': async () => `Basic ${Buffer.from('ben:secret').toString('base64')}`,
  'a token without its scheme': (use) => provider.token(use),
  'no token at all': async () => 'Bearer nonsense',
  'three dots': async () => 'Bearer ...',
  'alg none': async (use) => {
    const [, payload] = (await provider.token(use)).split('.')
    return `Bearer ${base64({ alg: 'none', kid: 'first' })}.${payload}.`
  },
  'alg none with a signature': async (use) => {
    const [, payload, signature] = (await provider.token(use)).split('.')
    return `Bearer ${base64({ alg: 'none', kid: 'first' })}.${payload}.${signature}`
  },
  'HS256 with the public key as the secret': async (use) => {
    const [, payload] = (await provider.token(use)).split('.')
    const signed = `${base64({ alg: 'HS256', kid: 'first' })}.${payload}`
    const pem = createPublicKey({ key: provider.jwks.keys[0] as JsonWebKey, format: 'jwk' }).export({
      type: 'spki',
      format: 'pem',
    })
    return `Bearer ${signed}.${createHmac('sha256', pem).update(signed).digest('base64url')}`
  },
  'another issuer': async (use) => `Bearer ${await provider.token(use, { iss: `${ISSUER}x` })}`,
  'no issuer': async (use) => `Bearer ${await provider.token(use, { iss: undefined })}`,
  'another client': async (use) => `Bearer ${await provider.token(use, { aud: 'other', client_id: 'other' })}`,
  'no client': async (use) => `Bearer ${await provider.token(use, { aud: undefined, client_id: undefined })}`,
  expired: async (use) => `Bearer ${await provider.token(use, { exp: Math.floor(Date.now() / 1000) - 1 })}`,
  'no expiry': async (use) => `Bearer ${await provider.token(use, { exp: undefined })}`,
  'an expiry that is null': async (use) => `Bearer ${await provider.token(use, { exp: null })}`,
  'no expiry that is a number': async (use) => `Bearer ${await provider.token(use, { exp: 'never' })}`,
  'not valid yet': async (use) => `Bearer ${await provider.token(use, { nbf: Math.floor(Date.now() / 1000) + 60 })}`,
  'an access token for an ID token and the reverse': async (use) =>
    `Bearer ${await provider.token(use === 'id' ? 'access' : 'id')}`,
  'no token_use': async (use) => `Bearer ${await provider.token(use, { token_use: undefined })}`,
  'no sub': async (use) => `Bearer ${await provider.token(use, { sub: undefined })}`,
  'an empty sub': async (use) => `Bearer ${await provider.token(use, { sub: '' })}`,
  'a key that is not known': async (use) => `Bearer ${await provider.token(use, {}, { kid: 'other' })}`,
  'a critical extension': async (use) =>
    `Bearer ${await provider.token(use, {}, { crit: ['urn:example:bound'], 'urn:example:bound': true })}`,
  'an empty list of critical extensions': async (use) => `Bearer ${await provider.token(use, {}, { crit: [] })}`,
  'no kid': async (use) => {
    const [, payload, signature] = (await provider.token(use)).split('.')
    return `Bearer ${base64({ alg: 'RS256' })}.${payload}.${signature}`
  },
  'a payload that was changed': async (use) => {
    const [header, payload, signature] = (await provider.token(use)).split('.')
    const claims = JSON.parse(Buffer.from(payload!, 'base64url').toString())
    return `Bearer ${header}.${base64({ ...claims, sub: 'ana' })}.${signature}`
  },
  'a token that was cut': async (use) => `Bearer ${(await provider.token(use)).slice(0, -40)}`,
  'a payload that is no JSON': async (use) => {
    const [header, , signature] = (await provider.token(use)).split('.')
    return `Bearer ${header}.${Buffer.from('{').toString('base64url')}.${signature}`
  },
  'a token of 100 KB': async (use) => `Bearer ${await provider.token(use, { padding: 'x'.repeat(100_000) })}`,
}

describe('with a token that does not hold', () => {
  it.each(Object.keys(BAD))('answers 403 in text on every route: %s', async (name) => {
    for (const [method, path, use] of ROUTES) {
      const header = await BAD[name]!(use)
      const { status, text, headers } = await call(
        method,
        path,
        undefined,
        header === undefined ? {} : { authorization: header },
      )
      expect([status, text, headers.get('content-type')], path).toEqual([
        403,
        'Token not valid!',
        'text/plain; charset=utf-8',
      ])
    }
    expect([permissions.synced, permissions.asked]).toEqual([[], []])
  })

  it('refuses a key of another algorithm, even from the provider', async () => {
    const strange = new Provider()
    await strange.addKey('strange', 'RS512')
    const token = await strange.token('id', {}, { alg: 'RS512' })
    await expect(strange.tokens().verify(`Bearer ${token}`, 'id')).rejects.toMatchObject({ code: 'TOKEN_INVALID' })
  })

  it('follows a rotation of the keys, and fetches them once for a flood of unknown ones', async () => {
    const rotating = new Provider()
    await rotating.addKey('old')
    const tokens = rotating.tokens()
    await tokens.verify(`Bearer ${await rotating.token('id')}`, 'id')
    rotating.removeKeys()
    await rotating.addKey('new')
    expect(await tokens.verify(`Bearer ${await rotating.token('id')}`, 'id')).toMatchObject({ sub: 'ben' })
    expect(rotating.fetched).toBe(2)
    for (let at = 0; at < 200; at++) {
      const flood = await rotating.token('id', {}, { kid: `unknown ${at}` })
      await expect(tokens.verify(`Bearer ${flood}`, 'id')).rejects.toMatchObject({ code: 'TOKEN_INVALID' })
    }
    expect(rotating.fetched).toBe(3)
    expect(await tokens.verify(`Bearer ${await rotating.token('id')}`, 'id')).toMatchObject({ sub: 'ben' })
  })
})

describe('when Zerohop fails', () => {
  it.each<[string, () => Promise<never>]>([
    ['rejects', () => Promise.reject(new ZerohopError('NOT_READY'))],
    [
      'throws at once',
      () => {
        throw new Error('broken')
      },
    ],
  ])('answers 502 to a sync and 403 to a check, each with its own text: the call %s', async (_name, fail) => {
    Object.assign(permissions, { sync: fail, check: fail })
    const sync = await call('POST', '/api/sync', await provider.token('access'))
    expect([sync.status, sync.text]).toEqual([502, 'The user could not be synced'])
    for (const path of ['/say_hello', '/wave_hello']) {
      const { status, text, headers } = await call('POST', path, await provider.token('id'))
      expect([status, text]).toEqual([403, 'The permission could not be checked'])
      expect(headers.get('content-type')).toBe('text/plain; charset=utf-8')
    }
  })

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'ben'],
    ['a list', [{ id: 'id of ben', key: 'ben' }]],
    ['an empty object', {}],
    ['an error with status 200', { message: 'nobody is at home', error_code: 'UNEXPECTED_ERROR' }],
    ['what was sent', { key: 'ben' }],
    ['another user', { id: 'id of ana', key: 'ana' }],
  ])('answers 502 to a sync whose answer is no synced user: %s', async (_name, answer) => {
    permissions.sync = async () => answer
    const { status, text } = await call('POST', '/api/sync', await provider.token('access'))
    expect([status, text]).toEqual([502, 'The user could not be synced'])
  })
})

it('a body that is too large is refused, without a request to Zerohop', async () => {
  const body = 'x'.repeat(INTEGRATION_BODY_BYTES_MAX + 1)
  for (const [method, path, use] of ROUTES.filter(([method]) => method === 'POST')) {
    const { status, text } = await call(method, path, await provider.token(use), {}, body)
    expect([status, text], path).toEqual([403, 'Body too large'])
    const bad = await call(method, path, 'a.b.c', {}, body)
    expect([bad.status, bad.text], path).toEqual([403, 'Token not valid!'])
  }
  expect([permissions.synced, permissions.asked]).toEqual([[], []])
})

describe('from a browser', () => {
  it('lets pages of the frontend call, and answers their preflight', async () => {
    const headers = {
      origin: FRONTEND,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization',
    }
    const preflight = await call('OPTIONS', '/api/sync', undefined, headers)
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-origin')).toBe(FRONTEND)
    expect(preflight.headers.get('access-control-allow-methods')).toContain('POST')
    expect(preflight.headers.get('access-control-allow-headers')).toContain('authorization')
    const good = await call('POST', '/wave_hello', await provider.token('id'), { origin: FRONTEND })
    const bad = await call('POST', '/wave_hello', 'x.y.z', { origin: FRONTEND })
    for (const { headers } of [good, bad]) expect(headers.get('access-control-allow-origin')).toBe(FRONTEND)
    expect([good.status, bad.status]).toEqual([200, 403])
  })

  it.each([
    'https://other.example.com',
    'null',
    'https://sub.app.example.com',
    'https://app.example.com.evil.example',
    'http://app.example.com',
    'https://app.example.com:8443',
  ])('gives no CORS header to %s', async (origin) => {
    const asked = { origin, 'access-control-request-method': 'POST' }
    const answers = [
      await call('OPTIONS', '/api/sync', undefined, asked),
      await call('POST', '/wave_hello', await provider.token('id'), { origin }),
    ]
    for (const { headers } of answers) {
      for (const name of headers.keys()) expect(name).not.toMatch(/^access-control-/)
    }
  })

  it('lets no page of another origin call when no frontend is named', async () => {
    const closed = await startBackend({ tokens: provider.tokens(), permissions })
    const { headers } = await closed.call('GET', '/api/id', { origin: FRONTEND })
    expect(headers.get('access-control-allow-origin')).toBeNull()
    await closed.app.close()
  })
})

it('the backend answers 404 in text to another path, and survives a request that is cut off', async () => {
  const { status, text } = await call('GET', '/api/other')
  expect([status, text]).toEqual([404, 'Not found'])
  const { port } = backend.app.server.address() as { port: number }
  const cut = request({ port, method: 'POST', path: '/api/sync', headers: { 'content-length': '100' } })
  cut.on('error', () => undefined)
  cut.write('half')
  cut.destroy()
  expect((await call('GET', '/api/id', await provider.token('id'))).status).toBe(200)
})

it('issuer and keys follow from the id of a user pool, and a bad id is refused with the reason', () => {
  expect(() => makeTokens({ userPoolId: 'eu-west-1_AbCdEf', clientId: CLIENT_ID })).not.toThrow()
  expect(() => makeTokens({ userPoolId: 'my pool', clientId: CLIENT_ID })).toThrow(
    'USER_POOL_ID must be the id of a user pool',
  )
  expect(() => makeTokens({ clientId: CLIENT_ID })).toThrow('USER_POOL_ID is not set')
})
