// One batch of use cases in one LMDB transaction: each sees the writes of the earlier ones, a domain error drops only
// the use case that threw it, and one sync serves all. Runs in the writer thread only. A batch is on disk as a whole or
// not at all.
import { randomBytes } from 'node:crypto'
import { IMAGE_ROOM, type ImageSize } from '../kernel/image-bytes.ts'
import type { Actor, Change, LogId, Position } from '../log/change.ts'
import { isZerohopError, ZerohopError } from '../model/errors.ts'
import { RETENTION_ROWS_PER_STEP } from '../model/limits.ts'
import { toFailure } from '../threads/failure.ts'
import { withApplied } from './applied.ts'
import { NO_SUM } from './checksum.ts'
import { asDiskError } from './disk.ts'
import { requireExpected } from './expected.ts'
import type { Head } from './heads.ts'
import { EMPTY_LOG, listSizes, requireRoom, withSize } from './image-budget.ts'
import type { AskingKey, Job, Reply } from './job.ts'
import type { KeptAnswers } from './kept-answers.ts'
import { KIND_NUMBERS } from './kinds.ts'
import { abort } from './lmdb.ts'
import { LmdbView } from './lmdb-view.ts'
import { append, chainAfter, decodeContent, encodeEntry, listTexts } from './log.ts'
import { ReadRows } from './read-rows.ts'
import { SearchEdits } from './search-texts.ts'
import type { Seal } from './secrets.ts'
import { apply } from './state.ts'
import type { Tables } from './tables.ts'
import { type Retention, type Trimmed, trim } from './trim.ts'
import type { Decided, Mint, UseCase, UseCases } from './view.ts'

export interface Answer {
  readonly replies: readonly Reply[]
  /** the logs that the batch wrote to, with their new positions */
  readonly moved: readonly (readonly [LogId, Position])[]
}

/** An entry that a use case decided and that is not on record yet. */
export interface ProposedEntry {
  readonly log: LogId
  /** the chain at revision 0 of its log */
  readonly lineage: string
  readonly revision: number
  readonly chain: string
  /** chain, 32 bytes, then the body */
  readonly bytes: Uint8Array
  readonly changes: readonly Change[]
  /** when it was decided, in ms since 1970 */
  readonly at: number
  /** HTTP status that the history shows */
  readonly status: number
}

/** A secret that was sealed, or deleted (null), by the entry of that log and revision. */
export interface SealedSecret {
  readonly id: string
  readonly log: LogId
  readonly revision: number
  readonly sealed: Uint8Array | null
}

/** What a batch decided. Nothing of it is written. */
export interface Proposal {
  readonly replies: readonly Reply[]
  /** in the order in which they are decided: those of one log follow each other */
  readonly entries: readonly ProposedEntry[]
  readonly secrets: readonly SealedSecret[]
  /** the logs that the use cases read or wrote */
  readonly touched: ReadonlySet<LogId>
}

/** An entry on record, with the number of its log in keys. */
export type RecordedEntry = Omit<ProposedEntry, 'changes' | 'at' | 'status'> & {
  readonly number: number
  /** absent: they are read from the bytes */
  readonly changes?: readonly Change[]
}

/** What one use case writes into one log. */
interface Write {
  readonly log: LogId
  readonly changes: readonly Change[]
  readonly logged: boolean
  readonly sizes: readonly ImageSize[]
}

export class BatchRunner {
  readonly #tables: Tables
  readonly #useCases: UseCases
  readonly #seal: Seal
  readonly #folder: string
  readonly #imageBytesMax: number
  readonly #answers: KeptAnswers | undefined
  /** Copies of the heads on disk, and of those that the open transaction has moved. Bounded by the number of logs. */
  readonly #heads = new Map<LogId, Head>()
  #moved = new Set<LogId>()
  /** what the open transaction changes of search texts */
  #search: SearchEdits
  /** damage that a use case of the open transaction met: LMDB may then refuse the whole transaction */
  #damage: ZerohopError | undefined
  /** what the open transaction decided, while it is to be aborted */
  #proposed: { entries: ProposedEntry[]; secrets: SealedSecret[]; touched: Set<LogId> } | undefined

  /**
   * @param answers keeps what is answered to requests with an idempotency key; not of replicas
   * @param imageBytesMax for tests: the largest image of one environment, in bytes
   */
  constructor(
    tables: Tables,
    useCases: UseCases,
    seal: Seal,
    folder: string,
    answers?: KeptAnswers,
    imageBytesMax = IMAGE_ROOM,
  ) {
    this.#answers = answers
    this.#tables = tables
    this.#search = new SearchEdits(tables.search)
    this.#useCases = useCases
    this.#seal = seal
    this.#folder = folder
    this.#imageBytesMax = imageBytesMax
  }

