// Lists of the first API version: {url, data}, all rows at once as its clients expect, or one page. A bounded number of
// rows is rendered in each turn of the event loop; more than V1_LIST_MAX rows at once are refused rather than
// truncated.
import type { FastifyRequest } from 'fastify'
import { type Source, searched } from '../../http/management/collection-pages.ts'
import type { RouteContext } from '../../http/management/route-context.ts'
import { type Query, readPage } from '../../http/page.ts'
import { ZerohopError } from '../../model/errors.ts'
import { V1_LIST_MAX } from '../../model/limits.ts'
import { resolvePlace } from './v1-context.ts'
import type { Place } from './v1-render.ts'

/** @throws LIMIT_EXCEEDED without pages, when there are too many */
export async function v1List<R, T>(
  management: RouteContext,
  request: FastifyRequest<{ Querystring: Query }>,
  source: Source<R>,
  print: (place: Place, row: R) => T | undefined,
): Promise<{ url: string; data: readonly T[] }> {
  const { query } = request
  const paged = query.page !== undefined || query.per_page !== undefined
  if (!paged && source.count() > V1_LIST_MAX) {
    const what = 'a list without `page` and `per_page`'
    throw new ZerohopError('LIMIT_EXCEEDED', { what, limit: V1_LIST_MAX }, { path: ['query', 'page'] })
  }
  const page = paged ? readPage(query) : { number: 1, rows: V1_LIST_MAX, offset: 0 }
  const { rows } = await searched(source, page, (row) => print(resolvePlace(management, request), row), false)
  return { url: request.url.split('?', 1)[0] ?? '', data: rows }
}
