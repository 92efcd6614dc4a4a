// The answers of the routes of members, and the errors of the management API as these: what is about the request is
// passed on with its reason, and of what is about the key or the server no answer tells anything.
import type { ErrorCode } from '../../model/errors.ts'

/** A body whose fields are known by name; the management API looks at the values. */
export type Fields = Readonly<Record<string, unknown>>

const HEADERS = { 'cache-control': 'private, no-store', 'x-content-type-options': 'nosniff' }

/** An answer with a JSON body, that no cache keeps. */
export function answer(status: number, body: object | null, headers: Readonly<Record<string, string>> = {}): Response {
  if (body === null) return new Response(null, { status, headers: { ...HEADERS, ...headers } })
  return Response.json(body, { status, headers: { ...HEADERS, ...headers } })
}

export const refuse = (status: number, error: string, message: string): Response => answer(status, { error, message })

/** The answer where it is not known what became of a request. */
export const unavailable = (): Response =>
  answer(503, { error: 'unavailable', message: 'members cannot be managed now: try again' }, { 'retry-after': '1' })

interface RefusalCodes {
  /** the `error_code` of its body */
  readonly error_code?: string
  /** the code of the error, of docs/errors.md */
  readonly reason?: string
}

/** Ends a request with an answer. */
export class MemberRefusal extends Error {
  readonly response: Response

  /** @param codes what the management API calls it */
  constructor(status: number, error: string, message: string, codes: RefusalCodes = {}) {
    super(message)
    this.response = answer(status, { error, ...codes, message })
  }
}

/** A result of the write client. */
interface Result {
  readonly data?: unknown
  readonly error?: unknown
  readonly response: Response
}

/** What the statuses of refusals are called that are about the request. */
const ERRORS: Readonly<Record<number, string>> = {
  400: 'invalid',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  412: 'precondition',
  422: 'invalid',
}
/** Of 403, those that are about the user; any other one is about the key. */
const ABOUT_USER: ReadonlySet<string> = new Set<ErrorCode>(['BEYOND_OWN_ROLES', 'REQUEST_REFUSED'])

/**
 * The data of a result.
 * @throws MemberRefusal with the reason of a refusal that is about the request; Error for every other answer, which
 * is about the key or the server
 */
export function dataIn<R extends Result>({ data, response, error }: R): Exclude<R['data'], undefined> {
  const { ok, status, headers, statusText } = response
  if (ok) return data as Exclude<R['data'], undefined>
  const kind = ERRORS[status]
  const { message, error_code, detail } = readRefusal(error)
  const reason = headers.get('x-error-code') ?? undefined
  const isOfRequest = status === 403 ? ABOUT_USER.has(reason ?? '') : detail?.every(isHeader) !== true
  if (kind !== undefined && message !== undefined && isOfRequest)
    throw new MemberRefusal(status, kind, message, { error_code, ...(reason === undefined ? {} : { reason }) })
  throw new Error(`the management API answered ${status}: ${message ?? statusText}`)
}

interface Issue {
  readonly loc?: readonly unknown[]
  readonly msg?: unknown
}

/** Whether an issue is about a header: the server sends those, and not the user. */
const isHeader = ({ loc }: Issue): boolean => loc?.[0] === 'header'

/** What is known of a body that refuses. */
function readRefusal(error: unknown) {
  const sent = (typeof error === 'object' && error !== null ? error : {}) as {
    readonly message?: unknown
    readonly error_code?: unknown
    readonly detail?: unknown
  }
  if (Array.isArray(sent.detail) && sent.detail.length > 0) {
    const detail: readonly Issue[] = sent.detail
    const message = detail.map(({ loc, msg }) => `${String(loc?.at(-1))}: ${String(msg)}`).join('; ')
    return { message, error_code: 'INVALID_INPUT', detail }
  }
  const message = typeof sent.message === 'string' ? sent.message : undefined
  return { message, error_code: typeof sent.error_code === 'string' ? sent.error_code : 'INVALID_INPUT' }
}
