// Assigning and removing roles, in a tenant (D4: roles in tenants) or on one resource instance in it (D5: roles on
// instances). A user with a role in a tenant belongs to the tenant, so the first assignment creates a membership, and
// deleting the last one deletes it (cascade.ts). A role that is assigned to everybody (D16) makes no member.

import { HAND, listClaims } from '../../kinds/claims.ts'
import type { Membership } from '../../kinds/membership.ts'
import type { ResourceInstance } from '../../kinds/resource-instance.ts'
import type { ResourceRole } from '../../kinds/resource-role.ts'
import type { RoleAssignment } from '../../kinds/role-assignment.ts'
import type { Tenant } from '../../kinds/tenant.ts'
import type { User } from '../../kinds/user.ts'
import { type Change, put } from '../../log/change.ts'
import { ZerohopError } from '../../model/errors.ts'
import { DEFAULT_TENANT, EVERYBODY } from '../../model/keys.ts'
import { ASSIGNMENTS_MAX, ASSIGNMENTS_PER_REQUEST_MAX, ROLES_PER_GRANT_MAX } from '../../model/limits.ts'
import { assignmentKey, membershipKey, partKey, type Stored } from '../../model/objects.ts'
import { Draft } from '../../store/draft.ts'
import type { Decided, Mint, View } from '../../store/view.ts'
import { asOwnPart, dropOwnParts, findPut, isClaimedBy, ownPart, removeOwnPart } from '../rules/claims.ts'
import { onlyObject, type Written } from '../rules/collection.ts'
import { BODY, type Path } from '../rules/fields.ts'
import { requireForEverybody } from '../rules/giving.ts'
import { defaultPayload, keepStored, newAssignmentPayload, newPayload, type OverStored } from '../rules/payload.ts'
import {
  type ByTenant,
  findRoleInTenants,
  findTenantRole,
  requireOfTenant,
  requireRoleHeld,
} from '../rules/tenant-roles.ts'
import type { MembershipCreate, RoleAssignmentCreate, RoleInTenant } from '../schemas/role-assignments.ts'
import { within } from './bulk-items.ts'
import { reachInstance } from './instances.ts'

/** An assignment with the ids of its objects, so that rendering needs no further look-ups. */
export interface Assigned {
  readonly assignment: RoleAssignment
  readonly user_id: string
  readonly role_id: string
  readonly tenant_id: string
  readonly resource_instance_id: string | null
}

/**
 * Assigns the role to the user, or to everybody; one that has ended is made anew. All referenced objects must exist.
 * @throws OBJECT_NOT_FOUND, OBJECT_EXISTS, TENANT_MISMATCH, NOT_FOR_EVERYBODY, LIMIT_EXCEEDED
 */
export const assign = (view: View, input: RoleAssignmentCreate & FromTenant, mint: Mint): Decided<Assigned> =>
  onlyObject(writeAssignment(view, input, mint, 'create'))

/**
 * Assigns the role to the user, or changes what is sent of the payload of the assignment, which may have ended.
 * @throws OBJECT_NOT_FOUND, TENANT_MISMATCH, NOT_FOR_EVERYBODY, LIMIT_EXCEEDED
 */
export function putAssignment(
  view: View,
  input: RoleAssignmentCreate & FromTenant,
  mint: Mint,
): Decided<Written<Assigned>> {
  const decided = writeAssignment(view, input, mint, 'put')
  return { ...decided, status: decided.result.created ? 201 : 200 }
}

/**
 * Writes the part of an assignment that the claim has. An instance that is missing is made for `hand` alone.
 * @throws OBJECT_NOT_FOUND, OBJECT_EXISTS, TENANT_MISMATCH, NOT_FOR_EVERYBODY, LIMIT_EXCEEDED, CLAIM_TIMES_APART
 */
