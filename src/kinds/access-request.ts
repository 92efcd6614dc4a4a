// A user's request for a role for a time (docs/access-requests.md): what is stored, its states, and the one table of what
// leads from a state to another. Use cases, the document and the tests read the table.
import { REQUEST_PENDING_SECONDS } from '../model/limits.ts'
import { assignmentKey, type Stored } from '../model/objects.ts'
import type { StoredFields } from './fields.ts'
import { every, type Kind, roleKeyIn } from './kind.ts'
import type { noteFields } from './role-assignment.ts'
import { instantValue, type StoredTimes } from './times.ts'

/** The states that are stored. */
export const STORED_STATES = ['pending', 'approved', 'denied', 'cancelled', 'revoked', 'superseded'] as const
export type StoredState = (typeof STORED_STATES)[number]
/** States that follow from the instant: of a pending request that was not decided, and of an approved one. */
export type DerivedState = 'expired' | 'ended'
export type RequestState = StoredState | DerivedState
export const REQUEST_STATES: readonly RequestState[] = [...STORED_STATES, 'expired', 'ended']

/** Who may cause a transition: somebody who approves for the role, who asked, or what the system does by itself. */
export type Causer = 'approver' | 'requester' | 'approver or requester' | 'system'

interface Transition {
  readonly from: StoredState
  readonly to: StoredState
  readonly by: Causer
  /** completes "it cannot be …", and says what was done */
  readonly done: string
  /** when it happens, for the document */
  readonly when: string
}

/** Every transition. What is not here is refused, and a state that is the `from` of none is final. */
export const TRANSITIONS = {
  approve: {
    from: 'pending',
    to: 'approved',
    by: 'approver',
    done: 'approved',
    when: 'the role is given, for the time that was asked for or less',
  },
  deny: { from: 'pending', to: 'denied', by: 'approver', done: 'denied', when: 'nothing is given' },
  cancel: {
    from: 'pending',
    to: 'cancelled',
    by: 'requester',
    done: 'cancelled',
    when: 'the user no longer wants the role',
  },
  remove: {
    from: 'pending',
    to: 'cancelled',
    by: 'system',
    done: 'removed',
    when: 'the user, the role, the tenant or the instance is deleted',
  },
  revoke: {
    from: 'approved',
    to: 'revoked',
    by: 'approver or requester',
    done: 'revoked',
    when: 'the role is revoked, and what the user had before is restored',
  },
  supersede: {
    from: 'approved',
    to: 'superseded',
    by: 'system',
    done: 'superseded',
    when: 'the assignment is written or deleted in another way, or another request prolongs it',
  },
  end: {
    from: 'approved',
    to: 'cancelled',
    by: 'system',
    done: 'ended',
    when: 'the user, the role, the tenant or the instance is deleted',
  },
} as const satisfies Readonly<Record<string, Transition>>
export type TransitionName = keyof typeof TRANSITIONS

/** What a user held before a request was approved, which is given again when it is revoked. */
export interface HeldBefore extends StoredTimes, StoredFields<typeof noteFields> {}

/**
 * A request of `user` for `role` in a tenant, or on one instance in it. `key` is its id. It asks for a duration, which is
 * counted from the approval, or for an end.
 */
export interface AccessRequest extends Stored, StoredFields<typeof noteFields> {
  readonly user: string
  readonly role: string
  readonly tenant: string
  /** a request outlives its tenant, and another one of that key must not see it */
  readonly tenant_id: string
  readonly resource_instance: string | null
  readonly state: StoredState
  /** stands for the person of the console who asked, who does not decide about it, whatever user that person is */
  readonly person?: string
  /** seconds from the approval on */
  readonly duration?: number
  /** ms since 1970 */
  readonly until?: number
  /** approved at once, by the rule of the role alone */
  readonly auto?: true
  /** key of the user who approved, denied, cancelled or revoked it last; absent: the system */
  readonly decided_by?: string
  /** ms since 1970 */
  readonly decided_at?: number
  readonly decision_reason?: string
  /** key of the user who approved it */
  readonly approved_by?: string
  /** until when an approved one gives the role, in ms since 1970 */
  readonly valid_until?: number
  /** what the user held in force when it was approved */
  readonly before?: HeldBefore
}

const PENDING_MS = REQUEST_PENDING_SECONDS * 1000

/** When a pending request expires, in ms since 1970. */
export const expiresAt = ({ created_at }: Pick<AccessRequest, 'created_at'>): number => created_at + PENDING_MS

/** From when on nothing can become of a request any more, in ms since 1970. */
export function closesAt(request: AccessRequest): number {
  if (request.state === 'pending') return expiresAt(request)
  if (request.state === 'approved') return request.valid_until ?? request.updated_at
  return request.decided_at ?? request.updated_at
}

/** The state of a request at an instant. */
export function requestState(request: AccessRequest, now: number): RequestState {
  const { state } = request
  if (state === 'pending') return closesAt(request) <= now ? 'expired' : state
  if (state === 'approved') return closesAt(request) <= now ? 'ended' : state
  return state
}

/** The origin of an assignment that a request gave. */
export const formatOrigin = (request: string): string => `request/${request}`
/** The id of the request in the origin of an assignment. */
export const parseOrigin = (origin: string | undefined): string | undefined => origin?.slice('request/'.length)

type OfIdentity = Pick<AccessRequest, 'user' | 'role' | 'tenant' | 'resource_instance'>
/** What may be asked for once at a time: the key of the assignment. */
export const requestIdentity = ({ user, role, tenant, resource_instance: instance }: OfIdentity): string =>
  assignmentKey(user, role, tenant, instance)

const ifPending = (request: AccessRequest, value: string): readonly string[] =>
  request.state === 'pending' ? [value] : []

export const accessRequest = {
  number: 20,
  newerNumbers: { requests: 80 },
  hasIds: true,
  hasOwnTable: false,
  indexes: {
    every_request: every,
    requests_of_user: ({ user }) => [user],
    requests_of_role: ({ role, resource_instance: instance }) => [roleKeyIn(role, instance)],
    requests_of_tenant: ({ tenant }) => [tenant],
    requests_on_instance: ({ resource_instance: instance }) => (instance === null ? [] : [instance]),
    pending_request: (request) => ifPending(request, requestIdentity(request)),
    pending_requests_of_user: (request) => ifPending(request, request.user),
    pending_requests_of_role: (request) => ifPending(request, roleKeyIn(request.role, request.resource_instance)),
    pending_requests_of_tenant: (request) => ifPending(request, request.tenant),
    pending_requests_on_instance: (request) =>
      request.resource_instance === null ? [] : ifPending(request, request.resource_instance),
    /** in the order in which nothing can become of them any more, by stored state */
    requests_by_close: (request) => [`${request.state}/${instantValue(closesAt(request))}`],
  },
  projection: null,
  inFiles: null,
} as const satisfies Kind<'access_request', AccessRequest>
