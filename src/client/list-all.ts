// Every row of a list of the management API, page after page, by its cursors: what is written meanwhile neither hides a
// row nor shows one twice. A server from before cursors is asked by the number of the page, without that promise. Types
// come from the OpenAPI document, as those of the client.
import type { FetchResponse, MaybeOptionalInit } from 'openapi-fetch'
import type { paths } from '../../build/management-api.ts'
import { ZerohopError } from '../model/errors.ts'
import { PAGE_ROWS_MAX } from '../model/limits.ts'
import { dataOf, type ManagementClient } from './management-client.ts'

/** Paths of lists that have a cursor. */
export type ListPath = {
  [P in keyof paths]: paths[P] extends { get: { parameters: { query?: { after?: string } } } } ? P : never
}[keyof paths]

type Read<P extends ListPath> = paths[P] extends { get: infer G } ? G : never
type AnswerTo<P extends ListPath> = FetchResponse<
  Read<P> & Record<string | number, unknown>,
  object,
  'application/json'
>['data']
/** What a list has in it, whether its answer is an array or a page. */
type RowIn<T> = T extends readonly (infer R)[]
  ? R
  : T extends { readonly data: readonly (infer R)[] }
    ? R
    : T extends { readonly roles: readonly (infer R)[] }
      ? R
      : T extends { readonly lines: readonly (infer R)[] }
        ? R
        : never
export type RowOf<P extends ListPath> = RowIn<NonNullable<AnswerTo<P>>>
type Init<P extends ListPath> = MaybeOptionalInit<paths[P], 'get'>
type Sent<T> = undefined extends T ? [init?: T] : [init: T]

/** The part of an answer that has rows. */
interface Rows {
  readonly data?: readonly unknown[]
  readonly roles?: readonly unknown[]
  readonly lines?: readonly unknown[]
  readonly page_count?: number
  readonly next?: string | null
}

interface Asked {
  readonly params?: { readonly query?: { readonly page?: number; readonly per_page?: number } }
}

/** A page of rows. */
interface Page {
  readonly rows: readonly unknown[]
  readonly pages: number | undefined
  /** cursor of the next page */
  readonly next: string | undefined
  /** the server speaks of a next page: it has cursors */
  readonly hasCursors: boolean
}

/**
 * The rows of a list, as long as somebody takes them: a page is requested when the rows of the one before are taken.
 * @param init as of `client.GET`: path and filters, `per_page` (100 when absent)
 * @throws API_REFUSED, and what the client throws; SERVICE_ANSWER_INVALID when the list does not go on
 */
export async function* listAll<P extends ListPath>(
  client: Pick<ManagementClient, 'GET'>,
  path: P,
  ...[init]: Sent<Init<P>>
): AsyncGenerator<RowOf<P>, void> {
  const { params = {}, ...rest } = (init ?? {}) as Asked
  const get = client.GET as (
    path: string,
    init: object,
  ) => Promise<{ data?: unknown; error?: unknown; response: Response }>
  const asked = { per_page: PAGE_ROWS_MAX, ...params.query }
  let at: { readonly after?: string; readonly page?: number } = {}
  for (let before: Page | undefined; ; ) {
    const page = readPage(await get(path, { ...rest, params: { ...params, query: { ...asked, ...at } } }))
    if (before !== undefined && isStuck(before, page))
      throw new ZerohopError('SERVICE_ANSWER_INVALID', { what: `GET ${path}`, expected: 'the next page' })
    yield* page.rows as readonly RowOf<P>[]
    if (page.next !== undefined) at = { after: page.next }
    else {
      const number = at.page ?? asked.page ?? 1
      const mayGoOn = page.pages === undefined ? page.rows.length >= asked.per_page : number < page.pages
      if (at.after !== undefined || page.hasCursors || page.rows.length === 0 || !mayGoOn) return
      at = { page: number + 1 }
    }
    before = page
  }
}

function readPage(answer: { data?: unknown; error?: unknown; response: Response }): Page {
  const body = dataOf(answer) as readonly unknown[] | Rows
  const page: Rows = Array.isArray(body) ? { data: body } : (body as Rows)
  const next = page.next ?? readLink(answer.response.headers.get('link'))
  const rows = page.data ?? page.roles ?? page.lines ?? []
  return { rows, pages: page.page_count, next, hasCursors: next !== undefined || page.next !== undefined }
}

/** The same cursor again, or the same rows: the server answers one page for ever. */
const isStuck = (before: Page, page: Page): boolean =>
  page.next !== undefined
    ? page.next === before.next
    : before.next === undefined && page.rows.length > 0 && JSON.stringify(page.rows) === JSON.stringify(before.rows)

/** The cursor in the link to the next page. */
function readLink(link: string | null): string | undefined {
  const [, query] = /<[^>?]*\?([^>]*)>; *rel="?next"?/.exec(link ?? '') ?? []
  return query === undefined ? undefined : (new URLSearchParams(query).get('after') ?? undefined)
}
