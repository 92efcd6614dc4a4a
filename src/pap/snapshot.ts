// State to image: the one place where store and image meet. Keeps the last image of each environment with its position, so that a fleet
// of followers costs one build; a large one is built by a worker thread. design.md §4: nothing big happens at once.
import { Image } from '../image/image.ts'
import type { LogId, Position } from '../log/change.ts'
import { put } from '../log/change.ts'
import { type PolicyChange, PROJECTED_KINDS, project } from '../log/delta.ts'
import { LOG_READ_MAX, SNAPSHOT_BEHIND_MAX, SNAPSHOT_BYTES_MAX, SNAPSHOT_IN_TURN_MAX } from '../model/limits.ts'
import type { Store } from '../store/store.ts'
import type { UseCases, View } from '../store/view.ts'
import { buildInThread } from './snapshot-task.ts'

/** An image file and where it stands. */
export interface Snapshot {
  readonly bytes: Uint8Array
  readonly position: Position
}

interface Kept extends Snapshot {
  /** revision up to which `behind` counts the changes since */
  counted: number
  behind: number
}

export class Snapshots {
  readonly #store: Pick<Store<UseCases>, 'view' | 'head' | 'entries'>
  readonly #data: string
  /** in order of last use */
  readonly #kept = new Map<LogId, Kept>()
  readonly #building = new Map<LogId, Promise<Snapshot>>()

  /** `data` is the folder of the store: a worker thread opens it to read. */
  constructor(store: Pick<Store<UseCases>, 'view' | 'head' | 'entries'>, data: string) {
    this.#store = store
    this.#data = data
  }

  /** Bytes of the images that are kept. */
  get bytes(): number {
    let sum = 0
    for (const { bytes } of this.#kept.values()) sum += bytes.length
    return sum
  }

  /**
   * An image of the environment, at most SNAPSHOT_BEHIND_MAX changes old; a small one is at the head.
   * @throws OBJECT_NOT_FOUND when there is no such environment
   */
  image(environment: LogId): Promise<Snapshot> {
    const building = this.#building.get(environment)
    if (building !== undefined) return building
    const made = this.#image(environment).finally(() => this.#building.delete(environment))
    this.#building.set(environment, made)
    return made
  }

  async #image(environment: LogId): Promise<Snapshot> {
    const view = this.#store.view(environment)
    const small = sizeOf(view) <= SNAPSHOT_IN_TURN_MAX
    const kept = this.#kept.get(environment)
    if (kept !== undefined && (await this.#isRecent(environment, kept, small))) return this.#keep(environment, kept)
    if (small) return this.#keep(environment, buildSnapshot(this.#store.view(environment)))
    return this.#keep(environment, await buildInThread({ data: this.#data, environment }))
  }

  async #isRecent(environment: LogId, kept: Kept, small: boolean): Promise<boolean> {
    const head = this.#store.head(environment).revision
    if (head === kept.position.revision) return true
    if (small || head - kept.position.revision > SNAPSHOT_BEHIND_MAX) return false
    if (this.#store.entries(environment, kept.position.revision, 1).length === 0) return false
    while (kept.counted < head && kept.behind <= SNAPSHOT_BEHIND_MAX) {
      const entries = this.#store.entries(environment, kept.counted, LOG_READ_MAX / 10)
      if (entries.length === 0) return false // the log does not go back that far any more
      for (const entry of entries) {
        kept.counted = entry.revision
        kept.behind += entry.changes.length
      }
      await new Promise((resolve) => setImmediate(resolve))
    }
    return kept.behind <= SNAPSHOT_BEHIND_MAX
  }

  #keep(environment: LogId, snapshot: Snapshot): Snapshot {
    const kept =
      'behind' in snapshot ? (snapshot as Kept) : { ...snapshot, counted: snapshot.position.revision, behind: 0 }
    this.#kept.delete(environment)
    this.#kept.set(environment, kept)
    let bytes = 0
    for (const each of this.#kept.values()) bytes += each.bytes.length
    for (const [oldest, each] of this.#kept) {
      if (bytes <= SNAPSHOT_BYTES_MAX || oldest === environment) break
      this.#kept.delete(oldest)
      bytes -= each.bytes.length
    }
    return kept
  }
}

/** The image of what the view shows. Synchronous: a view is valid for one turn. */
export function buildSnapshot(view: View): Snapshot {
  const image = Image.build(view.log, view.position, policyOf(view))
  return { bytes: image.save(), position: view.position }
}

/** Everything in the view that decisions depend on. */
export function* policyOf(view: View): Generator<PolicyChange> {
  for (const kind of PROJECTED_KINDS) {
    for (const object of view.list(kind)) {
      const change = project(put(kind, object))
      if (change?.op === 'put') yield change
    }
  }
}

function sizeOf(view: View): number {
  return PROJECTED_KINDS.reduce((sum, kind) => sum + view.count(kind), 0)
}
