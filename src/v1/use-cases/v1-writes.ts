// Writes of the first API version over the same objects: each is composed of use cases of the second version. A v1
// write changes only what it names: what v1 cannot express (conditions, relations, instances, further attributes) stays
// as it is, and so do actions and attributes that it does not name. It creates what is missing. Errors use the field
// names of v1.

import { HAND } from '../../kinds/claims.ts'
import type { Role } from '../../kinds/role.ts'
import type { RoleAssignment } from '../../kinds/role-assignment.ts'
import type { Tenant } from '../../kinds/tenant.ts'
import type { User } from '../../kinds/user.ts'
import { assign, giveRoles, refuseEverybody, unassign } from '../../management/objects/role-assignments.ts'
import { createRole } from '../../management/objects/roles.ts'
import { createTenant, deleteTenant, updateTenant } from '../../management/objects/tenants.ts'
import { createUser, deleteUser, updateUser } from '../../management/objects/users.ts'
import { dropOwnParts } from '../../management/rules/claims.ts'
import { requireSameKey } from '../../management/rules/collection.ts'
import { BODY, type Sent, settleAttributes } from '../../management/rules/fields.ts'
import { ZerohopError } from '../../model/errors.ts'
import { parseId } from '../../model/keys.ts'
import { type JsonObject, parseTenantRole } from '../../model/objects.ts'
import { Draft } from '../../store/draft.ts'
import type { Decided, Mint, UseCase, View } from '../../store/view.ts'
import { named } from './error-locations.ts'
import { v1PutAction, v1PutResource, v1PutResources } from './v1-resources.ts'

export interface V1User {
  /** one of them is required; they are the same */
  readonly key?: Sent<string>
  readonly customId?: Sent<string>
  readonly firstName?: Sent<string>
  readonly lastName?: Sent<string>
  readonly email?: Sent<string>
  /** given members are set; the others are kept */
  readonly attributes?: Sent<JsonObject>
  /** replaces the roles of the user in tenants; roles on instances are kept */
  readonly roles?: Sent<readonly { readonly role: string; readonly tenant?: Sent<string> }[]>
}

const USER_NAMES = { key: 'key', first_name: 'firstName', last_name: 'lastName', role_assignments: 'roles' }

/** Creates the user or updates the fields that are sent. */
function v1SyncUser(view: View, sent: V1User, mint: Mint): Decided<User> {
  const key = sameName(sent.key, sent.customId, 'customId')
  if (key === undefined) throw missing('key')
  const stored = view.get('user', key)
  const fields = {
    ...present({ first_name: sent.firstName, last_name: sent.lastName, email: sent.email }),
    ...(sent.attributes ? { attributes: { ...stored?.attributes, ...sent.attributes } } : {}),
  }
  return named(USER_NAMES, () => {
    const draft = new Draft(view)
    const user = draft.take(
      stored ? updateUser(draft, { ref: stored.id, fields }, mint) : createUser(draft, { key, ...fields }, mint),
    )
    if (sent.roles) setRoles(draft, user.key, sent.roles, mint)
    return { changes: draft.changes(), result: user }
  })
}

/** Roles in tenants of the environment: v1 does not have those of tenants (D18), and leaves them. */
const isInV1 = ({ role, resource_instance: instance }: RoleAssignment): boolean =>
  instance === null && parseTenantRole(role) === undefined

/** Replaces the user's roles in tenants. */
function setRoles(draft: Draft, user: string, roles: NonNullable<V1User['roles']>, mint: Mint): void {
  const before = [...draft.by('assignments_of_user', user)].filter((one) => isInV1(one))
  draft.stage(giveRoles(draft, user, roles, mint))
  const wanted = new Set<string>()
  for (const { role, tenant } of roles) {
    wanted.add(`${draft.require('role', role).key}/${draft.require('tenant', tenant ?? 'default').key}`)
  }
  draft.stage(
    dropOwnParts(
      'role_assignment',
      draft,
      before.filter((one) => !wanted.has(`${one.role}/${one.tenant}`)),
      HAND,
      mint,
    ).changes,
  )
}

export interface V1Tenant {
  /** one of them is required; they are the same */
  readonly externalId?: Sent<string>
  readonly key?: Sent<string>
  readonly name?: Sent<string>
  readonly description?: Sent<string>
}

/** Creates the tenant or updates the fields that are sent. */
function v1PutTenant(view: View, sent: V1Tenant, mint: Mint): Decided<Tenant> {
  const key = sameName(sent.externalId, sent.key, 'key')
  if (key === undefined) throw missing('externalId')
  const fields = present({ name: sent.name, description: sent.description })
  const stored = view.get('tenant', key)
  return named({ key: 'externalId' }, () =>
    stored ? updateTenant(view, { ref: stored.id, fields }, mint) : createTenant(view, { key, ...fields }, mint),
  )
}

