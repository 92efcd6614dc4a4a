// The set rules of each permission (D6): a set of users, a set of resources, and the permission that they give
// together.
//
//   rule  │ permission │ users: set or role │ resources: set or resource │ next, previous of the permission │ … of the side │
//
// INVARIANT: a rule is in the table once, in its permission's list once and in the list of its side of users once
// (set-rule-index.ts).
import { Header, Permission, SET_RULE_BYTES, SetRule, Side } from '../abi'
import { SET_OF_RESOURCES, SET_OF_USERS, Table } from '../limits'
import { link, unlink } from '../memory/lists'
import { addToField, allocate, release } from '../memory/memory'
import { setRuleAt } from '../memory/records'
import { firstMatch, insert, matchedRecord, nextMatch, remove } from '../memory/table'
import { permissionRecord } from './permissions'
import { addToSide, findSide, takeFromSide } from './set-rule-index'

export function setRuleHash(permission: u32, users: u32, resources: u32): u32 {
  let hash = (permission * 0xc2b2ae3d) ^ (users * 0x9e3779b1) ^ (resources * 0x85ebca77)
  hash = (hash ^ (hash >>> 15)) * 0x2c1b3c6d
  return hash ^ (hash >>> 13)
}

export function findSetRule(permission: u32, users: u32, resources: u32): u32 {
  const hash = setRuleHash(permission, users, resources)
  for (let match = firstMatch(Table.SetRules, hash); match !== 0; match = nextMatch(match, hash)) {
    const rule = matchedRecord(match)
    /* canary: parts-of-a-set-rule */
    if (
      setRuleAt(rule).permission === permission &&
      setRuleAt(rule).users === users &&
      setRuleAt(rule).resources === resources
    )
      return rule
  }
  return 0
}

export function addSetRule(permission: u32, users: u32, resources: u32): void {
  if (findSetRule(permission, users, resources) !== 0) return
  const record = permissionRecord(permission)
  const rule = allocate(SET_RULE_BYTES)
  setRuleAt(rule).permission = permission
  setRuleAt(rule).users = users
  setRuleAt(rule).resources = resources
  link(rule, record + Permission.SetRules, SetRule.Next, SetRule.Previous)
  const side = addToSide(permission, SET_OF_USERS, users)
  link(rule, side + Side.Rules, SetRule.NextOfSide, SetRule.PreviousOfSide)
  addToSide(permission, SET_OF_RESOURCES, resources)
  insert(Table.SetRules, setRuleHash(permission, users, resources), rule)
  addToField(Header.SetRules, 1)
}

export function removeSetRule(permission: u32, users: u32, resources: u32): void {
  const rule = findSetRule(permission, users, resources)
  if (rule !== 0) deleteSetRule(rule)
}

function deleteSetRule(rule: u32): void {
  const permission = setRuleAt(rule).permission
  const users = setRuleAt(rule).users
  const resources = setRuleAt(rule).resources
  unlink(rule, permissionRecord(permission) + Permission.SetRules, SetRule.Next, SetRule.Previous)
  const side = findSide(permission, SET_OF_USERS, users)
  unlink(rule, side + Side.Rules, SetRule.NextOfSide, SetRule.PreviousOfSide)
  takeFromSide(side)
  takeFromSide(findSide(permission, SET_OF_RESOURCES, resources))
  remove(Table.SetRules, setRuleHash(permission, users, resources), rule)
  release(rule, SET_RULE_BYTES)
  addToField(Header.SetRules, -1)
}

/** A permission is gone, with its set rules (D11). */
export function deletePermissionSetRules(permission: u32): void {
  for (;;) {
    const rule = load<u32>(permissionRecord(permission), Permission.SetRules)
    if (rule === 0) return
    deleteSetRule(rule)
  }
}
