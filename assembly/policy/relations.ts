// Resource instances, the tuples between them, and the rules by which a role on one instance gives a role on another
// (D5).
//
//   tuple  │ relation (+ TIMED) │ subject │ object │ next, previous of object │ next, previous of subject │ (times) │
//   rule   │ target │ relation │ source │ flags │ next of target │ next, previous of source │
//
// INVARIANT: a tuple is in the table once, in its object's list once and in its subject's list once.
// INVARIANT: a rule is in its target's list once and in its source's list once.
// INVARIANT: an instance that has a tenant is in the order by tenants.
// INVARIANT: Relation.Uses is the number of tuples and rules that name the relation; at 0 the relation is dead.
import {
  Header,
  Instance,
  Principal,
  Relation,
  Resource,
  Role,
  RULE_BYTES,
  Rule,
  TIMED,
  TIMED_TUPLE_BYTES,
  TimedTuple,
  TUPLE_BYTES,
  Tuple,
} from '../abi'
import { Order, Table } from '../limits'
import { insertOrdered, removeOrdered } from '../memory/key-order'
import { link, unlink } from '../memory/lists'
import { addToField, allocate, release } from '../memory/memory'
import { ruleAt, tupleAt } from '../memory/records'
import { intern, tombstone } from '../memory/symbols'
import { firstMatch, insert, matchedRecord, nextMatch, remove } from '../memory/table'
import { setAttributes } from '../memory/values'
import { deletePartyGrants } from './grants'
import { hasTimes, isInForce } from './times'

/** Makes the instance whose key is at `start` live and puts it into the tenant. */
export function putInstance(type: u32, tenant: u32, start: u32, length: u32): u32 {
  const instance = intern(Table.Instances, start, length)
  store<u32>(instance, type, Instance.Type)
  const before = load<u32>(instance, Instance.Tenant)
  if (before === tenant) return instance
  if (before !== 0) removeOrdered(Order.Tenants, instance)
  store<u32>(instance, tenant, Instance.Tenant)
  insertOrdered(Order.Tenants, instance)
  return instance
}

/** An instance is gone, with the roles on it and its tuples (D11). */
export function deleteInstance(instance: u32): void {
  deletePartyGrants(instance)
  for (;;) {
    const tuple = load<u32>(instance, Instance.Objects)
    if (tuple === 0) break
    deleteTuple(tuple)
  }
  for (;;) {
    const tuple = load<u32>(instance, Instance.Subjects)
    if (tuple === 0) break
    deleteTuple(tuple)
  }
  setAttributes(instance, Principal.Attributes, 0)
  if (load<u32>(instance, Instance.Tenant) !== 0) removeOrdered(Order.Tenants, instance)
  store<u32>(instance, 0, Instance.Tenant)
  tombstone(Table.Instances, instance)
}

export function tupleHash(relation: u32, subject: u32, object: u32): u32 {
  let hash = (subject * 0x9e3779b1) ^ (object * 0x85ebca77) ^ (relation * 0xc2b2ae3d)
  hash = (hash ^ (hash >>> 15)) * 0x2c1b3c6d
  return hash ^ (hash >>> 13)
}

export function findTupleStored(relation: u32, subject: u32, object: u32): u32 {
  const hash = tupleHash(relation, subject, object)
  for (let match = firstMatch(Table.Tuples, hash); match !== 0; match = nextMatch(match, hash)) {
    const tuple = matchedRecord(match)
    /* canary: parts-of-a-tuple */
    if (isByStored(tuple, relation) && tupleAt(tuple).subject === subject && tupleAt(tuple).object === object)
      return tuple
  }
  return 0
}

/** The relation of a tuple, with times or without. */
export function tupleRelation(tuple: u32): u32 {
  return tupleAt(tuple).relation & ~TIMED
}

function isByStored(tuple: u32, relation: u32): bool {
  return tupleRelation(tuple) === relation
}

/** Is the tuple one of the relation, and in force? */
export function isBy(query: u32, tuple: u32, relation: u32): bool {
  const other = tupleAt(tuple).relation ^ relation
  return other === 0 || (other === TIMED && /* canary: tuples-in-force */ isTupleInForce(query, tuple))
}

function isTupleInForce(query: u32, tuple: u32): bool {
  return isInForce(query, load<f64>(tuple, TimedTuple.From), load<f64>(tuple, TimedTuple.Until))
}

/** Bytes of the record, with its times. */
export function tupleBytes(tuple: u32): u32 {
  return (tupleAt(tuple).relation & TIMED) === 0 ? TUPLE_BYTES : TIMED_TUPLE_BYTES
}

/** Relates the subject to the object at these times; false when it is so already. */
export function relate(relation: u32, subject: u32, object: u32, from: f64, until: f64): bool {
  const before = findTupleStored(relation, subject, object)
  if (before !== 0 && isAtTimes(before, from, until)) return false
  createTuple(relation, subject, object, from, until)
  // The new one is there by now: a relation that nothing uses is dead.
  if (before !== 0) deleteTuple(before)
  return true
}

