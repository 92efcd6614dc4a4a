// Records of decisions in the database that replicas share. A thread of its own speaks to the database, on connections
// of its own: no write of policy waits for a record. It is started on first use.
import { ZerohopError } from '../model/errors.ts'
import { AUDIT_BATCHES_MAX, AUDIT_READS_MAX } from '../model/limits.ts'
import type { DatabaseSettings } from '../store/settings.ts'
import { threadUrl } from '../threads/thread-url.ts'
import { WorkerClient } from '../threads/worker-client.ts'
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
import type { AuditMinutes, AuditMinutesRange, TermGroups } from './audit-terms.ts'
import type { DatabaseAuditAnswers, DatabaseAuditQuestion, DatabaseAuditThreadData } from './database-audit-thread.ts'
import type { KnownUses, UseName } from './last-uses.ts'

export class DatabaseAuditLog implements AuditLog {
  readonly stats = { stored: 0, known: 0, refused: 0 }
  readonly bytes = undefined
  readonly #thread: WorkerClient<DatabaseAuditQuestion, unknown>
  #batches = 0

  /** @param data the data folder, for the names of users */
  constructor(data: string, settings: DatabaseSettings) {
    const { url, statementMs } = settings
    const database: DatabaseSettings = { url, ...(statementMs === undefined ? {} : { statementMs }) }
    const what = 'the audit log'
    this.#thread = new WorkerClient({
      name: what,
      entry: () => threadUrl(import.meta.url, './database-audit-thread.ts'),
      workerData: { data, database } satisfies DatabaseAuditThreadData,
      threadName: 'zerohop-audit',
      lives: 'until closed',
      asError: (cause) =>
        cause === undefined ? new ZerohopError('CLOSED', { what }) : new ZerohopError('INTERNAL', {}, { cause }),
    })
  }

  async append(batch: AuditBatch): Promise<Stored> {
    if (this.#batches >= AUDIT_BATCHES_MAX) throw new ZerohopError('OVERLOADED', { waiting: this.#batches })
    this.#batches++
    try {
      const stored = await this.#ask('stored', { about: 'stored', batch })
      this.stats.stored += stored.stored
      this.stats.known += stored.known
      this.stats.refused += stored.refused
      return stored
    } finally {
      this.#batches--
    }
  }

  trim(keep: AuditKeep): Promise<AuditTrimmed> {
    return this.#ask('trimmed', { about: 'trimmed', keep })
  }

  async list(environment: string, range: AuditRange): Promise<AuditRecord[]> {
    const records = await this.#read('list', { about: 'list', environment, range })
    return records.map((record) => JSON.parse(record) as AuditRecord)
  }

  match(environment: string, groups: TermGroups, range: AuditMatchRange): Promise<AuditMatches | undefined> {
    return this.#read('match', { about: 'match', environment, groups, range })
  }

  async records(environment: string, ids: readonly string[]): Promise<AuditRecord[]> {
    if (ids.length === 0) return []
    const records = await this.#read('records', { about: 'records', environment, ids })
    return records.map((record) => JSON.parse(record) as AuditRecord)
  }

  minutes(environment: string, range: AuditMinutesRange): Promise<AuditMinutes[]> {
    return this.#read('minutes', { about: 'minutes', environment, range })
  }

  uses(environment: string, names: readonly UseName[]): Promise<readonly (number | undefined)[]> {
    return this.#read('uses', { about: 'uses', environment, names })
  }

  knownUses(environment: string): Promise<KnownUses | undefined> {
    return this.#read('knownUses', { about: 'knownUses', environment })
  }

  async count(environment: string): Promise<number> {
    return (await this.counts([environment])).get(environment) ?? 0
  }

  counts(environments: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return this.#read('counts', { about: 'counts', environments })
  }

  async find(environment: string, id: string): Promise<AuditRecord | undefined> {
    const record = await this.#read('record', { about: 'record', environment, id })
    return record === undefined ? undefined : (JSON.parse(record) as AuditRecord)
  }

  instance(name: string): Promise<AuditInstance | undefined> {
    return this.#read('instance', { about: 'instance', name })
  }

  close(): Promise<void> {
    return this.#thread.close()
  }

  /** A question that someone waits for; there is a bound on how many do. */
  async #read<K extends keyof DatabaseAuditAnswers>(
    about: K,
    question: Extract<DatabaseAuditQuestion, { readonly about: K }>,
  ): Promise<DatabaseAuditAnswers[K]> {
    const waiting = this.#thread.waiting - this.#batches
    if (waiting >= AUDIT_READS_MAX) throw new ZerohopError('OVERLOADED', { waiting })
    return this.#ask(about, question)
  }

  async #ask<K extends keyof DatabaseAuditAnswers>(
    _about: K,
    question: Extract<DatabaseAuditQuestion, { readonly about: K }>,
  ): Promise<DatabaseAuditAnswers[K]> {
    // the thread answers a question about something with that
    return (await this.#thread.ask(question)) as DatabaseAuditAnswers[K]
  }
}
