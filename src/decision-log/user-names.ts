// The names of users, for the threads that store records of decisions. Reads the data folder, which is opened when the
// first name is asked for.
import type { User } from '../kinds/user.ts'
import { openReader, type Reader } from '../store/reader.ts'

export class UserNames {
  readonly #data: string
  #reader: Reader | undefined

  /** @param data the data folder */
  constructor(data: string) {
    this.#data = data
  }

  /** A record is stored even when the name of its user cannot be read: undefined then. */
  readonly find = (environment: string, key: string): User | undefined => {
    try {
      this.#reader ??= openReader(this.#data)
      return this.#reader.view(environment).get('user', key)
    } catch {
      return undefined
    }
  }

  async close(): Promise<void> {
    await this.#reader?.close()
  }
}