/** Updates the fields that are sent of an existing tenant. */
function v1UpdateTenant(
  view: View,
  { ref, fields }: { readonly ref: string; readonly fields: V1Tenant },
  mint: Mint,
): Decided<Tenant> {
  const { key } = view.require('tenant', ref)
  requireSameKey(fields.externalId, key, [...BODY, 'externalId'])
  requireSameKey(fields.key, key, [...BODY, 'key'])
  return updateTenant(view, { ref, fields: present({ name: fields.name, description: fields.description }) }, mint)
}

export interface V1RoleInput {
  readonly name: string
  readonly description?: Sent<string>
  readonly attributes?: Sent<JsonObject>
  readonly settings?: Sent<JsonObject>
  /** `resource:action`, the id of an action, or an object with either */
  readonly permissions?: Sent<readonly (string | V1PermissionRef)[]>
}
export interface V1PermissionRef {
  readonly id?: Sent<string>
  readonly name?: Sent<string>
  readonly resourceId?: Sent<string>
  readonly actionId?: Sent<string>
}

/** A new role; its name is its key. */
function v1CreateRole(view: View, sent: V1RoleInput, mint: Mint): Decided<Role> {
  const permissions = (sent.permissions ?? []).map((one, at) => resolvePermission(view, one, at))
  const attributes = settleAttributes(sent.attributes, null, null)
  const settings = settleAttributes(sent.settings, null, null, [...BODY, 'settings'])
  const v1 = attributes === null && settings === null ? {} : { v1: { attributes, settings } }
  const input = { key: sent.name, ...present({ description: sent.description }), permissions, ...v1 }
  return named({ key: 'name' }, () => createRole(view, input, mint))
}

/** A permission as `resource:action`. @throws OBJECT_NOT_FOUND, PERMISSION_INVALID */
function resolvePermission(view: View, sent: string | V1PermissionRef, at: number): string {
  const ref: V1PermissionRef = typeof sent === 'string' ? { name: sent } : sent
  if (typeof ref.name === 'string' && ref.name.includes(':')) return ref.name
  const id = parseId(ref.actionId ?? ref.id ?? ref.name ?? '')
  const path = [...BODY, 'permissions', at]
  if (id === undefined) throw new ZerohopError('PERMISSION_INVALID', { permission: ref.name ?? '' }, { path })
  for (const resource of view.list('resource')) {
    const action = resource.actions.find((one) => one.id === id)
    if (action) return `${resource.key}:${action.key}`
  }
  throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'permission', ref: id }, { path })
}

export interface V1Assignment {
  readonly role: string
  readonly user: string
  /** the tenant */
  readonly scope?: Sent<string>
}

/** v1 has roles of users alone, none of everybody (D16), and none of tenants (D18). */
const toAssignment = (view: View, { role, user, scope }: V1Assignment) => ({
  role: view.require('role', role, [...BODY, 'role']).key,
  user: refuseEverybody(user, [...BODY, 'user']),
  tenant: scope ?? null,
})
const SCOPE = { tenant: 'scope' }

const v1Assign = (view: View, sent: V1Assignment, mint: Mint) =>
  named(SCOPE, () => assign(view, toAssignment(view, sent), mint))
/** Its keys are in the query. */
const v1Unassign = (view: View, sent: V1Assignment, mint: Mint) =>
  named(SCOPE, () => unassign(view, toAssignment(view, sent), mint), 'query')

/** The value of two fields with the same meaning. @throws KEY_MISMATCH when they differ */
function sameName(first: Sent<string>, second: Sent<string>, field: string): string | undefined {
  if (typeof first === 'string') requireSameKey(second, first, [...BODY, field])
  return first ?? second ?? undefined
}

/** The input without members that were not sent. Null counts as not sent, because v1 never resets a field. */
function present<T>(of: Readonly<Record<string, Sent<T>>>): Record<string, T> {
  const sent = Object.entries(of).filter(([, value]) => value !== undefined && value !== null)
  return Object.fromEntries(sent) as Record<string, T>
}

function missing(field: string): ZerohopError {
  return new ZerohopError('INPUT_INVALID', { reason: 'field required' }, { path: [...BODY, field] })
}

/**
 * Every write of the first API version, by name: each can be the first write of an organization
 * (global-environment.ts).
 */
export const v1Writes = {
  v1SyncUser,
  v1DeleteUser: deleteUser,
  v1PutTenant,
  v1UpdateTenant,
  v1DeleteTenant: deleteTenant,
  v1CreateRole,
  v1Assign,
  v1Unassign,
  v1PutResource,
  v1PutResources,
  v1PutAction,
} as const satisfies Record<string, UseCase>

export type V1Name = keyof typeof v1Writes
