// Of a deny: the roles that would allow. In the tenant (D4), on the instance and on instances related to it (D5, D14);
// and what the user has instead. Each of the ways named here allows when the user is given the role, and nothing else
// changes. Bounded by EXPLAIN_WALK_MAX: beyond, ways are missing, but none is wrong.
import { Table } from '../../../assembly/limits.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { EXPLAIN_NAMES_MAX, EXPLAIN_RULES_MAX, EXPLAIN_WALK_MAX } from '../../model/limits.ts'
import { compareText } from '../../model/text-order.ts'
import { findInstanceRoles } from '../decide/effective-roles.ts'
import { findSources } from '../list/permission-sources.ts'
import { findGrant, grantRoles, grantScope, grantsOfUser } from '../records/grant.ts'
import { instanceType, readInstanceKey } from '../records/instance.ts'
import { permissionResource } from '../records/permission.ts'
import { principalKey } from '../records/principal.ts'
import { bareRole, eachRoleOfType } from '../records/role.ts'
import { rolesOfEnvironment, rolesOfTenant } from '../records/roles-in-tenants.ts'
import { ruleRelation, ruleSkipsDirect } from '../records/rule.ts'
import { symbolTable } from '../records/symbol.ts'
import { hasAttached, pathTo } from './explain-roles.ts'
import { type Hop, relationName } from './hops.ts'
import { nearestInstance, type Some, type UnknownName } from './near-names.ts'

/** A role with the permission, and the roles over `extends` to the one that has it attached. */
export interface RoleWith {
  readonly role: string
  readonly path: readonly string[]
}
/** A role of the user somewhere else. */
export interface HeldElsewhere {
  /** a tenant, or `type:key` */
  readonly where: string
  readonly role: string
}

export interface NearRoles {
  readonly in_tenant: Some<RoleWith>
  /** roles of the user in other tenants that have the permission */
  readonly in_other_tenants: Some<HeldElsewhere>
  /** roles of the resource type that have the permission */
  readonly on_instance: Some<RoleWith>
  /** when the instance of the question is not stored */
  readonly instance?: UnknownName
  /** what the user holds on the instance, assigned or derived */
  readonly held_on_instance: readonly string[]
  /** from a role on a related instance to one on the resource */
  readonly related: Some<readonly Hop[]>
  /** an assigned role that gives nothing because the user has a role of their own on an object on the way */
  readonly blocked?: { readonly from: Hop; readonly on: string }
  /** roles of the user on other instances of the type that have the permission */
  readonly on_other_instances: Some<HeldElsewhere>
}

export interface Asked {
  readonly user: number
  readonly tenant: number
  readonly permission: number
  /** 0 when it is not stored */
  readonly instance: number
  /** writes the relations that were sent; returns their bytes */
  readonly relate: () => number
}
interface Named {
  readonly type: string
  readonly key?: string | undefined
  readonly permission: string
  readonly isRow?: boolean | undefined
}

export function nearRoles(kernel: Kernel, asked: Asked, named: Named, isElsewhere: boolean): NearRoles {
  const type = permissionResource(kernel, kernel.calls.permissionRecord(asked.permission))
  const { key } = named
  const on = isElsewhere ? [] : rolesOfType(kernel, type, asked.permission)
  return {
    in_tenant: withPaths(kernel, tenantRolesWith(kernel, asked), named.permission),
    on_instance: withPaths(kernel, on, named.permission),
    ...(key === undefined || named.isRow === true || asked.instance !== 0
      ? {} // a row need not be stored
      : { instance: nearestInstance(kernel, named.type, key) }),
    held_on_instance: heldOn(kernel, asked),
    ...findRelatedRoles(kernel, asked, named),
    ...elsewhere(kernel, asked, type),
  }
}

/** Roles of the environment, and those of the tenant itself (D18): no other tenant's. */
function tenantRolesWith(kernel: Kernel, { permission, tenant }: Asked): number[] {
  const own = tenant === 0 ? [] : rolesOfTenant(kernel, tenant)
  return [...rolesOfEnvironment(kernel), ...own].filter((role) => kernel.calls.holds(role, permission) === 1)
}

function rolesOfType(kernel: Kernel, type: number, permission: number): number[] {
  const found: number[] = []
  for (const role of eachRoleOfType(kernel, type))
    if (kernel.isLive(role) && kernel.calls.holds(role, permission) === 1) found.push(role)
  return found
}

/** The roles by name, those that have the permission themselves first. */
function withPaths(kernel: Kernel, roles: readonly number[], permission: string): Some<RoleWith> {
  const named = roles.map((role) => ({ role, name: bareRole(kernel, role) }))
  named.sort((left, right) => compareText(left.name, right.name))
  const ways = named.slice(0, EXPLAIN_RULES_MAX).map(({ role, name }) => {
    return {
      role: name,
      path: pathTo(kernel, role, hasAttached(kernel, permission)).map((each) => bareRole(kernel, each)),
    }
  })
  ways.sort((left, right) => left.path.length - right.path.length)
  return { first: ways.slice(0, EXPLAIN_NAMES_MAX), count: roles.length }
}

