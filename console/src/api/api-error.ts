// What the API refused, in words for the person at the page: the message of the answer, and for a 422 each place of the
// input with what is wrong there. Which codes there are is docs/errors.md.
import { isZerohopError } from 'zerohop/client'
import { claimsIn, notHereText } from './claims.ts'
import { UnreachableError } from './send.ts'

/** One place of the input that the API refused. */
export interface Issue {
  /** path into the body, such as ['user', 'key'] */
  readonly path: readonly (string | number)[]
  readonly message: string
}

export class ApiError extends Error {
  override readonly name = 'ApiError'

  constructor(
    readonly status: number,
    message: string,
    /** `error_code` of the answer */
    readonly code: string | undefined,
    /** id of the answer, for whoever reads the log of the server */
    readonly id: string | undefined,
    readonly issues: readonly Issue[],
    /** the body, for pages that know more of it, such as the conflicts of a plan */
    readonly body: unknown,
  ) {
    super(message)
  }
}

interface ErrorBody {
  readonly id?: string
  readonly title?: string
  readonly error_code?: string
  readonly message?: string
  readonly detail?: readonly { readonly loc: readonly (string | number)[]; readonly msg: string }[]
}

const LEAD = 'The requested data could not be found: '

/** The error of an answer that is not ok. `body` is the parsed body, of any form. */
export function apiError({ status, statusText }: Response, body: unknown): ApiError {
  const { id, title, error_code, message, detail } = (
    typeof body === 'object' && body !== null ? body : {}
  ) as ErrorBody
  const issues = (detail ?? []).map(({ loc, msg }) => ({ path: loc[0] === 'body' ? loc.slice(1) : loc, message: msg }))
  const listed = issues.map((issue) => [issue.path.join('.'), issue.message].filter(Boolean).join(': ')).join('; ')
  const own = message?.startsWith(LEAD) ? message.slice(LEAD.length) : message
  const claims = status === 409 ? claimsIn(body) : undefined
  const text = claims ? notHereText(claims) : listed || own || title || statusText || `status ${status}`
  return new ApiError(status, sentence(text), error_code, id, issues, body)
}

/** An error as a title, a text and whether asking again can help. */
export interface Description {
  readonly title: string
  readonly text: string
  readonly canRetry: boolean
  /** id of the answer */
  readonly id?: string | undefined
}

/** Nobody needs to know here whether they signed in with a key or at an identity provider. */
const OF_A_KEY = /^This API key is not allowed to\b/

/** @param refused title of what the server does not accept */
export function describeError(error: unknown, refused = "Couldn't load this"): Description {
  if (error instanceof ApiError) {
    const { status, message: text, id } = error
    if (status === 403)
      return {
        title: "You don't have permission",
        text: text.replace(OF_A_KEY, 'You are not allowed to'),
        canRetry: false,
      }
    if (status === 412)
      return {
        title: 'Changed in the meantime',
        text: 'Someone else changed this in the meantime, so nothing was done. The current version is shown now. Look at it, and try again.',
        canRetry: false,
      }
    if (status === 404) return { title: 'Not found', text, canRetry: false }
    if (status === 429) return { title: 'Too many requests', text, canRetry: true }
    if (status === 503) return { title: 'The server is not ready', text, canRetry: true }
    if (status >= 500) return { title: 'The server failed', text, canRetry: true, id }
    return { title: refused, text, canRetry: false }
  }
  if (isUnreachable(error)) return { title: "Can't reach the server", text: 'It may be restarting.', canRetry: true }
  const text = error instanceof Error ? error.message : String(error)
  return { title: 'Unexpected error', text, canRetry: true }
}

/** Whether no whole answer came, whatever the reason. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof UnreachableError || isZerohopError(error, 'FEED_UNREACHABLE')
}

/** Messages of the API begin in lower case and have no full stop, as part of a line in a log. */
function sentence(text: string): string {
  const first = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?]$/.test(first) ? first : `${first}.`
}
