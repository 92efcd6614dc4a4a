// Sends the records of a journal to a sink, in order and in batches, and retries each batch until the sink has accepted
// it. Its position is kept next to the journal, so that a restart continues there: a batch may be sent twice, and the
// receiver drops duplicates by instance and number.
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { isZerohopError, ZerohopError } from '../model/errors.ts'
import { type OnEvent, tell } from '../model/events.ts'
import { DECISION_SEND_BYTES_MAX, RETRY_FIRST_MS, RETRY_LONGEST_MS } from '../model/limits.ts'
import type { Journal, JournalFile } from './journal.ts'
import { NumbersFile } from './numbers-file.ts'
import { type DecisionLogEvent, workingEvent } from './part-events.ts'

/** A destination of decision records. */
export interface Sink {
  readonly name: string
  /** ms for which records are collected before they are sent */
  readonly windowMs: number
  /** Takes whole lines; resolves when they are safely stored there. @throws when they are not */
  send(lines: Buffer, signal: AbortSignal): Promise<void>
}

export interface ForwarderOptions {
  readonly journal: Journal
  readonly sink: Sink
  /** called when a batch was accepted */
  readonly progressed: () => void
  /** hears when the sink begins to fail, and when it works again */
  readonly onEvent: OnEvent<DecisionLogEvent>
}

const NEWLINE = 0x0a

export class Forwarder {
  /** bytes of records that the sink accepted since the start */
  sent = 0
  readonly #options: ForwarderOptions
  readonly #position: NumbersFile
  readonly #abort = new AbortController()
  readonly #running: Promise<void>
  #first: number
  #offset: number
  #isEnding = false
  #wake: (() => void) | undefined
  #isStuck = false

  constructor(options: ForwarderOptions) {
    this.#options = options
    this.#position = new NumbersFile(join(options.journal.folder, `${options.sink.name}.position`), [0, 0])
    const { isNew, next, files } = options.journal
    if (isNew) this.#position.write([0, 0])
    const found = isNew ? [] : (this.#position.found ?? [])
    // start at the beginning when the position is unknown; after a power cut the journal may be shorter than the
    // position
    const [first = 0, offset = 0] = (found[0] ?? 0) > next ? [] : found
    const file = files.find((each) => each.first === first)
    this.#first = first
    this.#offset = Math.min(offset, file?.bytes ?? offset)
    this.#running = this.#run()
  }

  /** Bytes that the sink does not have yet. */
  get behind(): number {
    const { files } = this.#options.journal
    let bytes = 0
    for (const file of files)
      if (file.first > this.#first) bytes += file.bytes
      else if (file.first === this.#first) bytes += file.bytes - this.#offset
    return bytes
  }

  /** True when all of the file has been sent. */
  isPast(file: JournalFile): boolean {
    return file.first < this.#first
  }

  /** Call when the journal has new records. */
  wake(): void {
    this.#wake?.()
  }

  /** Keeps sending for at most `ms` while that succeeds; the rest is sent after the next start. */
  async close(ms: number): Promise<void> {
    this.#isEnding = true
    this.wake()
    const timer = setTimeout(() => this.#abort.abort(), this.#isStuck ? 0 : ms)
    await this.#running
    clearTimeout(timer)
    this.#position.close()
  }

  async #run(): Promise<void> {
    const { sink, progressed } = this.#options
    const { signal } = this.#abort
    let retryMs = RETRY_FIRST_MS
    while (!signal.aborted) {
      const file = this.#file()
      if (file === undefined) {
        if (this.#isEnding) return
        await this.#more()
        if (!this.#isEnding) await pause(sink.windowMs, undefined, { signal }).catch(() => undefined)
        continue
      }
      try {
        const lines = await readLines(file, this.#offset)
        if (lines === undefined) {
          this.#offset = file.bytes // the file was removed from outside: the gap in the numbers shows it
          continue
        }
        await sink.send(lines, signal)
        this.#offset += lines.length
        this.sent += lines.length
        this.#position.write([this.#first, this.#offset])
        retryMs = RETRY_FIRST_MS
        this.#tell(undefined)
        progressed()
      } catch (error) {
        if (signal.aborted) return
        this.#tell(
          isZerohopError(error) ? error : new ZerohopError('FEED_UNREACHABLE', { reason: formatMessage(error) }),
        )
        if (this.#isEnding) return
        await pause(retryMs, undefined, { signal }).catch(() => undefined)
        retryMs = Math.min(retryMs * 2, RETRY_LONGEST_MS)
      }
    }
  }

  /** The file with unsent records; moves past the files that are done. */
  #file(): JournalFile | undefined {
    for (const file of this.#options.journal.files) {
      if (file.first < this.#first) continue
      if (file.first > this.#first) {
        this.#first = file.first
        this.#offset = 0
      }
      if (this.#offset < file.bytes) return file
    }
    return undefined
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  #tell(failure: ZerohopError | undefined): void {
    if ((failure !== undefined) === this.#isStuck) return
    this.#isStuck = failure !== undefined
    const part = this.#options.sink.name
    tell(this.#options.onEvent, workingEvent(part, failure))
  }
}

/** Whole lines from `offset` on; undefined when the file, or that part of it, is gone. */
async function readLines(file: JournalFile, offset: number): Promise<Buffer | undefined> {
  let handle: FileHandle
  try {
    handle = await open(file.path, 'r')
  } catch (error) {
    if (isGone(error)) return undefined
    throw error
  }
  try {
    const bytes = Buffer.allocUnsafe(Math.min(file.bytes - offset, DECISION_SEND_BYTES_MAX))
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, offset)
    if (bytesRead === 0) return undefined
    const read = bytes.subarray(0, bytesRead)
    // text without a line end, in a file changed from outside, is sent as it is: the receiver counts it as refused
    return read.subarray(0, read.lastIndexOf(NEWLINE) + 1 || bytesRead)
  } finally {
    await handle.close()
  }
}

const isGone = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT'

function formatMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? formatMessage(error.cause) : error.message
}
