// The writes of facts that can be repeated: how facts of each kind are written by them (settled-items.ts says what is
// common), and the one use case of all of them. What is written is what the single calls write.
import { ZerohopError } from '../../model/errors.ts'
import type * as t from '../../model/json-schema.ts'
import { BULK_SET_RULES_MAX } from '../../model/limits.ts'
import { instanceKey, membershipKey } from '../../model/objects.ts'
import type { Draft } from '../../store/draft.ts'
import type { Decided, Mint, View } from '../../store/view.ts'
import type { Written } from '../rules/collection.ts'
import { BODY, type Path } from '../rules/fields.ts'
import type { OverStored } from '../rules/payload.ts'
import type { ByTenant } from '../rules/tenant-roles.ts'
import type { MissingUserPolicy } from '../schemas/bulk.ts'
import type { On } from '../schemas/fact-writes.ts'
import type { GroupCreate } from '../schemas/groups.ts'
import type { InstanceCreate } from '../schemas/instances.ts'
import type { InviteCreate, InviteReplace } from '../schemas/invites.ts'
import type { PLAIN_SCHEMAS } from '../schemas/plain-kinds.ts'
import type { MembershipCreate, RoleAssignmentCreate, SentGrant } from '../schemas/role-assignments.ts'
import type { SetRuleCreate } from '../schemas/set-rules.ts'
import type { TupleCreate, TupleDelete } from '../schemas/tuples.ts'
import type { UserCreate } from '../schemas/users.ts'
import { ASSIGNMENTS, hasHolder, INSTANCES, TENANTS, TUPLES, USERS } from './bulk.ts'
import {
  addGroupUser,
  createGroup,
  deleteGroup,
  type GroupLink,
  keyOfGroupRole,
  MEMBER,
  removeGroupRole,
  removeGroupUser,
  requireGroup,
  writeGroupRole,
} from './groups.ts'
import { createInstance, deleteInstance, putInstance, updateInstance } from './instances.ts'
import { createInvite, deleteInvite, replaceInvite } from './invites.ts'
import { giveRoles, keyOfAssignment, putMembership, unassign, writeAssignment } from './role-assignments.ts'
import { deleteSetRule, keyOfSetRule, writeSetRule } from './set-rules.ts'
import {
  type Compared,
  type FactKind,
  type Made,
  type Make,
  makeItems,
  removeItems,
  type Settlement,
  withoutNull,
} from './settled-items.ts'
import { addTenantUser, createTenant, deleteTenant, removeTenantUser, updateTenant } from './tenants.ts'
import { deleteTuple, keyOfTuple, writeTuple } from './tuples.ts'
import { createUser, deleteUser, replaceUser, updateUser } from './users.ts'

type TenantCreate = t.Static<(typeof PLAIN_SCHEMAS)['tenant']['create']>
export type Assignment = RoleAssignmentCreate & { readonly by?: ByTenant }
interface TenantUser {
  readonly tenant: string
  readonly user: UserCreate
}

const fact = <Item, Ref>(of: FactKind<Item, Ref>): FactKind<Item, Ref> => of
const made = <T>(decided: Decided<T>, key: string, created: boolean): Decided<Made> => ({
  ...decided,
  result: { key, created, object: decided.result },
})
const always = <Item>(make: Make<Item>) => ({ one: make, many: make })
const NAMES_OF_LINK = ['group', 'into', 'role', 'resource', 'resource_instance', 'tenant'] as const
const NONE = { changes: [] } as const
const without = (item: object, ...names: readonly string[]): object =>
  Object.fromEntries(Object.entries(item).filter(([name]) => !names.includes(name)))
const written = <T>(decided: Decided<Written<T>>, keyOf: (object: T) => string): Decided<Made> =>
  made({ ...decided, result: decided.result.object }, keyOf(decided.result.object), decided.result.created)
/** A stored object, which the changes would leave as it is. */
const compared = (object: unknown, { changes }: Pick<Decided<unknown>, 'changes'>, agrees = true): Compared => ({
  agrees: agrees && changes.length === 0,
  object,
})

