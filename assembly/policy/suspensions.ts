// When users are suspended (D16): a flag in the record of the user, and a record of its own with the times. Whoever is not
// suspended, as nearly all are, costs a look at the flag.
//
// INVARIANT: a user has the flag exactly when there is a record for it in the table, and only live users have it.
import { FLAG_SUSPENDED, Header, SUSPENSION_BYTES, Suspension, SymbolRecord } from '../abi'
import { Table } from '../limits'
import { addToField, allocate, release } from '../memory/memory'
import { firstMatch, insert, matchedRecord, nextMatch, remove } from '../memory/table'
import { grantHash } from './grants'
import { hasTimes, isInForce } from './times'

export function suspensionHash(user: u32): u32 {
  return grantHash(user, 0)
}

/** Has the user a suspension, in force or not? Who is not stored (0) has none. */
/* inline */
export function hasSuspension(user: u32): bool {
  return user !== 0 && (load<u8>(user, SymbolRecord.Flags) & FLAG_SUSPENDED) !== 0
}

/** When the user is suspended; 0 when there is nothing about it. */
export function findSuspension(user: u32): u32 {
  const hash = suspensionHash(user)
  for (let match = firstMatch(Table.Suspensions, hash); match !== 0; match = nextMatch(match, hash)) {
    const record = matchedRecord(match)
    if (load<u32>(record, Suspension.User) === user) return record
  }
  return 0
}

/** Is the user suspended at the instant of the question? */
/* inline */
export function isSuspended(query: u32, user: u32): bool {
  return hasSuspension(user) && isSuspensionInForce(query, user)
}

function isSuspensionInForce(query: u32, user: u32): bool {
  const record = findSuspension(user)
  if (record === 0) unreachable()
  const from = load<f64>(record, Suspension.From)
  const until = load<f64>(record, Suspension.Until)
  return !hasTimes(from, until) || /* canary: end-of-a-suspension */ isInForce(query, from, until)
}

/** Is it, at every instant? */
export function isAlwaysSuspended(user: u32): bool {
  const record = findSuspension(user)
  return record !== 0 && !hasTimes(load<f64>(record, Suspension.From), load<f64>(record, Suspension.Until))
}

/** Suspends the user at these times, instead of others. */
export function suspend(user: u32, from: f64, until: f64): void {
  let record = findSuspension(user)
  if (record === 0) {
    record = allocate(SUSPENSION_BYTES)
    store<u32>(record, user, Suspension.User)
    insert(Table.Suspensions, suspensionHash(user), record)
    store<u8>(user, load<u8>(user, SymbolRecord.Flags) | (FLAG_SUSPENDED as u8), SymbolRecord.Flags)
  } else countTimed(record, -1)
  store<f64>(record, from, Suspension.From)
  store<f64>(record, until, Suspension.Until)
  countTimed(record, 1)
}

/** Ends the suspension of a user; does nothing without one. */
export function resume(user: u32): void {
  if (!hasSuspension(user)) return
  const record = findSuspension(user)
  countTimed(record, -1)
  remove(Table.Suspensions, suspensionHash(user), record)
  release(record, SUSPENSION_BYTES)
  store<u8>(user, load<u8>(user, SymbolRecord.Flags) & ~(FLAG_SUSPENDED as u8), SymbolRecord.Flags)
}

function countTimed(record: u32, by: i32): void {
  if (hasTimes(load<f64>(record, Suspension.From), load<f64>(record, Suspension.Until)))
    addToField(Header.TimedSuspensions, by)
}
