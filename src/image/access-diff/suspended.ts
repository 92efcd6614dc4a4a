// Users who are suspended in one of the images and not in the other (D16): they lose, or gain, whatever they were granted,
// although no change names it.
import { Table } from '../../../assembly/limits.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { PolicyObjects } from '../../kinds/index.ts'
import { findSymbol } from '../look-up.ts'
import { eachGrantOfUser, grantRoles, grantScope } from '../records/grant.ts'
import { hasTimedSuspensions } from '../records/header.ts'
import { readInstanceKey, tenantOfScope } from '../records/instance.ts'
import { eachMembershipOfUser, memberTenant } from '../records/member.ts'
import { principalKey } from '../records/principal.ts'
import { bareRole } from '../records/role.ts'
import { hasSuspensions, isSuspended } from '../records/suspension.ts'
import { symbolTable } from '../records/symbol.ts'
import { records } from '../records/tables.ts'
import type { Changed } from './changed.ts'

/**
 * What changed, with all that those users were granted.
 * @param isLater the second image is asked at a later instant, at which others may be suspended although nothing changed
 */
export function withGrantsOfSuspended(kernels: readonly [Kernel, Kernel], changed: Changed, isLater: boolean): Changed {
  if (!kernels.some(hasSuspensions)) return changed
  const users = isLater && kernels.some(hasTimedSuspensions) ? withTurning(kernels, changed.users) : changed.users
  const assignments = [...changed.assignments]
  const memberships = [...changed.memberships]
  for (const user of users) {
    const ids = kernels.map((kernel) => findSymbol(kernel, 'user', user))
    const isOut = kernels.map((kernel, side) => ids[side] === 0 || isSuspended(kernel, ids[side]!))
    if (/* canary: grants-of-who-is-suspended */ isOut[0] === isOut[1]) continue
    const side = isOut[0] ? 1 : 0
    const [kernel, id] = [kernels[side], ids[side]!]
    for (const grant of eachGrantOfUser(kernel, id)) assignments.push(...describe(kernel, user, grant))
    for (const member of eachMembershipOfUser(kernel, id))
      memberships.push({ user, tenant: principalKey(kernel, memberTenant(kernel, member)) })
  }
  return { ...changed, users, assignments, memberships }
}

/** The users, and those who are suspended in only one of the images. */
function withTurning(kernels: readonly [Kernel, Kernel], changed: ReadonlySet<string>): ReadonlySet<string> {
  const users = new Set(changed)
  for (const [side, kernel] of kernels.entries()) {
    const other = kernels[side === 0 ? 1 : 0]!
    for (const id of records(kernel, Table.Users)) {
      if (!isSuspended(kernel, id)) continue
      const key = principalKey(kernel, id)
      const twin = findSymbol(other, 'user', key)
      if (twin !== 0 && !isSuspended(other, twin)) users.add(key)
    }
  }
  return users
}

function describe(kernel: Kernel, user: string, grant: number): PolicyObjects['role_assignment'][] {
  const scope = grantScope(kernel, grant)
  const tenant = principalKey(kernel, tenantOfScope(kernel, scope))
  const isTenant = symbolTable(kernel, scope) === Table.Tenants
  const where = isTenant ? {} : { resource_instance: readInstanceKey(kernel, scope) }
  return grantRoles(kernel, grant).map((role) => ({ user, role: bareRole(kernel, role), tenant, ...where }))
}
