// What every part of `verify` asks of an address before it reads there. Safe on any bytes.
import { HEAP, Header } from '../abi'
import { field } from '../memory/memory'
import { hashBytes, isLive, keyLength, keyOffset, lookup } from '../memory/symbols'
import { hasTimes } from '../policy/times'

/** The largest whole number that is exact, with all below it. */
const INSTANT_MAX: f64 = 9007199254740991

/** Is [address, address + bytes) inside the heap and on a multiple of 4? */
export function inHeap(address: u32, bytes: u32): bool {
  const top = field(Header.Top)
  return (address & 3) === 0 && address >= (HEAP as u32) && bytes <= top && address <= top - bytes
}

/** Is this the record of a symbol of that table? */
export function isSymbol(record: u32, table: u32): bool {
  const offset = keyOffset(table)
  if (!inHeap(record, offset) || !inHeap(record, offset + keyLength(record))) return false
  const start = record + offset
  const length = keyLength(record)
  return lookup(table, start, length, hashBytes(start, length)) === record
}

/** Times as a record has them: whole milliseconds, one of them perhaps unbounded, and the first before the second. */
export function areTimes(from: f64, until: f64): bool {
  return hasTimes(from, until) && from < until && isInstant(from) && isInstant(until)
}

/** NaN is refused. */
function isInstant(time: f64): bool {
  return time === -Infinity || time === Infinity || (Math.abs(time) <= INSTANT_MAX && Math.floor(time) === time)
}

export function isLiveSymbol(record: u32, table: u32): bool {
  return isSymbol(record, table) && isLive(record)
}
