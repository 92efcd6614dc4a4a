// The snapshot file of one environment: <data>/snapshots/<environment>.image, written by a thread and replaced by an atomic rename, with a
// compressed copy beside it when that pays. It outlives the process: the next one takes it over when it is whole and the log continues it.
// Beside it, while PDPs of another ABI follow, <environment>.state: compressed as it is, and built anew by each process.
import { createReadStream, createWriteStream, mkdirSync, statSync } from 'node:fs'
import { appendFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { inspectImageFile } from '../../image/file/image-file.ts'
import type { LogId, Position } from '../../log/change.ts'
import type { Signer, Tailed } from '../../log/signature.ts'
import { SNAPSHOT_GZIP_BYTES_MIN } from '../../model/limits.ts'
import { buildInThread } from './snapshot-task.ts'

/** A compressed copy larger than this part of the image is not worth the work of its readers. */
const PAYS = 0.8

/** A file that is on disk, or bytes where the disk refused one. */
export interface BuiltFile {
  readonly position: Position
  /** bytes of the file */
  readonly length: number
  /** when it was built, in ms since 1970 */
  readonly builtAt: number
  readonly path: string
  readonly bytes?: Uint8Array
}

const equal = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0

/** Milliseconds since it was built. */
export function ageOf({ builtAt }: BuiltFile): number {
  return Date.now() - builtAt
}

export class SnapshotFiles {
  readonly #of: Tailed
  readonly #data: string
  readonly #folder: string
  readonly #signer: Signer | undefined
  readonly #closing = new AbortController()
  /** environments whose file has a compressed copy, with the bytes of that */
  readonly #compressed = new Map<LogId, { readonly position: Position; readonly length: number }>()
  readonly #compressing = new Map<LogId, Promise<void>>()

  /** `data` is the folder of the store. */
  constructor(of: Tailed, data: string, signer: Signer | undefined) {
    this.#of = of
    this.#data = data
    this.#signer = signer
    this.#folder = join(data, 'snapshots')
  }

  /** Builds the file anew in a thread. @throws what the build throws */
  async build(environment: LogId): Promise<BuiltFile> {
    const path = this.pathOf(environment)
    const temporary = `${path}.tmp`
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    } catch {
      // the thread meets the same trouble, and gives the bytes instead
    }
    const made = await buildInThread({ data: this.#data, environment, of: this.#of, path: temporary })
    const { position, bytes, digest } = made
    const tail = this.#signer?.tail(digest, this.#of) ?? new Uint8Array()
    const built = { position, length: made.length + tail.length, builtAt: Date.now(), path }
    if (bytes !== undefined) return { ...built, bytes: Buffer.concat([bytes, tail]) }
    await appendFile(temporary, tail)
    await this.#compressing.get(environment)
    this.#compressed.delete(environment)
    await rename(temporary, path)
    return built
  }

  /** The file that an earlier process left, when it is whole. */
  async adopt(environment: LogId): Promise<BuiltFile | undefined> {
    if (this.#of === 'state') return undefined
    const path = this.pathOf(environment)
    try {
      const builtAt = statSync(path).mtimeMs
      const { environment: named, position, length, digest, tail } = await inspectImageFile(path)
      // One that is signed otherwise than this process would is built anew.
      const wanted = this.#signer?.tail(digest)
      const isSigned = wanted === undefined ? tail === undefined : tail !== undefined && equal(wanted, tail)
      return named === environment && isSigned ? { position, length, builtAt, path } : undefined
    } catch {
      return undefined // none, or one that cannot be used: it is built
    }
  }

  /** The compressed copy; undefined when there is none (yet): asking for it has it made, beside everything else. */
  compressed(environment: LogId, file: BuiltFile): { readonly path: string; readonly length: number } | undefined {
    if (this.#of === 'state' || file.bytes !== undefined || file.length < SNAPSHOT_GZIP_BYTES_MIN) return undefined
    const copy = this.#compressed.get(environment)
    if (copy?.position.chain === file.position.chain) {
      return copy.length <= file.length * PAYS ? { path: `${file.path}.gz`, length: copy.length } : undefined
    }
    if (!this.#compressing.has(environment)) {
      const work = this.#compress(environment, file).finally(() => this.#compressing.delete(environment))
      this.#compressing.set(environment, work)
    }
    return undefined
  }

  /** Removes what is kept of an environment. */
  async remove(environment: LogId): Promise<void> {
    await this.#compressing.get(environment)
    this.#compressed.delete(environment)
    const path = this.pathOf(environment)
    await Promise.all([path, `${path}.gz`].map((each) => rm(each, { force: true }).catch(() => undefined)))
  }

  pathOf(environment: LogId): string {
    return join(this.#folder, `${environment}.${this.#of}`)
  }

  /** Ends the compressing that is under way. */
  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all(this.#compressing.values())
  }

  async #compress(environment: LogId, { path, position }: BuiltFile): Promise<void> {
    const temporary = `${path}.gz.tmp`
    try {
      // zlib works in threads of its own; the fastest level takes most of what there is to win
      const target = createWriteStream(temporary, { mode: 0o600 })
      await pipeline(createReadStream(path), createGzip({ level: 1 }), target, { signal: this.#closing.signal })
      await rename(temporary, `${path}.gz`)
      this.#compressed.set(environment, { position, length: target.bytesWritten })
    } catch {
      // A full disk, or the end of the process: downloads go on uncompressed.
      await rm(temporary, { force: true }).catch(() => undefined)
    }
  }
}
