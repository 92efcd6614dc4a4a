// Every export of the kernel, with its contract, and nothing else. Arguments and results are numbers; keys and lists
// lie in the scratch area. A key at SCRATCH is UTF-8 of `length` bytes, at most KEY_BYTES_MAX (2 × that + 1 for a
// pair). 0 means none.
import { Document, Principal, QUERY, Query, Resource, SCRATCH } from './abi'
import { decideBySets, operandOf, programHolds, sideHolds } from './decide/abac'
import {
  decideByRelation,
  decideIn,
  decideOnInstance,
  rolesIn as findRoles,
  decideByRoles as holdRoles,
} from './decide/decide'
import { permissionsOfGrant, permissionsOfRole, recordsInBucket } from './decide/enumerate'
import { listReads as readsOf } from './decide/required-attributes'
import { ABI_VERSION, Order, Table } from './limits'
import { checkKinds } from './memory/checked'
import './memory/layout'
import { createImage } from './memory/header'
import { recordsAfter } from './memory/key-order'
import { reserveBytes } from './memory/memory'
import { find as findSymbol, intern, keyLength, keyOffset } from './memory/symbols'
import { setAttributes } from './memory/values'
import { putPath as internPath } from './policy/attribute-paths'
import { define, deleteSet, setParent as putBelow } from './policy/condition-sets'
import {
  deleteDocument,
  deletePermission as removePermission,
  deleteResource as removeResource,
  deleteTenant as removeTenant,
  deleteUser as removeUser,
} from './policy/deletions'
import { putEverybody as createEverybody, everybody as findEverybody } from './policy/everybody'
import {
  assign as assignRole,
  putGrant as createWholeGrant,
  findGrant,
  findGrantStored,
  unassign as unassignRole,
} from './policy/grants'
import { join, leave } from './policy/memberships'
import {
  putPermission as internPermission,
  findPermission as permissionOf,
  permissionRecord as recordOfPermission,
} from './policy/permissions'
import {
  clearRules,
  addRule as createRule,
  relate as createTuple,
  unrelate as deleteTuple,
  putInstance as internInstance,
  deleteInstance as removeInstance,
  setRoleType,
} from './policy/relations'
import { keepRoleAsSet } from './policy/role-sides'
import {
  addPermissions,
  clearPermissions,
  refresh,
  deleteRole as removeRole,
  setParents as replaceParents,
  holds as roleHolds,
} from './policy/roles'
import { addSetRule as createSetRule, removeSetRule as deleteSetRule } from './policy/set-rules'
import { suspend as createSuspension, resume as endSuspension, findSuspension, isSuspended } from './policy/suspensions'
import { settle } from './policy/times'
import { verifyImage } from './verify/verify'

/** The number of the layout; the host refuses another. */
export function abiVersion(): u32 {
  return ABI_VERSION
}

/** Makes this memory an empty image. */
export function create(): void {
  createImage()
}

/** 1 when `bytes` more can be stored without fail, 0 when the memory cannot grow that far. Changes no answer. */
export function reserve(bytes: u32): u32 {
  return reserveBytes(bytes) ? 1 : 0
}

/** Id of the live symbol in a table (not permissions), or 0. */
export function find(table: u32, length: u32): u32 {
  return findSymbol(table, SCRATCH, length)
}

/** Id of the live permission whose key is at SCRATCH, or 0. */
export function findPermission(length: u32): u32 {
  return permissionOf(SCRATCH, length)
}

/**
 * The instant of the questions from now on, ms since 1970; NaN, as at first: none. Without one, what depends on it
 * answers ASK_TIME.
 */
export function setNow(now: f64): void {
  store<f64>(QUERY, now, Query.Now)
}

/** 1: questions from now on are about what users hold themselves; 0, as at first: also about what everybody does (D16). */
export function setOwnAlone(on: u32): void {
  store<u32>(QUERY, on, Query.OwnAlone)
}

/**
 * Verdict for the ids, of roles in the tenant, with ASK_SETS when it is not Allow and set rules have a say. For a user of
 * 0, who is not stored, roles of everybody count alone (D16); any other 0 is Deny (D1).
 */
export function decide(user: u32, tenant: u32, permission: u32): u32 {
  return decideIn(QUERY, user, tenant, permission)
}

/**
 * What stands for the roles of the user in the tenant, until a change and at every instant: for `decideByRoles`, which
 * answers ASK_USER where `decide` must be asked instead.
 */
