// Paging of AuthZEN searches (rule 9). A token has the position of the next page, the page length and a digest of the
// search: a follow-up with another search, or with another member of `page`, is refused.
import { SEARCH_PAGE_MAX } from '../../model/limits.ts'
import { digest, makeToken, readToken } from '../page-token.ts'
import { isAbsent, type Members, requireMembers, wrong } from './authzen-bodies.ts'

export interface PageRequest {
  /** as sent with the first page; undefined when there was none */
  readonly limit: number | undefined
  /** the last key of the page before; undefined for the first page */
  readonly after: string | undefined
  /** true when the caller asks for pages: the answer then has a token */
  readonly asked: boolean
  /** digests of the search and of the other members of `page` */
  readonly question: string
  readonly rest: string
}

/** The result of a search: keys in order, and the key after which there may be more. */
export interface Found {
  readonly keys: readonly string[]
  readonly next: string | undefined
}

export interface SearchAnswer<T> {
  readonly page?: { readonly next_token: string }
  readonly results: readonly T[]
}

/** The page that the body asks for; `kind` is the search. @throws INPUT_INVALID */
export function readPage(body: Members, kind: string): PageRequest {
  const { subject, action, resource, context } = body
  const question = digest([kind, subject, action, resource, context])
  const page = isAbsent(body.page) ? {} : requireMembers(body.page, 'page')
  const { limit, token, ...others } = page as Members
  if (!isAbsent(limit) && !isLimit(limit)) throw wrong('page.limit', 'a whole number from 0')
  if (!isAbsent(token) && typeof token !== 'string') throw wrong('page.token', 'a string')
  const sent = Object.entries(others).filter(([, value]) => !isAbsent(value))
  const rest = sent.length === 0 ? '' : digest(Object.fromEntries(sent))
  if (isAbsent(token) || token === '') {
    const wanted = isAbsent(limit) ? undefined : (limit as number)
    return { limit: wanted, after: undefined, asked: wanted !== undefined, question, rest }
  }
  const found = readPlace(token as string)
  if (found === undefined) throw wrong('page.token', 'a token that a search answered')
  if (found.question !== question) throw wrong('page.token', 'sent with the question that it was answered to')
  if (!isAbsent(limit) && limit !== found.limit) throw wrong('page.limit', 'the same on every page')
  if (rest !== '' && rest !== found.rest) throw wrong('page', 'the same on every page but for its token')
  return { ...found, asked: true }
}

/** The search for a page. For a page of length 0 it searches for one result, to know whether there is any. */
export function readRange({ limit, after }: PageRequest): {
  readonly limit: number
  readonly after: string | undefined
} {
  return { limit: Math.max(1, Math.min(limit ?? SEARCH_PAGE_MAX, SEARCH_PAGE_MAX)), after }
}

/** The answer with the token of the next page; `""` when this is the last one of a caller who pages. */
export function makePage<T>(request: PageRequest, found: Found, print: (key: string) => T): SearchAnswer<T> {
  const { limit, after, asked, question, rest } = request
  // after a page of length 0 the next one begins at the same key
  const { keys, next } = limit === 0 && found.keys.length > 0 ? { keys: [], next: after ?? '' } : found
  const results = keys.map(print)
  if (next === undefined) return asked ? { page: { next_token: '' }, results } : { results }
  return { page: { next_token: makeToken([question, rest, limit ?? null, next]) }, results }
}

function isLimit(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function readPlace(token: string): Omit<PageRequest, 'asked'> | undefined {
  const parts = readToken(token)
  if (parts?.length !== 4) return undefined
  const [question, rest, limit, after] = parts
  if (typeof question !== 'string' || typeof rest !== 'string' || typeof after !== 'string') return undefined
  if (limit !== null && !isLimit(limit)) return undefined
  return { question, rest, limit: limit ?? undefined, after }
}
