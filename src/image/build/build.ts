// The canonical build: contents in sorted order into an empty kernel. Compaction runs this build on an image's own
// contents, so equal contents give equal bytes. Order of work: resources and permissions, roles, their rows, their
// edges, their rules, tenants, instances, tuples, users with their grants.

import { RULE_NO_DIRECT, SCRATCH_BYTES, Table } from '../../../assembly/limits.ts'
import { Kernel } from '../../kernel/kernel.ts'
import type { KernelSource } from '../../kernel/module.ts'
import { parseConditions } from '../../model/condition.ts'
import { isZerohopError, ZerohopError } from '../../model/errors.ts'
import type { JsonObject } from '../../model/objects.ts'
import {
  type Contents,
  invalid,
  isInstanceKey,
  type RoleContent,
  sortedAssignments,
  sortedEntries,
  sortedMemberships,
  typeInInstanceKey,
  typeOfRole,
} from '../contents.ts'
import { putConfig } from '../documents.ts'
import { findPermission, findSymbol } from '../look-up.ts'
import { type ConditionProgram, compile } from './condition-program.ts'
import { extendsFault } from './extends.ts'
import { type BuiltIds, putGrants, putMemberships, putTuple } from './write-facts.ts'
import { putAttributes, putDeclaredTypes, putParent, putSet, putUser, ruleIds } from './write-records.ts'

/** Ids written to the scratch area at a time. */
const LIST_MAX = SCRATCH_BYTES / 8

/**
 * A kernel that holds exactly `contents`, identity fields of the header still empty. @throws STATE_INVALID on a
 * dangling reference
 */
export function buildKernel(contents: Contents, source: KernelSource): Kernel {
  const kernel = new Kernel(source)
  kernel.calls.create()
  for (const [key, { actions, attributes }] of sortedEntries(contents.resources)) {
    const resource = kernel.calls.put(Table.Resources, writeKey(kernel, key))
    putDeclaredTypes(kernel, resource, key, attributes)
    for (const action of [...new Set(actions)].sort())
      kernel.calls.putPermission(resource, writePair(kernel, key, action))
  }
  const roles = buildRoles(kernel, contents)
  const tenants = new Map<string, number>()
  for (const [key, value] of sortedEntries(contents.tenants)) {
    const tenant = kernel.calls.put(Table.Tenants, writeKey(kernel, key))
    tenants.set(key, tenant)
    putAttributes(kernel, tenant, value)
  }
  const instances = buildInstances(kernel, contents, tenants)
  buildSets(kernel, contents)
  for (const [key, { rules }] of sortedEntries(contents.configs)) putConfig(kernel, key, rules)
  const ids: BuiltIds = { roles, tenants, instances }
  for (const [key, content] of sortedEntries(contents.users)) {
    const user = kernel.calls.put(Table.Users, writeKey(kernel, key))
    putUser(kernel, user, content.value)
    putMemberships(kernel, user, sortedMemberships(content), ids)
    putGrants(kernel, user, sortedAssignments(content.assignments), ids)
  }
  if (contents.everybody.length > 0)
    putGrants(kernel, kernel.calls.putEverybody(), sortedAssignments(contents.everybody), ids)
  return kernel
}

function buildInstances(kernel: Kernel, contents: Contents, tenants: Map<string, number>): Map<string, number> {
  const ids = new Map<string, number>()
  for (const [key, value] of sortedEntries(contents.instances)) {
    const { tenant } = value
    const within = tenants.get(tenant) ?? dangling(`tenant \`${tenant}\` of \`${key}\``)
    const type = findSymbol(kernel, 'resource', typeInInstanceKey(key)) || dangling(`the type of \`${key}\``)
    const instance = kernel.calls.putInstance(type, within, writeInstance(kernel, key))
    ids.set(key, instance)
    putAttributes(kernel, instance, value)
  }
  for (const [, tuple] of sortedEntries(contents.tuples)) {
    const [from, to] = [tuple.subject, tuple.object].map((key) => ids.get(key) ?? dangling(`\`${key}\` of a tuple`))
    putTuple(kernel, tuple, from!, to!)
  }
  return ids
}

function buildSets(kernel: Kernel, contents: Contents): void {
  const sets = sortedEntries(contents.sets)
  for (const [key, value] of sets) {
    if (value.resource !== null && !contents.resources.has(value.resource)) dangling(`the resource of set \`${key}\``)
    writeKey(kernel, key)
    putSet(kernel, key, value, compileSetConditions(key, value.conditions))
  }
  for (const [key, { parent }] of sets) {
    if (parent !== null && !contents.sets.has(parent)) dangling(`the parent of set \`${key}\``)
    putParent(kernel, key, parent)
  }
  for (const [key, rule] of sortedEntries(contents.setRules)) {
    const ids = ruleIds(kernel, rule)
    if (ids.includes(0)) dangling(`what set rule \`${key}\` names`)
    kernel.calls.addSetRule(...ids)
  }
}

