// Decisions that PDPs recorded, and the login of users into embedded pages. No PDP sends its decisions yet, so the list is empty; no host of
// embedded pages can be configured, so a login ends with the reason after user and tenant were found.
import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { ZerohopError } from '../../model/errors.ts'
import { pageBody, type Query, readPage } from '../page.ts'
import { ElementsLogin } from '../schemas.ts'
import type { Management } from './context.ts'

const AUDIT_LOGS = '/v2/pdps/:p/:e/audit_logs'

export function auditRoutes(app: FastifyInstance, { store }: Management): void {
  const config = { operation: 'audit.read' } as const
  app.get<{ Querystring: Query }>(AUDIT_LOGS, { config }, ({ query }) => {
    return { ...pageBody([], 0, readPage(query)), pagination_count: 0 }
  })
  app.get<{ Params: { log: string } }>(`${AUDIT_LOGS}/:log`, { config }, ({ params }) => {
    throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'audit log', ref: params.log })
  })
  app.post<{ Body: Static<typeof ElementsLogin> }>(
    '/v2/auth/elements_login_as',
    { config: { operation: 'elements.login' }, schema: { body: ElementsLogin } },
    ({ caller, body }) => {
      const { environment_id } = caller.key
      if (environment_id === null)
        throw new ZerohopError('KEY_TOO_NARROW', { what: 'log users in: take the key of an environment' })
      const view = store.view(environment_id)
      view.require('user', body.user_id, ['body', 'user_id'])
      view.require('tenant', body.tenant_id, ['body', 'tenant_id'])
      throw new ZerohopError('ELEMENTS_MISSING')
    },
  )
}
