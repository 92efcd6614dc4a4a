// Access on request (docs/access-requests.md): a user asks for a role, somebody who may decide approves or denies, and what
// is given ends by itself. Every change of state is a row of TRANSITIONS; who acts is checked here, in the writer's
// transaction, at the time of the entry.
import {
  type AccessRequest,
  formatOrigin,
  type HeldBefore,
  parseOrigin,
  requestIdentity,
  requestState,
  TRANSITIONS,
  type TransitionName,
} from '../../kinds/access-request.ts'
import { HAND } from '../../kinds/claims.ts'
import { presentFields, type Requestable } from '../../kinds/fields.ts'
import { noteFields, type RoleAssignment } from '../../kinds/role-assignment.ts'
import type { Tenant } from '../../kinds/tenant.ts'
import type { TenantRole } from '../../kinds/tenant-role.ts'
import { isEnded, isInForce, timeFields } from '../../kinds/times.ts'
import type { User } from '../../kinds/user.ts'
import { type Change, put } from '../../log/change.ts'
import { formatSeconds } from '../../model/durations.ts'
import { ZerohopError } from '../../model/errors.ts'
import { INSTANT_MAX } from '../../model/instant.ts'
import { DEFAULT_TENANT } from '../../model/keys.ts'
import {
  ACCESS_REQUESTS_MAX,
  DESCRIPTION_LENGTH_MAX,
  REQUESTS_PENDING_PER_USER_MAX,
  REQUESTS_PER_USER_MAX,
} from '../../model/limits.ts'
import { membershipKey } from '../../model/objects.ts'
import { printTime } from '../../model/print-time.ts'
import { Draft } from '../../store/draft.ts'
import type { Decided, Mint, View } from '../../store/view.ts'
import { asOwnPart, dropOwnParts, ownPart } from '../rules/claims.ts'
import { BODY, settleInstant, settleNote, settleSeconds } from '../rules/fields.ts'
import { findGiving } from '../rules/giving.ts'
import { type ByTenant, requireRoleHeld } from '../rules/tenant-roles.ts'
import type { Clock } from '../rules/times.ts'
import type { AccessRequestApprove, AccessRequestCreate, AccessRequestDecide } from '../schemas/access-requests.ts'
import { type Acting, type Actor, isSamePerson, listSteps, mayCause, requireActor } from './approvers.ts'
import { findResourceRole, requireResourceRole, writeAssignment } from './role-assignments.ts'

/** What is sent, with who acts. */
export type By<F> = Omit<F, 'as'> & Acting
interface OfRequest<F> {
  /** id of the request */
  readonly ref: string
  readonly fields: By<F>
}

/** Set by the route, never by a body. */
export interface WithinOwn {
  /** whether nobody gives more of the roles of a tenant than they have in it */
  readonly isWithinOwn?: boolean
}

/**
 * Asks for a role for the user `as`. Where the role says `auto`, it is given at once.
 * @throws OBJECT_NOT_FOUND, also for a tenant and an instance that the user must not know of; REQUEST_REFUSED when the role
 * cannot be asked for; REQUEST_PENDING, ROLE_HELD, INPUT_INVALID, LIMIT_EXCEEDED
 */
export function createAccessRequest(view: View, sent: By<AccessRequestCreate>, mint: Mint): Decided<AccessRequest> {
  const user = requireActor(view, sent, mint.now)
  const { requestable, ...target } = resolveTarget(view, user, sent)
  const id = mint.id()
  const request: AccessRequest = {
    id,
    key: id,
    created_at: mint.now,
    updated_at: mint.now,
    user: user.key,
    ...target,
    state: 'pending',
    ...(sent.person === undefined ? {} : { person: sent.person.id }),
    ...readTime(sent),
    ...readNotes(sent),
  }
  if (requestable.reason === 'required' && request.reason === undefined) {
    const reason = 'it is required: the role is given for a reason only'
    throw new ZerohopError('INPUT_INVALID', { reason }, { path: [...BODY, 'reason'] })
  }
  requireRoom(view, request, mint.now)
  const until = findEnd(request, mint.now)
  requireWithin(view, request, until, mint.now)
  const { held, assignment } = findHeld(view, request, until, mint.now)
  const asked = `asked for ${describeRole(request)} for ${user.key}`
  if (!requestable.auto) return { changes: [put('access_request', request)], summary: asked, result: request }
  if (held?.auto) throw refuseHeld(request, assignment)
  const draft = new Draft(view)
  const approved = give(draft, { ...request, auto: true }, until, mint)
  return { changes: draft.changes(), summary: `${asked}, given at once`, result: approved }
}

