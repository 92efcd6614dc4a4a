// The decision log on disk: append-only files of lines, each named after the number of its first record, in a folder
// that one process has locked. When `append` returns, the operating system has the lines: they survive any end of this
// process, but not a power cut.
//
//   <folder>/<n>/instance           the id of this series of numbers, its owner, and the position after which it begins
//   <folder>/<n>/lost               count of records that were never written; updated in place: needs no free disk space
//   <folder>/<n>/0000000000000001.jsonl …
//
// A record has a position in the journal and a number in its series. They differ when the journal had another owner
// before, whose unsent records stay in its files.
//
// INVARIANT: positions grow by one; records that are neither in the files nor deleted by retention are counted in
// `lost`.
import { closeSync, ftruncateSync, openSync, readdirSync, rmSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { isZerohopError, ZerohopError } from '../model/errors.ts'
import { FOR_ITS_OWNER, makeFolder } from '../model/folder.ts'
import { DECISION_JOURNALS_MAX } from '../model/limits.ts'
import { asDiskError, asOpenError } from '../store/disk.ts'
import { acquireLock, type Lock } from '../store/lock.ts'
import { NumbersFile } from './numbers-file.ts'
import { readSeries, type Series, writeSeries } from './series.ts'
import { endRecords } from './tail.ts'

/** One file; `bytes` are whole lines. */
export interface JournalFile {
  readonly first: number
  readonly path: string
  bytes: number
}

export interface JournalOptions {
  readonly folder: string
  /** a file longer than this is followed by a new one */
  readonly fileBytes: number
  readonly newId: () => string
  /** whose records these are, one word such as a fingerprint of the API key: another owner begins another series */
  readonly owner?: string | undefined
}

export class Journal {
  readonly folder: string
  readonly instance: string
  /** true when no number of this series was used before */
  readonly isNew: boolean
  /** numbers of records that were never written, in all */
  lost = 0
  readonly files: JournalFile[] = []
  readonly #lock: Lock
  readonly #fileBytes: number
  readonly #lostFile: NumbersFile
  #next = 1
  #lastWritten = 0
  #current: number | undefined
  #base: number

  private constructor(folder: string, lock: Lock, { fileBytes, newId, owner }: JournalOptions) {
    this.folder = folder
    this.#lock = lock
    this.#fileBytes = fileBytes
    this.#lostFile = new NumbersFile(join(folder, 'lost'), [1, 0, 0])
    const found = readSeries(folder)
    this.#base = found?.base ?? 0
    this.#recover(found !== undefined)
    // when the files were removed from outside, the used numbers are unknown: the next records begin a new series
    this.isNew = this.#next === 1
    this.instance = this.#begin(found, owner, newId)
  }

  /**
   * Locks the first journal of the folder that no running process holds, and continues it.
   * @throws DATA_READ_ONLY, DISK_FULL, DATA_IN_USE
   */
  static async open(options: JournalOptions): Promise<Journal> {
    for (let number = 0; ; number++) {
      const folder = join(options.folder, String(number))
      let lock: Lock | undefined
      try {
        makeFolder(folder, FOR_ITS_OWNER)
        lock = await acquireLock(folder)
        return new Journal(folder, lock, options)
      } catch (error) {
        lock?.release()
        if (!isZerohopError(error, 'DATA_IN_USE') || number + 1 === DECISION_JOURNALS_MAX)
          throw asOpenError(error, options.folder)
      }
    }
  }

  /** The position of the next record. */
  get next(): number {
    return this.#next
  }

  /** The number of the next record in its series. */
  get nextNumber(): number {
    return this.#next - this.#base
  }

  /** Records lost since the last written one; the next record carries this count. */
  get gap(): number {
    return this.#next - this.#lastWritten - 1
  }

  get bytes(): number {
    return this.files.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  /**
   * Writes whole lines, the records from `next` on. When it throws, nothing was written and no number was used.
   * @throws DISK_FULL, DISK_FAILED
   */
  append(lines: Buffer, count: number): void {
    try {
      const file = this.#fileFor(lines.length)
      const fd = this.#current!
      for (let at = 0; at < lines.length; ) {
        try {
          at += writeSync(fd, lines, at, lines.length - at, file.bytes + at)
        } catch (error) {
          cutOff(fd, file.bytes)
          throw error
        }
      }
      file.bytes += lines.length
    } catch (error) {
      throw (
        asDiskError(error, this.folder) ??
        new ZerohopError('DISK_FAILED', { reason: formatReason(error) }, { cause: error })
      )
    }
    this.#next += count
    this.#lastWritten = this.#next - 1
  }

  /** Skips the numbers of records that could not be written, and stores the count of lost records on disk. */
  lose(count: number): void {
    this.#next += count
    this.lost += count
    this.#lostFile.write([this.#next, this.lost, this.#lastWritten])
  }

  /** Removes the oldest file; never the one that is being written. */
  removeFirst(): void {
    const [file] = this.files
    if (file === undefined || this.files.length === 1) return
    rmSync(file.path, { force: true })
    this.files.shift()
  }

  close(): void {
    if (this.#current !== undefined) closeSync(this.#current)
    this.#lostFile.close()
    this.#lock.release()
  }

  /** The file to which the next lines are appended. */
  #fileFor(bytes: number): JournalFile {
    const last = this.files.at(-1)
    const isOfSeries = last !== undefined && last.first > this.#base
    if (isOfSeries && (last.bytes === 0 || last.bytes + bytes <= this.#fileBytes)) {
      this.#current ??= openSync(last.path, 'r+')
      return last
    }
    const path = join(this.folder, formatFileName(this.#next))
    const opened = openSync(path, 'w', 0o600)
    if (this.#current !== undefined) closeSync(this.#current)
    this.#current = opened
    const file = { first: this.#next, path, bytes: 0 }
    this.files.push(file)
    return file
  }

  /** Continues the series found on disk unless it has another owner. Returns the id of the series. */
  #begin(found: Series | undefined, owner: string | undefined, newId: () => string): string {
    const of = owner ?? found?.owner
    const goesOn = found !== undefined && (found.owner ?? of) === of && this.files.length > 0
    if (goesOn && found.owner === of) return found.id
    // records lost at the end of the previous series count as the first gap of this one
    if (!goesOn) this.#base = this.#lastWritten
    const id = goesOn ? found.id : newId()
    writeSeries(this.folder, { id, owner: of, base: this.#base })
    return id
  }

  /** Finds where the last process stopped. When the series is unknown, so is the position: an unused one is chosen. */
  #recover(isKnown: boolean): void {
    const [next = 1, lost = 0, written = 0] = this.#lostFile.found ?? []
    this.lost = lost
    this.#next = Math.max(1, next)
    this.#lastWritten = written
    for (const name of readdirSync(this.folder).sort()) {
      const first = /^(\d{16})\.jsonl$/.exec(name)?.[1]
      if (first === undefined) continue
      const path = join(this.folder, name)
      this.files.push({ first: Number(first), path, bytes: statSync(path).size })
    }
    for (let last = this.files.at(-1); last !== undefined; last = this.files.at(-1)) {
      const { bytes, seq } = endRecords(last.path)
      last.bytes = bytes
      if (seq !== undefined) {
        const known = last.first > this.#base ? this.#base + seq : this.#base
        const position = isKnown ? known : Math.max(this.#next, last.first) + bytes
        this.#lastWritten = Math.max(this.#lastWritten, position)
        break
      }
      rmSync(last.path, { force: true })
      this.files.pop()
    }
    this.#next = Math.max(this.#next, this.#lastWritten + 1)
  }
}

/** When truncating fails, the next lines overwrite the rest. */
function cutOff(file: number, bytes: number): void {
  try {
    ftruncateSync(file, bytes)
  } catch {
    // the error of the failed write is the one to report
  }
}

const formatFileName = (first: number): string => `${String(first).padStart(16, '0')}.jsonl`

function formatReason(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error)
}
