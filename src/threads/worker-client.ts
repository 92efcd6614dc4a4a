// The side of those who ask a worker thread: starts it with the first question, settles each promise with its answer,
// and tells all who wait when it ends. The thread itself calls `serve` or `serveSlow` of worker-host.ts.
// Why no library: docs/adr/0032-own-thread-calls.md.
import { type TransferListItem, Worker } from 'node:worker_threads'
import { contained, inBackground } from '../model/contained.ts'
import { ZerohopError } from '../model/errors.ts'
import { fromFailure } from './failure.ts'
import type { FromWorker, ToWorker } from './messages.ts'

export interface WorkerClientOptions<Event> {
  /** what errors call it */
  readonly name: string
  /** Where its code lies (thread-url.ts). Called when a thread is to start; what it throws, who asks gets. */
  readonly entry: () => URL
  readonly workerData?: unknown
  /** what tools that list threads call it */
  readonly threadName?: string
  /**
   * `one task`: each question starts a thread of its own, which ends with its answer; `idleMs`: one thread that ends
   * when no question came for so many milliseconds; `until closed`: one thread.
   */
  readonly lives: 'one task' | { readonly idleMs: number } | 'until closed'
  /** questions that may wait; beyond it the caller is asked to try again later */
  readonly waitingMax?: number
  /** for a thread that lives for one task: how long it may take */
  readonly timeout?: Timeout
  readonly onEvent?: (event: Event) => void
  /** What its end means to those who wait, and the error that ended it, if there is one. Without it THREAD_LOST. */
  readonly asError?: (cause: unknown) => Error
}

export interface Timeout {
  readonly ms: number
  /** what the caller gets; the thread is ended */
  readonly error: () => ZerohopError
}

interface Waiting<Answer> {
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: Error) => void
}

interface Thread<Answer> {
  readonly worker: Worker
  /** by the numbers of their questions */
  readonly waiting: Map<number, Waiting<Answer>>
  readonly exited: Promise<void>
  isReady: boolean
  idle: NodeJS.Timeout | undefined
}

export class WorkerClient<Question, Answer, Event = never> {
  readonly #options: WorkerClientOptions<Event>
  /** those that have not ended, also while they end */
  readonly #threads = new Set<Thread<Answer>>()
  /** the one that gets the next question */
  #current: Thread<Answer> | undefined
  #asked = 0
  #isClosed = false

  constructor(options: WorkerClientOptions<Event>) {
    this.#options = options
  }

