// An environment as one readable object: its schema and, when asked for, its facts, by keys and without ids. What `zerohop export` writes and
// `zerohop import` reads, and what a copy of an environment carries over. How one is applied is bundle-import.ts.
import { ZerohopError } from '../../model/errors.ts'
import {
  type AttributeDefinition,
  instanceKey,
  type JsonObject,
  type Resource,
  type Stored,
} from '../../model/objects.ts'
import type { View } from '../../store/view.ts'
import type { ActionGroupUpdate } from '../action-groups/schema.ts'
import type { ConditionSetCreate } from '../condition-sets/schema.ts'
import type { Path, Sent } from '../fields.ts'
import type { InstanceCreate } from '../instances/schema.ts'
import type { RoleBlock } from '../resource-roles/schema.ts'
import type { ActionBlock, AttributeBlock } from '../resources/schema.ts'
import type { RoleAssignmentCreate } from '../role-assignments/schema.ts'
import type { RoleCreate } from '../roles/schema.ts'
import type { SetRuleCreate } from '../set-rules/schema.ts'
import type { TenantCreate } from '../tenants/schema.ts'
import type { TupleCreate } from '../tuples/schema.ts'
import type { UserUpdate } from '../users/schema.ts'
import { closed, flag, listOf, mapOf, object, oneOf, text } from './shape.ts'

type ByKey<T> = Readonly<Record<string, T>>

export interface BundleRelation {
  readonly subject_resource: string
  readonly name?: Sent<string>
  readonly description?: Sent<string>
}
export interface BundleResource {
  readonly key: string
  readonly name?: Sent<string>
  readonly description?: Sent<string>
  readonly urn?: Sent<string>
  readonly type_attributes?: Sent<JsonObject>
  readonly actions?: Sent<ByKey<ActionBlock>>
  readonly attributes?: Sent<ByKey<AttributeBlock>>
  readonly action_groups?: Sent<ByKey<ActionGroupUpdate>>
  readonly relations?: Sent<ByKey<BundleRelation>>
  readonly roles?: Sent<ByKey<RoleBlock>>
}
export interface Bundle {
  /** version of the form */
  readonly zerohop: 1
  /** attributes that users and tenants have */
  readonly user_attributes?: Sent<ByKey<AttributeBlock>>
  readonly tenant_attributes?: Sent<ByKey<AttributeBlock>>
  readonly resources?: Sent<readonly BundleResource[]>
  readonly roles?: Sent<readonly RoleCreate[]>
  readonly condition_sets?: Sent<readonly ConditionSetCreate[]>
  readonly set_rules?: Sent<readonly SetRuleCreate[]>
  readonly tenants?: Sent<readonly TenantCreate[]>
  readonly users?: Sent<readonly (UserUpdate & { readonly key: string })[]>
  /** users who were put into a tenant without a role */
  readonly memberships?: Sent<readonly { readonly user: string; readonly tenant: string }[]>
  readonly resource_instances?: Sent<readonly InstanceCreate[]>
  readonly relationship_tuples?: Sent<readonly TupleCreate[]>
  readonly role_assignments?: Sent<readonly RoleAssignmentCreate[]>
}

const named = { name: text, description: text }
const ATTRIBUTES = mapOf(
  closed({
    'type!': oneOf('bool', 'number', 'string', 'time', 'array', 'json', 'object', 'object_array'),
    description: text,
  }),
)
const when = closed({ no_direct_roles_on_object: flag })
const rule = closed({ 'role!': text, 'on_resource!': text, 'linked_by_relation!': text, when })
const roleFields = { ...named, permissions: listOf(text), extends: listOf(text), attributes: object }
const shape = closed({
  'zerohop!': (value, path) => oneOf('1')(String(value), path),
  user_attributes: ATTRIBUTES,
  tenant_attributes: ATTRIBUTES,
  resources: listOf(
    closed({
      'key!': text,
      ...named,
      urn: text,
      type_attributes: object,
      actions: mapOf(closed({ ...named, attributes: object })),
      attributes: ATTRIBUTES,
      action_groups: mapOf(closed({ ...named, attributes: object, actions: listOf(text) })),
      relations: mapOf(closed({ 'subject_resource!': text, ...named })),
      roles: mapOf(closed({ ...roleFields, granted_to: closed({ when, users_with_role: listOf(rule) }) })),
    }),
  ),
  roles: listOf(closed({ 'key!': text, ...roleFields })),
  condition_sets: listOf(
    closed({
      'key!': text,
      ...named,
      type: oneOf('userset', 'resourceset'),
      resource_id: text,
      'conditions!': object,
      parent_id: text,
    }),
  ),
  set_rules: listOf(
    closed({ 'user_set!': text, 'permission!': text, 'resource_set!': text, is_role: flag, is_resource: flag }),
  ),
  tenants: listOf(closed({ 'key!': text, ...named, attributes: object })),
  users: listOf(closed({ 'key!': text, email: text, first_name: text, last_name: text, attributes: object })),
  memberships: listOf(closed({ 'user!': text, 'tenant!': text })),
  resource_instances: listOf(closed({ 'key!': text, 'resource!': text, 'tenant!': text, attributes: object })),
  relationship_tuples: listOf(closed({ 'subject!': text, 'relation!': text, 'object!': text, tenant: text })),
  role_assignments: listOf(closed({ 'user!': text, 'role!': text, tenant: text, resource_instance: text })),
})

/** The value as a bundle. @throws INPUT_INVALID, with the place */
export function readBundle(value: unknown, path: Path): Bundle {
  shape(value, path)
  const bundle = value as Bundle
  requireOnce(bundle, path)
  return bundle
}