export function rolesIn(user: u32, tenant: u32): u32 {
  return findRoles(user, tenant)
}

/** `decide`, of the roles that `rolesIn` gave for the user and the tenant. */
export function decideByRoles(roles: u32, permission: u32): u32 {
  return holdRoles(QUERY, roles, permission)
}

/** `decide` with roles on a named instance of the permission's type; 0 when it is not stored. */
export function decideOn(user: u32, tenant: u32, permission: u32, instance: u32): u32 {
  return settle(QUERY, decideOnInstance(QUERY, user, tenant, permission, instance, 0))
}

/** The same, and the resource is related as the first `related` bytes of RELATED say (D14); also without an instance. */
export function decideOnRelated(user: u32, tenant: u32, permission: u32, instance: u32, related: u32): u32 {
  return settle(QUERY, decideOnInstance(QUERY, user, tenant, permission, instance, related))
}

/**
 * What roles on the instance and derived roles add to `decideOnRelated`. Permission 0: whether the user has any role on
 * it; `type` is the one of an instance that is not stored.
 */
export function decideRelated(user: u32, tenant: u32, permission: u32, instance: u32, related: u32, type: u32): u32 {
  return settle(QUERY, decideByRelation(QUERY, user, tenant, permission, type, instance, related))
}

/**
 * The goal that the search just before met, counted from 1; 0 when a direct role or nothing allowed. The path lies in
 * the work area.
 */
export function goalMet(): u32 {
  return load<u32>(QUERY, Query.Met)
}

/** Makes the user, tenant, role, resource or relation whose key is at SCRATCH live; returns its id. */
export function put(table: u32, length: u32): u32 {
  return intern(table, SCRATCH, length)
}

/** Makes the permission whose key is at SCRATCH live; returns its id. Traps when no id is left: check before. */
export function putPermission(resource: u32, length: u32): u32 {
  return internPermission(resource, SCRATCH, length)
}

/** Replaces the stored attributes of a user, tenant or instance by the encoded composite; 0 for none. */
export function setPartyAttributes(party: u32, encoded: u32): void {
  setAttributes(party, Principal.Attributes, encoded)
}

/** Replaces the declared attributes of a resource, name → number of the type, by the encoded composite; 0 for none. */
export function setDeclared(resource: u32, encoded: u32): void {
  setAttributes(resource, Resource.Attributes, encoded)
}

/** Replaces what a document holds by the encoded composite; 0 for none. */
export function setDocument(document: u32, encoded: u32): void {
  setAttributes(document, Document.Value, encoded)
}

/** Deletes a document; does nothing for 0. */
export function removeDocument(document: u32): void {
  deleteDocument(document)
}

/** Makes the user belong to the tenant, also without a role. */
export function joinTenant(user: u32, tenant: u32): void {
  join(user, tenant)
}

/** Ends a membership; does nothing when one of them is 0. */
export function leaveTenant(user: u32, tenant: u32): void {
  if (user !== 0 && tenant !== 0) leave(user, tenant)
}

/**
 * The path whose key (`root.name…`) is at SCRATCH; returns its id. A `defineSet` with a step that names it must follow.
 * Traps when no number is left.
 */
export function putPath(source: u32, length: u32): u32 {
  return internPath(source, SCRATCH, length)
}

/**
 * Replaces what a condition set says. `json`, `constants` (0 for none) and the `length` steps lie in the encoded area.
 * `setParent` must follow.
 */
export function defineSet(
  set: u32,
  kind: u32,
  resource: u32,
  json: u32,
  constants: u32,
  steps: u32,
  length: u32,
): void {
  define(set, kind, resource, json, constants, steps, length)
}

/** Ends a definition: the set whose conditions must hold too, 0 for none. */
export function setParent(set: u32, parent: u32): void {
  putBelow(set, parent)
}

export function removeSet(set: u32): void {
  deleteSet(set)
}

/** Adds a set rule: `users` is a set or a role, `resources` a set or a resource. */
export function addSetRule(permission: u32, users: u32, resources: u32): void {
  createSetRule(permission, users, resources)
}

/** Removes a set rule; does nothing when one of them is 0. */
export function removeSetRule(permission: u32, users: u32, resources: u32): void {
  if (permission !== 0 && users !== 0 && resources !== 0) deleteSetRule(permission, users, resources)
}

/**
 * Verdict of the set rules alone. For each path that they read, SENT holds the address of the cell that was sent, or 0;
 * all lies before `end`. The relations that were sent are the first `related` bytes of RELATED.
 */