/**
 * Gives the role, for what was asked or less, from now on. Of a role of the tenant itself the approver gives no more than
 * it has, where `isWithinOwn` says so, as when it is assigned.
 * @throws OBJECT_NOT_FOUND, REQUEST_REFUSED, REQUEST_STATE, ROLE_HELD, INPUT_INVALID, BEYOND_OWN_ROLES, and what an
 * assignment throws
 */
export function approveAccessRequest(
  view: View,
  { ref, fields, isWithinOwn }: OfRequest<AccessRequestApprove> & WithinOwn,
  mint: Mint,
): Decided<AccessRequest> {
  const { request, user } = requireTransition(view, ref, 'approve', fields, mint.now)
  requireGivable(view, request, isWithinOwn ? { acting: user.key } : {}, mint)
  const until = readShorter(fields, findEnd(request, mint.now), mint.now)
  /* canary: duration-read-again */ requireWithin(view, request, until, mint.now)
  const reason = readReason(fields)
  const draft = new Draft(view)
  const decided = { ...request, approved_by: user.key, decided_by: user.key, ...reason }
  const approved = give(draft, decided, until, mint)
  return { changes: draft.changes(), summary: describeStep('approve', request), result: approved }
}

/**
 * That the role can be given: who asked may still ask, and of a role of the tenant itself `acting` has all of it.
 * @throws REQUEST_REFUSED, BEYOND_OWN_ROLES
 */
function requireGivable(view: View, request: AccessRequest, by: ByTenant, clock: Clock): void {
  const { requestable } = findGiving(view, request)
  if (requestable === undefined || !mayAsk(view, request, requestable)) {
    const reason = `user \`${request.user}\` may not ask for role \`${request.role}\` any more`
    throw new ZerohopError('REQUEST_REFUSED', { reason })
  }
  /* canary: approver-within-own */ requireRoleHeld(view, request, by, clock, [...BODY, 'as'])
}

/** Lists what the user may do with the request now: to approve is among it where the role can be given. */
export function listDecisions(
  view: View,
  request: AccessRequest,
  { user, acting, isWithinOwn }: Actor & WithinOwn,
  clock: Clock,
): TransitionName[] {
  return listSteps(view, request, { user, acting }, clock.now).filter((name) => {
    if (name !== 'approve') return true
    try {
      requireGivable(view, request, isWithinOwn ? { acting: user.key } : {}, clock)
      return true
    } catch (error) {
      if (error instanceof ZerohopError) return false
      throw error
    }
  })
}

/** @throws OBJECT_NOT_FOUND, REQUEST_REFUSED, REQUEST_STATE */
export const denyAccessRequest = (view: View, { ref, fields }: OfRequest<AccessRequestDecide>, mint: Mint) =>
  close(view, 'deny', ref, fields, mint)

/** @throws OBJECT_NOT_FOUND, REQUEST_REFUSED, REQUEST_STATE */
export const cancelAccessRequest = (view: View, { ref, fields }: OfRequest<AccessRequestDecide>, mint: Mint) =>
  close(view, 'cancel', ref, fields, mint)

/**
 * Takes back what was given, and gives again what the user had before, if that would not have ended by now.
 * @throws OBJECT_NOT_FOUND, REQUEST_REFUSED, REQUEST_STATE
 */
export function revokeAccessRequest(
  view: View,
  { ref, fields }: OfRequest<AccessRequestDecide>,
  mint: Mint,
): Decided<AccessRequest> {
  const closed = close(view, 'revoke', ref, fields, mint)
  const { changes, result } = closed
  const stored = view.get('role_assignment', requestIdentity(result))
  if (stored?.origin !== formatOrigin(result.key)) return closed
  return { ...closed, changes: [...takeBack(view, stored, result.before, mint), ...changes] }
}

/** Writes that a request has become what the transition says. */
function close(
  view: View,
  by: TransitionName,
  ref: string,
  fields: By<AccessRequestDecide>,
  mint: Mint,
): Decided<AccessRequest> {
  const { request, user } = requireTransition(view, ref, by, fields, mint.now)
  const { decision_reason: _, ...rest } = request
  const result: AccessRequest = {
    ...rest,
    state: TRANSITIONS[by].to,
    decided_by: user.key,
    decided_at: mint.now,
    updated_at: mint.now,
    ...readReason(fields),
  }
  return { changes: [put('access_request', result)], summary: describeStep(by, request), result }
}

