// Paging of AuthZEN searches (rule 9). A token says where the next page begins, how long pages are, and of which question it is the token: a
// follow-up with another question is refused. It holds no secret and gives no right, so that nothing has to be signed or kept here.
import { hash } from 'node:crypto'
import { SEARCH_PAGE_MAX } from '../../../model/limits.ts'
import { isAbsent, type Members, membersOf, wrong } from './bodies.ts'

export interface PageRequest {
  readonly limit: number
  /** the last key of the page before; undefined for the first page */
  readonly after: string | undefined
  /** true when the caller pages: the answer then says whether there is more */
  readonly asked: boolean
  readonly question: string
}

export interface SearchAnswer<T> {
  readonly results: readonly T[]
  readonly page?: { readonly next_token: string }
}

const TOKEN = /^[\w-]{1,4096}$/

/** The page that the body asks for; `kind` is the search. @throws INPUT_INVALID */
export function readPage(body: Members, kind: string): PageRequest {
  const question = digest(kind, body)
  const page = isAbsent(body.page) ? {} : membersOf(body.page, 'page')
  const { limit, token } = page as Members
  if (!isAbsent(limit) && !(Number.isSafeInteger(limit) && (limit as number) > 0))
    throw wrong('page.limit', 'a whole number above 0')
  if (!isAbsent(token) && typeof token !== 'string') throw wrong('page.token', 'a string')
  const wanted = isAbsent(limit) ? undefined : Math.min(limit as number, SEARCH_PAGE_MAX)
  if (isAbsent(token) || token === '')
    return { limit: wanted ?? SEARCH_PAGE_MAX, after: undefined, asked: wanted !== undefined, question }
  const found = readToken(token as string)
  if (found === undefined) throw wrong('page.token', 'a token that a search answered')
  if (found.question !== question) throw wrong('page.token', 'sent with the question that it was answered to')
  if (wanted !== undefined && wanted !== found.limit) throw wrong('page.limit', 'the same on every page')
  return { limit: found.limit, after: found.after, asked: true, question }
}

/** The answer with the token of the next page; `""` when this is the last one of a caller who pages. */
export function pageOf<T>(request: PageRequest, results: readonly T[], next: string | undefined): SearchAnswer<T> {
  if (next === undefined) return request.asked ? { results, page: { next_token: '' } } : { results }
  const token = JSON.stringify([request.question, request.limit, next])
  return { results, page: { next_token: Buffer.from(token).toString('base64url') } }
}

function readToken(token: string): Omit<PageRequest, 'asked'> | undefined {
  if (!TOKEN.test(token)) return undefined
  try {
    const parts: unknown = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'))
    if (!Array.isArray(parts) || parts.length !== 3) return undefined
    const [question, limit, after] = parts as unknown[]
    if (typeof question !== 'string' || typeof after !== 'string') return undefined
    if (!Number.isSafeInteger(limit) || (limit as number) < 1 || (limit as number) > SEARCH_PAGE_MAX) return undefined
    return { question, limit: limit as number, after }
  } catch {
    return undefined
  }
}

/** What is asked, whatever the order of its members. */
function digest(kind: string, { subject, action, resource, context }: Members): string {
  const text = JSON.stringify([kind, subject, action, resource, context], (_name, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) ? sorted(value) : value,
  )
  return hash('sha256', text, 'base64url').slice(0, 22)
}

function sorted(value: object): [string, unknown][] {
  return Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1))
}
