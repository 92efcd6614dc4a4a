// Why roles on an instance allow or deny (D5: roles derived over relations, D14: relations sent with a question), with
// one path over relations from the assigned role to the role that has the permission.
import { Verdict } from '../../../assembly/limits.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { everybodyAsked, ownAlone } from '../records/everybody.ts'
import { goalFrom, goalInstance, goalRecord, goalRole } from '../records/goal.ts'
import { findGrant, grantRoles, grantRoleUntil } from '../records/grant.ts'
import { hasTimes } from '../records/header.ts'
import { instanceTenant, readInstanceKey } from '../records/instance.ts'
import { permissionResource } from '../records/permission.ts'
import { permissionOfRole, roleKey, roleType } from '../records/role.ts'
import { atInstant } from '../records/times.ts'
import { hasAttached, pathTo } from './explain-roles.ts'
import { type Because, endsAt, type RebacCode } from './explanation.ts'
import { findRelationBetween, type RoleOn } from './hops.ts'

interface Asked {
  readonly user: number
  readonly tenant: number
  readonly permission: number
  /** 0 when it is not stored */
  readonly instance: number
  /** writes the relations that were sent; returns their bytes */
  readonly relate: () => number
}
interface Named {
  readonly tenant: string
  readonly permission: string
  /** `type:key` of the resource asked about, `type:*` without a key */
  readonly resource: string
}

export function explainRelations(
  kernel: Kernel,
  asked: Asked,
  named: Named,
  isRelated: boolean,
): { code: RebacCode; because: Because[] } {
  const deny = (code: RebacCode) => ({ code, because: [] })
  const { user, tenant, permission, instance, relate } = asked
  if (instance === 0 && !isRelated) return deny('no_such_instance')
  if (instance !== 0 && instanceTenant(kernel, instance) !== tenant) return deny('instance_in_other_tenant')
  const type = permissionResource(kernel, kernel.calls.permissionRecord(permission))
  const ask = (wanted: number) => atInstant(kernel.calls.decideRelated(user, tenant, wanted, instance, relate(), type))
  switch (ask(permission)) {
    case Verdict.Allow:
      return { code: 'allow', because: [pathOver(kernel, asked, named, hasAttached(kernel, named.permission))] }
    case Verdict.Undecided:
      return deny('undecided')
    default:
      return deny(ask(0) === Verdict.Deny ? 'no_graph_roles' : 'no_permission')
  }
}

/**
 * How the user holds a role on the resource that stands for a user set (D17), as a path that ends with it; undefined where
 * the user does not, or where finding it is too much for one check.
 */
export function findWayToRole(
  kernel: Kernel,
  asked: Omit<Asked, 'permission'>,
  named: Named,
  role: number,
): Pick<Because, 'path' | 'valid_until'> | undefined {
  const { user, tenant, instance, relate } = asked
  const permission = permissionOfRole(kernel, role)
  const type = roleType(kernel, role)
  // D16: what everybody holds makes no user set true
  return ownAlone(kernel, () => {
    const verdict = atInstant(kernel.calls.decideRelated(user, tenant, permission, instance, relate(), type))
    if (verdict !== Verdict.Allow) return undefined
    const { path, valid_until } = pathOver(kernel, { ...asked, permission }, named, (each) => each === role)
    return { path, ...(valid_until === undefined ? {} : { valid_until }) }
  })
}

/**
 * The path from an assigned role to a role on the instance, as the search that has just allowed left it in the work
 * area.
 */
function pathOver(
  kernel: Kernel,
  { user, permission, instance, relate }: Asked,
  { tenant, permission: name, resource }: Named,
  isWanted: (role: number) => boolean,
): Because {
  const steps: [instance: number, role: number][] = []
  for (let number = kernel.calls.goalMet(); number !== 0; ) {
    const goal = goalRecord(number)
    steps.push([goalInstance(kernel, goal), goalRole(kernel, goal)])
    number = goalFrom(kernel, goal)
  }
  if (steps.length === 0) {
    const held = [...rolesOn(kernel, user, instance), ...rolesOn(kernel, everybodyAsked(kernel), instance)]
    steps.push([instance, held.find((role) => kernel.calls.holds(role, permission) === 1)!])
  }
  const [on, assigned] = steps[0]!
  const isOwn = rolesOn(kernel, user, on).includes(assigned)
  const toResourceKey = (at: number): string => (at === 0 ? resource : readInstanceKey(kernel, at))
  const bare = (role: number): string => roleKey(kernel, role).replace(/^.*\//, '')
  const extended = pathTo(kernel, steps.at(-1)![1], isWanted).slice(1)
  return {
    source: 'rebac',
    ...(isOwn ? {} : { everybody: true }),
    role: bare(assigned),
    tenant,
    resource_instance: toResourceKey(on),
    permission: name,
    path: [...steps, ...extended.map((role) => [instance, role] as const)].map(
      ([at, role]) => `${toResourceKey(at)}#${bare(role)}`,
    ),
    ...(hasTimes(kernel) ? endsAt(findEnd(kernel, isOwn ? user : everybodyAsked(kernel), steps, relate)) : {}),
  }
}

/** The roles that are assigned to the user, or to everybody, on the instance. */
const rolesOn = (kernel: Kernel, holder: number, instance: number): number[] =>
  holder === 0 ? [] : grantRoles(kernel, findGrant(kernel, holder, instance))

/** When the first of what a path follows from ends: the assigned role, or a relation. */
function findEnd(kernel: Kernel, holder: number, steps: readonly RoleOn[], relate: () => number): number {
  return steps.reduce((end, step, index) => {
    const before = steps[index - 1]
    const until =
      before === undefined
        ? grantRoleUntil(kernel, findGrant(kernel, holder, step[0]), step[1])
        : findRelationBetween(kernel, before, step, relate)?.until
    return Math.min(end, until ?? end)
  }, Number.POSITIVE_INFINITY)
}
