// The database of a replica: opens connections, each to the same cluster and never to a server that was left behind by
// a promotion.
import { ZerohopError } from '../../model/errors.ts'
import { Connection, type ServerIdentity } from './connection.ts'
import type { DatabaseSettings } from './settings.ts'

export class Database {
  readonly settings: DatabaseSettings
  #seen: ServerIdentity | undefined

  constructor(settings: DatabaseSettings) {
    this.settings = settings
  }

  /** @throws DATABASE_UNAVAILABLE, DATABASE_REFUSED */
  async open(purpose: string): Promise<Connection> {
    const connection = await Connection.open(this.settings, `zerohop ${purpose}`)
    const { system, timeline } = connection.identity
    const seen = this.#seen
    if (seen !== undefined && (seen.system !== system || timeline < seen.timeline)) {
      connection.destroy()
      const reason =
        seen.system === system
          ? `the server is on timeline ${timeline}, another one was promoted to timeline ${seen.timeline}`
          : 'the server belongs to another cluster'
      throw new ZerohopError('DATABASE_UNAVAILABLE', { reason })
    }
    this.#seen = { system, timeline }
    return connection
  }
}

/** A connection for one purpose, opened when it is needed and again when it was lost. */
export class Lane {
  readonly #database: Database
  readonly #purpose: string
  #connection: Connection | undefined
  #opening: Promise<Connection> | undefined
  #isClosed = false

  constructor(database: Database, purpose: string) {
    this.#database = database
    this.#purpose = purpose
  }

  /**
   * Calls that come while it is being opened get the same one.
   * @throws DATABASE_UNAVAILABLE, DATABASE_REFUSED, CLOSED
   */
  async connection(): Promise<Connection> {
    if (this.#isClosed) throw closed()
    if (this.#connection !== undefined && !this.#connection.isLost) return this.#connection
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  async #open(): Promise<Connection> {
    const connection = await this.#database.open(this.#purpose)
    if (this.#isClosed) {
      connection.destroy()
      throw closed()
    }
    this.#connection = connection
    return connection
  }

  close(): void {
    this.#isClosed = true
    this.#connection?.destroy()
  }
}

function closed(): ZerohopError {
  return new ZerohopError('CLOSED', { what: 'the store' })
}