/** What is asked for, in the words of history: the role responder in tenant acme. */
const describeRole = ({ role, tenant, resource_instance: instance }: AccessRequest): string =>
  `the role ${role} ${instance === null ? `in tenant ${tenant}` : `on ${instance}`}`

const describeStep = (by: TransitionName, request: AccessRequest): string =>
  `${TRANSITIONS[by].done} the request of ${request.user} for ${describeRole(request)}`

/**
 * The request, and the user who acts, who may cause the transition.
 * @throws OBJECT_NOT_FOUND, REQUEST_REFUSED for another user, REQUEST_STATE when the request is in another state
 */
function requireTransition(view: View, ref: string, name: TransitionName, acting: Acting, now: number) {
  const request = view.require('access_request', ref)
  const user = requireActor(view, acting, now)
  const { from, by, done } = TRANSITIONS[name]
  if (!mayCause(view, name, request, { user, acting }, now)) {
    const who = by === 'requester' ? 'only who asked may' : `user \`${user.key}\` may not`
    const isOwn = isSamePerson(request, acting) || user.key === request.user
    const own = by === 'approver' && isOwn ? ', because it is their own' : ''
    throw new ZerohopError('REQUEST_REFUSED', { reason: `${who} have this request ${done}${own}` })
  }
  const state = requestState(request, now)
  if (state !== from) throw new ZerohopError('REQUEST_STATE', { id: request.id, state, done })
  return { request, user }
}

type Wanted = Pick<AccessRequestCreate, 'role' | 'tenant' | 'resource_instance'>
interface Target {
  readonly role: string
  readonly tenant: string
  readonly tenant_id: string
  readonly resource_instance: string | null
  readonly requestable: Requestable
}

/**
 * What is asked for. A tenant in which the user is not, and an instance in it, are as if they were not there, unless the role
 * says that everybody may ask for it.
 * @throws OBJECT_NOT_FOUND, REQUEST_REFUSED when the role cannot be asked for
 */
function resolveTarget(view: View, user: User, sent: Wanted): Target {
  const ref = sent.resource_instance ?? undefined
  return ref === undefined ? resolveInTenant(view, user, sent) : resolveOnInstance(view, user, sent, ref)
}

function resolveInTenant(view: View, user: User, { role: roleRef, tenant: tenantRef }: Wanted): Target {
  const ref = tenantRef ?? DEFAULT_TENANT
  const tenant = view.find('tenant', ref)
  const own = findOwnRole(view, user, tenant, roleRef)
  const role = own ?? view.require('role', roleRef, [...BODY, 'role'])
  const requestable = requireRequestable(role.requestable, role.key)
  if (tenant === undefined || !mayAsk(view, { user: user.key, tenant: tenant.key }, requestable))
    throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'tenant', ref }, { path: [...BODY, 'tenant'] })
  return { role: role.key, tenant: tenant.key, tenant_id: tenant.id, resource_instance: null, requestable }
}

/** A role of the tenant itself (D18), for its own users: to all others it is as if it were not there. */
function findOwnRole(view: View, user: User, tenant: Tenant | undefined, ref: string): TenantRole | undefined {
  if (tenant === undefined || !isIn(view, user.key, tenant.key)) return undefined
  const found = view.find('tenant_role', ref)
  return found?.tenant === tenant.key ? found : undefined
}

function resolveOnInstance(view: View, user: User, sent: Wanted, ref: string): Target {
  const instance = view.find('resource_instance', ref)
  const found = instance && findResourceRole(view, instance.resource, sent.role)
  const isMember = instance !== undefined && isIn(view, user.key, instance.tenant)
  const tenant = sent.tenant == null ? instance?.tenant : view.find('tenant', sent.tenant)?.key
  if (instance === undefined || instance.tenant !== tenant || (!isMember && found?.requestable?.by !== 'everybody')) {
    const path = [...BODY, 'resource_instance']
    throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'resource_instance', ref }, { path })
  }
  const role = requireResourceRole(view, instance.resource, sent.role, [...BODY, 'role'])
  const requestable = requireRequestable(role.requestable, role.key)
  const { id: tenant_id } = view.require('tenant', instance.tenant)
  return { role: role.role, tenant: instance.tenant, tenant_id, resource_instance: instance.key, requestable }
}

function requireRequestable(requestable: Requestable | undefined, role: string): Requestable {
  if (requestable !== undefined) return requestable
  const reason = `role \`${role}\` cannot be asked for: its \`requestable\` is not set`
  throw new ZerohopError('REQUEST_REFUSED', { reason }, { path: [...BODY, 'role'] })
}