export function writeAssignment(
  view: View,
  input: RoleAssignmentCreate & FromTenant,
  mint: Mint,
  over: OverStored,
  claim: string = HAND,
): Decided<Written<Assigned>> {
  const user = findHolder(view, input.user, [...BODY, 'user'])
  const { made, instance, target } = resolve(view, user.key, input, claim === HAND ? mint : undefined)
  requireForEverybody(view, target, ROLE)
  if (input.by !== undefined) requireRoleHeld(view, target, input.by, mint, ROLE)
  const ids = { user_id: user.id, role_id: target.role_id, tenant_id: target.tenant_id }
  const rest = { ...ids, resource_instance_id: instance?.id ?? null }
  const stored = view.get('role_assignment', target.key)
  const kept = keepStored('role_assignment', view, ownPart(stored, claim), input, mint, over)
  const changes = asOwnPart(
    'role_assignment',
    view,
    kept === undefined ? give(view, target, input, mint) : kept.changes,
    claim,
    mint,
  )
  if (kept === undefined) requireRoom(view, target, stored === undefined ? 1 : 0)
  const assignment = findPut('role_assignment', changes, target.key) ?? stored
  if (assignment === undefined) throw new ZerohopError('INTERNAL')
  return {
    changes: [...made, ...changes],
    result: { object: { assignment, ...rest }, created: kept === undefined },
  }
}

/** A role and its place by their stored keys. @throws OBJECT_NOT_FOUND, TENANT_MISMATCH */
export function resolveRole(view: View, sent: Names): Pick<Target, 'role' | 'tenant' | 'resource_instance'> {
  const { role, tenant, resource_instance } = resolve(view, '', sent, undefined).target
  return { role, tenant, resource_instance }
}

/** What an assignment is found by. */
type AssignmentNames = Pick<RoleAssignmentCreate, 'user'> & Names

/**
 * Removes the assignment; what others claim of it stays.
 * @throws OBJECT_NOT_FOUND when it does not exist, CLAIMED_BY_OTHERS when nobody made it by hand
 */
export function unassign(view: View, input: AssignmentNames, mint: Mint): Decided<Assigned> {
  const user = findHolder(view, input.user, [...BODY, 'user'])
  const { instance, target } = resolve(view, user.key, input, undefined)
  const assignment = view.get('role_assignment', target.key)
  if (assignment === undefined) throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'role_assignment', ref: target.key })
  const ids = { user_id: user.id, role_id: target.role_id, tenant_id: target.tenant_id }
  const result = { assignment, ...ids, resource_instance_id: instance?.id ?? null }
  return { ...removeOwnPart('role_assignment', view, assignment, mint), status: 204, result }
}

/** The key of the assignment that is meant. @throws OBJECT_NOT_FOUND, TENANT_MISMATCH */
export const keyOfAssignment = (view: View, input: AssignmentNames): string =>
  resolve(view, findHolder(view, input.user, [...BODY, 'user']).key, input, undefined).target.key

/** The id of everybody in answers: that of no object, so that clients that read ids read one. */
const ID_OF_EVERYBODY = '0'.repeat(32)

/** Whom a role is assigned to: the user of that key or id, or everybody (D16). @throws OBJECT_NOT_FOUND */
export function findHolder(view: View, ref: string, path?: Path): Pick<User, 'id' | 'key'> {
  return ref === EVERYBODY ? { id: ID_OF_EVERYBODY, key: EVERYBODY } : view.require('user', ref, path)
}

/** The name of a user, where roles are of users alone. @throws OBJECT_NOT_FOUND for everybody, who is not a user */
export function refuseEverybody(ref: string, path: Path): string {
  if (ref === EVERYBODY) throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'user', ref }, { path })
  return ref
}

interface Giving {
  /** takes all other roles from the user */
  readonly only?: boolean
  /** by default an assignment that has ended stays so, unless a later end is sent */
  readonly over?: OverStored
}

/**
 * The changes after which the user has the roles of `sent`. Of an existing assignment only what is sent of its payload
 * changes.
 */
