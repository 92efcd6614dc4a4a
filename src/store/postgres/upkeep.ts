// The upkeep of the record by a replica, in the background: now and then it looks for what is due, and has a thread do
// it. The replicas agree on who does what by claims (claims.ts).
import { isZerohopError } from '../../model/errors.ts'
import { threadUrl } from '../../threads/thread-url.ts'
import { WorkerClient } from '../../threads/worker-client.ts'
import type { DatabaseSettings, UpkeepEvent } from '../settings.ts'
import type { Connection } from './connection.ts'
import { forgetTasks } from './forget-log.ts'
import { listTasks, type RecordRetention, readLogStates, UncoveredBytes, type UpkeepTask } from './upkeep-plan.ts'

export interface UpkeepDeps {
  readonly settings: DatabaseSettings
  /** the cache of this replica */
  readonly folder: string
  /** id of this replica, a UUID */
  readonly replica: string
  readonly connection: () => Promise<Connection>
  readonly report: (event: UpkeepEvent) => void
}

export interface UpkeepData extends Pick<UpkeepDeps, 'settings' | 'folder' | 'replica'> {
  readonly retention: RecordRetention
  /** one number: not 0 when the thread shall end */
  readonly stop: SharedArrayBuffer
}

export class Upkeep {
  readonly #deps: UpkeepDeps
  readonly #uncovered = new UncoveredBytes()
  readonly #stop = new SharedArrayBuffer(4)
  #running: Promise<void> | undefined

  constructor(deps: UpkeepDeps) {
    this.#deps = deps
  }

  /** Begins a round, unless one is running. What fails is reported, and tried again with the next one. */
  begin(retention: RecordRetention): void {
    if (this.#isStopped) return
    this.#running ??= this.#round(retention)
      .catch((error: unknown) => this.#failed(error))
      .finally(() => {
        this.#running = undefined
      })
  }

  /** Ends what is running at its next step. */
  async close(): Promise<void> {
    Atomics.store(new Int32Array(this.#stop), 0, 1)
    await this.#running
  }

  get #isStopped(): boolean {
    return Atomics.load(new Int32Array(this.#stop), 0) !== 0
  }

  /** What the database does not answer is reported by those who follow it. */
  #failed(error: unknown): void {
    if (this.#isStopped || isZerohopError(error, 'CLOSED', 'DATABASE_UNAVAILABLE')) return
    this.#deps.report({ what: 'failed', reason: error instanceof Error ? error.message : String(error) })
  }

  async #round(retention: RecordRetention): Promise<void> {
    const { connection, replica, settings } = this.#deps
    const forgotten = await forgetTasks(await connection(), retention.deletions)
    if (forgotten.length > 0) await this.#inThread(retention, forgotten)
    for (let after = -1; !this.#isStopped; ) {
      const states = await readLogStates(await connection(), replica, after)
      const last = states.at(-1)
      if (last === undefined) return
      after = last.number
      const uncovered = await this.#uncovered.measure(await connection(), states)
      const tasks = states.flatMap((state) =>
        listTasks(state, retention, { uncovered: uncovered(state.id), entriesMin: settings.snapshotEntries }),
      )
      if (tasks.length > 0) await this.#inThread(retention, tasks)
    }
  }

  /** Resolves when the thread has ended. @throws what it met */
  async #inThread(retention: RecordRetention, tasks: readonly UpkeepTask[]): Promise<void> {
    const { settings, folder, replica, report } = this.#deps
    const thread = new WorkerClient<readonly UpkeepTask[], void, UpkeepEvent>({
      name: 'the thread of upkeep',
      entry: () => threadUrl(import.meta.url, './upkeep-thread.ts'),
      workerData: { settings, folder, replica, retention, stop: this.#stop } satisfies UpkeepData,
      threadName: 'zerohop-upkeep',
      lives: 'one task',
      onEvent: report,
    })
    try {
      await thread.ask(tasks)
    } finally {
      await thread.close()
    }
  }
}