/**
 * Compiles a set's conditions. @throws DELTA_INVALID when conditions of a delta are malformed, STATE_INVALID when
 * stored ones are
 */
export function compileSetConditions(key: string, conditions: JsonObject, to?: number): ConditionProgram {
  try {
    return compile(parseConditions(conditions, []))
  } catch (cause) {
    if (!isZerohopError(cause)) throw cause
    const reason = `the conditions of \`${key}\` cannot be read: ${cause.message} at ${cause.path?.join('.')}`
    throw to === undefined ? invalid(reason, cause) : new ZerohopError('DELTA_INVALID', { to, reason }, { cause })
  }
}

function buildRoles(kernel: Kernel, contents: Contents): Map<string, number> {
  const ids = new Map<string, number>()
  const sorted = sortedEntries(contents.roles)
  for (const [key] of sorted) ids.set(key, kernel.calls.put(Table.Roles, writeWhole(kernel, key)))
  for (const [key, { permissions }] of sorted) {
    attach(kernel, ids.get(key)!, permissionIds(kernel, key, permissions))
  }
  const fault = extendsFault(
    { parents: (role) => contents.roles.get(role)?.extends ?? [], children: () => [] },
    contents.roles.keys(),
  )
  if (fault !== undefined) throw invalid(fault)
  for (const [key, { extends: parents }] of sorted) {
    if (parents.length === 0) continue
    const list = [...new Set(parents)]
      .sort()
      .map((parent) => ids.get(parent) ?? dangling(`role \`${parent}\` that \`${key}\` extends`))
    kernel.calls.setParents(ids.get(key)!, kernel.writeList(list))
    kernel.calls.refreshRole(ids.get(key)!)
  }
  for (const [key, role] of sorted) {
    const type = typeOfRole(key)
    if (type === undefined) continue
    const resource = findSymbol(kernel, 'resource', type) || dangling(`the type of role \`${key}\``)
    putRules(kernel, ids.get(key)!, resource, role, (source) => {
      return ids.get(source) ?? dangling(`role \`${source}\` that gives \`${key}\``)
    })
  }
  return ids
}

/** Makes the role a role of its resource type, with the rules that derive it. */
export function putRules(
  kernel: Kernel,
  role: number,
  type: number,
  { rules = [], noDirect = false }: RoleContent,
  idOf: (role: string) => number,
): void {
  const { calls } = kernel
  calls.clearDerivation(role, type, noDirect ? RULE_NO_DIRECT : 0)
  for (const rule of rules) {
    const relation = calls.put(Table.Relations, writeWhole(kernel, rule.relation))
    calls.addRule(role, relation, idOf(rule.source), rule.noDirect ? RULE_NO_DIRECT : 0)
  }
}

/** Ids of permissions by key, ascending. */
export function permissionIds(kernel: Kernel, role: string, permissions: readonly string[]): number[] {
  const ids = permissions.map((permission) => {
    const colon = permission.indexOf(':')
    const id = findPermission(kernel, permission.slice(0, colon), permission.slice(colon + 1))
    return id || dangling(`permission \`${permission}\` of role \`${role}\``)
  })
  return ids.sort((left, right) => left - right)
}

/** Attaches permission ids to a role, as many at a time as the scratch area holds. */
export function attach(kernel: Kernel, role: number, ids: readonly number[]): void {
  for (let start = 0; start < ids.length; start += LIST_MAX) {
    kernel.calls.extendRole(role, kernel.writeList(ids.slice(start, start + LIST_MAX)))
  }
}

function dangling(what: string): never {
  throw invalid(`${what} does not exist`)
}

function writeKey(kernel: Kernel, key: string): number {
  return requireLength(kernel.writeKey(key), key)
}

function writePair(kernel: Kernel, left: string, right: string): number {
  return requireLength(kernel.writePair(left, right), left)
}

/** Writes a key of two names with a separator, or of one name. */
function writeWhole(kernel: Kernel, key: string): number {
  return requireLength(kernel.writeWhole(key), key)
}

/** `type:key` */
function writeInstance(kernel: Kernel, key: string): number {
  return requireLength(isInstanceKey(key) ? kernel.writeWhole(key) : -1, key)
}

function requireLength(length: number, key: string): number {
  if (length > 0) return length
  throw invalid(`\`${key.slice(0, 64)}\` cannot be a key`)
}
