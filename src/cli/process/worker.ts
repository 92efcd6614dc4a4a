// The worker's side of several PDP processes on one port: it reports to the primary process when it listens and when it
// is ready, queries its peers through the primary, and answers their queries. src/cli/process/workers.ts defines the
// messages.
import cluster from 'node:cluster'
import { contained, inBackground } from '../../model/contained.ts'
import { ZerohopError } from '../../model/errors.ts'
import type { Pdp } from '../../pdp/pdp.ts'
import type { Own, WorkerPeers } from '../../server.ts'
import type { Answers, FromPrimary, FromWorker, Question } from './workers.ts'

export interface Place {
  /** 0, 1, …: worker 0 keeps the last image on disk */
  readonly index: number
  /** false while other workers answer: it then takes no connections before it is ready */
  readonly first: boolean
}

export class WorkerSide implements WorkerPeers {
  /** until there is something to close, stopping is exiting */
  static #stop = (_drains: boolean): void => process.exit(0)
  readonly #pdp: () => Pdp
  readonly #asked = new Map<number, (answers: Answers) => void>()
  #own: Own | undefined
  #asks = 0

  /** `stop` and `hangup` are called on messages of the primary. */
  constructor(
    pdp: () => Pdp,
    { stop, hangup }: { readonly stop: (drains: boolean) => void; readonly hangup: () => void },
  ) {
    this.#pdp = pdp
    WorkerSide.#stop = stop
    const hear = (message: FromPrimary): void => {
      if (message.type === 'hangup') hangup()
      else if (message.type === 'answers') this.#settle(message)
      else if (message.type === 'ask') inBackground('the answer to another worker', this.#answer(message))
    }
    process.on('message', contained('a message of the primary process', hear))
  }

  /** True in a worker process. */
  static get isOne(): boolean {
    return cluster.isWorker
  }

  /** The index of this worker. */
  static place(): Promise<Place> {
    return new Promise((resolve) => {
      const hear = (message: FromPrimary): void => {
        if (message.type === 'stop') WorkerSide.#stop(message.drains)
        else if (message.type === 'place') resolve(message)
      }
      process.on('message', contained('a message of the primary process', hear))
      tell({ type: 'begun' })
    })
  }

  listening(): void {
    tell({ type: 'listening' })
  }

  ready(): void {
    tell({ type: 'ready' })
  }

  answer(own: Own): void {
    this.#own = own
  }

  async health() {
    const { begun, wanted, each } = await this.#ask({ about: 'health' })
    return { begun, wanted, each: each as Awaited<ReturnType<WorkerPeers['health']>>['each'] }
  }

  async metrics(): Promise<object[][]> {
    const { each } = await this.#ask({ about: 'metrics' })
    return each.filter((one) => one !== null) as object[][]
  }

  /** Resolves when every process that takes connections has the revision. @throws REVISION_TIMEOUT */
  async applied(revision: number, timeoutMs: number): Promise<void> {
    const { each } = await this.#ask({ about: 'applied', revision, timeoutMs })
    if (each.every((one) => one === true)) return
    const have = this.#pdp().imageRevision ?? 0
    throw new ZerohopError('REVISION_TIMEOUT', { wanted: revision, timeoutMs, have })
  }

  #ask(question: Question): Promise<Answers> {
    return new Promise((resolve) => {
      const id = ++this.#asks
      this.#asked.set(id, resolve)
      tell({ type: 'ask', id, question })
    })
  }

  #settle(answers: Answers): void {
    this.#asked.get(answers.id)?.(answers)
    this.#asked.delete(answers.id)
  }

  async #answer({ id, question }: Extract<FromPrimary, { type: 'ask' }>): Promise<void> {
    let answer: unknown = null
    try {
      if (question.about === 'health') answer = this.#own?.health() ?? null
      else if (question.about === 'metrics') answer = (await this.#own?.metrics()) ?? null
      else {
        await this.#pdp().atLeast(question.revision, { timeoutMs: question.timeoutMs })
        answer = true
      }
    } catch {
      // null: it failed, or was too late
    }
    tell({ type: 'answer', id, answer })
  }
}

/** A primary process that is gone hears nothing; without the callback that would be an error of this process. */
function tell(message: FromWorker): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined)
}
