// State to image: the one place where store and image meet. Keeps an image of each environment that is followed, with its position, so that
// a fleet of followers costs one build. A small one is built in a turn and kept in memory, always at the head; a large one is a file that a
// thread builds, now and then (src/pap/snapshot-file.ts). design.md §4: nothing big happens at once.
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { Image } from '../image/image.ts'
import type { LogId, Position } from '../log/change.ts'
import { put } from '../log/change.ts'
import { type PolicyChange, PROJECTED_KINDS, project } from '../log/delta.ts'
import type { Signer } from '../log/signature.ts'
import {
  LOG_READ_MAX,
  SNAPSHOT_AGE_MS,
  SNAPSHOT_BEHIND_MAX,
  SNAPSHOT_BYTES_MAX,
  SNAPSHOT_IN_TURN_MAX,
} from '../model/limits.ts'
import type { Store } from '../store/store.ts'
import type { UseCases, View } from '../store/view.ts'
import { ageOf, type BuiltFile, SnapshotFiles } from './snapshot-file.ts'

/** An image and where it stands. */
export interface Snapshot {
  readonly bytes: Uint8Array
  readonly position: Position
}

/** The same to be sent: bytes, or a file; `length` is that of the image, `encoded` of what is sent. */
export interface Download {
  readonly position: Position
  readonly length: number
  readonly content: { readonly bytes: Uint8Array } | { readonly path: string }
  readonly encoding?: 'gzip'
  readonly encoded: number
}

interface Kept {
  readonly file: BuiltFile
  /** revision up to which `behind` counts the changes since */
  counted: number
  behind: number
}

export type SnapshotStore = Pick<Store<UseCases>, 'view' | 'head' | 'entries'>

export class Snapshots {
  readonly #store: SnapshotStore
  readonly #files: SnapshotFiles
  /** small ones, in order of last use */
  readonly #small = new Map<LogId, Snapshot>()
  readonly #large = new Map<LogId, Kept>()
  /** deleted environments whose files are gone */
  readonly #forgotten = new Set<LogId>()
  readonly #building = new Map<LogId, Promise<Kept>>()

  /** signs images, and deltas for who sends them; undefined when nothing is signed */
  readonly signer: Signer | undefined

  /** `data` is the folder of the store: a thread opens it to read, and the files lie below it. */
  constructor(store: SnapshotStore, data: string, signer?: Signer) {
    this.#store = store
    this.signer = signer
    this.#files = new SnapshotFiles(data, signer)
  }

