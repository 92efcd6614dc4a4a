// The decision log of a process: a journal on disk, a recorder that writes to it, and a forwarder for each place that records go on to. It says
// how much waits, what was lost, and ends in order. docs/decision-log.md.
import type { ZerohopError } from '../model/errors.ts'
import { DECISION_DRAIN_MS } from '../model/limits.ts'
import { Forwarder, type Sink } from './forwarder.ts'
import { Journal } from './journal.ts'
import { type Policy, Recorder } from './recorder.ts'

export interface DecisionLogOptions {
  readonly folder: string
  readonly policy: Policy
  /** where records go on to; the files are then only a buffer */
  readonly sinks: readonly Sink[]
  /** how many files are kept for whoever reads them; undefined when the files are only a buffer */
  readonly keepFiles: number | undefined
  readonly fileBytes: number
  /** bytes that may wait for the slowest sink */
  readonly bufferBytes: number
  /** 32 random hex digits */
  readonly newId: () => string
  /** who sends the records: records of another owner in the folder keep a series of their own */
  readonly owner?: string
  /** hears when a part begins to fail, and when it works again */
  readonly report: (part: string, failure: ZerohopError | undefined) => void
}

export class DecisionLog {
  readonly recorder: Recorder
  readonly #options: DecisionLogOptions
  readonly #journal: Journal
  readonly #forwarders: readonly Forwarder[]

  private constructor(options: DecisionLogOptions, journal: Journal) {
    const { policy, sinks, bufferBytes, report } = options
    this.#options = options
    this.#journal = journal
    this.#forwarders = sinks.map(
      (sink) =>
        new Forwarder({
          journal,
          sink,
          progressed: () => this.#trim(),
          report: (failure) => report(sink.name, failure),
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
      report: (failure) => report('journal', failure),
    })
  }

  /** Opens the log; what the last process left is sent on. @throws DATA_READ_ONLY, DISK_FULL, DATA_IN_USE */
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

  /** Records that were never written, as long as this journal exists. */
  get lost(): number {
    return this.#journal.lost
  }

  /** Writes what is there, sends what can be sent soon, and leaves the rest for the next start. */
  async close(): Promise<void> {
    this.recorder.flush()
    await Promise.all(this.#forwarders.map((forwarder) => forwarder.close(DECISION_DRAIN_MS)))
    this.#journal.close()
  }

  /** Removes the files that every sink is past, and of those that are kept the oldest. */
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
