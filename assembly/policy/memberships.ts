// Memberships: who belongs to a tenant without a role in it. `user.tenants` and `tenant.*` read them (D6); no role
// comes of them.
//
// INVARIANT: a member is in the table once, in its user's list once and in its tenant's list once.
import { Header, Instance, MEMBER_BYTES, Member, Principal, SymbolRecord } from '../abi'
import { Table } from '../limits'
import { link, unlink } from '../memory/lists'
import { addToField, allocate, release } from '../memory/memory'
import { memberAt } from '../memory/records'
import { firstMatch, insert, matchedRecord, nextMatch, remove } from '../memory/table'
import { grantHash } from './grants'

export function findMember(user: u32, tenant: u32): u32 {
  const hash = grantHash(user, tenant)
  for (let match = firstMatch(Table.Members, hash); match !== 0; match = nextMatch(match, hash)) {
    const member = matchedRecord(match)
    /* canary: parts-of-a-membership */
    if (memberAt(member).user === user && memberAt(member).tenant === tenant) return member
  }
  return 0
}

export function join(user: u32, tenant: u32): void {
  if (findMember(user, tenant) !== 0) return
  const member = allocate(MEMBER_BYTES)
  memberAt(member).user = user
  memberAt(member).tenant = tenant
  link(member, user + Principal.Members, Member.NextOfUser, Member.PreviousOfUser)
  link(member, tenant + Principal.Members, Member.NextOfTenant, Member.PreviousOfTenant)
  insert(Table.Members, grantHash(user, tenant), member)
  addToField(Header.Members, 1)
}

export function leave(user: u32, tenant: u32): void {
  const member = findMember(user, tenant)
  if (member !== 0) deleteMember(member)
}

function deleteMember(member: u32): void {
  const user = memberAt(member).user
  const tenant = memberAt(member).tenant
  unlink(member, user + Principal.Members, Member.NextOfUser, Member.PreviousOfUser)
  unlink(member, tenant + Principal.Members, Member.NextOfTenant, Member.PreviousOfTenant)
  remove(Table.Members, grantHash(user, tenant), member)
  release(member, MEMBER_BYTES)
  addToField(Header.Members, -1)
}

/** A user or a tenant is gone. */
export function deletePartyMembers(party: u32): void {
  for (;;) {
    const member = load<u32>(party, Principal.Members)
    if (member === 0) return
    deleteMember(member)
  }
}

/** The tenant itself, or that of the instance. */
export function tenantOfScope(scope: u32): u32 {
  return (load<u8>(scope, SymbolRecord.Table) as u32) === Table.Tenants ? scope : load<u32>(scope, Instance.Tenant)
}
