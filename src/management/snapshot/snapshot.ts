// Builds images from the state: the only module that uses both store and image. It keeps an image of each followed
// environment, with its position, so that many followers cost one build. A small image is built in one turn and kept in
// memory, always at the head; a large one is a file that a thread builds when needed
// (src/management/snapshot/snapshot-kept.ts), and so is the state for followers of another ABI. Large work never runs
// in the event loop, so that checks are not delayed.
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { ABI_VERSION } from '../../../assembly/limits.ts'
import { Image } from '../../image/image.ts'
import type { LogId, Position } from '../../log/change.ts'
import { put } from '../../log/change.ts'
import { type PolicyChange, PROJECTED_KINDS, project } from '../../log/delta.ts'
import type { Signer } from '../../log/signature.ts'
import { SNAPSHOT_BYTES_MAX, SNAPSHOT_IN_TURN_BYTES_MAX, SNAPSHOT_IN_TURN_MAX } from '../../model/limits.ts'
import type { Store } from '../../store/store.ts'
import type { UseCases, View } from '../../store/view.ts'
import { type BuiltFile, SnapshotFiles } from './snapshot-file.ts'
import { KeptFiles } from './snapshot-kept.ts'

/** An image and its position. */
export interface Snapshot {
  readonly bytes: Uint8Array
  readonly position: Position
}

/** A download: bytes or a file; `length` is that of the image or state, `encoded` that of the transferred form. */
export interface Download {
  readonly position: Position
  readonly length: number
  readonly content: { readonly bytes: Uint8Array } | { readonly path: string }
  readonly encoding?: 'gzip'
  readonly encoded: number
}

export type SnapshotStore = Pick<Store<UseCases>, 'view' | 'head' | 'entries' | 'imageBytes'>

export class Snapshots {
  readonly #store: SnapshotStore
  readonly #imageFiles: SnapshotFiles
  readonly #images: KeptFiles
  readonly #states: KeptFiles
  /** small ones, in order of last use */
  readonly #small = new Map<LogId, Snapshot>()
  /** deleted environments whose files are removed */
  readonly #forgotten = new Set<LogId>()

  /** signs images, and deltas for the feed routes; undefined when nothing is signed */
  readonly signer: Signer | undefined

  /** `data` is the folder of the store: a thread opens it to read, and the files lie below it. */
  constructor(store: SnapshotStore, data: string, signer?: Signer) {
    this.#store = store
    this.signer = signer
    this.#imageFiles = new SnapshotFiles('image', data, signer)
    this.#images = new KeptFiles(store, this.#imageFiles)
    this.#states = new KeptFiles(store, new SnapshotFiles('state', data, signer))
  }

  /** Bytes kept for followers, in memory and in files. */
  get bytes(): number {
    let sum = this.#images.bytes + this.#states.bytes
    for (const { bytes } of this.#small.values()) sum += bytes.length
    return sum
  }

  /**
   * An image of the environment; a small one is at the head, a large one at most twice SNAPSHOT_BEHIND_MAX changes
   * behind.
   * @throws OBJECT_NOT_FOUND when the environment does not exist
   */
  async image(environment: LogId): Promise<Snapshot> {
    const small = this.#smallOf(environment)
    if (small !== undefined) return small
    const file = await this.#largeOf(environment)
    return { bytes: file.bytes ?? (await readFile(file.path)), position: file.position }
  }

  /**
   * The same as a download: compressed when the reader accepts that and it is worthwhile; the state when its kernel has
   * another ABI.
   */
  async download(
    environment: LogId,
    { gzip, abi = ABI_VERSION }: { readonly gzip: boolean; readonly abi?: number | undefined },
  ): Promise<Download> {
    if (abi !== ABI_VERSION) return asItIs(await this.#states.of(environment))
    const small = this.#smallOf(environment)
    if (small !== undefined) {
      const { bytes, position } = small
      return { position, length: bytes.length, content: { bytes }, encoded: bytes.length }
    }
    const file = await this.#largeOf(environment)
    const { position, length } = file
    const copy = gzip ? this.#imageFiles.compressed(environment, file) : undefined
    if (copy === undefined) return asItIs(file)
    return { position, length, content: { path: copy.path }, encoding: 'gzip', encoded: copy.length }
  }

  /** Revisions after which a log must keep its deltas, because a follower may be loading the image of that revision. */
  floors(): Map<LogId, number> {
    const floors = new Map(this.#images.floors())
    for (const [environment, revision] of this.#states.floors())
      floors.set(environment, Math.min(revision, floors.get(environment) ?? revision))
    return floors
  }

  /** Removes the images of a deleted environment. */
  async forget(environment: LogId): Promise<void> {
    if (this.#forgotten.has(environment)) return
    this.#forgotten.add(environment)
    this.#small.delete(environment)
    await this.#images.forget(environment)
    await this.#states.forget(environment)
  }

  /** Writes the file of a large environment anew, wherever it stands. @throws what the build throws */
  renew(environment: LogId): Promise<void> {
    return this.#images.renew(environment)
  }

  /** Stops background work. */
  async close(): Promise<void> {
    await this.#images.close()
    await this.#states.close()
  }

  #largeOf(environment: LogId): Promise<BuiltFile> {
    this.#small.delete(environment)
    return this.#images.of(environment)
  }

  #smallOf(environment: LogId): Snapshot | undefined {
    const view = this.#store.view(environment)
    const bytesAtMost = this.#store.imageBytes(environment) ?? Number.POSITIVE_INFINITY
    if (estimateSize(view) > SNAPSHOT_IN_TURN_MAX || bytesAtMost > SNAPSHOT_IN_TURN_BYTES_MAX) return undefined
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
}

function asItIs({ position, length, path, bytes }: BuiltFile): Download {
  return { position, length, content: bytes === undefined ? { path } : { bytes }, encoded: length }
}

/** Builds the image of a view. Synchronous, because a view is valid for one turn. */
export function buildSnapshot(view: View): Snapshot {
  const image = Image.build(view.log, view.position, policyOf(view))
  return { bytes: image.save(), position: view.position }
}

/** The policy in a view: everything that decisions depend on. */
export function* policyOf(view: View): Generator<PolicyChange> {
  for (const kind of PROJECTED_KINDS) {
    for (const object of view.list(kind)) {
      const change = project(put(kind, object))
      if (change?.op === 'put') yield change
    }
  }
}

/** How many objects decisions depend on. */
export function estimateSize(view: View): number {
  return PROJECTED_KINDS.reduce((sum, kind) => sum + view.count(kind), 0)
}
