// Sorts more lines than fit into memory: runs of a bound size are sorted and written to files, and merged when they are
// read. The files are in a folder of the caller, which only its owner may read. No order of the source is trusted.
import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { SYNC_READ_BYTES, SYNC_RUN_BYTES } from '../model/limits.ts'

/** What a line costs in memory beside its characters. */
const LINE_OVERHEAD = 64

export class Sorter {
  readonly #folder: string
  readonly #name: string
  readonly #runBytes: number
  #lines: string[] = []
  #bytes = 0
  #files: string[] = []
  count = 0

  /** @param name of the files, in the folder */
  constructor(folder: string, name: string, runBytes = SYNC_RUN_BYTES) {
    this.#folder = folder
    this.#name = name
    this.#runBytes = runBytes
  }

  /** @param line without a line break */
  add(line: string): void {
    this.#lines.push(line)
    this.#bytes += line.length + LINE_OVERHEAD
    this.count++
    if (this.#bytes >= this.#runBytes) this.#writeRun()
  }

  /** All lines in order, once; nothing is added after it. */
  *sorted(): Generator<string, void, undefined> {
    /* canary: order-of-bytes */ this.#lines.sort()
    if (this.#files.length === 0) {
      yield* this.#lines
      this.#lines = []
      return
    }
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
    if (this.#lines.length === 0) return
    const file = join(this.#folder, `${this.#name}-${this.#files.length}`)
    const spool = new LineFile(file)
    for (const line of this.#lines.sort()) spool.add(line)
    spool.end()
    this.#files.push(file)
    this.#lines = []
    this.#bytes = 0
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
