// The database of a replica: opens connections, each to the same cluster and never to a server that was left behind by
// a promotion. Connections to such a server end as soon as one to the promoted server is open.
import { ZerohopError } from '../../model/errors.ts'
import type { DatabaseSettings, ServerIdentity } from '../settings.ts'
import { Connection } from './connection.ts'

export class Database {
  readonly settings: DatabaseSettings
  readonly #onSeen: (seen: ServerIdentity) => void
  readonly #open = new Set<Connection>()
  readonly #before: ServerIdentity | undefined
  #seen: ServerIdentity | undefined

  /**
   * @param seen the server of an earlier run: one of the same cluster that was left behind since is refused
   * @param onSeen called with the first server, and with each one that was promoted
   */
  constructor(settings: DatabaseSettings, seen?: ServerIdentity, onSeen: (seen: ServerIdentity) => void = () => {}) {
    this.settings = settings
    this.#before = seen
    this.#onSeen = onSeen
  }

  /** @throws DATABASE_UNAVAILABLE, DATABASE_REFUSED */
  async open(purpose: string): Promise<Connection> {
    const connection = await Connection.open(this.settings, `zerohop ${purpose}`)
    const reason = this.#findRefusal(connection.identity)
    if (reason !== undefined) {
      connection.destroy()
      throw new ZerohopError('DATABASE_UNAVAILABLE', { reason })
    }
    this.#see(connection.identity)
    this.#open.add(connection)
    connection.onLost(() => this.#open.delete(connection))
    return connection
  }

  #findRefusal({ system, timeline }: ServerIdentity): string | undefined {
    const seen = this.#seen ?? (this.#before?.system === system ? this.#before : undefined)
    if (seen === undefined) return undefined
    if (seen.system !== system) return 'the server belongs to another cluster'
    if (timeline >= seen.timeline) return undefined
    return `the server is on timeline ${timeline}, another one was promoted to timeline ${seen.timeline}`
  }

  #see(identity: ServerIdentity): void {
    const { timeline } = identity
    if (timeline === this.#seen?.timeline) return
    this.#seen = identity
    this.#onSeen(identity)
    // what still talks to the server that was left behind must not believe it
    for (const connection of this.#open)
      if (connection.identity.timeline < timeline)
        connection.destroy(`another server was promoted to timeline ${timeline}`)
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
