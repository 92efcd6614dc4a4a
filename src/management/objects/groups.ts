// Groups, composed of instances, roles and relations. A group is an instance of a resource type with the role `member`;
// a member is a user with that role on the instance; a role of a group is a relation, a tuple and a derivation from
// `member`. A group inside another group has the role `member` on it.

import type { Group } from '../../kinds/group.ts'
import { put, remove } from '../../log/change.ts'
import { ZerohopError } from '../../model/errors.ts'
import { instanceKey, partKey, tupleKey } from '../../model/objects.ts'
import { Draft } from '../../store/draft.ts'
import type { Decided, Mint, View } from '../../store/view.ts'
import { afterInstance } from '../rules/cascade.ts'
import { keepForOthers, removeOwnPart } from '../rules/claims.ts'
import { create, erase, locate, onlyObject, type Written } from '../rules/collection.ts'
import { BODY, type Path, type Sent } from '../rules/fields.ts'
import type { OverStored } from '../rules/payload.ts'
import type { SentTimes } from '../schemas/field-members.ts'
import type { GroupCreate, GroupRole } from '../schemas/groups.ts'
import type { SentGrant } from '../schemas/role-assignments.ts'
import { addDerivation } from './derivations.ts'
import { createInstance, requireTenant } from './instances.ts'
import { createRelation, relations } from './relations.ts'
import { createResourceRole } from './resource-roles.ts'
import { resources } from './resources.ts'
import { unassign, writeAssignment } from './role-assignments.ts'
import { writeTuple } from './tuples.ts'

/** The role of the members of a group. */
export const MEMBER = 'member'
const GROUP_TYPE = 'group'

/** A role on one instance; without a tenant it is that of the instance. */
type RoleOnInstance = Omit<GroupRole, 'tenant'> & { readonly tenant?: Sent<string> }
interface InGroup {
  /** id, `type:key` or key of the group */
  readonly group: string
}
type GroupUser = InGroup & { readonly user: string; readonly tenant?: Sent<string> }

/** The relation over which members of groups of a type have a role. */
export const groupRelation = (groupType: string, role: string): string => `${groupType}_group_${role}`

/**
 * A group by id or `type:key`, or by key alone where only one has it: a name must not change its meaning.
 * @throws OBJECT_NOT_FOUND, GROUP_AMBIGUOUS
 */
export function requireGroup(view: View, ref: string, path?: Path): Group {
  const place = path === undefined ? {} : { path }
  const exact = view.find('group', ref)
  if (exact) return exact
  const [found, other] = view.by('groups_named', ref, { limit: 2 })
  if (found === undefined) throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'group', ref }, place)
  if (other === undefined) return found
  throw new ZerohopError('GROUP_AMBIGUOUS', { key: ref, one: found.key, other: other.key }, place)
}

/** Creates the instance of a group and, when missing, the resource type and its role `member`. @throws OBJECT_EXISTS */
export function createGroup(view: View, input: GroupCreate, mint: Mint): Decided<Group> {
  const draft = new Draft(view)
  const type = input.group_resource_type_key ?? GROUP_TYPE
  const typePath = [...BODY, 'group_resource_type_key']
  const resource =
    draft.find('resource', type) ?? draft.take(create(resources, draft, { key: type }, mint, { keyPath: typePath }))
  if (draft.get('resource_role', partKey(resource.key, MEMBER)) === undefined) {
    draft.take(createResourceRole(draft, { resource: resource.key, role: { key: MEMBER } }, mint))
  }
  const paths = { key: [...BODY, 'group_instance_key'], tenant: [...BODY, 'group_tenant'] }
  const tenant = draft.require('tenant', input.group_tenant, paths.tenant).key
  const of = { key: input.group_instance_key, resource: resource.key, tenant }
  const { id, key, instance } = draft.take(createInstance(draft, of, mint, paths.key))
  const group: Group = { id, key, created_at: mint.now, updated_at: mint.now, resource: resource.key, instance, tenant }
  draft.stage([put('group', group)])
  return { changes: draft.changes(), result: group }
}

/** Removes the group's instance, and with it its members and roles. */
export function deleteGroup(view: View, { group: ref }: InGroup, mint: Mint): Decided<null> {
  const { key, resource } = requireGroup(view, ref)
  const kept = keepForOthers('resource_instance', view.require('resource_instance', key), mint)
  if (kept !== undefined) return kept
  const draft = new Draft(view)
  const tuples = [...view.by('tuples_of_subject', key)]
  draft.stage([...afterInstance(draft, key), remove('resource_instance', key)])
  for (const { object, relation } of tuples) sweep(draft, resource, partKey(instanceType(object), relation), mint)
  return { changes: draft.changes(), status: 204, result: null }
}

/**
 * Makes the user a member, for the times that are sent. Of one that is a member already, only what is sent of the times
 * and notes changes.
 * @throws TENANT_MISMATCH
 */
export function addGroupUser(view: View, input: GroupUser & SentGrant, mint: Mint): Decided<Group> {
  const { group, user } = requireMember(view, input)
  const { valid_from, valid_until, reason, ticket } = input
  const assigned = { user, role: MEMBER, resource_instance: group.key, valid_from, valid_until, reason, ticket }
  return { changes: writeAssignment(view, assigned, mint, 'add').changes, result: group }
}

