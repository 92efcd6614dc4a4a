// The decision log of a process: a journal on disk, a recorder that writes to it, and a forwarder for each sink. It
// reports how much is waiting and what was lost, and shuts down in order. docs/decision-log.md.
import type { OnEvent } from '../model/events.ts'
import { DECISION_DRAIN_MS } from '../model/limits.ts'
import { Forwarder, type Sink } from './forwarder.ts'
import { Journal } from './journal.ts'
import type { DecisionLogEvent } from './part-events.ts'
import { type Policy, Recorder } from './recorder.ts'

export interface DecisionLogOptions {
  readonly folder: string
  readonly policy: Policy
  /** where records are forwarded to; the files are then only a buffer */
  readonly sinks: readonly Sink[]
  /** how many files are kept for readers; undefined when the files are only a buffer */
  readonly keepFiles: number | undefined
  readonly fileBytes: number
  /** bytes that may wait for the slowest sink */
  readonly bufferBytes: number
  /** 32 random hex digits */
  readonly newId: () => string
  /** who sends the records: records of different owners in one folder are in different series */
  readonly owner?: string
  /** hears when a part begins to fail, and when it works again */
  readonly onEvent: OnEvent<DecisionLogEvent>
}

export class DecisionLog {
  readonly recorder: Recorder
  readonly #options: DecisionLogOptions
  readonly #journal: Journal
  readonly #forwarders: readonly Forwarder[]

  private constructor(options: DecisionLogOptions, journal: Journal) {
    const { policy, sinks, bufferBytes, onEvent } = options
    this.#options = options
    this.#journal = journal
    this.#forwarders = sinks.map(
      (sink) =>
        new Forwarder({
          journal,
          sink,
          progressed: () => this.#trim(),
          onEvent,
        }),
    )
    this.recorder = new Recorder({
      journal,
      policy,
      room: () => (sinks.length === 0 ? Number.POSITIVE_INFINITY : bufferBytes - this.waitingBytes),
      written: () => {
        this.#trim()
        for (const forwarder of this.#forwarders) forwarder.wake()
      },
      onEvent,
    })
  }

  /** Opens the log; what the last process left is sent. @throws DATA_READ_ONLY, DISK_FULL, DATA_IN_USE */
  static async open(options: DecisionLogOptions): Promise<DecisionLog> {
    const { folder, fileBytes, bufferBytes, keepFiles, newId, owner } = options
    const bytes = keepFiles === undefined ? Math.min(fileBytes, Math.ceil(bufferBytes / 8)) : fileBytes
    return new DecisionLog(options, await Journal.open({ folder, fileBytes: bytes, newId, owner }))
  }

  /** Bytes that the slowest sink does not have yet. */
  get waitingBytes(): number {
    return Math.max(0, ...this.#forwarders.map(({ behind }) => behind))
  }

  /** Bytes of all files. */
  get bytes(): number {
    return this.#journal.bytes
  }

  /** Records that were never written, counted since this journal was created. */
  get lost(): number {
    return this.#journal.lost
  }

  /**
   * Writes the pending records, sends what can be sent within a bounded time, and leaves the rest for the next start.
   */
  async close(): Promise<void> {
    this.recorder.flush()
    await Promise.all(this.#forwarders.map((forwarder) => forwarder.close(DECISION_DRAIN_MS)))
    this.#journal.close()
  }

  /** Removes the files that every sink has sent; when files are kept for readers, the oldest ones over the limit. */
  #trim(): void {
    const { files } = this.#journal
    const { keepFiles = 1 } = this.#options
    while (files.length > keepFiles && this.#forwarders.every((forwarder) => forwarder.isPast(files[0]!))) {
      const before = files.length
      this.#journal.removeFirst()
      if (files.length === before) return
    }
  }
}
