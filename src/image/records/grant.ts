// A grant: the roles of a user in a scope, which is a tenant or an instance. assembly/abi.ts draws the records.
import { Grant, Principal, RoleSet, SINGLE } from '../../../assembly/abi.ts'
import { GRANT_ROLES_MAX, Table } from '../../../assembly/limits.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { counted } from '../../model/counted.ts'
import { ZerohopError } from '../../model/errors.ts'
import { listIds } from './row.ts'
import { symbolTable } from './symbol.ts'

export const grantUser = (kernel: Kernel, grant: number): number => kernel.word(grant + Grant.User)
/** A tenant or an instance. */
export const grantScope = (kernel: Kernel, grant: number): number => kernel.word(grant + Grant.Scope)
/** What stands for the roles of a grant: two grants with the same roles have the same number. */
export const grantRoleSet = (kernel: Kernel, grant: number): number => kernel.word(grant + Grant.Roles)

/** Records of the roles of a grant; none for grant 0. */
export function grantRoles(kernel: Kernel, grant: number): number[] {
  return grant === 0 ? [] : roleSetRoles(kernel, grantRoleSet(kernel, grant))
}

/** Records of the roles for which the number of `grantRoleSet` stands. */
export function roleSetRoles(kernel: Kernel, set: number): number[] {
  if ((set & SINGLE) !== 0) return [set - SINGLE]
  const count = kernel.word(set + RoleSet.Count)
  if (count > GRANT_ROLES_MAX)
    throw new ZerohopError('IMAGE_DAMAGED', { reason: `it has a role set of ${counted(count, 'role')}` })
  return Array.from({ length: count }, (_, index) => kernel.word(set + RoleSet.Roles + index * 4))
}

/** The number of the roles of a grant, without reading them. */
export function countGrantRoles(kernel: Kernel, grant: number): number {
  const set = grantRoleSet(kernel, grant)
  return (set & SINGLE) !== 0 ? 1 : kernel.word(set + RoleSet.Count)
}

/** The grants of a user. */
export const eachGrantOfUser = (kernel: Kernel, user: number): Iterable<number> =>
  kernel.chain(kernel.word(user + Principal.Grants), Grant.NextOfUser)

/** The grants in a tenant, or on an instance. */
export const eachGrantInScope = (kernel: Kernel, scope: number): Iterable<number> =>
  kernel.chain(kernel.word(scope + Principal.Grants), Grant.NextOfScope)

/** The same one by one, 0 at the end: for loops that count their steps, because the list of a forged image may not end. */
export const firstGrantInScope = (kernel: Kernel, scope: number): number => kernel.word(scope + Principal.Grants)
export const nextGrantInScope = (kernel: Kernel, grant: number): number => kernel.word(grant + Grant.NextOfScope)

/** Records of the grants of a user. */
export function grantsOfUser(kernel: Kernel, user: number): number[] {
  const grants: number[] = []
  for (const grant of eachGrantOfUser(kernel, user)) grants.push(grant)
  return grants
}

/** Records of the grants of a user in tenants. */
export function listTenantGrants(kernel: Kernel, user: number): number[] {
  return grantsOfUser(kernel, user).filter((grant) => symbolTable(kernel, grantScope(kernel, grant)) === Table.Tenants)
}

/** Ids of the permissions that a grant allows, inherited ones included. */
export function permissionIdsOfGrant(kernel: Kernel, grant: number): number[] {
  return listIds(kernel, (first) => kernel.calls.listGrant(grant, first))
}
