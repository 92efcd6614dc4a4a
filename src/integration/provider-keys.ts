// The public keys of the identity provider with which tokens may be signed; whatever else stands in its key set, also
// under the same `kid`, is left out. They are fetched when a token names an unknown key (aws-jwt-verify limits
// how often), and again after ten minutes, so that a key that the provider withdrew loses its trust. While the
// provider is unreachable, the last keys stay trusted for an hour.
import { assertIsJwks, isJwk, type Jwk, type Jwks, SimpleJwksCache } from 'aws-jwt-verify/jwk'
import { JWKS_KEEP_MS, JWKS_REFRESH_MS, JWKS_RETRY_MS } from '../model/limits.ts'

/** The only algorithm with which tokens may be signed. */
export const ALGORITHM = 'RS256'

export interface ProviderKeysOptions {
  /** reads the keys instead of HTTPS */
  readonly fetchJwks?: (uri: string) => Promise<Uint8Array>
  /**
   * called with the fetched keys: everything derived from earlier keys must be dropped, because key ids may be reused
   */
  readonly onRead: (keys: Jwks) => void
}

/** The keys of one provider, in the interface that the verifier expects. */
export class ProviderKeys extends SimpleJwksCache {
  readonly #onRead: (keys: Jwks) => void
  /** when the keys were last fetched, in ms of the monotonic clock; undefined when never */
  #readAt: number | undefined
  #failure: { readonly error: unknown; readonly at: number } | undefined

  constructor({ fetchJwks, onRead }: ProviderKeysOptions) {
    super({
      jwksParser: fittingKeys,
      ...(fetchJwks === undefined ? {} : { fetcher: { fetch: async (uri) => copyBuffer(await fetchJwks(uri)) } }),
    })
    this.#onRead = onRead
  }

  /** The key that the token names. @throws whatever reading the keys threw, or that no such key is among them */
  override async getJwk(...asked: Parameters<SimpleJwksCache['getJwk']>): ReturnType<SimpleJwksCache['getJwk']> {
    const age = this.#readAt === undefined ? 0 : performance.now() - this.#readAt
    if (age >= JWKS_REFRESH_MS) await this.#refresh(asked[0], age)
    return super.getJwk(...asked)
  }

  /**
   * Fetches the keys. After a failure it waits a moment before the next attempt: otherwise every token would cause one.
   */
  override async getJwks(uri: string): Promise<Jwks> {
    if (this.#failure !== undefined && performance.now() - this.#failure.at < JWKS_RETRY_MS) throw this.#failure.error
    try {
      const keys = await super.getJwks(uri)
      this.#failure = undefined
      this.#readAt = performance.now()
      this.#onRead(keys)
      return keys
    } catch (error) {
      this.#failure = { error, at: performance.now() }
      throw error
    }
  }

  /**
   * Fetches the keys again. After a failed attempt this happens in the background while the last keys are still
   * trusted, so that tokens do not wait for a provider that is down.
   */
  async #refresh(uri: string, age: number): Promise<void> {
    const read = this.getJwks(uri)
    if (age >= JWKS_KEEP_MS) await read
    else if (this.#failure === undefined) await read.catch(() => undefined)
    else read.catch(() => undefined)
  }
}

/**
 * The keys of a set that verify signatures of ALGORITHM. Others are left out as if they were not there (RFC 7517,
 * section 5). A set may give several keys one `kid`: those that say what they are for come first, because the first one
 * is taken.
 * @throws when it is not a key set
 */
function fittingKeys(bytes: ArrayBuffer): Jwks {
  const set: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  const { keys } = (typeof set === 'object' && set !== null ? set : {}) as { readonly keys?: unknown }
  if (!Array.isArray(keys)) throw new Error('the provider did not answer with a key set')
  const countPurposes = (key: Jwk): number => [key.use, key.alg].filter((member) => member !== undefined).length
  const fitting: Jwks = { keys: keys.filter(isFitting).sort((one, other) => countPurposes(other) - countPurposes(one)) }
  assertIsJwks(fitting)
  return fitting
}

function isFitting(key: unknown): key is Jwk {
  const json = key as Parameters<typeof isJwk>[0]
  if (!isJwk(json)) return false
  const { kty, use = 'sig', alg = ALGORITHM, n, e } = json
  const operations: unknown = (json as { readonly key_ops?: unknown }).key_ops ?? ['verify']
  const verifies = Array.isArray(operations) && operations.includes('verify')
  return kty === 'RSA' && use === 'sig' && alg === ALGORITHM && n !== undefined && e !== undefined && verifies
}

function copyBuffer(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer // a copy: a Buffer may be a part of a larger one
}
