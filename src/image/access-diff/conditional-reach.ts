// Which questions may get other answers by what is sent with them, from what the changes name: for each permission the
// users and the tenants that must be looked at (docs/access-diff.md). Too many cost time, one that is missing hides a
// change.
import { Table } from '../../../assembly/limits.ts'
import { objectAt } from '../../kernel/decode.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { JsonObject } from '../../model/objects.ts'
import { roleOfUserSet } from '../build/write-records.ts'
import { type Contents, typeInInstanceKey } from '../contents.ts'
import { ruledPermissions } from '../list/user-sides.ts'
import { instanceTenant } from '../records/instance.ts'
import { permissionsOfType } from '../records/permission.ts'
import { principalAttributes } from '../records/principal.ts'
import { resourceKey } from '../records/resource.ts'
import { eachRoleOfType, hasResourceRoles, roleType } from '../records/role.ts'
import { eachRuleToRole, ruleSource } from '../records/rule.ts'
import { records } from '../records/tables.ts'
import type { Changed } from './changed.ts'
import type { Objects } from './objects.ts'
import { type RuleDiff, ruleDiffs } from './policy-diff.ts'
import { affectedRoles, isResourceRole, RoleGraph } from './role-graph.ts'
import { type Instants, SIDES } from './twins.ts'

/** What must be looked at of a permission, each in numbers of twins. */
export interface Reach {
  /** set rules that begin, end or mean something else */
  readonly rules: readonly RuleDiff[]
  /** every user in every tenant */
  readonly everybody: boolean
  /** users in the tenants that they belong to */
  readonly ties: boolean
  /** users who have roles on instances, in the tenants that they belong to */
  readonly holders: boolean
  /** those of them who have roles above a changed tuple */
  readonly upstream: boolean
}

/** An instance that is stored otherwise. */
export interface ChangedInstance {
  readonly name: string
  /** the number of its tenant in each image; undefined where it is not stored */
  readonly homes: readonly [number | undefined, number | undefined]
  /** names of attributes that differ */
  readonly attributes: ReadonlySet<string>
}

export interface ReachOfChanges {
  /** by the number of the permission */
  readonly permissions: ReadonlyMap<number, Reach>
  /** users with other attributes or ties, with the names of the attributes that differ */
  readonly users: ReadonlyMap<number, ReadonlySet<string>>
  /** tenants that are created or deleted */
  readonly tenants: ReadonlySet<number>
  /** tenants with other attributes: those who belong to them */
  readonly tenantsOfTies: ReadonlySet<number>
  /** by resource type */
  readonly instances: ReadonlyMap<string, readonly ChangedInstance[]>
  /** an instance moved to another tenant: whoever has a role on instances may belong to other tenants */
  readonly hasMoved: boolean
  /** users with roles on instances above changed tuples */
  readonly upstream: ReadonlySet<number>
  /** whether all users whom the changes do not name have the same id, roles and tenants in both images */
  readonly isCopy: boolean
}

/** What is known of the changes already. */
export interface Found {
  /** users with roles on instances above changed tuples */
  readonly upstream: ReadonlySet<number>
  /** the contents of both images without facts; undefined when the changes are about facts alone */
  readonly policies: readonly [Contents, Contents] | undefined
  /** whether one image is a copy of the other to which the changes were applied */
  readonly isCopy: boolean
  readonly instants: Instants | undefined
}

const NOTHING: Reach = { rules: [], everybody: false, ties: false, holders: false, upstream: false }

