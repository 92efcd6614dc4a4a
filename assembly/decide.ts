// The decision. Rules D1–D12 of docs/semantics.md; test/reference states the same in plain code. Reads only; never interns,
// never allocates. What cannot be found arrives as id 0 and is denied (D1).
import { Grant, RoleSet, SINGLE, Verdict } from './abi'
import { findGrant } from './grants'
import { holds } from './roles'

/** May the user do what `permission` names, in the tenant? (D3: RBAC is the only source so far) */
export function decideIn(user: u32, tenant: u32, permission: u32): Verdict {
  if (user === 0 || tenant === 0 || permission === 0) return Verdict.Deny // D1
  const grant = findGrant(user, tenant)
  if (grant === 0) return Verdict.Deny // D4: assignments in another tenant give nothing here
  return grantHolds(load<u32>(grant, Grant.Roles), permission) ? Verdict.Allow : Verdict.Deny
}

/** D4: does one of the assigned roles, or one that it extends, have the permission? */
export function grantHolds(roles: u32, permission: u32): bool {
  if ((roles & SINGLE) !== 0) return holds(roles - SINGLE, permission)
  const end = roles + load<u32>(roles, RoleSet.Count) * 4
  for (let at = roles; at < end; at += 4) {
    if (holds(load<u32>(at, RoleSet.Roles), permission)) return true
  }
  return false
}
