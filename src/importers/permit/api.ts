// The API of a server, read only: lists page by page, with the key of an environment. A server that says that it is asked
// too often is asked again after the time that it says. The key stands in no error and in no file.
import { setTimeout as pause } from 'node:timers/promises'
import { ask } from '../../client/ask.ts'
import { isZerohopError, ZerohopError } from '../../model/errors.ts'
import {
  PERMIT_ANSWER_BYTES_MAX,
  PERMIT_ANSWER_TIMEOUT_MS,
  PERMIT_OBJECTS_MAX,
  PERMIT_PAGE,
  PERMIT_PAUSE_MS_MAX,
  PERMIT_TRIES_MAX,
} from '../../model/limits.ts'
import type { HearRetry } from '../frame/importer.ts'

/** An object as the API answers it. */
export type Answered = Readonly<Record<string, unknown>>

export class PermitApi {
  readonly #url: string
  readonly #key: string
  readonly #hear: HearRetry

  /** @throws CONFIG_INVALID for what is not an address */
  constructor(url: string, key: string, hear: HearRetry) {
    this.#hear = hear
    const parsed = URL.canParse(url) ? new URL(url) : undefined
    const isPlain = parsed !== undefined && parsed.search + parsed.hash + parsed.username + parsed.password === ''
    if (parsed === undefined || !/^https?:$/.test(parsed.protocol) || !isPlain)
      throw new ZerohopError('CONFIG_INVALID', { reason: 'a server is an address such as https://api.permit.io' })
    this.#url = url.replace(/\/+$/, '')
    this.#key = key
  }

  /** @throws CONFIG_INVALID when the server does not answer as its API does */
  async get(path: string): Promise<unknown> {
    return this.#send('GET', path, undefined)
  }

  /** An object that the key may not read, or that is not there, is undefined. @throws CONFIG_INVALID as `get` */
  async find(path: string): Promise<unknown> {
    return this.#send('GET', path, undefined, [401, 403, 404])
  }

  async post(path: string, body: object): Promise<Answered> {
    const answer = await this.#send('POST', path, JSON.stringify(body))
    if (typeof answer !== 'object' || answer === null) throw this.#failed(path, 'the answer is not an object')
    return answer as Answered
  }

  /** All objects of a list. */
  async list(path: string): Promise<readonly Answered[]> {
    const all: Answered[] = []
    for (let page = 1; ; page++) {
      const answer = await this.get(`${path}${path.includes('?') ? '&' : '?'}page=${page}&per_page=${PERMIT_PAGE}`)
      const rows = Array.isArray(answer) ? answer : (answer as { readonly data?: unknown } | null)?.data
      if (!Array.isArray(rows)) throw this.#failed(path, 'the answer is not a list')
      all.push(...(rows as Answered[]))
      if (all.length > PERMIT_OBJECTS_MAX)
        throw new ZerohopError('LIMIT_EXCEEDED', { what: `objects of ${path}`, limit: PERMIT_OBJECTS_MAX })
      if (rows.length < PERMIT_PAGE) return all
    }
  }

  async #send(
    method: string,
    path: string,
    body: string | undefined,
    absent: readonly number[] = [],
  ): Promise<unknown> {
    const asked = {
      ...{ method, timeoutMs: PERMIT_ANSWER_TIMEOUT_MS, bytesMax: PERMIT_ANSWER_BYTES_MAX },
      headers: {
        authorization: `Bearer ${this.#key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body }),
    }
    for (let tried = 1; ; tried++) {
      const answer = await ask(`${this.#url}${path}`, asked).catch((error: unknown) => {
        throw isZerohopError(error) ? this.#failed(path, error.message) : error
      })
      const { status } = answer
      if (status >= 200 && status < 300) return answer.body
      if (absent.includes(status)) return undefined
      if ((status !== 429 && status !== 503) || tried === PERMIT_TRIES_MAX)
        throw this.#failed(path, status === 401 || status === 403 ? `${status}: the key may not read it` : `${status}`)
      const seconds = Number(answer.headers.get('retry-after') ?? 1)
      const waitMs = Math.min(seconds >= 0 ? seconds * 1000 : 1000, PERMIT_PAUSE_MS_MAX)
      this.#hear({ reason: `${this.#url} answered ${status}`, waitMs })
      await pause(waitMs)
    }
  }

  #failed(path: string, reason: string): ZerohopError {
    const shown = reason.replaceAll(this.#key, '…')
    return new ZerohopError('CONFIG_INVALID', { reason: `${this.#url}${path.replace(/\?.*/, '')}: ${shown}` })
  }
}
