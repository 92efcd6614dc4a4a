// When users are suspended (D16): one record for each user that has the flag.
import { Header, SUSPENSION_BYTES, Suspension } from '../abi'
import { Fault, Table } from '../limits'
import { field } from '../memory/memory'
import { entryRecord, firstEntry, hashOfEntry, nextEntry } from '../memory/table'
import { findSuspension, hasSuspension, suspensionHash } from '../policy/suspensions'
import { hasTimes } from '../policy/times'
import { areTimes, inHeap, isLiveSymbol } from './bounds'

export function verifySuspensions(): Fault {
  let found: u32 = 0
  let timed: u32 = 0
  for (let entry = firstEntry(Table.Suspensions); entry !== 0; entry = nextEntry(Table.Suspensions, entry)) {
    const record = entryRecord(entry)
    if (!inHeap(record, SUSPENSION_BYTES)) return Fault.Suspension
    const user = load<u32>(record, Suspension.User)
    if (!isLiveSymbol(user, Table.Users) || !hasSuspension(user)) return Fault.Suspension
    if (suspensionHash(user) !== hashOfEntry(entry) || findSuspension(user) !== record) return Fault.Suspension
    const from = load<f64>(record, Suspension.From)
    const until = load<f64>(record, Suspension.Until)
    if (hasTimes(from, until)) {
      if (!areTimes(from, until)) return Fault.Suspension
      timed++
    } else if (from !== -Infinity || until !== Infinity) return Fault.Suspension
    found++
  }
  if (timed !== field(Header.TimedSuspensions)) return Fault.Counter
  return countFlags() === found ? Fault.None : Fault.Suspension
}

/** Users with the flag. */
function countFlags(): u32 {
  let flags: u32 = 0
  for (let entry = firstEntry(Table.Users); entry !== 0; entry = nextEntry(Table.Users, entry)) {
    if (hasSuspension(entryRecord(entry))) flags++
  }
  return flags
}
