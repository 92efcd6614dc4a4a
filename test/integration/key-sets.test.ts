// Key sets as providers serve them, read over HTTP: one `kid` for several keys, and keys that are of no use here. A token
// is valid by the key that fits its `alg`, whatever other keys there are, and by no other. And lists of audiences.
import { createPublicKey, generateKeyPairSync, type JsonWebKey, type KeyObject, sign } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeTokens } from '../../src/integration/tokens.ts'
import { CLIENT_ID, ISSUER, ScriptedPermissions, startBackend } from './support.ts'

const KID = 'shared'
const rsa = () => generateKeyPairSync('rsa', { modulusLength: 2_048 })
const signing = rsa()
const other = rsa()
const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const edwards = generateKeyPairSync('ed25519')
const jwk = (key: KeyObject, more: Record<string, unknown> = {}) => ({
  ...key.export({ format: 'jwk' }),
  kid: KID,
  ...more,
})

const FITTING = jwk(signing.publicKey, { use: 'sig', alg: 'RS256' })
const BESIDE: Readonly<Record<string, unknown>> = {
  'a key of another type': jwk(curve.publicKey, { use: 'sig', alg: 'ES256' }),
  'a key of another type without use and alg': jwk(curve.publicKey),
  'an Ed25519 key': jwk(edwards.publicKey, { use: 'sig', alg: 'EdDSA' }),
  'a secret': { kty: 'oct', k: 'c2VjcmV0', kid: KID, alg: 'HS256' },
  'a key of an unknown type': { kty: 'later', kid: KID },
  'an RSA key for encryption': jwk(other.publicKey, { use: 'enc' }),
  'an RSA key for encryption that is the same': jwk(signing.publicKey, { use: 'enc', alg: 'RSA-OAEP' }),
  'an RSA key of another algorithm': jwk(other.publicKey, { use: 'sig', alg: 'RS512' }),
  'an RSA key whose operations are others': jwk(other.publicKey, { key_ops: ['encrypt', 'wrapKey'] }),
  'an RSA key that says nothing': jwk(other.publicKey),
  'an RSA key without a modulus': { kty: 'RSA', e: 'AQAB', kid: KID, use: 'sig', alg: 'RS256' },
  'a malformed key': { kty: 'RSA', n: 5, e: 'AQAB', kid: KID },
  'a key whose id is no text': { ...jwk(other.publicKey), kid: 5 },
  'no key at all': null,
}

let keys: unknown[] = []
const provider = createServer((_, response) => response.end(JSON.stringify({ keys })))
let jwksUri = ''
let backend: Awaited<ReturnType<typeof startBackend>>
const backends: (typeof backend)[] = []

beforeAll(async () => {
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
  jwksUri = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/jwks.json`
})
/** The provider has these keys from now on, for a backend that has read none before. */
async function provide(set: readonly unknown[]): Promise<void> {
  keys = [...set]
  const fetchJwks = async (uri: string) => new Uint8Array(await (await fetch(uri)).arrayBuffer())
  const tokens = makeTokens({ issuer: ISSUER, clientId: CLIENT_ID, jwksUri, fetchJwks })
  backend = await startBackend({ tokens, permissions: new ScriptedPermissions() })
  backends.push(backend)
}
afterAll(async () => {
  for (const { app } of backends) await app.close()
  provider.close()
})

const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

function makeToken(claims: object, alg = 'RS256', secret: KeyObject = signing.privateKey): string {
  const exp = Math.floor(Date.now() / 1000) + 600
  const all = { sub: 'ben', iss: ISSUER, token_use: 'id', aud: CLIENT_ID, exp, ...claims }
  const signed = `${base64({ alg, kid: KID })}.${base64(all)}`
  const hash = { RS256: 'sha256', RS512: 'sha512', ES256: 'sha256' }[alg]
  const key = alg === 'ES256' ? ({ key: secret, dsaEncoding: 'ieee-p1363' } as const) : secret
  return `${signed}.${sign(hash ?? null, Buffer.from(signed), key).toString('base64url')}`
}
const askWith = async (token: string) =>
  (await backend.call('GET', '/api/id', { authorization: `Bearer ${token}` })).status

describe('a token of one key among several of its `kid`', () => {
  it.each(Object.keys(BESIDE))('holds by the key that fits: beside %s', async (name) => {
    for (const set of [
      [BESIDE[name], FITTING],
      [FITTING, BESIDE[name]],
    ]) {
      await provide(set)
      expect(await askWith(makeToken({}))).toBe(200)
    }
  })

  it('holds beside all of them, and one that they signed does not', async () => {
    await provide([...Object.values(BESIDE), FITTING])
    expect(await askWith(makeToken({}))).toBe(200)
    expect(await askWith(makeToken({}, 'RS256', other.privateKey))).toBe(403)
    expect(await askWith(makeToken({}, 'RS512', other.privateKey))).toBe(403)
    expect(await askWith(makeToken({}, 'ES256', curve.privateKey))).toBe(403)
    expect(await askWith(makeToken({}, 'EdDSA', edwards.privateKey))).toBe(403)
  })

  it.each([
    ['another type', [BESIDE['a key of another type']], 'RS256', signing.privateKey],
    ['another type, and its algorithm', [BESIDE['a key of another type']], 'ES256', curve.privateKey],
    ['encryption', [BESIDE['an RSA key for encryption']], 'RS256', other.privateKey],
    [
      'encryption, with its own token',
      [BESIDE['an RSA key for encryption that is the same']],
      'RS256',
      signing.privateKey,
    ],
    ['another algorithm', [BESIDE['an RSA key of another algorithm']], 'RS256', other.privateKey],
    ['another algorithm, and a token of it', [BESIDE['an RSA key of another algorithm']], 'RS512', other.privateKey],
    ['other operations', [BESIDE['an RSA key whose operations are others']], 'RS256', other.privateKey],
    ['another id', [{ ...FITTING, kid: 'other' }], 'RS256', signing.privateKey],
    ['no id', [{ ...FITTING, kid: undefined }], 'RS256', signing.privateKey],
    ['nothing', [], 'RS256', signing.privateKey],
  ] as const)('is refused when the only key is for %s', async (_, set, alg, secret) => {
    await provide(set)
    expect(await askWith(makeToken({}, alg, secret))).toBe(403)
  })

  it('holds by a key that leaves out what it may leave out', async () => {
    await provide([jwk(createPublicKey({ key: FITTING as JsonWebKey, format: 'jwk' }))])
    expect(await askWith(makeToken({}))).toBe(200)
    await provide([jwk(signing.publicKey, { key_ops: ['verify'] })])
    expect(await askWith(makeToken({}))).toBe(200)
  })
})

describe('the audience of an ID token', () => {
  it.each([
    [CLIENT_ID, 200],
    [[CLIENT_ID], 200],
    [['another', CLIENT_ID], 200],
    [[CLIENT_ID, 'another'], 200],
    [['another'], 403],
    [[], 403],
    [[''], 403],
    ['', 403],
    [[`${CLIENT_ID} `], 403],
    [`another ${CLIENT_ID}`, 403],
    [`another,${CLIENT_ID}`, 403],
    [[[CLIENT_ID]], 403],
    [[CLIENT_ID, 5], 403],
    [{ 0: CLIENT_ID }, 403],
    [null, 403],
  ])('%j: %i', async (aud, status) => {
    await provide([FITTING])
    expect(await askWith(makeToken({ aud }))).toBe(status)
  })
})