export function computeReach(
  objects: Objects,
  kernels: readonly [Kernel, Kernel],
  changed: Changed,
  { upstream, policies, isCopy, instants: at }: Found,
): ReachOfChanges {
  const instances = changedInstances(objects, kernels, changed)
  const tenants = splitChangedTenants(objects, changed)
  const permissions = new Map<number, Reach>()
  const note = (permission: number | undefined, more: Partial<Reach>): void => {
    if (permission === undefined) return
    const known = permissions.get(permission) ?? NOTHING
    permissions.set(permission, {
      rules: more.rules === undefined ? known.rules : [...known.rules, ...more.rules],
      everybody: known.everybody || more.everybody === true,
      ties: known.ties || more.ties === true,
      holders: known.holders || more.holders === true,
      upstream: known.upstream || more.upstream === true,
    })
  }
  for (const side of SIDES) for (const id of ruledPermissions(kernels[side])) note(objects.permissions.of(side, id), {})
  if (policies !== undefined) notePolicy(policies, at, objects, note)
  noteHolders(
    kernels,
    objects,
    new Set(changed.tuples.map(({ object }) => typeInInstanceKey(object))),
    { upstream: true },
    note,
  )
  const moved = [...instances].filter(([, list]) => list.some(isMoved))
  noteHolders(kernels, objects, new Set(moved.map(([type]) => type)), { holders: true }, note)
  const users = collectChangedUsers(objects, kernels, changed)
  const hasMoved = moved.length > 0
  return {
    permissions,
    users,
    tenants: tenants.alone,
    tenantsOfTies: tenants.changed,
    instances,
    hasMoved,
    upstream,
    isCopy: isCopy && !hasMoved,
  }
}

/** Whether the instance is stored in both images, in different tenants. */
export const isMoved = ({ homes: [was, is] }: ChangedInstance): boolean =>
  was !== undefined && is !== undefined && was !== is

type Note = (permission: number | undefined, more: Partial<Reach>) => void

/** Permissions whose rules mean something else, that roles gain or lose, or that other derivations reach. */
function notePolicy(
  [before, after]: readonly [Contents, Contents],
  at: Instants | undefined,
  objects: Objects,
  note: Note,
): void {
  for (const diff of ruleDiffs(before, after, at))
    note(objects.permissions.named(diff.rule.permission), { rules: [diff], everybody: true })
  const graphs = [new RoleGraph(before), new RoleGraph(after)] as const
  const derived = derivedOtherwise(before, after)
  const asUserSets = [before, after].map(rolesAsUserSets)
  for (const role of new Set([...affectedRoles(before, after), ...derived])) {
    const [was, is] = graphs.map((graph, side) => givenBy(graph, role, asUserSets[side]!))
    const isOther = derived.has(role)
    for (const [name, permission] of [...was!, ...is!]) {
      if (isOther || !was!.has(name) || !is!.has(name))
        note(objects.permissions.named(permission), isResourceRole(role) ? { holders: true } : { ties: true })
    }
  }
}

/** What a role gives, and what rules give to those who hold it or a role that it extends (D17), by distinct names. */
function givenBy(
  graph: RoleGraph,
  role: string,
  asUserSets: ReadonlyMap<string, readonly string[]>,
): Map<string, string> {
  const found = new Map(graph.ofExtends(role).map(({ permission }) => [permission, permission]))
  for (const each of graph.withExtended(role))
    for (const permission of asUserSets.get(each) ?? []) found.set(`${each} ${permission}`, permission)
  return found
}

/** The permissions of the rules whose user set is a role on instances, by the whole key of the role. */
function rolesAsUserSets({ setRules }: Contents): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const { user_set, permission } of setRules.values()) {
    const role = roleOfUserSet(user_set)
    if (role !== undefined && isResourceRole(role)) found.set(role, [...(found.get(role) ?? []), permission])
  }
  return found
}

/** The roles on instances that are derived otherwise, and those that are derived from them, in either policy. */
function derivedOtherwise(before: Contents, after: Contents): Set<string> {
  const found = new Set<string>()
  const targets = new Map<string, string[]>()
  for (const { roles } of [before, after]) {
    for (const [target, { rules = [] }] of roles) {
      const [was, is] = [before, after].map((policy) => {
        const role = policy.roles.get(target)
        return JSON.stringify([role?.rules, role?.noDirect])
      })
      if (was !== is) found.add(target)
      for (const { source } of rules) targets.set(source, [...(targets.get(source) ?? []), target])
    }
  }
  for (const role of found) for (const target of targets.get(role) ?? []) found.add(target) // also walked
  return found
}

