// Records of decisions, as the rest of the management side sees them: batches go to a thread of their own, reads are
// synchronous and see what is on disk. Thread and tables are opened on first use: most data folders never hold a
// record.
import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { ZerohopError } from '../model/errors.ts'
import { AUDIT_BATCHES_MAX } from '../model/limits.ts'
import { threadUrl } from '../model/thread.ts'
import { fromFailure } from '../store/batch.ts'
import { suspect } from '../store/data-file.ts'
import { asOpenError, dataFolder } from '../store/disk.ts'
import type { AuditBatch, Stored } from './audit-batch.ts'
import {
  type AuditInstance,
  type AuditRecord,
  type AuditTables,
  idKey,
  openAuditTables,
  timeKey,
} from './audit-tables.ts'
import type { AuditKeep, AuditThreadData, FromAuditThread, ToAuditThread } from './audit-thread.ts'

export type { AuditRecord } from './audit-tables.ts'

interface Waiting {
  readonly resolve: (answer: FromAuditThread) => void
  readonly reject: (error: Error) => void
}

export class AuditLog {
  /** records received since the start */
  readonly stats = { stored: 0, known: 0, refused: 0 }
  readonly #data: string
  readonly #folder: string
  #tables: AuditTables | undefined
  #thread: Promise<Worker> | undefined
  readonly #waiting: Waiting[] = []
  #isStarting = false
  #isClosed = false

  constructor(data: string) {
    this.#data = data
    this.#folder = join(data, 'audit')
  }

  /**
   * Stores a batch; records that are already stored are recognised by their number. Resolves when it is on disk.
   * @throws INPUT_INVALID, LIMIT_EXCEEDED, OVERLOADED, DISK_FULL, DISK_FAILED, DATA_DAMAGED, CLOSED
   */
  async append(batch: AuditBatch): Promise<Stored> {
    if (this.#waiting.length >= AUDIT_BATCHES_MAX)
      throw new ZerohopError('OVERLOADED', { waiting: this.#waiting.length })
    const answer = await this.#ask({ batch })
    if (!('stored' in answer)) throw unexpected()
    this.#tables?.root.resetReadTxn()
    const { stored, known, refused } = answer.stored
    this.stats.stored += stored
    this.stats.known += known
    this.stats.refused += refused
    return answer.stored
  }

  /** Deletes a bounded number of old records. Call again while `more` is true. */
  async trim(keep: AuditKeep): Promise<{ rows: number; more: boolean }> {
    if (this.#read() === undefined) return { rows: 0, more: false }
    const answer = await this.#ask({ trim: keep })
    if (!('trimmed' in answer)) throw unexpected()
    this.#tables?.root.resetReadTxn()
    return answer.trimmed
  }

  /**
   * Records of an environment made from `since` on and before `before`, the newest first. @throws DATA_DAMAGED, CLOSED
   */
  list(environment: string, { since = 0, before = 2 ** 48, skip = 0, limit = 0 }): AuditRecord[] {
    const tables = this.#read()
    if (tables === undefined) return []
    const start = timeKey(environment, before)
    const end = timeKey(environment, since) // no record has such a key: instances count from 1
    return [...tables.records.getRange({ start, end, reverse: true, offset: skip, limit })].map(({ value }) => value)
  }

  count(environment: string): number {
    return this.#read()?.counts.get(environment) ?? 0
  }

  find(environment: string, id: string): AuditRecord | undefined {
    return this.#read()?.records.get(idKey(environment, id))
  }

  /** The totals of a series of records; undefined when nothing was received from it. */
  instance(name: string): AuditInstance | undefined {
    return this.#read()?.instances.get(name)
  }

  /** Bytes on disk. */
  get bytes(): number {
    return statSync(join(this.#folder, 'data.mdb'), { throwIfNoEntry: false })?.size ?? 0
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const thread = await this.#thread?.catch(() => undefined)
    if (thread !== undefined) {
      const ended = new Promise((resolve) => thread.once('exit', resolve))
      thread.ref()
      thread.postMessage({ close: true } satisfies ToAuditThread)
      await ended
    }
    await this.#tables?.root.close()
  }

  /** The tables to read from; undefined while nothing was ever stored. */
  #read(): AuditTables | undefined {
    if (this.#isClosed) throw closed()
    if (this.#tables === undefined && !this.#isStarting && this.bytes > 0)
      this.#tables = this.#opening(() => openAuditTables(this.#folder))
    return this.#tables
  }

  #opening<T>(open: () => T): T {
    try {
      const path = join(this.#folder, 'data.mdb')
      const reason = this.bytes > 0 ? suspect(path) : undefined // reading a file that was cut off would end the process
      if (reason !== undefined) throw new ZerohopError('DATA_DAMAGED', { what: dataFolder(this.#folder), reason })
      return open()
    } catch (error) {
      throw asOpenError(error, this.#folder)
    }
  }

  async #ask(message: ToAuditThread): Promise<FromAuditThread> {
    if (this.#isClosed) throw closed()
    this.#thread ??= this.#start()
    const thread = await this.#thread
    const answer = await new Promise<FromAuditThread>((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      thread.postMessage(message)
    })
    if ('failure' in answer) throw fromFailure(answer.failure)
    return answer
  }

  async #start(): Promise<Worker> {
    try {
      this.#isStarting = true
      this.#opening(() => mkdirSync(this.#folder, { recursive: true, mode: 0o700 }))
      const workerData: AuditThreadData = { folder: this.#folder, data: this.#data }
      const thread = new Worker(threadUrl(import.meta.url, './audit-thread.ts'), { workerData, name: 'zerohop-audit' })
      const fail = (error: Error): void => {
        this.#thread = undefined // the next batch starts another one
        for (const { reject } of this.#waiting.splice(0)) reject(error)
      }
      thread.on('error', (error) => fail(asOpenError(error, this.#folder) as Error))
      thread.on('exit', () => fail(closed()))
      await new Promise<FromAuditThread>((resolve, reject) => {
        this.#waiting.push({ resolve, reject })
        thread.on('message', (answer: FromAuditThread) => this.#waiting.shift()?.resolve(answer))
      })
      thread.unref()
      return thread
    } catch (error) {
      this.#thread = undefined
      throw error
    } finally {
      this.#isStarting = false
    }
  }
}

const closed = (): ZerohopError => new ZerohopError('CLOSED', { what: 'the audit log' })
const unexpected = (): ZerohopError => new ZerohopError('INTERNAL')
