// The login of users into embedded pages. No host of such pages can be configured, so it ends with the reason after
// user and tenant were found.
import type { FastifyInstance } from 'fastify'
import { ElementsLogin } from '../../../management/schemas/elements.ts'
import { ZerohopError } from '../../../model/errors.ts'
import { describe } from '../../description.ts'
import type { RouteContext } from '../route-context.ts'

export function elementsRoutes(app: FastifyInstance, { store }: RouteContext): void {
  app.post<{ Body: ElementsLogin }>(
    '/v2/auth/elements_login_as',
    describe({ operation: 'elements.login', tag: 'auth' }, 'Log a user in to embedded elements', {
      body: ElementsLogin,
    }),
    ({ caller, body }) => {
      const { environment_id } = caller.key
      if (environment_id === null)
        throw new ZerohopError('KEY_TOO_NARROW', { what: 'log users in: use the key of an environment' })
      const view = store.view(environment_id)
      view.require('user', body.user_id, ['body', 'user_id'])
      view.require('tenant', body.tenant_id, ['body', 'tenant_id'])
      throw new ZerohopError('ELEMENTS_MISSING')
    },
  )
}
