// The search of D5 and D14: does the user hold, directly or derived, a role on the instance that has the permission? A list of
// goals (instance, role), each looked at once, from the asked instance towards where roles are held. Reads the image;
// writes only the work area.
//
//   goals  │ instance │ role │ slot │ from │ × GOALS_MAX
//   slots  │ number of a goal u16 │ × GOAL_SLOTS
//
// A slot counts only when the goal that it names exists and points back to it, so nothing is cleared between two
// searches.
import {
  GOAL_BYTES,
  GOAL_SLOTS,
  Goal,
  Grant,
  Instance,
  Query,
  RELATED,
  Related,
  Resource,
  Role,
  Rule,
  Tuple,
  WORK,
} from '../abi'
import { GOALS_MAX, RELATION_STEPS_MAX, RULE_NO_DIRECT, Verdict } from '../limits'
import { isLive } from '../memory/symbols'
import { everybody } from '../policy/everybody'
import { findGrant } from '../policy/grants'
import { isBy } from '../policy/relations'
import { holds } from '../policy/roles'
import { grantHolds, hasRole } from './rbac'

const SLOTS: u32 = WORK + GOALS_MAX * GOAL_BYTES

/**
 * D5 and D14 without the test of the instance's tenant. Permission 0 asks for any role on it. `instance` is 0 when it is
 * not stored, and then of `type`; the relations that were sent are the first `related` bytes of their area. What `shared`
 * holds (the party of everybody, or 0) counts as what the user holds; a direct role is one of the user alone.
 */
export function deriveRole(
  query: u32,
  user: u32,
  shared: u32,
  tenant: u32,
  permission: u32,
  type: u32,
  instance: u32,
  related: u32,
): Verdict {
  store<u32>(query, 0, Query.RelationSteps)
  return goOn(query, user, shared, tenant, permission, type, instance, related)
}

/** The same with what is left of the steps of the searches before it. */
/* inline */
export function goOn(
  query: u32,
  user: u32,
  shared: u32,
  tenant: u32,
  permission: u32,
  type: u32,
  instance: u32,
  related: u32,
): Verdict {
  store<u32>(query, 0, Query.Goals)
  store<u32>(query, 0, Query.Met)
  store<u32>(query, tenant, Query.Tenant)
  store<u32>(query, related === 0 ? 0 : RELATED + related, Query.RelatedEnd)
  if (gives(query, grantOn(query, user, instance), permission)) return Verdict.Allow
  if (shared !== 0 && gives(query, grantOn(query, shared, instance), permission)) return Verdict.Allow
  const ofType = instance === 0 ? type : load<u32>(instance, Instance.Type)
  for (let role = load<u32>(ofType, Resource.Roles); role !== 0; role = load<u32>(role, Role.NextOfType)) {
    if (!countStep(query)) return Verdict.Undecided
    const wanted = permission === 0 ? isLive(role) : holds(role, permission)
    if (wanted && !addGoal(query, instance, role, 0)) return Verdict.Undecided
  }
  for (let number: u32 = 0; number < load<u32>(query, Query.Goals); number++) {
    const goal = WORK + number * GOAL_BYTES
    const at = load<u32>(goal, Goal.Instance)
    const wanted = load<u32>(goal, Goal.Role)
    const grant = grantOn(query, user, at)
    // Exactly this role: who holds one that extends it has its permissions, but derives nothing by it.
    if (
      givesRole(query, grant, wanted) ||
      (shared !== 0 && /* canary: everybody-at-goals */ givesRole(query, grantOn(query, shared, at), wanted))
    ) {
      store<u32>(query, number + 1, Query.Met)
      return Verdict.Allow
    }
    // D14: what was sent is the last hop, so it leads to the roles that are asked for and no further.
    const relatedEnd = load<u32>(goal, Goal.From) === 0 ? load<u32>(query, Query.RelatedEnd) : 0
    const isDirect = /* canary: direct-roles-of-everybody */ grant !== 0 && user !== everybody()
    if (!addSources(query, at, wanted, isDirect, number + 1, relatedEnd)) return Verdict.Undecided
  }
  return Verdict.Deny
}

/** The grant of the user on the instance, or 0: no one has one on an instance that is not stored, nor who is not. */
/* inline */
function grantOn(query: u32, user: u32, instance: u32): u32 {
  return user === 0 || instance === 0 ? 0 : findGrant(query, user, instance)
}

