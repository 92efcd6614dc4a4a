// Decisions by roles (D4): does a role of the grant, or one that it extends, have the permission?
import { Role, RoleSet, SINGLE, TIMED, TIMED_ROLE_BYTES, TimedRole } from '../abi'
import { hasBit, readBit } from '../memory/bitset'
import { isRoleInForce, plainRoles, roleCountStored, timedEnd, timedStart } from '../policy/grants'

/** D4: does one of the assigned roles that are in force, or one that it extends, have the permission? */
/* inline */
export function grantHolds(query: u32, roles: u32, permission: u32): bool {
  return (roles & TIMED) === 0 ? plainHolds(roles, permission) : timedHolds(query, roles, permission)
}

/**
 * The same of roles without times. Most grants have one or two roles, in no order that a processor could foresee, so two are read without asking how many
 * there are: of a single one it is twice the same. What is read where a set would have its roles lies within the record
 * of that role.
 */
export function plainHolds(roles: u32, permission: u32): bool {
  if (!ASC_NO_ASSERT) roleCountStored(roles) // which asserts that they are a role set, unless it is a single one
  const isSingle = (roles & SINGLE) !== 0
  const set = roles & ~SINGLE
  const last = set + select<u32>(0, (load<u32>(set + RoleSet.Count) - 1) * 4, isSingle)
  const second = select<u32>(set + 4, last, set < last)
  const role = select<u32>(set, load<u32>(set, RoleSet.Roles), isSingle)
  const other = select<u32>(set, load<u32>(second, RoleSet.Roles), isSingle)
  if ((readBit(role + Role.Row, permission) | readBit(other + Role.Row, permission)) !== 0) return true
  for (let at = second + 4; at <= last; at += 4) {
    if (readBit(load<u32>(at, RoleSet.Roles) + Role.Row, permission) !== 0) return true
  }
  return false
}

/** The same where some have times (D15). These are looked at last, and only those that have the permission. */
export function timedHolds(query: u32, roles: u32, permission: u32): bool {
  const plain = plainRoles(roles)
  if (plain !== 0 && plainHolds(plain, permission)) return true
  const end = timedEnd(roles)
  for (let at = timedStart(roles); at < end; at += TIMED_ROLE_BYTES) {
    const role = load<u32>(at, TimedRole.Role)
    if (hasBit(role + Role.Row, permission) && /* canary: roles-in-force */ isRoleInForce(query, at)) return true
  }
  return false
}

/** Is this role, and not one that extends it, among those that are in force? */
export function hasRole(query: u32, roles: u32, role: u32): bool {
  const plain = plainRoles(roles)
  if ((plain & SINGLE) !== 0) {
    if (plain - SINGLE === role) return true
  } else if (plain !== 0) {
    const end = plain + load<u32>(plain, RoleSet.Count) * 4
    for (let at = plain; at < end; at += 4) if (load<u32>(at, RoleSet.Roles) === role) return true
  }
  if ((roles & TIMED) === 0) return false
  const end = timedEnd(roles)
  for (let at = timedStart(roles); at < end; at += TIMED_ROLE_BYTES) {
    if (load<u32>(at, TimedRole.Role) === role) return /* canary: one-role-in-force */ isRoleInForce(query, at)
  }
  return false
}
