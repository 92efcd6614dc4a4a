// Keeps the checkpoints of a data folder, from which images of past revisions are built: writes one now and then,
// removes those that are too old or too many, and says which entries must keep their changes for those that stay.
// Replicas have the snapshots of the record instead.
import { rmSync } from 'node:fs'
import type { LogId } from '../../log/change.ts'
import { type OnEvent, tell } from '../../model/events.ts'
import {
  CHECKPOINT_ENTRIES_MIN,
  CHECKPOINTS_MAX,
  CHECKPOINTS_PER_ROUND,
  PAST_BYTES_DEFAULT,
  PAST_DAYS_DEFAULT,
  PAST_PARTS,
  PAST_REVISIONS_DEFAULT,
} from '../../model/limits.ts'
import { type Checkpoint, listCheckpoints, removeCheckpoints, withCheckpoints } from '../../store/checkpoint-file.ts'
import type { Store } from '../../store/store.ts'
import type { Keep } from '../../store/trim.ts'
import type { UseCases } from '../../store/view.ts'
import { runPastTask } from './past-task.ts'

/** How far back past revisions can be asked about. */
export interface PastOptions {
  /** 0: nothing is kept for it */
  readonly pastRevisions?: number
  readonly pastDays?: number
  /** bytes of all checkpoints together */
  readonly pastBytes?: number
}

export type CheckpointEvent =
  /** It could not be written: the past begins later until one can. */
  | { readonly event: 'checkpoint failed'; readonly environment: LogId; readonly error: unknown }
  /** An earlier process wrote it, and it is not what was written: it was removed. */
  | { readonly event: 'checkpoint damaged'; readonly environment: LogId; readonly revision: number }

type Logs = Pick<Store<UseCases>, 'head' | 'history' | 'changesFrom' | 'exists'>

const DAY_MS = 86_400_000

/** The bounds of the past as the retention of a log. */
export function readKeep({ pastRevisions, pastDays }: PastOptions): Keep {
  return { revisions: pastRevisions ?? PAST_REVISIONS_DEFAULT, ms: (pastDays ?? PAST_DAYS_DEFAULT) * DAY_MS }
}

export class Checkpoints {
  readonly #store: Logs
  readonly #data: string
  readonly #onEvent: OnEvent<CheckpointEvent>
  /** read from the folder once; the oldest first */
  readonly #known = new Map<LogId, Checkpoint[]>()
  /** objects of the newest checkpoint that this process wrote */
  readonly #objects = new Map<LogId, number>()
  /** logs whose files of earlier processes were compared with their digests */
  readonly #verified = new Set<LogId>()
  #failures = 0

  /** @param data folder of the store */
  constructor(store: Logs, data: string, onEvent: OnEvent<CheckpointEvent> = () => {}) {
    this.#store = store
    this.#data = data
    this.#onEvent = onEvent
  }

