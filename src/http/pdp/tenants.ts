// POST /allowed/all-tenants: the tenants in which a check allows. Clients send it in two forms; one of them has the API
// key in the body, so here the body is read before authentication.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Check } from '../../pdp/request.ts'
import { JSON_TYPE } from './allowed.ts'
import type { Authenticate } from './authenticate.ts'
import { authorizationIn, readAllTenants } from './check-bodies.ts'
import { pdpAt, withNow } from './now.ts'
import type { PdpRouteDeps } from './route-deps.ts'

export function tenantRoutes(app: FastifyInstance, deps: PdpRouteDeps): void {
  // A key in the header is verified before the body is read, one in the body after that.
  const early: Authenticate = (request, reply, done) => {
    if (request.headers.authorization === undefined) done()
    else deps.authenticate(request, reply, done)
  }
  const late: Authenticate = (request, reply, done) => {
    if (request.pdp !== undefined) return done()
    const authorization = authorizationIn(request.body)
    if (authorization !== undefined) request.headers.authorization = authorization
    deps.authenticate(request, reply, done)
  }
  const options = { config: { decides: true } as const, onRequest: early, preHandler: late }
  app.post('/allowed/all-tenants', options, (request, reply) => {
    const pdp = request.pdp!
    const check = readAllTenants(request.body)
    const { revision } = pdp.take()
    const found = allowedTenants(deps, request, check)
    reply.header('x-revision', revision).header('content-type', JSON_TYPE).send(JSON.stringify(found))
  })
}

/** The tenants under both names that clients read. */
export function allowedTenants({ decisions }: PdpRouteDeps, request: FastifyRequest, asked: Check) {
  const pdp = request.pdp!
  const check = decisions.timed(pdp, asked)
  const { user, action, resource, context } = check
  const at = pdpAt(pdp, context, decisions.acceptNow)
  const tenants = at.tenants(user, action, resource, withNow(at, context, decisions.acceptNow))
  const about = typeof resource === 'string' ? { type: resource } : resource
  for (const { key } of tenants) decisions.record(request, { ...check, resource: { ...about, tenant: key } }, true)
  const rows = tenants.map((tenant) => ({ allow: true, result: true, tenant }))
  return { allowed_tenants: rows, allowedTenants: rows }
}
