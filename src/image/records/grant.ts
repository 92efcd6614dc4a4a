// A grant: the roles of a user in a scope, which is a tenant or an instance. assembly/abi.ts draws the records. What is
// given is what is in force at the instant of the question (D15); functions whose names end in `Stored` give everything,
// and only the files that a test of test/tidy lists may use them.
import {
  Grant,
  Principal,
  RoleSet,
  SCRATCH,
  SINGLE,
  TIMED,
  TIMED_ROLE_BYTES,
  TimedRole,
  TimedRoles,
} from '../../../assembly/abi.ts'
import { GRANT_ROLES_MAX, Table } from '../../../assembly/limits.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { counted } from '../../model/counted.ts'
import { ZerohopError } from '../../model/errors.ts'
import { everybodyAsked, everybodyStored } from './everybody.ts'
import { hasTimedRoles } from './header.ts'
import { listIds } from './row.ts'
import { hasSuspensions, isSuspended, nextChangeOfSuspension } from './suspension.ts'
import { symbolTable } from './symbol.ts'
import { atInstant, isInForce, nextChange, type RecordTimes } from './times.ts'

export const grantUser = (kernel: Kernel, grant: number): number => kernel.word(grant + Grant.User)
/** A tenant or an instance. */
export const grantScope = (kernel: Kernel, grant: number): number => kernel.word(grant + Grant.Scope)

/** The grant of a user in a scope, or 0. */
export const findGrant = (kernel: Kernel, user: number, scope: number): number =>
  atInstant(/* canary: found-grants */ kernel.calls.grantOf(user, scope))
/** The same, also when no role of it is in force. */
export const findGrantStored = (kernel: Kernel, user: number, scope: number): number =>
  kernel.calls.grantOfStored(user, scope)

/**
 * What stands for the roles of a grant: two grants with the same number have the same roles, at this instant. At another
 * one the same number may stand for other roles.
 */
export function grantRoleSet(kernel: Kernel, grant: number): number {
  const set = kernel.word(grant + Grant.Roles)
  if ((set & TIMED) === 0) return set
  for (const _ of /* canary: numbers-of-roles */ eachTimedRole(kernel, set)) return set
  return kernel.word(set - TIMED + TimedRoles.Plain)
}

/** Records of the roles of a grant, ascending; none for grant 0. */
export function grantRoles(kernel: Kernel, grant: number): number[] {
  return grant === 0 ? [] : roleSetRoles(kernel, kernel.word(grant + Grant.Roles))
}

/** Records of the roles for which the number of `grantRoleSet` stands, ascending. */
export function roleSetRoles(kernel: Kernel, set: number): number[] {
  const roles = plainRoles(kernel, set)
  if ((set & TIMED) === 0) return roles
  for (const at of /* canary: listed-roles */ eachTimedRole(kernel, set)) roles.push(kernel.word(at + TimedRole.Role))
  return roles.sort((left, right) => left - right)
}

/** Those without times. */
function plainRoles(kernel: Kernel, set: number): number[] {
  const plain = (set & TIMED) === 0 ? set : kernel.word(set - TIMED + TimedRoles.Plain)
  if (plain === 0) return []
  if ((plain & SINGLE) !== 0) return [plain - SINGLE]
  const count = requireCount(kernel.word(plain + RoleSet.Count))
  return Array.from({ length: count }, (_, index) => kernel.word(plain + RoleSet.Roles + index * 4))
}

/** Addresses of the roles with times that are in force. */
function* eachTimedRole(kernel: Kernel, set: number): Iterable<number> {
  for (const at of eachTimedRoleStored(kernel, set))
    if (isInForce(kernel, kernel.float(at + TimedRole.From), kernel.float(at + TimedRole.Until))) yield at
}

function* eachTimedRoleStored(kernel: Kernel, set: number): Iterable<number> {
  if ((set & TIMED) === 0) return
  const record = set - TIMED
  const count = requireCount(kernel.word(record + TimedRoles.Count))
  for (let index = 0; index < count; index++) yield record + TimedRoles.Roles + index * TIMED_ROLE_BYTES
}

