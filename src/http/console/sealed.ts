// What the server gives a browser to keep and no one else may read or make: sealed as JWE (`dir`, A256GCM) under a key
// that only servers with the same secrets key have. Each purpose has a name of its own, so that what was sealed for one
// is not believed for another.

const SEALING = { alg: 'dir', enc: 'A256GCM' } as const

export class Sealed<T extends object> {
  readonly #key: Uint8Array
  readonly #purpose: string

  /** @param key 32 bytes */
  constructor(key: Uint8Array, purpose: string) {
    this.#key = key
    this.#purpose = purpose
  }

  async seal(value: T): Promise<string> {
    const { EncryptJWT } = await import('jose') // loaded once the server listens (late-modules.ts)
    return new EncryptJWT({ value }).setProtectedHeader(SEALING).setIssuer(this.#purpose).encrypt(this.#key)
  }

  /** Undefined for what was not sealed under this key and for this purpose, or is damaged. */
  async open(sealed: string): Promise<T | undefined> {
    const { jwtDecrypt } = await import('jose')
    const options = {
      issuer: this.#purpose,
      keyManagementAlgorithms: [SEALING.alg],
      contentEncryptionAlgorithms: [SEALING.enc],
    }
    try {
      return (await jwtDecrypt<{ value: T }>(sealed, this.#key, options)).payload.value
    } catch {
      return undefined
    }
  }
}
