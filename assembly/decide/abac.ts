// Decisions by attributes (D6): is there a set rule of the permission whose two sides are both true for the question?
// The sides that can be true come from the index (candidates.ts), the conditions of each are a program (conditions.ts).
// Reads the image, writes only the work area.
import { ConditionSet, Grant, Header, Instance, Permission, Query, SetRule, Side, SymbolRecord, WORK } from '../abi'
import { ASK_SETS, ASK_TIME, CANDIDATES_MAX, Table, Verdict } from '../limits'
import { follow, linksMax } from '../memory/lists'
import { field } from '../memory/memory'
import { isLive } from '../memory/symbols'
import { everybody } from '../policy/everybody'
import { permissionRecord } from '../policy/permissions'
import { isResourceRole } from '../policy/role-sides'
import { findSetRule } from '../policy/set-rules'
import { isSuspended } from '../policy/suspensions'
import { settle } from '../policy/times'
import { ask, grantAskedStored, resetGenerated, resolveAlone, typeAsked } from './attributes'
import { collect, OVERFLOW } from './candidates'
import { count, isExhausted, resetSteps } from './compare'
import { run } from './conditions'
import { hasRole } from './rbac'
import { roleSideHolds, searchRoleSide, searchRoleSides } from './role-sides'

/**
 * Candidates of one question: users, then resources with what is known of them in the lowest two bits of their address.
 */
const USERS_FOUND: u32 = WORK

const RESOURCES_FOUND: u32 = WORK + CANDIDATES_MAX * 4
/** Rules of one side of users that are tried without asking which resources can be true. */
const LINEAR_SCAN_MAX: u32 = 4

/** What is added to a verdict that does not allow: ASK_SETS when the permission has set rules. */
export function askSets(permission: u32): u32 {
  if (field(Header.SetRules) === 0) return 0
  return load<u32>(permissionRecord(permission), Permission.SetRules) === 0 ? 0 : ASK_SETS
}

/**
 * D6: is there a rule of the permission whose two sets are true? What was sent ends at `end` in the encoded area. ASK_TIME
 * when that depends on an instant and none is given: then the question is asked again, and nothing of this one counts.
 */
export function decideBySets(
  query: u32,
  user: u32,
  tenant: u32,
  permission: u32,
  instance: u32,
  related: u32,
  end: u32,
): u32 {
  const refusals = load<u32>(query, Query.Refusals)
  const verdict = settle(query, decideByCandidates(query, user, tenant, permission, instance, related, end))
  if (verdict === ASK_TIME) store<u32>(query, refusals, Query.Refusals)
  return verdict
}

function decideByCandidates(
  query: u32,
  user: u32,
  tenant: u32,
  permission: u32,
  instance: u32,
  related: u32,
  end: u32,
): Verdict {
  if (!begin(query, user, tenant, permission, instance, end)) return Verdict.Deny
  searchRoleSides(query, user, tenant, permission, instance, related)
  const record = permissionRecord(permission)
  const users = collect(query, load<u32>(record, Permission.UserIndexes), USERS_FOUND, CANDIDATES_MAX)
  if (users === OVERFLOW) return decideByRules(query, load<u32>(record, Permission.SetRules))
  let verdict = Verdict.Deny
  let resources: u32 = 0
  let collected: bool = false
  for (let index: u32 = 0; index < users; index++) {
    const side = load<u32>(USERS_FOUND + index * 4)
    const usersHold = holdsUsers(query, load<u32>(side, Side.Set))
    if (usersHold === Verdict.Deny) continue
    const rules = load<u32>(side, Side.Count)
    if (rules > LINEAR_SCAN_MAX && !collected) {
      resources = collect(query, load<u32>(record, Permission.ResourceIndexes), RESOURCES_FOUND, CANDIDATES_MAX)
      collected = true
    }
    // Whichever is less work: each rule of the side, or each resource that can be true.
    const found =
      rules > LINEAR_SCAN_MAX && resources < rules
        ? holdsSomeCollectedRule(query, permission, side, resources)
        : holdsSomeRule(query, side)
    if (found === Verdict.Allow && usersHold === Verdict.Allow) return Verdict.Allow
    if (found !== Verdict.Deny) verdict = Verdict.Undecided
  }
  return isExhausted(query) ? Verdict.Undecided : verdict
}

/** One rule after the other. */
function decideByRules(query: u32, first: u32): Verdict {
  let verdict = Verdict.Deny
  let left = linksMax()
  for (let rule = first; rule !== 0; rule = load<u32>(rule, SetRule.Next)) {
    left = follow(left)
    const users = holdsUsers(query, load<u32>(rule, SetRule.Users))
    if (users === Verdict.Deny) continue
    const resources = holdsResources(query, load<u32>(rule, SetRule.Resources))
    if (resources === Verdict.Deny) continue
    if (users === Verdict.Allow && resources === Verdict.Allow) return Verdict.Allow
    verdict = Verdict.Undecided
  }
  return verdict
}

