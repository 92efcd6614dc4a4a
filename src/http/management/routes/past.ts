// Questions to an environment as it was: POST /v2/projects/{p}/envs/{e}/check and …/explain. The question is that of a
// PDP, with `at` beside it; the image of that revision answers as the PDPs did then.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { sayNotInForce, word } from '../../../image/explain/why-words.ts'
import { type AccessRequest, parseOrigin } from '../../../kinds/access-request.ts'
import { DIRECTORY, HAND } from '../../../kinds/claims.ts'
import { printSuspension, type Suspension } from '../../../kinds/fields.ts'
import { isInForce } from '../../../kinds/times.ts'
import { listRolesToRequest, type RoleToRequest } from '../../../management/objects/roles-to-request.ts'
import type { Found, PastRevisions } from '../../../management/past/past-revisions.ts'
import { readAt } from '../../../management/past/read-at.ts'
import { actorId, actorName } from '../../../management/rules/actor.ts'
import {
  PastAnswer,
  PastExplanation,
  PastQuestion,
  RevisionQuery,
  RevisionRead,
} from '../../../management/schemas/past.ts'
import { formatSeconds } from '../../../model/durations.ts'
import { ZerohopError } from '../../../model/errors.ts'
import { parseInstant } from '../../../model/instant.ts'
import { assignmentKey } from '../../../model/objects.ts'
import { formatInstant, withInstants } from '../../../model/print-time.ts'
import type { Why } from '../../../model/why.ts'
import { FixedImage } from '../../../pdp/fixed-image.ts'
import { type Explanation, Pdp } from '../../../pdp/pdp.ts'
import type { Attributes, Check } from '../../../pdp/request.ts'
import { describe } from '../../description.ts'
import { requireExactIn } from '../../exact-attributes.ts'
import { type Query, readFlag } from '../../page.ts'
import { readLooseCheck } from '../../pdp/check-bodies.ts'
import { shortReason } from '../../pdp/record-decision.ts'
import type { Scope } from '../auth.ts'
import { accessRequestRead } from '../render/access-requests.ts'
import { printTime } from '../render/stamps.ts'
import type { RouteContext } from '../route-context.ts'

const ENVIRONMENT = '/v2/projects/:p/envs/:e'
const config = { operation: 'decision.explain', tag: 'environments' } as const
type Asking = { Body: PastQuestion }

export function pastRoutes(app: FastifyInstance, management: RouteContext, past: PastRevisions): void {
  revisionRoute(app, management, past)
  app.post<Asking>(
    `${ENVIRONMENT}/check`,
    describe(config, 'Check access at a revision', { body: PastQuestion, response: { 200: PastAnswer } }),
    async (request, reply) => {
      const { pdp, check, found } = await questionAt(management, past, request)
      const { user, action, resource, context } = check
      reply.header('x-revision', String(found.revision))
      return printAnswer(pdp.check(user, action, resource, context), found, check)
    },
  )
  app.post<Asking>(
    `${ENVIRONMENT}/explain`,
    describe(config, 'Explain a decision at a revision', { body: PastQuestion, response: { 200: PastExplanation } }),
    async (request, reply) => {
      const { pdp, check, found } = await questionAt(management, past, request)
      const { user, action, resource, context } = check
      reply.header('x-revision', String(found.revision))
      const why = pdp.why(user, action, resource, context)
      const explanation = pdp.explain(user, action, resource, context)
      const suspension = findSuspension(management, request.scope, why.user, { explanation, found })
      const requests = findRequests(management, request.scope, why.user, { explanation, found })
      const requestable = findRequestable(management, request.scope, why, { explanation, found })
      return {
        ...printExplanation(explanation, found, check),
        ...(suspension && { suspension: printSuspension(suspension) }),
        ...(requests.length > 0 && {
          requests: requests.map((one) => accessRequestRead(request.scope, one, Date.now())),
        }),
        ...(requestable.length > 0 && { requestable }),
        why:
          suspension === undefined
            ? withNotes(
                withRequests(why, requests),
                sayClaims(management, request.scope, why.user, { explanation, found }),
              )
            : withReason(why, suspension),
      }
    },
  )
}