const newUser: Make<UserCreate> = (view, item, mint) => {
  const decided = createUser(view, item, mint)
  return made(decided, decided.result.key, true)
}
const users = fact<UserCreate, string>({
  kind: 'user',
  create: newUser,
  post: always(newUser),
  put: (view, { key, ...fields }, mint) => {
    if (view.get('user', key) === undefined) return newUser(view, { key, ...fields }, mint)
    return written(replaceUser(view, { ref: key, fields }, mint), (user) => user.key)
  },
  compare: (view, key, { key: _, role_assignments: roles, ...fields }, mint) => {
    const user = view.require('user', key)
    const missing = giveRoles(view, user.key, roles ?? [], mint)
    return compared(user, updateUser(view, { ref: user.id, fields: withoutNull(fields) }, mint), missing.length === 0)
  },
  content: (_view, item) => item,
  find: (view, ref) => view.find('user', ref)?.key,
  nameOf: (ref) => ref,
  remove: (view, ref, mint) => deleteUser(view, { ref }, mint),
})

const newTenant: Make<TenantCreate> = (view, item, mint) => {
  const decided = createTenant(view, item, mint)
  return made(decided, decided.result.key, true)
}
const tenants = fact<TenantCreate, string>({
  kind: 'tenant',
  create: newTenant,
  post: always(newTenant),
  put: null,
  compare: (view, key, { key: _, ...fields }, mint) => {
    const tenant = view.require('tenant', key)
    return compared(tenant, updateTenant(view, { ref: tenant.id, fields: withoutNull(fields) }, mint))
  },
  content: (_view, item) => item,
  find: (view, ref) => view.find('tenant', ref)?.key,
  nameOf: (ref) => ref,
  remove: (view, ref, mint) => deleteTenant(view, { ref }, mint),
})

const newInstance: Make<InstanceCreate> = (view, item, mint) => {
  const decided = createInstance(view, item, mint)
  return made(decided, decided.result.key, true)
}
const findTenantKey = (view: View, { tenant }: InstanceCreate) => view.find('tenant', tenant)?.key ?? tenant
const instances = fact<InstanceCreate, string>({
  kind: 'resource_instance',
  create: newInstance,
  post: always(newInstance),
  put: (view, item, mint) => {
    const resource = view.require('resource', item.resource, [...BODY, 'resource']).key
    const isThere = view.get('resource_instance', instanceKey(resource, item.key)) !== undefined
    const decided = putInstance(view, item, mint)
    return made(decided, decided.result.key, !isThere)
  },
  compare: (view, key, item, mint) => {
    const stored = view.require('resource_instance', key)
    const { key: _key, resource: _resource, tenant: _tenant, ...fields } = item
    const changed = updateInstance(view, { ref: stored.id, fields: withoutNull(fields) }, mint)
    return compared(stored, changed, stored.tenant === findTenantKey(view, item))
  },
  content: (view, item) => ({ ...without(item, 'key', 'resource'), tenant: findTenantKey(view, item) }),
  find: (view, ref) => view.find('resource_instance', ref)?.key,
  nameOf: (ref) => ref,
  remove: (view, ref, mint) => deleteInstance(view, { ref }, mint),
})

const assigned =
  (over: OverStored): Make<Assignment> =>
  (view, item, mint) =>
    written(writeAssignment(view, item, mint, over), ({ assignment }) => assignment.key)
const assignments = fact<Assignment, Assignment>({
  kind: 'role_assignment',
  create: assigned('create'),
  post: { one: assigned('create'), many: assigned('create many') },
  put: assigned('put'),
  compare: (view, key, item, mint) => {
    const { changes, result } = writeAssignment(view, item, mint, 'put')
    return compared({ ...result.object, assignment: view.require('role_assignment', key) }, { changes })
  },
  content: (_view, item) => without(item, 'user', 'role', 'tenant', 'resource_instance', 'by'),
  find: keyOfAssignment,
  nameOf: () => null,
  remove: unassign,
  passesOver: true,
})

const related =
  (over: OverStored): Make<TupleCreate> =>
  (view, item, mint) =>
    written(writeTuple(view, item, mint, over), ({ tuple }) => tuple.key)
const tuples = fact<TupleCreate, TupleDelete>({
  kind: 'relationship_tuple',
  create: related('create'),
  post: { one: related('create'), many: related('create many') },
  put: related('put'),
  compare: (view, key, item, mint) => {
    const { changes, result } = writeTuple(view, item, mint, 'put')
    return compared({ ...result.object, tuple: view.require('relationship_tuple', key) }, { changes })
  },
  content: (_view, item) => without(item, 'subject', 'relation', 'object', 'tenant'),
  find: keyOfTuple,
  nameOf: () => null,
  remove: deleteTuple,
})

