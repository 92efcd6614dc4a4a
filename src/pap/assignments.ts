// Giving and taking roles. A user with a role in a tenant belongs to the tenant, so an assignment brings a membership when there is
// none and takes it along when it was the last (cascade.ts). D4; contract §6.4, §6.5.
import { type Change, put, remove } from '../log/change.ts'
import { ZerohopError } from '../model/errors.ts'
import { DEFAULT_TENANT } from '../model/keys.ts'
import { ASSIGNMENTS_MAX, ASSIGNMENTS_PER_REQUEST_MAX, ROLES_PER_GRANT_MAX } from '../model/limits.ts'
import { assignmentKey, type Membership, membershipKey, type RoleAssignment } from '../model/objects.ts'
import type { Decided, Mint, View } from '../store/view.ts'
import { withoutAssignment } from './cascade.ts'
import { BODY, type Path } from './fields.ts'

/** A role in a tenant; without a tenant in `default`. Each is an id or a key. */
export interface RoleInTenant {
  readonly role: string
  readonly tenant?: string | null
}

export interface NewAssignment extends RoleInTenant {
  readonly user: string
}

/** An assignment with the ids of what it joins, so that an answer needs no second look. */
export interface Assigned {
  readonly assignment: RoleAssignment
  readonly user_id: string
  readonly role_id: string
  readonly tenant_id: string
}

/**
 * Gives the user the role in the tenant. All three must exist.
 * @throws OBJECT_NOT_FOUND, OBJECT_EXISTS, LIMIT_EXCEEDED
 */
export function assign(view: View, input: NewAssignment, mint: Mint): Decided<Assigned> {
  const { user, role, tenant } = find(view, input)
  const wanted = {
    key: assignmentKey(user.key, role.key, tenant.key),
    user: user.key,
    role: role.key,
    tenant: tenant.key,
  }
  if (view.get('role_assignment', wanted.key)) {
    throw new ZerohopError('OBJECT_EXISTS', { kind: 'role_assignment', key: wanted.key })
  }
  if (view.countBy('assignments_of_user_in_tenant', `${user.key}/${tenant.key}`) >= ROLES_PER_GRANT_MAX) throw tooMany()
  requireRoom(view, 1)
  const assignment = stamp(wanted, mint)
  const changes: Change[] = [put('role_assignment', assignment), ...join(view, assignment, false, mint)]
  return { changes, result: { assignment, user_id: user.id, role_id: role.id, tenant_id: tenant.id } }
}

/** Takes the role away. @throws OBJECT_NOT_FOUND when it was not given */
export function unassign(view: View, input: NewAssignment): Decided<Assigned> {
  const { user, role, tenant } = find(view, input)
  const key = assignmentKey(user.key, role.key, tenant.key)
  const assignment = view.get('role_assignment', key)
  if (assignment === undefined) throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'role_assignment', ref: key })
  const result = { assignment, user_id: user.id, role_id: role.id, tenant_id: tenant.id }
  return { changes: withoutAssignment(view, assignment), status: 204, result }
}

function find(view: View, { user, role, tenant }: NewAssignment) {
  return {
    user: view.require('user', user, [...BODY, 'user']),
    role: view.require('role', role, [...BODY, 'role']),
    tenant: view.require('tenant', tenant ?? DEFAULT_TENANT, [...BODY, 'tenant']),
  }
}

/**
 * Changes after which the user holds the roles of `sent` — and no others when `only` is set.
 * What is held already is left alone.
 */
