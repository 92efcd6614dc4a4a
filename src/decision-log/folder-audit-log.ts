// Records of decisions in a folder of this process: batches go to a thread of their own, reads see what is on disk.
// Thread and tables are opened on first use: most data folders never hold a record.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { ZerohopError } from '../model/errors.ts'
import { FOR_ITS_OWNER, makeFolder } from '../model/folder.ts'
import { AUDIT_BATCHES_MAX } from '../model/limits.ts'
import { suspect } from '../store/data-file.ts'
import { asOpenError, dataFolder } from '../store/disk.ts'
import { threadUrl } from '../threads/thread-url.ts'
import { WorkerClient } from '../threads/worker-client.ts'
import { listRecords, matchTerms, sumMinutes } from './audit-index.ts'
import type { AuditBatch, Stored } from './audit-lines.ts'
import type {
  AuditInstance,
  AuditKeep,
  AuditLog,
  AuditMatches,
  AuditMatchRange,
  AuditRange,
  AuditRecord,
  AuditTrimmed,
} from './audit-log.ts'
import { type AuditTables, idKey, openAuditTables, TIME_MAX, timeKey } from './audit-tables.ts'
import type { AuditMinutes, AuditMinutesRange, TermGroups } from './audit-terms.ts'
import type { AuditAnswer, AuditQuestion, AuditThreadData } from './audit-thread.ts'
import { readKnownUses, readUses } from './folder-last-uses.ts'
import type { KnownUses, UseName } from './last-uses.ts'

export class FolderAuditLog implements AuditLog {
  readonly stats = { stored: 0, known: 0, refused: 0 }
  readonly #folder: string
  readonly #thread: WorkerClient<AuditQuestion, AuditAnswer>
  #tables: AuditTables | undefined

  constructor(data: string) {
    const folder = join(data, 'audit')
    this.#folder = folder
    this.#thread = new WorkerClient({
      name: NAME,
      entry: () => {
        this.#opening(() => makeFolder(folder, FOR_ITS_OWNER))
        return threadUrl(import.meta.url, './audit-thread.ts')
      },
      workerData: { folder, data } satisfies AuditThreadData,
      threadName: 'zerohop-audit',
      lives: 'until closed',
      asError: (cause) => (cause === undefined ? closed() : (asOpenError(cause, folder) as Error)),
    })
  }

  async append(batch: AuditBatch): Promise<Stored> {
    const { waiting } = this.#thread
    if (waiting >= AUDIT_BATCHES_MAX) throw new ZerohopError('OVERLOADED', { waiting })
    const answer = await this.#thread.ask({ batch })
    if (!('stored' in answer)) throw unexpected()
    this.#tables?.root.resetReadTxn()
    const { stored, known, refused } = answer.stored
    this.stats.stored += stored
    this.stats.known += known
    this.stats.refused += refused
    return answer.stored
  }

  async trim(keep: AuditKeep): Promise<AuditTrimmed> {
    if (this.#read() === undefined) return { rows: 0, more: false }
    const answer = await this.#thread.ask({ trim: keep })
    if (!('trimmed' in answer)) throw unexpected()
    this.#tables?.root.resetReadTxn()
    return answer.trimmed
  }

  async list(environment: string, range: AuditRange): Promise<AuditRecord[]> {
    const { since = 0, before = TIME_MAX, after, skip: offset = 0, limit } = range
    const tables = this.#read()
    if (tables === undefined) return []
    const start = after === undefined ? timeKey(environment, before) : idKey(environment, after)
    const end = timeKey(environment, since) // no record has such a key: instances count from 1
    const found = tables.records.getRange({ start, end, exclusiveStart: true, reverse: true, offset, limit })
    return [...found].map(({ value }) => value)
  }

  async match(environment: string, groups: TermGroups, range: AuditMatchRange): Promise<AuditMatches | undefined> {
    const tables = this.#read()
    if (tables === undefined) return { ids: [], next: undefined }
    return tables.indexing.get('next') === undefined ? matchTerms(tables, environment, groups, range) : undefined
  }

  async records(environment: string, ids: readonly string[]): Promise<AuditRecord[]> {
    const tables = this.#read()
    return tables === undefined ? [] : listRecords(tables, environment, ids)
  }

  async minutes(environment: string, range: AuditMinutesRange): Promise<AuditMinutes[]> {
    const tables = this.#read()
    return tables === undefined ? [] : sumMinutes(tables, environment, range)
  }

  async uses(environment: string, names: readonly UseName[]): Promise<readonly (number | undefined)[]> {
    const tables = this.#read()
    return tables === undefined ? names.map(() => undefined) : readUses(tables, environment, names)
  }

  async knownUses(environment: string): Promise<KnownUses | undefined> {
    const tables = this.#read()
    return tables === undefined ? undefined : readKnownUses(tables, environment)
  }

  async count(environment: string): Promise<number> {
    return this.#read()?.counts.get(environment) ?? 0
  }

  async counts(environments: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const counts = this.#read()?.counts
    return new Map(environments.map((environment) => [environment, counts?.get(environment) ?? 0]))
  }

  async find(environment: string, id: string): Promise<AuditRecord | undefined> {
    return this.#read()?.records.get(idKey(environment, id))
  }

  async instance(name: string): Promise<AuditInstance | undefined> {
    const found = this.#read()?.instances.get(name)
    if (found === undefined) return undefined
    const { uses: _, ...instance } = found // of the folder alone
    return instance
  }

  get bytes(): number {
    return statSync(join(this.#folder, 'data.mdb'), { throwIfNoEntry: false })?.size ?? 0
  }

  async close(): Promise<void> {
    await this.#thread.close()
    await this.#tables?.root.close()
  }

  /** The tables to read from; undefined while nothing was ever stored. */
  #read(): AuditTables | undefined {
    if (this.#thread.isClosed) throw closed()
    if (this.#tables === undefined && !this.#thread.isStarting && this.bytes > 0)
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
}

const NAME = 'the audit log'
const closed = (): ZerohopError => new ZerohopError('CLOSED', { what: NAME })
const unexpected = (): ZerohopError => new ZerohopError('INTERNAL')