function revisionRoute(app: FastifyInstance, { store }: RouteContext, past: PastRevisions): void {
  app.get<{ Params: { revision: string }; Querystring: Query }>(
    `${ENVIRONMENT}/revisions/:revision`,
    describe(config, 'Read what a revision changed', { querystring: RevisionQuery, response: { 200: RevisionRead } }),
    async ({ scope, caller, params, query }) => {
      const { revision: wanted } = params
      if (!/^\d{1,15}$/.test(wanted)) throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'revision', ref: wanted })
      const { revision, at, by, summary = null } = past.find(scope.environment.id, { revision: Number(wanted) })
      const access = readFlag(query, 'access')
      const { entries, others, diff } = await past.changes(scope.environment.id, revision, access)
      const who = actorName(store.view(caller.organization), by)
      return {
        ...{ revision, at: printTime(at), operation: by.operation, method: by.method, path: by.path },
        ...{ actor_id: actorId(by), actor_display_name: who, summary, others },
        ...{ reason: by.reason ?? null, ticket: by.ticket ?? null },
        changes: entries.map((entry) => ({ ...entry, fields: { ...entry.fields } })),
        ...(diff && { policy: diff.policy, access: diff.access }),
      }
    },
  )
}

/** Of a user who is suspended, why: the management side alone knows it, and only as it is now. */
function findSuspension(
  { store }: RouteContext,
  { environment: { id } }: Scope,
  user: string,
  { explanation, found }: { readonly explanation: Explanation; readonly found: Found },
): Suspension | undefined {
  if (explanation.code !== 'user_suspended' || found.revision !== store.head(id).revision) return undefined
  return store.view(id).get('user', user)?.suspension
}

/** The requests that gave the roles by which it is allowed: the management side alone knows them, as they are now. */
function findRequests(
  { store }: RouteContext,
  { environment: { id } }: Scope,
  user: string,
  { explanation, found }: { readonly explanation: Explanation; readonly found: Found },
): AccessRequest[] {
  if (!explanation.allow || found.revision !== store.head(id).revision) return []
  const view = store.view(id)
  const requests = new Map<string, AccessRequest>()
  for (const { source, everybody, role, tenant, resource_instance: instance = null } of explanation.because) {
    if (source === 'abac' || everybody) continue
    const origin = view.get('role_assignment', assignmentKey(user, role, tenant, instance))?.origin
    const request = origin === undefined ? undefined : view.get('access_request', parseOrigin(origin) ?? '')
    if (request !== undefined) requests.set(request.key, request)
  }
  return [...requests.values()]
}

/** The roles that the user can ask for instead, as of now. */
function findRequestable(
  { store }: RouteContext,
  { environment: { id } }: Scope,
  { user, action, resource: { type, key: instance }, tenant }: Why,
  { explanation, found }: { readonly explanation: Explanation; readonly found: Found },
): RoleToRequest[] {
  if (explanation.allow || found.revision !== store.head(id).revision) return []
  return listRolesToRequest(store.view(id), { user, action, type, instance, tenant }, Date.now())
}

/** The explanation with who asked for the roles, and who approved it. */
function withRequests(why: Why, requests: readonly AccessRequest[]): Why {
  return withNotes(why, requests.map(sayRequest))
}

/** Where the roles by which it is allowed are from, of those that others than `hand` claim: a sentence for each. */
function sayClaims(
  { store }: RouteContext,
  { environment: { id } }: Scope,
  user: string,
  { explanation, found }: { readonly explanation: Explanation; readonly found: Found },
): string[] {
  if (!explanation.allow || found.revision !== store.head(id).revision) return []
  const view = store.view(id)
  const now = Date.now()
  const sentences = explanation.because.flatMap((reason) => {
    if (reason.source === 'abac' || reason.everybody) return []
    const { role, tenant, resource_instance: instance = null } = reason
    const { claims } = view.get('role_assignment', assignmentKey(user, role, tenant, instance)) ?? {}
    if (claims === undefined) return []
    const names = claims.filter((claim) => isInForce(claim, now)).map(({ by }) => SOURCES[by] ?? `sync ${word(by)}`)
    return names.length === 0 ? [] : [`role ${word(role)} is from ${joinAnd(names)}`]
  })
  return [...new Set(sentences)]
}

