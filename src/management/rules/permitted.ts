// Which permissions a role on instances has: its own, and those of the roles that it extends (D4).
import type { ResourceRole } from '../../kinds/resource-role.ts'
import { partKey } from '../../model/objects.ts'
import type { View } from '../../store/view.ts'

/** True when the role or one that it extends has the permission. */
export function isPermitted(view: View, { resource, role }: ResourceRole, permission: string): boolean {
  // a Set also walks what is added on the way
  const reached = new Set([role])
  for (const key of reached) {
    const found = view.get('resource_role', partKey(resource, key))
    if (found?.permissions.includes(permission)) return true
    for (const parent of found?.extends ?? []) reached.add(parent)
  }
  return false
}
