// Comparing what a request sent with a secret, in constant time.
import { timingSafeEqual } from 'node:crypto'

/** A secret that many texts are compared with, without a new buffer for each. */
export class SecretText {
  readonly #length: number
  readonly #wanted: Buffer
  readonly #sent: Buffer

  constructor(text: string) {
    this.#length = text.length
    this.#wanted = Buffer.from(text)
    this.#sent = Buffer.alloc(this.#wanted.length)
  }

  /** Only the length of the secret shows in the time that this takes. */
  is(text: string): boolean {
    if (text.length !== this.#length) return false
    // A text of more bytes is cut off, which leaves fewer bytes equal than the same number of characters would need.
    return this.#sent.write(text) === this.#sent.length && timingSafeEqual(this.#sent, this.#wanted)
  }
}
