// The contents of an image as plain data, the form shared by changes, the canonical build and compaction. The same
// contents give the same bytes on every machine, however they came about. src/image/read-records.ts reads them out of a
// kernel.

import type { PolicyKind, PolicyObjects, PolicyPut } from '../kinds/index.ts'
import type { PolicyChange } from '../log/delta.ts'
import { ZerohopError } from '../model/errors.ts'
import { assignmentKey, type JsonObject, membershipKey, partKey, tupleKey } from '../model/objects.ts'

/** A rule that derives a role over a relation (D5), with full keys: `object type/relation` and `type/role`. */
export interface RuleContent {
  readonly relation: string
  readonly source: string
  readonly noDirect: boolean
}

/** A role in tenants, or one of a resource type, whose key is `type/role`. */
export interface RoleContent {
  readonly permissions: readonly string[]
  /** full keys */
  readonly extends: readonly string[]
  /** resource roles only; sorted, without duplicates */
  readonly rules?: readonly RuleContent[]
  readonly noDirect?: boolean
}

export interface UserContent {
  attributes?: JsonObject
  /** tenants that the user belongs to without a role */
  members?: Set<string>
  /** tenant → roles */
  readonly grants: Map<string, string[]>
  /** `type:key` → full keys of resource roles */
  onInstances?: Map<string, string[]>
}

export type InstanceContent = PolicyObjects['resource_instance']

export type ResourceContent = PolicyObjects['resource']

/** All objects of an image by key. Not sorted; the build sorts. */
export interface Contents {
  readonly resources: Map<string, ResourceContent>
  readonly roles: Map<string, RoleContent>
  readonly tenants: Map<string, JsonObject | undefined>
  readonly users: Map<string, UserContent>
  readonly instances: Map<string, InstanceContent>
  readonly tuples: Map<string, PolicyObjects['relationship_tuple']>
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
    instances: new Map(),
    tuples: new Map(),
    sets: new Map(),
    setRules: new Map(),
    configs: new Map(),
  }
}

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

/** An assignment with the full key of its role and its scope. */
export function toAssignment(value: PolicyObjects['role_assignment']): Assignment {
  const { user, role, tenant, resource_instance: instance } = value
  if (instance === undefined || instance === null) return { user, role, tenant }
  return { user, role: partKey(typeInInstanceKey(instance), role), instance }
}

/** A role in a tenant or on an instance, with its full key. */
export type Assignment =
  | { readonly user: string; readonly role: string; readonly tenant: string; readonly instance?: undefined }
  | { readonly user: string; readonly role: string; readonly tenant?: undefined; readonly instance: string }

/** Folds changes into contents: the last change of an object wins; deletes remove it. */
export function fold(changes: Iterable<PolicyChange>): Contents {
  const contents = emptyContents()
  const assignments = new Map<string, Assignment>()
  const members = new Map<string, PolicyObjects['membership']>()
  for (const change of changes) {
    if (change.op === 'delete')
      forget(contents, { role_assignment: assignments, membership: members }, change.kind, change.key)
    else if (change.kind === 'role_assignment') assignments.set(change.key, toAssignment(change.value))
    else if (change.kind === 'membership') members.set(change.key, change.value)
    else remember(contents, change)
  }
  for (const assignment of assignments.values()) give(contents, assignment)
  for (const { user, tenant } of members.values()) {
    const member = contents.users.get(user)
    if (member === undefined) throw invalid(`user \`${user}\` of a membership does not exist`)
    if (!contents.tenants.has(tenant)) throw invalid(`tenant \`${tenant}\` of a membership does not exist`)
    member.members ??= new Set()
    member.members.add(tenant)
  }
  return contents
}

type ObjectPut = Exclude<PolicyPut, { kind: 'role_assignment' | 'membership' }>

function remember(contents: Contents, change: ObjectPut): void {
  const { key } = change
  switch (change.kind) {
    case 'resource':
      contents.resources.set(key, change.value)
      break
    case 'role':
      contents.roles.set(key, { permissions: change.value.permissions, extends: change.value.extends })
      break
    case 'resource_role':
      contents.roles.set(key, roleContent(change.value))
      break
    case 'tenant':
      contents.tenants.set(key, undefinedIfEmpty(change.value.attributes))
      break
    case 'user':
      contents.users.set(key, userContent(undefinedIfEmpty(change.value.attributes)))
      break
    case 'resource_instance':
      contents.instances.set(key, change.value)
      break
    case 'condition_set':
      contents.sets.set(key, change.value)
      break
    case 'set_rule':
      contents.setRules.set(key, change.value)
      break
    case 'proxy_config':
      contents.configs.set(key, change.value)
      break
    case 'relationship_tuple':
      contents.tuples.set(key, change.value)
      break
    default:
      throw invalid(`kind \`${(change as PolicyPut).kind}\` is not known to this version`)
  }
}

export function userContent(attributes: JsonObject | undefined): UserContent {
  return attributes === undefined ? { grants: new Map() } : { attributes, grants: new Map() }
}

/** Empty attributes become absent, so that equal contents have one form. */
function undefinedIfEmpty<T extends object>(attributes: T | undefined): T | undefined {
  return attributes === undefined || Object.keys(attributes).length === 0 ? undefined : attributes
}

