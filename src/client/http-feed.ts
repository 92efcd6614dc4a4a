// The feed over HTTP: the same interface as in process (src/log/feed.ts), with a timeout on silence and every status
// mapped to an error. It never retries: the follower (src/pdp/follower.ts) decides when to ask again. Normative text:
// docs/feed.md.
import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { ABI_VERSION } from '../../assembly/limits.ts'
import type { Position } from '../log/change.ts'
import { openDecoder } from '../log/codec.ts'
import type { Feed, FeedEvent, FeedHead, ImageProgress } from '../log/feed.ts'
import { identityHeaders, isPdpName, type PdpIdentity, requirePdpName } from '../log/pdp-identity.ts'
import { TAIL_BYTES, type Trust } from '../log/signature.ts'
import { isZerohopError, ZerohopError } from '../model/errors.ts'
import {
  FEED_SILENCE_MS,
  IMAGE_BYTES_MAX,
  IMAGE_SILENCE_MS,
  PDP_LEAVE_MS,
  PDP_NAME_LENGTH_MAX,
  PDP_REPORT_TIMEOUT_MS,
  RETRY_AFTER_MS_MAX,
} from '../model/limits.ts'
import { PDP_API_VERSION, VERSION } from '../model/version.ts'
import { type Answer, ask, fetchSendable, formatReason, readBody, readBytes } from './ask.ts'
import { type ReportTimes, RevisionReports } from './revision-reports.ts'

/** The PDP that follows, as the management API lists it. */
export interface FollowingPdp {
  /** random: 8 to 64 letters, digits and `-` */
  readonly instance: string
  /** shown to people; default the name of this machine */
  readonly name?: string | undefined
  /** of its checks; default that of this package */
  readonly apiVersion?: number
  /** the revision that answers; undefined before there is one */
  readonly applied: () => number | undefined
  /** overrides of the milliseconds in src/model/limits */
  readonly times?: Partial<ReportTimes>
}

export interface RemoteFeedOptions {
  /** address of the management API, such as `http://localhost:8080` */
  readonly url: string
  /** key of the environment to follow */
  readonly apiKey: string
  /** milliseconds without a byte after which the stream of deltas counts as dead */
  readonly silenceMs?: number
  /** the same while an image arrives, which may have to be built first */
  readonly imageSilenceMs?: number
  /** ABI number of the kernel that loads the images; default that of this package */
  readonly abi?: number
  /**
   * follows the global objects of the first API version, which lie outside of environments; ENVIRONMENT_DELETED while
   * there are none
   */
  readonly globalObjects?: boolean
  /** accepts deltas only when signed accordingly; signatures of images are checked where they are loaded */
  readonly trust?: Trust | undefined
  /** says who follows, and reports what was applied; without it nothing is said */
  readonly pdp?: FollowingPdp
}

/** The environment that an API key names, as in paths. */
interface Scope {
  readonly project: string
  readonly environment: string
}

/** Bytes of a nonce, which is never guessed or used twice. */
const NONCE_BYTES = 24

export class RemoteFeed implements Feed {
  readonly #url: string
  readonly #apiKey: string
  readonly #silenceMs: number
  readonly #imageSilenceMs: number
  readonly #globalObjects: boolean
  readonly #abi: number
  readonly #trust: Trust | undefined
  readonly #pdp: FollowingPdp | undefined
  readonly #identity: PdpIdentity | undefined
  #scope: Scope | undefined
  /** true once a stream was opened that said who follows */
  #isKnown = false
  /** true once the other side named its head: it then needs no reports */
  #namesHead = false

  /** @throws CONFIG_INVALID when the address is not an http or https URL, or the name of the PDP has a wrong form */
  constructor(options: RemoteFeedOptions) {
    if (!/^https?:$/.test(URL.canParse(options.url) ? new URL(options.url).protocol : '')) {
      throw new ZerohopError('CONFIG_INVALID', { reason: `\`${options.url}\` is not an http or https URL` })
    }
    this.#url = options.url.replace(/\/+$/, '')
    this.#apiKey = options.apiKey
    this.#silenceMs = options.silenceMs ?? FEED_SILENCE_MS
    this.#imageSilenceMs = options.imageSilenceMs ?? IMAGE_SILENCE_MS
    this.#globalObjects = options.globalObjects ?? false
    this.#abi = options.abi ?? ABI_VERSION
    this.#trust = options.trust
    this.#pdp = options.pdp
    this.#identity = options.pdp && makeIdentity(options.pdp)
  }