/** Has a role of the grant, if there is one, the permission? Permission 0 asks for any role. */
/* inline */
function gives(query: u32, grant: u32, permission: u32): bool {
  return grant !== 0 && (permission === 0 || grantHolds(query, load<u32>(grant, Grant.Roles), permission))
}

/** Is it one of the roles of the grant, if there is one? */
/* inline */
function givesRole(query: u32, grant: u32, role: u32): bool {
  return grant !== 0 && hasRole(query, load<u32>(grant, Grant.Roles), role)
}

/** Counts a tuple, rule or role that is looked at; false when there were too many. */
function countStep(query: u32): bool {
  const steps = load<u32>(query, Query.RelationSteps) + 1
  store<u32>(query, steps, Query.RelationSteps)
  return steps <= (RELATION_STEPS_MAX as u32)
}

/**
 * Adds what would give the role on the instance by one step of derivation, over stored tuples and over the relations
 * that were sent, up to `relatedEnd`. False: a limit is met.
 */
/* inline */
function addSources(query: u32, instance: u32, role: u32, direct: bool, from: u32, relatedEnd: u32): bool {
  const flags = load<u32>(role, Role.Flags)
  for (let rule = load<u32>(role, Role.Rules); rule !== 0; rule = load<u32>(rule, Rule.NextOfTarget)) {
    if (!countStep(query)) return false
    if (direct && ((flags | load<u32>(rule, Rule.Flags)) & RULE_NO_DIRECT) !== 0) continue
    const relation = load<u32>(rule, Rule.Relation)
    const source = load<u32>(rule, Rule.Source)
    const type = load<u32>(source, Role.Type)
    let tuple = instance === 0 ? 0 : load<u32>(instance, Instance.Objects)
    for (; tuple !== 0; tuple = load<u32>(tuple, Tuple.NextOfObject)) {
      if (!countStep(query)) return false
      if (!isBy(query, tuple, relation)) continue
      const subject = load<u32>(tuple, Tuple.Subject)
      if (load<u32>(subject, Instance.Type) === type && !addGoal(query, subject, source, from)) return false
    }
    if (relatedEnd !== 0 && !addRelated(query, relation, type, source, from, relatedEnd)) return false
  }
  return true
}

/** Adds the subjects of a relation that were sent: those of the type, stored in the tenant of the question (D14). */
function addRelated(query: u32, relation: u32, type: u32, source: u32, from: u32, relatedEnd: u32): bool {
  const tenant = load<u32>(query, Query.Tenant)
  let group: u32 = RELATED
  while (group < relatedEnd) {
    if (!countStep(query)) return false
    const end = group + Related.Subjects + load<u32>(group, Related.Count) * 4
    if (load<u32>(group, Related.Relation) === relation) {
      for (let at = group + Related.Subjects; at < end; at += 4) {
        if (!countStep(query)) return false
        const subject = load<u32>(at)
        if (load<u32>(subject, Instance.Tenant) !== tenant || load<u32>(subject, Instance.Type) !== type) continue
        if (!addGoal(query, subject, source, from)) return false
      }
    }
    group = end
  }
  return true
}

/** Adds a pair that was not seen yet. False: there are too many. */
function addGoal(query: u32, instance: u32, role: u32, from: u32): bool {
  const goals = load<u32>(query, Query.Goals)
  let hash = (instance * 0x9e3779b1) ^ (role * 0x85ebca77)
  hash ^= hash >>> 15
  let slot = hash & (GOAL_SLOTS - 1)
  for (;;) {
    const number = load<u16>(SLOTS + slot * 2) as u32
    const goal = WORK + number * GOAL_BYTES
    if (number >= goals || load<u32>(goal, Goal.Slot) !== slot) break
    if (load<u32>(goal, Goal.Instance) === instance && load<u32>(goal, Goal.Role) === role) return true
    slot = (slot + 1) & (GOAL_SLOTS - 1)
  }
  if (goals === GOALS_MAX) return false
  const goal = WORK + goals * GOAL_BYTES
  store<u32>(goal, instance, Goal.Instance)
  store<u32>(goal, role, Goal.Role)
  store<u32>(goal, slot, Goal.Slot)
  store<u32>(goal, from, Goal.From)
  store<u16>(SLOTS + slot * 2, goals as u16)
  store<u32>(query, goals + 1, Query.Goals)
  return true
}
