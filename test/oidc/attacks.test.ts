// Tokens of any OpenID provider at the integration backend and at the middleware: what is taken, and everything that must
// not be. Both doors give one answer: refused (403 there, 401 here), or 503 where nothing is known of the token.
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { Image } from '../../src/image/image.ts'
import { integrationApp } from '../../src/integration/integration-app.ts'
import { makeTokens } from '../../src/integration/tokens.ts'
import { authorization, type JwtSubjectOptions, subjectFromJwt } from '../../src/middleware/fastify.ts'
import type { ZerohopError } from '../../src/model/errors.ts'
import {
  GROUPS_MAX,
  JWKS_KEEP_MS,
  JWKS_REFRESH_MS,
  JWKS_RETRY_MS,
  JWKS_TRIES_MAX,
  JWKS_UNKNOWN_KEY_MS,
  TOKEN_LENGTH_MAX,
  TOKEN_SKEW_SECONDS,
} from '../../src/model/limits.ts'
import { loadImage } from '../../src/pdp/pdp.ts'
import { ScriptedPermissions } from '../integration/support.ts'
import { ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { AUDIENCE, CLIENT, jwk, KEYS, now, OwnProvider, signToken } from './own-provider.ts'
import { GROUPS_DECIDE } from './policy.ts'

const pdp = loadImage(Image.build(ENVIRONMENT, makePosition(1), GROUPS_DECIDE).save())
const provider = await new OwnProvider().open()
const closing: FastifyInstance[] = []
afterAll(async () => {
  for (const app of closing) await app.close()
  provider.close()
})

const HELD = { backend: 200, middleware: 200 }
const REFUSED = { backend: 403, middleware: 401 }
const UNKNOWN = { backend: 503, middleware: 503 }

const reasons: ZerohopError[] = []

/** Both doors, before anything was read of the provider. */
function openDoors(options: Partial<JwtSubjectOptions> = {}) {
  const { issuer } = provider
  const tokens = makeTokens({ claims: 'oidc', issuer, clientId: CLIENT, audience: AUDIENCE })
  const backend = integrationApp({ tokens, permissions: new ScriptedPermissions() })
  const onError = (error: ZerohopError) => void reasons.push(error)
  const { user, verify } = subjectFromJwt({ issuer, audience: AUDIENCE, onError, ...options })
  const middleware = Fastify()
  middleware.addHook('onRequest', verify)
  middleware.get('/', async (request) => user(request) ?? null)
  const { allow } = authorization(pdp, { user })
  middleware.get('/say', { onRequest: allow('say', 'hello') }, async () => 'said')
  closing.push(backend, middleware)
  const ask = async (app: FastifyInstance, url: string, token: string | undefined) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const { statusCode, body, headers: answered } = await app.inject({ url, headers })
    return { status: statusCode, body, headers: answered }
  }
  return {
    backend: (token: string, path = '/api/access') => ask(backend, path, token),
    middleware: (token?: string, path = '/') => ask(middleware, path, token),
  }
}

/** Doors that know the usual keys; `openDoors` makes others. */
const known = openDoors()
let doors = known

/** What both doors answer to an access token. */
async function askBoth(token: string) {
  return { backend: (await doors.backend(token)).status, middleware: (await doors.middleware(token)).status }
}

beforeEach(() => {
  const fresh = new OwnProvider()
  const { keys, algorithms, changed, answer, asked } = fresh
  Object.assign(provider, { keys, algorithms, changed, answer, asked })
  reasons.length = 0
  doors = known
})

