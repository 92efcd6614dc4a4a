// The second step of a delta: carries out a plan that prepare has validated, within one turn if the image answers. It
// cannot fail; if the kernel traps nevertheless, the image is poisoned.
import { Table } from '../../../assembly/limits.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { attach, permissionIds, putRules } from '../build/build.ts'
import { putAssignment, putTuple, removeAssignment, removeTuple } from '../build/write-facts.ts'
import { putAttributes, putDeclaredTypes, putParent, putSet, putUser, ruleIds } from '../build/write-records.ts'
import { type ResourceContent, type RoleContent, typeInInstanceKey, typeOfRole } from '../contents.ts'
import { putConfig } from '../documents.ts'
import { findSymbol, findWritten, type SymbolKind } from '../look-up.ts'
import { eachPermissionOfType, permissionId, permissionKey } from '../records/permission.ts'
import type { Plan } from './prepare.ts'

/**
 * Carries out a plan, a step for each object. Objects are put before others refer to them, and deleted after the last
 * reference.
 */
export function* commit(kernel: Kernel, plan: Plan): Generator<void, void> {
  const { calls } = kernel
  const id = (kind: SymbolKind, key: string): number => findSymbol(kernel, kind, key)
  const role = (key: string): number => findWritten(kernel, Table.Roles, kernel.writeWhole(key))
  for (const assignment of plan.unassign) {
    removeAssignment(kernel, assignment)
    yield
  }
  for (const tuple of plan.unrelate) {
    removeTuple(kernel, tuple)
    yield
  }
  for (const { user, tenant } of plan.leave) {
    calls.leaveTenant(id('user', user), id('tenant', tenant))
    yield
  }
  for (const rule of plan.removedSetRules) calls.removeSetRule(...ruleIds(kernel, rule))
  for (const [key, value] of plan.resources) putResource(kernel, key, value)
  for (const [table, key, value] of plan.parties) {
    const party = calls.put(table, kernel.writeKey(key))
    if (table === Table.Users) putUser(kernel, party, value)
    else putAttributes(kernel, party, value)
    yield
  }
  for (const [key, value] of plan.instances) {
    const [type, within] = [id('resource', typeInInstanceKey(key)), id('tenant', value.tenant)]
    putAttributes(kernel, calls.putInstance(type, within, kernel.writeWhole(key)), value)
    yield
  }
  // Old edges are removed first, so that every intermediate graph is a part of the final one: no cycles and no longer
  // chains in between.
  for (const [key] of plan.roles) calls.setParents(calls.put(Table.Roles, kernel.writeWhole(key)), 0)
  for (const [key, value] of plan.roles) putRole(kernel, role(key), key, value)
  for (const [key, value] of plan.roles) {
    const type = typeOfRole(key)
    if (type !== undefined) putRules(kernel, role(key), id('resource', type), value, role)
  }
  for (const tuple of plan.relate) {
    putTuple(kernel, tuple, id('resource_instance', tuple.subject), id('resource_instance', tuple.object))
    yield
  }
  for (const assignment of plan.assign) {
    putAssignment(kernel, assignment)
    yield
  }
  for (const { user, tenant } of plan.join) {
    calls.joinTenant(id('user', user), id('tenant', tenant))
    yield
  }
  for (const [key, value, program] of plan.sets) putSet(kernel, key, value, program)
  for (const [key, { parent }] of plan.sets) putParent(kernel, key, parent)
  for (const rule of plan.putSetRules) {
    calls.addSetRule(...ruleIds(kernel, rule))
    yield
  }
  for (const [key, { actions }] of plan.resources) dropActions(kernel, id('resource', key), new Set(actions))
  for (const [key, rules] of plan.configs) putConfig(kernel, key, rules)
  for (const [kind, key] of plan.gone.toSorted(byRank)) {
    tombstone(kernel, kind, id(kind, key))
    yield
  }
}

/** Instances refer to tenants and types, so they are deleted first. */
function byRank([left]: readonly [SymbolKind, string], [right]: readonly [SymbolKind, string]): number {
  return Number(right === 'resource_instance') - Number(left === 'resource_instance')
}

function putResource(kernel: Kernel, key: string, { actions, attributes }: ResourceContent): void {
  const resource = kernel.calls.put(Table.Resources, kernel.writeKey(key))
  putDeclaredTypes(kernel, resource, key, attributes)
  for (const action of actions) kernel.calls.putPermission(resource, kernel.writePair(key, action))
}

function dropActions(kernel: Kernel, resource: number, keep: ReadonlySet<string>): void {
  for (const at of eachPermissionOfType(kernel, resource)) {
    if (!kernel.isLive(at)) continue
    const key = permissionKey(kernel, at)
    if (!keep.has(key.slice(key.indexOf(':') + 1))) kernel.calls.deletePermission(permissionId(kernel, at))
  }
}

function putRole(kernel: Kernel, role: number, key: string, value: RoleContent): void {
  const { calls } = kernel
  calls.clearRole(role)
  attach(kernel, role, permissionIds(kernel, key, value.permissions))
  const parents = [...new Set(value.extends)].map((parent) =>
    findWritten(kernel, Table.Roles, kernel.writeWhole(parent)),
  )
  calls.setParents(role, kernel.writeList(parents))
  calls.refreshRole(role)
}

function tombstone(kernel: Kernel, kind: SymbolKind, id: number): void {
  if (id === 0) return
  const { calls } = kernel
  const of: Record<SymbolKind, (id: number) => void> = {
    user: calls.deleteUser,
    tenant: calls.deleteTenant,
    role: calls.deleteRole,
    tenant_role: calls.deleteRole,
    resource_role: calls.deleteRole,
    resource: calls.deleteResource,
    resource_instance: calls.deleteInstance,
    condition_set: calls.removeSet,
  }
  of[kind](id)
}
