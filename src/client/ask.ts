// One HTTP call that is certain to end: the whole answer within a bound of time and size, or an error with the reason.
// Once the headers have arrived, fetch holds the abort signal only weakly: after a garbage collection an abort would
// not reach a body that never ends. So bodies are read here.
import { isZerohopError, ZerohopError } from '../model/errors.ts'
import { ANSWER_BYTES_MAX } from '../model/limits.ts'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** the parsed body when it is JSON; undefined otherwise */
  readonly body: unknown
}

export interface Asked {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer>
  readonly timeoutMs: number
  readonly signal?: AbortSignal
  /** bytes of the answer that are read at most; default ANSWER_BYTES_MAX */
  readonly bytesMax?: number
}

/** @throws FEED_UNREACHABLE when the whole answer does not arrive, whatever the reason */
export function ask(url: string, asked: Asked): Promise<Answer> {
  return fetchThen(url, asked, async (response, signal) => {
    const body = await readBody(response, signal, asked.bytesMax)
    if (body === undefined && isJson(response)) throw new Error(CUT)
    return { status: response.status, headers: response.headers, body }
  })
}

/**
 * An answer without a length, as through a proxy that speaks HTTP/1.0, may end anywhere without an error. JSON that was
 * cut cannot be parsed.
 */
const CUT = 'its answer was cut on the way'

/** Is the answer a success that is said to be JSON? */
const isJson = ({ ok, status, headers }: Response): boolean =>
  ok && !NO_BODY.has(status) && headers.get('content-type')?.includes('json') === true

/** The answer to a request, whole. @throws FEED_UNREACHABLE when it does not arrive, whatever the reason */
export function fetchWhole(request: Request, timeoutMs: number): Promise<Response> {
  return fetchThen(request, { timeoutMs, signal: request.signal }, async (response, signal) => {
    const { status, statusText, headers } = response
    const body = await readWhole(response, signal)
    if (isJson(response) && parseBody(body) === undefined) throw new Error(CUT)
    return new Response(NO_BODY.has(status) ? null : body, { status, statusText, headers })
  })
}

/** Statuses whose answers have no body; that of Chromium has an empty one anyway, with which none can be made. */
const NO_BODY: ReadonlySet<number> = new Set([204, 205, 304])

async function fetchThen<T>(
  to: string | Request,
  { timeoutMs, signal, bytesMax: _, ...init }: Asked,
  read: (response: Response, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController()
  const end = (): void => controller.abort(signal?.reason)
  const late = setTimeout(() => controller.abort(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs)
  signal?.addEventListener('abort', end, { once: true })
  if (signal?.aborted) end()
  try {
    // A redirect would carry the key to another address.
    const response = await fetchSendable(to, { ...init, redirect: 'error', signal: controller.signal })
    return await read(response, controller.signal)
  } catch (error) {
    if (isZerohopError(error)) throw error
    throw new ZerohopError('FEED_UNREACHABLE', { reason: formatReason(error) }, { cause: error })
  } finally {
    clearTimeout(late)
    signal?.removeEventListener('abort', end)
    controller.abort()
  }
}

/**
 * `fetch`, after a look at the address and the headers: its own message about one that cannot be sent quotes it, and a
 * header may be a key.
 */
export async function fetchSendable(to: string | Request, init: RequestInit): Promise<Response> {
  if (typeof to === 'string') requireAddress(to)
  if (!isSendable(init.headers)) throw new Error('the key, or another header, contains characters that cannot be sent')
  return fetch(to, init)
}

function requireAddress(text: string): void {
  if (!URL.canParse(text)) throw new Error('the address is no URL')
  const { username, password } = new URL(text)
  if (username !== '' || password !== '')
    throw new Error('the address contains a user name or a password, which cannot be sent')
}

function isSendable(headers: RequestInit['headers']): boolean {
  try {
    new Headers(headers)
    return true
  } catch {
    return false
  }
}

/** The parsed body of an answer when it is JSON; undefined otherwise. */
export async function readBody(response: Response, signal: AbortSignal, bytesMax?: number): Promise<unknown> {
  return parseBody(await readWhole(response, signal, bytesMax))
}

function parseBody(whole: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(whole))
  } catch {
    return undefined
  }
}

/** All bytes of a body, within a bound. */
async function readWhole(
  response: Response,
  signal: AbortSignal,
  bytesMax = ANSWER_BYTES_MAX,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of readBytes(response, signal)) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > bytesMax) throw new Error(`its answer has more than ${bytesMax} bytes`)
  }
  const whole = new Uint8Array(bytes) // not a Buffer: the console calls this in a browser
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}

/** The chunks of a body; the signal ends a read that waits. */
export async function* readBytes(response: Response, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  if (response.body === null) return
  const reader = response.body.getReader()
  const cancel = (): void => void reader.cancel().catch(() => undefined)
  signal.addEventListener('abort', cancel, { once: true })
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (signal.aborted) throw signal.reason
      if (done) return
      yield value
    }
  } finally {
    signal.removeEventListener('abort', cancel)
    cancel()
  }
}

/**
 * Why a call of `fetchSendable` failed. fetch of Node and Deno hides the reason (`ECONNREFUSED …`) behind "fetch
 * failed"; that of Bun says it; that of a browser never does.
 */
export function formatReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof AggregateError && error.errors.length > 0)
    // one for each address of a name
    return [...new Set(error.errors.map(formatReason))].join('; ')
  if (error.cause instanceof Error) return formatReason(error.cause)
  if (error instanceof TypeError && SAYS_NOTHING.test(error.message))
    return `${error.message}: there is no connection, or the browser refused it and does not say why`
  const { code } = error as { readonly code?: unknown }
  if (typeof code !== 'string') return error.message || error.name // that of a DOMException is a number
  if (code.startsWith('ERR_SSL_')) return `TLS: ${code.slice('ERR_SSL_'.length).toLowerCase().replaceAll('_', ' ')}`
  return error.message || code
}

/** The messages of fetch in Chromium, Firefox and Safari, the same for every failure. */
const SAYS_NOTHING = /^(Failed to fetch|NetworkError when attempting to fetch resource\.?|Load failed)$/
