// The `Link` of a page to the one that follows (RFC 8288).
import type { FastifyRequest } from 'fastify'

/** The request with another `after`: a reference that holds behind any proxy. */
export function nextLink(request: FastifyRequest, after: string): string {
  const query = sentQuery(request)
  query.delete('page')
  query.set('after', after)
  return `<?${query}>; rel="next"`
}

/** As it was sent. */
export function sentQuery({ raw: { url = '' } }: FastifyRequest): URLSearchParams {
  const at = url.indexOf('?')
  return new URLSearchParams(at < 0 ? '' : url.slice(at))
}
