// The contents of an image as plain data, the form shared by changes, the canonical build and compaction. The same
// contents give the same bytes on every machine, however they came about. src/image/read-records.ts reads them out of a
// kernel.

import type { PolicyKind, PolicyObjects, PolicyPut } from '../kinds/index.ts'
import { roleKeyIn } from '../kinds/kind.ts'
import type { PolicyChange } from '../log/delta.ts'
import { ZerohopError } from '../model/errors.ts'
import { EVERYBODY } from '../model/keys.ts'
import { assignmentKey, membershipKey, parseTenantRole, partKey } from '../model/objects.ts'

/** A rule that derives a role over a relation (D5), with full keys: `object type/relation` and `type/role`. */
export interface RuleContent {
  readonly relation: string
  readonly source: string
  readonly noDirect: boolean
}

/** A role in tenants, of a tenant's own `role@tenant` (D18), or one of a resource type, whose key is `type/role`. */
export interface RoleContent {
  readonly permissions: readonly string[]
  /** full keys */
  readonly extends: readonly string[]
  /** resource roles only; sorted, without duplicates */
  readonly rules?: readonly RuleContent[]
  readonly noDirect?: boolean
}

export type AssignmentContent = PolicyObjects['role_assignment']
export type MembershipContent = PolicyObjects['membership']
export type TupleContent = PolicyObjects['relationship_tuple']
export type InstanceContent = PolicyObjects['resource_instance']
export type ResourceContent = PolicyObjects['resource']

/** A user with what connects it to tenants and instances. */
export interface UserContent {
  readonly value: PolicyObjects['user']
  readonly memberships: MembershipContent[]
  /** in tenants and on instances */
  readonly assignments: AssignmentContent[]
}

/**
 * All objects of an image by key, as they are put: what a put says is then lost by none who passes it on. Not sorted;
 * the build sorts.
 */
export interface Contents {
  readonly resources: Map<string, ResourceContent>
  readonly roles: Map<string, RoleContent>
  readonly tenants: Map<string, PolicyObjects['tenant']>
  readonly users: Map<string, UserContent>
  /** what is assigned to everybody (D16) */
  readonly everybody: AssignmentContent[]
  readonly instances: Map<string, InstanceContent>
  readonly tuples: Map<string, TupleContent>
  readonly sets: Map<string, PolicyObjects['condition_set']>
  readonly setRules: Map<string, PolicyObjects['set_rule']>
  readonly configs: Map<string, PolicyObjects['proxy_config']>
}

export function emptyContents(): Contents {
  return {
    resources: new Map(),
    roles: new Map(),
    tenants: new Map(),
    users: new Map(),
    everybody: [],
    instances: new Map(),
    tuples: new Map(),
    sets: new Map(),
    setRules: new Map(),
    configs: new Map(),
  }
}

/** Whether it is a role on an instance, and not in the tenant. */
export const isOnInstance = ({ resource_instance: instance }: AssignmentContent): boolean =>
  instance !== undefined && instance !== null

/** The full key of the assigned role: of one on an instance `type/role`. */
export const assignedRole = ({ role, resource_instance: instance }: AssignmentContent): string =>
  roleKeyIn(role, instance ?? null)

/** Key of the instance on which the role is assigned, else of the tenant. */
export const assignedScope = ({ tenant, resource_instance: instance }: AssignmentContent): string => instance ?? tenant

/** The type in `type:key`. */
export const typeInInstanceKey = (instance: string): string => instance.slice(0, instance.indexOf(':'))

/** `type:key`, both not empty and without a further colon. */
export function isInstanceKey(key: string): boolean {
  const colon = key.indexOf(':')
  return colon > 0 && colon < key.length - 1 && !key.includes(':', colon + 1)
}

/** The type in `type/role`; undefined for a role in tenants. */
export function typeOfRole(role: string): string | undefined {
  const slash = role.indexOf('/')
  return slash < 0 ? undefined : role.slice(0, slash)
}

export function kindOfRole(role: string): 'role' | 'tenant_role' | 'resource_role' {
  if (typeOfRole(role) !== undefined) return 'resource_role'
  return role.includes('@') ? 'tenant_role' : 'role'
}

/** Why a role may not be assigned there, or extended by a role: it is of another tenant (D18). */
export function foreignRoleFault(role: string, tenant: string | undefined): string | undefined {
  const of = parseTenantRole(role)?.tenant
  return of === undefined || of === tenant ? undefined : `role \`${role}\` is of another tenant`
}