export function decideSets(user: u32, tenant: u32, permission: u32, instance: u32, related: u32, end: u32): u32 {
  return decideBySets(QUERY, user, tenant, permission, instance, related, end)
}

/** What the set rules of a permission read: paths at SCRATCH; returns how many. */
export function listReads(permission: u32): u32 {
  return readsOf(permission)
}

/** Verdict of one side of a rule, for explain: a set, role or resource. */
export function decideSide(
  user: u32,
  tenant: u32,
  permission: u32,
  instance: u32,
  related: u32,
  end: u32,
  side: u32,
): u32 {
  return settle(QUERY, sideHolds(QUERY, user, tenant, permission, instance, related, end, side))
}

/** Verdict of a program (abi.ts, Program) that lies before `end` in the encoded area, for explain. */
export function decideProgram(user: u32, tenant: u32, permission: u32, instance: u32, end: u32, program: u32): u32 {
  return settle(QUERY, programHolds(QUERY, user, tenant, permission, instance, end, program))
}

/**
 * The cell of a path for the question, for explain: 0 when it is missing or not of its declared type, ASK_TIME without an
 * instant. Valid until the next call.
 */
export function operandCell(user: u32, tenant: u32, permission: u32, instance: u32, end: u32, path: u32): u32 {
  return settle(QUERY, operandOf(QUERY, user, tenant, permission, instance, end, path))
}

/** Of the `operandCell` just before: the value that is there but not of its declared type, or 0. */
export function operandRefused(): u32 {
  return load<u32>(QUERY, Query.Refused)
}

/** How often conditions met a value that is not of its declared type, since this memory is open; for metrics. */
export function illTypedCount(): u32 {
  return load<u32>(QUERY, Query.Refusals)
}

/** Of the `operandCell` just before: 1 when it is compared as an instant (D9). */
export function operandIsTime(): u32 {
  return load<u32>(QUERY, Query.IsTime)
}

/** Steps that the set rules of the question just before took. */
export function stepsOfSets(): u32 {
  return load<u32>(QUERY, Query.ConditionSteps)
}

/** Suspends the user at these times; infinite where unbounded. */
export function suspend(user: u32, from: f64, until: f64): void {
  createSuspension(user, from, until)
}

/** Ends the suspension of the user, if there is one. */
export function resume(user: u32): void {
  endSuspension(user)
}

/** The record that says when the user is suspended, or 0. */
export function suspensionOfStored(user: u32): u32 {
  return findSuspension(user)
}

/** The party that stands for everybody, or 0 while nothing is given to everybody. */
export function everybody(): u32 {
  return findEverybody()
}

/** The same, made where it is missing; a grant of it must follow. */
export function putEverybody(): u32 {
  return createEverybody()
}

export function deleteUser(user: u32): void {
  removeUser(user)
}

export function deleteTenant(tenant: u32): void {
  removeTenant(tenant)
}

export function deleteRole(role: u32): void {
  removeRole(role)
}

export function deleteResource(resource: u32): void {
  removeResource(resource)
}

/** Makes the instance whose key is at SCRATCH live, of that type and in that tenant; returns its id. */
export function putInstance(type: u32, tenant: u32, length: u32): u32 {
  return internInstance(type, tenant, SCRATCH, length)
}

/** Removes an instance with the roles on it and its tuples. */
export function deleteInstance(instance: u32): void {
  removeInstance(instance)
}

/** Relates at these times; infinite where unbounded. 1 when something changed; 0 also when one of the ids is 0. */
export function relate(relation: u32, subject: u32, object: u32, from: f64, until: f64): u32 {
  if (relation === 0 || subject === 0 || object === 0) return 0
  return createTuple(relation, subject, object, from, until) ? 1 : 0
}

/** 1 when something changed; 0 also when one of them is 0. */
export function unrelate(relation: u32, subject: u32, object: u32): u32 {
  if (relation === 0 || subject === 0 || object === 0) return 0
  return deleteTuple(relation, subject, object) ? 1 : 0
}

/**
 * Makes the role one of the type, and takes from it all rules that derive it; `flags` are for those that `addRule`
 * adds.
 */
export function clearDerivation(role: u32, type: u32, flags: u32): void {
  setRoleType(role, type)
  clearRules(role, flags)
}

/** Derives the role on an object from `source` on what is related to it. */
export function addRule(role: u32, relation: u32, source: u32, flags: u32): void {
  createRule(role, relation, source, flags)
}

