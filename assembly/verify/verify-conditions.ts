// The part of `verify` for condition sets, their programs and set rules. Safe on any bytes, as the rest.
import {
  AttributePath,
  CELL_BYTES,
  Cell,
  Composite,
  ConditionSet,
  Header,
  Permission,
  Program,
  Role,
  SET_RULE_BYTES,
  SetRule,
  SIDE_BYTES,
  Side,
  STEP_BYTES,
  Step,
  TALLY,
  Tally,
} from '../abi'
import { Fault, FOREIGN, KEY_BYTES_MAX, Kind, Op, SET_OF_RESOURCES, SET_OF_USERS, Table } from '../limits'
import { field } from '../memory/memory'
import { isLive } from '../memory/symbols'
import { entryRecord, firstEntry, hashOfEntry, nextEntry } from '../memory/table'
import { textLength } from '../memory/values'
import { readsPath, rightIsPath } from '../policy/condition-sets'
import { permissionRecord } from '../policy/permissions'
import { findSide } from '../policy/set-rule-index'
import { findSetRule, setRuleHash } from '../policy/set-rules'
import { inHeap, isLiveSymbol } from './bounds'
import { refersToText, soundComposite } from './verify-values'

export function verifyConditions(): Fault {
  for (let entry = firstEntry(Table.Sets); entry !== 0; entry = nextEntry(Table.Sets, entry)) {
    if (!soundSet(entryRecord(entry))) return Fault.Condition
  }
  return usesOfPaths() === load<u64>(TALLY, Tally.Uses) ? verifySetRules() : Fault.Counter
}

function usesOfPaths(): u64 {
  let counted: u64 = 0
  for (let entry = firstEntry(Table.Paths); entry !== 0; entry = nextEntry(Table.Paths, entry)) {
    counted += load<u32>(entryRecord(entry), AttributePath.Uses) as u64
  }
  return counted
}

function soundSet(set: u32): bool {
  const kind = load<u32>(set, ConditionSet.Kind)
  const resource = load<u32>(set, ConditionSet.Resource)
  const parent = load<u32>(set, ConditionSet.Parent)
  const program = load<u32>(set, ConditionSet.Program)
  const json = load<u32>(set, ConditionSet.Json)
  if (!isLive(set)) return (kind | resource | parent | program | json) === 0
  if (kind !== SET_OF_USERS && kind !== SET_OF_RESOURCES) return false
  if (resource !== 0 && !isLiveSymbol(resource, Table.Resources)) return false
  if (parent !== 0 && !isLiveSymbol(parent, Table.Sets)) return false
  return refersToText(json) && soundProgram(program)
}

function soundProgram(program: u32): bool {
  if (!inHeap(program, Program.Steps)) return false
  const count = load<u32>(program, Program.Count)
  if (count < 2 || count > 0xffff || !inHeap(program, Program.Steps + count * STEP_BYTES)) return false
  const constants = load<u32>(program, Program.Constants)
  if (!soundComposite(constants)) return false
  const length: u32 = constants === 0 ? 0 : load<u32>(constants, Composite.Count)
  for (let at: u32 = 0; at < count; at++) {
    if (!soundStep(program + Program.Steps + at * STEP_BYTES, at, count, constants, length)) return false
  }
  // The last one ends the program, so no step runs over it.
  return (load<u16>(program + Program.Steps + (count - 1) * STEP_BYTES, Step.Op) as u32) === Op.False
}

function countUse(): void {
  store<u64>(TALLY, load<u64>(TALLY, Tally.Uses) + 1, Tally.Uses)
}

function soundStep(step: u32, at: u32, count: u32, constants: u32, length: u32): bool {
  const op = load<u16>(step, Step.Op) as u32
  if (op === 0 || op > (Op.ItemFalse as u32)) return false
  const whenTrue = load<u16>(step, Step.WhenTrue) as u32
  const whenFalse = load<u16>(step, Step.WhenFalse) as u32
  if (op === Op.True || op === Op.False || op >= (Op.ItemTrue as u32)) return true
  if (whenTrue <= at || whenFalse <= at || whenTrue >= count || whenFalse >= count) return false
  if (!readsPath(step)) return true
  countUse()
  if (!isLiveSymbol(load<u32>(step, Step.Left), Table.Paths)) return false
  const right = load<u32>(step, Step.Right)
  if (rightIsPath(step)) {
    countUse()
    return isLiveSymbol(right, Table.Paths)
  }
  const isMatch = op >= (Op.MatchObject as u32)
  if (isMatch && ((load<u16>(step, Step.Flags) as u32) & FOREIGN) === 0) return true
  if (right >= length) return false
  const cell = constants + Composite.Cells + right * CELL_BYTES
  const kind = load<u32>(cell, Cell.Kind)
  if (isMatch) return kind === Kind.Text && textLength(cell) <= (KEY_BYTES_MAX as u32)
  if (op !== Op.Between) return true
  return kind === Kind.List && load<u32>(load<u32>(cell, Cell.Value), Composite.Count) === 2
}

