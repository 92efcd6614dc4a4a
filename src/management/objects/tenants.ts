// Tenants, and the users who belong to them. Assignments in one tenant have no effect in another (D4: roles in
// tenants).

import type { User } from '../../kinds/user.ts'
import { type Change, put } from '../../log/change.ts'
import { ZerohopError } from '../../model/errors.ts'
import { TENANTS_MAX } from '../../model/limits.ts'
import { membershipKey } from '../../model/objects.ts'
import { Draft } from '../../store/draft.ts'
import type { Decided, Mint, View } from '../../store/view.ts'
import { afterTenant, removals } from '../rules/cascade.ts'
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
 * Removes a user from the tenant, with all its roles there. @throws OBJECT_NOT_FOUND when the user does not belong to
 * it
 */
export function removeTenantUser(
  view: View,
  input: { readonly tenant: string; readonly user: string },
  _mint: Mint,
): Decided<null> {
  const tenant = view.require('tenant', input.tenant)
  const user = view.require('user', input.user)
  const name = `${user.key}/${tenant.key}`
  const key = membershipKey(tenant.key, user.key)
  const membership = view.get('membership', key)
  const changes = [
    ...removals('role_assignment', view.by('assignments_of_user_in_tenant', name)),
    ...removals('role_assignment', view.by('instance_assignments_of_user_in_tenant', name)),
    ...removals('membership', membership ? [membership] : []),
  ]
  if (changes.length === 0) throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'membership', ref: key })
  return { changes, status: 204, result: null }
}

/** The tenant that every environment starts with. */
export function defaultTenant(key: string, mint: Mint): Change {
  const stamps = { id: mint.id(), key, created_at: mint.now, updated_at: mint.now }
  return put('tenant', { ...stamps, ...tenants.defaults(key, mint, ''), name: 'Default Tenant' })
}