/** Is the resource side of some rule of a side of users true? */
function holdsSomeRule(query: u32, side: u32): Verdict {
  let verdict = Verdict.Deny
  let left = linksMax()
  for (let rule = load<u32>(side, Side.Rules); rule !== 0; rule = load<u32>(rule, SetRule.NextOfSide)) {
    left = follow(left)
    const own = holdsResources(query, load<u32>(rule, SetRule.Resources))
    if (own === Verdict.Allow) return own
    if (own === Verdict.Undecided) verdict = own
  }
  return verdict
}

/** The same, by the sides of resources that were collected; each is evaluated once for all sides of users. */
function holdsSomeCollectedRule(query: u32, permission: u32, side: u32, resources: u32): Verdict {
  const users = load<u32>(side, Side.Set)
  let verdict = Verdict.Deny
  for (let index: u32 = 0; index < resources; index++) {
    const entry = RESOURCES_FOUND + index * 4
    const set = load<u32>(load<u32>(entry) & ~3, Side.Set)
    if (!count(query, 1)) return Verdict.Undecided
    if (findSetRule(permission, users, set) === 0) continue
    // 1 + the verdict once it is known
    let known = load<u32>(entry) & 3
    if (known === 0) {
      known = holdsResources(query, set) + 1
      store<u32>(entry, load<u32>(entry) | known)
    }
    if (known - 1 === Verdict.Allow) return Verdict.Allow
    if (known - 1 === Verdict.Undecided) verdict = Verdict.Undecided
  }
  return verdict
}

/** The truth of one side of one rule, for explain. */
export function sideHolds(
  query: u32,
  user: u32,
  tenant: u32,
  permission: u32,
  instance: u32,
  related: u32,
  end: u32,
  side: u32,
): Verdict {
  if (!begin(query, user, tenant, permission, instance, end)) return Verdict.Deny
  const table = load<u8>(side, SymbolRecord.Table) as u32
  if (isResourceRole(side)) return searchRoleSide(query, user, tenant, permission, instance, related, side)
  if (table === Table.Roles) return holdsUsers(query, side)
  return table === Table.Resources ? holdsResources(query, side) : holdsSet(query, side)
}

/** The truth of a program that lies before `end` in the encoded area, for explain. */
export function programHolds(
  query: u32,
  user: u32,
  tenant: u32,
  permission: u32,
  instance: u32,
  end: u32,
  program: u32,
): Verdict {
  return begin(query, user, tenant, permission, instance, end) ? run(query, program) : Verdict.Deny
}

/** The cell of a path for the question, for explain; 0 when it is as good as missing. */
export function operandOf(
  query: u32,
  user: u32,
  tenant: u32,
  permission: u32,
  instance: u32,
  end: u32,
  path: u32,
): u32 {
  return begin(query, user, tenant, permission, instance, end) ? resolveAlone(query, path) : 0
}

/** False: nothing can allow (D1, D2, D16), or that depends on an instant and none is given. */
function begin(query: u32, user: u32, tenant: u32, permission: u32, instance: u32, end: u32): bool {
  /* canary: ids-that-nothing-has */
  if (user === 0 || tenant === 0 || permission === 0) return false
  // An id stays its key's when the object is deleted; here, unlike for roles, nothing else says that it is gone.
  if (!isLive(user) || !isLive(tenant) || !isLive(permissionRecord(permission))) return false
  if (user === everybody() || isSuspended(query, user)) return false // D16
  if (instance !== 0 && load<u32>(instance, Instance.Tenant) !== tenant) return false
  ask(query, user, tenant, permission, instance, end)
  resetSteps(query)
  return true
}

/**
 * D6: a role used as a user set means that it is assigned in the tenant. D17: a resource role, that it is held on the
 * resource.
 */
function holdsUsers(query: u32, users: u32): Verdict {
  if ((load<u8>(users, SymbolRecord.Table) as u32) !== Table.Roles) return holdsSet(query, users)
  if (isResourceRole(users)) return roleSideHolds(query, users)
  const grant = grantAskedStored(query)
  return grant !== 0 && hasRole(query, load<u32>(grant, Grant.Roles), users) ? Verdict.Allow : Verdict.Deny
}

/** D6: a resource used as a resource set means its type. */
function holdsResources(query: u32, resources: u32): Verdict {
  if ((load<u8>(resources, SymbolRecord.Table) as u32) !== Table.Resources) return holdsSet(query, resources)
  return resources === typeAsked(query) ? Verdict.Allow : Verdict.Deny
}

/** D6: the conditions of the set and of its parents hold; a set with a base resource is about that type. */
function holdsSet(query: u32, first: u32): Verdict {
  let verdict = Verdict.Allow
  for (let set = first; set !== 0; set = load<u32>(set, ConditionSet.Parent)) {
    if (!count(query, 1)) return Verdict.Undecided
    const resource = load<u32>(set, ConditionSet.Resource)
    if (!isLive(set) || (resource !== 0 && resource !== typeAsked(query))) return Verdict.Deny
    resetGenerated(query)
    const own = run(query, load<u32>(set, ConditionSet.Program))
    if (own === Verdict.Deny) return Verdict.Deny
    if (own === Verdict.Undecided) verdict = Verdict.Undecided
  }
  return verdict
}
