// The file of differences of a shadow run: JSON lines, added by one writer at a time. What waits for the disk is bounded, and
// so is the file. A disk that is full or slow costs differences, never an answer.
import { type FileHandle, open } from 'node:fs/promises'
import { contain } from '../model/contained.ts'
import { SHADOW_BUFFER_BYTES_MAX, SHADOW_COUNTS_MS, SHADOW_FILE_BYTES_MAX } from '../model/limits.ts'
import type { CountsLine, Difference } from './difference.ts'

export class DifferenceFile {
  readonly #path: string
  readonly #bytesMax: number
  #lines: string[] = []
  #bytes = 0
  /** bytes of the file; unknown before it was opened */
  #size: number | undefined
  #draining: Promise<void> | undefined
  #countsAt: number | undefined
  #unwritten = 0

  constructor(path: string, bytesMax = SHADOW_FILE_BYTES_MAX) {
    this.#path = path
    this.#bytesMax = bytesMax
  }

  /** Differences that the file does not have. */
  get unwritten(): number {
    return this.#unwritten
  }

  /** True when counts are due, once in a minute. */
  wantsCounts(now: number): boolean {
    this.#countsAt ??= now
    if (Math.abs(now - this.#countsAt) < SHADOW_COUNTS_MS) return false
    this.#countsAt = now
    return true
  }

  /** Adds a line soon. Counts are few, and go into a full file too. */
  write(line: Difference | CountsLine, kind: 'difference' | 'counts' = 'difference'): void {
    const text = `${JSON.stringify(line)}\n`
    const bytes = Buffer.byteLength(text)
    const isFull = (this.#size ?? 0) + this.#bytes + bytes > this.#bytesMax
    if (kind === 'difference' && (isFull || this.#bytes + bytes > SHADOW_BUFFER_BYTES_MAX)) {
      this.#unwritten++
      return
    }
    this.#lines.push(text)
    this.#bytes += bytes
    this.#draining ??= this.#drain()
  }

  /** Ends when everything was written. */
  async close(): Promise<void> {
    while (this.#draining !== undefined) await this.#draining
  }

  async #drain(): Promise<void> {
    await Promise.resolve() // lines of the same turn go together
    let file: FileHandle | undefined
    try {
      file = await open(this.#path, 'a', 0o600)
      this.#size = (await file.stat()).size
      while (this.#lines.length > 0) {
        const lines = this.#lines
        const bytes = this.#bytes
        this.#lines = []
        this.#bytes = 0
        try {
          await file.appendFile(lines.join(''))
          this.#size += bytes
        } catch (error) {
          this.#lose(lines)
          throw error
        }
      }
    } catch (error) {
      this.#lose(this.#lines)
      this.#lines = []
      this.#bytes = 0
      contain('the file of a shadow run', error)
    } finally {
      await file?.close().catch((error: unknown) => contain('the file of a shadow run', error))
      this.#draining = undefined
      if (this.#lines.length > 0) this.#draining = this.#drain()
    }
  }

  #lose(lines: readonly string[]): void {
    this.#unwritten += lines.filter((line) => !line.includes('"counts":{')).length
  }
}