const isIn = (view: View, user: string, tenant: string): boolean =>
  view.get('membership', membershipKey(tenant, user)) !== undefined

/** Whether the user is where the role may be asked for. */
export const mayAsk = (
  view: View,
  { user, tenant }: Pick<AccessRequest, 'user' | 'tenant'>,
  { by }: Requestable,
): boolean => by === 'everybody' || isIn(view, user, tenant)

/** @throws INPUT_INVALID unless exactly one of both is sent */
function readTime({ duration: sentDuration, until: sentUntil }: Pick<AccessRequestCreate, 'duration' | 'until'>) {
  const duration = settleSeconds(sentDuration, null, [...BODY, 'duration'])
  const until = settleInstant(sentUntil, null, [...BODY, 'until'])
  if ((duration === null) === (until === null)) {
    const reason = 'one of `duration` and `until` is sent: what is asked for always ends'
    throw new ZerohopError('INPUT_INVALID', { reason }, { path: [...BODY, duration === null ? 'duration' : 'until'] })
  }
  return { ...(duration === null ? {} : { duration }), ...(until === null ? {} : { until }) }
}

/** @throws INPUT_INVALID, LIMIT_EXCEEDED, TEXT_INVALID */
function readNotes(sent: Pick<AccessRequestCreate, 'reason' | 'ticket'>) {
  const settle = (name: 'reason' | 'ticket') => settleNote(sent[name], null, name, noteFields[name].max, BODY)
  return presentFields(noteFields, { reason: settle('reason'), ticket: settle('ticket') })
}

function readReason({ reason }: Pick<AccessRequestDecide, 'reason'>): Pick<AccessRequest, 'decision_reason'> {
  const text = settleNote(reason, null, 'reason', DESCRIPTION_LENGTH_MAX, BODY)
  return text === null ? {} : { decision_reason: text }
}

/** Until when a request gives the role if it is approved now, in ms since 1970. @throws INPUT_INVALID when that has passed */
function findEnd({ duration, until }: AccessRequest, now: number): number {
  const end = until ?? Math.min(INSTANT_MAX, now + (duration ?? 0) * 1000)
  if (end > now) return end
  const reason = `it asks for the role until ${printTime(end)}, which has passed`
  throw new ZerohopError('INPUT_INVALID', { reason }, { path: [...BODY, 'until'] })
}

/** The end that an approval says, which is at most the one that was asked for. @throws INPUT_INVALID */
function readShorter(sent: Pick<AccessRequestApprove, 'duration' | 'until'>, asked: number, now: number): number {
  if (sent.duration == null && sent.until == null) return asked
  const { duration, until: sentUntil } = readTime(sent)
  const until = sentUntil ?? now + (duration ?? 0) * 1000
  if (until > now && until <= asked) return until
  const reason = `an approval may shorten what is asked for: it ends after now, and by ${printTime(asked)}`
  throw new ZerohopError(
    'INPUT_INVALID',
    { reason },
    { path: [...BODY, duration === undefined ? 'until' : 'duration'] },
  )
}

/** @throws INPUT_INVALID for more than the role may be asked for, or is given for, as it says now */
function requireWithin(view: View, request: AccessRequest, until: number, now: number): void {
  const { requestable, max_duration: given } = findGiving(view, request)
  const most = Math.min(requestable?.max_duration ?? 0, given ?? Number.POSITIVE_INFINITY)
  if (until - now <= most * 1000) return
  const reason = `the role may be asked for ${formatSeconds(most)} at most`
  const path = [...BODY, request.duration === undefined ? 'until' : 'duration']
  throw new ZerohopError('INPUT_INVALID', { reason }, { path })
}

/** @throws REQUEST_PENDING, LIMIT_EXCEEDED */
function requireRoom(view: View, request: AccessRequest, now: number): void {
  const isPending = (one: AccessRequest) => requestState(one, now) === 'pending'
  const same = [...view.by('pending_request', requestIdentity(request))].find(isPending)
  if (same !== undefined) throw new ZerohopError('REQUEST_PENDING', { user: request.user, id: same.id })
  const exceed = (what: string, limit: number) => new ZerohopError('LIMIT_EXCEEDED', { what, limit }, { path: BODY })
  if (view.count('access_request') >= ACCESS_REQUESTS_MAX) throw exceed('the access requests', ACCESS_REQUESTS_MAX)
  if (view.countBy('requests_of_user', request.user) >= REQUESTS_PER_USER_MAX)
    throw exceed('the access requests of one user', REQUESTS_PER_USER_MAX)
  const pending = [...view.by('pending_requests_of_user', request.user)].filter(isPending).length
  if (pending >= REQUESTS_PENDING_PER_USER_MAX)
    throw exceed('the pending access requests of one user', REQUESTS_PENDING_PER_USER_MAX)
}