export function deletePermission(permission: u32): void {
  removePermission(permission)
}

/** Takes all attached permissions from the role, but for the one that stands for it; `refreshRole` must follow. */
export function clearRole(role: u32): void {
  clearPermissions(role)
  keepRoleAsSet(role)
}

/** Attaches the `count` permission ids at SCRATCH; `refreshRole` must follow. */
export function extendRole(role: u32, count: u32): void {
  addPermissions(role, SCRATCH, count)
}

/** Replaces what the role extends by the `count` roles at SCRATCH; `refreshRole` must follow. */
export function setParents(role: u32, count: u32): void {
  replaceParents(role, SCRATCH, count)
}

/** Computes the effective permissions of the role and of all that extend it. */
export function refreshRole(role: u32): void {
  refresh(role)
}

/** Assigns at these times; infinite where unbounded. 1 when something changed. */
export function assign(user: u32, scope: u32, role: u32, from: f64, until: f64): u32 {
  return assignRole(user, scope, role, from, until) ? 1 : 0
}

/** 1 when something changed. */
export function unassign(user: u32, scope: u32, role: u32): u32 {
  return unassignRole(user, scope, role) ? 1 : 0
}

/** Creates the grant of a pair that has none, out of `count` roles at SCRATCH and, behind them, `timed` ones (TimedRole). */
export function putGrant(user: u32, scope: u32, count: u32, timed: u32): void {
  createWholeGrant(user, scope, SCRATCH, count, timed)
}

/** The record of the grant if a role of it is in force and the user is not suspended, or 0; ASK_TIME without an instant. */
export function grantOf(user: u32, scope: u32): u32 {
  return settle(QUERY, isSuspended(QUERY, user) ? 0 : findGrant(QUERY, user, scope))
}

/** The record of the grant, or 0; perhaps none of its roles is in force. */
export function grantOfStored(user: u32, scope: u32): u32 {
  return findGrantStored(user, scope)
}

/** 1 when the role, or one that it extends, has the permission. */
export function holds(role: u32, permission: u32): u32 {
  return roleHolds(role, permission) ? 1 : 0
}

/** The record of a permission id, or 0. */
export function permissionRecord(permission: u32): u32 {
  return recordOfPermission(permission)
}

/**
 * Permission ids ≥ `first` that the grant allows at the instant, which must be given, at SCRATCH; returns how many (SCRATCH_BYTES / 4 = there may be more).
 */
export function listGrant(grant: u32, first: u32): u32 {
  return permissionsOfGrant(QUERY, grant, first)
}

/** Permission ids ≥ `first` attached to the role itself, at SCRATCH; returns how many. */
export function listRole(role: u32, first: u32): u32 {
  return permissionsOfRole(role, first)
}

/** Records of bucket `index` of a table, at SCRATCH; returns how many. */
export function listBucket(table: u32, index: u32): u32 {
  return recordsInBucket(table, index)
}

/**
 * Records of users or instances in key order, dead ones too, at SCRATCH: up to `most` behind `record`, or when that is
 * 0 behind the key there.
 */
export function listOrdered(table: u32, record: u32, length: u32, most: u32): u32 {
  const order = table === Table.Users ? Order.Users : Order.Instances
  if (record === 0) return recordsAfter(order, 0, SCRATCH, length, most)
  return recordsAfter(order, 0, record + keyOffset(table), keyLength(record), most)
}

/** The same for the live instances of a tenant; behind its last one come those of other tenants. */
export function listInTenant(tenant: u32, record: u32, length: u32, most: u32): u32 {
  if (record === 0) return recordsAfter(Order.Tenants, tenant, SCRATCH, length, most)
  return recordsAfter(Order.Tenants, tenant, record + keyOffset(Table.Instances), keyLength(record), most)
}

/** Steps over relations and conditions that the question just before has cost; told once. */
export function takeWork(): u32 {
  const steps = load<u32>(QUERY, Query.RelationSteps) + load<u32>(QUERY, Query.ConditionSteps)
  store<u32>(QUERY, 0, Query.RelationSteps)
  store<u32>(QUERY, 0, Query.ConditionSteps)
  return steps
}

/** Walks every section and tests every invariant; a Fault, 0 when all hold. Safe on any bytes. */
export function verify(): u32 {
  if (!ASC_NO_ASSERT) checkKinds(false)
  const fault = verifyImage()
  if (!ASC_NO_ASSERT) checkKinds(true)
  return fault
}