function requireCount(count: number): number {
  if (count <= GRANT_ROLES_MAX) return count
  throw new ZerohopError('IMAGE_DAMAGED', { reason: `it has a role set of ${counted(count, 'role')}` })
}

/** A role of a grant with its times, unbounded for one without. */
export interface StoredRole extends RecordTimes {
  readonly role: number
}

/** All roles of a grant, in force or not. */
export function grantRolesStored(kernel: Kernel, grant: number): StoredRole[] {
  if (grant === 0) return []
  const set = kernel.word(grant + Grant.Roles)
  const always = { from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY }
  const roles: StoredRole[] = plainRoles(kernel, set).map((role) => ({ role, ...always }))
  for (const at of eachTimedRoleStored(kernel, set))
    roles.push({ role: kernel.word(at + TimedRole.Role), ...timesAt(kernel, at) })
  return roles
}

const timesAt = (kernel: Kernel, at: number): RecordTimes => ({
  from: kernel.float(at + TimedRole.From),
  until: kernel.float(at + TimedRole.Until),
})

/**
 * The earliest instant after that of the question at which a role of the user starts or ends, or the user is suspended or
 * no longer (D16); infinite when nothing does.
 * @param user 0 is unknown
 */
export function nextChangeOfUser(kernel: Kernel, user: number): number {
  if (user === 0) return Number.POSITIVE_INFINITY
  let next = nextChangeOfSuspension(kernel, user)
  if (!hasTimedRoles(kernel)) return next
  for (const grant of eachGrantOfUserStored(kernel, user))
    for (const at of eachTimedRoleStored(kernel, kernel.word(grant + Grant.Roles)))
      next = Math.min(next, nextChange(kernel, timesAt(kernel, at)))
  return next
}

/** The same, where a role of everybody counts too (D16). */
export const nextChangeFor = (kernel: Kernel, user: number): number =>
  Math.min(
    nextChangeOfUser(kernel, user),
    /* canary: ends-of-everybody */ nextChangeOfUser(kernel, everybodyAsked(kernel)),
  )

/** When a role of a grant that is in force ends; infinite when it does not. */
export function grantRoleUntil(kernel: Kernel, grant: number, role: number): number {
  for (const at of eachTimedRoleStored(kernel, kernel.word(grant + Grant.Roles)))
    if (kernel.word(at + TimedRole.Role) === role) return kernel.float(at + TimedRole.Until)
  return Number.POSITIVE_INFINITY
}

/** The number of roles of a grant, without reading them where none has times. */
export function countGrantRoles(kernel: Kernel, grant: number): number {
  const set = kernel.word(grant + Grant.Roles)
  if ((set & TIMED) !== 0) return roleSetRoles(kernel, set).length
  return (set & SINGLE) !== 0 ? 1 : kernel.word(set + RoleSet.Count)
}

/** The same of all, in force or not: what a change of the grant needs room for. */
export function countGrantRolesStored(kernel: Kernel, grant: number): number {
  return grant === 0 ? 0 : grantRolesStored(kernel, grant).length
}

/** An upper bound of the room that so many roles of a grant take when some of them have times. */
export const timedRoleBytes = (count: number): number => 2 * (TimedRoles.Roles + count * TIMED_ROLE_BYTES) + 64

/** Whether a role of the grant is in force, and its user not suspended. */
function isGrantInForce(kernel: Kernel, grant: number): boolean {
  if (/* canary: grants-of-the-suspended */ hasSuspensions(kernel) && isSuspended(kernel, grantUser(kernel, grant)))
    return false
  const set = kernel.word(grant + Grant.Roles)
  return (set & TIMED) === 0 || grantRoleSet(kernel, grant) !== 0
}

function inForce(kernel: Kernel, grants: Iterable<number>): Iterable<number> {
  return hasTimedRoles(kernel) || hasSuspensions(kernel) ? eachInForce(kernel, grants) : grants
}

function* eachInForce(kernel: Kernel, grants: Iterable<number>): Iterable<number> {
  for (const grant of grants) if (isGrantInForce(kernel, grant)) yield grant
}

/** The grants of a user, or of the party of everybody; of who is not stored (0) none. */
export const eachGrantOfUser = (kernel: Kernel, user: number): Iterable<number> =>
  /* canary: grants-of-users */ inForce(kernel, eachGrantOfUserStored(kernel, user))
