// The two APIs of a management service over HTTP, ours or another: JSON in and out, lists as a whole, a few retries where the service says "not
// now". It knows no object; what is where is in world.ts.
import { setTimeout as pause } from 'node:timers/promises'
import { ZerohopError } from '../model/errors.ts'
import {
  MIGRATE_LIST_ROWS_MAX,
  MIGRATE_PAGE_ROWS,
  MIGRATE_RETRIES_MAX,
  MIGRATE_RETRY_MS,
  MIGRATE_TIMEOUT_MS,
} from '../model/limits.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: whatever the service sends; each reader takes what it needs
  readonly body: any
}

export class Api {
  readonly url: string
  readonly #key: string

  /** @throws CONFIG_INVALID when the address is none */
  constructor(url: string, key: string) {
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
      throw new ZerohopError('CONFIG_INVALID', { reason: `\`${url.slice(0, 200)}\` is not an http or https URL` })
    this.url = url.replace(/\/+$/, '')
    this.#key = key
  }

  /** One call. @throws FEED_UNREACHABLE when no answer comes */
  async call(method: Method, path: string, body?: unknown): Promise<Answer> {
    for (let attempt = 0; ; attempt++) {
      const response = await this.#send(method, path, body)
      const text = await response.text()
      const again = [429, 503].includes(response.status) && attempt < MIGRATE_RETRIES_MAX
      if (!again) return { status: response.status, body: parsed(text) }
      await pause(MIGRATE_RETRY_MS * 2 ** attempt)
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
    if (answer.status < 300) return answer.body
    throw failed('GET', path, answer)
  }

  /** Every row of a list, whether it comes as an array or as a page object. @throws LIMIT_EXCEEDED */
  async list(path: string): Promise<Answer['body'][]> {
    const rows: Answer['body'][] = []
    for (let page = 1; ; page++) {
      const body = await this.ask(
        'GET',
        `${path}${path.includes('?') ? '&' : '?'}page=${page}&per_page=${MIGRATE_PAGE_ROWS}`,
      )
      const found: unknown = Array.isArray(body) ? body : body?.data
      if (!Array.isArray(found))
        throw new ZerohopError('SERVICE_FAILED', { status: 200, what: `GET ${path} without a list` })
      rows.push(...found)
      if (found.length < MIGRATE_PAGE_ROWS) return rows
      if (rows.length > MIGRATE_LIST_ROWS_MAX)
        throw new ZerohopError('LIMIT_EXCEEDED', {
          what: `the number of rows of ${path}`,
          limit: MIGRATE_LIST_ROWS_MAX,
        })
    }
  }

  async #send(method: Method, path: string, body: unknown): Promise<Response> {
    try {
      return await fetch(this.url + path, {
        method,
        redirect: 'error', // a redirect would carry the key to another address
        signal: AbortSignal.timeout(MIGRATE_TIMEOUT_MS),
        headers: { authorization: `Bearer ${this.#key}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
    } catch (error) {
      const { cause = error } = error as { cause?: unknown }
      const reason =
        cause instanceof Error ? cause.message || String((cause as NodeJS.ErrnoException).code) : String(cause)
      throw new ZerohopError('FEED_UNREACHABLE', { reason: `${this.url}: ${reason}` })
    }
  }
}

/** Runs `work` for each item, a few at a time; the first error ends it. */
export async function forEach<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  let next = 0
  const run = async (): Promise<void> => {
    while (next < items.length) await work(items[next++]!)
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, run))
}

function failed(method: Method, path: string, { status, body }: Answer): ZerohopError {
  if (status === 401) return new ZerohopError('KEY_UNKNOWN')
  if (status === 403) return new ZerohopError('KEY_TOO_NARROW', { what: `${method} ${path}` })
  const told = body?.message ?? body?.detail?.[0]?.msg ?? ''
  return new ZerohopError('SERVICE_FAILED', {
    status,
    what: `${method} ${path}${told === '' ? '' : `: ${String(told).slice(0, 300)}`}`,
  })
}

function parsed(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
