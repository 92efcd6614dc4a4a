// POST /access/v1/evaluation and /access/v1/evaluations. A deny is 200 with `decision:false`. In a batch, an undecided
// item is `decision:false` with the reason in its context (rule 3) and does not affect the other items. A batch is
// answered at one revision.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isZerohopError, ZerohopError } from '../../model/errors.ts'
import { BULK_CHECKS_BYTES_MAX, BULK_CHECKS_MAX } from '../../model/limits.ts'
import { decide } from '../pdp/allowed.ts'
import { explainedParts } from '../pdp/debug.ts'
import { pdpAt, withNow } from '../pdp/now.ts'
import { areRows, asAsked } from '../pdp/rows-header.ts'
import { isAbsent, type Members, readEvaluation, requireMembers, wrong } from './authzen-bodies.ts'
import { plainError } from './authzen-errors.ts'
import type { AuthzenDeps } from './deps.ts'
import { UNKNOWN_SUBJECT_TYPE } from './subjects.ts'

type Answer = { readonly decision: boolean; readonly context?: unknown }

/** The decision after which a batch stops; undefined when all items are evaluated. */
const LAST_ANSWER: Readonly<Record<string, boolean | undefined>> = {
  execute_all: undefined,
  deny_on_first_deny: false,
  permit_on_first_permit: true,
}

export function evaluationRoutes(app: FastifyInstance, deps: AuthzenDeps): void {
  const options = { config: { decides: true }, onRequest: deps.authenticate } as const
  app.post('/evaluation', options, (request, reply) => {
    reply
      .header('x-revision', request.pdp!.take().revision)
      .send(evaluate(deps, request, request.body, explains(deps, request)))
  })

  app.post('/evaluations', { ...options, bodyLimit: BULK_CHECKS_BYTES_MAX }, (request, reply) => {
    const body = requireMembers(request.body, 'the body')
    areRows(request) // what the header says wrongly is wrong of the request, not of each item
    const answer = isAbsent(body.evaluations) ? undefined : evaluateAll(deps, request, body)
    reply
      .header('x-revision', request.pdp!.take().revision)
      .send(answer ?? evaluate(deps, request, body, explains(deps, request)))
  })
}

/** As for `POST /allowed`: the header asks for a single check, PDP_DEBUG applies to every check. */
const explains = ({ debug }: AuthzenDeps, { headers }: FastifyRequest): boolean =>
  debug || headers['x-explain'] === 'true'

/** Decides; with `explain` the context of the answer has the path to the decision. */
function evaluate(deps: AuthzenDeps, request: FastifyRequest, body: unknown, explain: boolean): Answer {
  const { isKnown, check } = readEvaluation(deps, body)
  const asked = asAsked(request, check)
  const evaluation = deps.decisions.timed(request.pdp!, asked)
  if (isKnown && explain) {
    const { acceptNow } = deps.decisions
    const pdp = pdpAt(request.pdp!, evaluation.context, acceptNow)
    const context = withNow(pdp, evaluation.context, acceptNow)
    const { allow, reason, debug } = explainedParts(pdp, { ...evaluation, context })
    deps.decisions.record(request, evaluation, allow, reason)
    return { decision: allow, context: debug }
  }
  const decision = isKnown && decide(request.pdp!, evaluation, deps.decisions.acceptNow)
  deps.decisions.record(request, evaluation, decision, isKnown ? undefined : UNKNOWN_SUBJECT_TYPE)
  return isKnown || !explain ? { decision } : { decision, context: { code: UNKNOWN_SUBJECT_TYPE } }
}

/** Undefined without items: the body is then one evaluation (rule 4). */
function evaluateAll(deps: AuthzenDeps, request: FastifyRequest, body: Members): { evaluations: Answer[] } | undefined {
  const { evaluations: items } = body
  if (!Array.isArray(items)) throw wrong('evaluations', 'an array')
  if (items.length === 0) return undefined
  if (items.length > BULK_CHECKS_MAX)
    throw new ZerohopError('LIMIT_EXCEEDED', { what: 'the number of evaluations', limit: BULK_CHECKS_MAX })
  const last = lastAnswer(body.options)
  for (const name of ['subject', 'action', 'resource', 'context']) {
    if (!isAbsent(body[name])) requireMembers(body[name], name)
  }
  const evaluations: Answer[] = []
  for (const item of items) {
    const answer = evaluateItem(deps, request, body, item)
    evaluations.push(answer)
    if (answer.decision === last) break
  }
  return { evaluations }
}

function lastAnswer(options: unknown): boolean | undefined {
  const semantic = isAbsent(options) ? undefined : requireMembers(options, 'options').evaluations_semantic
  if (isAbsent(semantic)) return undefined
  if (typeof semantic !== 'string' || !Object.hasOwn(LAST_ANSWER, semantic)) {
    throw wrong('options.evaluations_semantic', `one of ${Object.keys(LAST_ANSWER).join(', ')}`)
  }
  return LAST_ANSWER[semantic]
}

/** An entity of the item replaces the one of the body as a whole (rule 5). */
function evaluateItem(deps: AuthzenDeps, request: FastifyRequest, body: Members, item: unknown): Answer {
  try {
    const own = requireMembers(item, 'an evaluation')
    const evaluation = {
      subject: own.subject ?? body.subject,
      action: own.action ?? body.action,
      resource: own.resource ?? body.resource,
      context: own.context ?? body.context,
    }
    return evaluate(deps, request, evaluation, deps.debug)
  } catch (error) {
    const { status, message } = plainError(error)
    const undecided = isZerohopError(error, 'UNDECIDED')
    if (status !== 400 && !undecided) throw error
    deps.decisions.item(request, undecided ? 'undecided' : 'refused')
    return { decision: false, context: { error: { status, message } } }
  }
}
