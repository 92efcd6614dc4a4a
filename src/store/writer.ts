// The main side of the writer: queues use cases, sends all queued ones as one message, and settles each promise when
// the thread answers. It never reads or writes a table. Why a thread: docs/adr/0003-writer-thread.md.
import { Worker } from 'node:worker_threads'
import type { LogId, Position } from '../log/change.ts'
import { ZerohopError } from '../model/errors.ts'
import type { OnEvent } from '../model/events.ts'
import { WRITER_BATCH_ITEMS_MAX, WRITER_BATCH_MAX, WRITER_IN_FLIGHT_MAX, WRITER_QUEUE_MAX } from '../model/limits.ts'
import { type Done, fromFailure, type Job } from './batch.ts'
import type { Retention, Trimmed } from './trim.ts'
import type { FromThread, ThreadData, ToThread } from './writer-thread.ts'

interface Waiting {
  readonly job: Job
  readonly resolve: (done: Done) => void
  readonly reject: (error: Error) => void
}

/**
 * A batch is on disk: the logs that it wrote to, and the seconds that it took with its sync. Sent before the writers
 * are answered.
 */
export interface BatchEvent {
  readonly event: 'batch'
  readonly moved: readonly (readonly [LogId, Position])[]
  readonly seconds: number
}
export type WriterEvent = BatchEvent | { readonly event: 'died'; readonly error: ZerohopError }

/** Counters since the writer started. */
export interface WriterStats {
  /** use cases that were committed */
  writes: number
}

export class Writer {
  readonly stats: WriterStats = { writes: 0 }
  readonly #thread: Worker
  readonly #onEvent: OnEvent<WriterEvent>
  readonly #exited: Promise<void>
  #ready: { resolve: () => void; reject: (error: Error) => void } | undefined
  #queue: Waiting[] = []
  readonly #inFlight: Waiting[][] = []
  #waiting = 0
  readonly #trims: { resolve: (trimmed: Trimmed) => void; reject: (error: Error) => void }[] = []
  #isFlushPlanned = false
  #isClosing = false
  /** why no more jobs are accepted */
  #stopped: ZerohopError | undefined

