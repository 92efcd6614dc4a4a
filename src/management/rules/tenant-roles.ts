// The rules for roles that tenants make (D18): what is offered to them, and what the acting user holds.

import type { Role } from '../../kinds/role.ts'
import type { TenantRole } from '../../kinds/tenant-role.ts'
import { isInForce } from '../../kinds/times.ts'
import type { Change } from '../../log/change.ts'
import { counted, plural } from '../../model/counted.ts'
import { ZerohopError } from '../../model/errors.ts'
import { parseId, parsePermission } from '../../model/keys.ts'
import {
  EXTENDS_MAX,
  LOSSES_LOOKED_AT_MAX,
  PERMISSIONS_PER_REQUEST_MAX,
  TENANT_EXTENDS_DEPTH_MAX,
} from '../../model/limits.ts'
import { parseTenantRole, tenantRoleKey } from '../../model/objects.ts'
import type { View } from '../../store/view.ts'
import type { Path } from './fields.ts'
import { descendants, type Hierarchy, requireParents, tenantRoles } from './hierarchy.ts'
import type { Clock } from './times.ts'

/**
 * Who a write is made for, in the routes of a tenant. `acting` is the user, by key or id, whose own roles bound what it
 * gives; without, what is offered to tenants is the bound.
 */
export interface ByTenant {
  readonly acting?: string
}

/** A role in tenants, by its key or id: one of the environment, or by its whole key one of a tenant. */
export const findRoleInTenants = (view: View, ref: string) => view.find('role', ref) ?? view.find('tenant_role', ref)

/** @throws ROLE_OF_OTHER_TENANT when the role is one of another tenant */
export function requireOfTenant(role: string, tenant: string, path: Path): void {
  const own = parseTenantRole(role)
  if (own === undefined || own.tenant === tenant) return
  throw new ZerohopError('ROLE_OF_OTHER_TENANT', { role, tenant }, { path })
}

/** The role of the tenant with that id, whole key or key within the tenant; undefined when it has none. */
export function findTenantRole(view: View, tenant: string, ref: string): TenantRole | undefined {
  const byId = parseId(ref) === undefined ? undefined : view.find('tenant_role', ref)
  const found = byId ?? view.get('tenant_role', ref.includes('@') ? ref : tenantRoleKey(ref, tenant))
  return found?.tenant === tenant ? found : undefined
}

/** @throws OBJECT_NOT_FOUND */
export function requireTenantRole(view: View, tenant: string, ref: string, path?: Path): TenantRole {
  const found = findTenantRole(view, tenant, ref)
  if (found !== undefined) return found
  throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'tenant_role', ref }, path === undefined ? {} : { path })
}

/**
 * The permissions that are sent, as `resource:action` of keys without duplicates. What does not exist is refused as what
 * is not offered.
 * @throws PERMISSION_INVALID, NOT_OFFERED, LIMIT_EXCEEDED
 */
export function resolveOffered(view: View, sent: readonly string[], path: Path): string[] {
  requireCount(sent, 'the permissions of one request', PERMISSIONS_PER_REQUEST_MAX, path)
  const resolved = sent.map((permission, at) => {
    const parts = parsePermission(permission)
    const place = { path: [...path, at] }
    if (parts === undefined) throw new ZerohopError('PERMISSION_INVALID', { permission }, place)
    const resource = view.find('resource', parts.resource)
    const { actions } = resource ?? { actions: [] }
    const action = actions.find(({ key }) => key === parts.action) ?? actions.find(({ id }) => id === parts.action)
    if (resource !== undefined && action?.grantable) return `${resource.key}:${action.key}`
    throw new ZerohopError('NOT_OFFERED', { kind: 'permission', name: permission, flag: 'grantable' }, place)
  })
  return [...new Set(resolved)]
}

/**
 * The whole keys of the roles that a role of the tenant will extend. A key without a tenant is that of a role of the
 * environment where there is one, else of the tenant.
 * @throws NOT_OFFERED, EXTENDS_CYCLE, LIMIT_EXCEEDED
 */
export function resolveOwnParents(
  view: View,
  { key, tenant }: OfTenant,
  sent: readonly string[],
  path: Path,
): string[] {
  requireCount(sent, 'the roles that one role extends', EXTENDS_MAX, path)
  const parents = sent.map((ref, at) => {
    const role = view.find('role', ref)
    const found = role === undefined ? findTenantRole(view, tenant, ref) : role.extendable ? role : undefined
    if (found !== undefined) return found.key
    if (role === undefined && (ref === key || tenantRoleKey(ref, tenant) === key)) return key
    const details = { kind: 'role', name: ref, flag: 'extendable' }
    throw new ZerohopError('NOT_OFFERED', details, { path: [...path, at] })
  })
  requireParents(ownRoles(view), key, parents.filter(isOwn), path)
  return [...new Set(parents)]
}

/** Whether roles of tenants may have the permission, `resource:action` of keys. */
export function isOffered(view: View, permission: string): boolean {
  const { resource = '', action } = parsePermission(permission) ?? {}
  return view.get('resource', resource)?.actions.some(({ key, grantable }) => key === action && grantable) ?? false
}