function heldOn(kernel: Kernel, { user, instance }: Asked): string[] {
  if (instance === 0) return []
  const held = findInstanceRoles(kernel, user, EXPLAIN_WALK_MAX)?.get(instance) ?? []
  return held
    .map((role) => bareRole(kernel, role))
    .sort()
    .slice(0, EXPLAIN_NAMES_MAX)
}

interface Found {
  readonly at: number
  readonly role: number
  readonly from: number | undefined
  readonly rule: number | undefined
}

/** The roles on related instances from which one with the permission would be derived; and one that is blocked. */
function findRelatedRoles(kernel: Kernel, asked: Asked, { type, key }: Named): Pick<NearRoles, 'related' | 'blocked'> {
  const direct = (instance: number) => findGrant(kernel, asked.user, instance) !== 0
  const open = searchSources(kernel, asked, direct)
  const ways = open.filter(({ at, rule }) => rule !== undefined && at !== asked.instance)
  const formatResource = (at: number): string => (at === 0 ? `${type}:${key ?? '*'}` : readInstanceKey(kernel, at))
  const path = (all: readonly Found[], last: Found): Found[] => {
    const steps = [last]
    for (let step = last; step.from !== undefined; steps.push(step)) step = all[step.from]!
    return steps
  }
  const hops = (steps: readonly Found[]): Hop[] =>
    steps.map(({ at, role }, index) => {
      const rule = steps[index - 1]?.rule
      const relation = rule === undefined ? undefined : relationName(kernel, ruleRelation(kernel, rule))
      return { on: formatResource(at), role: bareRole(kernel, role), ...(relation === undefined ? {} : { relation }) }
    })
  // a role assigned on an instance to which the way comes back may close the way
  const straight = ways.filter((way) => path(open, way).filter(({ at }) => at === way.at).length === 1)
  const related = {
    first: straight.slice(0, EXPLAIN_NAMES_MAX).map((way) => hops(path(open, way))),
    count: straight.length,
  }
  const all = searchSources(kernel, asked, () => false)
  const held = all.find(({ at, role, rule }) => rule !== undefined && rolesAt(kernel, asked.user, at).includes(role))
  if (held === undefined) return { related }
  const steps = path(all, held)
  const closed = steps.find(({ at, role }, index) => {
    const rule = steps[index - 1]?.rule
    return rule !== undefined && ruleSkipsDirect(kernel, rule, role) && direct(at)
  })
  return closed === undefined
    ? { related }
    : { related, blocked: { from: hops(steps)[0]!, on: formatResource(closed.at) } }
}

function searchSources(kernel: Kernel, { relate, ...asked }: Asked, hasDirect: (instance: number) => boolean): Found[] {
  const found: Found[] = []
  findSources(kernel, { ...asked, relate }, hasDirect, EXPLAIN_WALK_MAX, ([at, role], from, rule) =>
    found.push({ at, role, from, rule }),
  )
  return found
}

function rolesAt(kernel: Kernel, user: number, scope: number): number[] {
  return grantRoles(kernel, scope === 0 ? 0 : findGrant(kernel, user, scope))
}

/** Where else the user has a role with the permission. */
function elsewhere(
  kernel: Kernel,
  { user, tenant, permission, instance }: Asked,
  type: number,
): Pick<NearRoles, 'in_other_tenants' | 'on_other_instances'> {
  const tenants: HeldElsewhere[] = []
  const instances: HeldElsewhere[] = []
  for (const grant of grantsOfUser(kernel, user).slice(0, EXPLAIN_WALK_MAX)) {
    const scope = grantScope(kernel, grant)
    if (scope === tenant || scope === instance) continue
    const isTenant = symbolTable(kernel, scope) === Table.Tenants
    if (!isTenant && instanceType(kernel, scope) !== type) continue
    const role = grantRoles(kernel, grant).find((each) => kernel.calls.holds(each, permission) === 1)
    if (role === undefined) continue
    const where = isTenant ? principalKey(kernel, scope) : readInstanceKey(kernel, scope)
    ;(isTenant ? tenants : instances).push({ where, role: bareRole(kernel, role) })
  }
  return { in_other_tenants: some(tenants), on_other_instances: some(instances) }
}

function some(held: HeldElsewhere[]): Some<HeldElsewhere> {
  held.sort((left, right) => compareText(left.where, right.where))
  return { first: held.slice(0, EXPLAIN_NAMES_MAX), count: held.length }
}
