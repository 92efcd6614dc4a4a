// An environment as one readable object: its schema and, when asked for, its facts, by keys and without ids. `zerohop
// export` writes it, `zerohop import` reads it, and a copy of an environment consists of it. import.ts applies one.
import { ZerohopError } from '../../model/errors.ts'
import {
  type AttributeDefinition,
  instanceKey,
  type JsonObject,
  type Resource,
  type Stored,
} from '../../model/objects.ts'
import type { View } from '../../store/view.ts'
import type { Path } from '../fields.ts'
import type { AttributeBlock } from '../resources/schema.ts'
import { Bundle, type BundleResource } from './schema.ts'
import { requireShape } from './shape.ts'

/** Validates the value as a bundle. @throws INPUT_INVALID, with the place */
export function readBundle(value: unknown, path: Path): Bundle {
  requireShape(Bundle, value, path)
  const bundle = value as Bundle
  requireOnce(bundle, path)
  return bundle
}

/** Refuses duplicate objects, of which the last would silently win. @throws INPUT_INVALID */
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

/** The fields that differ from their defaults: without nulls, and without a name equal to the key. */
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
