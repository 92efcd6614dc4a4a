// Grants: (user, scope) → the roles that the user was assigned there, with the lists to enumerate both ways. A scope is
// a tenant (D4) or a resource instance (D5). One role is kept in place, several as a role set shared by all equal
// grants; those with times (D15) in a record of the grant's own.
//
//   grant  │ user │ scope │ role + SINGLE, role set, or timed roles + TIMED │ next, previous of user │ … of scope │
//   set    │ references │ count │ hash │ role × count, ascending by address │
//   timed  │ grant │ roles without times, as a grant has them │ count │ (role, from, until) × count, ascending │
//
// Functions whose names end in `Stored` give what is stored; the others what is in force at the instant of the question.
//
// INVARIANT: every grant is in the table once, in its user's list once and in its scope's list once.
// INVARIANT: a set has at least two roles and as many references as point to it; equal sets are one record.
// INVARIANT: timed roles are at least one; each begins before it ends; none is among the roles without times.
import {
  GRANT_BYTES,
  Grant,
  Header,
  Principal,
  RoleSet,
  SCRATCH,
  SINGLE,
  TIMED,
  TIMED_ROLE_BYTES,
  TimedRole,
  TimedRoles,
} from '../abi'
import { GRANT_ROLES_MAX, Table } from '../limits'
import { link, unlink } from '../memory/lists'
import { addToField, allocate, release } from '../memory/memory'
import { grantAt, roleSetAt, timedRolesAt } from '../memory/records'
import { firstMatch, insert, matchedRecord, nextMatch, remove } from '../memory/table'
import { dropEverybody } from './everybody'
import { hasTimes, isInForce } from './times'

/** Where the roles of a grant are put together: the second half of the scratch area. Those with times lie behind. */
const COLLECTED: u32 = SCRATCH + 0x8000
const COLLECTED_TIMED: u32 = COLLECTED + GRANT_ROLES_MAX * 4

export function grantHash(user: u32, scope: u32): u32 {
  let hash = (user * 0x9e3779b1) ^ (scope * 0x85ebca77)
  hash = (hash ^ (hash >>> 15)) * 0x2c1b3c6d
  return hash ^ (hash >>> 13)
}

/** The grant of the user in the scope, or 0. */
export function findGrantStored(user: u32, scope: u32): u32 {
  const hash = grantHash(user, scope)
  for (let match = firstMatch(Table.Grants, hash); match !== 0; match = nextMatch(match, hash)) {
    const grant = matchedRecord(match)
    /* canary: parts-of-a-grant */
    if (grantAt(grant).user === user && grantAt(grant).scope === scope) return grant
  }
  return 0
}

/** The grant of the user in the scope, if a role of it is in force; else 0. */
/* inline */
export function findGrant(query: u32, user: u32, scope: u32): u32 {
  const grant = findGrantStored(user, scope)
  return grant !== 0 && /* canary: grants-in-force */ isGrantInForce(query, grant) ? grant : 0
}

/** Is a role of the grant in force? */
/* inline */
export function isGrantInForce(query: u32, grant: u32): bool {
  const roles = grantAt(grant).roles
  return (roles & TIMED) === 0 || isSomeRoleInForce(query, roles)
}

function isSomeRoleInForce(query: u32, roles: u32): bool {
  if (timedRolesAt(roles - TIMED).plain !== 0) return true
  const end = timedEnd(roles)
  for (let at = timedStart(roles); at < end; at += TIMED_ROLE_BYTES) if (isRoleInForce(query, at)) return true
  return false
}

/** Is the timed role at this address in force? */
export function isRoleInForce(query: u32, at: u32): bool {
  return isInForce(query, load<f64>(at, TimedRole.From), load<f64>(at, TimedRole.Until))
}

/** The roles without times of those that a grant stores; 0 when there are none. */
export function plainRoles(roles: u32): u32 {
  return (roles & TIMED) === 0 ? roles : timedRolesAt(roles - TIMED).plain
}

/** How many of the roles that a grant stores have times. */
export function timedCount(roles: u32): u32 {
  return (roles & TIMED) === 0 ? 0 : timedRolesAt(roles - TIMED).count
}