describe('a token', () => {
  it.each([
    ['RS256', KEYS.rsa],
    ['PS256', KEYS.rsa],
    ['ES256', KEYS.curve],
    ['EdDSA', KEYS.edwards],
  ] as const)('holds by a key of its algorithm, also one that does not say for which it is: %s', async (alg, key) => {
    for (const members of [{ alg, use: 'sig' }, {}, { key_ops: ['verify'] }]) {
      provider.keys = [jwk(key, { kid: 'one', ...members })]
      doors = openDoors()
      expect(await askBoth(provider.access({}, { alg }, key))).toEqual(HELD)
    }
    provider.algorithms = ['RS256', 'PS256', 'ES256', 'EdDSA'].filter((one) => one !== alg)
    doors = openDoors()
    expect(await askBoth(provider.access({}, { alg }, key))).toEqual(REFUSED)
  })

  it('holds by one of two keys of its id, whichever comes first, and by no key of another use', async () => {
    const members = { kid: 'one', use: 'sig' }
    const other = jwk(KEYS.otherRsa, members)
    for (const keys of [
      [other, jwk(KEYS.rsa, members)],
      [jwk(KEYS.rsa, members), other],
      [null, 5, { kty: 'RSA', n: 5, e: 'AQAB', kid: 'one' }, jwk(KEYS.curve, members), jwk(KEYS.rsa, members)],
    ]) {
      provider.keys = keys
      doors = openDoors()
      expect(await askBoth(provider.access())).toEqual(HELD)
      expect(await askBoth(provider.access({}, {}, KEYS.otherCurve))).toEqual(REFUSED)
    }
    for (const members of [{ use: 'enc' }, { key_ops: ['encrypt'] }, { alg: 'RS512' }, { d: 'AQAB' }]) {
      provider.keys = [jwk(KEYS.rsa, { kid: 'one', ...members })]
      doors = openDoors()
      expect(await askBoth(provider.access())).toEqual(REFUSED)
    }
  })

  it('is tried with a bounded number of keys', async () => {
    const others = Array.from({ length: JWKS_TRIES_MAX }, () => jwk(KEYS.otherRsa, { kid: 'one' }))
    provider.keys = [...others.slice(1), jwk(KEYS.rsa, { kid: 'one' })]
    doors = openDoors()
    expect(await askBoth(provider.access())).toEqual(HELD)
    provider.keys = [...others, jwk(KEYS.rsa, { kid: 'one' })]
    doors = openDoors()
    expect(await askBoth(provider.access())).toEqual(REFUSED)
  })

  it.each<[string, () => string]>([
    ['for another audience', () => provider.access({ aud: 'another' })],
    ['for a part of the audience', () => provider.access({ aud: `${AUDIENCE} another` })],
    ['for an audience in a list in a list', () => provider.access({ aud: [[AUDIENCE]] as never })],
    ['without an audience', () => provider.access({ aud: undefined })],
    ['of another issuer', () => provider.access({ iss: 'https://other.example.com' })],
    ['of an issuer with one slash more', () => provider.access({ iss: `${provider.issuer}/` })],
    ['of several issuers', () => provider.access({ iss: [provider.issuer] })],
    ['without an issuer', () => provider.access({ iss: undefined })],
    ['without a signature (none)', () => `${provider.access({}, { alg: 'none' })}AA`],
    ['with an empty signature (none)', () => provider.access({}, { alg: 'none' })],
    ['with `None`', () => provider.access({}, { alg: 'None' })],
    ['signed by HS256 with the public key', () => provider.access({}, { alg: 'HS256' })],
    ['of an algorithm that is never taken', () => provider.access({}, { alg: 'RS512' })],
    ['without an algorithm', () => provider.access({}, { alg: undefined })],
    ['signed by another RSA key', () => provider.access({}, {}, KEYS.otherRsa)],
    ['signed by another RSA key of another kid', () => provider.access({}, { kid: 'two' }, KEYS.otherRsa)],
    ['with its key in the header', () => provider.access({}, { jwk: jwk(KEYS.otherRsa) }, KEYS.otherRsa)],
    ['with a critical extension', () => provider.access({}, { crit: ['exp'] })],
    ['with an unencoded payload', () => provider.access({}, { b64: false, crit: ['b64'] })],
    ['that is over', () => provider.access({ exp: now() - TOKEN_SKEW_SECONDS - 1 })],
    ['that is never over', () => provider.access({ exp: undefined })],
    ['whose end is a text', () => provider.access({ exp: String(now() + 600) })],
    ['that has not begun', () => provider.access({ nbf: now() + TOKEN_SKEW_SECONDS + 60 })],
    ['without a subject', () => provider.access({ sub: undefined })],
    ['with an empty subject', () => provider.access({ sub: '' })],
    ['with a subject that is no text', () => provider.access({ sub: 5 })],
    ['that is bound to a key', () => provider.access({ cnf: { jkt: 'x' } })],
    ['that is an ID token by its nonce', () => provider.access({ nonce: 'n' })],
    ['that is an ID token by `at_hash`', () => provider.access({ at_hash: 'h' })],
    ['that is an ID token by Keycloak’s `typ`', () => provider.access({ typ: 'ID' })],
    ['that is a refresh token of Keycloak', () => provider.access({ typ: 'Refresh' })],
    ['that is an ID token of Cognito', () => provider.access({ token_use: 'id' })],
    ['about a logout', () => provider.access({ events: {} })],
    ['whose claims are a list', () => signToken({ alg: 'RS256', kid: 'one' }, [], KEYS.rsa)],
    ['whose payload was changed', () => provider.access().replace(/\.[^.]+\./, `.${provider.id().split('.')[1]}.`)],
    ['that is too long', () => provider.access({ more: 'x'.repeat(TOKEN_LENGTH_MAX) })],
    ['that is no token', () => 'a.b.c'],
    ['that is a list', () => `${Buffer.from('[]').toString('base64url')}.e30.AA`],
    ['of five parts', () => `${provider.access()}.a.b`],
  ])('is refused: %s', async (_, make) => {
    expect(await askBoth(make())).toEqual(REFUSED)
  })

  it.each<[string, Record<string, unknown> | (() => Record<string, unknown>)]>([
    ['two audiences, of which one is this API', { aud: ['another', AUDIENCE], azp: 'any client' }],
    ['times within the difference of clocks', () => ({ exp: now() - 1, nbf: now() + 1 })],
    ['a scope', { scope: 'openid', nonce: undefined }],
    ['what Keycloak calls an access token', { typ: 'Bearer', nonce: 'of older versions' }],
  ])('of access holds with %s', async (_, claims) => {
    expect(await askBoth(provider.access(typeof claims === 'function' ? claims() : claims))).toEqual(HELD)
  })

  it('of access does not hold as an ID token, nor the other way round, with one audience for both', async () => {
    const { issuer } = provider
    const backend = integrationApp({
      tokens: makeTokens({ claims: 'oidc', issuer, clientId: CLIENT }),
      permissions: new ScriptedPermissions(),
    })
    closing.push(backend)
    const ask = async (url: string, token: string) =>
      (await backend.inject({ url, headers: { authorization: `Bearer ${token}` } })).statusCode
    const access = [
      provider.id({ scope: 'openid' }),
      provider.id({ scp: 'read' }),
      provider.id({}, { typ: 'at+jwt' }),
      provider.id({}, { typ: 'application/AT+JWT' }),
      provider.id({ typ: 'Bearer' }),
      provider.id({ token_use: 'access' }),
    ]
    for (const token of access)
      expect([await ask('/api/access', token), await ask('/api/id', token)]).toEqual([200, 403])
    for (const claims of [{ nonce: 'n' }, { at_hash: 'h' }, { typ: 'ID' }, { token_use: 'id' }]) {
      const token = provider.id(claims)
      expect([await ask('/api/access', token), await ask('/api/id', token)]).toEqual([403, 200])
    }
  })

  it.each<[unknown, unknown, number]>([
    [CLIENT, undefined, 200],
    [[CLIENT], undefined, 200],
    [CLIENT, CLIENT, 200],
    [[CLIENT, 'another'], CLIENT, 200],
    [[CLIENT, 'another'], undefined, 403],
    [[CLIENT, 'another'], 'another', 403],
    [CLIENT, 'another', 403],
    [[], undefined, 403],
  ])('of sign-in says who asked for it: aud %j, azp %j: %i', async (aud, azp, status) => {
    expect((await doors.backend(provider.id({ aud, azp }), '/api/id')).status).toBe(status)
  })
})

