// GET /health, /healthy, /ready and the health checks of a store: without authentication, 200 when checks are answered,
// else 503 with the reason.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ImageProgress } from '../../log/feed.ts'

export interface Health {
  readonly ok: boolean
  /** why checks are not answered */
  readonly reason?: string
  /** revision of the image that answers; null without one, and with several environments */
  readonly revision: number | null
  /** milliseconds since the management side last confirmed that the image is current */
  readonly ageMs: number | null
  readonly source: 'feed' | 'file' | null
  readonly stale: boolean
  /** the image that is on its way; undefined when none is */
  readonly loading?: ImageProgress | undefined
}

/** `ready` is whether requests should be sent here, of all processes that answer on one port: /ready. */
export function healthRoutes(app: FastifyInstance, health: () => Health, ready: () => Promise<Health>): void {
  const answer = ({ query }: FastifyRequest, reply: FastifyReply, state: Health): void => {
    const { ok, reason, revision, ageMs, source, stale, loading } = state
    const status = ok ? 'ok' : 'error'
    const withCache = (query as { check_cache?: string }).check_cache === 'true'
    const components = { horizon: { status }, opa: { status }, ...(withCache ? { cache: { status } } : {}) }
    const age_ms = ageMs === null ? null : Math.round(ageMs)
    reply
      .code(ok ? 200 : 503)
      .header('content-type', 'application/json')
      .header('cache-control', 'no-store')
      .send(
        JSON.stringify({
          status,
          components,
          revision,
          age_ms,
          source,
          stale,
          ...(reason === undefined ? {} : { detail: reason }),
          ...(ok || loading === undefined ? {} : { loading: printProgress(loading) }),
        }),
      )
  }
  const opa = ['ready', 'healthy', 'system'].map((part) => `/healthchecks/opa/${part}`)
  for (const path of ['/health', '/healthy', ...opa])
    app.get(path, (request, reply) => answer(request, reply, health()))
  app.get('/ready', { config: { tellsReadiness: true } }, (request, reply) => {
    ready().then(
      (state) => answer(request, reply, state),
      (error: unknown) => reply.send(error),
    )
  })
}

function printProgress({ bytes, ofBytes, revision }: ImageProgress): object {
  return { bytes, of_bytes: ofBytes, revision: revision ?? null }
}
