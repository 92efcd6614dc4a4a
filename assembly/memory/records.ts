// Records as classes without a header: `grantAt(grant).scope` is a load or a store of the field at its offset in abi.ts,
// and costs nothing else. Addresses stay numbers everywhere else. A field that was moved here or in abi.ts alone is an
// error of the compiler. Lists behind a record (RoleSet.Roles) are read with `load`.
//
// In the debug build scripts/checked-sources.mjs checks these accesses as it checks `load` and `store`. For that they
// are written as `grantAt(address).field` or `grantAt(address).field = value`, and never kept in a variable.
import { GRANT_BYTES, Grant as GrantAt, RoleSet as RoleSetAt, MEMBER_BYTES, Member as MemberAt } from '../abi'

@unmanaged
export class Grant {
  user: u32
  scope: u32
  roles: u32
  nextOfUser: u32
  previousOfUser: u32
  nextOfScope: u32
  previousOfScope: u32
}
if (offsetof<Grant>('user') !== GrantAt.User) ERROR('Grant.User')
if (offsetof<Grant>('scope') !== GrantAt.Scope) ERROR('Grant.Scope')
if (offsetof<Grant>('roles') !== GrantAt.Roles) ERROR('Grant.Roles')
if (offsetof<Grant>('nextOfUser') !== GrantAt.NextOfUser) ERROR('Grant.NextOfUser')
if (offsetof<Grant>('previousOfUser') !== GrantAt.PreviousOfUser) ERROR('Grant.PreviousOfUser')
if (offsetof<Grant>('nextOfScope') !== GrantAt.NextOfScope) ERROR('Grant.NextOfScope')
if (offsetof<Grant>('previousOfScope') !== GrantAt.PreviousOfScope) ERROR('Grant.PreviousOfScope')
if (offsetof<Grant>() !== GRANT_BYTES) ERROR('GRANT_BYTES')

export function grantAt(address: u32): Grant {
  return changetype<Grant>(address)
}

@unmanaged
export class RoleSet {
  references: u32
  count: u32
  hash: u32
}
if (offsetof<RoleSet>('references') !== RoleSetAt.References) ERROR('RoleSet.References')
if (offsetof<RoleSet>('count') !== RoleSetAt.Count) ERROR('RoleSet.Count')
if (offsetof<RoleSet>('hash') !== RoleSetAt.Hash) ERROR('RoleSet.Hash')
if (offsetof<RoleSet>() !== RoleSetAt.Roles) ERROR('RoleSet.Roles')

export function roleSetAt(address: u32): RoleSet {
  return changetype<RoleSet>(address)
}

@unmanaged
export class Member {
  user: u32
  tenant: u32
  nextOfUser: u32
  previousOfUser: u32
  nextOfTenant: u32
  previousOfTenant: u32
}
if (offsetof<Member>('user') !== MemberAt.User) ERROR('Member.User')
if (offsetof<Member>('tenant') !== MemberAt.Tenant) ERROR('Member.Tenant')
if (offsetof<Member>('nextOfUser') !== MemberAt.NextOfUser) ERROR('Member.NextOfUser')
if (offsetof<Member>('previousOfUser') !== MemberAt.PreviousOfUser) ERROR('Member.PreviousOfUser')
if (offsetof<Member>('nextOfTenant') !== MemberAt.NextOfTenant) ERROR('Member.NextOfTenant')
if (offsetof<Member>('previousOfTenant') !== MemberAt.PreviousOfTenant) ERROR('Member.PreviousOfTenant')
if (offsetof<Member>() !== MEMBER_BYTES) ERROR('MEMBER_BYTES')

export function memberAt(address: u32): Member {
  return changetype<Member>(address)
}
