// Invites to a tenant by its own administrators: to an email or to the key of a user, who may exist or not. Nothing is
// looked up of whom is invited, so that no answer tells whether somebody is a user of the environment.
import type { UserInvite } from '../../kinds/user-invite.ts'
import { put, remove } from '../../log/change.ts'
import { ZerohopError } from '../../model/errors.ts'
import { requireKey } from '../../model/keys.ts'
import { INVITES_MAX, INVITES_PER_TENANT_MAX } from '../../model/limits.ts'
import type { Decided, Mint, View } from '../../store/view.ts'
import { BODY, settleEmail, settleText } from '../rules/fields.ts'
import { findGiving } from '../rules/giving.ts'
import { type ByTenant, requireRoleHeld } from '../rules/tenant-roles.ts'
import { requireDuration, settleTimes } from '../rules/times.ts'
import type { InviteInTenant } from '../schemas/invites.ts'
import { reachInstance } from './instances.ts'
import { settleNotes } from './invites.ts'
import { requireResourceRole, resolveInTenant } from './role-assignments.ts'

interface ToTenant {
  /** key or id */
  readonly tenant: string
  readonly invite: InviteInTenant
  /** set by the route, never by a body */
  readonly by: ByTenant
}
interface OfTenant {
  /** key or id */
  readonly tenant: string
  readonly ref: string
}

/** @throws as `inviteByTenant`; any role may be offered */
export const inviteInTenant = (view: View, input: ToTenant, mint: Mint): Decided<UserInvite> =>
  invite(view, input, mint, {})

/**
 * The invite of a key of the tenant; approving it looks at its role again.
 * @throws INPUT_INVALID, EMAIL_INVALID, KEY_INVALID, OBJECT_NOT_FOUND, OBJECT_EXISTS for one that is pending already,
 * LIMIT_EXCEEDED
 */
export const inviteByTenant = (view: View, input: ToTenant, mint: Mint): Decided<UserInvite> =>
  invite(view, input, mint, { by_tenant: true })

function invite(
  view: View,
  { tenant: ref, invite: sent, by }: ToTenant,
  mint: Mint,
  mark: Pick<UserInvite, 'by_tenant'>,
): Decided<UserInvite> {
  const tenant = view.require('tenant', ref).key
  const id = mint.id()
  const times = settleTimes({}, sent, BODY)
  const made: UserInvite = {
    id,
    key: id,
    created_at: mint.now,
    updated_at: mint.now,
    status: 'pending',
    ...settleInvited(sent),
    ...findOffered(view, { tenant, sent, by }, mint),
    tenant,
    ...times,
    ...settleNotes({}, sent),
    ...mark,
  }
  // without an end it ends as its role says, from when it is approved on
  if (times.valid_until !== undefined) requireDuration(times, findGiving(view, made), mint, BODY)
  requireRoom(view, made)
  return { changes: [put('user_invite', made)], result: made }
}

/** Who is invited. @throws INPUT_INVALID when nobody is named; EMAIL_INVALID, KEY_INVALID */
function settleInvited(sent: InviteInTenant): Pick<UserInvite, 'email' | 'first_name' | 'last_name' | 'user'> {
  const email = settleEmail(sent.email ?? undefined, null)
  const invited = {
    email: email ?? '',
    first_name: settleText(sent.first_name ?? undefined, '', 'first_name') ?? '',
    last_name: settleText(sent.last_name ?? undefined, '', 'last_name') ?? '',
    ...(sent.user == null ? {} : { user: requireKey('user', sent.user) }),
  }
  if (email !== null || sent.user != null) return invited
  const reason = 'an invite needs an email or a user'
  throw new ZerohopError('INPUT_INVALID', { reason }, { path: [...BODY, 'email'] })
}

interface Offer {
  readonly tenant: string
  readonly sent: InviteInTenant
  readonly by: ByTenant
}

/**
 * The role that is offered, in the tenant or on an instance in it, which must exist. A role of the tenant itself is bounded
 * by what the acting user has, as when it is assigned.
 * @throws OBJECT_NOT_FOUND, ROLE_OF_OTHER_TENANT, BEYOND_OWN_ROLES
 */
function findOffered(
  view: View,
  { tenant, sent, by }: Offer,
  mint: Mint,
): Pick<UserInvite, 'role' | 'resource_instance'> {
  const path = [...BODY, 'role']
  if (sent.resource_instance == null) {
    const { key } = resolveInTenant(view, { role: sent.role, tenant, by }).role
    requireRoleHeld(view, { tenant, role: key }, by, mint, path)
    return { role: key, resource_instance: null }
  }
  const at = { ref: sent.resource_instance, tenant, path: [...BODY, 'resource_instance'] }
  const { instance } = reachInstance(view, at, undefined)
  return { role: requireResourceRole(view, instance.resource, sent.role, path).role, resource_instance: instance.key }
}

/** @throws OBJECT_EXISTS, LIMIT_EXCEEDED */
function requireRoom(view: View, made: UserInvite): void {
  const limit = INVITES_PER_TENANT_MAX
  if (view.countBy('invites_of_tenant', made.tenant) >= limit)
    throw new ZerohopError('LIMIT_EXCEEDED', { what: 'the user invites of one tenant', limit }, { path: BODY })
  if (view.count('user_invite') >= INVITES_MAX)
    throw new ZerohopError('LIMIT_EXCEEDED', { what: 'the user invites', limit: INVITES_MAX }, { path: BODY })
  for (const one of view.by('invites_of_tenant', made.tenant))
    if (one.status === 'pending' && isLike(one, made))
      throw new ZerohopError('OBJECT_EXISTS', { kind: 'user_invite', key: made.user ?? made.email })
}

/** Whether both offer the same to the same person. */
const isLike = (one: UserInvite, other: UserInvite): boolean =>
  one.email.toLowerCase() === other.email.toLowerCase() &&
  one.user === other.user &&
  one.role === other.role &&
  one.resource_instance === other.resource_instance

/** Takes an invite back; one that was approved stays given. @throws OBJECT_NOT_FOUND */
export function cancelInTenant(view: View, input: OfTenant, _mint: Mint): Decided<null> {
  const { key } = requireInvite(view, input)
  return { changes: [remove('user_invite', key)], status: 204, result: null }
}

/** The invite of that id or key in the tenant. @throws OBJECT_NOT_FOUND, also for that of another one */
export function requireInvite(view: View, { tenant: name, ref }: OfTenant): UserInvite {
  const tenant = view.require('tenant', name).key
  const found = view.find('user_invite', ref)
  if (found?.tenant === tenant) return found
  throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'user_invite', ref })
}
