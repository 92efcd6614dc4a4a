// POST /user-permissions (contract §5.5): exactly the permissions for which a check says allow (D12).
import type { FastifyInstance } from 'fastify'
import { withNow } from './allowed.ts'
import type { PdpRouteDeps } from './app.ts'
import { readPermissionsQuery } from './bodies.ts'

export function permissionRoutes(app: FastifyInstance, { authenticate }: PdpRouteDeps): void {
  app.post('/user-permissions', { onRequest: authenticate }, (request, reply) => {
    const pdp = request.pdp!
    const { user, filter, context } = readPermissionsQuery(request.body)
    const permissions = pdp.userPermissions(user, filter, withNow(context))
    reply
      .header('x-revision', pdp.revision)
      .header('content-type', 'application/json')
      .send(JSON.stringify(permissions))
  })
}
