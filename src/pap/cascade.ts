// What a delete removes or changes besides the object itself: every step is a change of its own, in the same revision (D11).
// Contract §6.6. A new kind of object that refers to another adds its line here.
import { type Change, put, remove } from '../log/change.ts'
import { membershipKey, type RoleAssignment } from '../model/objects.ts'
import type { Mint, View } from '../store/view.ts'
import { withoutParent } from './permissions.ts'

/** A user takes along its assignments and memberships. */
export function afterUser(view: View, user: string): Change[] {
  const changes: Change[] = []
  for (const { key } of view.by('assignments_of_user', user)) changes.push(remove('role_assignment', key))
  for (const { key } of view.by('memberships_of_user', user)) changes.push(remove('membership', key))
  return changes
}

/** A tenant takes along the assignments in it and its memberships. */
export function afterTenant(view: View, tenant: string): Change[] {
  const changes: Change[] = []
  for (const { key } of view.by('assignments_of_tenant', tenant)) changes.push(remove('role_assignment', key))
  for (const { key } of view.by('memberships_of_tenant', tenant)) changes.push(remove('membership', key))
  return changes
}

/** A role takes along its assignments and drops out of what other roles extend. */
export function afterRole(view: View, role: string, mint: Mint): Change[] {
  const changes: Change[] = []
  for (const assignment of view.by('assignments_of_role', role)) changes.push(...withoutAssignment(view, assignment))
  for (const child of view.by('roles_with_parent', role))
    changes.push(put('role', withoutParent(child, role, mint.now)))
  return changes
}

/** Actions of a resource type take along the permissions on them; `gone` says which actions. */
export function afterActions(view: View, resource: string, gone: (action: string) => boolean, mint: Mint): Change[] {
  const changes: Change[] = []
  for (const role of view.by('roles_on_resource', resource)) {
    const permissions = role.permissions.filter((permission) => {
      const colon = permission.indexOf(':')
      return permission.slice(0, colon) !== resource || !gone(permission.slice(colon + 1))
    })
    if (permissions.length < role.permissions.length)
      changes.push(put('role', { ...role, permissions, updated_at: mint.now }))
  }
  return changes
}

/** Removes one assignment, and with the last one of a user in a tenant the membership that came with it. */
export function withoutAssignment(view: View, { key, user, tenant }: RoleAssignment): Change[] {
  const changes = [remove('role_assignment', key)]
  const membership = view.get('membership', membershipKey(tenant, user))
  if (membership && !membership.explicit && view.countBy('assignments_of_user_in_tenant', `${user}/${tenant}`) === 1) {
    changes.push(remove('membership', membership.key))
  }
  return changes
}
