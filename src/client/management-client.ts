// The client of `zerohop/client`: openapi-fetch with the types of our own OpenAPI document, which the build makes from
// the routes (scripts/build-openapi.mjs). It adds the key, a bound of time, and the revision of the last write.
// Writes are sent again only where the server has said that it carries each out once (repeated-writes.ts).
import createFetchClient, {
  type Client,
  type ClientPathsWithMethod,
  type FetchResponse,
  type MaybeOptionalInit,
} from 'openapi-fetch'
import type { paths } from '../../build/management-api.ts'
import { ZerohopError } from '../model/errors.ts'
import { CLIENT_REQUEST_MS, CLIENT_TRIES } from '../model/limits.ts'
import { reasonHeaders, type SentReasons } from '../model/reason-headers.ts'
import { fetchWhole } from './ask.ts'
import { type Retry, repeatWrites } from './repeated-writes.ts'

export interface ClientOptions {
  /** address of the management API */
  readonly url: string
  /**
   * API key with access `write`, of one environment or wider; null where something else authenticates the requests,
   * such as the cookie of a page
   */
  readonly apiKey: string | null
  /** for the whole answer to one request, in milliseconds; 30,000 when absent */
  readonly timeoutMs?: number
  /**
   * how often a write is sent at most, where the server says that it carries it out once: after a lost connection, a
   * timeout, 502, 503, and 429 with `Retry-After`; 4 when absent, 1: never again
   */
  readonly tries?: number
  /** called before the client waits to send a write again, such as to log it */
  readonly onRetry?: (retry: Retry) => void
  /**
   * why the writes of this client are made, and what for, such as the key of an issue: the history shows both. One
   * request says another one by `headers: reasonHeaders({ reason })`
   */
  readonly reason?: string
  readonly ticket?: string
}

type Method = 'get' | 'put' | 'post' | 'patch' | 'delete'
type Path<M extends Method> = ClientPathsWithMethod<Client<paths>, M>
/** What is sent in addition to the path; may be left out where nothing is required. */
type Init<P extends keyof paths, M> = M extends keyof paths[P] ? Sent<MaybeOptionalInit<paths[P], M>> : never
type Sent<T> = undefined extends T ? [init?: T] : [init: T]
type Answer<P extends keyof paths, M> = M extends keyof paths[P]
  ? FetchResponse<paths[P][M] & {}, object, `${string}/${string}`>
  : never

/**
 * As in openapi-fetch, but without a type parameter for what is sent: so the compiler refuses members of a body that
 * the route does not know.
 */
type Call<M extends Method> = <P extends Path<M>>(path: P, ...init: Init<P, M>) => Promise<Answer<P, M>>

export interface ManagementClient extends Pick<Client<paths>, 'use' | 'eject'> {
  readonly GET: Call<'get'>
  readonly PUT: Call<'put'>
  readonly POST: Call<'post'>
  readonly PATCH: Call<'patch'>
  readonly DELETE: Call<'delete'>
  /** the highest revision that a write of this client was answered, for `pdp.atLeast`; 0 before the first one */
  readonly revision: number
}

/** A client of the management API. Revisions count in one environment: write to each with a client of its own. */
export function createClient({
  url,
  apiKey,
  timeoutMs = CLIENT_REQUEST_MS,
  tries = CLIENT_TRIES,
  onRetry,
  reason,
  ticket,
}: ClientOptions): ManagementClient {
  const send = repeatWrites((request) => fetchWhole(request, timeoutMs), tries, onRetry)
  return clientOver(send, url, apiKey, { reason, ticket })
}

/** A client whose requests are answered by a function. @param url what is before the paths */
export function clientOver(
  answer: (request: Request) => Promise<Response>,
  url: string,
  apiKey: string | null = null,
  reasons: SentReasons = {},
): ManagementClient {
  let written = 0
  const client = createFetchClient<paths>({
    baseUrl: url.replace(/\/+$/, ''),
    headers: { ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }), ...reasonHeaders(reasons) },
    fetch: answer,
  })
  client.use({
    onRequest: ({ params }) => refuseDots(params.path),
    onResponse: ({ request, response }) => {
      const revision = Number(response.headers.get('x-revision'))
      if (request.method !== 'GET' && revision > written) written = revision
    },
  })
  return Object.defineProperty(client, 'revision', {
    get: () => written,
    enumerable: true,
  }) as unknown as ManagementClient
}

/** `.` and `..` are taken out of a path, and what is empty leaves a list: the request would be about something else. */
function refuseDots(path: Readonly<Record<string, unknown>> | undefined): undefined {
  for (const part of Object.values(path ?? {}))
    if (/^\.{0,2}$/.test(String(part))) throw new ZerohopError('PATH_INVALID', { part: String(part) })
}

/** The result of a request of the client: data, or the body of an error. */
interface Result {
  readonly data?: unknown
  readonly error?: unknown
  readonly response: Response
}

/** The body of an error. */
interface Refusal {
  readonly message?: string
  readonly error_code?: string
  /** of a 422 */
  readonly detail?: readonly { readonly loc: readonly (string | number)[]; readonly msg: string }[]
}

/**
 * The data of a result, for callers who want a refusal to be thrown.
 * @throws API_REFUSED with `status` and `error_code` in its details, and the body of the answer as its cause
 */
export function dataOf<R extends Result>({ data, response, error }: R): Exclude<R['data'], undefined> {
  if (response.ok) return data as Exclude<R['data'], undefined>
  const refusal = (typeof error === 'object' ? error : {}) as Refusal
  const issues = refusal.detail?.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`)
  const reason = issues?.join('; ') ?? refusal.message ?? response.statusText
  const details = { status: response.status, reason, error_code: refusal.error_code }
  throw new ZerohopError('API_REFUSED', details, { cause: error })
}
