// The routes about the PDP itself: version, update triggers for old tooling, shutdown, and answers for unsupported
// routes.
import { hash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { contained } from '../../model/contained.ts'
import { ZerohopError } from '../../model/errors.ts'
import { PDP_API_VERSION, PDP_API_VERSION_V1 } from '../../model/version.ts'
import type { Health } from './health.ts'
import type { PdpRouteDeps } from './route-deps.ts'

export interface ServiceOptions {
  /** the version of this package */
  readonly version?: string
  readonly health: () => Health
  /** set when it serves clients of the first API version */
  readonly v1?: object
  /** shutdown by request */
  readonly control?: {
    /** the required key (PDP_CONTAINER_CONTROL_KEY); without one, shutdown is refused */
    readonly key: string | undefined
    readonly exit: () => void
  }
}

/** Internal routes of the vendor's PDP: answered with 501, which clients can tell apart from a wrong address. */
const NOT_OFFERED: readonly (readonly [path: string, what: string])[] = [
  ['/callbacks', 'callbacks on data updates'],
  ['/callbacks/:key', 'callbacks on data updates'],
  ['/policy-store/config', 'a policy store: it decides from its own image'],
  ['/control-plane/connectivity', 'switching the connection: it goes on from its last image by itself'],
  ['/control-plane/connectivity/enable', 'switching the connection: it goes on from its last image by itself'],
  ['/control-plane/connectivity/disable', 'switching the connection: it goes on from its last image by itself'],
  ['/kong', 'the Kong integration: ask /allowed_url'],
  ['/trino/allowed', 'the Trino integration'],
  ['/trino/row-filter', 'the Trino integration'],
  ['/trino/batch-column-masking', 'the Trino integration'],
]

export function serviceRoutes(app: FastifyInstance, { authenticate }: PdpRouteDeps, options: ServiceOptions): void {
  const config = { alwaysAnswers: true } as const
  app.get('/version', { config }, () => {
    const { revision } = options.health()
    return {
      api_version: options.v1 === undefined ? PDP_API_VERSION : PDP_API_VERSION_V1,
      version: options.version ?? 'unknown',
      revision,
    }
  })
  // The follower is always as current as possible, so there is nothing to trigger.
  for (const path of ['/policy-updater/trigger', '/data-updater/trigger'])
    app.post(path, { config, onRequest: authenticate }, () => ({ status: 'ok' }))
  app.post('/update_policy', (_request, reply) => reply.redirect('/policy-updater/trigger', 307))
  app.post('/update_policy_data', (_request, reply) => reply.redirect('/data-updater/trigger', 307))
  for (const [path, what] of NOT_OFFERED) {
    app.all(path, { onRequest: authenticate }, () => {
      throw new ZerohopError('NOT_SERVED', { what })
    })
  }
  app.post(
    '/_exit',
    { config, onRequest: (request, _reply, done) => done(findRefusal(request, options.control)) },
    (_, reply) => {
      reply.raw.once(
        'close',
        contained('ending by request', () => options.control?.exit()),
      )
      return reply.code(202).send({ status: 'ending' })
    },
  )
}

/** Why a request may not shut the process down; undefined when it may. */
function findRefusal({ headers }: FastifyRequest, control: ServiceOptions['control']): ZerohopError | undefined {
  if (control?.key === undefined) return new ZerohopError('CONTROL_REFUSED', { reason: 'which is not set' })
  const { authorization } = headers
  if (authorization === undefined) return new ZerohopError('KEY_MISSING')
  const digest = (text: string): Buffer => hash('sha256', text, 'buffer')
  const sent = authorization.slice(7).trim()
  const isRight = timingSafeEqual(digest(sent), digest(control.key))
  if (authorization.slice(0, 7).toLowerCase() === 'bearer ' && isRight) return undefined
  return new ZerohopError('CONTROL_REFUSED', { reason: 'and another was sent' })
}
