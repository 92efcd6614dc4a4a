// Symbols: key bytes ↔ record, one table for each kind. An id belongs to a key: deleting an object only marks its
// record dead, re-creation finds the same record, and another key never gets it. A check only finds, it never interns.
//
//   record  │ key length u16 · table u8 · flags u8 │ fields of the kind … │ key bytes, padded to 4 │
import {
  AttributePath,
  ConditionSet,
  Document,
  FLAG_LIVE,
  Header,
  Instance,
  Permission,
  Principal,
  Relation,
  Resource,
  Role,
  SymbolRecord,
} from '../abi'
import { Order, Table } from '../limits'
import { assertSymbol } from './checked'
import { insertOrdered } from './key-order'
import { addToField, allocate, blockBytes } from './memory'
import { firstMatch, insert, matchedRecord, nextMatch } from './table'

/** Where the key begins in a record of this table; also the size of the record without it. */
export function keyOffset(table: u32): u32 {
  switch (table) {
    case Table.Roles:
      return Role.Key
    case Table.Resources:
      return Resource.Key
    case Table.Permissions:
      return Permission.Key
    case Table.Instances:
      return Instance.Key
    case Table.Relations:
      return Relation.Key
    case Table.Paths:
      return AttributePath.Key
    case Table.Sets:
      return ConditionSet.Key
    case Table.Documents:
      return Document.Key
    default:
      return Principal.Key
  }
}

/** The header field that counts what is live in a table of symbols. */
export function counterField(table: u32): u32 {
  switch (table) {
    case Table.Users:
      return Header.Users
    case Table.Tenants:
      return Header.Tenants
    case Table.Roles:
      return Header.Roles
    case Table.Resources:
      return Header.Resources
    case Table.Instances:
      return Header.Instances
    case Table.Relations:
      return Header.Relations
    case Table.Paths:
      return Header.Paths
    case Table.Sets:
      return Header.Sets
    case Table.Documents:
      return Header.Documents
    default:
      return Header.Permissions
  }
}

/** Hash of key bytes, 8 at a time. */
export function hashBytes(start: u32, length: u32): u32 {
  let hash: u64 = (length as u64) * 0x9e3779b97f4a7c15
  let at = start
  let left = length
  while (left >= 8) {
    hash = mix(hash ^ load<u64>(at))
    at += 8
    left -= 8
  }
  if (left >= 4) {
    hash = mix(hash ^ (load<u32>(at) as u64))
    at += 4
    left -= 4
  }
  let tail: u64 = 0
  while (left > 0) {
    tail = (tail << 8) | (load<u8>(at) as u64)
    at++
    left--
  }
  hash = mix(hash ^ tail)
  return (hash ^ (hash >> 32)) as u32
}

function mix(value: u64): u64 {
  const product = value * 0xbf58476d1ce4e5b9
  return product ^ (product >> 29)
}

export function sameBytes(left: u32, right: u32, length: u32): bool {
  let offset: u32 = 0
  while (offset + 8 <= length) {
    if (load<u64>(left + offset) !== load<u64>(right + offset)) return false
    offset += 8
  }
  while (offset < length) {
    if (load<u8>(left + offset) !== load<u8>(right + offset)) return false
    offset++
  }
  return true
}

export function keyLength(record: u32): u32 {
  return load<u16>(record, SymbolRecord.Meta) as u32
}

export function isLive(record: u32): bool {
  return (load<u8>(record, SymbolRecord.Flags) & FLAG_LIVE) !== 0
}

/** The record of the key at `start`, dead or live; 0 when the key was never seen. */
export function lookup(table: u32, start: u32, length: u32, hash: u32): u32 {
  const offset = keyOffset(table)
  for (let match = firstMatch(table, hash); match !== 0; match = nextMatch(match, hash)) {
    const record = matchedRecord(match)
    if (!ASC_NO_ASSERT) assertSymbol(record, table)
    if (
      keyLength(record) === /* canary: length-of-a-key */ length &&
      /* canary: bytes-of-a-key */ sameBytes(record + offset, start, length)
    )
      return record
  }
  return 0
}

/** The live record of the key at `start`, or 0: what is unknown and what is deleted look the same to a check (D1). */
export function find(table: u32, start: u32, length: u32): u32 {
  const record = lookup(table, start, length, hashBytes(start, length))
  return record !== 0 && isLive(record) ? record : 0
}

/** The record of the key at `start`, made live. */
export function intern(table: u32, start: u32, length: u32): u32 {
  const hash = hashBytes(start, length)
  let record = lookup(table, start, length, hash)
  if (record === 0) {
    const offset = keyOffset(table)
    record = allocate(offset + length)
    store<u16>(record, length as u16, SymbolRecord.Meta)
    store<u8>(record, table as u8, SymbolRecord.Table)
    memory.copy(record + offset, start, length)
    insert(table, hash, record)
    if (table === Table.Users) insertOrdered(Order.Users, record)
    if (table === Table.Instances) insertOrdered(Order.Instances, record)
  } else if (isLive(record)) {
    return record
  } else {
    addToField(Header.Dead, -(symbolBytes(table, record) as i32))
  }
  store<u8>(record, FLAG_LIVE as u8, SymbolRecord.Flags)
  addToField(counterField(table), 1)
  return record
}

/** Marks a record dead. The caller has cleared what hangs on it. */
export function tombstone(table: u32, record: u32): void {
  if (!isLive(record)) return
  store<u8>(record, 0, SymbolRecord.Flags)
  addToField(counterField(table), -1)
  addToField(Header.Dead, symbolBytes(table, record) as i32)
}

function symbolBytes(table: u32, record: u32): u32 {
  return blockBytes(keyOffset(table) + keyLength(record))
}
