// The main side of the writer: queues use cases, sends all queued ones as one message, and settles each promise when
// the thread answers. It never reads or writes a table. Why a thread: docs/adr/0003-writer-thread.md.
import { Worker } from 'node:worker_threads'
import type { LogId, Position } from '../log/change.ts'
import { contained } from '../model/contained.ts'
import { ZerohopError } from '../model/errors.ts'
import type { OnEvent } from '../model/events.ts'
import { WRITER_BATCH_ITEMS_MAX, WRITER_BATCH_MAX, WRITER_IN_FLIGHT_MAX, WRITER_QUEUE_MAX } from '../model/limits.ts'
import { type Failure, fromFailure } from '../threads/failure.ts'
import type { Done, Job } from './job.ts'
import type { UpkeepEvent } from './settings.ts'
import type { Retention, Trimmed } from './trim.ts'
import type { FromThread, Pause, Question, Replies, ThreadData, ToThread } from './writer-messages.ts'

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
  /** what a write met that the disk refused */
  readonly refused?: ZerohopError
  /** true when something was written */
  readonly hasWritten: boolean
}
export type WriterEvent =
  | BatchEvent
  /** logs were folded further, by writes of other replicas too */
  | { readonly event: 'moved'; readonly moved: BatchEvent['moved'] }
  /** a replica has everything that was on record at `at`, in monotonic ms */
  | { readonly event: 'caught up'; readonly at: number }
  /** what a replica cannot do in the background; without an error it can again */
  | { readonly event: 'trouble'; readonly error: ZerohopError | undefined }
  /** what a replica did for the record */
  | { readonly event: 'upkeep'; readonly upkeep: UpkeepEvent }
  | { readonly event: 'died'; readonly error: ZerohopError }

/** A batch that the thread has not answered completely. */
interface InFlight {
  readonly jobs: readonly Waiting[]
  left: number
  /** what is left of it waits for other replicas, and keeps no other batch back */
  isPassed: boolean
}

