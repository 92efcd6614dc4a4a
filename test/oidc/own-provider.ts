// An OpenID provider whose keys and answers a test holds: metadata and key set over HTTP, and tokens of any header and any
// claims, also those that no library would sign.
import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export const AUDIENCE = 'shop-api'
export const CLIENT = 'shop-client'

export interface Key {
  readonly publicKey: KeyObject
  readonly privateKey: KeyObject
}

export const KEYS = {
  rsa: generateKeyPairSync('rsa', { modulusLength: 2_048 }),
  otherRsa: generateKeyPairSync('rsa', { modulusLength: 2_048 }),
  curve: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  otherCurve: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  edwards: generateKeyPairSync('ed25519'),
} as const satisfies Record<string, Key>

export const jwk = ({ publicKey }: Key, members: Record<string, unknown> = {}): Record<string, unknown> => ({
  ...publicKey.export({ format: 'jwk' }),
  ...members,
})

const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
export const now = (): number => Math.floor(Date.now() / 1000)

/** Signs as the algorithm of the header says; `none` has no signature, HS256 has the public key as its secret. */
export function signToken(header: Record<string, unknown>, claims: object, { privateKey, publicKey }: Key): string {
  const input = `${base64(header)}.${base64(claims)}`
  const bytes = Buffer.from(input)
  const signed = (): Buffer => {
    switch (header.alg) {
      case 'PS256':
        return sign('sha256', bytes, { key: privateKey, padding: 6, saltLength: 32 })
      case 'ES256':
        return sign('sha256', bytes, { key: privateKey, dsaEncoding: 'ieee-p1363' })
      case 'EdDSA':
        return sign(null, bytes, privateKey)
      case 'HS256':
        return createHmac('sha256', publicKey.export({ format: 'pem', type: 'spki' }))
          .update(bytes)
          .digest()
      case 'none':
        return Buffer.alloc(0)
      default:
        return sign(header.alg === 'RS512' ? 'sha512' : 'sha256', bytes, privateKey)
    }
  }
  return `${input}.${signed().toString('base64url')}`
}

export class OwnProvider {
  readonly #server = createServer((request, response) => {
    this.asked.push(request.url!)
    if (this.answer === 'nothing') return void request.socket.destroy()
    if (this.answer === 'redirect') return void response.writeHead(302, { location: `${this.issuer}/elsewhere` }).end()
    const body = request.url === '/keys' ? { keys: this.keys } : this.metadata
    const text = this.answer === 'flood' ? JSON.stringify({ ...body, more: 'x'.repeat(300_000) }) : JSON.stringify(body)
    response.writeHead(this.answer === 'error' ? 500 : 200, { 'content-type': 'application/json' }).end(text)
  })
  issuer = ''
  keys: unknown[] = [jwk(KEYS.rsa, { kid: 'one', alg: 'RS256', use: 'sig' })]
  algorithms: unknown = ['none', 'HS256', 'RS256', 'PS256', 'ES256', 'EdDSA']
  /** replaces members of the metadata */
  changed: Record<string, unknown> = {}
  answer: 'as it is' | 'nothing' | 'error' | 'redirect' | 'flood' = 'as it is'
  asked: string[] = []

  async open(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    this.issuer = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
    return this
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  get metadata(): Record<string, unknown> {
    return {
      issuer: this.issuer,
      jwks_uri: `${this.issuer}/keys`,
      id_token_signing_alg_values_supported: this.algorithms,
      ...this.changed,
    }
  }

  /** How often the keys were read. */
  get reads(): number {
    return this.asked.filter((path) => path === '/keys').length
  }

  /** An access token that holds, but for what is given. */
  access(claims: Record<string, unknown> = {}, header: Record<string, unknown> = {}, key: Key = KEYS.rsa): string {
    return signToken({ alg: 'RS256', kid: 'one', ...header }, { ...this.usual, aud: AUDIENCE, ...claims }, key)
  }

  /** An ID token that holds, but for what is given. */
  id(claims: Record<string, unknown> = {}, header: Record<string, unknown> = {}, key: Key = KEYS.rsa): string {
    return signToken({ alg: 'RS256', kid: 'one', ...header }, { ...this.usual, aud: CLIENT, ...claims }, key)
  }

  get usual(): Record<string, unknown> {
    return { iss: this.issuer, sub: 'ana', iat: now(), exp: now() + 600 }
  }
}
