// One batch of use cases in one LMDB transaction: each sees the writes of the earlier ones, a domain error drops only
// the use case that threw it, and one sync serves all. Runs in the writer thread only. A batch is on disk as a whole or
// not at all.
import { randomBytes, randomUUID } from 'node:crypto'
import type { Actor, Change, LogId, Position } from '../log/change.ts'
import { IMAGE_ROOM, type ImageSize } from '../log/image-bytes.ts'
import { type ErrorCode, type ErrorDetails, isZerohopError, ZerohopError } from '../model/errors.ts'
import { NO_SUM } from './checksum.ts'
import { asDiskError } from './disk.ts'
import type { Head } from './heads.ts'
import { EMPTY_LOG, measured, requireRoom, sizesOf } from './image-budget.ts'
import { LmdbView } from './lmdb-view.ts'
import { append } from './log.ts'
import type { Seal } from './secrets.ts'
import { apply } from './state.ts'
import type { Tables } from './tables.ts'
import { type Retention, type Trimmed, trim } from './trim.ts'
import type { Decided, Mint, UseCase, UseCases } from './view.ts'

/** A use case waiting to be run. */
export interface Job {
  readonly log: LogId
  readonly name: string
  readonly input: unknown
  readonly by: Actor
}

/** An error in the form in which it crosses the thread border. */
export interface Failure {
  readonly code: ErrorCode
  readonly details: ErrorDetails
  readonly path: readonly (string | number)[] | undefined
  /** the stack of an unexpected error, for the log of the process */
  readonly cause: string | undefined
}

export interface Done {
  readonly result: unknown
  readonly revision: number
  /** logs beside its own that the use case wrote to */
  readonly also: readonly LogId[]
}

export type Reply = Done | { readonly failure: Failure }

export interface Answer {
  readonly replies: readonly Reply[]
  /** the logs that the batch wrote to, with their new positions */
  readonly moved: readonly (readonly [LogId, Position])[]
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
  /** Copies of the heads on disk, and of those that the open transaction has moved. Bounded by the number of logs. */
  readonly #heads = new Map<LogId, Head>()
  #moved = new Set<LogId>()
  /** damage that a use case of the open transaction met: LMDB may then refuse the whole transaction */
  #damage: ZerohopError | undefined

  /** @param imageBytesMax for tests: the largest image of one environment, in bytes */
  constructor(tables: Tables, useCases: UseCases, seal: Seal, folder: string, imageBytesMax = IMAGE_ROOM) {
    this.#tables = tables
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
        return trim(this.#tables, { get: (log) => this.#headOf(log), set }, logs, retention)
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
    this.#moved = new Set()
    this.#damage = undefined
    const mint = new NodeMint(now)
    return this.#tables.root.transactionSync(() => {
      const replies = jobs.map((job) => this.#runOne(job, mint))
      const moved: [LogId, Position][] = []
      for (const log of this.#moved) {
        const head = this.#headOf(log)
        if (head === undefined) continue
        this.#tables.heads.put(log, head)
        moved.push([log, { revision: head.revision, chain: head.chain }])
      }
      return { replies, moved }
    })
  }

  #runOne(job: Job, mint: Mint): Reply {
    let decided: Decided<unknown>
    let writes: readonly Write[]
    try {
      decided = this.#decide(job, mint)
      const { changes, logged = false, also = [] } = decided
      writes = [
        this.#writeOf(job.log, changes, logged),
        ...also.map((one) => this.#writeOf(one.log, one.changes, false)),
      ]
    } catch (error) {
      if (isZerohopError(error, 'DATA_DAMAGED')) this.#damage = error
      return { failure: toFailure(error) }
    }
    const entry = { at: mint.now, by: job.by, status: decided.status ?? 200 }
    for (const write of writes) this.#write(write, entry)
    for (const { id, secret } of decided.secrets ?? []) {
      if (secret === null) this.#tables.secrets.remove(id)
      else this.#tables.secrets.put(id, this.#seal(id, secret))
    }
    const also = writes.slice(1).map(({ log }) => log)
    return { result: decided.result, revision: this.#headOf(job.log)?.revision ?? 0, also }
  }

  #decide(job: Job, mint: Mint): Decided<unknown> {
    const useCase: UseCase | undefined = Object.hasOwn(this.#useCases, job.name) ? this.#useCases[job.name] : undefined
    if (useCase === undefined) throw new Error(`no use case is named ${job.name}`)
    const view = new LmdbView(this.#tables, (log) => this.#headOf(log), job.log)
    return useCase(view, job.input as never, mint)
  }

  /** @throws LIMIT_EXCEEDED when no image could hold it */
  #writeOf(log: LogId, changes: readonly Change[], logged: boolean): Write {
    const sizes = sizesOf(changes)
    if (changes.length === 0) return { log, changes, logged, sizes }
    const head = this.#headOf(log)
    const known = head && measured(this.#tables, head)
    if (known !== undefined) this.#heads.set(log, known)
    requireRoom(this.#tables, known ?? EMPTY_LOG, changes, sizes, this.#imageBytesMax)
    return { log, changes, logged, sizes }
  }

  #write({ log, changes, logged, sizes }: Write, entry: { at: number; by: Actor; status: number }): void {
    if (changes.length === 0 && !logged) return
    const head = this.#headOf(log) ?? this.#newHead()
    const applied = apply(this.#tables, log, head, changes, sizes)
    this.#heads.set(log, append(this.#tables, log, applied, { ...entry, changes }))
    this.#moved.add(log)
  }

  #headOf(log: LogId): Head | undefined {
    const known = this.#heads.get(log)
    if (known !== undefined) return known
    const stored = this.#tables.heads.get(log)
    if (stored !== undefined) this.#heads.set(log, stored)
    return stored
  }

  #newHead(): Head {
    const number = this.#tables.totals.takeNumber()
    const lineage = randomBytes(32).toString('hex')
    return { number, lineage, revision: 0, chain: lineage, next: 1, counts: {}, sums: {}, log: NO_SUM }
  }
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** The one source of ids, secrets and time of the store. */
class NodeMint implements Mint {
  readonly now: number

  constructor(now: number) {
    this.now = now
  }

  /**
   * A UUID of version 7: it begins with the time, so that new ids are neighbours on disk and a batch touches few pages.
   */
  id(): string {
    const time = this.now.toString(16).padStart(12, '0')
    return `${time}7${randomUUID().replaceAll('-', '').slice(13)}`
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

/** The error as plain data, because class instances do not cross the thread border. */
export function toFailure(error: unknown): Failure {
  if (isZerohopError(error)) {
    return { code: error.code, details: error.details, path: error.path, cause: stackOf(error.cause) }
  }
  return { code: 'INTERNAL', details: {}, path: undefined, cause: stackOf(error) }
}

/** The error again, on the receiving side. */
export function fromFailure(failure: Failure): ZerohopError {
  const { code, details, path, cause } = failure
  return new ZerohopError(code, details, {
    ...(path === undefined ? {} : { path }),
    ...(cause === undefined ? {} : { cause: new Error(cause) }),
  })
}

function stackOf(cause: unknown): string | undefined {
  if (cause === undefined) return undefined
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)
}
