// What a replica answers before it can begin, because its database does not answer: it is alive, and not ready.
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import type { ZerohopError } from '../../model/errors.ts'
import { httpApp, type TlsSettings } from '../app.ts'
import { managementError } from '../errors.ts'

/** The app; not listening yet. `trouble`: why it waits, now */
export function waitingApp(trouble: () => ZerohopError, logger: FastifyBaseLogger, tls?: TlsSettings): FastifyInstance {
  const app = httpApp({ errorForm: managementError, duplicates: 'refuse', logger, ...(tls ? { tls } : {}) })
  app.get('/health', () => ({ status: 'ok' }))
  app.get('/ready', (_request, reply) => reply.code(503).send({ status: 'unavailable', code: trouble().code }))
  app.all('/*', () => {
    throw trouble()
  })
  return app
}
