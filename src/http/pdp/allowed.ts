// POST /allowed and POST /allowed/bulk. The common answers are constant strings: nothing is serialised per request.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { BULK_CHECKS_BYTES_MAX } from '../../model/limits.ts'
import type { Pdp } from '../../pdp/pdp.ts'
import { answerEach, type Check } from '../../pdp/request.ts'
import { readCheck, readChecks } from './check-bodies.ts'
import { explainDecision } from './debug.ts'
import { pdpAt, withNow } from './now.ts'
import type { PdpRouteDeps } from './route-deps.ts'
import { asAsked } from './rows-header.ts'

export const JSON_TYPE = 'application/json'
const ALLOWED = '{"allow":true,"result":true,"query":null,"debug":null}'
const DENIED = '{"allow":false,"result":false,"query":null,"debug":null}'

export function allowedRoutes(app: FastifyInstance, deps: PdpRouteDeps): void {
  const { authenticate, debug } = deps
  const config = { decides: true } as const
  app.post('/allowed', { config, onRequest: authenticate }, (request, reply) => {
    const pdp = request.pdp!
    const check = asAsked(request, readCheck(request.body))
    const explains = request.headers['x-explain']
    const answer = explains === 'why' ? answerCheck(deps, request, check, explains) : answerCheck(deps, request, check)
    reply.header('x-revision', pdp.take().revision).header('content-type', JSON_TYPE).send(answer)
  })

  app.post('/allowed/bulk', { config, onRequest: authenticate, bodyLimit: BULK_CHECKS_BYTES_MAX }, (request, reply) => {
    const pdp = request.pdp!
    const checks = readChecks(request.body)
    const { revision } = pdp.take()
    const answers = answerEach(checks, (check) => answerCheck(deps, request, asAsked(request, check), debug)).join()
    reply.header('x-revision', revision).header('content-type', JSON_TYPE).send(`{"allow":[${answers}]}`)
  })
}

/**
 * Decides, tells the decision, and returns the answer. With its path when every answer has it, or the request asks for
 * it.
 * @param isMapped true when a mapping rule made the attributes of the resource
 */
export function answerCheck(
  { debug, decisions }: PdpRouteDeps,
  request: FastifyRequest,
  asked: Check,
  explains: boolean | 'why' = debug || request.headers['x-explain'] === 'true',
  isMapped = false,
): string {
  const pdp = request.pdp!
  const check = decisions.timed(pdp, asked)
  const { acceptNow } = decisions
  if (explains !== false) {
    const asked = pdpAt(pdp, check.context, acceptNow)
    const context = withNow(asked, check.context, acceptNow)
    const { allow, reason, text } = explainDecision(asked, { ...check, context }, explains === 'why')
    decisions.record(request, check, allow, reason, isMapped)
    return text
  }
  const allow = decide(pdp, check, acceptNow)
  decisions.record(request, check, allow, undefined, isMapped)
  return answerTo(allow)
}

/** One check of a request; its time is now (D8, D15). */
export function decide(pdp: Pdp, { user, action, resource, context }: Check, acceptNow: boolean): boolean {
  const at = pdpAt(pdp, context, acceptNow)
  return (
    at.checkWithoutAttributes(user, action, resource) ??
    at.check(user, action, resource, withNow(at, context, acceptNow))
  )
}

/** The answer to one check as it goes over the wire; ASCII. */
export function answerTo(allow: boolean): string {
  return allow ? ALLOWED : DENIED
}
