// Records as classes without a header: `grantAt(grant).scope` is a load or a store of the field at its offset in abi.ts,
// and costs nothing else. Addresses stay numbers everywhere else. A field that was moved here or in abi.ts alone is an
// error of the compiler. Lists behind a record (RoleSet.Roles) are read with `load`.
//
// In the debug build scripts/checked-sources.mjs checks these accesses as it checks `load` and `store`. For that they
// are written as `grantAt(address).field` or `grantAt(address).field = value`, and never kept in a variable.
import {
  GRANT_BYTES,
  GROUP_BYTES,
  Grant as GrantAt,
  Group as GroupAt,
  Index as IndexAt,
  MEMBER_BYTES,
  Member as MemberAt,
  RoleSet as RoleSetAt,
  RULE_BYTES,
  Rule as RuleAt,
  SET_RULE_BYTES,
  SetRule as SetRuleAt,
  SIDE_BYTES,
  Side as SideAt,
  TimedRoles as TimedRolesAt,
  TUPLE_BYTES,
  Tuple as TupleAt,
} from '../abi'

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
export class TimedRoles {
  grant: u32
  plain: u32
  count: u32
}
if (offsetof<TimedRoles>('grant') !== TimedRolesAt.Grant) ERROR('TimedRoles.Grant')
if (offsetof<TimedRoles>('plain') !== TimedRolesAt.Plain) ERROR('TimedRoles.Plain')
if (offsetof<TimedRoles>('count') !== TimedRolesAt.Count) ERROR('TimedRoles.Count')
if (offsetof<TimedRoles>() !== TimedRolesAt.Roles) ERROR('TimedRoles.Roles')