const ruled: Make<SetRuleCreate> = (view, item, mint) => written(writeSetRule(view, item, mint), ({ key }) => key)
const setRules = fact<SetRuleCreate, SetRuleCreate>({
  kind: 'set_rule',
  create: (view, item, mint) => refuseStored('set_rule', ruled(view, item, mint)),
  post: always(ruled),
  put: ruled,
  compare: (view, key) => compared(view.require('set_rule', key), NONE),
  content: () => ({}),
  find: keyOfSetRule,
  nameOf: () => null,
  remove: deleteSetRule,
})

const joined: Make<MembershipCreate> = (view, item, mint) => written(putMembership(view, item, mint), ({ key }) => key)
const memberships = fact<MembershipCreate, MembershipCreate>({
  kind: 'membership',
  create: joined,
  post: always(joined),
  put: joined,
  compare: (view, key) => compared(view.require('membership', key), NONE),
  content: (_view, item) => without(item, 'user', 'tenant'),
  find: (view, { user, tenant }) => membershipKey(view.require('tenant', tenant).key, view.require('user', user).key),
  nameOf: () => null,
  remove: removeTenantUser,
})

const addedToTenant: Make<TenantUser> = (view, item, mint) => {
  const tenant = view.require('tenant', item.tenant).key
  const key = membershipKey(tenant, item.user.key)
  const isThere = view.get('membership', key) !== undefined
  const decided = addTenantUser(view, item, mint)
  return made({ ...decided, result: decided.result.object }, key, !isThere)
}
/** Users who are created in a tenant, or put into it. */
const tenantUsers = fact<TenantUser, never>({
  kind: 'membership',
  create: (view, item, mint) => refuseStored('membership', addedToTenant(view, item, mint)),
  post: always(addedToTenant),
  put: null,
  compare: (view, _key, item, mint) => {
    const { agrees, object } = users.compare(view, item.user.key, item.user, mint)
    return compared(object, addTenantUser(view, item, mint), agrees)
  },
  content: (_view, item) => item.user,
  find: () => undefined,
  nameOf: () => null,
  remove: () => {
    throw new ZerohopError('INTERNAL')
  },
})

const newGroup: Make<GroupCreate> = (view, item, mint) => {
  const decided = createGroup(view, item, mint)
  return made(decided, decided.result.key, true)
}
const groups = fact<GroupCreate, string>({
  kind: 'resource_instance', // which a group is
  create: newGroup,
  post: always(newGroup),
  put: null,
  compare: (view, key, item) => {
    const group = view.require('group', key)
    return compared(group, NONE, group.tenant === view.require('tenant', item.group_tenant).key)
  },
  content: (_view, item) => item,
  find: (view, ref) => requireGroup(view, ref).key,
  nameOf: (ref) => ref,
  remove: (view, group, mint) => deleteGroup(view, { group }, mint),
})

type GroupUser = SentGrant & { readonly group: string; readonly user: string; readonly tenant?: string | null }
const keyOfMember = (view: View, { group, user }: GroupUser): string => {
  const { key } = requireGroup(view, group)
  return keyOfAssignment(view, { user, role: MEMBER, resource_instance: key })
}
const addedToGroup: Make<GroupUser> = (view, item, mint) => {
  const key = keyOfMember(view, item)
  const isThere = view.get('role_assignment', key) !== undefined
  return made(addGroupUser(view, item, mint), key, !isThere)
}
const groupUsers = fact<GroupUser, GroupUser>({
  kind: 'role_assignment',
  create: addedToGroup,
  post: always(addedToGroup),
  put: addedToGroup,
  compare: (view, _key, { group }) => compared(requireGroup(view, group), NONE),
  content: (_view, item) => without(item, 'group', 'user', 'tenant'),
  find: keyOfMember,
  nameOf: () => null,
  remove: removeGroupUser,
})

const linked =
  (over: OverStored): Make<GroupLink> =>
  (view, item, mint) =>
    written(writeGroupRole(view, item, mint, over), () => keyOfGroupRole(view, item))