  /** Bytes of all files. */
  get bytes(): number {
    return withCheckpoints(this.#data).reduce((sum, log) => sum + sumBytes(this.#of(log)), 0)
  }

  /** Checkpoints that could not be written, and files that were damaged, since the start of the process. */
  get failures(): number {
    return this.#failures
  }

  /**
   * One round over the environments. What cannot be written is reported, and tried again in the next round. Nothing goes
   * for its age before the other files are known to be whole.
   */
  async keep(environments: readonly LogId[], options: PastOptions, now: number): Promise<void> {
    const keep = readKeep(options)
    if (keep.revisions === 0) {
      for (const log of withCheckpoints(this.#data)) this.forget(log)
      return
    }
    let tasks = 0
    for (const log of environments) {
      if (!this.#store.exists(log)) continue
      if (tasks < CHECKPOINTS_PER_ROUND && !this.#isVerified(log)) {
        tasks++
        await this.#verify(log)
      }
      if (tasks < CHECKPOINTS_PER_ROUND && this.#isDue(log, keep, now)) {
        tasks++
        await this.#write(log)
      }
      if (this.#isVerified(log)) this.#dropOld(log, keep, now)
    }
    const verified = environments.filter((log) => this.#isVerified(log))
    this.#dropLarge(verified, options.pastBytes ?? PAST_BYTES_DEFAULT)
  }

  /**
   * Revisions after which a log keeps the changes of its entries. The entry of the checkpoint itself stays too: it
   * shows that the checkpoint is of this history.
   */
  floors(environments: readonly LogId[], options: PastOptions, now: number): Map<LogId, number> {
    const floors = new Map<LogId, number>()
    const keep = readKeep(options)
    if (keep.revisions === 0) return floors
    for (const log of environments) {
      const oldest = this.#of(log)[0]
      // the empty beginning of a log is a start as well
      const isWhole = this.#store.changesFrom(log) === 1 && !this.#isBeyond(log, oldest, keep, now)
      if (isWhole) floors.set(log, -1)
      else if (oldest !== undefined) floors.set(log, oldest.revision - 1)
    }
    return floors
  }

  /** Removes the checkpoints of a deleted environment. */
  forget(environment: LogId): void {
    this.#known.delete(environment)
    this.#objects.delete(environment)
    this.#verified.delete(environment)
    removeCheckpoints(this.#data, environment)
  }

  #of(log: LogId): Checkpoint[] {
    const known = this.#known.get(log) ?? listCheckpoints(this.#data, log)
    this.#known.set(log, known)
    return known
  }

  /**
   * A checkpoint is due when a tenth of the reach has passed since the newest: so what is kept for the past is never
   * older than a tenth more than the operator wants. With many entries it is due before, so that few follow each.
   */
  #isDue(log: LogId, { revisions, ms }: Keep, now: number): boolean {
    const { revision } = this.#store.head(log)
    const newest = this.#of(log).at(-1)
    // what lies before the first entry with its changes cannot be reached without one
    if (newest === undefined && this.#store.changesFrom(log) > 1) return true
    const from = newest?.revision ?? 0
    if (revision <= from) return false
    const entries = Math.max(CHECKPOINT_ENTRIES_MIN, this.#objects.get(log) ?? 0)
    if (revision - from >= Math.min(entries, Math.ceil(revisions / PAST_PARTS))) return true
    const [entry] = this.#store.history(log, from + 2, 1)
    return entry !== undefined && entry.at < now - ms / PAST_PARTS
  }

  async #write(log: LogId): Promise<void> {
    try {
      const { objects, ...checkpoint } = await runPastTask({ data: this.#data }, log, { task: 'checkpoint' })
      const others = this.#of(log).filter(({ revision }) => revision !== checkpoint.revision)
      this.#known.set(log, [...others, checkpoint])
      this.#objects.set(log, objects)
    } catch (error) {
      this.#fail({ event: 'checkpoint failed', environment: log, error })
    }
  }

  /** What this process wrote it knows to be whole. */
  #isVerified(log: LogId): boolean {
    if (this.#of(log).length === 0) this.#verified.add(log)
    return this.#verified.has(log)
  }

  /** Removes files that nothing can be built from: past revisions have the one before it and the entries after that. */
  async #verify(log: LogId): Promise<void> {
    try {
      const { unusable } = await runPastTask({ data: this.#data }, log, { task: 'verify' })
      for (const revision of unusable) {
        const list = this.#of(log)
        const at = list.findIndex((each) => each.revision === revision)
        for (const { path } of at < 0 ? [] : list.splice(at, 1)) rmSync(path, { force: true })
        this.#fail({ event: 'checkpoint damaged', environment: log, revision })
      }
      this.#verified.add(log)
    } catch (error) {
      this.#fail({ event: 'checkpoint failed', environment: log, error })
    }
  }

  #fail(event: CheckpointEvent): void {
    this.#failures++
    tell(this.#onEvent, event)
  }

  /** A checkpoint goes when the next one is beyond the reach too: every revision within it has one before it then. */
  #dropOld(log: LogId, keep: Keep, now: number): void {
    const list = this.#of(log)
    while (this.#isBeyond(log, list[1], keep, now) || list.length > CHECKPOINTS_MAX) this.#removeOldest(list)
  }

  #isBeyond(log: LogId, checkpoint: Checkpoint | undefined, { revisions, ms }: Keep, now: number): boolean {
    if (checkpoint === undefined) return false
    return checkpoint.revision <= this.#store.head(log).revision - revisions || checkpoint.at < now - ms
  }

  /** The oldest files of all environments go first; the newest of each stays. */
  #dropLarge(environments: readonly LogId[], bytesMax: number): void {
    const lists = environments.map((log) => this.#of(log))
    let bytes = lists.reduce((sum, list) => sum + sumBytes(list), 0)
    while (bytes > bytesMax) {
      const [oldest] = lists.filter((list) => list.length > 1).sort((one, other) => one[0]!.at - other[0]!.at)
      if (oldest === undefined) return
      bytes -= oldest[0]!.bytes
      this.#removeOldest(oldest)
    }
  }

  #removeOldest(list: Checkpoint[]): void {
    const oldest = list.shift()
    if (oldest !== undefined) rmSync(oldest.path, { force: true })
  }
}

const sumBytes = (list: readonly Checkpoint[]): number => list.reduce((sum, { bytes }) => sum + bytes, 0)
