// The decision. Rules D1–D12 of docs/semantics.md; test/reference states the same in plain code. Reads only; never
// interns, never allocates. What cannot be found arrives as id 0 and is denied (D1).
import { Grant, Instance, Verdict } from '../abi'
import { findGrant } from '../policy/grants'
import { askSets } from './abac'
import { grantHolds } from './rbac'
import { deriveRole } from './rebac'

/**
 * D3 for a named instance (0: it is not stored): RBAC, else ReBAC, else ASK_SETS; what allows wins over what could not
 * be decided (D13).
 */
export function decideOnInstance(query: u32, user: u32, tenant: u32, permission: u32, instance: u32): u32 {
  const verdict = decideIn(user, tenant, permission)
  if (verdict === Verdict.Allow || permission === 0) return verdict
  const related = decideByRelation(query, user, tenant, permission, instance)
  return related === Verdict.Allow ? related : related | verdict
}

/**
 * D5: does a role that the user holds on the instance, directly or derived, have the permission? Permission 0 asks for
 * any role.
 */
export function decideByRelation(query: u32, user: u32, tenant: u32, permission: u32, instance: u32): Verdict {
  if (user === 0 || tenant === 0 || instance === 0) return Verdict.Deny // D1
  if (load<u32>(instance, Instance.Tenant) !== tenant) return Verdict.Deny // D2
  return deriveRole(query, user, instance, permission)
}

/** RBAC: may the user do what `permission` names, in the tenant? Else, whether set rules have a say. */
export function decideIn(user: u32, tenant: u32, permission: u32): u32 {
  if (user === 0 || tenant === 0 || permission === 0) return Verdict.Deny // D1
  const grant = findGrant(user, tenant)
  // D4: assignments in another tenant give nothing here
  if (grant !== 0 && grantHolds(load<u32>(grant, Grant.Roles), permission)) return Verdict.Allow
  return askSets(permission)
}
