// User invites with a role: approving one creates the user if it is missing, and assigns the role.
import { isDeepStrictEqual } from 'node:util'
import { presentFields } from '../../kinds/fields.ts'
import { roleKeyIn } from '../../kinds/kind.ts'
import { noteFields, type RoleAssignment } from '../../kinds/role-assignment.ts'
import { isEnded, projectTimes } from '../../kinds/times.ts'
import type { User } from '../../kinds/user.ts'
import type { UserInvite } from '../../kinds/user-invite.ts'
import { put, remove } from '../../log/change.ts'
import { ZerohopError } from '../../model/errors.ts'
import { requireKey } from '../../model/keys.ts'
import { INVITES_MAX } from '../../model/limits.ts'
import { assignmentKey } from '../../model/objects.ts'
import { Draft } from '../../store/draft.ts'
import type { Decided, Mint, View } from '../../store/view.ts'
import { requireSameKey } from '../rules/collection.ts'
import { BODY, settle, settleEmail, settleNote, settleText } from '../rules/fields.ts'
import { findGiving } from '../rules/giving.ts'
import { findRoleInTenants, requireOfTenant } from '../rules/tenant-roles.ts'
import { settleTimes } from '../rules/times.ts'
import type { InviteApprove, InviteCreate, InviteReplace, InviteUpdate } from '../schemas/invites.ts'
import { reachInstance } from './instances.ts'
import { findResourceRole, requireResourceRole, writeAssignment } from './role-assignments.ts'
import { createUser, userStays } from './users.ts'

interface Approval {
  readonly ref: string
  readonly user: InviteApprove
}

const BLANK = {
  status: 'pending',
  email: '',
  first_name: '',
  last_name: '',
  role: '',
  tenant: '',
  resource_instance: null,
} as const

/** @throws KEY_INVALID, OBJECT_EXISTS, OBJECT_NOT_FOUND, EMAIL_INVALID, TENANT_MISMATCH, ROLE_OF_OTHER_TENANT, LIMIT_EXCEEDED */
export function createInvite(view: View, input: InviteCreate, mint: Mint): Decided<UserInvite> {
  const key = requireKey('user', input.key)
  view.refuse('user_invite', key)
  if (view.count('user_invite') >= INVITES_MAX) {
    throw new ZerohopError('LIMIT_EXCEEDED', { what: 'the user invites', limit: INVITES_MAX }, { path: BODY })
  }
  const stamps = { id: mint.id(), key, created_at: mint.now, updated_at: mint.now }
  const invite = merge(view, { ...stamps, ...BLANK }, input)
  return { changes: [put('user_invite', invite)], result: invite }
}

/** Changes the fields that were sent. */
export const updateInvite = (view: View, { ref, fields }: Changed<InviteUpdate>, mint: Mint): Decided<UserInvite> =>
  rewrite(view, view.require('user_invite', ref), {}, fields, mint)

/** Replaces the invite: without an instance it is for a role in the tenant; its other fields must be sent. */
export const replaceInvite = (view: View, { ref, fields }: Changed<InviteReplace>, mint: Mint): Decided<UserInvite> =>
  rewrite(view, view.require('user_invite', ref), BLANK, fields, mint)

interface Changed<F> {
  readonly ref: string
  readonly fields: F
}

function rewrite(
  view: View,
  stored: UserInvite,
  reset: Partial<UserInvite>,
  sent: InviteUpdate,
  mint: Mint,
): Decided<UserInvite> {
  requireSameKey(sent.key, stored.key)
  const invite = { ...merge(view, { ...stored, ...reset }, sent), updated_at: mint.now }
  if (isDeepStrictEqual({ ...invite, updated_at: stored.updated_at }, stored)) return { changes: [], result: stored }
  return { changes: [put('user_invite', invite)], result: invite }
}

export function deleteInvite(view: View, { ref }: { readonly ref: string }, _mint: Mint): Decided<null> {
  const { key } = view.require('user_invite', ref)
  return { changes: [remove('user_invite', key)], status: 204, result: null }
}

/**
 * Creates the user unless the key exists, and assigns the role of the invite. A user who is there stays as it is:
 * whoever accepts an invite must not be able to reset what access depends on. An assignment that is there and has not
 * ended stays, too: an invite takes nothing away.
 * @throws INVITE_APPROVED, INVITE_OF_OTHER, NOT_ASSIGNABLE_BY_TENANTS, EMAIL_INVALID, KEY_INVALID
 */
