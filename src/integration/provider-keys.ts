// The public keys of the identity provider. They are fetched when a token names an unknown key (aws-jwt-verify limits
// how often), and again after ten minutes, so that a key that the provider withdrew is no longer trusted. While the
// provider is unreachable, the last keys stay trusted for an hour.
import { type Jwks, SimpleJwksCache } from 'aws-jwt-verify/jwk'
import { JWKS_KEEP_MS, JWKS_REFRESH_MS, JWKS_RETRY_MS } from '../model/limits.ts'

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
    super(fetchJwks === undefined ? {} : { fetcher: { fetch: async (uri) => bufferOf(await fetchJwks(uri)) } })
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

function bufferOf(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer // a copy: a Buffer may be a part of a larger one
}
