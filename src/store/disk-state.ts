// Whether the disk of a data folder takes writes: what the last write met, and what the disk says now. It is asked by
// health checks and scrapes, so it never waits and never throws.
import { isZerohopError, ZerohopError } from '../model/errors.ts'
import { DISK_TRY_MS } from '../model/limits.ts'
import { freeBytes, hasRoom, ROOM_BYTES } from './disk.ts'

export class DiskState {
  readonly #folder: string
  #refusal: ZerohopError | undefined
  #triedAt = Number.NEGATIVE_INFINITY

  constructor(folder: string) {
    this.#folder = folder
  }

  /** A write succeeded. */
  worked(): void {
    this.#refusal = undefined
  }

  /** A write failed; an error that did not come from the disk changes nothing. */
  failed(error: unknown): void {
    if (isZerohopError(error, 'DISK_FULL', 'DISK_FAILED')) this.#refusal = error
  }

  /** Bytes that are free; undefined when the disk does not say. */
  get freeBytes(): number | undefined {
    try {
      return freeBytes(this.#folder)
    } catch {
      return undefined
    }
  }

  /** Why the disk takes no writes: DISK_FULL or DISK_FAILED. Space that was freed is seen without another write. */
  get trouble(): ZerohopError | undefined {
    if (this.#refusal?.code === 'DISK_FAILED') return this.#refusal
    if ((this.freeBytes ?? ROOM_BYTES) < ROOM_BYTES) return this.#refusal ?? new ZerohopError('DISK_FULL')
    // a quota, or a limit of file size, is seen by a write only
    if (this.#refusal !== undefined && performance.now() - this.#triedAt >= DISK_TRY_MS) {
      this.#triedAt = performance.now()
      if (hasRoom(this.#folder)) this.#refusal = undefined
    }
    return this.#refusal
  }
}
