// Why a write is made, as a request says it: the headers `x-reason` and `x-ticket`. A header holds ASCII, so each value is
// percent-encoded UTF-8 (RFC 3986): a `%` begins two hex digits of one byte, and what is not printable ASCII is sent so.
import { ZerohopError } from './errors.ts'
import { DESCRIPTION_LENGTH_MAX, TICKET_LENGTH_MAX } from './limits.ts'

/** The header of each, and how many characters it may have: as of the same fields of role assignments. */
const HEADERS = {
  reason: { header: 'x-reason', max: DESCRIPTION_LENGTH_MAX },
  ticket: { header: 'x-ticket', max: TICKET_LENGTH_MAX },
} as const
type Name = keyof typeof HEADERS
const NAMES = Object.keys(HEADERS) as Name[]

/** Why a write is made, and what for. */
export type SentReasons = { readonly [N in Name]?: string | undefined }

/** The headers of a request that say it; of an empty or blank text none. */
export function reasonHeaders(reasons: SentReasons): Record<string, string> {
  const sent = NAMES.filter((name) => (reasons[name] ?? '').trim() !== '')
  return Object.fromEntries(sent.map((name) => [HEADERS[name].header, encode(reasons[name]!)]))
}

/** What is lost when it stands alone has no UTF-8. */
const encode = (text: string): string => encodeURIComponent(text.toWellFormed()).replaceAll('%20', ' ').trim()

/**
 * What the headers of a request say.
 * @param rawHeaders names and values, as they came
 * @throws INPUT_INVALID for a header that came twice, is empty or has another encoding; LIMIT_EXCEEDED
 */
export function readReasons(rawHeaders: readonly string[]): { readonly [N in Name]?: string } {
  const found: { [N in Name]?: string } = {}
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const header = rawHeaders[at]!
    if (header.length !== HEADERS.reason.header.length) continue // most headers: nothing is made of them
    const name = NAMES.find((one) => HEADERS[one].header === header.toLowerCase())
    if (name === undefined) continue
    if (found[name] !== undefined) throw refusal(name, 'it was sent twice')
    found[name] = decode(rawHeaders[at + 1]!, name)
  }
  return found
}

function decode(value: string, name: Name): string {
  if (!/^[\t\x20-\x7e]*$/.test(value)) throw refusal(name, 'it is not ASCII: send it as percent-encoded UTF-8')
  try {
    return requireOne(decodeURIComponent(value), name)
  } catch (error) {
    if (!(error instanceof URIError)) throw error
    throw refusal(name, 'it is not percent-encoded UTF-8: `%` itself is sent as `%25`')
  }
}

/**
 * What a command says, which sends no headers, without blanks around it.
 * @throws INPUT_INVALID for an empty text; LIMIT_EXCEEDED
 */
export function requireReasons(reasons: SentReasons): { readonly [N in Name]?: string } {
  const given = NAMES.filter((name) => reasons[name] !== undefined)
  return Object.fromEntries(given.map((name) => [name, requireOne(reasons[name]!, name)]))
}

function requireOne(sent: string, name: Name): string {
  const text = sent.trim()
  if (text === '') throw refusal(name, 'it is empty')
  const { header, max } = HEADERS[name]
  if (text.length > max)
    throw new ZerohopError('LIMIT_EXCEEDED', { what: `the ${name}`, limit: max }, { path: ['header', header] })
  return text
}

const refusal = (name: Name, reason: string): ZerohopError =>
  new ZerohopError('INPUT_INVALID', { reason }, { path: ['header', HEADERS[name].header] })