function isAtTimes(tuple: u32, from: f64, until: f64): bool {
  if ((tupleAt(tuple).relation & TIMED) === 0) return !hasTimes(from, until)
  return load<f64>(tuple, TimedTuple.From) === from && load<f64>(tuple, TimedTuple.Until) === until
}

function createTuple(relation: u32, subject: u32, object: u32, from: f64, until: f64): void {
  const isTimed = hasTimes(from, until)
  const tuple = allocate(isTimed ? TIMED_TUPLE_BYTES : TUPLE_BYTES)
  tupleAt(tuple).relation = isTimed ? relation | TIMED : relation
  tupleAt(tuple).subject = subject
  tupleAt(tuple).object = object
  link(tuple, object + Instance.Objects, Tuple.NextOfObject, Tuple.PreviousOfObject)
  link(tuple, subject + Instance.Subjects, Tuple.NextOfSubject, Tuple.PreviousOfSubject)
  insert(Table.Tuples, tupleHash(relation, subject, object), tuple)
  addToField(Header.Tuples, 1)
  use(relation)
  if (!isTimed) return
  store<f64>(tuple, from, TimedTuple.From)
  store<f64>(tuple, until, TimedTuple.Until)
  addToField(Header.TimedTuples, 1)
}

/** Ends the relation; false when it is not there. */
export function unrelate(relation: u32, subject: u32, object: u32): bool {
  const tuple = findTupleStored(relation, subject, object)
  if (tuple === 0) return false
  deleteTuple(tuple)
  return true
}

function deleteTuple(tuple: u32): void {
  const bytes = tupleBytes(tuple)
  const relation = tupleRelation(tuple)
  const subject = tupleAt(tuple).subject
  const object = tupleAt(tuple).object
  unlink(tuple, object + Instance.Objects, Tuple.NextOfObject, Tuple.PreviousOfObject)
  unlink(tuple, subject + Instance.Subjects, Tuple.NextOfSubject, Tuple.PreviousOfSubject)
  remove(Table.Tuples, tupleHash(relation, subject, object), tuple)
  release(tuple, bytes)
  addToField(Header.Tuples, -1)
  if (bytes === TIMED_TUPLE_BYTES) addToField(Header.TimedTuples, -1)
  disuse(relation)
}

function use(relation: u32): void {
  store<u32>(relation, load<u32>(relation, Relation.Uses) + 1, Relation.Uses)
}

function disuse(relation: u32): void {
  const uses = load<u32>(relation, Relation.Uses) - 1
  store<u32>(relation, uses, Relation.Uses)
  if (uses === 0) tombstone(Table.Relations, relation)
}

/** Makes a role one of a resource type: its key is `type/role`, so it never becomes another's. */
export function setRoleType(role: u32, type: u32): void {
  if (load<u32>(role, Role.Type) !== 0) return
  store<u32>(role, type, Role.Type)
  store<u32>(role, load<u32>(type, Resource.Roles), Role.NextOfType)
  store<u32>(type, role, Resource.Roles)
}

/** Takes every rule from the role that it derives, and sets the flags of those to come. */
export function clearRules(role: u32, flags: u32): void {
  store<u32>(role, flags, Role.Flags)
  for (;;) {
    const rule = load<u32>(role, Role.Rules)
    if (rule === 0) return
    store<u32>(role, ruleAt(rule).nextOfTarget, Role.Rules)
    const source = ruleAt(rule).source
    unlink(rule, source + Role.Sources, Rule.NextOfSource, Rule.PreviousOfSource)
    disuse(ruleAt(rule).relation)
    release(rule, RULE_BYTES)
    addToField(Header.Rules, -1)
  }
}

/** Adds a rule in front of those that the role has. */
export function addRule(role: u32, relation: u32, source: u32, flags: u32): void {
  const rule = allocate(RULE_BYTES)
  ruleAt(rule).target = role
  ruleAt(rule).relation = relation
  ruleAt(rule).source = source
  ruleAt(rule).flags = flags
  ruleAt(rule).nextOfTarget = load<u32>(role, Role.Rules)
  store<u32>(role, rule, Role.Rules)
  link(rule, source + Role.Sources, Rule.NextOfSource, Rule.PreviousOfSource)
  addToField(Header.Rules, 1)
  use(relation)
}

/** Removes every rule that derives from the role: it is going (D11). */
export function clearSources(role: u32): void {
  for (;;) {
    const rule = load<u32>(role, Role.Sources)
    if (rule === 0) return
    unlinkFromTarget(rule, ruleAt(rule).target)
    unlink(rule, role + Role.Sources, Rule.NextOfSource, Rule.PreviousOfSource)
    disuse(ruleAt(rule).relation)
    release(rule, RULE_BYTES)
    addToField(Header.Rules, -1)
  }
}

function unlinkFromTarget(rule: u32, target: u32): void {
  let slot = target + Role.Rules
  while (load<u32>(slot) !== rule) slot = load<u32>(slot) + Rule.NextOfTarget
  store<u32>(slot, ruleAt(rule).nextOfTarget)
}