export const eachGrantOfUserStored = (kernel: Kernel, user: number): Iterable<number> =>
  user === 0 ? [] : kernel.chain(kernel.word(user + Principal.Grants), Grant.NextOfUser)

/** The grants that count for a user: its own, and those of everybody (D16). Of who is not stored (0) the latter alone. */
export function* eachGrantFor(kernel: Kernel, user: number): Iterable<number> {
  if (user !== 0 && isSuspended(kernel, user)) return
  if (user !== 0) yield* eachGrantOfUser(kernel, user)
  const shared = /* canary: shared-grants */ everybodyAsked(kernel)
  if (shared !== 0 && shared !== user) yield* eachGrantOfUser(kernel, shared)
}

/** The grant of everybody in a scope, or 0. */
export function findSharedGrant(kernel: Kernel, scope: number): number {
  const shared = everybodyAsked(kernel)
  return shared === 0 ? 0 : /* canary: found-shared-grant */ findGrant(kernel, shared, scope)
}

/** Has the user a role of its own on the instance? What everybody holds does not count (D5). */
export const hasDirectRole = (kernel: Kernel, user: number, instance: number): boolean =>
  user !== 0 && user !== everybodyStored(kernel) && findGrant(kernel, user, instance) !== 0

/** The grants in a tenant, or on an instance: those of users, and that of everybody (D16). */
export const eachHolderGrantInScope = (kernel: Kernel, scope: number): Iterable<number> =>
  /* canary: grants-in-scopes */ inForce(kernel, kernel.chain(kernel.word(scope + Principal.Grants), Grant.NextOfScope))

/** Those of users alone. */
export function* eachGrantInScope(kernel: Kernel, scope: number): Iterable<number> {
  const shared = everybodyStored(kernel)
  for (const grant of eachHolderGrantInScope(kernel, scope)) if (grantUser(kernel, grant) !== shared) yield grant
}

/**
 * Visits the same, with a step for each that is stored: the list of a forged image may not end.
 * @returns the steps that are left; below 0 not all were visited
 */
export function visitGrantsInScope(
  kernel: Kernel,
  scope: number,
  steps: number,
  visit: (grant: number) => void,
): number {
  let left = steps
  let grant = kernel.word(scope + Principal.Grants)
  for (; grant !== 0; grant = kernel.word(grant + Grant.NextOfScope)) {
    if (--left < 0) return left
    if (/* canary: visited-grants */ isGrantInForce(kernel, grant)) visit(grant)
  }
  return left
}

/** Records of the grants of a user. */
export const grantsOfUser = (kernel: Kernel, user: number): number[] => [...eachGrantOfUser(kernel, user)]

/** Records of the grants of a user in tenants. */
export function listTenantGrants(kernel: Kernel, user: number): number[] {
  return grantsOfUser(kernel, user).filter((grant) => symbolTable(kernel, grantScope(kernel, grant)) === Table.Tenants)
}

/** Records of the tenants in which the user, or everybody, has a role. */
export const tenantsOfGrantsFor = (kernel: Kernel, user: number): number[] =>
  [...eachGrantFor(kernel, user)]
    .map((grant) => grantScope(kernel, grant))
    .filter((scope) => symbolTable(kernel, scope) === Table.Tenants)

/** Ids of the permissions that a grant allows, inherited ones included. */
export function permissionIdsOfGrant(kernel: Kernel, grant: number): number[] {
  if (/* canary: permissions-of-grants */ !isGrantInForce(kernel, grant)) return []
  return listIds(kernel, (first) => kernel.calls.listGrant(grant, first))
}

/** Writes roles with times to the scratch area, behind `count` numbers of a list. */
export function writeTimedRoles(kernel: Kernel, count: number, roles: readonly StoredRole[]): void {
  for (const [index, { role, from, until }] of roles.entries()) {
    const at = SCRATCH + count * 4 + index * TIMED_ROLE_BYTES
    kernel.setWord(at + TimedRole.Role, role)
    kernel.setFloat(at + TimedRole.From, from)
    kernel.setFloat(at + TimedRole.Until, until)
  }
}