  /** Bytes of the images that are kept, in memory and in files. */
  get bytes(): number {
    let sum = 0
    for (const { bytes } of this.#small.values()) sum += bytes.length
    for (const { file } of this.#large.values()) sum += file.length
    return sum
  }

  /**
   * An image of the environment; a small one is at the head, a large one at most twice SNAPSHOT_BEHIND_MAX changes behind.
   * @throws OBJECT_NOT_FOUND when there is no such environment
   */
  async image(environment: LogId): Promise<Snapshot> {
    const small = this.#smallOf(environment)
    if (small !== undefined) return small
    const { file } = await this.#largeOf(environment)
    return { bytes: file.bytes ?? (await readFile(file.path)), position: file.position }
  }

  /** The same as something to send; compressed when the reader takes that and it pays. */
  async download(environment: LogId, { gzip }: { readonly gzip: boolean }): Promise<Download> {
    const small = this.#smallOf(environment)
    if (small !== undefined) {
      const { bytes, position } = small
      return { position, length: bytes.length, content: { bytes }, encoded: bytes.length }
    }
    const { file } = await this.#largeOf(environment)
    const { position, length, bytes } = file
    const copy = gzip ? this.#files.compressed(environment, file) : undefined
    if (copy !== undefined) {
      return { position, length, content: { path: copy.path }, encoding: 'gzip', encoded: copy.length }
    }
    return { position, length, content: bytes === undefined ? { path: file.path } : { bytes }, encoded: length }
  }

  /** Revisions after which a log must keep its deltas, because a follower may just be loading the image before them. */
  floors(): Map<LogId, number> {
    const floors = new Map<LogId, number>()
    for (const [environment, { file }] of this.#large) {
      if (ageOf(file) <= 3 * SNAPSHOT_AGE_MS) floors.set(environment, file.position.revision)
    }
    return floors
  }

  /** Removes what is kept of an environment that is deleted. */
  async forget(environment: LogId): Promise<void> {
    if (this.#forgotten.has(environment)) return
    this.#forgotten.add(environment)
    await this.#building.get(environment)?.catch(() => undefined)
    this.#small.delete(environment)
    this.#large.delete(environment)
    await this.#files.remove(environment)
  }

  /** Ends what runs beside the downloads. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#building.values())
    await this.#files.close()
  }

  #smallOf(environment: LogId): Snapshot | undefined {
    const view = this.#store.view(environment)
    if (sizeOf(view) > SNAPSHOT_IN_TURN_MAX) return undefined
    const kept = this.#small.get(environment)
    const snapshot = kept?.position.chain === view.position.chain ? kept : this.#signed(buildSnapshot(view))
    this.#small.delete(environment)
    this.#small.set(environment, snapshot)
    let bytes = 0
    for (const each of this.#small.values()) bytes += each.bytes.length
    for (const [oldest, each] of this.#small) {
      if (bytes <= SNAPSHOT_BYTES_MAX || oldest === environment) break
      this.#small.delete(oldest)
      bytes -= each.bytes.length
    }
    return snapshot
  }

  #signed({ bytes, position }: Snapshot): Snapshot {
    if (this.signer === undefined) return { bytes, position }
    const tail = this.signer.tail(createHash('sha256').update(bytes).digest())
    return { bytes: Buffer.concat([bytes, tail]), position }
  }

  /** The file that is there, when it still serves; one that is over its bounds is built anew beside it. */
  async #largeOf(environment: LogId): Promise<Kept> {
    this.#small.delete(environment)
    const kept = this.#large.get(environment) ?? (await this.#adopt(environment))
    if (kept !== undefined) {
      const over = await this.#overBounds(environment, kept)
      if (over > 1) void this.#build(environment).catch(() => undefined)
      if (over <= 2) return kept
    }
    return this.#build(environment)
  }

  async #adopt(environment: LogId): Promise<Kept | undefined> {
    const file = await this.#files.adopt(environment)
    const kept = this.#large.get(environment)
    if (kept !== undefined || file === undefined) return kept
    return this.#keep(environment, file)
  }

  #build(environment: LogId): Promise<Kept> {
    const building = this.#building.get(environment)
    if (building !== undefined) return building
    const made = this.#files
      .build(environment)
      .then((file) => this.#keep(environment, file))
      .finally(() => this.#building.delete(environment))
    this.#building.set(environment, made)
    return made
  }

  #keep(environment: LogId, file: BuiltFile): Kept {
    const kept = { file, counted: file.position.revision, behind: 0 }
    this.#large.set(environment, kept)
    return kept
  }

  /** How far the file is over its bounds: up to 1 is within, Infinity when the log does not continue it. */
  async #overBounds(environment: LogId, kept: Kept): Promise<number> {
    const { position } = kept.file
    const head = this.#store.head(environment)
    if (head.revision <= position.revision) return head.chain === position.chain ? 0 : Number.POSITIVE_INFINITY
    const [next] = this.#store.entries(environment, position.revision, 1)
    if (next?.previous !== position.chain) return Number.POSITIVE_INFINITY
    while (kept.counted < head.revision && kept.behind <= 2 * SNAPSHOT_BEHIND_MAX) {
      const entries = this.#store.entries(environment, kept.counted, LOG_READ_MAX / 10)
      if (entries.length === 0) return Number.POSITIVE_INFINITY
      for (const entry of entries) {
        kept.counted = entry.revision
        kept.behind += entry.changes.length
      }
      await new Promise((resolve) => setImmediate(resolve))
    }
    return Math.max(kept.behind / SNAPSHOT_BEHIND_MAX, ageOf(kept.file) / SNAPSHOT_AGE_MS)
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
