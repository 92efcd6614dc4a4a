// Memberships: who belongs to a tenant without a role in it. `user.tenants` and `tenant.*` read them (D6); no role comes of them.
//
// INVARIANT: a member is in the table once, in its user's list once and in its tenant's list once.
import { Grant, Header, Instance, MEMBER_BYTES, Member, Party, Table } from './abi'
import { count } from './compare'
import { findGrant, grantHash } from './grants'
import { addToField, allocate, release } from './memory'
import { bucketOf, insert, matches, overflowOf, recordAt, remove } from './table'

export function findMember(user: u32, tenant: u32): u32 {
  const hash = grantHash(user, tenant)
  let bucket = bucketOf(Table.Members, hash)
  do {
    let found = matches(bucket, hash)
    while (found !== 0) {
      const member = recordAt(bucket, ctz<u32>(found))
      if (load<u32>(member, Member.User) === user && load<u32>(member, Member.Tenant) === tenant) return member
      found &= found - 1
    }
    bucket = overflowOf(bucket)
  } while (bucket !== 0)
  return 0
}

export function join(user: u32, tenant: u32): void {
  if (findMember(user, tenant) !== 0) return
  const member = allocate(MEMBER_BYTES)
  store<u32>(member, user, Member.User)
  store<u32>(member, tenant, Member.Tenant)
  link(member, user, Member.NextOfUser, Member.PreviousOfUser)
  link(member, tenant, Member.NextOfTenant, Member.PreviousOfTenant)
  insert(Table.Members, grantHash(user, tenant), member)
  addToField(Header.Members, 1)
}

export function leave(user: u32, tenant: u32): void {
  const member = findMember(user, tenant)
  if (member !== 0) deleteMember(member)
}

function deleteMember(member: u32): void {
  const user = load<u32>(member, Member.User)
  const tenant = load<u32>(member, Member.Tenant)
  unlink(member, user, Member.NextOfUser, Member.PreviousOfUser)
  unlink(member, tenant, Member.NextOfTenant, Member.PreviousOfTenant)
  remove(Table.Members, grantHash(user, tenant), member)
  release(member, MEMBER_BYTES)
  addToField(Header.Members, -1)
}

/** A user or a tenant is gone. */
export function deleteMembersOf(party: u32): void {
  for (;;) {
    const member = load<u32>(party, Party.Members)
    if (member === 0) return
    deleteMember(member)
  }
}

function link(member: u32, party: u32, next: u32, previous: u32): void {
  const head = load<u32>(party, Party.Members)
  store<u32>(member + next, head)
  if (head !== 0) store<u32>(head + previous, member)
  store<u32>(party, member, Party.Members)
}

function unlink(member: u32, party: u32, nextField: u32, previousField: u32): void {
  const next = load<u32>(member + nextField)
  const previous = load<u32>(member + previousField)
  if (next !== 0) store<u32>(next + previousField, previous)
  if (previous !== 0) store<u32>(previous + nextField, next)
  else store<u32>(party, next, Party.Members)
}

/** D6: has the user a membership of the tenant, or a role in it or on an instance of it? */
export function belongs(user: u32, tenant: u32): bool {
  if (findGrant(user, tenant) !== 0 || findMember(user, tenant) !== 0) return true
  for (let grant = load<u32>(user, Party.Grants); grant !== 0; grant = load<u32>(grant, Grant.NextOfUser)) {
    if (!count(1)) return false
    if (tenantOfScope(load<u32>(grant, Grant.Scope)) === tenant) return true
  }
  return false
}

/** The tenant itself, or that of the instance. */
export function tenantOfScope(scope: u32): u32 {
  return (load<u8>(scope, 2) as u32) === Table.Tenants ? scope : load<u32>(scope, Instance.Tenant)
}