type Folded = Record<'role_assignment' | 'membership', Map<string, unknown>>

function forget(contents: Contents, folded: Folded, kind: PolicyKind, key: string): void {
  const from: Record<PolicyKind, { delete(key: string): boolean }> = {
    ...folded,
    resource: contents.resources,
    role: contents.roles,
    resource_role: contents.roles,
    tenant: contents.tenants,
    user: contents.users,
    resource_instance: contents.instances,
    relationship_tuple: contents.tuples,
    condition_set: contents.sets,
    set_rule: contents.setRules,
    proxy_config: contents.configs,
  }
  from[kind]?.delete(key)
}

function give(contents: Contents, { user, role, tenant, instance }: Assignment): void {
  const holder = contents.users.get(user)
  if (holder === undefined) throw invalid(`user \`${user}\` of an assignment does not exist`)
  if (!contents.roles.has(role)) throw invalid(`role \`${role}\` of an assignment does not exist`)
  if (instance === undefined) {
    if (!contents.tenants.has(tenant)) throw invalid(`tenant \`${tenant}\` of an assignment does not exist`)
    add(holder.grants, tenant, role)
    return
  }
  if (!contents.instances.has(instance)) throw invalid(`instance \`${instance}\` of an assignment does not exist`)
  holder.onInstances ??= new Map()
  add(holder.onInstances, instance, role)
}

function add(grants: Map<string, string[]>, scope: string, role: string): void {
  const roles = grants.get(scope)
  if (roles === undefined) grants.set(scope, [role])
  else if (!roles.includes(role)) roles.push(role)
}

/** The error for contents that no image can have, and that should not have been stored. */
export function invalid(reason: string, cause?: unknown): ZerohopError {
  return new ZerohopError('STATE_INVALID', { reason }, { cause })
}

/** Contents as changes, in sorted order: a follower of another ABI builds its image from them. */
export function* toChanges(contents: Contents): Iterable<PolicyChange> {
  for (const [key, { actions, attributes }] of sortedEntries(contents.resources))
    yield { op: 'put', kind: 'resource', key, value: { actions, ...omitEmptyAttributes(attributes) } }
  for (const [key, role] of sortedEntries(contents.roles)) yield roleChange(key, role)
  for (const [key, attributes] of sortedEntries(contents.tenants))
    yield { op: 'put', kind: 'tenant', key, value: omitEmptyAttributes(attributes) }
  for (const [key, { tenant, attributes }] of sortedEntries(contents.instances))
    yield { op: 'put', kind: 'resource_instance', key, value: { tenant, ...omitEmptyAttributes(attributes) } }
  for (const [, value] of sortedEntries(contents.tuples)) {
    const { subject, relation, object } = value
    yield { op: 'put', kind: 'relationship_tuple', key: tupleKey(subject, relation, object), value }
  }
  for (const [key, value] of sortedEntries(contents.sets)) yield { op: 'put', kind: 'condition_set', key, value }
  for (const [key, value] of sortedEntries(contents.setRules)) yield { op: 'put', kind: 'set_rule', key, value }
  for (const [key, value] of sortedEntries(contents.configs)) yield { op: 'put', kind: 'proxy_config', key, value }
  for (const [user, { attributes, grants, onInstances, members }] of sortedEntries(contents.users)) {
    yield { op: 'put', kind: 'user', key: user, value: omitEmptyAttributes(attributes) }
    for (const tenant of [...(members ?? [])].sort())
      yield { op: 'put', kind: 'membership', key: membershipKey(tenant, user), value: { user, tenant } }
    for (const [tenant, roles] of sortedEntries(grants)) {
      for (const role of roles) yield assignmentChange(user, role, tenant, null)
    }
    for (const [instance, roles] of onInstances === undefined ? [] : sortedEntries(onInstances)) {
      const { tenant } = contents.instances.get(instance)!
      for (const role of roles) yield assignmentChange(user, role.slice(role.indexOf('/') + 1), tenant, instance)
    }
  }
}

function omitEmptyAttributes<T extends object>(attributes: T | undefined): { attributes?: T } {
  const some = undefinedIfEmpty(attributes)
  return some === undefined ? {} : { attributes: some }
}

function assignmentChange(user: string, role: string, tenant: string, instance: string | null): PolicyChange {
  const value = instance === null ? { user, role, tenant } : { user, role, tenant, resource_instance: instance }
  return { op: 'put', kind: 'role_assignment', key: assignmentKey(user, role, tenant, instance), value }
}

function roleChange(key: string, content: RoleContent): PolicyChange {
  const { permissions, extends: parents, rules = [], noDirect = false } = content
  const resource = typeOfRole(key)
  if (resource === undefined) return { op: 'put', kind: 'role', key, value: { permissions, extends: parents } }
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

/** Entries by key, in the order of UTF-16 code units: the same everywhere, whatever the locale. */
export function sortedEntries<T>(map: ReadonlyMap<string, T>): [string, T][] {
  return [...map.keys()].sort().map((key) => [key, map.get(key)!])
}
