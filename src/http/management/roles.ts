// Roles and their permissions: /v2/schema/{p}/{e}/roles.
import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { pageBody, type Query, readAttributeFilters, readFlag, readPage, readText } from '../page.ts'
import { RoleCreate, RolePermissions, RoleReplace, RoleUpdate } from '../schemas.ts'
import { type Management, viewOf, write } from './context.ts'
import { everyObject, hasAttributes, matcher, paged, searched } from './listing.ts'
import { roleRead } from './render-schema.ts'

const ROLES = '/v2/schema/:p/:e/roles'
const ROLE = `${ROLES}/:ref`
const read = { operation: 'schema.read' } as const
const change = { operation: 'schema.write' } as const
interface Named {
  Params: { ref: string }
}

export function roleRoutes(app: FastifyInstance, management: Management): void {
  app.get<{ Querystring: Query }>(ROLES, { config: read }, async (request) => {
    const { query, scope } = request
    const page = readPage(query)
    const counted = readFlag(query, 'include_total_count')
    const search = readText(query, 'search')
    const filters = readAttributeFilters(query)
    const source = everyObject(() => viewOf(management, request), 'role')
    const fits = hasAttributes(filters)
    const finds = matcher(search ?? '')
    const { rows, total } =
      search === undefined && filters.length === 0
        ? paged(source, page)
        : await searched(
            source,
            page,
            (role) => (finds(role.key, role.name) && fits(role.attributes) ? role : undefined),
            counted,
          )
    const data = rows.map((role) => roleRead(scope, role))
    return counted ? pageBody(data, total, page) : data
  })

  app.post<{ Body: Static<typeof RoleCreate> }>(
    ROLES,
    { config: change, schema: { body: RoleCreate } },
    async (request, reply) =>
      roleRead(request.scope, await write(management, request, reply, 'createRole', request.body)),
  )
  app.get<Named>(ROLE, { config: read }, (request) =>
    roleRead(request.scope, viewOf(management, request).require('role', request.params.ref)),
  )
  app.patch<Named & { Body: Static<typeof RoleUpdate> }>(
    ROLE,
    { config: change, schema: { body: RoleUpdate } },
    async (request, reply) => {
      const input = { ref: request.params.ref, fields: request.body }
      return roleRead(request.scope, await write(management, request, reply, 'updateRole', input))
    },
  )
  app.put<Named & { Body: Static<typeof RoleReplace> }>(
    ROLE,
    { config: change, schema: { body: RoleReplace } },
    async (request, reply) => {
      const input = { ref: request.params.ref, fields: request.body }
      return roleRead(request.scope, await write(management, request, reply, 'replaceRole', input))
    },
  )
  app.delete<Named>(ROLE, { config: change }, async (request, reply) => {
    await write(management, request, reply, 'deleteRole', { ref: request.params.ref })
    return reply.code(204).send()
  })
  permissionRoutes(app, management)
}

function permissionRoutes(app: FastifyInstance, management: Management): void {
  type Permissions = Named & { Body: Static<typeof RolePermissions> }
  const options = { config: change, schema: { body: RolePermissions } }
  app.post<Permissions>(`${ROLE}/permissions`, options, async (request, reply) => {
    const input = { ref: request.params.ref, permissions: request.body.permissions }
    return roleRead(request.scope, await write(management, request, reply, 'addPermissions', input))
  })
  app.delete<Permissions>(`${ROLE}/permissions`, options, async (request, reply) => {
    const input = { ref: request.params.ref, permissions: request.body.permissions }
    return roleRead(request.scope, await write(management, request, reply, 'removePermissions', input))
  })
}