  /** Runs the jobs and returns when the outcome is on disk. Never throws. */
  run(jobs: readonly Job[], now: number): Answer {
    try {
      return this.#transact(jobs, now)
    } catch (error) {
      this.#heads.clear()
      const disk = this.#damage ?? asDiskError(error, this.#folder)
      const isOfOne = disk === undefined || disk === this.#damage
      if (isOfOne && jobs.length > 1) return this.#oneByOne(jobs, now)
      const failure = toFailure(disk ?? error)
      return { replies: jobs.map(() => ({ failure })), moved: [] }
    }
  }

  /**
   * Runs the jobs and returns what they would write; the state stays as it is. Logs that begin here have numbers of
   * their own until they are on record. Never throws.
   */
  propose(jobs: readonly Job[], now: number): Proposal {
    const proposed = { entries: [], secrets: [], touched: new Set<LogId>() }
    this.#proposed = proposed
    this.#begin()
    let replies: readonly Reply[] = []
    try {
      const mint = new NodeMint(now)
      this.#tables.root.transactionSync(() => {
        replies = jobs.map((job) => this.#runOne(job, mint))
        return abort()
      })
      return { replies, ...proposed }
    } catch (error) {
      const failure = toFailure(this.#damage ?? asDiskError(error, this.#folder) ?? error)
      return { replies: jobs.map(() => ({ failure })), entries: [], secrets: [], touched: new Set() }
    } finally {
      for (const log of this.#moved) this.#heads.delete(log)
      this.#proposed = undefined
    }
  }

  /**
   * Folds entries that are on record into the state, in one transaction; what is there already is passed over.
   * @throws HISTORY_LOST when an entry does not continue the log here; DATABASE_REFUSED when this version does not know
   *   what was written; what LMDB throws
   */
  fold(entries: readonly RecordedEntry[], secrets: readonly SealedSecret[]): Answer['moved'] {
    this.#begin()
    try {
      return this.#tables.root.transactionSync(() => {
        // a secret of a revision that was folded meanwhile may have been replaced by then
        const due = secrets.filter(({ log, revision }) => revision > (this.#findHead(log)?.revision ?? 0))
        for (const entry of entries) this.#fold(entry)
        this.#putSecrets(due)
        return this.#end()
      })
    } catch (error) {
      this.#heads.clear()
      throw asDiskError(error, this.#folder) ?? error
    }
  }

  /**
   * Begins a log whose objects and entries were loaded from a snapshot (load-snapshot.ts).
   * @param replace writes them in the same transaction, when they are not there yet
   * @throws what LMDB throws
   */
  begin(log: LogId, head: Head, secrets: readonly SealedSecret[], replace: () => void = () => {}): void {
    this.#begin()
    this.#heads.set(log, head)
    this.#moved.add(log)
    try {
      this.#tables.root.transactionSync(() => {
        replace()
        this.#putSecrets(secrets)
        this.#end()
      })
    } catch (error) {
      this.#heads.clear()
      throw asDiskError(error, this.#folder) ?? error
    }
  }

  #putSecrets(secrets: readonly SealedSecret[]): void {
    for (const { id, sealed } of secrets) {
      if (sealed === null) this.#tables.secrets.remove(id)
      else this.#tables.secrets.put(id, sealed)
    }
  }

  #fold({ log, number, lineage, revision, chain, bytes, changes }: RecordedEntry): void {
    const head = this.#findHead(log) ?? newHead(number, lineage)
    if (revision <= head.revision) return
    const follows = revision === head.revision + 1 && head.lineage === lineage && head.number === number
    if (!follows || chainAfter(head.chain, bytes) !== chain)
      throw new ZerohopError('HISTORY_LOST', { log, have: head.revision, got: revision })
    const due = changes ?? decodeContent(bytes).changes
    requireKnown(due)
    const applied = apply(this.#tables, log, head, due, this.#search)
    this.#heads.set(log, append(this.#tables, applied, { revision, chain, bytes }))
    this.#moved.add(log)
  }

  /** Deletes a bounded amount of expired history. Never throws: what fails is tried again with the next step. */
  maintain(retention: Retention): Trimmed {
    const { heads } = this.#tables
    const set = (log: LogId, head: Head | undefined): void => {
      if (head === undefined) {
        heads.remove(log)
        this.#heads.delete(log)
      } else {
        heads.put(log, head)
        this.#heads.set(log, head)
      }
    }
    try {
      return this.#tables.root.transactionSync(() => {
        const logs = heads.all().map(([log]) => log)
        const trimmed = trim(this.#tables, { get: (log) => this.#findHead(log), set }, logs, retention)
        if (trimmed.more || this.#answers === undefined) return trimmed
        const forgotten = this.#answers.trim(retention.now, RETENTION_ROWS_PER_STEP)
        return { ...trimmed, rows: trimmed.rows + forgotten, more: forgotten === RETENTION_ROWS_PER_STEP }
      })
    } catch {
      this.#heads.clear()
      return { rows: 0, gone: [], more: false }
    }
  }