export function approveInvite(view: View, { ref, user: named }: Approval, mint: Mint): Decided<User> {
  const invite = view.require('user_invite', ref)
  if (invite.status === 'approved') throw new ZerohopError('INVITE_APPROVED', { key: invite.key })
  const { first_name, last_name, role, tenant, resource_instance } = invite
  const { key, email, attributes } = named
  requireOffered(view, invite, key)
  settleEmail(email, null) // refused also where it is ignored
  const draft = new Draft(view)
  const stored = view.get('user', key)
  const user = stored ?? draft.take(createUser(draft, { key, email, first_name, last_name, attributes }, mint))
  const sent = { ...projectTimes(invite), ...presentFields(noteFields, invite) }
  const held = draft.get('role_assignment', assignmentKey(user.key, role, tenant, resource_instance))
  const isHeld = held !== undefined && !isEnded(held, mint.now)
  if (!isHeld) {
    const assignment = { user: user.key, role, tenant, resource_instance, ...sent }
    draft.take(writeAssignment(draft, assignment, mint, 'add'))
  }
  draft.stage([put('user_invite', { ...invite, status: 'approved', updated_at: mint.now })])
  const warnings = [
    ...(stored === undefined ? [] : [userStays(key, ['email', 'attributes'])]),
    ...(isHeld && Object.keys(sent).length > 0 ? [assignmentStays(held)] : []),
  ]
  return { changes: draft.changes(), ...(warnings.length > 0 && { warnings }), result: user }
}

/**
 * What a tenant offered is looked at again: its key may not give what tenants may no longer assign.
 * @throws NOT_ASSIGNABLE_BY_TENANTS; INVITE_OF_OTHER for an invite of another user
 */
function requireOffered(view: View, invite: UserInvite, other: string): void {
  const { key, user = other, role, resource_instance: instance } = invite
  if (user !== other) throw new ZerohopError('INVITE_OF_OTHER', { key, user, other })
  if (!invite.by_tenant || findGiving(view, invite).assignable_by_tenants) return
  const kind = instance === null ? 'role' : 'resource_role'
  throw new ZerohopError('NOT_ASSIGNABLE_BY_TENANTS', { key, kind, role: roleKeyIn(role, instance) })
}

/** The warning that the times, the reason and the ticket of an invite are ignored. */
const assignmentStays = ({ user, role, tenant, resource_instance: instance }: RoleAssignment): string =>
  `user \`${user}\` has role \`${role}\` ${instance === null ? `in tenant \`${tenant}\`` : `on \`${instance}\``} already, which is not changed: the times of the invite are ignored, and its reason and ticket`

/** Why the role is given, after a write; what is not sent stays, null clears. @throws INPUT_INVALID */
export const settleNotes = (
  base: Pick<UserInvite, 'reason' | 'ticket'>,
  sent: Pick<InviteUpdate, 'reason' | 'ticket'>,
) =>
  presentFields(
    noteFields,
    Object.fromEntries(
      (['reason', 'ticket'] as const).map((name) => [
        name,
        settleNote(sent[name], base[name] ?? null, name, noteFields[name].max, BODY),
      ]),
    ),
  )

/**
 * The assignment of the invite: a role in the tenant, or one on an instance in it. Clients may send an instance with a
 * tenant role too; the role is then in the tenant, and the instance only has to exist there. A PATCH without the
 * instance keeps it, and one without the role keeps the kind of role: a role on an instance never becomes one in the
 * whole tenant, whatever else is called so by then.
 */
function merge(view: View, base: UserInvite, sent: InviteUpdate): UserInvite {
  const named = {
    status: settle(sent.status, base.status, base.status),
    email: settleEmail(sent.email ?? undefined, base.email) ?? base.email,
    first_name: settleText(sent.first_name ?? undefined, base.first_name, 'first_name') ?? base.first_name,
    last_name: settleText(sent.last_name ?? undefined, base.last_name, 'last_name') ?? base.last_name,
  }
  const { valid_from: _from, valid_until: _until, reason: _reason, ticket: _ticket, ...bare } = base
  const invite = { ...bare, ...named, ...settleTimes(base, sent, BODY), ...settleNotes(base, sent) }
  const tenant = view.require('tenant', sent.tenant_id ?? base.tenant, [...BODY, 'tenant_id']).key
  const ref = settle<string | null>(sent.resource_instance_id, base.resource_instance, null)
  const role = sent.role_id ?? base.role
  if (ref === null) return { ...invite, role: findInTenant(view, role, tenant), tenant, resource_instance: null }
  const { instance } = reachInstance(view, { ref, tenant, path: [...BODY, 'resource_instance_id'] }, undefined)
  const hasTenantRole = base.role !== '' && base.resource_instance === null
  const isTenantRole = sent.role_id == null ? hasTenantRole : !findResourceRole(view, instance.resource, role)
  if (typeof sent.resource_instance_id === 'string' && isTenantRole) {
    if (findRoleInTenants(view, role) !== undefined)
      return { ...invite, role: findInTenant(view, role, tenant), tenant, resource_instance: null }
  }
  const { role: key } = requireResourceRole(view, instance.resource, role, ROLE)
  return { ...invite, role: key, tenant, resource_instance: instance.key }
}

const ROLE = [...BODY, 'role_id']

/** The key of a role in tenants: of the environment, or of that tenant. @throws OBJECT_NOT_FOUND, ROLE_OF_OTHER_TENANT */
function findInTenant(view: View, ref: string, tenant: string): string {
  const { key } = findRoleInTenants(view, ref) ?? view.require('role', ref, ROLE)
  requireOfTenant(key, tenant, ROLE)
  return key
}