/** A resource role with full keys, its rules sorted and without duplicates. */
export function roleContent(value: PolicyObjects['resource_role']): RoleContent {
  const rules = new Map<string, RuleContent>()
  for (const { role, on_resource, linked_by_relation, when } of value.granted_to?.users_with_role ?? []) {
    const rule = {
      relation: partKey(value.resource, linked_by_relation),
      source: partKey(on_resource, role),
      noDirect: when.no_direct_roles_on_object,
    }
    rules.set(ruleKey(rule), rule)
  }
  return {
    permissions: value.permissions,
    extends: value.extends.map((role) => partKey(value.resource, role)),
    rules: sortedEntries(rules).map(([, rule]) => rule),
    noDirect: value.granted_to?.when.no_direct_roles_on_object ?? false,
  }
}

/** Identifies a rule among those of one role. */
export const ruleKey = ({ relation, source, noDirect }: RuleContent): string => `${relation}:${source}:${noDirect}`

/** Folds changes into contents: the last change of an object wins; deletes remove it. */
export function fold(changes: Iterable<PolicyChange>): Contents {
  const contents = emptyContents()
  const assignments = new Map<string, AssignmentContent>()
  const memberships = new Map<string, MembershipContent>()
  const objects: ObjectsByKind = {
    resource: contents.resources,
    role: contents.roles,
    resource_role: contents.roles,
    tenant_role: contents.roles,
    tenant: contents.tenants,
    user: contents.users,
    resource_instance: contents.instances,
    relationship_tuple: contents.tuples,
    condition_set: contents.sets,
    set_rule: contents.setRules,
    proxy_config: contents.configs,
    role_assignment: assignments,
    membership: memberships,
  }
  for (const change of changes) {
    const { kind, key } = change
    if (change.op === 'delete') objects[kind]?.delete(key)
    else if (Object.hasOwn(objects, kind)) (objects[kind] as Map<string, unknown>).set(key, toContent(change))
    else throw invalid(`kind \`${kind}\` is not known to this version`)
  }
  if (contents.users.has(EVERYBODY)) throw invalid(`no user has the key \`${EVERYBODY}\``)
  for (const assignment of assignments.values()) {
    requireAssigned(contents, assignment)
    const { user } = assignment
    const { assignments: held } = user === EVERYBODY ? { assignments: contents.everybody } : contents.users.get(user)!
    held.push(assignment)
  }
  for (const membership of memberships.values()) {
    const { user, tenant } = membership
    const member = contents.users.get(user)
    if (member === undefined) throw invalid(`user \`${user}\` of a membership does not exist`)
    if (!contents.tenants.has(tenant)) throw invalid(`tenant \`${tenant}\` of a membership does not exist`)
    member.memberships.push(membership)
  }
  return contents
}

/** Kinds whose contents are not the value of their put. */
interface OtherContents {
  role: RoleContent
  tenant_role: RoleContent
  resource_role: RoleContent
  user: UserContent
}
type ContentOf<K extends PolicyKind> = K extends keyof OtherContents ? OtherContents[K] : PolicyObjects[K]
type ObjectsByKind = { readonly [K in PolicyKind]: Map<string, ContentOf<K>> }

function toContent(change: PolicyPut): ContentOf<PolicyKind> {
  switch (change.kind) {
    case 'role':
    case 'tenant_role':
      return { permissions: change.value.permissions, extends: change.value.extends }
    case 'resource_role':
      return roleContent(change.value)
    case 'user':
      return userContent(change.value)
    default:
      return change.value
  }
}

export const userContent = (value: PolicyObjects['user']): UserContent => ({ value, memberships: [], assignments: [] })

function requireAssigned(contents: Contents, assignment: AssignmentContent): void {
  const { user, tenant, resource_instance: instance } = assignment
  const role = assignedRole(assignment)
  if (user !== EVERYBODY && !contents.users.has(user)) throw invalid(`user \`${user}\` of an assignment does not exist`)
  if (!contents.roles.has(role)) throw invalid(`role \`${role}\` of an assignment does not exist`)
  if (!isOnInstance(assignment)) {
    const fault = foreignRoleFault(role, tenant)
    if (fault !== undefined) throw invalid(fault)
    if (!contents.tenants.has(tenant)) throw invalid(`tenant \`${tenant}\` of an assignment does not exist`)
  } else if (!contents.instances.has(instance!))
    throw invalid(`instance \`${instance}\` of an assignment does not exist`)
}

