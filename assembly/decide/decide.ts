// The decision. Rules D1–D16 of docs/semantics.md; test/reference states the same in plain code. Reads only; never
// interns, never allocates. What cannot be found arrives as id 0 and is denied (D1).
import { Grant, Instance, Permission, TIMED } from '../abi'
import { ASK_TIME, ASK_USER, Verdict } from '../limits'
import { everybody, everybodyAsked } from '../policy/everybody'
import { findGrantStored } from '../policy/grants'
import { permissionRecord } from '../policy/permissions'
import { hasSuspension, isAlwaysSuspended, isSuspended } from '../policy/suspensions'
import { settle } from '../policy/times'
import { askSets } from './abac'
import { grantHolds, plainHolds, timedHolds } from './rbac'
import { deriveRole } from './rebac'

/**
 * D3 for a named instance (0: it is not stored), or for relations sent with the question: RBAC, else ReBAC, else
 * ASK_SETS; what allows wins over what could not be decided (D13).
 */
export function decideOnInstance(
  query: u32,
  user: u32,
  tenant: u32,
  permission: u32,
  instance: u32,
  related: u32,
): u32 {
  const verdict = decideIn(query, user, tenant, permission)
  if (verdict === Verdict.Allow || verdict === ASK_TIME || permission === 0) return verdict
  const type = related === 0 ? 0 : load<u32>(permissionRecord(permission), Permission.Resource)
  const byRelation = decideByRelation(query, user, tenant, permission, type, instance, related)
  return byRelation === Verdict.Allow ? byRelation : byRelation | verdict
}

/**
 * D5 and D14: does a role that the user holds on the instance (0: one of `type` that is not stored), directly or derived,
 * have the permission? Permission 0 asks for any role.
 */
/* inline */
export function decideByRelation(
  query: u32,
  user: u32,
  tenant: u32,
  permission: u32,
  type: u32,
  instance: u32,
  related: u32,
): Verdict {
  const shared = everybodyAsked(query)
  if ((user | shared) === 0 || tenant === 0 || (instance | related) === 0) return Verdict.Deny // D1
  if (/* canary: suspended-by-relations */ isSuspended(query, user)) return Verdict.Deny // D16
  if (instance !== 0 && load<u32>(instance, Instance.Tenant) !== tenant) return Verdict.Deny // D2
  return deriveRole(query, user, shared, tenant, permission, type, instance, related)
}

/** RBAC: may the user do what `permission` names, in the tenant? Else, whether set rules have a say. */
/* inline */
export function decideIn(query: u32, user: u32, tenant: u32, permission: u32): u32 {
  const verdict = decideByRoles(query, rolesIn(user, tenant), permission)
  return verdict === ASK_USER ? decideUser(query, user, tenant, permission) : verdict
}

/**
 * The same where the roles of the user do not say it: the user is suspended at some instants, or everybody has roles (D16).
 * The tenant and the permission are known then.
 */
function decideUser(query: u32, user: u32, tenant: u32, permission: u32): u32 {
  if (/* canary: everybody-despite-suspension */ isSuspended(query, user)) return settle(query, Verdict.Deny)
  const allows =
    holdsIn(query, user, tenant, permission) ||
    /* canary: everybody-in-tenants */ holdsIn(query, everybodyAsked(query), tenant, permission)
  // A user set is never true for who is not stored.
  return settle(query, allows ? (Verdict.Allow as u32) : user === 0 ? (Verdict.Deny as u32) : askSets(permission))
}

/** D4: has the party, if there is one, a role in the tenant that has the permission? */
function holdsIn(query: u32, party: u32, tenant: u32, permission: u32): bool {
  const roles = party === 0 ? 0 : rolesStored(party, tenant)
  return roles !== 0 && grantHolds(query, roles, permission)
}

/**
 * Stands for the roles of an unknown user, or in an unknown tenant, to whom nothing is allowed: no record has this address,
 * and it has no tag.
 */
const OF_NOBODY: u32 = 4
/** The same of an unknown user while everybody has roles. */
const OF_ANYBODY: u32 = 8
/** Stands for the roles of a user who is suspended at some instants: it has the tag of roles with times. */
const OF_SOMETIMES_SUSPENDED: u32 = TIMED + 4

/**
 * What stands for the roles of the user in the tenant: what the grant stores, 0 without one, OF_NOBODY, also of who is
 * suspended, or OF_SOMETIMES_SUSPENDED. It says the same at every instant: which of the roles are in force is looked up
 * when they are asked for a permission.
 */
/* inline */
export function rolesIn(user: u32, tenant: u32): u32 {
  if (tenant === 0) return OF_NOBODY // D1
  if (user === 0) return everybody() === 0 ? OF_NOBODY : OF_ANYBODY
  if (/* canary: suspended-in-tenants */ hasSuspension(user))
    return isAlwaysSuspended(user) ? OF_NOBODY : OF_SOMETIMES_SUSPENDED // D16
  return rolesStored(user, tenant)
}

function rolesStored(user: u32, tenant: u32): u32 {
  const grant = findGrantStored(user, tenant)
  return grant === 0 ? 0 : load<u32>(grant, Grant.Roles) // D4: assignments in another tenant give nothing here
}

/**
 * RBAC: do these roles, as `rolesIn` gives them, allow what `permission` names? Else, whether set rules have a say; or
 * ASK_TIME, or ASK_USER. Roles without times, as most are, do not look at the query.
 */
/* inline */
export function decideByRoles(query: u32, roles: u32, permission: u32): u32 {
  if (roles === OF_NOBODY || permission === 0) return Verdict.Deny // D1
  if ((roles & TIMED) !== 0) {
    if (roles === OF_SOMETIMES_SUSPENDED) return ASK_USER
    return settle(query, timedHolds(query, roles, permission) ? (Verdict.Allow as u32) : orAsk(permission))
  }
  if (roles === OF_ANYBODY) return ASK_USER
  if (roles !== 0 && plainHolds(roles, permission)) return Verdict.Allow
  return orAsk(permission)
}

/** These roles do not allow it: everybody's may, which are looked at second. One load where there are none. */
/* inline */
function orAsk(permission: u32): u32 {
  return everybody() === 0 ? askSets(permission) : ASK_USER
}
