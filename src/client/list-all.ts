// Every row of a list of the management API, page after page, by its cursors: what is written meanwhile neither hides a
// row nor shows one twice. Types come from the OpenAPI document, as those of the client.
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
  readonly next?: string | null
}

interface Asked {
  readonly params?: { readonly query?: object }
}

/**
 * The rows of a list, as long as somebody takes them: a page is requested when the rows of the one before are taken.
 * @param init as of `client.GET`: path and filters, `per_page` (100 when absent)
 * @throws API_REFUSED, and what the client throws
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
  let after: string | undefined
  for (;;) {
    const query = { per_page: PAGE_ROWS_MAX, ...params.query, ...(after === undefined ? {} : { after }) }
    const answer = await get(path, { ...rest, params: { ...params, query } })
    const body = dataOf(answer) as readonly unknown[] | Rows
    const page: Rows = Array.isArray(body) ? { data: body } : (body as Rows)
    yield* (page.data ?? page.roles ?? page.lines ?? []) as readonly RowOf<P>[]
    const next = page.next ?? readLink(answer.response.headers.get('link'))
    if (next === undefined) return
    if (next === after)
      throw new ZerohopError('SERVICE_ANSWER_INVALID', { what: `GET ${path}`, expected: 'the next page' })
    after = next
  }
}

/** The cursor in the link to the next page. */
function readLink(link: string | null): string | undefined {
  const [, query] = /<[^>?]*\?([^>]*)>; *rel="?next"?/.exec(link ?? '') ?? []
  return query === undefined ? undefined : (new URLSearchParams(query).get('after') ?? undefined)
}