/** The error for contents that no image can have, and that should not have been stored. */
export function invalid(reason: string, cause?: unknown): ZerohopError {
  return new ZerohopError('STATE_INVALID', { reason }, { cause })
}

/** Contents as changes, in sorted order: a follower of another ABI builds its image from them. */
export function* toChanges(contents: Contents): Iterable<PolicyChange> {
  for (const [key, value] of sortedEntries(contents.resources)) yield { op: 'put', kind: 'resource', key, value }
  for (const [key, role] of sortedEntries(contents.roles)) yield roleChange(key, role)
  for (const [key, value] of sortedEntries(contents.tenants)) yield { op: 'put', kind: 'tenant', key, value }
  for (const [key, value] of sortedEntries(contents.instances))
    yield { op: 'put', kind: 'resource_instance', key, value }
  for (const [key, value] of sortedEntries(contents.tuples)) yield { op: 'put', kind: 'relationship_tuple', key, value }
  for (const [key, value] of sortedEntries(contents.sets)) yield { op: 'put', kind: 'condition_set', key, value }
  for (const [key, value] of sortedEntries(contents.setRules)) yield { op: 'put', kind: 'set_rule', key, value }
  for (const [key, value] of sortedEntries(contents.configs)) yield { op: 'put', kind: 'proxy_config', key, value }
  for (const [user, content] of sortedEntries(contents.users)) {
    yield { op: 'put', kind: 'user', key: user, value: content.value }
    for (const value of sortedMemberships(content))
      yield { op: 'put', kind: 'membership', key: membershipKey(value.tenant, user), value }
    yield* assignmentChanges(content.assignments)
  }
  yield* assignmentChanges(contents.everybody)
}

function* assignmentChanges(assignments: readonly AssignmentContent[]): Iterable<PolicyChange> {
  for (const value of sortedAssignments(assignments)) {
    const { user, role, tenant, resource_instance: instance } = value
    yield { op: 'put', kind: 'role_assignment', key: assignmentKey(user, role, tenant, instance), value }
  }
}

/** By tenant. */
export const sortedMemberships = ({ memberships }: UserContent): readonly MembershipContent[] =>
  memberships.length < 2 ? memberships : memberships.toSorted((left, right) => compareUnits(left.tenant, right.tenant))

/** Those in tenants by tenant, then those on instances by instance; of one scope by role. */
export const sortedAssignments = (assignments: readonly AssignmentContent[]): readonly AssignmentContent[] =>
  assignments.length < 2 ? assignments : assignments.toSorted(compareAssignments)

function compareAssignments(left: AssignmentContent, right: AssignmentContent): number {
  return (
    Number(isOnInstance(left)) - Number(isOnInstance(right)) ||
    compareUnits(assignedScope(left), assignedScope(right)) ||
    compareUnits(left.role, right.role)
  )
}

function roleChange(key: string, content: RoleContent): PolicyChange {
  const { permissions, extends: parents, rules = [], noDirect = false } = content
  const resource = typeOfRole(key)
  if (resource === undefined) {
    const own = parseTenantRole(key)
    if (own === undefined) return { op: 'put', kind: 'role', key, value: { permissions, extends: parents } }
    return { op: 'put', kind: 'tenant_role', key, value: { ...own, permissions, extends: parents } }
  }
  const bare = (whole: string): string => whole.slice(whole.indexOf('/') + 1)
  const users_with_role = rules.map(({ relation, source, noDirect: direct }) => ({
    role: bare(source),
    on_resource: typeOfRole(source)!,
    linked_by_relation: bare(relation),
    when: { no_direct_roles_on_object: direct },
  }))
  const granted_to =
    rules.length === 0 && !noDirect ? null : { when: { no_direct_roles_on_object: noDirect }, users_with_role }
  const value = { resource, role: bare(key), permissions, extends: parents.map(bare), granted_to }
  return { op: 'put', kind: 'resource_role', key, value }
}

/** By UTF-16 code units: the same everywhere, whatever the locale. */
const compareUnits = (left: string, right: string): number => (left === right ? 0 : left < right ? -1 : 1)

/** Entries by key, in the same order. */
export function sortedEntries<T>(map: ReadonlyMap<string, T>): [string, T][] {
  return [...map.keys()].sort().map((key) => [key, map.get(key)!])
}
