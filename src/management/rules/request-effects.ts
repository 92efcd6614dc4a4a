// What becomes of access requests when something else is written (docs/access-requests.md). It is read from the changes of
// each use case, so it holds for every way to write: single writes, bulk calls, files, plans, reverts and upkeep.
import {
  type AccessRequest,
  parseOrigin,
  requestState,
  TRANSITIONS,
  type TransitionName,
} from '../../kinds/access-request.ts'
import { HAND } from '../../kinds/claims.ts'
import type { IndexName, KindName } from '../../kinds/index.ts'
import type { RoleAssignment } from '../../kinds/role-assignment.ts'
import { type Change, put } from '../../log/change.ts'
import type { Decided, InputOf, Mint, UseCase, UseCases, View } from '../../store/view.ts'
import { ownPart } from './claims.ts'

/** The pending requests that name an object of a kind. */
const PENDING_OF = {
  user: 'pending_requests_of_user',
  role: 'pending_requests_of_role',
  tenant_role: 'pending_requests_of_role',
  resource_role: 'pending_requests_of_role',
  tenant: 'pending_requests_of_tenant',
  resource_instance: 'pending_requests_on_instance',
} as const satisfies { readonly [K in KindName]?: IndexName }

/** All of the use cases, with what their changes make of access requests. */
export const withRequests = <U extends UseCases>(useCases: U): U =>
  Object.fromEntries(Object.entries(useCases).map(([name, useCase]) => [name, following(useCase)])) as U

function following<U extends UseCase>(useCase: U): U {
  const run = (view: View, input: InputOf<U>, mint: Mint): Decided<unknown> => {
    const decided = useCase(view, input, mint)
    const changes = followRequests(view, decided.changes, mint.now)
    const also = decided.also?.map((other) =>
      isNew(other.log, decided.changes)
        ? other
        : { ...other, changes: followRequests(view.other(other.log), other.changes, mint.now) },
    )
    return { ...decided, changes, ...(also === undefined ? {} : { also }) }
  }
  // same input, same result: only changes are added
  return run as UseCase as U
}

/** An environment that the same write makes has no requests. */
const isNew = (log: string, changes: readonly Change[]): boolean =>
  changes.some((change) => change.op === 'put' && change.kind === 'environment' && change.value.id === log)

/**
 * The changes with those of the requests that they concern: one whose assignment is written in another way is superseded,
 * and one whose user, role, tenant or instance goes is cancelled.
 * @param now the time of the entry, in ms since 1970
 */
function followRequests(view: View, changes: readonly Change[], now: number): readonly Change[] {
  if (view.count('access_request') === 0) return changes
  const written = new Set(changes.flatMap(({ kind, key }) => (kind === 'access_request' ? [key] : [])))
  const follow: Change[] = []
  const close = (request: AccessRequest, by: TransitionName): void => {
    const { from, to } = TRANSITIONS[by]
    if (written.has(request.key) || requestState(request, now) !== from) return
    written.add(request.key)
    const { decided_by: _by, decision_reason: _reason, ...rest } = request
    follow.push(put('access_request', { ...rest, state: to, decided_at: now, updated_at: now }))
  }
  const kept = changes.map((change) => {
    if (change.kind !== 'role_assignment') return change
    const stored = view.get('role_assignment', change.key)
    const id = parseOrigin(stored?.origin)
    if (stored === undefined || id === undefined || written.has(id)) return change
    if (change.op === 'put' && isSame(ownPart(stored, HAND), ownPart(change.value, HAND))) return change
    const request = view.get('access_request', id)
    if (request !== undefined) close(request, change.op === 'delete' && isGone(changes, stored) ? 'end' : 'supersede')
    /* canary: origin-after-a-direct-write */ return change.op === 'put'
      ? put('role_assignment', withoutOrigin(stored, change.value))
      : change
  })
  for (const { op, kind, key } of changes) {
    if (op !== 'delete' || !Object.hasOwn(PENDING_OF, kind)) continue
    const index = PENDING_OF[kind as keyof typeof PENDING_OF]
    for (const request of view.by(index, key)) close(request, 'remove')
  }
  return follow.length === 0 && kept.every((change, at) => change === changes[at]) ? changes : [...kept, ...follow]
}

/**
 * Whether a write leaves an assignment as it was given by hand: upkeep notes in it that its end was announced, and others may
 * claim it too.
 */
const isSame = (before: RoleAssignment | undefined, after: RoleAssignment | undefined): boolean =>
  before?.origin === after?.origin &&
  before?.id === after?.id &&
  (['valid_from', 'valid_until', 'reason', 'ticket'] as const).every((name) => before?.[name] === after?.[name])

function withoutOrigin(stored: RoleAssignment, value: RoleAssignment): RoleAssignment {
  if (value.origin !== stored.origin) return value
  const { origin: _, ...rest } = value
  return rest
}

/** Whether the changes also delete what the assignment connects. */
function isGone(changes: readonly Change[], of: RoleAssignment): boolean {
  const { user, role, tenant, resource_instance: instance } = of
  const names = new Set([`user ${user}`, `tenant ${tenant}`])
  if (instance === null) names.add(`role ${role}`).add(`tenant_role ${role}`)
  else
    names.add(`resource_instance ${instance}`).add(`resource_role ${instance.slice(0, instance.indexOf(':'))}/${role}`)
  return changes.some(({ op, kind, key }) => op === 'delete' && names.has(`${kind} ${key}`))
}