interface Held {
  /** what the user has by hand, and has not ended */
  readonly assignment: RoleAssignment | undefined
  /** the approved request that it comes from */
  readonly held: AccessRequest | undefined
}

/** What the user has of what is asked for. @throws ROLE_HELD when that is at least as long, or begins later */
function findHeld(view: View, request: AccessRequest, until: number, now: number): Held {
  const assignment = view.get('role_assignment', requestIdentity(request))
  if (assignment === undefined || isEnded(assignment, now)) return { assignment: undefined, held: undefined }
  const end = assignment.valid_until ?? Number.POSITIVE_INFINITY
  if (!isInForce(assignment, now) || end >= until) throw refuseHeld(request, assignment)
  const id = parseOrigin(assignment.origin)
  const found = id === undefined ? undefined : view.get('access_request', id)
  const own = ownPart(assignment, HAND)
  const isThere = own !== undefined && !isEnded(own, now)
  return { assignment: isThere ? own : undefined, held: found?.state === 'approved' ? found : undefined }
}

function refuseHeld({ user, role }: AccessRequest, assignment: RoleAssignment | undefined): ZerohopError {
  const { valid_from: from, valid_until: until } = assignment ?? {}
  const times = [
    ...(from === undefined ? [] : [`from ${printTime(from)}`]),
    until === undefined ? 'without an end' : `until ${printTime(until)}`,
  ]
  return new ZerohopError('ROLE_HELD', { user, role, times: times.join(' ') })
}

/** Stages the approved request and its assignment. What the user has in force goes on until the later end. */
function give(draft: Draft, request: AccessRequest, until: number, mint: Mint): AccessRequest {
  const { user, role, tenant, resource_instance } = request
  const notes = presentFields(noteFields, request)
  const { assignment, held } = findHeld(draft, request, until, mint.now)
  // what a request gave ends with it: what counts is what the user had without requests
  const before = assignment === undefined || held !== undefined ? held?.before : heldBefore(assignment)
  const approved: AccessRequest = {
    ...request,
    state: TRANSITIONS.approve.to,
    decided_at: mint.now,
    updated_at: mint.now,
    valid_until: until,
    ...(before === undefined ? {} : { before }),
  }
  const origin = formatOrigin(request.key)
  if (assignment === undefined) {
    const sent = { user, role, tenant, resource_instance, valid_until: until, ...notes }
    const made = draft.take(writeAssignment(draft, sent, mint, 'add')).object.assignment
    draft.stage([put('role_assignment', { ...made, origin })])
  } else {
    const { reason: _reason, ticket: _ticket, ...rest } = assignment
    const prolonged = { ...rest, valid_until: until, ...notes, origin, updated_at: mint.now }
    draft.stage(asOwnPart('role_assignment', draft, [put('role_assignment', prolonged)], HAND, mint))
  }
  if (held !== undefined) {
    const { decided_by: _by, decision_reason: _why, ...rest } = held
    const superseded = { ...rest, state: TRANSITIONS.supersede.to, decided_at: mint.now, updated_at: mint.now }
    draft.stage([put('access_request', superseded)])
  }
  draft.stage([put('access_request', approved)])
  return approved
}

const HELD_FIELDS = { ...timeFields, ...noteFields }
const heldBefore = (assignment: RoleAssignment): HeldBefore => presentFields(HELD_FIELDS, assignment)

/** The changes by which the user has what was held before again; nothing, when that has ended by now. */
function takeBack(view: View, stored: RoleAssignment, before: HeldBefore | undefined, mint: Mint): Change[] {
  if (before === undefined || isEnded(before, mint.now))
    return dropOwnParts('role_assignment', view, [stored], HAND, mint).changes
  const bare: { [name: string]: unknown } = { ...ownPart(stored, HAND), updated_at: mint.now }
  for (const name of [...Object.keys(HELD_FIELDS), 'origin', 'end_announced']) delete bare[name]
  /* canary: held-before */ const restored = { ...bare, ...before }
  return asOwnPart('role_assignment', view, [put('role_assignment', restored as unknown as RoleAssignment)], HAND, mint)
}