function verifySetRules(): Fault {
  const rules = field(Header.SetRules)
  let found: u32 = 0
  for (let entry = firstEntry(Table.SetRules); entry !== 0; entry = nextEntry(Table.SetRules, entry)) {
    const rule = entryRecord(entry)
    if (!soundSetRule(rule, hashOfEntry(entry))) return Fault.SetRule
    found++
  }
  if (found !== rules) return Fault.Counter
  return countSetRules() === rules && countRulesOfSides() === rules ? Fault.None : Fault.SetRule
}

function soundSetRule(rule: u32, hash: u32): bool {
  if (!inHeap(rule, SET_RULE_BYTES)) return false
  const permission = load<u32>(rule, SetRule.Permission)
  const users = load<u32>(rule, SetRule.Users)
  const resources = load<u32>(rule, SetRule.Resources)
  const record = permissionRecord(permission)
  if (record === 0 || !isLive(record)) return false
  if (setRuleHash(permission, users, resources) !== hash || findSetRule(permission, users, resources) !== rule)
    return false
  if (!isRoleFor(users, record) && !isLiveSymbol(users, Table.Sets)) return false
  if (findSide(permission, SET_OF_RESOURCES, resources) === 0) return false
  return isLiveSymbol(resources, Table.Resources) || isLiveSymbol(resources, Table.Sets)
}

/** Is it a role in tenants, or one on instances of the type of the permission (D17)? */
function isRoleFor(users: u32, permission: u32): bool {
  if (!isLiveSymbol(users, Table.Roles)) return false
  const type = load<u32>(users, Role.Type)
  return type === 0 || type === load<u32>(permission, Permission.Resource)
}

/** Rules over the lists of all permissions; u32.MAX_VALUE when one is broken. */
function countSetRules(): u32 {
  const most = field(Header.SetRules)
  const top = field(Header.PermissionTop)
  let total: u32 = 0
  for (let id: u32 = 1; id <= top; id++) {
    let before: u32 = 0
    let rule = load<u32>(permissionRecord(id), Permission.SetRules)
    for (; rule !== 0; rule = load<u32>(rule, SetRule.Next)) {
      if (++total > most || !inHeap(rule, SET_RULE_BYTES)) return 0xffffffff
      if (load<u32>(rule, SetRule.Permission) !== id || load<u32>(rule, SetRule.Previous) !== before) return 0xffffffff
      before = rule
    }
  }
  return total
}

/** The same over the lists of the sides of users, each as long as it says. */
function countRulesOfSides(): u32 {
  const most = field(Header.SetRules)
  let total: u32 = 0
  for (let entry = firstEntry(Table.Sides); entry !== 0; entry = nextEntry(Table.Sides, entry)) {
    const side = entryRecord(entry)
    if (!inHeap(side, SIDE_BYTES)) return 0xffffffff
    const end = total + load<u32>(side, Side.Count)
    if (load<u32>(side, Side.Kind) !== SET_OF_USERS) {
      if (load<u32>(side, Side.Rules) !== 0) return 0xffffffff
      continue
    }
    let before: u32 = 0
    for (let rule = load<u32>(side, Side.Rules); rule !== 0; rule = load<u32>(rule, SetRule.NextOfSide)) {
      if (++total > most || !inHeap(rule, SET_RULE_BYTES)) return 0xffffffff
      if (load<u32>(rule, SetRule.PreviousOfSide) !== before) return 0xffffffff
      if (load<u32>(rule, SetRule.Permission) !== load<u32>(side, Side.Permission)) return 0xffffffff
      if (load<u32>(rule, SetRule.Users) !== load<u32>(side, Side.Set)) return 0xffffffff
      before = rule
    }
    if (total !== end) return 0xffffffff
  }
  return total
}
