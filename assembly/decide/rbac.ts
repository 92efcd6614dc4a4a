// Decisions by roles (D4): does a role of the grant, or one that it extends, have the permission?
import { Role, RoleSet, SINGLE } from '../abi'
import { readBit } from '../memory/bitset'
import { roleCount } from '../policy/grants'

/**
 * D4: does one of the assigned roles, or one that it extends, have the permission? Most grants have one or two roles, in
 * no order that a processor could foresee, so two are read without asking how many there are: of a single one it is
 * twice the same. What is read where a set would have its roles lies within the record of that role.
 */
export function grantHolds(roles: u32, permission: u32): bool {
  if (!ASC_NO_ASSERT) roleCount(roles) // which asserts that they are a role set, unless it is a single one
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
