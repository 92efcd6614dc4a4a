// Several PDP processes on one port (PDP_WORKERS): the primary process answers no requests. It starts the workers,
// hands connections to them, restarts a dead one after a pause while the others continue, passes queries between them,
// and stops all of them on a signal.
import cluster, { type Worker } from 'node:cluster'
import type { Logger } from 'pino'
import { contain, contained, inBackground } from '../../model/contained.ts'
import { RETRY_FIRST_MS, RETRY_LONGEST_MS, SIBLING_ANSWER_MS, WORKER_START_MS } from '../../model/limits.ts'
import { Backoff } from '../../pdp/backoff.ts'
import { shutdownMs } from './process.ts'

export type Question =
  | { readonly about: 'health' }
  | { readonly about: 'metrics' }
  | { readonly about: 'applied'; readonly revision: number; readonly timeoutMs: number }

export interface Answers {
  readonly type: 'answers'
  readonly id: number
  /** true when each worker was ready once */
  readonly begun: boolean
  readonly wanted: number
  /** answers of the workers that take connections; null for one that did not answer */
  readonly each: readonly unknown[]
}

export type FromWorker =
  | { readonly type: 'begun' | 'listening' | 'ready' }
  | { readonly type: 'ask'; readonly id: number; readonly question: Question }
  | { readonly type: 'answer'; readonly id: number; readonly answer: unknown }

export type FromPrimary =
  | { readonly type: 'place'; readonly index: number; readonly first: boolean }
  | { readonly type: 'hangup' }
  /** `drains`: it goes on for a while before it closes */
  | { readonly type: 'stop'; readonly drains: boolean }
  | { readonly type: 'ask'; readonly id: number; readonly question: Question }
  | Answers

interface Seat {
  readonly index: number
  readonly backoff: Backoff
  worker: Worker | undefined
  listening: boolean
  ready: boolean
}

/** Runs until a signal, or until no worker can start. */
export function runWorkers(count: number, drainMs: number, log: Logger): void {
  cluster.setupPrimary({ args: process.argv.slice(2) })
  new Workers(count, drainMs, log).start()
}

class Workers {
  readonly #log: Logger
  readonly #drainMs: number
  readonly #seats: readonly Seat[]
  readonly #stopping = new AbortController()
  readonly #waiting = new Map<number, (answer: unknown) => void>()
  #asks = 0
  #begun = false