  async image(signal?: AbortSignal, onProgress?: (progress: ImageProgress) => void): Promise<Uint8Array> {
    const watch = new Watch(this.#imageSilenceMs, signal)
    // what answered before may have been another server, and named another environment
    if (this.#trust !== undefined) this.#scope = undefined
    try {
      const response = await this.#get(`${await this.#path('image', watch)}?abi=${this.#abi}`, watch)
      return await readAll(response, watch, onProgress)
    } catch (error) {
      throw watch.explain(error)
    } finally {
      watch.stop()
    }
  }

  async *deltas(after: Position, signal?: AbortSignal): AsyncIterable<FeedEvent> {
    const watch = new Watch(this.#silenceMs, signal)
    let reports: RevisionReports | undefined
    try {
      const query = `?after=${after.revision}&chain=${after.chain}`
      const applied = this.#pdp?.applied()
      const headers = this.#identity && identityHeaders(this.#identity, applied)
      const response = await this.#get((await this.#path('deltas', watch)) + query, watch, headers)
      reports = this.#reports(applied)
      const decoder = await openDecoder(this.#trust)
      for await (const chunk of chunks(response, watch)) {
        for (const frame of decoder.push(chunk)) {
          if (frame.type === 'end') throw ended(frame.code, after)
          if (frame.type === 'state') throw new ZerohopError('FRAME_INVALID', { reason: 'it is not a delta' })
          yield frame
        }
      }
      throw new ZerohopError('FEED_UNREACHABLE', { reason: 'the connection ended' })
    } catch (error) {
      if (signal?.aborted) return
      throw watch.explain(error)
    } finally {
      reports?.stop()
      watch.stop()
    }
  }

  /** The environment of the key, once a path was needed. */
  get environment(): string | undefined {
    return this.#scope && decodeURIComponent(this.#scope.environment)
  }

  /** Asks for the head of the log, and says what was applied. Undefined where the other side is older. */
  async askHead(timeoutMs: number): Promise<FeedHead | undefined> {
    const watch = new Watch(timeoutMs, undefined)
    try {
      const path = await this.#path('head', watch)
      const nonce = randomBytes(NONCE_BYTES).toString('base64url')
      const { status, body } = await this.#askHead(path, nonce, timeoutMs)
      if (status === 404 || status === 405) return undefined
      if (status !== 200) throw new ZerohopError('FEED_UNREACHABLE', { reason: `it answered with status ${status}` })
      const head = parseHead(body, nonce, this.#trust)
      this.#namesHead = true
      return head
    } catch (error) {
      throw watch.explain(error)
    } finally {
      watch.stop()
    }
  }

  #askHead(path: string, nonce: string, timeoutMs: number): Promise<Answer> {
    const authorization = `Bearer ${this.#apiKey}`
    if (this.#globalObjects) return ask(`${this.#url}${path}?nonce=${nonce}`, { headers: { authorization }, timeoutMs })
    const question = { nonce, instance: this.#identity?.instance, revision: this.#pdp?.applied() }
    const headers = { authorization, 'content-type': 'application/json' }
    return ask(this.#url + path, { method: 'POST', headers, body: JSON.stringify(question), timeoutMs })
  }

  async leave(): Promise<void> {
    if (!this.#isKnown) return
    await this.#report({ leaving: true }, PDP_LEAVE_MS).catch(() => undefined)
  }

  #reports(reported: number | undefined): RevisionReports | undefined {
    if (this.#pdp === undefined) return undefined
    this.#isKnown = true
    const { applied, times } = this.#pdp
    const send = (revision: number) =>
      this.#namesHead ? Promise.resolve(false) : this.#report({ revision }, PDP_REPORT_TIMEOUT_MS)
    return new RevisionReports({ applied, reported, send, times })
  }

  /** Resolves with false when the other side knows no reports. @throws FEED_UNREACHABLE */
  async #report(what: { revision: number } | { leaving: true }, timeoutMs: number): Promise<boolean> {
    const { project, environment } = this.#scope ?? { project: '', environment: '' }
    const { status } = await ask(`${this.#url}/v2/feed/${project}/${environment}/report`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.#apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ instance: this.#identity?.instance, ...what }),
      timeoutMs,
    })
    return status !== 404 && status !== 405
  }

  async #path(what: 'image' | 'deltas' | 'head', watch: Watch): Promise<string> {
    if (this.#globalObjects) return `/v1/feed/${what}`
    this.#scope ??= await this.#readScope(watch)
    return `/v2/feed/${this.#scope.project}/${this.#scope.environment}/${what}`
  }

  async #readScope(watch: Watch): Promise<Scope> {
    const response = await this.#get('/v2/api-key/scope', watch)
    const scope = await readFields(response, watch)
    const { organization_id: organization, project_id: project, environment_id: environment } = scope
    if (scope.tenant_id !== undefined)
      throw new ZerohopError('KEY_TOO_NARROW', { what: 'follow an environment: it is the key of a tenant' })
    if (typeof organization !== 'string')
      throw new ZerohopError('FEED_UNREACHABLE', { reason: 'something else answers at its address' })
    if (typeof project !== 'string' || typeof environment !== 'string') {
      throw new ZerohopError('KEY_TOO_NARROW', { what: 'follow an environment: use the key of an environment' })
    }
    return { project: encodeURIComponent(project), environment: encodeURIComponent(environment) }
  }

  async #get(path: string, watch: Watch, more?: Readonly<Record<string, string>>): Promise<Response> {
    const headers = { ...more, authorization: `Bearer ${this.#apiKey}` }
    // A redirect would carry the key to another address.
    const response = await fetchSendable(this.#url + path, { headers, signal: watch.signal, redirect: 'error' })
    watch.seen()
    if (response.status === 200) return response
    const { error_code: code } = await readFields(response, watch)
    throw refused(response, String(code), this.#globalObjects)
  }
}

/** Reads the head out of an answer. @throws FEED_UNREACHABLE when it answers another question, SIGNATURE_INVALID */
function parseHead(body: unknown, nonce: string, trust: Trust | undefined): FeedHead {
  const fields = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}
  const { environment, lineage, revision, chain, time, signature } = fields
  const isWhole =
    typeof environment === 'string' &&
    typeof lineage === 'string' &&
    typeof chain === 'string' &&
    isCount(revision) &&
    isCount(time)
  if (!isWhole || fields.nonce !== nonce)
    throw new ZerohopError('FEED_UNREACHABLE', { reason: 'it answered another question than the one for its head' })
  const head = { environment, lineage, revision, chain, time }
  trust?.requireHead(head, nonce, typeof signature === 'string' ? Buffer.from(signature, 'base64') : undefined)
  return head
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

/** Who follows. @throws CONFIG_INVALID */
function makeIdentity({ instance, name, apiVersion = PDP_API_VERSION }: FollowingPdp): PdpIdentity {
  return { instance, name: name === undefined ? machineName() : requirePdpName(name), version: VERSION, apiVersion }
}

/** The name of this machine, when it can be one of a PDP and may be read: Deno asks for a permission. */
function machineName(): string | undefined {
  try {
    const machine = hostname().slice(0, PDP_NAME_LENGTH_MAX)
    return isPdpName(machine) ? machine : undefined
  } catch {
    return undefined
  }
}

/** The members of an answer that is a JSON object; none otherwise. */
async function readFields(response: Response, watch: Watch): Promise<Record<string, unknown>> {
  const body = await readBody(response, watch.signal)
  return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}
}

/**
 * A status that ends a follower for good counts only in an answer of the management API itself: a gateway on the way,
 * or another service at its address, may answer 401 and 403 too.
 */
function refused({ status, headers }: Response, code: string, globalObjects: boolean): ZerohopError {
  const revision = headers.get('x-revision') ?? ''
  switch (`${status} ${code}`) {
    case '401 UNAUTHORIZED':
      return new ZerohopError(headers.get('x-feed-error') === 'KEY_EXPIRED' ? 'KEY_EXPIRED' : 'KEY_UNKNOWN')
    case '403 FORBIDDEN_ACCESS':
      return new ZerohopError('KEY_TOO_NARROW', { what: 'follow this environment' })
    case '410 NOT_FOUND':
      return new ZerohopError('ENVIRONMENT_DELETED')
    case '409 CONCURRENT_OPERATION_DISALLOWED':
      return headers.get('x-feed-error') === 'FEED_FORK'
        ? new ZerohopError('FEED_FORK', { to: revision })
        : new ZerohopError('FEED_GAP', { got: revision })
    default:
      return globalObjects && status === 404 && code === 'NOT_FOUND'
        ? new ZerohopError('ENVIRONMENT_DELETED')
        : new ZerohopError('FEED_UNREACHABLE', { reason: `it answered with status ${status}`, ...readRetry(headers) })
  }
}

/** When to ask again, if the answer says so in seconds; no more than RETRY_AFTER_MS_MAX. */
function readRetry(headers: Headers): { retryMs?: number } {
  const seconds = headers.get('retry-after') ?? ''
  return /^\d{1,9}$/.test(seconds) ? { retryMs: Math.min(Number(seconds) * 1_000, RETRY_AFTER_MS_MAX) } : {}
}

function ended(code: ZerohopError['code'], after: Position): ZerohopError {
  if (code === 'CLOSED') return new ZerohopError('FEED_UNREACHABLE', { reason: 'it is shutting down' })
  return new ZerohopError(code, { have: after.revision, to: after.revision, what: 'follow this environment' })
}

async function* chunks(response: Response, watch: Watch): AsyncGenerator<Uint8Array> {
  for await (const chunk of readBytes(response, watch.signal)) {
    // The time that the follower takes to process the chunk does not count as silence.
    watch.pause()
    yield chunk
    watch.seen()
  }
}

/**
 * Reads the whole image. A header announces its uncompressed length, because Content-Length differs when the answer is
 * compressed.
 */
async function readAll(
  response: Response,
  watch: Watch,
  onProgress?: (progress: ImageProgress) => void,
): Promise<Uint8Array> {
  const length = Number(response.headers.get('x-image-bytes') ?? response.headers.get('content-length'))
  if (!Number.isSafeInteger(length) || length <= 0 || length > IMAGE_BYTES_MAX + TAIL_BYTES) {
    throw new ZerohopError('IMAGE_DAMAGED', { reason: `the feed announced ${length} bytes` })
  }
  const named = response.headers.get('x-revision')
  const revision = named !== null && /^\d{1,15}$/.test(named) ? Number(named) : undefined
  const bytes = new Uint8Array(length)
  let at = 0
  onProgress?.({ bytes: 0, ofBytes: length, revision })
  for await (const chunk of chunks(response, watch)) {
    if (at + chunk.length > length) break
    bytes.set(chunk, at)
    at += chunk.length
    onProgress?.({ bytes: at, ofBytes: length, revision })
  }
  if (at !== length) throw new ZerohopError('FEED_UNREACHABLE', { reason: 'the connection ended within the image' })
  return bytes
}

/** Aborts after a time without a byte, or with the caller's signal. */
class Watch {
  readonly #silenceMs: number
  readonly #controller = new AbortController()
  readonly #outer: AbortSignal | undefined
  readonly #timer: NodeJS.Timeout
  #paused = false
  #silent = false

  constructor(silenceMs: number, outer: AbortSignal | undefined) {
    this.#silenceMs = silenceMs
    this.#outer = outer
    this.#timer = setTimeout(() => {
      if (this.#paused) return
      this.#silent = true
      this.#controller.abort()
    }, silenceMs)
    if (outer?.aborted) this.#controller.abort()
    outer?.addEventListener('abort', this.#abort, { once: true })
  }

  readonly #abort = (): void => this.#controller.abort()

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  seen(): void {
    this.#paused = false
    this.#timer.refresh()
  }

  pause(): void {
    this.#paused = true
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#outer?.removeEventListener('abort', this.#abort)
    this.#controller.abort()
  }

  /** The failure as a domain error, without the key in its text. */
  explain(error: unknown): ZerohopError {
    if (isZerohopError(error)) return error
    if (this.#silent)
      return new ZerohopError('FEED_UNREACHABLE', { reason: `nothing arrived for ${this.#silenceMs} ms` })
    if (this.#outer?.aborted) return new ZerohopError('CLOSED', { what: 'the feed' })
    return new ZerohopError('FEED_UNREACHABLE', { reason: formatReason(error) }, { cause: error })
  }
}
