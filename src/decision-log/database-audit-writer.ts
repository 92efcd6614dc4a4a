// Stores batches of decision records in the database, and forgets old records: one transaction at a time, and batches
// that wait together in one. A batch that is sent again, to whatever replica, changes nothing.
import { ZerohopError } from '../model/errors.ts'
import { AUDIT_BATCH_BYTES_MAX, DATABASE_LOCK_MS } from '../model/limits.ts'
import type { Connection } from '../store/postgres/connection.ts'
import type { Lane } from '../store/postgres/database.ts'
import {
  type AuditBatch,
  decodeText,
  type FindUser,
  NO_REFUSALS,
  type PreparedLine,
  readLines,
  type Stored,
  toStored,
} from './audit-lines.ts'
import type { AuditKeep, AuditTrimmed } from './audit-log.ts'
import { type PreparedBatch, storeBatches } from './database-audit-batches.ts'
import { trimRecords } from './database-audit-trim.ts'

interface Waiting<T> {
  readonly resolve: (result: T) => void
  readonly reject: (error: unknown) => void
}

type Work = ({ readonly batch: AuditBatch } & Waiting<Stored>) | ({ readonly keep: AuditKeep } & Waiting<AuditTrimmed>)

/** A batch that could be read, and who waits for it. */
interface Taken {
  readonly batch: PreparedBatch
  readonly work: Waiting<Stored>
}

export class DatabaseAuditWriter {
  readonly #lane: Lane
  readonly #findUser: FindUser
  readonly #now: () => number
  readonly #queue: Work[] = []
  #running: Promise<void> | undefined

  constructor(lane: Lane, findUser: FindUser, now: () => number) {
    this.#lane = lane
    this.#findUser = findUser
    this.#now = now
  }

  /**
   * @throws INPUT_INVALID, LIMIT_EXCEEDED when the batch cannot be read at all; DATABASE_UNAVAILABLE, DATABASE_REFUSED;
   *   OUTCOME_UNKNOWN, after which it may be stored
   */
  append(batch: AuditBatch): Promise<Stored> {
    return new Promise((resolve, reject) => this.#add({ batch, resolve, reject }))
  }

  /** One step; none while another replica forgets. @throws DATABASE_UNAVAILABLE, DATABASE_REFUSED, OUTCOME_UNKNOWN */
  trim(keep: AuditKeep): Promise<AuditTrimmed> {
    return new Promise((resolve, reject) => this.#add({ keep, resolve, reject }))
  }

  /** Does what waits, then closes the connection. */
  async close(): Promise<void> {
    await this.#running
    this.#lane.close()
  }

  #add(work: Work): void {
    this.#queue.push(work)
    this.#running ??= this.#work()
  }

  async #work(): Promise<void> {
    for (let next = this.#queue[0]; next !== undefined; next = this.#queue[0]) {
      let connection: Connection
      try {
        connection = await this.#lane.connection()
      } catch (error) {
        // each of them would wait as long for the same
        for (const { reject } of this.#queue.splice(0)) reject(error)
        break
      }
      if ('keep' in next) {
        this.#queue.shift()
        const { keep } = next
        await inTransaction(connection, () => trimRecords(connection, keep)).then(next.resolve, next.reject)
      } else await this.#store(connection, this.#take())
    }
    this.#running = undefined
  }

  async #store(connection: Connection, taken: readonly Taken[]): Promise<void> {
    const batches = taken.map(({ batch }) => batch)
    try {
      // nothing to store: what was refused is answered without the database
      const isEmpty = batches.every(({ lines }) => lines.length === 0)
      const stored = isEmpty
        ? batches.map(({ refusals }) => toStored(0, 0, refusals))
        : await inTransaction(connection, () => storeBatches(connection, batches, this.#now()))
      for (const [at, { work }] of taken.entries()) work.resolve(stored[at] ?? toStored(0, 0, NO_REFUSALS))
    } catch (error) {
      for (const { work } of taken) work.reject(error)
    }
  }

  /** The batches that come next, bounded by their bytes; those that cannot be read are refused. */
  #take(): Taken[] {
    const taken: Taken[] = []
    let bytes = 0
    for (let next = this.#queue[0]; next !== undefined && 'batch' in next; next = this.#queue[0]) {
      if (bytes >= AUDIT_BATCH_BYTES_MAX) break
      this.#queue.shift()
      try {
        const text = decodeText(next.batch)
        bytes += text.length
        taken.push({ batch: this.#prepare(next.batch, text), work: next })
      } catch (error) {
        next.reject(error)
      }
    }
    return taken
  }

  #prepare(batch: AuditBatch, text: string): PreparedBatch {
    const lines: PreparedLine[] = []
    const refusals = readLines(text, batch, { now: this.#now(), findUser: this.#findUser }, (line) => {
      lines.push(line)
      return undefined
    })
    return { sender: batch.sentBy?.id ?? null, lines, refusals }
  }
}

/**
 * Runs work in a transaction; no one waits for a lock, or keeps one, for long.
 * @throws what the work throws; OUTCOME_UNKNOWN when the connection was lost during the commit
 */
async function inTransaction<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
  let result: T
  try {
    await connection.script(`BEGIN; SET LOCAL lock_timeout = ${DATABASE_LOCK_MS};
      SET LOCAL idle_in_transaction_session_timeout = ${2 * DATABASE_LOCK_MS}`)
    result = await work()
  } catch (error) {
    if (!connection.isLost) await connection.script('ROLLBACK').catch(() => {}) // then the connection is lost
    throw error
  }
  const isCommitted = await connection.commit().catch((cause: unknown) => {
    if (!connection.isLost) throw cause
    throw new ZerohopError('OUTCOME_UNKNOWN', {}, { cause })
  })
  if (!isCommitted) throw new ZerohopError('DATABASE_UNAVAILABLE', { reason: 'it rolled the transaction back' })
  return result
}