  /** Questions that wait for their answer. */
  get waiting(): number {
    return [...this.#threads].reduce((sum, { waiting }) => sum + waiting.size, 0)
  }

  /** True while the thread loads its code. */
  get isStarting(): boolean {
    return this.#current?.isReady === false
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** @throws OVERLOADED, CLOSED, what the thread throws, and what its end means to those who wait */
  async ask(question: Question, transfer: TransferListItem[] = []): Promise<Answer> {
    const { waitingMax = Number.POSITIVE_INFINITY } = this.#options
    if (this.#isClosed) throw this.#closed()
    const waiting = this.waiting
    if (waiting >= waitingMax) throw new ZerohopError('OVERLOADED', { waiting })
    const thread = this.#current ?? this.#start()
    if (this.#options.lives !== 'one task') this.#current = thread
    clearTimeout(thread.idle)
    thread.worker.ref()
    const id = ++this.#asked
    const answer = new Promise<Answer>((resolve, reject) => thread.waiting.set(id, { resolve, reject }))
    try {
      thread.worker.postMessage({ kind: 'ask', id, question } satisfies ToWorker<Question>, transfer)
    } catch (error) {
      this.#settle(thread, id) // a question that cannot be cloned is a defect of its caller alone
      throw error
    }
    return answer
  }

  /** Ends the thread, and resolves when it has ended. It may answer what it was asked; who still waits is refused. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#threads].map((thread) => this.#end(thread)))
  }

  #closed(): ZerohopError {
    return new ZerohopError('CLOSED', { what: this.#options.name })
  }

  /** @throws what `entry` throws; THREAD_LOST */
  #start(): Thread<Answer> {
    const { entry, workerData, threadName, timeout } = this.#options
    const url = entry()
    let worker: Worker
    try {
      worker = new Worker(url, { workerData, ...(threadName === undefined ? {} : { name: threadName }) })
    } catch (cause) {
      // such as with the permission model of Node and without `--allow-worker`
      throw new ZerohopError('THREAD_LOST', { reason: `${cause}` }, { cause })
    }
    const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
    const thread: Thread<Answer> = { worker, waiting: new Map(), exited, isReady: false, idle: undefined }
    this.#threads.add(thread)
    const terminate = (): void => inBackground('ending a thread', worker.terminate())
    const hear = (message: FromWorker<Answer, Event> | null): void => {
      if (message?.kind === 'answer') this.#settle(thread, message.id)?.resolve(message.answer)
      else if (message?.kind === 'failure') {
        const error = fromFailure(message.failure)
        this.#settle(thread, message.id)?.reject(error)
      } else if (message?.kind === 'event') this.#options.onEvent?.(message.event)
      else if (message?.kind === 'ready') thread.isReady = true
      else {
        this.#lose(thread, 'its file is another one')
        terminate()
      }
    }
    const fail = (cause: unknown): void => this.#lose(thread, `${cause}`, cause)
    const garble = (cause: unknown): void => {
      fail(cause)
      inBackground('ending a thread', this.#end(thread))
    }
    const expire = (): void => {
      if (timeout !== undefined) this.#reject(thread, timeout.error())
      terminate()
    }
    const timer = timeout && setTimeout(contained('the limit of a task', expire), timeout.ms)
    const exit = (code: number): void => {
      clearTimeout(timer)
      clearTimeout(thread.idle)
      this.#threads.delete(thread)
      this.#lose(thread, `exit code ${code}`)
    }
    worker.on('message', contained('the answer of a thread', hear, garble))
    worker.on('messageerror', contained('the end of a thread', garble))
    worker.on('error', contained('the end of a thread', fail))
    worker.on('exit', contained('the end of a thread', exit))
    return thread
  }

  /** Takes a question from those that wait. */
  #settle(thread: Thread<Answer>, id: number): Waiting<Answer> | undefined {
    const waiting = thread.waiting.get(id)
    thread.waiting.delete(id)
    if (thread.waiting.size === 0) this.#rest(thread)
    return waiting
  }

  /** Without work the thread keeps no process alive. */
  #rest(thread: Thread<Answer>): void {
    const { lives } = this.#options
    if (lives === 'one task') inBackground('ending a thread', this.#end(thread))
    else thread.worker.unref()
    if (typeof lives === 'string' || thread !== this.#current) return
    const end = (): void => inBackground('ending a thread', this.#end(thread))
    thread.idle = setTimeout(contained('ending a thread', end), lives.idleMs)
    thread.idle.unref()
  }

  async #end(thread: Thread<Answer>): Promise<void> {
    clearTimeout(thread.idle)
    if (this.#current === thread) this.#current = undefined
    thread.worker.ref()
    thread.worker.postMessage({ kind: 'close' } satisfies ToWorker<Question>)
    await thread.exited
  }

  /** The thread can answer no more: rejects all who wait for it. The next question starts another one. */
  #lose(thread: Thread<Answer>, reason: string, cause?: unknown): void {
    if (this.#current === thread) this.#current = undefined
    const lost = (): Error => (this.#isClosed ? this.#closed() : new ZerohopError('THREAD_LOST', { reason }, { cause }))
    this.#reject(thread, this.#options.asError?.(cause) ?? lost())
  }

  #reject(thread: Thread<Answer>, error: Error): void {
    for (const { reject } of thread.waiting.values()) reject(error)
    thread.waiting.clear()
  }
}