interface Asked {
  readonly resolve: (answer: unknown) => void
  readonly reject: (error: Error) => void
}

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
  readonly #inFlight = new Map<number, InFlight>()
  #batches = 0
  /** batches in flight that keep others back */
  #ahead = 0
  /** questions by their number */
  readonly #asked = new Map<number, Asked>()
  #questions = 0
  #waiting = 0
  /** steps that wait for the thread to pause */
  readonly #pauses: { readonly resolve: () => void; readonly reject: (error: Error) => void }[] = []
  /** steps that have not ended */
  #steps = 0
  readonly #trims: { resolve: (trimmed: Trimmed) => void; reject: (error: Error) => void }[] = []
  #isFlushPlanned = false
  #isClosing = false
  /** why no more jobs are accepted */
  #stopped: ZerohopError | undefined

  private constructor(entry: URL, data: ThreadData, onEvent: OnEvent<WriterEvent>) {
    this.#onEvent = onEvent
    this.#thread = new Worker(entry, { workerData: data, name: 'zerohop-writer' })
    const receive = (message: FromThread): void => this.#receive(message)
    const unread = (error: Error): void => this.#die('its answer cannot be read', error)
    const failed = (error: unknown): void => this.#die('it met an unexpected error', error)
    this.#thread.on('message', contained('the answer of the writer', receive))
    this.#thread.on('messageerror', contained('the end of the writer', unread))
    this.#thread.on('error', contained('the end of the writer', failed))
    this.#exited = new Promise((resolve) => {
      const ended = (code: number): void => {
        this.#die(`exit code ${code}`)
        resolve()
      }
      this.#thread.on(
        'exit',
        contained('the end of the writer', ended, () => resolve()),
      )
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
      if (this.#isFlushPlanned || this.#ahead >= WRITER_IN_FLIGHT_MAX) return
      this.#isFlushPlanned = true
      setImmediate(contained('handing writes to the writer', () => this.#flush())) // after all requests that arrive in this turn of the loop
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
      this.#thread.postMessage({ kind: 'maintain', retention } satisfies ToThread)
    })
  }

  /** Asks the thread. @throws DATABASE_UNAVAILABLE, HISTORY_LOST, WRITER_DEAD, CLOSED */
  ask(question: Question): Promise<unknown> {
    if (this.#stopped !== undefined) return Promise.reject(this.#stopped)
    const id = ++this.#questions
    return new Promise((resolve, reject) => {
      this.#asked.set(id, { resolve, reject })
      this.#thread.postMessage({ kind: 'ask', id, question } satisfies ToThread)
    })
  }

  /**
   * Runs a step while the thread is paused, so that no one writes to the data file. Writes that come meanwhile wait:
   * the step is to be short, and to have an end.
   * @throws what the step throws; WRITER_DEAD, CLOSED
   */
  async whilePaused<T>(step: () => Promise<T>): Promise<T> {
    if (this.#stopped !== undefined) throw this.#stopped
    const pause: Pause = new Int32Array(new SharedArrayBuffer(4))
    this.#steps++
    try {
      await new Promise<void>((resolve, reject) => {
        this.#pauses.push({ resolve, reject })
        this.#thread.postMessage({ kind: 'pause', pause } satisfies ToThread)
      })
      return await step()
    } finally {
      Atomics.store(pause, 0, 1)
      Atomics.notify(pause, 0)
      this.#steps--
      this.#closeWhenDone()
    }
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
    while (this.#queue.length > 0 && this.#ahead < WRITER_IN_FLIGHT_MAX) {
      const batch = this.#queue.splice(0, batchLength(this.#queue))
      try {
        this.#send(batch)
      } catch {
        this.#sendCloneable(batch)
      }
    }
    this.#closeWhenDone()
  }

  #send(jobs: readonly Waiting[]): void {
    const batch = ++this.#batches
    this.#thread.postMessage({ kind: 'batch', batch, jobs: jobs.map(({ job }) => job) } satisfies ToThread)
    this.#inFlight.set(batch, { jobs, left: jobs.length, isPassed: false })
    this.#ahead++
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
    if (cloneable.length > 0) this.#send(cloneable)
  }

  #receive(message: FromThread): void {
    switch (message.kind) {
      case 'ready':
        this.#ready?.resolve()
        return
      case 'failed':
        this.#fail(message.failure)
        return
      case 'replies':
        this.#answered(message)
        return
      case 'passed': {
        const batch = this.#inFlight.get(message.batch)
        if (batch !== undefined) this.#pass(batch)
        this.#flush()
        return
      }
      case 'moved':
        this.#onEvent({ event: 'moved', moved: message.moved })
        return
      case 'trouble':
        this.#onEvent({ event: 'trouble', error: message.failure && fromFailure(message.failure) })
        return
      case 'caught up':
        this.#onEvent({ event: 'caught up', at: performance.now() - message.agoMs })
        return
      case 'upkeep':
        this.#onEvent({ event: 'upkeep', upkeep: message.upkeep })
        return
      case 'answer':
        this.#settle(message.id)?.resolve(message.answer)
        this.#closeWhenDone()
        return
      case 'failure':
        this.#settle(message.id)?.reject(fromFailure(message.failure))
        this.#closeWhenDone()
        return
      case 'paused':
        this.#pauses.shift()?.resolve()
        return
      case 'trimmed':
        this.#trims.shift()?.resolve(message.trimmed)
        this.#closeWhenDone()
    }
  }

  /** The thread cannot begin. */
  #fail(failure: Failure): void {
    const error = fromFailure(failure)
    this.#stopped = error
    this.#ready?.reject(error)
  }

  /** Takes a question from those that wait. */
  #settle(id: number): Asked | undefined {
    const asked = this.#asked.get(id)
    this.#asked.delete(id)
    return asked
  }

  #answered({ batch, places, replies, moved, seconds }: Replies): void {
    const inFlight = this.#inFlight.get(batch)
    if (inFlight === undefined) return
    inFlight.left -= replies.length
    if (inFlight.left <= 0) {
      this.#pass(inFlight)
      this.#inFlight.delete(batch)
    }
    this.#waiting -= replies.length
    this.#onEvent({ event: 'batch', moved, seconds, ...ofDisk(replies) })
    for (const [at, reply] of replies.entries()) {
      const waiting = inFlight.jobs[places?.[at] ?? at]
      if (waiting === undefined) continue
      if ('failure' in reply) waiting.reject(fromFailure(reply.failure))
      else {
        this.stats.writes++
        waiting.resolve(reply)
      }
    }
    this.#flush()
  }

  #pass(batch: InFlight): void {
    if (batch.isPassed) return
    batch.isPassed = true
    this.#ahead--
  }

  #closeWhenDone(): void {
    const open = this.#waiting + this.#trims.length + this.#asked.size + this.#steps
    if (this.#stopped?.code !== 'CLOSED' || open > 0 || this.#isClosing) return
    this.#isClosing = true
    this.#thread.postMessage({ kind: 'close' } satisfies ToThread)
  }

  /** The thread has ended, whatever the reason: rejects all that wait for it. */
  #die(reason: string, cause?: unknown): void {
    const error = new ZerohopError('WRITER_DEAD', { reason }, { cause })
    this.#ready?.reject(error)
    if (this.#stopped === undefined) {
      this.#stopped = error
      this.#onEvent({ event: 'died', error })
    }
    const lost = [...[...this.#inFlight.values()].flatMap(({ jobs }) => jobs), ...this.#queue.splice(0)]
    this.#inFlight.clear()
    this.#waiting = 0
    const asked = [...this.#trims.splice(0), ...this.#pauses.splice(0), ...this.#asked.values()]
    for (const { reject } of [...lost, ...asked]) reject(error)
    this.#asked.clear()
  }
}

/** What the replies tell of the disk. */
function ofDisk(replies: Replies['replies']): Pick<BatchEvent, 'refused' | 'hasWritten'> {
  const refusals = replies.flatMap((reply) => ('failure' in reply ? reply.failure : []))
  const refused = refusals.find(({ code }) => code === 'DISK_FULL' || code === 'DISK_FAILED')
  const hasWritten = refusals.length < replies.length
  return { hasWritten, ...(refused === undefined ? {} : { refused: fromFailure(refused) }) }
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
