// Files for followers, built by a thread: images of large environments, or states for followers of another ABI. A file
// is served while it is within its bounds (SNAPSHOT_BEHIND_MAX, SNAPSHOT_AGE_MS); beyond them it is rebuilt in the
// background, far beyond them before it is served.
import type { LogEntry, LogId } from '../../log/change.ts'
import { isZerohopError } from '../../model/errors.ts'
import { LOG_READ_MAX, SNAPSHOT_AGE_MS, SNAPSHOT_BEHIND_MAX } from '../../model/limits.ts'
import type { Store } from '../../store/store.ts'
import type { UseCases } from '../../store/view.ts'
import { type BuiltFile, readAge, type SnapshotFiles } from './snapshot-file.ts'

interface Kept {
  readonly file: BuiltFile
  /** revision up to which `behind` counts the changes since */
  counted: number
  behind: number
}

export class KeptFiles {
  readonly #store: Pick<Store<UseCases>, 'head' | 'entries'>
  readonly #files: SnapshotFiles
  readonly #kept = new Map<LogId, Kept>()
  readonly #building = new Map<LogId, Promise<Kept>>()
  /** files of an earlier process that are being read: once, however many ask */
  readonly #adopting = new Map<LogId, Promise<Kept | undefined>>()

  constructor(store: Pick<Store<UseCases>, 'head' | 'entries'>, files: SnapshotFiles) {
    this.#store = store
    this.#files = files
  }

  /** Total bytes of the files. */
  get bytes(): number {
    let sum = 0
    for (const { file } of this.#kept.values()) sum += file.length
    return sum
  }

  /** The current file of an environment; when it is over its bounds a rebuild is started in the background. */
  async of(environment: LogId): Promise<BuiltFile> {
    const kept = this.#kept.get(environment) ?? (await this.#adopt(environment))
    if (kept !== undefined) {
      const over = await this.#overBounds(environment, kept)
      if (over > 1) void this.#build(environment).catch(() => undefined)
      if (over <= 2) return (this.#kept.get(environment) ?? kept).file // another may have been built meanwhile
    }
    return (await this.#build(environment)).file
  }

  /** Builds the file of an environment, or waits for the one that is being built. @throws what the build throws */
  async renew(environment: LogId): Promise<void> {
    await this.#build(environment)
  }

  /** Revisions after which a log must keep its deltas, because a follower may be loading the file of that revision. */
  *floors(): Generator<[LogId, number]> {
    for (const [environment, { file }] of this.#kept) {
      if (readAge(file) <= 3 * SNAPSHOT_AGE_MS) yield [environment, file.position.revision]
    }
  }

  async forget(environment: LogId): Promise<void> {
    await this.#building.get(environment)?.catch(() => undefined)
    this.#kept.delete(environment)
    await this.#files.remove(environment)
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#building.values())
    await this.#files.close()
  }

  #adopt(environment: LogId): Promise<Kept | undefined> {
    const adopting = this.#adopting.get(environment)
    if (adopting !== undefined) return adopting
    const adopted = this.#read(environment).finally(() => this.#adopting.delete(environment))
    this.#adopting.set(environment, adopted)
    return adopted
  }

  async #read(environment: LogId): Promise<Kept | undefined> {
    const file = await this.#files.adopt(environment)
    const kept = this.#kept.get(environment)
    if (kept !== undefined || file === undefined) return kept
    return this.#keep(environment, file)
  }

  #build(environment: LogId): Promise<Kept> {
    const building = this.#building.get(environment)
    if (building !== undefined) return building
    const made = this.#files
      .build(environment)
      .then(({ file, publish }) => {
        publish()
        return this.#keep(environment, file)
      })
      .finally(() => this.#building.delete(environment))
    this.#building.set(environment, made)
    return made
  }

  #keep(environment: LogId, file: BuiltFile): Kept {
    const kept = { file, counted: file.position.revision, behind: 0 }
    this.#kept.set(environment, kept)
    return kept
  }

  /** The ratio of the file to its bounds: up to 1 is within, Infinity when the log does not continue from it. */
  async #overBounds(environment: LogId, kept: Kept): Promise<number> {
    const { position } = kept.file
    const head = this.#store.head(environment)
    if (head.revision <= position.revision) return head.chain === position.chain ? 0 : Number.POSITIVE_INFINITY
    const [next] = this.#entries(environment, position.revision, 1)
    if (next?.previous !== position.chain) return Number.POSITIVE_INFINITY
    while (kept.counted < head.revision && kept.behind <= 2 * SNAPSHOT_BEHIND_MAX) {
      const entries = this.#entries(environment, kept.counted, LOG_READ_MAX / 10)
      if (entries.length === 0) return Number.POSITIVE_INFINITY
      for (const entry of entries) {
        kept.counted = entry.revision
        kept.behind += entry.changes.length
      }
      await new Promise((resolve) => setImmediate(resolve))
    }
    return Math.max(kept.behind / SNAPSHOT_BEHIND_MAX, readAge(kept.file) / SNAPSHOT_AGE_MS)
  }

  /** Empty when they are damaged: the log then does not continue from the file. */
  #entries(environment: LogId, after: number, limit: number): LogEntry[] {
    try {
      return this.#store.entries(environment, after, limit)
    } catch (error) {
      if (isZerohopError(error, 'DATA_DAMAGED')) return []
      throw error
    }
  }
}
