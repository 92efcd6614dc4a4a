// Grants: (user, scope) → the roles that the user was assigned there, with the lists to enumerate both ways. A scope is
// a tenant (D4) or a resource instance (D5). One role is kept in place, several as a role set shared by all equal
// grants.
//
//   grant  │ user │ scope │ role + SINGLE, or role set │ next, previous of user │ next, previous of scope │
//   set    │ references │ count │ hash │ role × count, ascending by address │
//
// INVARIANT: every grant is in the table once, in its user's list once and in its scope's list once.
// INVARIANT: a set has at least two roles and as many references as grants point to it; equal sets are one record.
import { GRANT_BYTES, Grant, Header, Principal, RoleSet, SCRATCH, SINGLE } from '../abi'
import { GRANT_ROLES_MAX, Table } from '../limits'
import { link, unlink } from '../memory/lists'
import { addToField, allocate, release } from '../memory/memory'
import { grantAt, roleSetAt } from '../memory/records'
import { firstMatch, insert, matchedRecord, nextMatch, remove } from '../memory/table'

/** Where the roles of a grant are put together: the second half of the scratch area. */
const COLLECTED: u32 = SCRATCH + 0x8000

export function grantHash(user: u32, scope: u32): u32 {
  let hash = (user * 0x9e3779b1) ^ (scope * 0x85ebca77)
  hash = (hash ^ (hash >>> 15)) * 0x2c1b3c6d
  return hash ^ (hash >>> 13)
}

/** The grant of the user in the scope, or 0. */
export function findGrant(user: u32, scope: u32): u32 {
  const hash = grantHash(user, scope)
  for (let match = firstMatch(Table.Grants, hash); match !== 0; match = nextMatch(match, hash)) {
    const grant = matchedRecord(match)
    /* canary: parts-of-a-grant */
    if (grantAt(grant).user === user && grantAt(grant).scope === scope) return grant
  }
  return 0
}

/** Gives the user the role in the scope; false when it is so already. */
export function assign(user: u32, scope: u32, role: u32): bool {
  const grant = findGrant(user, scope)
  if (grant === 0) {
    createGrant(user, scope, role | SINGLE)
    addToField(Header.Assignments, 1)
    return true
  }
  const roles = grantAt(grant).roles
  const count = copyRoles(roles, COLLECTED)
  if (indexOf(COLLECTED, count, role) >= 0) return false
  if (count === GRANT_ROLES_MAX) unreachable()
  insertSorted(COLLECTED, count, role)
  grantAt(grant).roles = holdRoles(COLLECTED, count + 1)
  dropRoles(roles)
  addToField(Header.Assignments, 1)
  return true
}

/** Takes the role from the user in the scope; false when it is not there. */
export function unassign(user: u32, scope: u32, role: u32): bool {
  const grant = findGrant(user, scope)
  if (grant === 0) return false
  const roles = grantAt(grant).roles
  const count = copyRoles(roles, COLLECTED)
  const at = indexOf(COLLECTED, count, role)
  if (at < 0) return false
  if (count === 1) {
    deleteGrant(grant)
    return true
  }
  const slot = COLLECTED + (at as u32) * 4
  memory.copy(slot, slot + 4, (count - (at as u32) - 1) * 4)
  grantAt(grant).roles = holdRoles(COLLECTED, count - 1)
  dropRoles(roles)
  addToField(Header.Assignments, -1)
  return true
}

/**
 * Creates the whole grant of a user in a scope, who has none yet, out of the `count` different roles at `list`: the
 * canonical build.
 */
export function putGrant(user: u32, scope: u32, list: u32, count: u32): void {
  for (let index: u32 = 0; index < count; index++) insertSorted(COLLECTED, index, load<u32>(list + index * 4))
  createGrant(user, scope, holdRoles(COLLECTED, count))
  addToField(Header.Assignments, count as i32)
}

function createGrant(user: u32, scope: u32, roles: u32): void {
  const grant = allocate(GRANT_BYTES)
  grantAt(grant).user = user
  grantAt(grant).scope = scope
  grantAt(grant).roles = roles
  link(grant, user + Principal.Grants, Grant.NextOfUser, Grant.PreviousOfUser)
  link(grant, scope + Principal.Grants, Grant.NextOfScope, Grant.PreviousOfScope)
  insert(Table.Grants, grantHash(user, scope), grant)
  addToField(Header.Grants, 1)
}

/** Removes a grant with all its roles. */
export function deleteGrant(grant: u32): void {
  const user = grantAt(grant).user
  const scope = grantAt(grant).scope
  const roles = grantAt(grant).roles
  addToField(Header.Assignments, -(roleCount(roles) as i32))
  addToField(Header.Grants, -1)
  unlink(grant, user + Principal.Grants, Grant.NextOfUser, Grant.PreviousOfUser)
  unlink(grant, scope + Principal.Grants, Grant.NextOfScope, Grant.PreviousOfScope)
  remove(Table.Grants, grantHash(user, scope), grant)
  release(grant, GRANT_BYTES)
  dropRoles(roles)
}

export function roleCount(roles: u32): u32 {
  return (roles & SINGLE) !== 0 ? 1 : roleSetAt(roles).count
}

/** Copies the addresses of the roles to `target`, ascending; returns how many. */
export function copyRoles(roles: u32, target: u32): u32 {
  if ((roles & SINGLE) !== 0) {
    store<u32>(target, roles - SINGLE)
    return 1
  }
  const count = roleSetAt(roles).count
  memory.copy(target, roles + RoleSet.Roles, count * 4)
  return count
}

function indexOf(list: u32, count: u32, role: u32): i32 {
  for (let index: u32 = 0; index < count; index++) {
    if (load<u32>(list + index * 4) === role) return index as i32
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
  if ((roles & SINGLE) !== 0) return
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