/** An object that stands there twice would be what is said last of it. @throws INPUT_INVALID */
function requireOnce(bundle: Bundle, path: Path): void {
  for (const field of ['resources', 'roles', 'condition_sets', 'tenants', 'users', 'resource_instances'] as const) {
    const seen = new Set<string>()
    for (const [at, object] of (bundle[field] ?? []).entries()) {
      const name = 'resource' in object ? instanceKey(object.resource, object.key) : object.key
      if (seen.has(name))
        throw new ZerohopError(
          'INPUT_INVALID',
          { reason: `\`${name}\` appears twice` },
          { path: [...path, field, at, 'key'] },
        )
      seen.add(name)
    }
  }
}

/** The schema of an environment, in the order of creation. */
export function exportSchema(view: View): Bundle {
  const builtIn = (key: string) => mapped(view.get('built_in', key)?.attributes ?? [], attributeOf)
  return {
    zerohop: 1,
    user_attributes: builtIn('__user'),
    tenant_attributes: builtIn('__tenant'),
    resources: [...view.list('resource')].map((resource) => resourceOf(view, resource)),
    roles: [...view.list('role')].map(({ key, name, description, permissions, extends: parents, attributes }) => {
      return { key, ...brief({ name, description, attributes }, key), permissions, ...filled({ extends: parents }) }
    }),
    condition_sets: [...view.list('condition_set')].map(
      ({ key, name, description, type, resource, conditions, parent }) => {
        const links = brief({ resource_id: resource, parent_id: parent }, key)
        return { key, ...brief({ name, description }, key), type, ...links, conditions }
      },
    ),
    set_rules: [...view.list('set_rule')].map(({ user_set, permission, resource_set }) => {
      return { user_set, permission, resource_set }
    }),
  }
}

/** Schema and facts. Reads everything: for a thread of its own. */
export function exportEverything(view: View): Bundle {
  return {
    ...exportSchema(view),
    tenants: [...view.list('tenant')].map(({ key, name, description, attributes }) => {
      return { key, ...brief({ name, description, attributes }, key) }
    }),
    users: [...view.list('user')].map(({ key, email, first_name, last_name, attributes }) => {
      return { key, ...brief({ email, first_name, last_name }, ''), ...(isEmpty(attributes) ? {} : { attributes }) }
    }),
    memberships: [...view.list('membership')]
      .filter(({ explicit }) => explicit)
      .map(({ user, tenant }) => ({ user, tenant })),
    resource_instances: [...view.list('resource_instance')].map(({ instance, resource, tenant, attributes }) => {
      return { key: instance, resource, tenant, ...(isEmpty(attributes) ? {} : { attributes }) }
    }),
    relationship_tuples: [...view.list('relationship_tuple')].map(({ subject, relation, object: of }) => {
      return { subject, relation, object: of }
    }),
    role_assignments: [...view.list('role_assignment')].map(({ user, role, tenant, resource_instance }) => {
      return { user, role, tenant, ...brief({ resource_instance }, '') }
    }),
  }
}

function resourceOf(view: View, resource: Resource): BundleResource {
  const { key, name, description, urn, type_attributes, actions, attributes } = resource
  const groups = [...view.by('action_groups_of_resource', key)].map((group) => ({ ...group, key: group.group }))
  const relations = [...view.by('relations_of_resource', key)].map((relation) => ({
    ...relation,
    key: relation.relation,
  }))
  const roles = [...view.by('resource_roles_of_resource', key)].map((role) => ({ ...role, key: role.role }))
  return {
    key,
    ...brief({ name, description, urn, type_attributes }, key),
    actions: mapped(actions, (action) =>
      brief({ name: action.name, description: action.description, attributes: action.attributes }, action.key),
    ),
    attributes: mapped(attributes, attributeOf),
    action_groups: mapped(groups, (group) => {
      return {
        ...brief({ name: group.name, description: group.description, attributes: group.attributes }, group.key),
        actions: group.actions,
      }
    }),
    relations: mapped(relations, (relation) => {
      const { subject_resource } = relation
      return { subject_resource, ...brief({ name: relation.name, description: relation.description }, relation.key) }
    }),
    roles: mapped(roles, (role) => {
      const { permissions, extends: parents, granted_to } = role
      const about = brief({ name: role.name, description: role.description, attributes: role.attributes }, role.key)
      const derived =
        granted_to === null
          ? {}
          : { granted_to: { when: granted_to.when, users_with_role: granted_to.users_with_role } }
      return { ...about, permissions, ...filled({ extends: parents }), ...derived }
    }),
  }
}

const attributeOf = ({ type, description }: AttributeDefinition): AttributeBlock => {
  return { type, ...brief({ description }, '') }
}

/** What is not the default: no null, and no name that repeats the key. */
function brief<T extends object>(fields: T, key: string): { [K in keyof T]?: NonNullable<T[K]> } {
  const said = Object.entries(fields).filter(([name, value]) => value !== null && !(name === 'name' && value === key))
  return Object.fromEntries(said) as { [K in keyof T]?: NonNullable<T[K]> }
}

function filled<T extends Readonly<Record<string, readonly unknown[]>>>(lists: T): Partial<T> {
  return Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)) as Partial<T>
}

const isEmpty = (attributes: JsonObject): boolean => Object.keys(attributes).length === 0

/** `__proto__` is a key like any other, so the map has no prototype. */
function mapped<T extends Pick<Stored, 'key'>, P>(parts: readonly T[], print: (part: T) => P): Record<string, P> {
  const map: Record<string, P> = Object.create(null)
  for (const part of parts) map[part.key] = print(part)
  return map
}
