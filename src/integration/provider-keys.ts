// The public keys of the identity provider. They are read when a token names an unknown key (aws-jwt-verify limits how
// often), and again after ten minutes, so that a key which the provider withdrew stops being trusted. While the provider
// cannot be read, the last keys stay trusted for an hour.
import { type Jwks, SimpleJwksCache } from 'aws-jwt-verify/jwk'
import { JWKS_KEEP_MS, JWKS_REFRESH_MS, JWKS_RETRY_MS } from '../model/limits.ts'

export interface ProviderKeysOptions {
  /** reads the keys instead of HTTPS */
  readonly fetchJwks?: (uri: string) => Promise<Uint8Array>
  /** called with the keys just read: whatever was derived from earlier keys must be dropped, ids may be reused */
  readonly onRead: (keys: Jwks) => void
}

/** One provider's keys, as the verifier asks for them. */
export class ProviderKeys extends SimpleJwksCache {
  readonly #onRead: (keys: Jwks) => void
  /** when the keys were read, in ms of the monotonic clock; undefined when they never were */
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

  /** Reads the keys. After a failure the provider is left alone for a moment: otherwise every token would ask it. */
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
   * Reads the keys again. After a failed attempt this happens in the background while the last keys are still trusted:
   * tokens do not wait for a provider that is down.
   */
  async #refresh(uri: string, age: number): Promise<void> {
    const read = this.getJwks(uri)
    if (age >= JWKS_KEEP_MS) await read
    else if (this.#failure === undefined) await read.catch(() => undefined)
    else read.catch(() => undefined)
  }
}

function bufferOf(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer // a copy: a Buffer may be a part of something larger
}