/** Roles of groups, and groups in groups. */
const groupRoles = fact<GroupLink, GroupLink>({
  kind: 'relationship_tuple',
  create: linked('create'),
  post: always(linked('add')),
  put: (view, item, mint) => {
    const isThere = view.get('relationship_tuple', keyOfGroupRole(view, item)) !== undefined
    const decided = linked('add')(view, item, mint)
    return made({ ...decided, result: decided.result.object }, decided.result.key, !isThere)
  },
  compare: (view, _key, item, mint) => {
    const { changes, result } = writeGroupRole(view, item, mint, 'put')
    return compared(result.object, { changes })
  },
  content: (_view, item) => without('role' in item ? item.role : item, ...NAMES_OF_LINK),
  find: keyOfGroupRole,
  nameOf: () => null,
  remove: removeGroupRole,
})

const invited: Make<InviteCreate> = (view, item, mint) => {
  const decided = createInvite(view, item, mint)
  return made(decided, decided.result.key, true)
}
const invites = fact<InviteCreate, string>({
  kind: 'user_invite',
  create: invited,
  post: always(invited),
  put: null,
  // as `PUT` would make it: one without an instance is for a role in the tenant
  compare: (view, key, { key: _, ...fields }, mint) => {
    const invite = view.require('user_invite', key)
    const sent = withoutNull(fields) as InviteReplace // what it requires is never null
    return compared(invite, replaceInvite(view, { ref: invite.id, fields: sent }, mint))
  },
  content: (_view, item) => without(item, 'key'),
  find: (view, ref) => view.find('user_invite', ref)?.key,
  nameOf: (ref) => ref,
  remove: (view, ref, mint) => deleteInvite(view, { ref }, mint),
})

/** @throws OBJECT_EXISTS for what was there */
function refuseStored(kind: 'set_rule' | 'membership', decided: Decided<Made>): Decided<Made> {
  const { key, created } = decided.result
  if (!created) throw new ZerohopError('OBJECT_EXISTS', { kind, key })
  return decided
}

const FACTS = {
  users,
  tenants,
  instances,
  assignments,
  tuples,
  set_rules: setRules,
  memberships,
  tenant_users: tenantUsers,
  groups,
  group_users: groupUsers,
  group_roles: groupRoles,
  invites,
} as const
const SIZES: { readonly [N in FactName]: { readonly what: string; readonly limit: number } } = {
  users: USERS,
  tenants: TENANTS,
  instances: INSTANCES,
  assignments: ASSIGNMENTS,
  tuples: TUPLES,
  set_rules: { what: 'set rules', limit: BULK_SET_RULES_MAX },
  memberships: { what: 'memberships', limit: USERS.limit },
  tenant_users: USERS,
  groups: INSTANCES,
  group_users: ASSIGNMENTS,
  group_roles: TUPLES,
  invites: { what: 'user invites', limit: USERS.limit },
}

type Facts = typeof FACTS
export type FactName = keyof Facts
type ItemOf<N extends FactName> = Facts[N] extends FactKind<infer Item, infer _> ? Item : never
type RefOf<N extends FactName> = Facts[N] extends FactKind<infer _, infer Ref> ? Ref : never

interface Call {
  /** where the list of items is in the body; null: the body is the one item, or part of it */
  readonly list: Path | null
  readonly on: On | null
  /** of role assignments */
  readonly missing_user_policy?: MissingUserPolicy
}
export type FactWrite = {
  readonly [N in FactName]:
    | (Call & { readonly fact: N; readonly method: 'POST' | 'PUT'; readonly items: readonly ItemOf<N>[] })
    | (Call & { readonly fact: N; readonly method: 'DELETE'; readonly items: readonly RefOf<N>[] })
}[FactName]

/** Writes facts so that the same call can be sent again. @throws ITEMS_DIFFER, and what the single calls throw */
export function writeFacts(view: View, call: FactWrite, mint: Mint): Decided<Settlement> {
  const { fact: name, method, list, on, missing_user_policy: policy = 'fail' } = call
  const items = { ...SIZES[name], items: call.items as readonly never[], path: list ?? BODY, isOne: list === null, on }
  const kind = FACTS[name] as unknown as FactKind<never, never>
  if (method === 'DELETE') return removeItems(kind, view, items, mint)
  // of role assignments alone: whoever is missing may be created, or passed over
  const admit = (draft: Draft, { user }: Assignment) => hasHolder(draft, user, policy, mint)
  return makeItems(kind, method, view, items, mint, policy === 'fail' ? undefined : admit)
}
