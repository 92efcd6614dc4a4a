// The part of `verify` for instances, tuples, resource roles and the rules that derive them. Safe on any bytes, as the
// rest: tables and symbols are known to be sound when it begins, lists are not.
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
import { Fault, Table } from '../limits'
import { field } from '../memory/memory'
import { isLive } from '../memory/symbols'
import { bucketCount, entryRecord, firstEntry, hashOfEntry, nextEntry, rootAddress } from '../memory/table'
import { findTupleStored, tupleHash, tupleRelation } from '../policy/relations'
import { areTimes, inHeap, isLiveSymbol, isSymbol } from './bounds'

export function verifyRelations(): Fault {
  if (!soundTuples()) return Fault.Tuple
  if (!soundInstances()) return Fault.Instance
  const tuples = field(Header.Tuples)
  const ofObjects = countTuples(Instance.Objects, Tuple.Object, Tuple.NextOfObject, Tuple.PreviousOfObject)
  if (ofObjects !== tuples) return Fault.Tuple
  const ofSubjects = countTuples(Instance.Subjects, Tuple.Subject, Tuple.NextOfSubject, Tuple.PreviousOfSubject)
  if (ofSubjects !== tuples) return Fault.Tuple
  if (!soundTypes() || !soundRules()) return Fault.Rule
  return soundUses() ? Fault.None : Fault.Counter
}

function soundTuples(): bool {
  let tuples: u32 = 0
  let timed: u32 = 0
  for (let entry = firstEntry(Table.Tuples); entry !== 0; entry = nextEntry(Table.Tuples, entry)) {
    const tuple = entryRecord(entry)
    if (!inHeap(tuple, TUPLE_BYTES)) return false
    const relation = tupleRelation(tuple)
    const subject = load<u32>(tuple, Tuple.Subject)
    const object = load<u32>(tuple, Tuple.Object)
    if (tupleHash(relation, subject, object) !== hashOfEntry(entry)) return false
    if (findTupleStored(relation, subject, object) !== tuple) return false
    if (!isLiveSymbol(relation, Table.Relations)) return false
    if (!isLiveSymbol(subject, Table.Instances) || !isLiveSymbol(object, Table.Instances)) return false
    if ((load<u32>(tuple, Tuple.Relation) & TIMED) !== 0) {
      if (!inHeap(tuple, TIMED_TUPLE_BYTES)) return false
      if (!areTimes(load<f64>(tuple, TimedTuple.From), load<f64>(tuple, TimedTuple.Until))) return false
      timed++
    }
    tuples++
  }
  return tuples === field(Header.Tuples) && timed === field(Header.TimedTuples)
}

function soundInstances(): bool {
  for (let entry = firstEntry(Table.Instances); entry !== 0; entry = nextEntry(Table.Instances, entry)) {
    if (!soundInstance(entryRecord(entry))) return false
  }
  return true
}

function soundInstance(instance: u32): bool {
  const tenant = load<u32>(instance, Instance.Tenant)
  const type = load<u32>(instance, Instance.Type)
  if (!isLive(instance)) {
    const lists = load<u32>(instance, Principal.Grants) | load<u32>(instance, Instance.Objects)
    return tenant === 0 && (lists | load<u32>(instance, Instance.Subjects)) === 0 && isSymbol(type, Table.Resources)
  }
  return isLiveSymbol(tenant, Table.Tenants) && isLiveSymbol(type, Table.Resources)
}

/** Tuples over one kind of list of all instances; u32.MAX_VALUE when a list is broken. */
function countTuples(head: u32, owner: u32, next: u32, previous: u32): u32 {
  const most = field(Header.Tuples)
  let total: u32 = 0
  for (let entry = firstEntry(Table.Instances); entry !== 0; entry = nextEntry(Table.Instances, entry)) {
    const instance = entryRecord(entry)
    let before: u32 = 0
    for (let tuple = load<u32>(instance + head); tuple !== 0; tuple = load<u32>(tuple + next)) {
      if (++total > most || !inHeap(tuple, TUPLE_BYTES)) return 0xffffffff
      if (load<u32>(tuple + owner) !== instance || load<u32>(tuple + previous) !== before) return 0xffffffff
      before = tuple
    }
  }
  return total
}

/** Every role with a type is in the list of that type once, and nothing else is. */
function soundTypes(): bool {
  let typed: u32 = 0
  let _buckets = bucketCount(Table.Roles)
  for (let entry = firstEntry(Table.Roles); entry !== 0; entry = nextEntry(Table.Roles, entry)) {
    if (load<u32>(entryRecord(entry), Role.Type) !== 0) typed++
  }
  const most = load<u32>(rootAddress(Table.Roles))
  let listed: u32 = 0
  _buckets = bucketCount(Table.Resources)
  for (let entry = firstEntry(Table.Resources); entry !== 0; entry = nextEntry(Table.Resources, entry)) {
    const type = entryRecord(entry)
    let role = load<u32>(type, Resource.Roles)
    for (; role !== 0; role = load<u32>(role, Role.NextOfType)) {
      if (++listed > most || !isSymbol(role, Table.Roles) || load<u32>(role, Role.Type) !== type) return false
    }
  }
  return listed === typed
}

/** Every rule is in its target's list and in its source's, both of them live resource roles. */
function soundRules(): bool {
  const most = field(Header.Rules)
  let derived: u32 = 0
  let deriving: u32 = 0
  for (let entry = firstEntry(Table.Roles); entry !== 0; entry = nextEntry(Table.Roles, entry)) {
    const role = entryRecord(entry)
    let rule = load<u32>(role, Role.Rules)
    for (; rule !== 0; rule = load<u32>(rule, Rule.NextOfTarget)) {
      if (++derived > most || !soundRule(rule) || load<u32>(rule, Rule.Target) !== role) return false
    }
    let before: u32 = 0
    for (rule = load<u32>(role, Role.Sources); rule !== 0; rule = load<u32>(rule, Rule.NextOfSource)) {
      if (++deriving > most || !soundRule(rule) || load<u32>(rule, Rule.Source) !== role) return false
      if (load<u32>(rule, Rule.PreviousOfSource) !== before) return false
      before = rule
    }
  }
  return derived === most && deriving === most
}

function soundRule(rule: u32): bool {
  if (!inHeap(rule, RULE_BYTES) || !isLiveSymbol(load<u32>(rule, Rule.Relation), Table.Relations)) return false
  const target = load<u32>(rule, Rule.Target)
  const source = load<u32>(rule, Rule.Source)
  if (!isLiveSymbol(target, Table.Roles) || !isLiveSymbol(source, Table.Roles)) return false
  return load<u32>(target, Role.Type) !== 0 && load<u32>(source, Role.Type) !== 0
}

/** A relation is live as long as it is used, and the uses are as many as tuples and rules. */
function soundUses(): bool {
  let uses: u64 = 0
  for (let entry = firstEntry(Table.Relations); entry !== 0; entry = nextEntry(Table.Relations, entry)) {
    const relation = entryRecord(entry)
    if (isLive(relation) !== (load<u32>(relation, Relation.Uses) !== 0)) return false
    uses += load<u32>(relation, Relation.Uses) as u64
  }
  return uses === (field(Header.Tuples) as u64) + (field(Header.Rules) as u64)
}