  /** An unexpected error outside of a use case cannot be attributed to one: each job gets a transaction of its own. */
  #oneByOne(jobs: readonly Job[], now: number): Answer {
    const answers = jobs.map((job) => this.run([job], now))
    return { replies: answers.flatMap(({ replies }) => replies), moved: answers.flatMap(({ moved }) => moved) }
  }

  #transact(jobs: readonly Job[], now: number): Answer {
    this.#begin()
    this.#answers?.begin(jobs.some(({ once }) => once !== undefined))
    const mint = new NodeMint(now)
    return this.#tables.root.transactionSync(() => {
      const replies = jobs.map((job) => this.#runOnce(job, mint))
      this.#answers?.end(now)
      return { replies, moved: this.#end() }
    })
  }

  /** Forgets what an earlier transaction left behind. */
  #begin(): void {
    this.#moved = new Set()
    this.#search = new SearchEdits(this.#tables.search)
    this.#damage = undefined
  }

  /** Writes search texts, and the heads that the open transaction moved. */
  #end(): [LogId, Position][] {
    this.#search.flush()
    const moved: [LogId, Position][] = []
    for (const log of this.#moved) {
      const head = this.#findHead(log)
      if (head === undefined) continue
      this.#tables.heads.put(log, head)
      moved.push([log, { revision: head.revision, chain: head.chain }])
    }
    return moved
  }

  /** A request with an idempotency key that was carried out gets its answer again. */
  #runOnce(job: Job, mint: Mint): Reply {
    const { once } = job
    if (once === undefined || this.#answers === undefined) return this.#runOne(job, mint)
    try {
      const answered = this.#answers.find(once, mint.now)
      if (answered !== undefined) return answered
    } catch (error) {
      return { failure: toFailure(error) }
    }
    const reply = this.#runOne(job, mint)
    if (!('failure' in reply)) /* canary: answers-with-their-write */ this.#answers.put(once, reply, mint.now)
    return reply
  }

  #runOne(job: Job, mint: Mint): Reply {
    const rows = new ReadRows()
    let decided: Decided<unknown>
    let writes: readonly Write[]
    try {
      decided = this.#decide(job, mint, rows)
      const { changes, logged = false, also = [] } = decided
      writes = [
        this.#makeWrite(job.log, this.#withApplied(job.log, changes), logged),
        ...also.map((one) => this.#makeWrite(one.log, this.#withApplied(one.log, one.changes), false)),
      ]
    } catch (error) {
      if (isZerohopError(error, 'DATA_DAMAGED')) this.#damage = error
      return { failure: toFailure(error) }
    }
    const { status = 200, summary } = decided
    const entry = { at: mint.now, by: job.by, status, ...(summary === undefined ? {} : { summary }) }
    for (const [at, write] of writes.entries()) this.#write(write, entry, at === 0 ? rows : undefined)
    const revision = this.#findHead(job.log)?.revision ?? 0
    for (const { id, secret } of decided.secrets ?? []) {
      const sealed = secret === null ? null : this.#seal(id, secret)
      this.#proposed?.secrets.push({ id, sealed, log: job.log, revision })
      if (sealed === null) this.#tables.secrets.remove(id)
      else this.#tables.secrets.put(id, sealed)
    }
    const also = writes.slice(1).map(({ log }) => log)
    const { result, warnings } = decided
    return { result, revision, also, ...(warnings === undefined ? {} : { warnings }) }
  }

  #decide(job: Job, mint: Mint, rows: ReadRows): Decided<unknown> {
    const useCase: UseCase | undefined = Object.hasOwn(this.#useCases, job.name) ? this.#useCases[job.name] : undefined
    if (useCase === undefined) throw new Error(`no use case is named ${job.name}`)
    if (job.key !== undefined) /* canary: key-of-a-write */ this.#requireKey(job.key, job.log)
    if (job.newOrganization !== undefined) this.#requireFreeName(job.newOrganization)
    const findHead = (log: LogId): Head | undefined => {
      this.#proposed?.touched.add(log)
      return this.#findHead(log)
    }
    const view = new LmdbView(this.#tables, findHead, job.log, rows)
    if (job.expected !== undefined) requireExpected(view, job.expected)
    return useCase(view, job.input as never, mint)
  }

  /**
   * @throws KEY_REVOKED when the key that asked was rotated or deleted since, OBJECT_NOT_FOUND when the environment was
   *   deleted
   */
  #requireKey({ organization, hash }: AskingKey, log: LogId): void {
    const control = new LmdbView(this.#tables, (log) => this.#findHead(log), organization)
    if (control.get('api_key', hash) === undefined) throw new ZerohopError('KEY_REVOKED')
    if (log !== organization) control.require('environment', log)
  }

  /** @throws OBJECT_EXISTS when an organization has this key */
  #requireFreeName(key: string): void {
    const logs = new Set([...this.#tables.heads.all().map(([log]) => log), ...this.#heads.keys()])
    for (const log of logs) new LmdbView(this.#tables, (id) => this.#findHead(id), log).refuse('organization', key)
  }

  #withApplied(log: LogId, changes: readonly Change[]): readonly Change[] {
    return withApplied(new LmdbView(this.#tables, (id) => this.#findHead(id), log), changes)
  }

  /** @throws LIMIT_EXCEEDED when no image could hold it */
  #makeWrite(log: LogId, changes: readonly Change[], logged: boolean): Write {
    const sizes = listSizes(changes)
    if (changes.length === 0) return { log, changes, logged, sizes }
    const head = this.#findHead(log)
    const known = head && withSize(this.#tables, head)
    if (known !== undefined) this.#heads.set(log, known)
    requireRoom(this.#tables, known ?? EMPTY_LOG, changes, sizes, this.#imageBytesMax)
    return { log, changes, logged, sizes }
  }

  #write(
    { log, changes, logged, sizes }: Write,
    entry: { at: number; by: Actor; status: number; summary?: string },
    rows: ReadRows | undefined,
  ): void {
    if (changes.length === 0 && !logged) return
    const head = this.#findHead(log) ?? this.#newHead()
    const texts = listTexts(changes)
    const known = { sizes, texts, ...(rows === undefined ? {} : { rows }) }
    const applied = apply(this.#tables, log, head, changes, this.#search, known)
    const encoded = encodeEntry(log, head, { ...entry, changes }, texts)
    this.#heads.set(log, append(this.#tables, applied, encoded))
    this.#moved.add(log)
    this.#proposed?.touched.add(log)
    const { at, status } = entry
    this.#proposed?.entries.push({ log, lineage: head.lineage, ...encoded, changes, at, status })
  }

  #findHead(log: LogId): Head | undefined {
    const known = this.#heads.get(log)
    if (known !== undefined) return known
    const stored = this.#tables.heads.get(log)
    if (stored !== undefined) this.#heads.set(log, stored)
    return stored
  }

  #newHead(): Head {
    const begun = this.#proposed && PROVISIONAL + this.#proposed.entries.length
    return newHead(begun ?? this.#tables.totals.takeNumber(), randomBytes(32).toString('hex'))
  }
}

/** A newer version may write objects that this one has no place for. @throws DATABASE_REFUSED */
function requireKnown(changes: readonly Change[]): void {
  const foreign = changes.find(({ kind }) => !Object.hasOwn(KIND_NUMBERS, kind))
  if (foreign === undefined) return
  const reason = `a newer version wrote objects of kind \`${foreign.kind}\`: install it here, too`
  throw new ZerohopError('DATABASE_REFUSED', { reason })
}

/** First number of logs that begin in a transaction which is aborted: no log on record has one so high. */
const PROVISIONAL = 2 ** 31

/** The head of a log before its first entry. */
function newHead(number: number, lineage: string): Head {
  return { number, lineage, revision: 0, chain: lineage, next: 1, counts: {}, sums: {}, log: NO_SUM }
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Of an id, behind the time. */
const ID_RANDOM_BYTES = 10
/** Ids for which random bytes are drawn at once. */
const IDS_DRAWN = 64

/** The one source of ids, secrets and time of the store. */
class NodeMint implements Mint {
  readonly now: number
  readonly #time: string
  /** drawn for many ids at once */
  #random = Buffer.alloc(0)
  #used = 0

  constructor(now: number) {
    this.now = now
    this.#time = now.toString(16).padStart(12, '0')
  }

  /**
   * A UUID of version 7: it begins with the time, so that new ids are neighbours on disk and a batch touches few pages.
   */
  id(): string {
    if (this.#random.length - this.#used < ID_RANDOM_BYTES) {
      this.#random = randomBytes(ID_RANDOM_BYTES * IDS_DRAWN)
      this.#used = 0
    }
    const random = this.#random
    const at = this.#used
    this.#used = at + ID_RANDOM_BYTES
    random[at] = (random[at]! & 0x0f) | 0x70 // the version
    random[at + 2] = (random[at + 2]! & 0x3f) | 0x80 // the variant
    return this.#time + random.toString('hex', at, at + ID_RANDOM_BYTES)
  }

  secret(bytes: number): string {
    const digits = Math.ceil((bytes * 8) / Math.log2(62))
    let number = BigInt(`0x${randomBytes(bytes).toString('hex')}`)
    let text = ''
    for (let digit = 0; digit < digits; digit++) {
      text = `${BASE62[Number(number % 62n)]}${text}`
      number /= 62n
    }
    return text
  }
}
