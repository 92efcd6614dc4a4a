// The snapshot file of one environment: <data>/snapshots/<environment>.image, written by a thread and replaced by an
// atomic rename, with a compressed copy next to it when that pays. It outlives the process: the next one reuses it when
// it is intact and the log continues from it. While PDPs of another ABI follow, <environment>.state lies next to it:
// compressed already, and rebuilt by each process.
import { createReadStream, createWriteStream, renameSync, statSync } from 'node:fs'
import { appendFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { inspectImageFile } from '../../image/file/image-file.ts'
import type { LogId, Position } from '../../log/change.ts'
import type { Signer, Tailed } from '../../log/signature.ts'
import { FOR_ITS_OWNER, makeFolder } from '../../model/folder.ts'
import { SNAPSHOT_GZIP_BYTES_MIN } from '../../model/limits.ts'
import { buildInThread } from './snapshot-task.ts'

/** A compressed copy larger than this fraction of the image is not worth decompressing. */
const PAYS = 0.8

/** A file on disk, or its bytes when the disk refused it. */
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
export function readAge({ builtAt }: BuiltFile): number {
  return Date.now() - builtAt
}

/** Where the file of an environment lies in the folder of the store. */
export const snapshotPath = (data: string, environment: LogId, of: Tailed): string =>
  join(data, 'snapshots', `${environment}.${of}`)

export class SnapshotFiles {
  readonly #of: Tailed
  readonly #data: string
  readonly #signer: Signer | undefined
  readonly #closing = new AbortController()
  /** environments whose file has a compressed copy, with its length */
  readonly #compressed = new Map<LogId, { readonly position: Position; readonly length: number }>()
  readonly #compressing = new Map<LogId, Promise<void>>()

  /** `data` is the folder of the store. */
  constructor(of: Tailed, data: string, signer: Signer | undefined) {
    this.#of = of
    this.#data = data
    this.#signer = signer
  }

  /**
   * Builds the file in a thread. It takes the place of the one before when `publish` is called. The caller does that
   * and keeps the new description in the same turn, so that nobody opens one file by the description of another.
   * @throws what the build throws
   */
  async build(environment: LogId): Promise<{ readonly file: BuiltFile; readonly publish: () => void }> {
    const path = this.pathOf(environment)
    const temporary = `${path}.tmp`
    try {
      makeFolder(dirname(path), FOR_ITS_OWNER)
    } catch {
      // the thread gets the same error, and returns the bytes instead
    }
    const made = await buildInThread({ data: this.#data, environment, of: this.#of, path: temporary })
    const { position, bytes, digest } = made
    const tail = this.#signer?.tail(digest, this.#of) ?? new Uint8Array()
    const built = { position, length: made.length + tail.length, builtAt: Date.now(), path }
    if (bytes !== undefined)
      return { file: { ...built, bytes: Buffer.concat([bytes, tail]) }, publish: () => undefined }
    await appendFile(temporary, tail)
    await this.#compressing.get(environment)
    const publish = () => {
      this.#compressed.delete(environment)
      renameSync(temporary, path)
    }
    return { file: built, publish }
  }

  /** The file of an earlier process, when it is intact. */
  async adopt(environment: LogId): Promise<BuiltFile | undefined> {
    if (this.#of === 'state') return undefined
    const path = this.pathOf(environment)
    try {
      const builtAt = statSync(path).mtimeMs
      const { environment: named, position, length, digest, tail } = await inspectImageFile(path)
      // A file with another signature than this process would write is rebuilt.
      const wanted = this.#signer?.tail(digest)
      const isSigned = wanted === undefined ? tail === undefined : tail !== undefined && equal(wanted, tail)
      return named === environment && isSigned ? { position, length, builtAt, path } : undefined
    } catch {
      return undefined // missing or unusable: it will be built
    }
  }

  /** The compressed copy; undefined at first: the first call starts compressing in the background. */
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

  /** Removes the files of an environment. */
  async remove(environment: LogId): Promise<void> {
    await this.#compressing.get(environment)
    this.#compressed.delete(environment)
    const path = this.pathOf(environment)
    await Promise.all([path, `${path}.gz`].map((each) => rm(each, { force: true }).catch(() => undefined)))
  }

  pathOf(environment: LogId): string {
    return snapshotPath(this.#data, environment, this.#of)
  }

  /** Stops compressing. */
  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all(this.#compressing.values())
  }

  async #compress(environment: LogId, { path, position }: BuiltFile): Promise<void> {
    const temporary = `${path}.gz.tmp`
    try {
      // zlib works in threads of its own; the fastest level gains most of the possible compression
      const target = createWriteStream(temporary, { mode: 0o600 })
      await pipeline(createReadStream(path), createGzip({ level: 1 }), target, { signal: this.#closing.signal })
      renameSync(temporary, `${path}.gz`)
      this.#compressed.set(environment, { position, length: target.bytesWritten })
    } catch {
      // The disk is full or the process is closing: downloads continue uncompressed.
      await rm(temporary, { force: true }).catch(() => undefined)
    }
  }
}
