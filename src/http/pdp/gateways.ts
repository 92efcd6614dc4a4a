// POST /nginx_allowed: a check with its parts in headers, answered by the status: called by a gateway before it lets a
// request through. 200 is allow, 403 deny; the body is the decision.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ZerohopError } from '../../model/errors.ts'
import { answerTo, decide, JSON_TYPE } from './allowed.ts'
import type { PdpRouteDeps } from './route-deps.ts'

export function gatewayRoutes(app: FastifyInstance, { authenticate, decisions }: PdpRouteDeps): void {
  app.post('/nginx_allowed', { config: { decides: true }, onRequest: authenticate }, (request, reply) => {
    const pdp = request.pdp!
    const check = decisions.timed(pdp, {
      user: { key: requirePart(request, 'permit-user-key') },
      action: requirePart(request, 'permit-action'),
      resource: {
        type: requirePart(request, 'permit-resource-type'),
        tenant: optional(request, 'permit-tenant-id') ?? null,
      },
    })
    const allow = decide(pdp, check, decisions.acceptNow)
    decisions.record(request, check, allow)
    reply
      .code(allow ? 200 : 403)
      .header('x-revision', pdp.take().revision)
      .header('content-type', JSON_TYPE)
      .send(answerTo(allow))
  })
}

function optional({ headers }: FastifyRequest, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

function requirePart(request: FastifyRequest, name: string): string {
  const value = optional(request, name)
  if (value === undefined)
    throw new ZerohopError('INPUT_INVALID', { reason: 'header required' }, { path: ['header', name] })
  return value
}