export function giveRoles(
  view: View,
  user: string,
  sent: readonly RoleInTenant[],
  mint: Mint,
  { only = false, over = 'put' }: Giving = {},
): Change[] {
  if (sent.length === 0 && !only) return []
  const path = [...BODY, 'role_assignments']
  if (sent.length > ASSIGNMENTS_PER_REQUEST_MAX) {
    const details = { what: 'the roles of one request', limit: ASSIGNMENTS_PER_REQUEST_MAX }
    throw new ZerohopError('LIMIT_EXCEEDED', details, { path })
  }
  const draft = new Draft(view)
  const wanted = new Map<string, Target>()
  for (const [at, one] of sent.entries()) {
    within([...path, at], () => {
      const { made, target } = resolve(draft, user, one, mint)
      draft.stage(made)
      wanted.set(target.key, target)
      const stored = draft.get('role_assignment', target.key)
      const kept = keepStored('role_assignment', draft, ownPart(stored, HAND), one, mint, over)
      const given = kept === undefined ? give(draft, target, one, mint) : kept.changes
      draft.stage(asOwnPart('role_assignment', draft, given, HAND, mint))
    })
  }
  if (only) {
    const gone = [...view.by('assignments_of_user', user)].filter(({ key }) => !wanted.has(key))
    draft.stage(dropOwnParts('role_assignment', draft, gone, HAND, mint).changes)
  }
  for (const target of wanted.values()) requireRoom(draft, target, 0)
  return draft.changes()
}

/** The membership of a user in a tenant when it must be written: a new one, or one that becomes explicit. */
export function join(
  view: View,
  of: { readonly user: string; readonly tenant: string },
  explicit: boolean,
  mint: Mint,
  payload = defaultPayload('membership'),
  claim: string = HAND,
): Change[] {
  const key = membershipKey(of.tenant, of.user)
  const stored = view.get('membership', key)
  if (stored && (!explicit || isClaimedBy(stored, claim))) return []
  const { id, created_at } = stored ?? { id: mint.id(), created_at: mint.now }
  const membership: Membership = {
    id,
    key,
    created_at,
    user: of.user,
    tenant: of.tenant,
    explicit,
    updated_at: mint.now,
    ...payload,
  }
  const made = [put('membership', membership)]
  return explicit ? asOwnPart('membership', view, made, claim, mint) : made
}

/**
 * Puts a user into a tenant, with no role there. Nothing changes for a user who was put there before.
 * @throws OBJECT_NOT_FOUND
 */
export const joinTenant = (view: View, sent: MembershipCreate, mint: Mint): Decided<null> => ({
  ...putMembership(view, sent, mint),
  result: null,
})

/** The same, with who it is, and whether the user belonged to the tenant. @throws OBJECT_NOT_FOUND */
export function putMembership(
  view: View,
  sent: MembershipCreate,
  mint: Mint,
  claim: string = HAND,
): Decided<Written<Pick<Membership, 'key' | 'user' | 'tenant'>>> {
  const user = view.require('user', sent.user, [...BODY, 'user']).key
  const tenant = view.require('tenant', sent.tenant, [...BODY, 'tenant']).key
  const key = membershipKey(tenant, user)
  const stored = view.get('membership', key)
  // one that came with a role is there, and no one's yet
  const created = stored === undefined || (listClaims(stored).length > 0 && !isClaimedBy(stored, claim))
  const changes = join(view, { user, tenant }, true, mint, newPayload('membership', view, sent), claim)
  return { changes, status: created ? 201 : 200, result: { object: { key, user, tenant }, created } }
}

/** An assignment in its stored form, with the ids of its objects. */
interface Target {
  readonly key: string
  readonly user: string
  readonly role: string
  readonly role_id: string
  readonly tenant: string
  readonly tenant_id: string
  readonly resource_instance: string | null
}

/** Set by the routes of a tenant, never by a body. */
interface FromTenant {
  readonly by?: ByTenant
}

/** What names the role of an assignment, and where it is held. */
type Names = Pick<RoleInTenant, 'role' | 'tenant' | 'resource_instance'> & FromTenant

interface Resolved {
  readonly target: Target
  readonly instance: ResourceInstance | undefined
  /** changes that create the instance */
  readonly made: readonly Change[]
}

/**
 * Resolves the references of `sent`; with a mint, a missing instance is created. @throws OBJECT_NOT_FOUND,
 * TENANT_MISMATCH
 */
