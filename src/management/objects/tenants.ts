// Tenants, and the users who belong to them. Assignments in one tenant have no effect in another (D4: roles in
// tenants).

import { HAND } from '../../kinds/claims.ts'
import type { User } from '../../kinds/user.ts'
import { type Change, put } from '../../log/change.ts'
import { ZerohopError } from '../../model/errors.ts'
import { TENANTS_MAX } from '../../model/limits.ts'
import { membershipKey } from '../../model/objects.ts'
import { Draft } from '../../store/draft.ts'
import type { Decided, Mint, View } from '../../store/view.ts'
import { afterTenant } from '../rules/cascade.ts'
import { claimedByOthers, dropOwnParts, warnOfKept } from '../rules/claims.ts'
import { create, makeWrites, type Written } from '../rules/collection.ts'
import type { UserCreate } from '../schemas/users.ts'
import { plainCollection } from './plain-kinds.ts'
import { giveRoles, join } from './role-assignments.ts'
import { userStays, users } from './users.ts'

export const tenants = plainCollection('tenant', {
  limit: TENANTS_MAX,
  removed: (view, { key }) => afterTenant(view, key),
})

export const { create: createTenant, update: updateTenant, remove: deleteTenant } = makeWrites(tenants)

/**
 * Adds a user to the tenant, with or without a role there. A missing user is created; for an existing one only the
 * roles in `role_assignments` are added; other fields are ignored, which a warning says.
 */
export function addTenantUser(
  view: View,
  { tenant: ref, user: input }: { readonly tenant: string; readonly user: UserCreate },
  mint: Mint,
): Decided<Written<User>> {
  const tenant = view.require('tenant', ref)
  const stored = view.get('user', input.key)
  const { role_assignments, ...fields } = input
  const made = stored ? undefined : create(users, view, fields, mint)
  const user = stored ?? made?.result
  if (user === undefined) throw new ZerohopError('INTERNAL')
  const draft = new Draft(view).stage(made?.changes ?? [])
  draft.stage(join(draft, { user: user.key, tenant: tenant.key }, true, mint))
  draft.stage(giveRoles(draft, user.key, role_assignments ?? [], mint, { over: 'add' }))
  const ignored = stored ? Object.entries(fields).filter(([name, value]) => name !== 'key' && value != null) : []
  const warnings =
    ignored.length === 0
      ? {}
      : {
          warnings: [
            userStays(
              user.key,
              ignored.map(([name]) => name),
            ),
          ],
        }
  return { changes: draft.changes(), ...warnings, result: { object: user, created: made !== undefined } }
}

/**
 * Removes a user from the tenant, with all its roles there; what others claim of that stays.
 * @throws OBJECT_NOT_FOUND when the user does not belong to it, CLAIMED_BY_OTHERS when nobody put it there by hand
 */
export function removeTenantUser(
  view: View,
  input: { readonly tenant: string; readonly user: string },
  mint: Mint,
): Decided<null> {
  const tenant = view.require('tenant', input.tenant)
  const user = view.require('user', input.user)
  const name = `${user.key}/${tenant.key}`
  const key = membershipKey(tenant.key, user.key)
  const draft = new Draft(view)
  const assignments = [
    ...view.by('assignments_of_user_in_tenant', name),
    ...view.by('instance_assignments_of_user_in_tenant', name),
  ]
  const roles = dropOwnParts('role_assignment', draft, assignments, HAND, mint)
  draft.stage(roles.changes)
  const membership = draft.get('membership', key)
  const joined = dropOwnParts('membership', draft, membership?.explicit ? [membership] : [], HAND, mint)
  draft.stage(joined.changes)
  const changes = draft.changes()
  const foreign = [...joined.foreign, ...roles.foreign]
  const [other] = foreign
  if (changes.length === 0 && other !== undefined) throw claimedByOthers(other.kind, other.key, other.by)
  if (changes.length === 0) throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'membership', ref: key })
  return { changes, ...warnOfKept([...joined.kept, ...roles.kept, ...foreign]), status: 204, result: null }
}

/** The tenant that every environment starts with. */
export function defaultTenant(key: string, mint: Mint): Change {
  const stamps = { id: mint.id(), key, created_at: mint.now, updated_at: mint.now }
  return put('tenant', { ...stamps, ...tenants.defaults(key, mint, ''), name: 'Default Tenant' })
}
