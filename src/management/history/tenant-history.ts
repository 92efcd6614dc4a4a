// What of a revision concerns one tenant: who came and went, who got or lost which role, who was invited, and its own
// roles. A revision may have changes of several tenants and of the policy: nothing of those is shown, also not how many
// there are.
import type { Membership } from '../../kinds/membership.ts'
import type { RoleAssignment } from '../../kinds/role-assignment.ts'
import { keyedSince, type Tenant } from '../../kinds/tenant.ts'
import type { TenantRole } from '../../kinds/tenant-role.ts'
import type { UserInvite } from '../../kinds/user-invite.ts'
import type { Change, LogEntry } from '../../log/change.ts'
import { parseTenantRole } from '../../model/objects.ts'

export interface TenantChange {
  readonly op: 'create' | 'update' | 'delete'
  readonly kind: 'membership' | 'role_assignment' | 'user_invite' | 'tenant_role'
  /** key of a user; null of a role of the tenant, and where an invite names an email alone */
  readonly user: string | null
  readonly email: string | null
  readonly role: string | null
  readonly resource_instance: string | null
  /** as it was written; undefined of a membership, and of what was deleted */
  readonly value?: RoleAssignment | UserInvite
}

/**
 * The changes of an entry that are of the tenant, since there is one of this key. Of what was deleted the log has keys
 * alone, so invites that were canceled are not among them.
 */
export function changesOfTenant(
  tenant: Tenant,
  { at, changes }: Pick<LogEntry, 'at'> & { readonly changes: readonly Change[] },
): TenantChange[] {
  if (at < keyedSince(tenant)) return []
  const shown: TenantChange[] = []
  for (const change of changes) {
    const one = change.op === 'put' ? written(tenant.key, change, at) : deleted(tenant, change, at)
    if (one !== undefined) shown.push(one)
  }
  return shown
}

const NOTHING = { user: null, email: null, role: null, resource_instance: null } as const

function written(tenant: string, change: Change & { readonly op: 'put' }, at: number): TenantChange | undefined {
  const op = change.value.created_at === at ? 'create' : 'update'
  if (change.kind === 'membership') {
    const value = change.value as Membership
    return value.tenant === tenant ? { op, kind: 'membership', ...NOTHING, user: value.user } : undefined
  }
  if (change.kind === 'role_assignment') {
    const value = change.value as RoleAssignment
    const { user, role, resource_instance } = value
    if (value.tenant !== tenant) return undefined
    return { op, kind: 'role_assignment', ...NOTHING, user, role, resource_instance, value }
  }
  if (change.kind === 'tenant_role') {
    const { key: role, tenant: of } = change.value as TenantRole
    return of === tenant ? { op, kind: 'tenant_role', ...NOTHING, role } : undefined
  }
  if (change.kind !== 'user_invite') return undefined
  const value = change.value as UserInvite
  const { role, resource_instance, user = null } = value
  if (value.tenant !== tenant) return undefined
  const email = value.email === '' ? null : value.email
  return { op, kind: 'user_invite', user, email, role, resource_instance, value }
}

/** Of the same instant it may be of a tenant before, which had the same key. */
function deleted(tenant: Tenant, { kind, key }: Change, at: number): TenantChange | undefined {
  if (at === keyedSince(tenant)) return undefined
  if (kind === 'tenant_role')
    return parseTenantRole(key)?.tenant === tenant.key
      ? { op: 'delete', kind: 'tenant_role', ...NOTHING, role: key }
      : undefined
  const parts = key.split('/')
  if (kind === 'membership') {
    const [of, user = ''] = parts
    return of === tenant.key ? { op: 'delete', kind: 'membership', ...NOTHING, user } : undefined
  }
  const [user = '', role = '', of, resource_instance = null] = parts
  if (kind !== 'role_assignment' || of !== tenant.key) return undefined
  return { op: 'delete', kind: 'role_assignment', ...NOTHING, user, role, resource_instance }
}