export function timedRolesAt(address: u32): TimedRoles {
  return changetype<TimedRoles>(address)
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

@unmanaged
export class Tuple {
  relation: u32
  subject: u32
  object: u32
  nextOfObject: u32
  previousOfObject: u32
  nextOfSubject: u32
  previousOfSubject: u32
}
if (offsetof<Tuple>('relation') !== TupleAt.Relation) ERROR('Tuple.Relation')
if (offsetof<Tuple>('subject') !== TupleAt.Subject) ERROR('Tuple.Subject')
if (offsetof<Tuple>('object') !== TupleAt.Object) ERROR('Tuple.Object')
if (offsetof<Tuple>('nextOfObject') !== TupleAt.NextOfObject) ERROR('Tuple.NextOfObject')
if (offsetof<Tuple>('previousOfObject') !== TupleAt.PreviousOfObject) ERROR('Tuple.PreviousOfObject')
if (offsetof<Tuple>('nextOfSubject') !== TupleAt.NextOfSubject) ERROR('Tuple.NextOfSubject')
if (offsetof<Tuple>('previousOfSubject') !== TupleAt.PreviousOfSubject) ERROR('Tuple.PreviousOfSubject')
if (offsetof<Tuple>() !== TUPLE_BYTES) ERROR('TUPLE_BYTES')

export function tupleAt(address: u32): Tuple {
  return changetype<Tuple>(address)
}

@unmanaged
export class Rule {
  target: u32
  relation: u32
  source: u32
  flags: u32
  nextOfTarget: u32
  nextOfSource: u32
  previousOfSource: u32
}
if (offsetof<Rule>('target') !== RuleAt.Target) ERROR('Rule.Target')
if (offsetof<Rule>('relation') !== RuleAt.Relation) ERROR('Rule.Relation')
if (offsetof<Rule>('source') !== RuleAt.Source) ERROR('Rule.Source')
if (offsetof<Rule>('flags') !== RuleAt.Flags) ERROR('Rule.Flags')
if (offsetof<Rule>('nextOfTarget') !== RuleAt.NextOfTarget) ERROR('Rule.NextOfTarget')
if (offsetof<Rule>('nextOfSource') !== RuleAt.NextOfSource) ERROR('Rule.NextOfSource')
if (offsetof<Rule>('previousOfSource') !== RuleAt.PreviousOfSource) ERROR('Rule.PreviousOfSource')
if (offsetof<Rule>() !== RULE_BYTES) ERROR('RULE_BYTES')

export function ruleAt(address: u32): Rule {
  return changetype<Rule>(address)
}

@unmanaged
export class SetRule {
  permission: u32
  users: u32
  resources: u32
  next: u32
  previous: u32
  nextOfSide: u32
  previousOfSide: u32
}
if (offsetof<SetRule>('permission') !== SetRuleAt.Permission) ERROR('SetRule.Permission')
if (offsetof<SetRule>('users') !== SetRuleAt.Users) ERROR('SetRule.Users')
if (offsetof<SetRule>('resources') !== SetRuleAt.Resources) ERROR('SetRule.Resources')
if (offsetof<SetRule>('next') !== SetRuleAt.Next) ERROR('SetRule.Next')
if (offsetof<SetRule>('previous') !== SetRuleAt.Previous) ERROR('SetRule.Previous')
if (offsetof<SetRule>('nextOfSide') !== SetRuleAt.NextOfSide) ERROR('SetRule.NextOfSide')
if (offsetof<SetRule>('previousOfSide') !== SetRuleAt.PreviousOfSide) ERROR('SetRule.PreviousOfSide')
if (offsetof<SetRule>() !== SET_RULE_BYTES) ERROR('SET_RULE_BYTES')

export function setRuleAt(address: u32): SetRule {
  return changetype<SetRule>(address)
}

@unmanaged
export class Side {
  permission: u32
  kind: u32
  set: u32
  count: u32
  rules: u32
  group: u32
  nextOfGroup: u32
  previousOfGroup: u32
  nextOfSet: u32
  previousOfSet: u32
}
if (offsetof<Side>('permission') !== SideAt.Permission) ERROR('Side.Permission')
if (offsetof<Side>('kind') !== SideAt.Kind) ERROR('Side.Kind')
if (offsetof<Side>('set') !== SideAt.Set) ERROR('Side.Set')
if (offsetof<Side>('count') !== SideAt.Count) ERROR('Side.Count')
if (offsetof<Side>('rules') !== SideAt.Rules) ERROR('Side.Rules')
if (offsetof<Side>('group') !== SideAt.Group) ERROR('Side.Group')
if (offsetof<Side>('nextOfGroup') !== SideAt.NextOfGroup) ERROR('Side.NextOfGroup')
if (offsetof<Side>('previousOfGroup') !== SideAt.PreviousOfGroup) ERROR('Side.PreviousOfGroup')
if (offsetof<Side>('nextOfSet') !== SideAt.NextOfSet) ERROR('Side.NextOfSet')
if (offsetof<Side>('previousOfSet') !== SideAt.PreviousOfSet) ERROR('Side.PreviousOfSet')
if (offsetof<Side>() !== SIDE_BYTES) ERROR('SIDE_BYTES')

export function sideAt(address: u32): Side {
  return changetype<Side>(address)
}

@unmanaged
export class Group {
  index: u32
  hash: u32
  sides: u32
  next: u32
  previous: u32
}
if (offsetof<Group>('index') !== GroupAt.Index) ERROR('Group.Index')
if (offsetof<Group>('hash') !== GroupAt.Hash) ERROR('Group.Hash')
if (offsetof<Group>('sides') !== GroupAt.Sides) ERROR('Group.Sides')
if (offsetof<Group>('next') !== GroupAt.Next) ERROR('Group.Next')
if (offsetof<Group>('previous') !== GroupAt.Previous) ERROR('Group.Previous')
if (offsetof<Group>() !== GROUP_BYTES) ERROR('GROUP_BYTES')

export function groupAt(address: u32): Group {
  return changetype<Group>(address)
}

@unmanaged
export class Index {
  permission: u32
  kind: u32
  next: u32
  previous: u32
  groups: u32
  count: u32
}
if (offsetof<Index>('permission') !== IndexAt.Permission) ERROR('Index.Permission')
if (offsetof<Index>('kind') !== IndexAt.Kind) ERROR('Index.Kind')
if (offsetof<Index>('next') !== IndexAt.Next) ERROR('Index.Next')
if (offsetof<Index>('previous') !== IndexAt.Previous) ERROR('Index.Previous')
if (offsetof<Index>('groups') !== IndexAt.Groups) ERROR('Index.Groups')
if (offsetof<Index>('count') !== IndexAt.Count) ERROR('Index.Count')
if (offsetof<Index>() !== IndexAt.Paths) ERROR('Index.Paths')

export function indexAt(address: u32): Index {
  return changetype<Index>(address)
}
