// The first API version, /v1: deprecated, over the same state (docs/migration.md says how to leave it).
import type { FastifyInstance } from 'fastify'
import type { RouteContext } from '../../http/management/route-context.ts'
import { v1FactRoutes } from './facts-routes.ts'
import { v1SchemaRoutes } from './schema-routes.ts'
import { asV1 } from './v1-context.ts'

/** `guarded` is behind the gate. */
export function v1Routes(guarded: FastifyInstance, management: RouteContext): void {
  guarded.register((app, _options, done) => {
    asV1(app, management)
    v1FactRoutes(app, management)
    v1SchemaRoutes(app, management)
    done()
  })
}
