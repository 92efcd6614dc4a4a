// Finds the sides of set rules that can be true of a question: for each index of the permission the values that its
// paths have now, and the group of these values. A side that is not found is false; one that is found is evaluated by
// its program.
import {
  Composite,
  Grant,
  Group,
  Index,
  LIST_TEST,
  Query,
  RoleSet,
  SINGLE,
  Side,
  TIMED,
  TIMED_ROLE_BYTES,
  TimedRole,
} from '../abi'
import { follow, linksMax } from '../memory/lists'
import { hashOfRole, hashValue, mix } from '../policy/equality-tests'
import { plainRoles, timedCount, timedEnd, timedStart } from '../policy/grants'
import { findGroup, toSeed } from '../policy/set-rule-index'
import { grantAskedStored, isOverfull, resetGenerated, resolve, resolvedTime } from './attributes'
import { count, findList, itemAt } from './compare'

/** What `collect` says when the sides do not fit. */
export const OVERFLOW: u32 = 0xffffffff

/**
 * Writes the addresses of the sides of a list of indexes to the `most` words at `list`; returns how many, or OVERFLOW.
 */
export function collect(query: u32, first: u32, list: u32, most: u32): u32 {
  store<u32>(query, list, Query.NextCandidate)
  store<u32>(query, list + most * 4, Query.CandidatesEnd)
  for (let index = first, left = linksMax(); index !== 0; index = load<u32>(index, Index.Next), left = follow(left)) {
    resetGenerated(query)
    if (!collectFrom(query, index)) return OVERFLOW
  }
  return (load<u32>(query, Query.NextCandidate) - list) >>> 2
}

/** False when the sides do not fit. */
function collectFrom(query: u32, index: u32): bool {
  let hash = toSeed(index)
  const tests = load<u32>(index, Index.Count)
  for (let each: u32 = 0; each < tests; each++) {
    if (!count(query, 1)) return false
    const path = load<u32>(index + each * 4, Index.Paths)
    if (path === LIST_TEST) return takeByRoles(query, index, hash)
    const cell = resolve(query, path & ~LIST_TEST)
    // Instants are equal in many spellings, and without room for a value nothing is known of it: every side of the
    // index then.
    if (isOverfull(query) || resolvedTime(query)) return takeAll(query, index)
    if ((path & LIST_TEST) !== 0) return takeByItems(query, index, hash, findList(cell))
    const value = cell === 0 ? 0 : hashValue(cell)
    if (value === 0) return true
    hash = mix(hash, value)
  }
  return take(query, findGroup(index, hash))
}

function takeByItems(query: u32, index: u32, hash: u32, list: u32): bool {
  if (list === 0) return true
  const length = load<u32>(list, Composite.Count)
  if (!count(query, length)) return false
  for (let each: u32 = 0; each < length; each++) {
    const value = hashValue(itemAt(list, each))
    if (value !== 0 && !take(query, findGroup(index, mix(hash, value)))) return false
  }
  return true
}

/** By all roles that are stored: whether one is in force is decided where the side is evaluated (D15). */
function takeByRoles(query: u32, index: u32, hash: u32): bool {
  const grant = grantAskedStored(query)
  if (grant === 0) return true
  const roles = load<u32>(grant, Grant.Roles)
  const plain = plainRoles(roles)
  if (plain !== 0 && !takeByPlain(query, index, hash, plain)) return false
  if ((roles & TIMED) === 0) return true
  if (!count(query, timedCount(roles))) return false
  const end = timedEnd(roles)
  for (let at = timedStart(roles); at < end; at += TIMED_ROLE_BYTES) {
    if (!takeByRole(query, index, hash, load<u32>(at, TimedRole.Role))) return false
  }
  return true
}

function takeByPlain(query: u32, index: u32, hash: u32, roles: u32): bool {
  if ((roles & SINGLE) !== 0) return takeByRole(query, index, hash, roles - SINGLE)
  const length = load<u32>(roles, RoleSet.Count)
  if (!count(query, length)) return false
  for (let each: u32 = 0; each < length; each++) {
    if (!takeByRole(query, index, hash, load<u32>(roles + each * 4, RoleSet.Roles))) return false
  }
  return true
}

function takeByRole(query: u32, index: u32, hash: u32, role: u32): bool {
  return take(query, findGroup(index, mix(hash, hashOfRole(role))))
}

function takeAll(query: u32, index: u32): bool {
  let left = linksMax()
  for (let group = load<u32>(index, Index.Groups); group !== 0; group = load<u32>(group, Group.Next)) {
    if (!take(query, group)) return false
    left = follow(left)
  }
  return true
}

function take(query: u32, group: u32): bool {
  if (group === 0) return true
  for (let side = load<u32>(group, Group.Sides); side !== 0; side = load<u32>(side, Side.NextOfGroup)) {
    const next = load<u32>(query, Query.NextCandidate)
    if (next === load<u32>(query, Query.CandidatesEnd) || !count(query, 1)) return false
    store<u32>(next, side)
    store<u32>(query, next + 4, Query.NextCandidate)
  }
  return true
}
