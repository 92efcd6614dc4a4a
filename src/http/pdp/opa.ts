// The same decisions in the form of an OPA data API, on a port of its own (PDP_OPA_PORT), because some clients use that
// API: `{ input }` in, `{ result }` out. No OPA runs behind it: every route calls the same PDP.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { BULK_CHECKS_BYTES_MAX } from '../../model/limits.ts'
import { answerEach, type Check } from '../../pdp/request.ts'
import { decide, JSON_TYPE } from './allowed.ts'
import { readAllTenants, readCheck, readChecks, readInput } from './check-bodies.ts'
import { explainedParts } from './debug.ts'
import { listAssignments, listPermissions, listTenants, usersWhoMay } from './listing-routes.ts'
import { pdpAt, withNow } from './now.ts'
import type { PdpRouteDeps } from './route-deps.ts'
import { asAsked } from './rows-header.ts'
import { allowedTenants } from './tenants.ts'

const PREFIX = '/v1/data/permit'

type Answer = (request: FastifyRequest, input: unknown, acceptNow: boolean) => unknown

export function opaRoutes(app: FastifyInstance, deps: PdpRouteDeps): void {
  const serve = (path: string, decides: boolean, answer: Answer): void => {
    app.post(
      `${PREFIX}/${path}`,
      {
        onRequest: deps.authenticate,
        bodyLimit: BULK_CHECKS_BYTES_MAX,
        ...(decides ? { config: { decides: true } as const } : {}),
      },
      (request, reply) => {
        const result = answer(request, readInput(request.body), deps.acceptNow)
        reply
          .header('x-revision', request.pdp!.take().revision)
          .header('content-type', JSON_TYPE)
          .send(JSON.stringify({ result }))
      },
    )
  }
  const decision = (request: FastifyRequest, check: Check) => decideForOpa(deps, request, asAsked(request, check))
  serve('root', true, (request, input) => decision(request, readCheck(input)))
  serve('bulk', true, (request, input) => ({
    allow: answerEach(readChecks(checksIn(input)), (check) => decision(request, check)),
  }))
  const tenants: Answer = (request, input) => allowedTenants(deps, request, readAllTenants(input))
  serve('any_tenant', true, tenants)
  serve('all_tenants', true, tenants)
  const servePermissions = (
    path: string,
    print: (permissions: string, request: FastifyRequest, input: unknown) => string,
  ) =>
    app.post(
      `${PREFIX}/${path}`,
      { onRequest: deps.authenticate, bodyLimit: BULK_CHECKS_BYTES_MAX },
      async (request, reply) => {
        const input = readInput(request.body)
        const { text, revision } = await listPermissions(request, input, deps.acceptNow)
        const result = print(text, request, input)
        return reply.header('x-revision', revision).header('content-type', JSON_TYPE).send(`{"result":${result}}`)
      },
    )
  servePermissions('user_permissions', (permissions, request, input) => {
    const tenants = JSON.stringify(listTenants(request, input, deps.acceptNow))
    return `{"permissions":${permissions},"tenants":${tenants}}`
  })
  servePermissions('user_permissions/permissions', (permissions) => permissions)
  serve('authorized_users', false, usersWhoMay)
  serve('api/role_assignments', false, (request, input, acceptNow) =>
    listAssignments(request, asQuery(input), acceptNow),
  )
}

/** A decision with what allowed it, and with its path when debug is on: without debug a deny needs no explanation. */
function decideForOpa({ debug, decisions }: PdpRouteDeps, request: FastifyRequest, asked: Check) {
  const pdp = request.pdp!
  const check = decisions.timed(pdp, asked)
  const { acceptNow } = decisions
  if (!debug && !decide(pdp, check, acceptNow)) {
    decisions.record(request, check, false)
    return { allow: false, result: false, allowing_sources: [], debug: null, debugger_activated: false }
  }
  const at = pdpAt(pdp, check.context, acceptNow)
  const timed = { ...check, context: withNow(at, check.context, acceptNow) }
  const { allow, reason, sources, debug: path } = explainedParts(at, timed)
  decisions.record(request, check, allow, reason)
  return {
    allow,
    result: allow,
    allowing_sources: sources,
    debug: debug ? path : null,
    debugger_activated: debug,
  }
}

/** Some clients send a list of checks, others an object with that list. */
function checksIn(input: unknown): unknown {
  return typeof input === 'object' && input !== null && 'checks' in input ? input.checks : input
}

/** Page numbers are JSON numbers here, and texts in a query. */
function asQuery(input: unknown): Record<string, string> {
  const entries = typeof input === 'object' && input !== null ? Object.entries(input) : []
  return Object.fromEntries(
    entries.filter(([, value]) => value !== null && value !== undefined).map(([name, value]) => [name, String(value)]),
  )
}