describe('the keys', () => {
  const later = (ms: number) => {
    const at = performance.now() + ms
    vi.spyOn(performance, 'now').mockReturnValue(at)
  }
  beforeEach(() => {
    doors = openDoors()
    return () => void vi.restoreAllMocks()
  })

  it('are read once, and once more for all tokens of an unknown key', async () => {
    await askBoth(provider.access())
    expect(provider.reads).toBe(2) // one for each door
    const strange = Array.from({ length: 20 }, (_, at) => provider.access({}, { kid: `key-${at}` }))
    expect(
      new Set((await Promise.all(strange.map((token) => doors.middleware(token)))).map(({ status }) => status)),
    ).toEqual(new Set([401]))
    for (const token of strange) expect((await doors.middleware(token)).status).toBe(401)
    expect(provider.reads).toBe(3)
    later(JWKS_UNKNOWN_KEY_MS)
    await doors.middleware(strange[0])
    expect(provider.reads).toBe(4)
  })

  it('that are new hold with the first token, and those that were withdrawn no longer', async () => {
    const [before, after] = [provider.access(), provider.access({}, { kid: 'two' }, KEYS.otherRsa)]
    expect(await askBoth(before)).toEqual(HELD)
    provider.keys = [jwk(KEYS.otherRsa, { kid: 'two' })]
    expect(await askBoth(before)).toEqual(HELD) // they were read a moment ago
    expect(await askBoth(after)).toEqual(HELD)
    expect(await askBoth(before)).toEqual(REFUSED)
  })

  it('are unknown, and not refused, where they are new and the provider is away', async () => {
    expect(await askBoth(provider.access())).toEqual(HELD)
    provider.answer = 'nothing'
    const token = provider.access({}, { kid: 'two' }, KEYS.otherRsa)
    expect(await askBoth(token)).toEqual(UNKNOWN)
    later(JWKS_RETRY_MS + 1)
    expect(await askBoth(token)).toEqual(UNKNOWN)
    expect(await askBoth(provider.access())).toEqual(HELD)
    provider.answer = 'as it is'
    provider.keys = [jwk(KEYS.otherRsa, { kid: 'two' })]
    later(JWKS_UNKNOWN_KEY_MS)
    expect(await askBoth(token)).toEqual(HELD)
  })

  it('are read again in time, and trusted for an hour while the provider is away', async () => {
    const token = provider.access({ exp: now() + 100_000 })
    expect(await askBoth(token)).toEqual(HELD)
    provider.keys = []
    later(JWKS_REFRESH_MS)
    expect(await askBoth(token)).toEqual(REFUSED)

    provider.keys = [jwk(KEYS.rsa, { kid: 'one' })]
    doors = openDoors()
    expect(await askBoth(token)).toEqual(HELD)
    provider.answer = 'error'
    later(JWKS_REFRESH_MS + 1)
    expect(await askBoth(token)).toEqual(HELD)
    const { length } = provider.asked
    expect(await askBoth(token)).toEqual(HELD)
    expect(provider.asked.length).toBe(length) // it was asked a moment ago
    later(JWKS_KEEP_MS + 1)
    expect(await askBoth(token)).toEqual(UNKNOWN)
    provider.answer = 'as it is'
    later(JWKS_RETRY_MS)
    expect(await askBoth(token)).toEqual(HELD)
  })

  it('are not asked for by what has not the form of a token', async () => {
    for (const token of ['a.b.c', provider.access({}, { alg: 'none' }), provider.access({}, { alg: 'HS256' })])
      expect(await askBoth(token)).toEqual(REFUSED)
    expect(provider.asked).toEqual([])
  })

  it.each<[string, object]>([
    ['the provider is away', { answer: 'nothing' }],
    ['it answers with an error', { answer: 'error' }],
    ['it leads elsewhere', { answer: 'redirect' }],
    ['it answers with too much', { answer: 'flood' }],
    ['its metadata is of another issuer', { changed: { issuer: 'https://other.example.com' } }],
    ['its metadata is of no issuer', { changed: { issuer: undefined } }],
    ['its keys are elsewhere without TLS', { changed: { jwks_uri: 'http://keys.example.com/' } }],
    ['its metadata has no keys', { changed: { jwks_uri: undefined } }],
    ['it signs with no algorithm that is taken', { algorithms: ['none', 'HS256', 'RS512'] }],
    ['its algorithms are no list', { algorithms: 'RS256' }],
  ])('cannot be used, and that is 503: %s', async (_, members) => {
    Object.assign(provider, members)
    expect(await askBoth(provider.access())).toEqual(UNKNOWN)
    expect(reasons.map(({ code }) => code)).toEqual(['PROVIDER_UNUSABLE'])
    const { body, headers } = await doors.middleware(provider.access())
    expect([JSON.parse(body).error, headers['retry-after'], body]).toEqual([
      'unavailable',
      '1',
      expect.not.stringContaining(provider.issuer),
    ])
    const answer = await doors.backend(provider.access())
    expect([answer.body, answer.headers['retry-after']]).toEqual(['The token could not be verified', '1'])
  })

  it('are not read from an address without TLS, but on this machine', () => {
    for (const address of ['http://login.example.com', 'ftp://localhost', 'login.example.com']) {
      expect(() => subjectFromJwt({ issuer: address, audience: AUDIENCE })).toThrow('over https alone')
      expect(() => makeTokens({ claims: 'oidc', issuer: provider.issuer, jwksUri: address, clientId: CLIENT })).toThrow(
        'over https alone',
      )
    }
    expect(() => makeTokens({ claims: 'oidc', clientId: CLIENT })).toThrow('ISSUER is not set')
  })
})