/** Permissions of types with roles on instances, and whether what users hold there may differ. */
function noteHolders(
  kernels: readonly [Kernel, Kernel],
  objects: Objects,
  types: Set<string>,
  more: Partial<Reach>,
  note: Note,
): void {
  for (const kernel of kernels) addDerivedTypes(kernel, types)
  for (const side of SIDES) {
    const kernel = kernels[side]
    for (const type of records(kernel, Table.Resources)) {
      if (!hasResourceRoles(kernel, type)) continue
      const isReached = types.has(resourceKey(kernel, type))
      for (const [id] of permissionsOfType(kernel, type)) note(objects.permissions.of(side, id), isReached ? more : {})
    }
  }
}

/** Adds the types to which derivations lead from these, over any number of steps. */
function addDerivedTypes(kernel: Kernel, types: Set<string>): void {
  if (types.size === 0) return
  const steps = new Map<string, Set<string>>()
  for (const target of records(kernel, Table.Resources)) {
    for (const role of eachRoleOfType(kernel, target)) {
      if (!kernel.isLive(role)) continue
      for (const at of eachRuleToRole(kernel, role)) {
        const source = resourceKey(kernel, roleType(kernel, ruleSource(kernel, at)))
        steps.set(source, (steps.get(source) ?? new Set()).add(resourceKey(kernel, target)))
      }
    }
  }
  for (const type of types) for (const next of steps.get(type) ?? []) types.add(next) // also walked
}

function splitChangedTenants({ tenants }: Objects, changed: Changed): { alone: Set<number>; changed: Set<number> } {
  const found = { alone: new Set<number>(), changed: new Set<number>() }
  for (const key of changed.tenants) {
    const tenant = tenants.named(key)
    if (tenant !== undefined) found[tenants.lacking(tenant) === undefined ? 'changed' : 'alone'].add(tenant)
  }
  return found
}

function collectChangedUsers(
  { users }: Objects,
  kernels: readonly [Kernel, Kernel],
  changed: Changed,
): Map<number, Set<string>> {
  const found = new Map<number, Set<string>>()
  const note = (key: string): void => {
    const user = users.named(key)
    if (user === undefined || found.has(user)) return
    const stored = SIDES.map((side) => readAttributes(kernels[side], users.id(side, user)))
    found.set(user, findDifferingNames(stored[0]!, stored[1]!))
  }
  for (const key of changed.users) note(key)
  for (const { user } of changed.assignments) note(user)
  for (const { user } of changed.memberships) note(user)
  return found
}

function changedInstances(
  { instances, tenants }: Objects,
  kernels: readonly [Kernel, Kernel],
  changed: Changed,
): Map<string, ChangedInstance[]> {
  const found = new Map<string, ChangedInstance[]>()
  for (const name of changed.instances) {
    const instance = instances.named(name)
    if (instance === undefined) continue
    const ids = SIDES.map((side) => instances.id(side, instance))
    const stored = SIDES.map((side) => readAttributes(kernels[side], ids[side]!))
    const [was, is] = SIDES.map((side) =>
      ids[side] === 0 ? undefined : tenants.of(side, instanceTenant(kernels[side], ids[side]!)),
    )
    const attributes = findDifferingNames(stored[0]!, stored[1]!)
    if (was === is && attributes.size === 0) continue
    const list = found.get(typeInInstanceKey(name)) ?? []
    found.set(typeInInstanceKey(name), list)
    list.push({ name, homes: [was, is], attributes })
  }
  return found
}

const readAttributes = (kernel: Kernel, record: number): JsonObject =>
  (record === 0 ? undefined : objectAt(kernel, principalAttributes(kernel, record))) ?? {}

function findDifferingNames(before: JsonObject, after: JsonObject): Set<string> {
  const at = (of: JsonObject, name: string): string => (Object.hasOwn(of, name) ? JSON.stringify(of[name]) : '')
  const names = [...Object.keys(before), ...Object.keys(after)]
  return new Set(names.filter((name) => at(before, name) !== at(after, name)))
}
