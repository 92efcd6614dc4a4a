// Sorts more lines than fit into memory: runs of a bound size are sorted and written to files, and merged when they are
// read. The files are in a folder of the caller, which only its owner may read. No order of the source is trusted. The
// lines of a run lie in one block of bytes: as texts of JavaScript they would take several times as much, and more when
// the collector of garbage is late.
import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { SYNC_READ_BYTES, SYNC_RUN_BYTES } from '../model/limits.ts'

/** What a line costs in memory beside its bytes: where it begins, its place in the order, and twice that while they are sorted. */
const LINE_OVERHEAD = 24
/** UTF-8 has at most so many bytes for a code unit. */
const UNIT_BYTES_MAX = 3

/** Memory for the lines of one run. The system gives it as lines are written. */
export class RunMemory {
  readonly #size: number
  #bytes: Buffer
  #starts: Uint32Array
  #used = 0
  count = 0

  constructor(size = SYNC_RUN_BYTES) {
    this.#size = size
    this.#bytes = Buffer.allocUnsafeSlow(size)
    this.#starts = new Uint32Array(Math.ceil(size / LINE_OVERHEAD) + 1)
  }

  /** Whether there is room for the line. For the first one there always is. */
  hasRoom({ length }: string): boolean {
    const wanted = this.#used + length * UNIT_BYTES_MAX
    if (this.count === 0 && wanted > this.#bytes.length) this.#bytes = Buffer.allocUnsafeSlow(wanted)
    return this.count === 0 || wanted + (this.count + 1) * LINE_OVERHEAD <= this.#size
  }

  add(line: string): void {
    this.#used += this.#bytes.write(line, this.#used)
    this.#starts[++this.count] = this.#used
  }

  clear(): void {
    this.#used = 0
    this.count = 0
  }

  /** The lines in the order of their bytes. */
  *sorted(): Generator<string, void, undefined> {
    const [bytes, starts] = [this.#bytes, this.#starts]
    const order = new Uint32Array(this.count).map((_, at) => at)
    order.sort(/* canary: order-of-bytes */ (one, other) => compareLines(bytes, starts, one, other))
    for (const at of order) yield this.#text(at)
  }

  #text(at: number): string {
    return this.#bytes.toString('utf8', this.#starts[at], this.#starts[at + 1])
  }
}

function compareLines(bytes: Uint8Array, starts: Uint32Array, one: number, other: number): number {
  let [left, right] = [starts[one]!, starts[other]!]
  const [leftEnd, rightEnd] = [starts[one + 1]!, starts[other + 1]!]
  const shorter = Math.min(leftEnd - left, rightEnd - right)
  for (const end = left + shorter; left < end; left++, right++) {
    const difference = bytes[left]! - bytes[right]!
    if (difference !== 0) return difference
  }
  return leftEnd - left - (rightEnd - right)
}

export class Sorter {
  readonly #folder: string
  readonly #name: string
  readonly #run: RunMemory
  #files: string[] = []
  count = 0

  /**
   * @param name of the files, in the folder
   * @param run for one sorter at a time
   */
  constructor(folder: string, name: string, run: RunMemory) {
    this.#folder = folder
    this.#name = name
    this.#run = run
    run.clear()
  }

  /** @param line without a line break */
  add(line: string): void {
    if (!this.#run.hasRoom(line)) this.#writeRun()
    this.#run.add(line)
    this.count++
  }

  /** All lines in order, once; nothing is added after it. */
  *sorted(): Generator<string, void, undefined> {
    if (this.#files.length === 0) return yield* this.#run.sorted()
    this.#writeRun()
    const runs = this.#files.map((file) => readLines(file))
    const heads: { line: string; rest: Generator<string, void, undefined> }[] = []
    for (const rest of runs) {
      const { value } = rest.next()
      if (value !== undefined) heads.push({ line: value, rest })
    }
    try {
      while (heads.length > 0) {
        let least = 0
        for (let at = 1; at < heads.length; at++) if (heads[at]!.line < heads[least]!.line) least = at
        const head = heads[least]!
        yield head.line
        const next = head.rest.next()
        if (next.value === undefined) heads.splice(least, 1)
        else head.line = next.value
      }
    } finally {
      for (const { rest } of heads) rest.return()
    }
  }

  #writeRun(): void {
    const file = join(this.#folder, `${this.#name}-${this.#files.length}`)
    const spool = new LineFile(file)
    for (const line of this.#run.sorted()) spool.add(line)
    spool.end()
    this.#files.push(file)
    this.#run.clear()
  }
}

/** A file of lines that is written once, and then read as often as somebody wants. */
export class LineFile {
  readonly #path: string
  readonly #file: number
  #waiting: string[] = []
  #bytes = 0
  count = 0

  /** @throws what the file system throws, also for a file that is there */
  constructor(path: string) {
    this.#path = path
    this.#file = openSync(path, 'wx', 0o600)
  }

  /** @param line without a line break */
  add(line: string): void {
    this.#waiting.push(line, '\n')
    this.#bytes += line.length
    this.count++
    if (this.#bytes >= SYNC_READ_BYTES) this.#flush()
  }

  /** Nothing is added after it. */
  end(): void {
    this.#flush()
    closeSync(this.#file)
  }

  lines(): Generator<string, void, undefined> {
    return readLines(this.#path)
  }

  #flush(): void {
    const bytes = Buffer.from(this.#waiting.join(''))
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at)
    this.#waiting = []
    this.#bytes = 0
  }
}

function* readLines(path: string): Generator<string, void, undefined> {
  const file = openSync(path, 'r')
  try {
    const buffer = Buffer.alloc(SYNC_READ_BYTES)
    let rest: Buffer = Buffer.alloc(0)
    for (;;) {
      const read = readSync(file, buffer)
      if (read === 0) break
      const bytes = rest.length === 0 ? buffer.subarray(0, read) : Buffer.concat([rest, buffer.subarray(0, read)])
      const end = bytes.lastIndexOf(0x0a) + 1
      rest = Buffer.from(bytes.subarray(end)) // the buffer is read into again
      if (end > 0) yield* bytes.toString('utf8', 0, end - 1).split('\n')
    }
  } finally {
    closeSync(file)
  }
}
