// A thread that answers questions, in any order. It is started with the first one, and again when it died.
import type { Worker } from 'node:worker_threads'
import { contained } from '../model/contained.ts'
import type { ZerohopError } from '../model/errors.ts'
import { type Failure, fromFailure } from '../threads/failure.ts'

export type ToAsked<Question> = { readonly asked: number; readonly question: Question } | { readonly close: true }
export type FromAsked<Answer> =
  | { readonly ready: true }
  | { readonly told: number; readonly answer: Answer }
  | { readonly told: number; readonly failure: Failure }

interface Waiting<Answer> {
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: Error) => void
}

interface Running<Answer> {
  readonly worker: Worker
  readonly waiting: Map<number, Waiting<Answer>>
}

export interface AskedThreadOptions {
  /** Starts the thread. What it throws, each question that waits for it gets. */
  readonly begin: () => Worker
  /** what an error that ends the thread means */
  readonly asError: (error: Error) => Error
  readonly closed: () => ZerohopError
}

export class AskedThread<Question, Answer> {
  readonly #options: AskedThreadOptions
  #running: Promise<Running<Answer>> | undefined
  #isStarting = false
  #isClosed = false
  #asked = 0
  #waiting = 0

  constructor(options: AskedThreadOptions) {
    this.#options = options
  }

  /** Questions that wait for their answer. */
  get waiting(): number {
    return this.#waiting
  }

  get isStarting(): boolean {
    return this.#isStarting
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** @throws what the thread answers with, or what ended it; CLOSED */
  async ask(question: Question): Promise<Answer> {
    if (this.#isClosed) throw this.#options.closed()
    this.#waiting++
    try {
      const { worker, waiting } = await this.#run()
      return await new Promise<Answer>((resolve, reject) => {
        const asked = ++this.#asked
        waiting.set(asked, { resolve, reject })
        worker.postMessage({ asked, question } satisfies ToAsked<Question>)
      })
    } finally {
      this.#waiting--
    }
  }

  /** Resolves when the thread has answered what it was asked, and has ended. */
  async close(): Promise<void> {
    this.#isClosed = true
    const running = await this.#running?.catch(() => undefined)
    if (running === undefined) return
    const { worker } = running
    const ended = new Promise((resolve) => worker.once('exit', resolve))
    worker.ref()
    worker.postMessage({ close: true } satisfies ToAsked<Question>)
    await ended
  }

  #run(): Promise<Running<Answer>> {
    if (this.#running !== undefined) return this.#running
    const starting = this.#start()
    this.#running = starting
    starting.catch(() => {
      if (this.#running === starting) this.#running = undefined // it may be possible the next time
    })
    return starting
  }

  async #start(): Promise<Running<Answer>> {
    const { begin, asError, closed } = this.#options
    try {
      this.#isStarting = true
      const running = { worker: begin(), waiting: new Map<number, Waiting<Answer>>() }
      const { worker, waiting } = running
      await new Promise<void>((resolve, reject) => {
        let hasEnded = false
        const fail = (error: Error): void => {
          if (hasEnded) return // an error is followed by the exit: by then there may be another thread
          hasEnded = true
          this.#running = undefined // the next question starts another one
          for (const each of waiting.values()) each.reject(error)
          waiting.clear()
          reject(error)
        }
        const answered = (message: FromAsked<Answer>): void => {
          if ('ready' in message) {
            resolve()
            return
          }
          const asker = waiting.get(message.told)
          waiting.delete(message.told)
          if ('failure' in message) asker?.reject(fromFailure(message.failure))
          else asker?.resolve(message.answer)
        }
        const failed = (error: Error): void => fail(asError(error))
        const ended = (): void => fail(closed())
        worker.once('error', contained('the end of a thread', failed, reject))
        worker.once('exit', contained('the end of a thread', ended, reject))
        worker.on('message', contained('the answer of a thread', answered))
      })
      worker.unref()
      return running
    } finally {
      this.#isStarting = false
    }
  }
}
