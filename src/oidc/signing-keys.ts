// The public keys with which an OpenID provider signs. They are read with the first token, again after ten minutes, so
// that a key that the provider withdrew loses its trust, and when a token names a key that is not among them, for all such
// tokens together once in ten seconds. While the provider cannot be read, the last keys stay trusted for an hour.
import type { JWK, LocalJWKSet } from 'jose'
import { JWKS_KEEP_MS, JWKS_KEYS_MAX, JWKS_REFRESH_MS, JWKS_RETRY_MS, JWKS_UNKNOWN_KEY_MS } from '../model/limits.ts'
import { type ProviderAddress, readJson, readMetadata } from './provider-metadata.ts'

/** What a token may be signed with. */
export interface TrustedKeys {
  readonly algorithms: readonly string[]
  /** finds the key that a token names */
  readonly find: LocalJWKSet
  /** ms of the monotonic clock */
  readonly readAt: number
}

export class SigningKeys {
  readonly #provider: ProviderAddress
  #trusted: TrustedKeys | undefined
  #reading: Promise<TrustedKeys> | undefined
  #failure: { readonly error: unknown; readonly at: number } | undefined
  /** when an unknown key had the keys read last */
  #soughtAt = Number.NEGATIVE_INFINITY

  constructor(provider: ProviderAddress) {
    this.#provider = provider
  }

  /** The keys that are trusted now. @throws PROVIDER_UNUSABLE when there are none */
  async trusted(): Promise<TrustedKeys> {
    const known = this.#trusted
    if (known === undefined) return this.#read()
    const age = performance.now() - known.readAt
    if (age < JWKS_REFRESH_MS) return known
    if (age >= JWKS_KEEP_MS) return this.#read()
    const read = this.#read().catch(() => known)
    // after a failure in the background: tokens do not wait for a provider that is down
    return this.#failure === undefined ? read : known
  }

  /**
   * The keys after these, which lacked one that a token names; undefined where they were just read for such a token.
   * @throws PROVIDER_UNUSABLE
   */
  async newerThan(known: TrustedKeys): Promise<TrustedKeys | undefined> {
    if (this.#trusted !== known) return this.#trusted
    if (this.#reading === undefined) {
      const now = performance.now()
      if (now - this.#soughtAt < JWKS_UNKNOWN_KEY_MS) {
        if (this.#failure !== undefined) throw this.#failure.error // the key may be a new one
        return undefined
      }
      this.#soughtAt = now
    }
    return this.#read()
  }

  /** Reads metadata and keys, once for all who wait. After a failure it waits a moment before the next attempt. */
  async #read(): Promise<TrustedKeys> {
    if (this.#failure !== undefined && performance.now() - this.#failure.at < JWKS_RETRY_MS) throw this.#failure.error
    this.#reading ??= readKeys(this.#provider).finally(() => {
      this.#reading = undefined
    })
    try {
      this.#trusted = await this.#reading
      this.#failure = undefined
      return this.#trusted
    } catch (error) {
      this.#failure = { error, at: performance.now() }
      throw error
    }
  }
}

async function readKeys(provider: ProviderAddress): Promise<TrustedKeys> {
  const { createLocalJWKSet } = await import('jose')
  const { jwksUri, algorithms } = await readMetadata(provider)
  const { keys } = await readJson(jwksUri)
  const usable = Array.isArray(keys) ? keys.slice(0, JWKS_KEYS_MAX).filter(isPublicKey) : []
  return { algorithms, find: createLocalJWKSet({ keys: usable }), readAt: performance.now() }
}

/** The members of each type of key that verifies signatures, all of them texts. */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  RSA: ['n', 'e'],
  EC: ['crv', 'x', 'y'],
  OKP: ['crv', 'x'],
}

/**
 * A public key. Others are left out as if they were not there (RFC 7517, section 5). For which algorithm and use a key is,
 * the library looks at with each token; one that does not say is for each algorithm of its type.
 */
function isPublicKey(key: unknown): key is JWK {
  if (typeof key !== 'object' || key === null) return false
  const members = key as Readonly<Record<string, unknown>>
  const needed = Object.hasOwn(MEMBERS, String(members.kty)) ? MEMBERS[String(members.kty)]! : undefined
  const texts = ['kid', 'alg', 'use'].filter((name) => Object.hasOwn(members, name))
  return needed?.concat(texts).every((name) => typeof members[name] === 'string') === true && !('d' in members)
}
