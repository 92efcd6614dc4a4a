// Everybody (D16): a party that stands in role assignments in the place of a user, and is in no table, so that no look-up, list
// or count finds it as one. It is there as long as it has a grant, and an image without one has nothing of it.
//
// INVARIANT: the header names it exactly while it has a grant. It is live, has the key `*`, and neither attributes nor
// memberships, and no suspension.
import { FLAG_LIVE, Header, Principal, Query, SymbolRecord } from '../abi'
import { Table } from '../limits'
import { allocate, field, release, setField } from '../memory/memory'

/** The sign that no user has as key. */
const KEY: u8 = 0x2a // *
export const EVERYBODY_BYTES: u32 = Principal.Key + 1

/** The party, or 0 while nothing is given to everybody. */
export function everybody(): u32 {
  return field(Header.Everybody)
}

/** The same for a question: 0 also when it is about what users hold themselves. */
export function everybodyAsked(query: u32): u32 {
  const party = everybody()
  return party === 0 || load<u32>(query, Query.OwnAlone) !== 0 ? 0 : party
}

/** Makes the party, which has to get a grant next; returns it. */
export function putEverybody(): u32 {
  const known = everybody()
  if (known !== 0) return known
  const party = allocate(EVERYBODY_BYTES)
  store<u16>(party, 1, SymbolRecord.Meta)
  store<u8>(party, Table.Users as u8, SymbolRecord.Table)
  store<u8>(party, FLAG_LIVE as u8, SymbolRecord.Flags)
  store<u8>(party, KEY, Principal.Key)
  setField(Header.Everybody, party)
  return party
}

/** The party lost a grant: without any it is gone. */
export function dropEverybody(party: u32): void {
  if (party !== everybody() || load<u32>(party, Principal.Grants) !== 0) return
  setField(Header.Everybody, 0)
  release(party, EVERYBODY_BYTES)
}

/** Is it the one sign of its key? Its bytes are known to lie in the heap. */
export function hasKeyOfEverybody(party: u32): bool {
  return load<u16>(party, SymbolRecord.Meta) === 1 && load<u8>(party, Principal.Key) === KEY
}