  private constructor(entry: URL, data: ThreadData, onEvent: OnEvent<WriterEvent>) {
    this.#onEvent = onEvent
    this.#thread = new Worker(entry, { workerData: data, name: 'zerohop-writer' })
    this.#thread.on('message', (message: FromThread) => this.#receive(message))
    this.#thread.on('messageerror', (error) => this.#die('its answer cannot be read', error))
    this.#thread.on('error', (error) => this.#die('it met an unexpected error', error))
    this.#exited = new Promise((resolve) => {
      this.#thread.on('exit', (code) => {
        this.#die(`exit code ${code}`)
        resolve()
      })
    })
  }

  /** Starts the thread and returns when it has opened the tables. */
  static async start(entry: URL, data: ThreadData, onEvent: OnEvent<WriterEvent>): Promise<Writer> {
    const writer = new Writer(entry, data, onEvent)
    await new Promise<void>((resolve, reject) => {
      writer.#ready = { resolve, reject }
    })
    return writer
  }

  /**
   * Runs the use case in the next batch and answers when its outcome is on disk.
   * @throws the domain error of the use case; OVERLOADED, DISK_FULL, DISK_FAILED, WRITER_DEAD, CLOSED
   */
  commit(job: Job): Promise<Done> {
    if (this.#stopped !== undefined) return Promise.reject(this.#stopped)
    if (this.#waiting >= WRITER_QUEUE_MAX) {
      return Promise.reject(new ZerohopError('OVERLOADED', { waiting: this.#waiting }))
    }
    this.#waiting++
    return new Promise((resolve, reject) => {
      this.#queue.push({ job, resolve, reject })
      if (this.#isFlushPlanned || this.#inFlight.length >= WRITER_IN_FLIGHT_MAX) return
      this.#isFlushPlanned = true
      setImmediate(() => this.#flush()) // after all requests that arrive in this turn of the loop
    })
  }

  /** Use cases waiting for their answer. */
  get waiting(): number {
    return this.#waiting
  }

  /** One bounded step of trimming expired history, between two batches. @throws WRITER_DEAD, CLOSED */
  maintain(retention: Retention): Promise<Trimmed> {
    if (this.#stopped !== undefined) return Promise.reject(this.#stopped)
    return new Promise((resolve, reject) => {
      this.#trims.push({ resolve, reject })
      this.#thread.postMessage({ maintain: retention } satisfies ToThread)
    })
  }

  /** Waits for all accepted jobs, closes the tables of the thread and ends it. */
  async close(): Promise<void> {
    if (this.#stopped !== undefined) return this.#exited
    this.#stopped = new ZerohopError('CLOSED', { what: 'the store' })
    this.#closeWhenDone()
    return this.#exited
  }

  #flush(): void {
    this.#isFlushPlanned = false
    while (this.#queue.length > 0 && this.#inFlight.length < WRITER_IN_FLIGHT_MAX) {
      const batch = this.#queue.splice(0, batchLength(this.#queue))
      try {
        this.#thread.postMessage({ jobs: batch.map(({ job }) => job) } satisfies ToThread)
        this.#inFlight.push(batch)
      } catch {
        this.#sendCloneable(batch)
      }
    }
    this.#closeWhenDone()
  }

  /** An input that cannot be cloned is a defect of its caller alone. */
  #sendCloneable(batch: readonly Waiting[]): void {
    const cloneable = batch.filter((waiting) => {
      try {
        structuredClone(waiting.job)
        return true
      } catch (error) {
        this.#waiting--
        waiting.reject(new ZerohopError('INTERNAL', {}, { cause: error }))
        return false
      }
    })
    if (cloneable.length === 0) return
    this.#thread.postMessage({ jobs: cloneable.map(({ job }) => job) } satisfies ToThread)
    this.#inFlight.push(cloneable)
  }

  #receive(message: FromThread): void {
    if ('ready' in message) {
      this.#ready?.resolve()
      return
    }
    if ('trimmed' in message) {
      this.#trims.shift()?.resolve(message.trimmed)
      this.#closeWhenDone()
      return
    }
    const batch = this.#inFlight.shift() ?? []
    this.#waiting -= batch.length
    const { moved, seconds } = message
    this.#onEvent({ event: 'batch', moved, seconds })
    for (const [at, { resolve, reject }] of batch.entries()) {
      const reply = message.replies[at]
      if (reply === undefined) reject(new ZerohopError('INTERNAL'))
      else if ('failure' in reply) reject(fromFailure(reply.failure))
      else {
        this.stats.writes++
        resolve(reply)
      }
    }
    this.#flush()
  }

  #closeWhenDone(): void {
    if (this.#stopped?.code !== 'CLOSED' || this.#waiting + this.#trims.length > 0 || this.#isClosing) return
    this.#isClosing = true
    this.#thread.postMessage({ close: true } satisfies ToThread)
  }

  /** The thread has ended, whatever the reason: rejects all that wait for it. */
  #die(reason: string, cause?: unknown): void {
    const error = new ZerohopError('WRITER_DEAD', { reason }, { cause })
    this.#ready?.reject(error)
    if (this.#stopped === undefined) {
      this.#stopped = error
      this.#onEvent({ event: 'died', error })
    }
    const lost = [...this.#inFlight.splice(0).flat(), ...this.#queue.splice(0)]
    this.#waiting = 0
    for (const { reject } of [...lost, ...this.#trims.splice(0)]) reject(error)
  }
}

/**
 * How many queued jobs go into the next batch: bounded in number and in items, so that bulk calls do not pile up in one
 * transaction.
 */
function batchLength(queue: readonly Waiting[]): number {
  let items = 0
  let length = 0
  for (const { job } of queue) {
    items += itemsIn(job.input)
    if (length > 0 && (length >= WRITER_BATCH_MAX || items > WRITER_BATCH_ITEMS_MAX)) break
    length++
  }
  return length
}

/** Items in the lists of an input: each item of a bulk call is as much work as a single call. */
function itemsIn(input: unknown): number {
  if (typeof input !== 'object' || input === null) return 1
  return Object.values(input).reduce((sum: number, field) => sum + (Array.isArray(field) ? field.length : 0), 1)
}
