// Collects the decision records of one turn of the event loop and writes them together, before their answers are sent.
// When that fails, the operator's setting decides: with `block` the answer is refused, with `drop` it is sent and the
// record is counted as lost.

import { type DecisionRecord, formatLine, TOO_LONG } from '../client/decision-record.ts'
import { contained } from '../model/contained.ts'
import { isZerohopError, ZerohopError } from '../model/errors.ts'
import { type OnEvent, tell } from '../model/events.ts'
import { DECISION_TURN_TEXT_MAX } from '../model/limits.ts'
import type { Journal } from './journal.ts'
import { type DecisionLogEvent, workingEvent } from './part-events.ts'

/** A turn with more records gets a temporary buffer. */
const BUFFER_BYTES_MAX = 1024 * 1024

/** What happens to an answer when its record cannot be written. */
export type Policy = 'block' | 'drop'

/** The records of one turn. */
export interface Batch {
  /**
   * Calls back when the records are written, with an error when the answers must be refused; synchronously when that is
   * already known.
   */
  settled(callback: (error: ZerohopError | undefined) => void): void
}

export interface RecorderOptions {
  readonly journal: Journal
  readonly policy: Policy
  /** bytes that may still be written before the sinks must catch up */
  readonly room: () => number
  /** called after each write */
  readonly written: () => void
  /** hears when writing begins to fail, and when it works again */
  readonly onEvent: OnEvent<DecisionLogEvent>
}

class Turn implements Batch {
  lines = ''
  count = 0
  #waiting: ((error: ZerohopError | undefined) => void)[] | undefined = []
  #error: ZerohopError | undefined

  settled(callback: (error: ZerohopError | undefined) => void): void {
    if (this.#waiting === undefined) callback(this.#error)
    else this.#waiting.push(contained('an answer whose decision is recorded', callback))
  }

  settle(error: ZerohopError | undefined): void {
    const waiting = this.#waiting ?? []
    this.#waiting = undefined
    this.#error = error
    for (const callback of waiting) callback(error)
  }
}

export class Recorder {
  /** records written, refused together with their answers, or lost, since the start */
  readonly stats = { written: 0, refused: 0, lost: 0 }
  readonly #options: RecorderOptions
  readonly #prefix: string
  #turn: Turn | undefined
  #isFailing = false
  #bytes = Buffer.allocUnsafeSlow(64 * 1024)

  constructor(options: RecorderOptions) {
    this.#options = options
    this.#prefix = `{"instance":"${options.journal.instance}","seq":`
  }

  /** Adds a record to those of this turn. */
  add(record: DecisionRecord): Batch {
    const { journal } = this.#options
    let turn = this.#turn
    if (turn === undefined) {
      turn = new Turn()
      this.#turn = turn
      setImmediate(contained('writing decisions', () => this.flush())) // after all requests that arrive in this turn of the loop
    }
    const kept = turn.lines.length > DECISION_TURN_TEXT_MAX && record.sent ? { ...record, sent: TOO_LONG } : record
    turn.lines +=
      this.#prefix + (journal.nextNumber + turn.count) + formatLine(kept, turn.count === 0 ? journal.gap : 0)
    turn.count++
    return turn
  }

  /** Writes the records of this turn. */
  flush(): void {
    const turn = this.#turn
    if (turn === undefined) return
    this.#turn = undefined
    const failure = this.#write(turn)
    if (failure === undefined) {
      this.stats.written += turn.count
      turn.settle(undefined)
      this.#options.written()
    } else if (this.#options.policy === 'block') {
      this.stats.refused += turn.count
      turn.settle(new ZerohopError('DECISION_UNRECORDED', { reason: failure.message }, { cause: failure }))
    } else {
      this.stats.lost += turn.count
      turn.settle(undefined)
    }
    if ((failure !== undefined) !== this.#isFailing) {
      this.#isFailing = failure !== undefined
      tell(this.#options.onEvent, workingEvent('journal', failure))
    }
  }

  /** The text as UTF-8, valid until the next call: allocating a buffer in each turn would cost more than filling it. */
  #encodeText(text: string): Buffer {
    if (text.length * 3 > BUFFER_BYTES_MAX) return Buffer.from(text)
    if (text.length * 3 > this.#bytes.length) this.#bytes = Buffer.allocUnsafeSlow(text.length * 4)
    return this.#bytes.subarray(0, this.#bytes.write(text))
  }

  /** Why the records were not written; undefined when they were. */
  #write(turn: Turn): ZerohopError | undefined {
    const { journal, policy, room } = this.#options
    const lines = this.#encodeText(turn.lines)
    const failure =
      lines.length > room() ? new ZerohopError('DECISION_LOG_FULL') : attempt(() => journal.append(lines, turn.count))
    if (failure !== undefined && policy === 'drop') journal.lose(turn.count)
    return failure
  }
}

function attempt(write: () => void): ZerohopError | undefined {
  try {
    write()
    return undefined
  } catch (error) {
    return isZerohopError(error) ? error : new ZerohopError('DISK_FAILED', { reason: String(error) }, { cause: error })
  }
}
