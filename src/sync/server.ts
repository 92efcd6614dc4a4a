// What a sync asks of a management API: the facts that it claims, its lease, plans and slices.
import { formatReason } from '../client/ask.ts'
import { readLongAnswer } from '../client/long-answer.ts'
import { dataOf, type ManagementClient } from '../client/management-client.ts'
import { Attempts, type Say } from '../client/retry-lost.ts'
import type { SyncedKind, SyncItem, SyncPlan, SyncRead, SyncWritten } from '../management/schemas/syncs.ts'
import { isZerohopError, ZerohopError } from '../model/errors.ts'
import { SYNC_ROW_BYTES_MAX } from '../model/limits.ts'
import type { StoredFact } from './differences.ts'

export interface ServerOptions {
  readonly client: ManagementClient
  /** address and key of the same API, for answers that are read as they come */
  readonly url: string
  readonly apiKey: string
  readonly path: { readonly p: string; readonly e: string }
  /** of the sync */
  readonly name: string
  /** hears that an answer was cut, and is asked for again */
  readonly say?: Say
  /** how long it waits then; FACTS_PAUSE_MS unless given */
  readonly firstPauseMs?: number
}

/** Facts of one kind that the sync claims, in the order of their identity. */
export interface StoredFacts {
  facts(): AsyncGenerator<readonly StoredFact[], void, undefined>
  /** of the environment, once all facts were read; of an answer that was cut on the way, what came before is of an earlier one */
  readonly revision: number
}

const SYNC = '/v2/facts/{p}/{e}/syncs/{sync}'

export class SyncServer {
  readonly #options: ServerOptions

  constructor(options: ServerOptions) {
    this.#options = options
  }

  /** The environment, as a plan names it. */
  get place(): string {
    const { p, e } = this.#options.path
    return `${p}/${e}`
  }

  /** undefined before its first run. @throws API_REFUSED, FEED_UNREACHABLE */
  async find(): Promise<SyncRead | undefined> {
    const answer = await this.#options.client.GET(SYNC, { params: this.#params() })
    return answer.response.status === 404 ? undefined : dataOf(answer)
  }

  /** @throws API_REFUSED, FEED_UNREACHABLE */
  async lease(source: string, run: string, takesOver: boolean): Promise<SyncRead> {
    const body = { source, run, ...(takesOver ? { take_over: true } : {}) }
    return dataOf(await this.#options.client.POST(`${SYNC}/lease`, { params: this.#params(), body }))
  }

  /** @throws API_REFUSED, FEED_UNREACHABLE */
  async release(run: string): Promise<void> {
    dataOf(await this.#options.client.POST(`${SYNC}/release`, { params: this.#params(), body: { run } }))
  }

  /** @throws API_REFUSED, FEED_UNREACHABLE */
  async plan(items: readonly SyncItem[], access: boolean): Promise<SyncPlan> {
    const body = { items: items as SentItems, access }
    return dataOf(await this.#options.client.POST(`${SYNC}/plan`, { params: this.#params(), body })) as SyncPlan
  }

  /** @throws API_REFUSED, FEED_UNREACHABLE */
  async write(run: string, items: readonly SyncItem[]): Promise<SyncWritten & { readonly revision: number }> {
    const answer = await this.#options.client.POST(`${SYNC}/slices`, {
      params: this.#params(),
      body: { run, items: items as SentItems },
    })
    return { ...(dataOf(answer) as SyncWritten), revision: Number(answer.response.headers.get('x-revision')) }
  }

  stored(kind: SyncedKind): StoredFacts {
    const { url, apiKey, path, name, say = () => undefined, firstPauseMs } = this.#options
    const [p, e] = [encodeURIComponent(path.p), encodeURIComponent(path.e)]
    const query = new URLSearchParams({ kind, claim: name })
    return new Stream(
      `${url.replace(/\/+$/, '')}/v2/facts/${p}/${e}/stream?${query}`,
      apiKey,
      new Attempts(say, firstPauseMs),
    )
  }

  #params() {
    const { path, name } = this.#options
    return { path: { ...path, sync: name } }
  }
}

/** The generated types have no `readonly`. */
type SentItems = never

/** The last line of a stream. */
interface End {
  readonly complete: true
  readonly revision: number
  readonly rows: number
}

/** The answer is asked for again where it was cut, from the last line that came whole; bytes behind that do not count. */
class Stream implements StoredFacts {
  readonly #address: string
  readonly #apiKey: string
  readonly #attempts: Attempts
  #end: End | undefined
  #after: string | undefined
  revision = 0

  constructor(address: string, apiKey: string, attempts: Attempts) {
    this.#address = address
    this.#apiKey = apiKey
    this.#attempts = attempts
  }

  /** @throws API_REFUSED; FEED_UNREACHABLE after FACTS_ATTEMPTS_MAX answers in a row with nothing new in them */
  async *facts(): AsyncGenerator<readonly StoredFact[], void, undefined> {
    for (;;) {
      try {
        yield* this.#read()
        if (/* canary: whole-answers */ this.#end === undefined) throw new Error('its answer was cut on the way')
        return
      } catch (error) {
        await this.#attempts.failed(toLost(error))
      }
    }
  }

  async *#read(): AsyncGenerator<readonly StoredFact[], void, undefined> {
    const after = this.#after === undefined ? '' : `&after=${encodeURIComponent(this.#after)}`
    const decoder = new TextDecoder()
    let rest = ''
    let count = 0
    for await (const chunk of readLongAnswer(`${this.#address}${after}`, this.#apiKey)) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
      rest = lines.pop()!
      if (rest.length > 2 * SYNC_ROW_BYTES_MAX) throw new Error('its answer has a line that is too long')
      const facts: StoredFact[] = []
      for (const line of lines) {
        const fact = parseLine(line)
        if ('complete' in fact && fact.complete === true) this.#end = fact as End
        else facts.push(fact as StoredFact)
      }
      count += facts.length
      if (facts.length === 0) continue
      this.#after = facts.at(-1)!.key
      this.#attempts.worked()
      yield facts
    }
    if (this.#end === undefined) return
    if (this.#end.rows !== count) throw new ZerohopError('SERVICE_ANSWER_INVALID', WHOLE)
    this.revision = this.#end.revision
  }
}

/** @throws SERVICE_ANSWER_INVALID: a cut leaves no line that is whole and wrong */
function parseLine(line: string): StoredFact | End {
  try {
    return JSON.parse(line) as StoredFact | End
  } catch (cause) {
    throw new ZerohopError('SERVICE_ANSWER_INVALID', { what: 'GET stream', expected: 'lines of JSON' }, { cause })
  }
}

const WHOLE = { what: 'GET stream', expected: 'as many lines as its last one says' }

const toLost = (error: unknown): ZerohopError =>
  isZerohopError(error)
    ? error
    : new ZerohopError('FEED_UNREACHABLE', { reason: formatReason(error) }, { cause: error })