  constructor(count: number, drainMs: number, log: Logger) {
    this.#log = log
    this.#drainMs = drainMs
    this.#seats = Array.from({ length: count }, (_, index) => ({
      index,
      backoff: new Backoff(RETRY_FIRST_MS, RETRY_LONGEST_MS),
      worker: undefined,
      listening: false,
      ready: false,
    }))
  }

  /**
   * Starts the first worker alone, so that a configuration error is reported once; the others when it is ready, or
   * after a moment.
   */
  start(): void {
    const stop = contained('a signal', (signal: NodeJS.Signals) => this.#stop(signal === 'SIGTERM'))
    const hangup = contained('a signal', () => this.#tellAll({ type: 'hangup' }))
    process.on('SIGTERM', stop).on('SIGINT', stop).on('SIGHUP', hangup)
    this.#fork(this.#seats[0]!)
  }

  #fork(seat: Seat): void {
    const worker = cluster.fork()
    Object.assign(seat, { worker, listening: false, ready: false })
    const hear = (message: FromWorker): void => this.#hear(seat, worker, message)
    const ended = (code: number | null, signal: string | null): void => this.#ended(seat, code, signal)
    worker.on('message', contained('a message of a worker', hear))
    worker.once('exit', contained('the end of a worker', ended))
    // one that cannot be started has an error, and no end
    const failed = (error: Error): void => {
      contain('a worker', error)
      if (worker.process.pid === undefined) this.#ended(seat, null, null)
    }
    worker.on('error', contained('the error of a worker', failed))
  }

  #hear(seat: Seat, worker: Worker, message: FromWorker): void {
    switch (message.type) {
      case 'begun':
        if (this.#stopping.signal.aborted) send(worker, { type: 'stop', drains: false })
        else send(worker, { type: 'place', index: seat.index, first: !this.#seats.some(({ listening }) => listening) })
        break
      case 'listening':
        seat.listening = true
        if (seat.index === 0) {
          const startOthers = contained('starting workers', () => this.#startOthers())
          setTimeout(startOthers, WORKER_START_MS).unref()
        }
        break
      case 'ready':
        seat.ready = true
        seat.backoff.reset()
        this.#begun ||= this.#seats.every(({ ready }) => ready)
        this.#startOthers()
        break
      case 'ask':
        inBackground('the question of a worker', this.#askFor(worker, message))
        break
      default:
        this.#waiting.get(message.id)?.(message.answer)
        this.#waiting.delete(message.id)
    }
  }

  async #askFor(worker: Worker, { id, question }: Extract<FromWorker, { readonly type: 'ask' }>): Promise<void> {
    const each = await this.#askAll(question)
    send(worker, { type: 'answers', id, begun: this.#begun, wanted: this.#seats.length, each })
  }

  #startOthers(): void {
    if (this.#stopping.signal.aborted) return
    for (const seat of this.#seats) if (seat.worker === undefined) this.#fork(seat)
  }

  #askAll(question: Question): Promise<unknown[]> {
    const limitMs = SIBLING_ANSWER_MS + (question.about === 'applied' ? question.timeoutMs : 0)
    const asked = this.#seats.filter(({ listening }) => listening)
    return Promise.all(asked.map(({ worker }) => this.#ask(worker!, question, limitMs)))
  }

  #ask(worker: Worker, question: Question, limitMs: number): Promise<unknown> {
    return new Promise((resolve) => {
      const id = ++this.#asks
      const settle = (answer: unknown): void => {
        clearTimeout(timer)
        worker.off('exit', gone)
        this.#waiting.delete(id)
        resolve(answer)
      }
      // A dead worker cannot answer from an old revision: it restarts with a new image.
      const gone = (): void => settle(question.about === 'applied' ? true : null)
      const timer = setTimeout(() => settle(null), limitMs)
      worker.once('exit', gone)
      this.#waiting.set(id, settle)
      send(worker, { type: 'ask', id, question })
    })
  }

  #ended(seat: Seat, code: number | null, signal: string | null): void {
    const wasReady = this.#begun || this.#seats.some(({ ready }) => ready)
    Object.assign(seat, { listening: false, ready: false })
    if (this.#stopping.signal.aborted) return
    if (code === 1 && !wasReady) {
      // It reported the error; another worker would only repeat it.
      this.#tellAll({ type: 'stop', drains: false })
      process.exitCode = 1
      this.#stopping.abort()
      return
    }
    const pauseMs = seat.backoff.next()
    this.#log.error({ worker: seat.index, code, signal, pauseMs }, 'a worker ended and is being restarted')
    inBackground('starting a worker again', this.#forkAgain(seat))
  }

  async #forkAgain(seat: Seat): Promise<void> {
    await seat.backoff.wait(this.#stopping.signal)
    if (!this.#stopping.signal.aborted) this.#fork(seat)
  }

  /** Only the workers keep this process alive. */
  #stop(drains: boolean): void {
    const again = this.#stopping.signal.aborted
    this.#stopping.abort()
    this.#tellAll({ type: 'stop', drains })
    const kill = contained('ending the workers', () => {
      for (const { worker } of this.#seats) worker?.process.kill('SIGKILL')
    })
    if (again) {
      process.exitCode = 1
      kill()
    } else setTimeout(kill, shutdownMs(drains ? this.#drainMs : 0) + 500).unref()
  }

  #tellAll(message: FromPrimary): void {
    for (const { worker } of this.#seats) if (worker !== undefined) send(worker, message)
  }
}

/** A worker that ends hears nothing; without the callback that would be an error of this process. */
function send(worker: Worker, message: FromPrimary): void {
  if (worker.isConnected()) worker.send(message, () => undefined)
}