/** Where the roles with times of a grant begin, TIMED_ROLE_BYTES each, and where they end. */
export function timedStart(roles: u32): u32 {
  return roles - TIMED + TimedRoles.Roles
}

export function timedEnd(roles: u32): u32 {
  return timedStart(roles) + timedRolesAt(roles - TIMED).count * TIMED_ROLE_BYTES
}

/** Gives the user the role in the scope at these times; false when it is so already. */
export function assign(user: u32, scope: u32, role: u32, from: f64, until: f64): bool {
  const grant = findGrantStored(user, scope)
  const roles = grant === 0 ? 0 : grantAt(grant).roles
  let plain = copyPlain(roles)
  let timed = copyTimed(roles)
  const at = findIndex(COLLECTED, plain, role)
  const slot = findSlot(timed, role)
  if (hasTimes(from, until)) {
    if (at >= 0) removeSlot(COLLECTED, plain--, at as u32, 4)
    if (slot < 0) insertTimed(timed++, role, from, until)
    else if (!setTimes(COLLECTED_TIMED + (slot as u32) * TIMED_ROLE_BYTES, from, until)) return false
  } else {
    if (at >= 0) return false
    if (slot >= 0) removeSlot(COLLECTED_TIMED, timed--, slot as u32, TIMED_ROLE_BYTES)
    insertSorted(COLLECTED, plain++, role)
  }
  if (plain + timed > (GRANT_ROLES_MAX as u32)) unreachable()
  if (grant === 0) createGrant(user, scope, plain, timed)
  else setRoles(grant, plain, timed)
  return true
}

/** Takes the role from the user in the scope; false when it is not there. */
export function unassign(user: u32, scope: u32, role: u32): bool {
  const grant = findGrantStored(user, scope)
  if (grant === 0) return false
  const roles = grantAt(grant).roles
  let plain = copyPlain(roles)
  let timed = copyTimed(roles)
  const at = findIndex(COLLECTED, plain, role)
  const slot = findSlot(timed, role)
  if (at >= 0) removeSlot(COLLECTED, plain--, at as u32, 4)
  else if (slot >= 0) removeSlot(COLLECTED_TIMED, timed--, slot as u32, TIMED_ROLE_BYTES)
  else return false
  if (plain + timed === 0) deleteGrant(grant)
  else setRoles(grant, plain, timed)
  return true
}

/**
 * Creates the whole grant of a user in a scope, who has none yet, out of the `count` different roles at `list` and,
 * behind them, the `timed` others with their times: the canonical build.
 */
export function putGrant(user: u32, scope: u32, list: u32, count: u32, timed: u32): void {
  for (let index: u32 = 0; index < count; index++) insertSorted(COLLECTED, index, load<u32>(list + index * 4))
  let at = list + count * 4
  for (let index: u32 = 0; index < timed; index++) {
    insertTimed(index, load<u32>(at, TimedRole.Role), load<f64>(at, TimedRole.From), load<f64>(at, TimedRole.Until))
    at += TIMED_ROLE_BYTES
  }
  createGrant(user, scope, count, timed)
}

/** Creates the grant out of the roles that were put together. */
function createGrant(user: u32, scope: u32, plain: u32, timed: u32): void {
  const held = plain === 0 ? 0 : holdRoles(COLLECTED, plain)
  const grant = allocate(GRANT_BYTES)
  grantAt(grant).user = user
  grantAt(grant).scope = scope
  grantAt(grant).roles = timed === 0 ? held : createTimed(grant, held, timed)
  link(grant, user + Principal.Grants, Grant.NextOfUser, Grant.PreviousOfUser)
  link(grant, scope + Principal.Grants, Grant.NextOfScope, Grant.PreviousOfScope)
  insert(Table.Grants, grantHash(user, scope), grant)
  addToField(Header.Grants, 1)
  addToField(Header.Assignments, (plain + timed) as i32)
  addToField(Header.TimedRoles, timed as i32)
}