describe('who the middleware says sent it', () => {
  const GROUPS = { groups: 'groups' } as const
  const findUser = async (options: Partial<JwtSubjectOptions>, claims: Record<string, unknown>) => {
    const { status, body } = await openDoors(options).middleware(provider.access(claims))
    return status === 200 ? JSON.parse(body) : `${status} ${JSON.parse(body).message}`
  }

  it('is the subject, or another claim, and the groups as an attribute', async () => {
    expect(await findUser({}, { groups: ['a'] })).toEqual({ key: 'ana', attributes: {} })
    expect(await findUser(GROUPS, { groups: ['a', 'b'] })).toEqual({ key: 'ana', attributes: { groups: ['a', 'b'] } })
    expect(await findUser(GROUPS, { groups: [] })).toEqual({ key: 'ana', attributes: { groups: [] } })
    expect(await findUser(GROUPS, { groups: 'one' })).toEqual({ key: 'ana', attributes: { groups: ['one'] } })
    const renamed = { claim: 'https://example.com/groups', attribute: 'teams' } as const
    expect(await findUser({ groups: renamed }, { 'https://example.com/groups': ['a'] })).toMatchObject({
      attributes: { teams: ['a'] },
    })
    const nested = { groups: ['realm_access', 'roles'] } as const
    expect(await findUser(nested, { realm_access: { roles: ['r'] } })).toMatchObject({ attributes: { groups: ['r'] } })
    expect(await findUser({ key: 'oid' }, { oid: 'o-1' })).toMatchObject({ key: 'o-1' })
    const email = { email: 'ana@example.com', email_verified: true }
    expect(await findUser({ key: 'email' }, email)).toMatchObject({ key: 'ana@example.com' })
  })

  it('decides, by a rule about the group', async () => {
    const { middleware } = openDoors(GROUPS)
    const say = async (groups: readonly string[]) => (await middleware(provider.access({ groups }), '/say')).status
    expect([await say(['editors']), await say(['others']), await say([])]).toEqual([200, 403, 403])
    expect((await middleware(undefined, '/say')).status).toBe(401)
  })

  it.each<[string, Partial<JwtSubjectOptions>, Record<string, unknown>, string]>([
    ['no groups', GROUPS, {}, 'the claim `groups`: the token does not have it'],
    ['a mark that they are elsewhere', GROUPS, { hasgroups: true }, 'it has too many to send'],
    ['names of where they are', GROUPS, { _claim_names: { groups: 'src1' }, _claim_sources: {} }, 'too many to send'],
    ['some, and a mark that there are more', GROUPS, { groups: ['a'], hasgroups: true }, 'too many to send'],
    [
      'a mark, also where none are as good as none',
      { groups: { claim: 'groups', absent: 'none' } },
      { hasgroups: true },
      'too many',
    ],
    ['an object', GROUPS, { groups: { editors: true } }, 'neither a text nor a list'],
    ['a list of numbers', GROUPS, { groups: [1] }, 'neither a text nor a list'],
    ['null', GROUPS, { groups: null }, 'neither a text nor a list'],
    [
      'a text where a claim with claims should be',
      { groups: ['realm', 'roles'] },
      { realm: 'x' },
      '`realm.roles`: it is neither',
    ],
    [
      'too many',
      GROUPS,
      { groups: Array.from({ length: GROUPS_MAX + 1 }, () => 'g') },
      `more than ${GROUPS_MAX} values`,
    ],
    ['a key that no user has', {}, { sub: '*' }, 'the claim `sub`'],
    ['a key that is too long', {}, { sub: 'x'.repeat(300) }, 'the claim `sub`'],
    ['no key', { key: 'oid' }, {}, 'the claim `oid`: the key of the user must be a text'],
    [
      'an email that is not verified',
      { key: 'email' },
      { email: 'ana@example.com' },
      'the provider has not verified it',
    ],
    ['what every object has', { key: 'constructor' }, {}, 'the claim `constructor`'],
  ])('is refused by name: %s', async (_, options, claims, message) => {
    expect(await findUser(options, claims)).toEqual(expect.stringContaining(`${message}`))
    expect(await findUser(options, claims)).toMatch(/^403 /)
    expect(reasons.map(({ code }) => code)).toEqual(['CLAIM_REFUSED', 'CLAIM_REFUSED'])
  })

  it('is in no group without the claim, where the provider leaves it out then', async () => {
    const groups = { claim: 'groups', absent: 'none' } as const
    expect(await findUser({ groups }, {})).toEqual({ key: 'ana', attributes: { groups: [] } })
  })

  it('has a warning for the operator, once, and none for a token that does not hold', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockReturnValue()
    const { middleware } = openDoors({ ...GROUPS, onError: undefined as never })
    for (const claims of [{}, {}, { aud: 'another' }]) await middleware(provider.access(claims))
    expect(warned.mock.calls).toEqual([
      [expect.stringContaining('the claim `groups`: the token does not have it'), { code: 'ZEROHOP_SIGN_IN' }],
    ])
    warned.mockRestore()
  })

  it('is not known before `verify` has run', async () => {
    const { user } = subjectFromJwt({ issuer: provider.issuer, audience: AUDIENCE })
    expect(() => user({} as never)).toThrow('`verify` must run first')
  })
})