export function giveRoles(view: View, user: string, sent: readonly RoleInTenant[], mint: Mint, only = false): Change[] {
  if (sent.length === 0 && !only) return []
  const path = [...BODY, 'role_assignments']
  if (sent.length > ASSIGNMENTS_PER_REQUEST_MAX) {
    throw new ZerohopError(
      'LIMIT_EXCEEDED',
      { what: 'the roles of one request', limit: ASSIGNMENTS_PER_REQUEST_MAX },
      { path },
    )
  }
  const wanted = new Map<string, Reference>()
  for (const [at, one] of sent.entries()) {
    const reference = resolve(view, user, one, [...path, at])
    wanted.set(reference.key, reference)
  }
  const changes: Change[] = []
  const held = new Map<string, RoleAssignment>()
  for (const assignment of view.by('assignments_of_user', user)) held.set(assignment.key, assignment)
  const tenants = new Map<string, number>()
  for (const { key, tenant } of only ? [] : held.values()) if (!wanted.has(key)) count(tenants, tenant)
  for (const { tenant } of wanted.values()) if (count(tenants, tenant) > ROLES_PER_GRANT_MAX) throw tooMany()

  const fresh = [...wanted.values()].filter(({ key }) => !held.has(key))
  requireRoom(view, fresh.length)
  for (const reference of fresh) changes.push(put('role_assignment', stamp(reference, mint)))
  const joined = new Set(fresh.map(({ tenant }) => tenant))
  for (const tenant of joined) changes.push(...join(view, { user, tenant }, false, mint))
  if (only) changes.push(...leave(view, user, held, wanted, tenants))
  return changes
}

/** Removes what is held but not wanted, and the memberships that only came with it. */
function leave(
  view: View,
  user: string,
  held: ReadonlyMap<string, RoleAssignment>,
  wanted: ReadonlyMap<string, unknown>,
  tenants: ReadonlyMap<string, unknown>,
): Change[] {
  const changes: Change[] = []
  const left = new Set<string>()
  for (const { key, tenant } of held.values()) {
    if (wanted.has(key)) continue
    changes.push(remove('role_assignment', key))
    if (!tenants.has(tenant)) left.add(tenant)
  }
  for (const tenant of left) {
    const membership = view.get('membership', membershipKey(tenant, user))
    if (membership && !membership.explicit) changes.push(remove('membership', membership.key))
  }
  return changes
}

/** The membership of a user in a tenant, when it must be written: a new one, or one that was not asked for and now is. */
export function join(
  view: View,
  of: { readonly user: string; readonly tenant: string },
  explicit: boolean,
  mint: Mint,
): Change[] {
  const key = membershipKey(of.tenant, of.user)
  const stored = view.get('membership', key)
  if (stored && (stored.explicit || !explicit)) return []
  const fresh = { id: mint.id(), key, created_at: mint.now }
  const membership: Membership = {
    ...(stored ?? fresh),
    user: of.user,
    tenant: of.tenant,
    explicit,
    updated_at: mint.now,
  }
  return [put('membership', membership)]
}

interface Reference {
  readonly key: string
  readonly user: string
  readonly role: string
  readonly tenant: string
}

function resolve(view: View, user: string, sent: RoleInTenant, path: Path): Reference {
  const role = view.require('role', sent.role, [...path, 'role']).key
  const tenant = view.require('tenant', sent.tenant ?? DEFAULT_TENANT, [...path, 'tenant']).key
  return { key: assignmentKey(user, role, tenant), user, role, tenant }
}

function stamp(reference: Reference, mint: Mint): RoleAssignment {
  return { id: mint.id(), ...reference, resource_instance: null, created_at: mint.now, updated_at: mint.now }
}

function count(counts: Map<string, number>, name: string): number {
  const next = (counts.get(name) ?? 0) + 1
  counts.set(name, next)
  return next
}

function requireRoom(view: View, more: number): void {
  if (view.count('role_assignment') + more <= ASSIGNMENTS_MAX) return
  throw new ZerohopError('LIMIT_EXCEEDED', { what: 'the role assignments', limit: ASSIGNMENTS_MAX }, { path: BODY })
}

function tooMany(): ZerohopError {
  return new ZerohopError(
    'LIMIT_EXCEEDED',
    { what: 'the roles of one user in one tenant', limit: ROLES_PER_GRANT_MAX },
    { path: BODY },
  )
}
