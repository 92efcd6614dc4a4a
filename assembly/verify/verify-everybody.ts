// The party that stands for everybody (D16): no user has its key, and it has grants and nothing else.
import { FLAG_LIVE, Principal, SymbolRecord } from '../abi'
import { Table } from '../limits'
import { hashBytes, lookup } from '../memory/symbols'
import { EVERYBODY_BYTES, everybody, hasKeyOfEverybody } from '../policy/everybody'
import { inHeap, isLiveSymbol } from './bounds'

export function verifyEverybody(): bool {
  const party = everybody()
  if (party === 0) return true
  if (!inHeap(party, EVERYBODY_BYTES) || !hasKeyOfEverybody(party)) return false
  if ((load<u8>(party, SymbolRecord.Table) as u32) !== Table.Users) return false
  if ((load<u8>(party, SymbolRecord.Flags) as u32) !== FLAG_LIVE) return false
  if (load<u32>(party, Principal.Attributes) !== 0 || load<u32>(party, Principal.Members) !== 0) return false
  const key = party + Principal.Key
  return load<u32>(party, Principal.Grants) !== 0 && lookup(Table.Users, key, 1, hashBytes(key, 1)) === 0
}

/** Is it who may have grants: a live user, or everybody? */
export function isParty(record: u32): bool {
  return (record !== 0 && record === everybody()) || isLiveSymbol(record, Table.Users)
}