type OfTenant = Pick<TenantRole, 'key' | 'tenant'>
const isOwn = (key: string): boolean => parseTenantRole(key) !== undefined

/** The roles of tenants, without those of the environment that they extend. */
function ownRoles(view: View): Hierarchy {
  return {
    ...tenantRoles(view),
    parents: (key) => (view.get('tenant_role', key)?.extends ?? []).filter(isOwn),
    *children(key) {
      for (const child of view.by('tenant_roles_with_parent', key)) yield child.key
    },
    depth: TENANT_EXTENDS_DEPTH_MAX,
    what: 'the chain of roles of a tenant that extend each other',
  }
}

/** All permissions of these roles and of those that they extend, by whole keys. */
export function listPermissions(view: View, roles: readonly string[]): Set<string> {
  const found = new Set<string>()
  // a Set also walks what is added on the way
  const reached = new Set(roles)
  for (const key of reached) {
    const role = isOwn(key) ? view.get('tenant_role', key) : view.get('role', key)
    for (const permission of role?.permissions ?? []) found.add(permission)
    for (const parent of role?.extends ?? []) reached.add(parent)
  }
  return found
}

/** What a role has, or would have. */
export type Contents = Pick<TenantRole, 'permissions' | 'extends'>

/** The permissions that are in `after` and not in `before`. */
export function listAdded(view: View, before: Contents | undefined, after: Contents): string[] {
  const all = ({ permissions, extends: parents }: Contents) => [...permissions, ...listPermissions(view, parents)]
  const had = new Set(before === undefined ? [] : all(before))
  return all(after).filter((permission) => !had.has(permission))
}

/**
 * Requires that the acting user has the permissions by roles in the tenant (D4) that are in force, and is not suspended.
 * Roles of everyone do not count, nor do roles on instances and set rules.
 * @throws OBJECT_NOT_FOUND when the user is not stored, BEYOND_OWN_ROLES
 */
export function requireHeld(
  view: View,
  tenant: string,
  permissions: readonly string[],
  { acting }: ByTenant,
  { now }: Clock,
  path: Path,
): void {
  if (acting === undefined) return
  const user = view.require('user', acting, ['header', ACTING_USER])
  const isSuspended = user.suspension !== undefined && isInForce(user.suspension, now)
  const held = isSuspended ? [] : [...view.by('assignments_of_user_in_tenant', `${user.key}/${tenant}`)]
  const roles = held.filter((assignment) => isInForce(assignment, now)).map(({ role }) => role)
  const own = listPermissions(view, roles)
  const beyond = permissions.find((permission) => !own.has(permission))
  if (beyond === undefined) return
  throw new ZerohopError('BEYOND_OWN_ROLES', { user: user.key, permission: beyond, tenant }, { path })
}

/**
 * Requires that the acting user has all that a role gives, when it is a role of the tenant: roles of the environment say by
 * themselves who gives them.
 * @throws as `requireHeld`
 */
export function requireRoleHeld(
  view: View,
  { tenant, role }: { readonly tenant: string; readonly role: string },
  by: ByTenant,
  clock: Clock,
  path: Path,
): void {
  if (isOwn(role)) requireHeld(view, tenant, [...listPermissions(view, [role])], by, clock, path)
}

/**
 * What a write does to roles of tenants that it is not about: a sentence where they lose something, and one for each role
 * whose gain is theirs. Only the first changes are looked at.
 */
export function warnOfTenantRoles(view: View, changes: readonly Change[]): string[] {
  const isOfPolicy = changes.some(({ kind }) => kind === 'role' || kind === 'resource')
  if (!isOfPolicy || view.count('tenant_role') === 0) return []
  const less = changes.filter((change) => change.op === 'put' && change.kind === 'tenant_role').length
  const losses =
    less === 0
      ? []
      : [
          `${counted(less, 'role')} of tenants ${plural(less, 'loses', 'lose')} what is not offered any more, or is called otherwise`,
        ]
  const gains = changes.slice(0, LOSSES_LOOKED_AT_MAX).flatMap((change) => {
    const before = change.op === 'put' && change.kind === 'role' ? view.get('role', change.key) : undefined
    if (before === undefined || change.op !== 'put' || !addsTo(before, change.value as Role)) return []
    const reached = [before.key, ...descendants(tenantRoles(view), before.key)]
    const count = reached.reduce((sum, key) => sum + view.countBy('tenant_roles_with_parent', key), 0)
    if (count === 0) return []
    return [
      `what role \`${before.key}\` gains, ${counted(count, 'role')} of tenants ${plural(count, 'gains', 'gain')} that ${plural(count, 'extends', 'extend')} it`,
    ]
  })
  return [...losses, ...gains]
}

const addsTo = (before: Contents, after: Contents): boolean =>
  after.permissions.some((permission) => !before.permissions.includes(permission)) ||
  after.extends.some((parent) => !before.extends.includes(parent))

/** The header that names the user for whom the server of a vendor asks. */
export const ACTING_USER = 'x-acting-user'

function requireCount(sent: readonly unknown[], what: string, limit: number, path: Path): void {
  if (sent.length > limit) throw new ZerohopError('LIMIT_EXCEEDED', { what, limit }, { path })
}
