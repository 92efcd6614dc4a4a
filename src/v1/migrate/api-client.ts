// A client for both API versions of a management service, Zerohop or another: JSON in and out, whole lists, a few
// retries when the service is temporarily unavailable. It knows no kinds of objects; world.ts reads those.
import { setTimeout as pause } from 'node:timers/promises'
import { type Answer as Answered, ask } from '../../client/ask.ts'
import { isZerohopError, ZerohopError } from '../../model/errors.ts'
import {
  MIGRATE_BUSY_MS,
  MIGRATE_LIST_ROWS_MAX,
  MIGRATE_PAGE_ROWS,
  MIGRATE_RETRIES_MAX,
  MIGRATE_RETRY_AFTER_MS_MAX,
  MIGRATE_RETRY_MS,
  MIGRATE_TIMEOUT_MS,
} from '../../model/limits.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface Answer {
  readonly status: number
  readonly headers: Answered['headers']
  // biome-ignore lint/suspicious/noExplicitAny: untrusted JSON of the service; each reader picks its fields
  readonly body: any
}

/** Hears why a call is made again, and when. */
export type Hear = (retry: { readonly reason: string; readonly waitMs: number }) => void

export class Api {
  readonly url: string
  /** of calls that are made again */
  readonly hear: Hear
  readonly #key: string

  /** @throws CONFIG_INVALID when the address or the key is malformed */
  constructor(url: string, key: string, hear: Hear = () => undefined) {
    this.url = addressOf(url)
    this.hear = hear
    if (!/^[\x21-\x7e]+$/.test(key)) throw invalid('the API key contains characters that API keys never contain')
    this.#key = key
  }

  /** One call. @throws FEED_UNREACHABLE when there is no answer */
  async call(
    method: Method,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    for (let attempt = 0; ; attempt++) {
      const answer = await this.#send(method, path, body, headers)
      const waitMs = waitOf(answer, attempt)
      if (waitMs === undefined) return answer
      this.hear({ reason: `${this.url} answered ${answer.status}${toldBy(answer)}`, waitMs })
      await pause(waitMs)
    }
  }

  /** The body of a call that must succeed. @throws SERVICE_FAILED, KEY_UNKNOWN, KEY_TOO_NARROW */
  async ask(method: Method, path: string, body?: unknown): Promise<Answer['body']> {
    const answer = await this.call(method, path, body)
    if (answer.status < 300) return answer.body
    throw failed(method, path, answer)
  }

  /** The object at the path; undefined when there is none. */
  async find(path: string): Promise<Answer['body'] | undefined> {
    const answer = await this.call('GET', path)
    if (answer.status === 404) return undefined
    if (answer.status < 300 && isObject(answer.body)) return answer.body
    throw failed('GET', path, answer)
  }

  /** Every row of a list, whether it comes as an array or as a page object. @throws SERVICE_FAILED, LIMIT_EXCEEDED */
  async list(path: string): Promise<Answer['body'][]> {
    const rows: Answer['body'][] = []
    for (let page = 1; ; page++) {
      const query = `${path.includes('?') ? '&' : '?'}page=${page}&per_page=${MIGRATE_PAGE_ROWS}`
      const body = await this.ask('GET', path + query)
      const found: unknown = Array.isArray(body) ? body : body?.data
      if (!Array.isArray(found) || !found.every(isObject))
        throw new ZerohopError('SERVICE_FAILED', { status: 200, what: `GET ${path} without a list` })
      for (const row of found) rows.push(row)
      // not a full page, or more than was asked for by a service without pages: this is the whole list
      if (found.length !== MIGRATE_PAGE_ROWS) return rows
      if (rows.length > MIGRATE_LIST_ROWS_MAX)
        throw new ZerohopError('LIMIT_EXCEEDED', {
          what: `the number of rows of ${path}`,
          limit: MIGRATE_LIST_ROWS_MAX,
        })
    }
  }

  async #send(
    method: Method,
    path: string,
    body: unknown,
    further: Readonly<Record<string, string>>,
  ): Promise<Answered> {
    const headers = { ...further, authorization: `Bearer ${this.#key}`, 'content-type': 'application/json' }
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    try {
      return await ask(this.url + path, { method, headers, ...sent, timeoutMs: MIGRATE_TIMEOUT_MS })
    } catch (error) {
      if (!isZerohopError(error, 'FEED_UNREACHABLE')) throw error
      throw new ZerohopError('FEED_UNREACHABLE', { reason: `${this.url}: ${error.details.reason}` }, { cause: error })
    }
  }
}

/** Runs `work` for each item, a few at a time; the first error stops it. */
export async function forEach<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  let next = 0
  const run = async (): Promise<void> => {
    try {
      while (next < items.length) await work(items[next++]!)
    } catch (error) {
      next = items.length
      throw error
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, run))
}

/** The error of a call that failed. */
export function failed(method: Method, path: string, answer: Answer): ZerohopError {
  const { status } = answer
  if (status === 401) return new ZerohopError('KEY_UNKNOWN')
  if (status === 403) return new ZerohopError('KEY_TOO_NARROW', { what: `${method} ${path}` })
  return new ZerohopError('SERVICE_FAILED', { status, what: `${method} ${path}${toldBy(answer)}` })
}

/** The service's error text, in either of its two error forms; empty when there is none. */
export function toldBy({ body }: Answer): string {
  const told = body?.message ?? body?.detail?.[0]?.msg
  return typeof told === 'string' && told !== '' ? `: ${told.slice(0, 300)}` : ''
}

/** Milliseconds until the call is retried; undefined when the answer is final. */
function waitOf({ status, headers }: Answered, attempt: number): number | undefined {
  if (![429, 503].includes(status) || attempt >= MIGRATE_RETRIES_MAX) return undefined
  const told = headers.get('retry-after') ?? ''
  if (!/^\d+$/.test(told)) return (status === 429 ? MIGRATE_BUSY_MS : MIGRATE_RETRY_MS) * 2 ** attempt
  const asked = Number(told) * 1000
  return asked <= MIGRATE_RETRY_AFTER_MS_MAX ? asked : undefined
}

/** @throws CONFIG_INVALID */
function addressOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw invalid(`\`${text.slice(0, 200)}\` is not an http or https URL`)
  if (url.username + url.password + url.search + url.hash !== '')
    throw invalid(`the address of ${url.host} must not have a user, a query or a fragment`)
  return url.href.replace(/\/+$/, '')
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null

function invalid(reason: string): ZerohopError {
  return new ZerohopError('CONFIG_INVALID', { reason })
}