/** Gives the grant the roles that were put together, in place of those that it has. */
function setRoles(grant: u32, plain: u32, timed: u32): void {
  const before = grantAt(grant).roles
  addToField(Header.Assignments, (plain + timed - roleCountStored(before)) as i32)
  addToField(Header.TimedRoles, (timed - timedCount(before)) as i32)
  const held = plain === 0 ? 0 : holdRoles(COLLECTED, plain)
  grantAt(grant).roles = timed === 0 ? held : createTimed(grant, held, timed)
  dropRoles(before)
}

/** What a grant stores that has these roles without times and the timed ones that were put together. */
function createTimed(grant: u32, plain: u32, count: u32): u32 {
  const timed = allocate(TimedRoles.Roles + count * TIMED_ROLE_BYTES)
  timedRolesAt(timed).grant = grant
  timedRolesAt(timed).plain = plain
  timedRolesAt(timed).count = count
  memory.copy(timed + TimedRoles.Roles, COLLECTED_TIMED, count * TIMED_ROLE_BYTES)
  return timed | TIMED
}

/** Removes a grant with all its roles. */
export function deleteGrant(grant: u32): void {
  const user = grantAt(grant).user
  const scope = grantAt(grant).scope
  const roles = grantAt(grant).roles
  addToField(Header.Assignments, -(roleCountStored(roles) as i32))
  addToField(Header.TimedRoles, -(timedCount(roles) as i32))
  addToField(Header.Grants, -1)
  unlink(grant, user + Principal.Grants, Grant.NextOfUser, Grant.PreviousOfUser)
  unlink(grant, scope + Principal.Grants, Grant.NextOfScope, Grant.PreviousOfScope)
  remove(Table.Grants, grantHash(user, scope), grant)
  release(grant, GRANT_BYTES)
  dropRoles(roles)
  dropEverybody(user)
}

/** How many roles a grant that stores this has, with and without times. */
export function roleCountStored(roles: u32): u32 {
  const plain = plainRoles(roles)
  if (plain === 0) return timedCount(roles)
  return timedCount(roles) + ((plain & SINGLE) !== 0 ? 1 : roleSetAt(plain).count)
}

/** Copies the addresses of the roles that are in force to `target`, ascending; returns how many. */
export function copyRoles(query: u32, roles: u32, target: u32): u32 {
  let count = copyRolesAt(plainRoles(roles), target)
  if ((roles & TIMED) === 0) return count
  const end = timedEnd(roles)
  for (let at = timedStart(roles); at < end; at += TIMED_ROLE_BYTES) {
    if (/* canary: roles-of-users-in-force */ isRoleInForce(query, at))
      insertSorted(target, count++, load<u32>(at, TimedRole.Role))
  }
  return count
}

/** The roles without times of a grant that is changed, put together; returns how many. */
function copyPlain(roles: u32): u32 {
  return copyRolesAt(plainRoles(roles), COLLECTED)
}

/** The same of those with times. */
function copyTimed(roles: u32): u32 {
  const count = timedCount(roles)
  if (count !== 0) memory.copy(COLLECTED_TIMED, timedStart(roles), count * TIMED_ROLE_BYTES)
  return count
}

/** One role in place, a set, or nothing. */
function copyRolesAt(roles: u32, target: u32): u32 {
  if (roles === 0) return 0
  if ((roles & SINGLE) !== 0) {
    store<u32>(target, roles - SINGLE)
    return 1
  }
  const count = roleSetAt(roles).count
  memory.copy(target, roles + RoleSet.Roles, count * 4)
  return count
}

function findIndex(list: u32, count: u32, role: u32): i32 {
  for (let index: u32 = 0; index < count; index++) {
    if (load<u32>(list + index * 4) === role) return index as i32
  }
  return -1
}

/** The place of a role among the timed ones that are put together, or −1. */
function findSlot(count: u32, role: u32): i32 {
  for (let index: u32 = 0; index < count; index++) {
    if (load<u32>(COLLECTED_TIMED + index * TIMED_ROLE_BYTES, TimedRole.Role) === role) return index as i32
  }
  return -1
}

