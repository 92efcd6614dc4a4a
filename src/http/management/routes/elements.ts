// Sessions of the routes of members that an application mounts: begun for one user and one tenant, looked up by the
// application with each request, and ended. The token itself opens nothing here.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { findElementsSession } from '../../../management/objects/elements-sessions.ts'
import {
  ElementsLogin,
  ElementsLoginRead,
  ElementsSessionRead,
  ElementsToken,
} from '../../../management/schemas/elements.ts'
import { NoBody } from '../../../management/schemas/schema-parts.ts'
import { ZerohopError } from '../../../model/errors.ts'
import { printTime } from '../../../model/print-time.ts'
import { describe } from '../../description.ts'
import { type RouteContext, writeControl } from '../route-context.ts'

const login = { operation: 'elements.login', tag: 'auth' } as const
/** Where `memberRoutes` takes a token, at the place that its documents mount it. */
const LOGIN_PATH = '/authz/login'

export function elementsRoutes(app: FastifyInstance, management: RouteContext): void {
  const { gate, store } = management
  app.post<{ Body: ElementsLogin }>(
    '/v2/auth/elements_login_as',
    describe(login, 'Begin a session of a user in a tenant', {
      body: ElementsLogin,
      response: { 200: ElementsLoginRead },
    }),
    async (request) => {
      const { user_id: user, tenant_id: tenant } = request.body
      const input = { environment: requireEnvironment(request), user, tenant }
      const { token, expires_at } = await writeControl(management, request, 'logInToElements', input)
      return { redirect_url: `${LOGIN_PATH}?token=${token}`, token, expires_at: printTime(expires_at) }
    },
  )
  app.post<{ Body: ElementsToken }>(
    '/v2/auth/elements_session',
    describe(login, 'Look up a session by its token', { body: ElementsToken, response: { 200: ElementsSessionRead } }),
    (request) => {
      const environment = requireEnvironment(request)
      const of = { environment, token: request.body.token }
      const session = findElementsSession(gate.control(request.caller), store.view(environment), of, Date.now())
      return { ...session, expires_at: printTime(session.expires_at) }
    },
  )
  app.post<{ Body: ElementsToken }>(
    '/v2/auth/elements_logout',
    describe(login, 'End a session', { body: ElementsToken, response: { 204: NoBody } }),
    async (request, reply) => {
      const input = { environment: requireEnvironment(request), token: request.body.token }
      await writeControl(management, request, 'logOutOfElements', input)
      return reply.code(204).send()
    },
  )
}

/** The environment of the key. @throws KEY_TOO_NARROW for a key that is for none alone */
function requireEnvironment({ caller }: FastifyRequest): string {
  const { environment_id } = caller.key
  if (environment_id === null)
    throw new ZerohopError('KEY_TOO_NARROW', { what: 'log users in: use the key of an environment' })
  return environment_id
}
