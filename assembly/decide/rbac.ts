// Decisions by roles (D4): does a role of the grant, or one that it extends, have the permission?
import { RoleSet, SINGLE } from '../abi'
import { holds } from '../policy/roles'

/** D4: does one of the assigned roles, or one that it extends, have the permission? */
export function grantHolds(roles: u32, permission: u32): bool {
  if ((roles & SINGLE) !== 0) return holds(roles - SINGLE, permission)
  const end = roles + load<u32>(roles, RoleSet.Count) * 4
  for (let at = roles; at < end; at += 4) {
    if (holds(load<u32>(at, RoleSet.Roles), permission)) return true
  }
  return false
}