function insertSorted(list: u32, count: u32, role: u32): void {
  let at = count
  while (at > 0 && load<u32>(list + (at - 1) * 4) > role) {
    store<u32>(list + at * 4, load<u32>(list + (at - 1) * 4))
    at--
  }
  store<u32>(list + at * 4, role)
}

/** Adds a timed role to those that are put together. */
function insertTimed(count: u32, role: u32, from: f64, until: f64): void {
  let at = COLLECTED_TIMED + count * TIMED_ROLE_BYTES
  while (at > COLLECTED_TIMED && load<u32>(at - TIMED_ROLE_BYTES, TimedRole.Role) > role) {
    memory.copy(at, at - TIMED_ROLE_BYTES, TIMED_ROLE_BYTES)
    at -= TIMED_ROLE_BYTES
  }
  store<u32>(at, role, TimedRole.Role)
  store<f64>(at, from, TimedRole.From)
  store<f64>(at, until, TimedRole.Until)
}

/** Sets the times of a role; false when it has them. */
function setTimes(at: u32, from: f64, until: f64): bool {
  if (load<f64>(at, TimedRole.From) === from && load<f64>(at, TimedRole.Until) === until) return false
  store<f64>(at, from, TimedRole.From)
  store<f64>(at, until, TimedRole.Until)
  return true
}

/** Takes one of `count` entries out of a list. */
function removeSlot(list: u32, count: u32, index: u32, bytes: u32): void {
  const at = list + index * bytes
  memory.copy(at, at + bytes, (count - index - 1) * bytes)
}

/** What a grant of these ascending roles stores: one role in place, or the shared set with one more reference. */
function holdRoles(list: u32, count: u32): u32 {
  if (count === 1) return load<u32>(list) | SINGLE
  let hash = count * 0x9e3779b1
  for (let index: u32 = 0; index < count; index++) {
    hash = (hash ^ load<u32>(list + index * 4)) * 0x85ebca77
    hash ^= hash >>> 15
  }
  const known = findSet(hash, list, count)
  if (known !== 0) {
    roleSetAt(known).references = roleSetAt(known).references + 1
    return known
  }
  const set = allocate(RoleSet.Roles + count * 4)
  roleSetAt(set).references = 1
  roleSetAt(set).count = count
  roleSetAt(set).hash = hash
  memory.copy(set + RoleSet.Roles, list, count * 4)
  insert(Table.RoleSets, hash, set)
  addToField(Header.RoleSets, 1)
  return set
}

function findSet(hash: u32, list: u32, count: u32): u32 {
  for (let match = firstMatch(Table.RoleSets, hash); match !== 0; match = nextMatch(match, hash)) {
    const set = matchedRecord(match)
    /* canary: roles-of-a-role-set */
    if (sameRoles(set, list, count)) return set
  }
  return 0
}

function sameRoles(set: u32, list: u32, count: u32): bool {
  if (roleSetAt(set).count !== count) return false
  for (let offset: u32 = 0; offset < count * 4; offset += 4) {
    if (load<u32>(set + offset, RoleSet.Roles) !== load<u32>(list + offset)) return false
  }
  return true
}

/** A grant points to these roles no longer; a set without references is freed. */
function dropRoles(roles: u32): void {
  if ((roles & TIMED) !== 0) {
    const timed = roles - TIMED
    dropRoles(timedRolesAt(timed).plain)
    release(timed, TimedRoles.Roles + timedRolesAt(timed).count * TIMED_ROLE_BYTES)
    return
  }
  if (roles === 0 || (roles & SINGLE) !== 0) return
  const references = roleSetAt(roles).references - 1
  roleSetAt(roles).references = references
  if (references !== 0) return
  remove(Table.RoleSets, roleSetAt(roles).hash, roles)
  release(roles, RoleSet.Roles + roleSetAt(roles).count * 4)
  addToField(Header.RoleSets, -1)
}

/**
 * Removes every grant of a user or a scope: the object is gone, and what hung on it goes in the same revision (D11).
 */
export function deletePartyGrants(party: u32): void {
  for (;;) {
    const grant = load<u32>(party, Principal.Grants)
    if (grant === 0) return
    deleteGrant(grant)
  }
}
