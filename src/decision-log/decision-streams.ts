// Streams of recorded decisions to those who watch: server-sent events. A stream ends with its key, its session or its
// environment, with the server, and when its reader takes nothing. A slow reader misses records, and the stream says so.
import type { ServerResponse } from 'node:http'
import { contained, inBackground } from '../model/contained.ts'
import { isZerohopError, ZerohopError } from '../model/errors.ts'
import { DECISION_STREAM_BEAT_MS, DECISION_STREAM_BYTES_MAX, DECISION_STREAMS_MAX } from '../model/limits.ts'
import type { AuditLog, AuditRecord } from './audit-log.ts'
import { DecisionTails } from './decision-tail.ts'

/** What is sent of a record; undefined when the stream leaves it out. */
type Render = (record: AuditRecord) => object | undefined

/** A request that a stream answers. */
export interface StreamRequest {
  readonly id: string
  readonly environment: string
  /** @throws when its key, its session or its environment may no longer read */
  admitAgain(): Promise<void>
}

export class DecisionStreams {
  readonly #tails: DecisionTails
  readonly #open = new Set<DecisionStream>()

  constructor(log: Pick<AuditLog, 'list'>) {
    this.#tails = new DecisionTails(log)
  }

  /** @throws OVERLOADED when too many are open */
  requireRoom(): void {
    if (this.#open.size >= DECISION_STREAMS_MAX) throw new ZerohopError('OVERLOADED', { waiting: this.#open.size })
  }

  /** Ends all. */
  close(): void {
    for (const stream of this.#open) stream.end('CLOSED')
  }

  /** Answers a request with a stream. */
  open(request: StreamRequest, raw: ServerResponse, render: Render): void {
    begin(request, raw)
    const stream = new DecisionStream(raw)
    this.#open.add(stream)
    const stop = this.#tails.watch(request.environment, (records, isCut) => {
      for (const record of records) {
        const shown = render(record)
        if (shown !== undefined) stream.send('decision', shown)
      }
      if (isCut) stream.miss()
    })
    const goOn = contained('a stream of decisions', () => inBackground('a stream of decisions', beat(request, stream)))
    const timer = setInterval(goOn, DECISION_STREAM_BEAT_MS).unref()
    raw.once('close', () => {
      clearInterval(timer)
      stop()
      this.#open.delete(stream)
    })
  }
}

async function beat(request: StreamRequest, stream: DecisionStream): Promise<void> {
  try {
    await request.admitAgain()
    stream.beat()
  } catch (error) {
    stream.end(isZerohopError(error) ? error.code : 'INTERNAL')
  }
}

class DecisionStream {
  readonly #raw: ServerResponse
  #hasMissed = false

  constructor(raw: ServerResponse) {
    this.#raw = raw
    raw.on('error', () => raw.destroy())
  }

  send(event: string, data: object): void {
    if (this.#isFull) {
      this.miss()
      return
    }
    if (this.#hasMissed) this.#tellMissed()
    this.#write(event, data)
  }

  #tellMissed(): void {
    this.#hasMissed = false
    this.#write('missed', {})
  }

  /** Records were left out; the stream says so before the next one that is sent. */
  miss(): void {
    this.#hasMissed = true
  }

  /** Keeps proxies from closing the connection, and cuts a reader off that took nothing since the last beat. */
  beat(): void {
    if (this.#isFull) this.#raw.destroy()
    else if (this.#hasMissed) this.#tellMissed()
    else this.#raw.write(': \n\n')
  }

  /** The last event says why. */
  end(code: string): void {
    if (this.#raw.writableEnded || this.#raw.destroyed) return
    this.#write('end', { code })
    this.#raw.end()
  }

  get #isFull(): boolean {
    return this.#raw.writableLength > DECISION_STREAM_BYTES_MAX
  }

  #write(event: string, data: object): void {
    this.#raw.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
  }
}

function begin({ id }: StreamRequest, raw: ServerResponse): void {
  raw.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-accel-buffering': 'no',
    'x-request-id': id,
    // A stream lasts as long as its connection: kept alive after the end, it would hold up a server that closes.
    connection: 'close',
  })
  raw.write(': \n\n')
}