/** @throws OBJECT_NOT_FOUND when the user is not a member, TENANT_MISMATCH */
export function removeGroupUser(view: View, input: GroupUser, mint: Mint): Decided<null> {
  const { group, user } = requireMember(view, input)
  return { ...unassign(view, { user, role: MEMBER, resource_instance: group.key }, mint), result: null }
}

function requireMember(view: View, input: GroupUser): { readonly group: Group; readonly user: string } {
  const group = requireGroup(view, input.group)
  requireTenant(view, view.require('resource_instance', group.key), input.tenant)
  return { group, user: view.require('user', input.user).key }
}

/** A role on an instance, or membership of another group, which is its role `member`. */
export type GroupLink = InGroup & ({ readonly role: RoleOnInstance } | ({ readonly into: string } & SentTimes))

/**
 * Gives all members of the group a role on an instance, for the times that are sent. Where the group has it already, only
 * what is sent of the times changes.
 */
export const addGroupRole = (view: View, input: GroupLink, mint: Mint): Decided<Group> =>
  onlyObject(writeGroupRole(view, input, mint, 'add'))

/** @throws OBJECT_EXISTS, of the tuple */
export function writeGroupRole(view: View, input: GroupLink, mint: Mint, over: OverStored): Decided<Written<Group>> {
  const draft = new Draft(view)
  const { group, sent, relation, role, object } = resolveLink(draft, input)
  const of = { resource: role.resource, ref: role.role }
  if (draft.get('relation', partKey(role.resource, relation)) === undefined) {
    const made = { key: relation, subject_resource: group.resource }
    draft.take(createRelation(draft, { resource: role.resource, relation: made }, mint))
  }
  const rule = { role: MEMBER, on_resource: group.resource, linked_by_relation: relation }
  const rules = draft.get('resource_role', role.key)?.granted_to?.users_with_role ?? []
  const known = rules.some((one) => one.linked_by_relation === relation && one.role === MEMBER)
  if (!known) draft.take(addDerivation(draft, { ...of, rule }, mint))
  const { tenant = null, valid_from, valid_until } = sent
  const tuple = { subject: group.key, relation, object, tenant, valid_from, valid_until }
  const { created } = draft.take(writeTuple(draft, tuple, mint, over))
  return { changes: draft.changes(), result: { object: group, created } }
}

/** @throws OBJECT_NOT_FOUND when the group does not have the role there */
export function removeGroupRole(view: View, input: GroupLink, mint: Mint): Decided<null> {
  const draft = new Draft(view)
  const { group, relation, role, object } = resolveLink(draft, input)
  const tuple = draft.get('relationship_tuple', tupleKey(group.key, relation, object))
  if (tuple === undefined) {
    throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'role of the group', ref: `${object}#${role.role}` })
  }
  const { changes, ...warned } = removeOwnPart('relationship_tuple', draft, tuple, mint)
  draft.stage(changes)
  sweep(draft, group.resource, partKey(role.resource, relation), mint)
  return { changes: draft.changes(), ...warned, status: 204, result: null }
}

/** The key of the tuple by which the group has the role. @throws OBJECT_NOT_FOUND for what it names */
export function keyOfGroupRole(view: View, input: GroupLink): string {
  const { group, relation, object } = resolveLink(view, input)
  return tupleKey(group.key, relation, object)
}

function membership(
  view: View,
  group: Group,
  { into: ref, ...times }: { readonly into: string } & SentTimes,
): RoleOnInstance {
  const path = [...BODY, 'group_instance_key']
  const into = requireGroup(view, ref, path)
  if (group.key !== into.key) {
    return { role: MEMBER, resource: into.resource, resource_instance: into.key, ...times }
  }
  throw new ZerohopError('INPUT_INVALID', { reason: 'a group is no member of itself' }, { path })
}

/** The relation, tuple and derivation that give a group a role on an instance. */
function resolveLink(view: View, input: GroupLink) {
  const group = requireGroup(view, input.group)
  const sent = 'role' in input ? input.role : membership(view, group, input)
  const { role: roleRef, resource: resourceRef, resource_instance: ref } = sent
  const resource = view.require('resource', resourceRef, [...BODY, 'resource']).key
  const role = locate(view, 'resource_role', roleRef, resource, [...BODY, 'role'])
  const object = view.find('resource_instance', ref)?.key ?? (ref.includes(':') ? ref : instanceKey(resource, ref))
  if (instanceType(object) !== resource) {
    const path = [...BODY, 'resource_instance']
    throw new ZerohopError('INPUT_INVALID', { reason: `the instance is not of resource \`${resource}\`` }, { path })
  }
  return { group, sent, relation: groupRelation(group.resource, role.role), role, object }
}

/** Removes a relation that was created for groups, with its derivation, when no tuple uses it any more. */
function sweep(draft: Draft, groupType: string, key: string, mint: Mint): void {
  const relation = draft.get('relation', key)
  if (!relation?.relation.startsWith(groupRelation(groupType, '')) || draft.countBy('tuples_of_relation', key) > 0)
    return
  draft.take(erase(relations, draft, { ref: relation.id }, mint, { of: relation.resource }))
}

function instanceType(instance: string): string {
  return instance.slice(0, instance.indexOf(':'))
}
