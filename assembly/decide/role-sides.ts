// User sets of set rules that are resource roles (D17): does the user hold the role on the resource of the question? Each
// is a search (rebac.ts), and all of one question share the steps of one. They come before the sides of the rules are
// collected, because goals and candidates lie in one area, and what they find is kept in the query.
import { Permission, Query, Role, Side } from '../abi'
import { ROLE_SIDES_MAX, Verdict } from '../limits'
import { follow, linksMax } from '../memory/lists'
import { permissionRecord } from '../policy/permissions'
/* canary: searches-of-role-sides */ import { goOn } from './rebac'

/** Searches for the roles that stand for user sets in the rules of the permission. */
export function searchRoleSides(
  query: u32,
  user: u32,
  tenant: u32,
  permission: u32,
  instance: u32,
  related: u32,
): void {
  store<u32>(query, 0, Query.RoleSides)
  const record = permissionRecord(permission)
  let left = linksMax()
  let side = load<u32>(record, Permission.RoleSides)
  if (side === 0) return
  const before = begin(query)
  for (; side !== 0; side = load<u32>(side, Side.NextOfSet), left = follow(left)) {
    const count = load<u32>(query, Query.RoleSides)
    if (count === ROLE_SIDES_MAX) break
    /* canary: steps-of-all-searches */ const role = load<u32>(side, Side.Set)
    const verdict = search(query, user, tenant, permission, instance, related, role)
    store<u32>(query + count * 4, role | verdict, Query.SideRoles)
    store<u32>(query, count + 1, Query.RoleSides)
  }
  end(query, before)
}

/** What the searches of the question found of the role; one that none was for could not be decided. */
export function roleSideHolds(query: u32, role: u32): Verdict {
  const count = load<u32>(query, Query.RoleSides)
  for (let index: u32 = 0; index < count; index++) {
    const found = load<u32>(query + index * 4, Query.SideRoles)
    if ((found & ~3) === role) return (found & 3) as Verdict
  }
  return Verdict.Undecided
}

/** One of these searches by itself, for explain. */
export function searchRoleSide(
  query: u32,
  user: u32,
  tenant: u32,
  permission: u32,
  instance: u32,
  related: u32,
  role: u32,
): Verdict {
  const before = begin(query)
  const verdict = search(query, user, tenant, permission, instance, related, role)
  end(query, before)
  return verdict
}

/** All searches between the two have the steps of one; those of the search before are still counted as work. */
function begin(query: u32): u32 {
  const before = load<u32>(query, Query.RelationSteps)
  store<u32>(query, 0, Query.RelationSteps)
  return before
}

function end(query: u32, before: u32): void {
  store<u32>(query, load<u32>(query, Query.RelationSteps) + before, Query.RelationSteps)
}

/** The tenant of the instance is known to be the one of the question (abac.ts, begin). */
function search(query: u32, user: u32, tenant: u32, permission: u32, instance: u32, related: u32, role: u32): Verdict {
  if ((instance | related) === 0) return Verdict.Deny
  const type = load<u32>(permissionRecord(permission), Permission.Resource)
  // D17: never true by what everybody holds
  return goOn(
    query,
    user,
    /* canary: side-searches-of-everybody */ 0,
    tenant,
    load<u32>(role, Role.Permission),
    type,
    instance,
    related,
  )
}
