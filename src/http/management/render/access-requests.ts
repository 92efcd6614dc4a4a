// How access requests print.
import { type AccessRequest, expiresAt, requestState } from '../../../kinds/access-request.ts'
import { presentFields } from '../../../kinds/fields.ts'
import { noteFields } from '../../../kinds/role-assignment.ts'
import type { RoleOnRequest } from '../../../management/objects/requestable-roles.ts'
import type { AccessRequestRead, RequestableRole } from '../../../management/schemas/access-requests.ts'
import type { Scope } from '../auth.ts'
import { place, printTime, times } from './stamps.ts'

/** @param now ms since 1970, from which its state follows */
export function accessRequestRead(scope: Scope, request: AccessRequest, now: number): AccessRequestRead {
  const { id, user, role, tenant, resource_instance, duration, until, auto } = request
  const { approved_by, decided_by, decided_at, decision_reason, valid_until } = request
  const state = requestState(request, now)
  return {
    id,
    state,
    user,
    role,
    tenant,
    resource_instance,
    ...(duration === undefined ? {} : { duration }),
    ...(until === undefined ? {} : { until: printTime(until) }),
    ...presentFields(noteFields, request),
    ...(auto === undefined ? {} : { auto }),
    ...(state === 'pending' ? { expires_at: printTime(expiresAt(request)) } : {}),
    ...(approved_by === undefined ? {} : { approved_by }),
    ...(decided_by === undefined ? {} : { decided_by }),
    ...(decided_at === undefined ? {} : { decided_at: printTime(decided_at) }),
    ...(decision_reason === undefined ? {} : { decision_reason }),
    ...(valid_until === undefined ? {} : { valid_until: printTime(valid_until) }),
    ...place(scope),
    ...times(request),
  }
}

export function requestableRole({ role, requestable, max_duration }: RoleOnRequest): RequestableRole {
  const { name, description } = role
  const [key, resource] = 'resource' in role ? [role.role, role.resource] : [role.key, null]
  const { reason, auto } = requestable
  return { key, resource, name, description, max_duration, reason, ...(auto === undefined ? {} : { auto }) }
}