function resolve(view: View, user: string, sent: Names, mint: Mint | undefined): Resolved {
  const ref = sent.resource_instance ?? undefined
  if (ref === undefined) {
    const { role, tenant } = resolveInTenant(view, sent)
    return { target: makeTarget(user, role.key, role.id, tenant, null), instance: undefined, made: [] }
  }
  const path = [...BODY, 'resource_instance']
  const { instance, changes } = reachInstance(view, { ref, tenant: sent.tenant, path }, mint)
  const role = requireResourceRole(view, instance.resource, sent.role, [...BODY, 'role'])
  const tenant = view.require('tenant', instance.tenant)
  return { target: makeTarget(user, role.role, role.id, tenant, instance.key), instance, made: changes }
}

/**
 * A role in tenants, and the tenant. One of a tenant goes by its whole key or id, in the routes of the tenant also by its
 * key there, where the environment has no role of that key.
 * @throws OBJECT_NOT_FOUND, ROLE_OF_OTHER_TENANT
 */
export function resolveInTenant(view: View, { role: ref, tenant: of, by }: Names): { role: Stored; tenant: Tenant } {
  const found = findRoleInTenants(view, ref)
  const role = found ?? (by === undefined ? view.require('role', ref, ROLE) : undefined)
  const tenant = view.require('tenant', of ?? DEFAULT_TENANT, [...BODY, 'tenant'])
  const held = role ?? findTenantRole(view, tenant.key, ref) ?? view.require('role', ref, ROLE)
  requireOfTenant(held.key, tenant.key, ROLE)
  return { role: held, tenant }
}
const ROLE = [...BODY, 'role']

function makeTarget(user: string, role: string, role_id: string, tenant: Tenant, instance: string | null): Target {
  return {
    key: assignmentKey(user, role, tenant.key, instance),
    user,
    role,
    role_id,
    tenant: tenant.key,
    tenant_id: tenant.id,
    resource_instance: instance,
  }
}

/** The role of a resource type, by its id or by its key within the type; undefined when the type has no such role. */
export function findResourceRole(view: View, resource: string, ref: string): ResourceRole | undefined {
  const found = view.find('resource_role', ref)
  return found?.resource === resource ? found : view.get('resource_role', partKey(resource, ref))
}

/** As `findResourceRole`. @throws OBJECT_NOT_FOUND when the type has no such role */
export function requireResourceRole(view: View, resource: string, ref: string, path: Path = BODY): ResourceRole {
  const role = findResourceRole(view, resource, ref)
  if (role) return role
  throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'resource_role', ref: partKey(resource, ref) }, { path })
}

/** The index values of roles with that id or key: a tenant role, and roles of resource types with the same key. */
export function rolesNamed(view: View, ref: string): string[] {
  const byId = view.find('resource_role', ref)
  if (byId) return [byId.key]
  const role = findRoleInTenants(view, ref)
  const names = [...view.by('resource_roles_named', ref)].map(({ key }) => key)
  return role ? [role.key, ...names] : names
}

function give(view: View, target: Target, sent: RoleInTenant, mint: Mint): Change[] {
  const { key, user, role, tenant, resource_instance } = target
  const assignment: RoleAssignment = {
    id: mint.id(),
    key,
    user,
    role,
    tenant,
    resource_instance,
    created_at: mint.now,
    updated_at: mint.now,
    ...newAssignmentPayload(view, target, sent, mint),
  }
  const joined = user === EVERYBODY ? [] : join(view, target, false, mint)
  return [put('role_assignment', assignment), ...joined]
}

/** Requires that both limits hold after adding `more` assignments like this one. @throws LIMIT_EXCEEDED */
function requireRoom(view: View, { user, tenant, resource_instance: instance }: Target, more: number): void {
  const held =
    instance === null
      ? view.countBy('assignments_of_user_in_tenant', `${user}/${tenant}`)
      : view.countBy('assignments_of_user_on_instance', `${user}/${instance}`)
  if (held + more > ROLES_PER_GRANT_MAX) {
    const details = { what: `the roles of one user ${instance === null ? 'in one tenant' : 'on one instance'}` }
    throw new ZerohopError('LIMIT_EXCEEDED', { ...details, limit: ROLES_PER_GRANT_MAX }, { path: BODY })
  }
  if (view.count('role_assignment') + more > ASSIGNMENTS_MAX) {
    throw new ZerohopError('LIMIT_EXCEEDED', { what: 'the role assignments', limit: ASSIGNMENTS_MAX }, { path: BODY })
  }
}