const SOURCES: Readonly<Record<string, string>> = { [HAND]: 'hand', [DIRECTORY]: 'the directory' }
const joinAnd = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`

/** The explanation with these sentences behind all others. */
function withNotes(why: Why, sentences: readonly string[]): Why {
  if (sentences.length === 0) return why
  const notes = sentences.map((text) => ({ text, outcome: 'note' as const, children: [] }))
  return { ...why, tree: { ...why.tree, children: [...why.tree.children, ...notes] } }
}

function sayRequest({ user, role, duration, until, reason, approved_by }: AccessRequest): string {
  const time = duration === undefined ? `until ${formatInstant(until ?? 0)}` : `for ${formatSeconds(duration)}`
  const approval = approved_by === undefined ? 'given at once, without an approval' : `approved by ${word(approved_by)}`
  const why = reason === undefined ? '' : `: ${reason}`
  return `role ${word(role)} was requested by ${word(user)} ${time}, ${approval}${why}`
}

/** The explanation with the reason below the sentence that the user is suspended, which is the first one. */
function withReason(why: Why, { reason, suspended_at }: Suspension): Why {
  const [first, ...others] = why.tree.children
  if (first === undefined) return why
  const note = { text: `since ${formatInstant(suspended_at)}: ${reason}`, outcome: 'note', children: [] } as const
  return { ...why, tree: { ...why.tree, children: [{ ...first, children: [...first.children, note] }, ...others] } }
}

interface QuestionAt {
  readonly pdp: Pdp
  readonly check: Check
  readonly found: Found
}

/** The question of a request, with the PDP that answers it: of the head without `at`. */
async function questionAt(
  management: RouteContext,
  past: PastRevisions,
  { scope, body }: FastifyRequest<Asking>,
): Promise<QuestionAt> {
  const { context, ...check } = readLooseCheck(body)
  requireExactIn(body)
  const { pdp, found, now } = await pastPdp(management, past, scope, body.at, context)
  return { pdp, check: { ...check, context: { now, ...context } }, found }
}

function printAnswer(allow: boolean, { revision, at }: Found, { context }: Check): PastAnswer {
  const now = context?.now
  return { allow, revision, revision_at: printTime(at), now: typeof now === 'number' ? now : null }
}

function printExplanation(explanation: Explanation, found: Found, check: Check): Omit<PastExplanation, 'why'> {
  const { allow, tenant, code, rebac, abac, because, roles, rules, misses, notes, not_in_force, ill_typed } =
    explanation
  const lists = { misses: [...misses], notes: [...notes], ill_typed: [...ill_typed] }
  return {
    ...printAnswer(allow, found, check),
    ...{ tenant, reason: shortReason(explanation), code, rebac, abac, roles, rules },
    because: because.map(withInstants),
    not_in_force: not_in_force.map((each) => ({ ...withInstants(each), text: sayNotInForce(each) })),
    // types of the kernel side, as plain JSON
    ...(lists as unknown as Pick<PastExplanation, 'misses' | 'notes' | 'ill_typed'>),
  }
}

export interface PastPdp {
  readonly pdp: Pdp
  readonly found: Found
  /** the instant of the questions, in ms since 1970 */
  readonly now: number
}

/**
 * The PDP that answers a question about an environment as it was: that of the revision in force at `at`, at that instant
 * or at the one that is sent as `context.now`.
 * @param sent `at` of a body: a revision, an instant, or nothing for the newest revision
 * @throws INPUT_INVALID, REVISION_UNKNOWN, REVISION_GONE; PAST_BUSY, PAST_TOO_LARGE
 */
export async function pastPdp(
  { store }: RouteContext,
  past: PastRevisions,
  { environment: { id } }: Scope,
  sent: string | number | null | undefined,
  context: Attributes | null | undefined,
): Promise<PastPdp> {
  const at = readAt(sent, ['body', 'at'])
  const found = past.find(id, at ?? { revision: store.head(id).revision })
  const own = context != null && Object.hasOwn(context, 'now') ? parseInstant(context.now) : undefined
  const now = own ?? (at === undefined ? Date.now() : 'instant' in at ? at.instant : found.at)
  const pdp = new Pdp(new FixedImage(await past.image(id, found))).at(now)
  return { pdp, found, now }
}
