// Who acts in an access request, and who may decide about it (docs/access-requests.md): somebody else than who asked, stored
// and not suspended, with a role that approves, in force. It is read from the view of the writer's transaction: a walk with
// a bound, and nothing is derived but the roles of groups.
import { type AccessRequest, requestState, TRANSITIONS, type TransitionName } from '../../kinds/access-request.ts'
import { isInForce } from '../../kinds/times.ts'
import type { User } from '../../kinds/user.ts'
import { ZerohopError } from '../../model/errors.ts'
import { APPROVER_GROUPS_MAX } from '../../model/limits.ts'
import { assignmentKey, tupleKey } from '../../model/objects.ts'
import type { View } from '../../store/view.ts'
import { BODY, type Path } from '../rules/fields.ts'
import { findGiving } from '../rules/giving.ts'
import { groupRelation, MEMBER } from './groups.ts'

/** Somebody who is signed in to the console, as a user of the environment. */
interface Person {
  /** what stands for the person, as `userId` makes it */
  readonly id: string
  /** when the person signed in, in ms since 1970 */
  readonly since: number
}

/** Who acts: the user whom a server names, or the one that a person of the console is. */
export interface Acting {
  /** a key or an id; of a person a key */
  readonly as: string
  readonly person?: Person
}

/** The user who acts. @throws OBJECT_NOT_FOUND; REQUEST_REFUSED for a person without one, and while it is suspended */
export function requireActor(view: View, { as, person }: Acting, now: number, path: Path = [...BODY, 'as']): User {
  const user = person === undefined ? view.require('user', as, path) : requirePerson(view, as, person)
  if (!isSuspended(user, now)) return user
  throw new ZerohopError('REQUEST_REFUSED', { reason: `user \`${user.key}\` is suspended` })
}

/** A user who was created after somebody signed in by that key may be somebody else. */
function requirePerson(view: View, key: string, { since }: Person): User {
  const user = view.get('user', key)
  if (user !== undefined && user.created_at <= since) return user
  const reason =
    user === undefined
      ? `you are signed in as user \`${key}\`, who is not a user of this environment`
      : `user \`${key}\` was created after you signed in: sign in again`
  throw new ZerohopError('REQUEST_REFUSED', { reason })
}

/** Whether the person who acts is the one who asked, maybe as another user. */
export const isSamePerson = (request: AccessRequest, { person }: Acting): boolean =>
  person !== undefined && person.id === request.person

export const isSuspended = ({ suspension }: User, now: number): boolean =>
  suspension !== undefined && suspension !== null && isInForce(suspension, now)

/** The user who acts, who is not suspended, and how that is known. */
export interface Actor {
  readonly user: User
  readonly acting: Acting
}

/** Whether somebody may cause a transition of the request, whatever state it is in. */
export function mayCause(
  view: View,
  name: TransitionName,
  request: AccessRequest,
  { user, acting }: Actor,
  now: number,
): boolean {
  const { by } = TRANSITIONS[name]
  if (by === 'system') return false
  const isRequester = user.key === request.user
  if (by === 'requester') return isRequester
  const isSame = isSamePerson(request, acting)
  const mayApprove = /* canary: approver-check */ !isSame && isApprover(view, request, user, now)
  return mayApprove || (by === 'approver or requester' && isRequester)
}

/** Lists what somebody may do with the request in the state that it is in. */
export function listSteps(view: View, request: AccessRequest, actor: Actor, now: number): TransitionName[] {
  const state = requestState(request, now)
  const names = Object.keys(TRANSITIONS) as TransitionName[]
  return names.filter((name) => TRANSITIONS[name].from === state && mayCause(view, name, request, actor, now))
}

/** Whether the user, who is not suspended, may decide about the request at that instant, in ms since 1970. */
export function isApprover(view: View, request: AccessRequest, user: User, now: number): boolean {
  if (/* canary: own-request */ user.key === request.user) return false
  const approvers = findGiving(view, request).requestable?.approvers ?? []
  return approvers.some((approver) => {
    const slash = approver.indexOf('/')
    if (slash < 0) return holds(view, user.key, approver, request.tenant, null, now)
    const { resource_instance: instance } = request
    if (instance === null) return false
    const role = approver.slice(slash + 1)
    return (
      holds(view, user.key, role, request.tenant, instance, now) || holdsByGroup(view, user.key, approver, request, now)
    )
  })
}

/** Whether the role is assigned to the user itself, and in force: everyone's roles approve nothing. */
function holds(view: View, user: string, role: string, tenant: string, instance: string | null, now: number): boolean {
  const assignment = view.get('role_assignment', assignmentKey(user, role, tenant, instance))
  return assignment !== undefined && /* canary: approver-in-force */ isInForce(assignment, now)
}

/** Whether the user is a member of one group that has the role on the instance; groups in groups do not count. */
function holdsByGroup(
  view: View,
  user: string,
  key: string,
  { tenant, resource_instance }: AccessRequest,
  now: number,
) {
  const role = view.get('resource_role', key)
  if (role === undefined || role.granted_to === null || resource_instance === null) return false
  const { when, users_with_role: rules } = role.granted_to
  if (when.no_direct_roles_on_object) return false
  const held = view.by('instance_assignments_of_user_in_tenant', `${user}/${tenant}`, { limit: APPROVER_GROUPS_MAX })
  for (const assignment of held) {
    if (assignment.role !== MEMBER || !isInForce(assignment, now)) continue
    const group = view.get('group', assignment.resource_instance ?? '')
    if (group === undefined) continue
    const relation = groupRelation(group.resource, role.role)
    const tuple = view.get('relationship_tuple', tupleKey(group.key, relation, resource_instance))
    if (tuple === undefined || !isInForce(tuple, now)) continue
    const gives = rules.some(
      (rule) =>
        rule.role === MEMBER &&
        rule.on_resource === group.resource &&
        rule.linked_by_relation === relation &&
        !rule.when.no_direct_roles_on_object,
    )
    if (gives) return true
  }
  return false
}
