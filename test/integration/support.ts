// Tokens of a provider whose key the test holds, and the backend before them on a port of its own.
import { generateKeyPair, type KeyObject, sign } from 'node:crypto'
import { promisify } from 'node:util'
import { type IntegrationOptions, integrationApp } from '../../src/integration/integration-app.ts'
import type { Permissions } from '../../src/integration/permission-client.ts'
import { makeTokens, type Tokens } from '../../src/integration/tokens.ts'
import type { TokenUse } from '../../src/oidc/token-use.ts'

export const ISSUER = 'https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_Test'
export const CLIENT_ID = 'the-client'

const HASHES: Readonly<Record<string, string>> = { RS256: 'sha256', RS512: 'sha512' }

const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

export class Provider {
  readonly #keys: { kid: string; jwk: object; secret: KeyObject }[] = []
  /** how often the keys were fetched */
  fetched = 0
  /** fetching the keys fails */
  down = false

  async addKey(kid: string, alg = 'RS256'): Promise<void> {
    const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2_048 })
    this.#keys.push({ kid, jwk: { ...publicKey.export({ format: 'jwk' }), kid, alg, use: 'sig' }, secret: privateKey })
  }

  removeKeys(): void {
    this.#keys.length = 0
  }

  get jwks(): { keys: object[] } {
    return { keys: this.#keys.map(({ jwk }) => jwk) }
  }

  /** What the backend trusts. */
  tokens(): Tokens {
    return makeTokens({
      issuer: ISSUER,
      clientId: CLIENT_ID,
      fetchJwks: async () => {
        this.fetched++
        if (this.down) throw new Error('the provider is down')
        return Buffer.from(JSON.stringify(this.jwks))
      },
    })
  }

  /** A token that holds, unless `claims` or `header` spoil it; `exp` and `nbf` are seconds from now. */
  async token(
    use: TokenUse,
    claims: Record<string, unknown> = {},
    header: Record<string, unknown> = {},
  ): Promise<string> {
    const { secret, kid } = this.#keys.at(-1)!
    const now = Math.floor(Date.now() / 1000)
    const own = use === 'id' ? { aud: CLIENT_ID } : { client_id: CLIENT_ID }
    const all: Record<string, unknown> = {
      sub: 'ben',
      iss: ISSUER,
      token_use: use,
      iat: now,
      exp: now + 600,
      ...own,
      ...claims,
    }
    // By hand: a library would not sign a header that must be refused. A claim that is undefined stays out.
    const protectedHeader = { alg: 'RS256', kid, ...header }
    const signed = `${base64(protectedHeader)}.${base64(all)}`
    return `${signed}.${sign(HASHES[protectedHeader.alg] ?? 'sha256', Buffer.from(signed), secret).toString('base64url')}`
  }
}

/** Permissions that say what they are told to, or fail. */
export class ScriptedPermissions implements Permissions {
  synced: string[] = []
  asked: string[] = []
  sync = async (key: string): Promise<unknown> => {
    this.synced.push(key)
    return { id: `id of ${key}`, key }
  }
  check = async (user: string, action: string, resource: string): Promise<boolean> => {
    this.asked.push(`${user} ${action} ${resource}`)
    return action === 'wave'
  }
  close = async (): Promise<void> => undefined
}

export interface Answer {
  readonly status: number
  readonly text: string
  readonly headers: Headers
}

/** The backend, listening. */
export async function startBackend(options: IntegrationOptions) {
  const app = integrationApp(options)
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const call = async (
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body?: string,
  ): Promise<Answer> => {
    const response = await fetch(url + path, { method, headers, ...(body === undefined ? {} : { body }) })
    return { status: response.status, text: await response.text(), headers: response.headers }
  }
  return { app, url, call }
}
