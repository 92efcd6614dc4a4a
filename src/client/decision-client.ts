// Sends records of decisions to the management API: whole lines, compressed, one batch at a time. It also asks for the
// id of its API key, which records name, and whether the key may send records: a process that has only the secret knows
// neither.
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { ZerohopError } from '../model/errors.ts'
import { type OnEvent, tell } from '../model/events.ts'
import { DECISION_SEND_MS, DECISION_SEND_TIMEOUT_MS, RETRY_LONGEST_MS } from '../model/limits.ts'
import { type Asked, ask } from './ask.ts'

const compress = promisify(gzip)

export interface DecisionClientOptions {
  readonly url: string
  readonly apiKey: string
  readonly onEvent?: OnEvent<RefusedEvent>
}

/** The management side will never take so many lines of a batch. */
export interface RefusedEvent {
  readonly event: 'refused'
  readonly count: number
  /** numbers by reason, where it says them */
  readonly refusals: unknown
}

export class DecisionClient {
  readonly name = 'api'
  readonly windowMs = DECISION_SEND_MS
  readonly #url: string
  readonly #apiKey: string
  readonly #onEvent: OnEvent<RefusedEvent> | undefined
  #path: string | undefined
  #keyId: string
  #access: string | undefined

  constructor({ url, apiKey, onEvent }: DecisionClientOptions) {
    this.#url = url.replace(/\/+$/, '')
    this.#onEvent = onEvent
    this.#apiKey = apiKey
    // tells keys apart without helping to guess the secret, which is long and random
    this.#keyId = `sha256:${createHash('sha256').update(apiKey).digest('hex').slice(0, 16)}`
  }

  /** Id of the key; the beginning of its hash until the management side has sent the id. */
  get keyId(): string {
    return this.#keyId
  }

  /** Access level of the key; undefined until the management side has sent it. */
  get access(): string | undefined {
    return this.#access
  }

  /** Asks for the id until it is answered or the signal aborts. */
  async identify(signal: AbortSignal): Promise<void> {
    while (this.#path === undefined && !signal.aborted) {
      try {
        await this.#readScope(signal)
      } catch {
        await new Promise((resolve) => setTimeout(resolve, RETRY_LONGEST_MS).unref())
      }
    }
  }

  /** @throws KEY_UNKNOWN, KEY_TOO_NARROW, FEED_UNREACHABLE when the management side has not stored them */
  async send(lines: Buffer, signal: AbortSignal): Promise<void> {
    this.#path ??= await this.#readScope(signal)
    const packed = await compress(lines, { level: 1 })
    const { body } = await this.#call(this.#path, signal, {
      method: 'POST',
      body: new Uint8Array(packed.buffer as ArrayBuffer, packed.byteOffset, packed.length),
      headers: { 'content-type': 'application/x-ndjson', 'content-encoding': 'gzip' },
    })
    // a proxy or a login page may answer 200: only an answer with the counts means that the records are stored
    const { stored, known, refused, refusals } = body
    if (![stored, known, refused].every(Number.isSafeInteger))
      throw unreachable('the answer is not that of the management API')
    if (refused !== 0) tell(this.#onEvent, { event: 'refused', count: Number(refused), refusals })
  }

  async #readScope(signal: AbortSignal): Promise<string> {
    const response = await this.#call('/v2/api-key/scope', signal)
    const { project_id: project, environment_id: environment } = response.body
    if (typeof response.body.organization_id !== 'string')
      throw unreachable('the answer is not that of the management API')
    if (typeof project !== 'string' || typeof environment !== 'string')
      throw new ZerohopError('KEY_TOO_NARROW', { what: 'send decisions: use the key of an environment' })
    this.#keyId = response.headers.get('x-api-key-id') ?? this.#keyId
    this.#access = response.headers.get('x-api-key-access') ?? undefined
    this.#path = `/v2/pdps/${encodeURIComponent(project)}/${encodeURIComponent(environment)}/audit_logs`
    return this.#path
  }

  async #call(path: string, signal: AbortSignal, asked: Pick<Asked, 'method' | 'headers' | 'body'> = {}) {
    const { status, headers, body } = await ask(this.#url + path, {
      ...asked,
      headers: { ...asked.headers, authorization: `Bearer ${this.#apiKey}` },
      timeoutMs: DECISION_SEND_TIMEOUT_MS,
      signal,
    })
    if (status === 401) throw new ZerohopError('KEY_UNKNOWN')
    if (status === 403) throw new ZerohopError('KEY_TOO_NARROW', { what: 'send decisions: it needs access `write`' })
    if (status !== 200) throw unreachable(`it answered with status ${status}`)
    return { body: (body ?? {}) as Record<string, unknown>, headers }
  }
}

const unreachable = (reason: string): ZerohopError => new ZerohopError('FEED_UNREACHABLE', { reason })
