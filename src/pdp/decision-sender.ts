// Sends the decisions of a PDP in an application to the management API, as records of the decision log
// (docs/decision-log.md). They wait in memory, so the memory is bounded: what does not fit is dropped and counted. A
// check only adds its record to a buffer; it never waits for the sender and never hears of its errors.
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { DecisionClient, type DecisionClientOptions } from '../client/decision-client.ts'
import { formatLine } from '../client/decision-record.ts'
import type { Image } from '../image/image.ts'
import { isZerohopError, ZerohopError } from '../model/errors.ts'
import { type OnEvent, tell } from '../model/events.ts'
import {
  DECISION_DRAIN_MS,
  DECISION_MEMORY_BYTES_MAX,
  DECISION_SEND_BYTES_MAX,
  DECISION_SEND_MS,
  RETRY_FIRST_MS,
  RETRY_LONGEST_MS,
} from '../model/limits.ts'
import { Backoff } from './backoff.ts'
import type { Decision, DecisionCounts, DecisionRecorder, DecisionSenderEvent } from './pdp-source.ts'
import { type RecordedAttributes, recordedQuestion } from './recorded-question.ts'
import type { Question } from './request.ts'

export interface DecisionSenderOptions extends Pick<DecisionClientOptions, 'url' | 'apiKey'> {
  /** which attributes and context of the question records have */
  readonly attributes: RecordedAttributes
  readonly onEvent: OnEvent<DecisionSenderEvent> | undefined
}

/** Recorded in place of attributes that cannot be written as JSON: cycles, a getter that throws. */
const UNREADABLE = 'unreadable'
/** What a record has of a question that had nothing but keys. */
const ONLY_KEYS = { isTenantSent: false, omitted: [] } as const

/** Lines that are sent together: as bytes, because strings that wait would occupy the garbage collector. */
interface Batch {
  readonly lines: Buffer
  bytes: number
  count: number
}

export class DecisionSender implements DecisionRecorder {
  readonly #options: DecisionSenderOptions
  readonly #client: DecisionClient
  readonly #prefix = `{"instance":"${randomBytes(16).toString('hex')}","seq":`
  /** ends pauses when the sender closes */
  readonly #ending = new AbortController()
  /** ends a request that takes too long for that */
  readonly #abort = new AbortController()
  /** not yet being sent; the last one grows */
  readonly #batches: Batch[] = []
  readonly #counts = { sent: 0, waiting: 0, dropped: 0, refused: 0 }
  #waitingBytes = 0
  #seq = 0
  /** records dropped since the last one that was kept */
  #gap = 0
  #running: Promise<void> | undefined
  #isFailing = false

  constructor(options: DecisionSenderOptions) {
    this.#options = options
    const { url, apiKey, onEvent } = options
    this.#client = new DecisionClient({
      url,
      apiKey,
      onEvent: ({ count, refusals }) => {
        this.#counts.refused += count
        tell(onEvent, { event: 'decisions refused', count, refusals })
      },
    })
  }

  get counts(): DecisionCounts {
    return { ...this.#counts }
  }

  /** Adds the record of a decision, or drops it. Never throws. */
  record(image: Image, decision: Decision, question: Question | undefined): void {
    const seq = ++this.#seq
    const line =
      this.#waitingBytes < DECISION_MEMORY_BYTES_MAX ? this.#formatLine(seq, image, decision, question) : undefined
    if (line === undefined) {
      this.#gap++
      this.#counts.dropped++
      return
    }
    this.#gap = 0
    this.#add(line)
    this.#running ??= this.#run()
  }

  /** Sends what can be sent within a bounded time; the rest is counted as dropped. */
  async close(): Promise<void> {
    this.#ending.abort()
    const timer = setTimeout(() => this.#abort.abort(), DECISION_DRAIN_MS)
    await this.#running
    clearTimeout(timer)
  }

  /** The line of a record; undefined when it cannot be made. */
  #formatLine(seq: number, image: Image, decision: Decision, question: Question | undefined): string | undefined {
    const { user, action, resource, allow, revision, now, instant } = decision
    const at = Date.now()
    const record = {
      at,
      request: null,
      environment: image.environment,
      revision,
      apiKey: this.#client.keyId,
      user,
      tenant: resource.tenant,
      action,
      resourceType: resource.type,
      resourceKey: resource.key ?? null,
      allow,
      reason: undefined,
      micros: 0,
      // where no clock was read any instant will do, but not a time that the caller sent
      instant: instant ?? (now === undefined ? undefined : at),
    }
    const { attributes } = this.#options
    const reads = () => image.attributesRead(resource.type, action)
    // what cannot be read was not JSON, or is code of the caller
    const keysOnly = { ...record, ...ONLY_KEYS, now, sent: attributes === 'all' ? {} : undefined }
    const asked = () => (question ? { ...record, ...recordedQuestion(question, attributes, reads), now } : keysOnly)
    // what cannot be read was not JSON, or is code of the caller
    const line =
      attempt(() => formatLine(asked(), this.#gap)) ??
      attempt(() => formatLine({ ...keysOnly, sent: UNREADABLE }, this.#gap))
    return line && `${this.#prefix}${seq}${line}`
  }

  #add(line: string): void {
    const bytes = Buffer.byteLength(line)
    let batch = this.#batches.at(-1)
    if (batch === undefined || batch.bytes + bytes > DECISION_SEND_BYTES_MAX) {
      batch = { lines: Buffer.allocUnsafeSlow(DECISION_SEND_BYTES_MAX), bytes: 0, count: 0 }
      this.#batches.push(batch)
    }
    batch.bytes += batch.lines.write(line, batch.bytes)
    batch.count++
    this.#waitingBytes += bytes
    this.#counts.waiting++
  }

  /** Sends until nothing waits. */
  async #run(): Promise<void> {
    const { signal } = this.#ending
    const backoff = new Backoff(RETRY_FIRST_MS, RETRY_LONGEST_MS)
    let isGivenUp = false
    while (this.#batches.length > 0) {
      // several batches: the first is full
      if (this.#batches.length === 1) await pause(DECISION_SEND_MS, undefined, { signal }).catch(() => undefined)
      const batch = this.#batches.shift()!
      while (!isGivenUp && !(await this.#send(batch))) {
        isGivenUp = signal.aborted
        backoff.next()
        await backoff.wait(signal)
      }
      backoff.reset()
      this.#counts.waiting -= batch.count
      this.#waitingBytes -= batch.bytes
      if (isGivenUp) this.#counts.dropped += batch.count
    }
    this.#running = undefined
  }

  async #send({ lines, bytes, count }: Batch): Promise<boolean> {
    const refused = this.#counts.refused
    try {
      await this.#client.send(lines.subarray(0, bytes), this.#abort.signal)
    } catch (error) {
      this.#tell(isZerohopError(error) ? error : new ZerohopError('FEED_UNREACHABLE', { reason: String(error) }))
      return false
    }
    this.#counts.sent += count - (this.#counts.refused - refused)
    this.#tell(undefined)
    return true
  }

  #tell(error: ZerohopError | undefined): void {
    if ((error !== undefined) === this.#isFailing) return
    this.#isFailing = error !== undefined
    const event: DecisionSenderEvent =
      error === undefined ? { event: 'decisions sent again' } : { event: 'decisions not sent', error }
    tell(this.#options.onEvent, event)
  }
}

function attempt(make: () => string): string | undefined {
  try {
    return make()
  } catch {
    return undefined
  }
}
