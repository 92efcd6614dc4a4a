// What the state of an environment at a past revision is made of: a start, which is the whole state at an earlier
// revision, and the entries after it. A data folder has checkpoints as starts; replicas have the snapshots of the
// record (postgres/record-past-reader.ts). Read in worker threads only.
import type { LogEntry, LogId, Position } from '../log/change.ts'
import { isZerohopError } from '../model/errors.ts'
import { type Checkpoint, listCheckpoints, openCheckpoint } from './checkpoint-file.ts'
import type { PlacedObject } from './load-snapshot.ts'
import type { Reader } from './reader.ts'

/** A whole state that later revisions can be reached from. */
export interface Start {
  readonly position: Position
  readonly objects: Iterable<PlacedObject>
}

/** The first revision that can be reached, and when it was written in ms since 1970, where that is known. */
export interface Reach {
  readonly from: number
  readonly since: number | undefined
}

export interface PastReader {
  /** The newest usable start that is not beyond a revision; undefined when the revision cannot be reached. */
  start(revision: number): Promise<Start | undefined>
  /** Entries after a revision, in order: a page of bounded size. Empty when there are none with their changes. */
  entries(after: number): Promise<readonly LogEntry[]>
  reach(): Promise<Reach>
  close(): Promise<void>
}

/** The past of an environment in a data folder. */
export class FolderPastReader implements PastReader {
  readonly #data: string
  readonly #reader: Reader
  readonly #environment: LogId

  /** @param reader of the folder; closed with this */
  constructor(data: string, reader: Reader, environment: LogId) {
    this.#data = data
    this.#reader = reader
    this.#environment = environment
  }

  async start(revision: number): Promise<Start | undefined> {
    const { head, changesFrom, objects } = this.#reader.state(this.#environment)
    if (revision === head.revision) return { position: head, objects }
    if (revision > head.revision) return undefined
    for (const each of this.#usable(changesFrom).reverse()) {
      const start = each.revision > revision ? undefined : this.#open(each)
      if (start !== undefined) return start
    }
    if (changesFrom > 1) return undefined
    const [first] = this.#reader.entries(this.#environment, 0, 1)
    return first && { position: { revision: 0, chain: first.previous }, objects: [] }
  }

  async entries(after: number): Promise<readonly LogEntry[]> {
    return this.#reader.entries(this.#environment, after)
  }

  async reach(): Promise<Reach> {
    const { head, changesFrom } = this.#reader.state(this.#environment)
    const from = changesFrom <= 1 ? Math.min(1, head.revision) : this.#oldest(changesFrom)
    return this.#since(from ?? head.revision)
  }

  /** Revisions of checkpoints that are damaged or of another history. */
  unusable(): number[] {
    const all = listCheckpoints(this.#data, this.#environment)
    return all.filter((each) => this.#open(each) === undefined).map(({ revision }) => revision)
  }

  #oldest(changesFrom: number): number | undefined {
    return this.#usable(changesFrom).find((each) => this.#open(each) !== undefined)?.revision
  }

  #since(from: number): Reach {
    return { from, since: this.#findEntry(from)?.at }
  }

  #findEntry(revision: number) {
    return this.#reader.history(this.#environment, revision + 1, 1).find((entry) => entry.revision === revision)
  }

  /** Those whose next entry still has its changes, the oldest first. */
  #usable(changesFrom: number): Checkpoint[] {
    return listCheckpoints(this.#data, this.#environment).filter(({ revision }) => revision + 1 >= changesFrom)
  }

  /** Undefined when it is damaged, or of another history: the folder was restored from a backup. */
  #open(checkpoint: Checkpoint): Start | undefined {
    try {
      const opened = openCheckpoint(checkpoint, this.#environment)
      if (this.#findEntry(checkpoint.revision)?.chain !== opened.position.chain) return undefined
      return { position: opened.position, objects: { [Symbol.iterator]: () => opened.objects()[Symbol.iterator]() } }
    } catch (error) {
      if (!isZerohopError(error, 'DATA_DAMAGED') && (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      return undefined
    }
  }

  close(): Promise<void> {
    return this.#reader.close()
  }
}
