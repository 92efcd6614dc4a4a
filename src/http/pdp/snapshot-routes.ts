// POST /snapshot: what one user may do, as data by which `zerohop/browser` decides (docs/browser.md). The caller is the
// application's server: it passes the answer on to the one user whom it is about, and to no one else.
import type { FastifyInstance } from 'fastify'
import { JSON_TYPE } from './allowed.ts'
import { readSnapshotQuery } from './check-bodies.ts'
import type { PdpRouteDeps } from './route-deps.ts'
import { areRows } from './rows-header.ts'

export function snapshotRoutes(app: FastifyInstance, { authenticate }: PdpRouteDeps): void {
  app.post('/snapshot', { onRequest: authenticate }, (request, reply) => {
    const { user, ...options } = readSnapshotQuery(request.body)
    const isAuthoritative = options.tenantColumnIsAuthoritative === true || areRows(request)
    const snapshot = request.pdp!.snapshot(user, { ...options, tenantColumnIsAuthoritative: isAuthoritative })
    const etag = `"${snapshot.etag}"`
    reply.header('x-revision', snapshot.revision).header('cache-control', 'private, no-store').header('etag', etag)
    if (names(request.headers['if-none-match'], etag)) return reply.code(304).send()
    return reply.header('content-type', JSON_TYPE).send(JSON.stringify(snapshot))
  })
}

/** Whether the header names the tag; a proxy may have made it a weak one. */
function names(header: string | undefined, etag: string): boolean {
  const tags = header?.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags?.some((tag) => tag === etag || tag === '*') === true
}
