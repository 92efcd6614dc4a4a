// What the key of a tenant may write: who has which role in its tenant, who is invited to it, who leaves it, and
// who asks for a role; and its own roles. The use cases are those of
// the environment, over the view of the tenant; what they would change is looked at before it is written.

import type { RoleAssignment } from '../../kinds/role-assignment.ts'
import type { UserInvite } from '../../kinds/user-invite.ts'
import type { Change } from '../../log/change.ts'
import { ZerohopError } from '../../model/errors.ts'
import { EVERYBODY } from '../../model/keys.ts'
import type { Decided, InputOf, Mint, View } from '../../store/view.ts'
import { findGiving } from '../rules/giving.ts'
import { isSeenBy, MADE, TenantView } from '../rules/tenant-view.ts'
import { writeFacts } from './fact-writes.ts'
import { assign, putAssignment, unassign } from './role-assignments.ts'
import { cancelInTenant, inviteByTenant } from './tenant-invites.ts'
import { decideInTenant, requestInTenant } from './tenant-requests.ts'
import {
  addTenantRolePermissions,
  createTenantRole,
  deleteTenantRole,
  removeTenantRolePermissions,
  replaceTenantRole,
  updateTenantRole,
} from './tenant-roles.ts'
import { removeTenantUser } from './tenants.ts'

const TENANT_WRITES = {
  assign,
  putAssignment,
  unassign,
  removeTenantUser,
  writeFacts,
  inviteInTenant: inviteByTenant,
  cancelInTenant,
  requestInTenant,
  decideInTenant,
  createTenantRole,
  updateTenantRole,
  deleteTenantRole,
  addTenantRolePermissions,
  removeTenantRolePermissions,
  replaceTenantRole,
} as const
type TenantWrites = typeof TENANT_WRITES
export type TenantWrite = keyof TenantWrites

export type InTenant = {
  readonly [N in TenantWrite]: { readonly tenant: string; readonly name: N; readonly input: InputOf<TenantWrites[N]> }
}[TenantWrite]

/** True of the use cases that the key of a tenant may have carried out. */
export const isTenantWrite = (name: string): name is TenantWrite => Object.hasOwn(TENANT_WRITES, name)

/**
 * Carries a use case out for a tenant, which is named by its id.
 * @throws OBJECT_NOT_FOUND for what the tenant does not see and for a role that it may not assign; what the use case throws
 */
export function writeInTenant(view: View, { tenant: id, name, input }: InTenant, mint: Mint): Decided<unknown> {
  const tenant = view.find('tenant', id)
  if (tenant?.id !== id) throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'tenant', ref: id })
  const run = TENANT_WRITES[name] as (view: View, input: unknown, mint: Mint) => Decided<unknown>
  const decided = run(new TenantView(view, tenant.key), input, mint)
  // `requestable` of a role says who may ask for it, and who approves
  const isRequest = name === 'requestInTenant' || name === 'decideInTenant'
  for (const change of decided.changes) requireOwn(view, tenant.key, change, isRequest)
  return decided
}

/** @throws OBJECT_NOT_FOUND unless the change is one of the tenant's users, role assignments or own roles */
function requireOwn(view: View, tenant: string, change: Change, isRequest: boolean): void {
  const { kind, key } = change
  const changed = [view.get(kind, key), change.op === 'put' ? change.value : undefined].filter(
    (one) => one !== undefined,
  )
  if (!MADE.has(kind) || !changed.every((object) => isSeenBy(view, tenant, kind, object as never)))
    throw new ZerohopError('OBJECT_NOT_FOUND', { kind, ref: key })
  if (kind === 'membership' || kind === 'tenant_role' || kind === 'access_request') return
  if (kind === 'user_invite') {
    if (change.op === 'put') requireAssignable(view, change.value as UserInvite)
    return
  }
  if (changed.some((object) => (object as RoleAssignment).user === EVERYBODY))
    throw new ZerohopError('KEY_TOO_NARROW', { what: 'change what everyone may do' })
  if (change.op === 'put' && !isRequest) requireAssignable(view, change.value as RoleAssignment)
}

function requireAssignable(view: View, assignment: RoleAssignment | UserInvite): void {
  const { role, resource_instance: instance } = assignment
  if (findGiving(view, assignment).assignable_by_tenants) return
  const kind = instance === null ? 'role' : 'resource_role'
  throw new ZerohopError('OBJECT_NOT_FOUND', { kind, ref: role }, { path: ['body', 'role'] })
}
