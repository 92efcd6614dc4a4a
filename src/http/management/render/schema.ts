// How the schema prints: roles, resource types with their parts, condition sets. Maps that are keyed by what a user
// named are made by `Object.fromEntries`, because `__proto__` is a legal key.

import { type ActionGroup, actionGroupFields } from '../../../kinds/action-group.ts'
import type { ConditionSet } from '../../../kinds/condition-set.ts'
import { givingFields, roleGivingFields } from '../../../kinds/giving.ts'
import { type Relation, relationFields } from '../../../kinds/relation.ts'
import { type Action, type AttributeDefinition, offerFields, type Resource } from '../../../kinds/resource.ts'
import type { Derivation, ResourceRole } from '../../../kinds/resource-role.ts'
import type { Role } from '../../../kinds/role.ts'
import { type TenantRole, tenantGivingFields } from '../../../kinds/tenant-role.ts'
import { durationFields } from '../../../kinds/times.ts'
import { type RuleWithIds, withRuleIds } from '../../../management/objects/derivations.ts'
import { shownPermissions } from '../../../management/objects/permission-form.ts'
import type { ActionGroupRead } from '../../../management/schemas/action-groups.ts'
import type { ConditionSetRead } from '../../../management/schemas/condition-sets.ts'
import type { RelationRead } from '../../../management/schemas/relations.ts'
import type {
  DerivationRead,
  DerivationRuleRead,
  ResourceRoleRead,
} from '../../../management/schemas/resource-roles.ts'
import type { ActionRead, AttributeRead, ResourceRead } from '../../../management/schemas/resources.ts'
import type { RoleRead } from '../../../management/schemas/roles.ts'
import type { AssignableRole, OfferedPermission } from '../../../management/schemas/tenant-roles.ts'
import type { View } from '../../../store/view.ts'
import type { Scope } from '../auth.ts'
import { fieldPrinter } from './fields.ts'
import { place, times } from './stamps.ts'

function toRecord<T, P>(parts: Iterable<T>, key: (part: T) => string, print: (part: T) => P): Record<string, P> {
  return Object.fromEntries(Array.from(parts, (part) => [key(part), print(part)]))
}

const printGiving = fieldPrinter(givingFields)
const printRoleGiving = fieldPrinter(roleGivingFields)
const printOffer = fieldPrinter(offerFields)

export function roleRead(scope: Scope, role: Role): RoleRead {
  const { id, key, name, description, permissions, attributes } = role
  return {
    id,
    key,
    name,
    description,
    permissions,
    attributes,
    ...printRoleGiving({}, role, ''),
    extends: role.extends,
    granted_to: null,
    v1compat_settings: role.v1?.settings ?? null,
    v1compat_attributes: role.v1?.attributes ?? null,
    ...place(scope),
    ...times(role),
  }
}

const printDurations = fieldPrinter(durationFields)
const printTenantGiving = fieldPrinter(tenantGivingFields)

/** A role as the administrators of a tenant see it: of the environment, on instances, or of the tenant. */
export function assignableRole(role: Role | ResourceRole | TenantRole): AssignableRole {
  const { id, key, name, description, permissions } = role
  const about = { name, description, permissions, extends: role.extends }
  if ('tenant' in role)
    return { id, key, tenant: role.tenant, resource: null, ...about, ...printTenantGiving({}, role, '') }
  const [bare, resource] = 'resource' in role ? [role.role, role.resource] : [key, null]
  return { id, key: bare, tenant: null, resource, ...about, ...printDurations({}, role, '') }
}

/** A permission that is offered to tenants. */
export function offeredPermission({ resource, action }: { resource: Resource; action: Action }): OfferedPermission {
  const { key, name, description } = action
  return {
    key: `${resource.key}:${key}`,
    resource: { key: resource.key, name: resource.name },
    action: { key, name, description },
  }
}

export function derivationRule({ rule, role_id, resource_id, relation_id }: RuleWithIds): DerivationRuleRead {
  const { role, on_resource, linked_by_relation, when } = rule
  return { role_id, resource_id, relation_id, role, on_resource, linked_by_relation, when }
}

function derivationBlock(view: View, resource: string, derivation: Derivation | null): DerivationRead | null {
  if (derivation === null) return null
  const { id, when } = derivation
  const rules = derivation.users_with_role.map((rule) => withRuleIds(view, resource, rule))
  return { id, when, users_with_role: rules.filter((rule) => rule !== undefined).map(derivationRule) }
}

export function resourceRoleRead(scope: Scope, view: View, resource: Resource, role: ResourceRole): ResourceRoleRead {
  const { id, role: key, name, description, attributes, granted_to } = role
  return {
    id,
    key,
    name,
    description,
    permissions: shownPermissions(role),
    attributes,
    ...printGiving({}, role, ''),
    extends: role.extends,
    granted_to: derivationBlock(view, resource.key, granted_to),
    resource: resource.key,
    resource_id: resource.id,
    ...place(scope),
    ...times(role),
  }
}

const printRelation = fieldPrinter(relationFields)

export function relationRead(scope: Scope, view: View, resource: Resource, relation: Relation): RelationRead {
  const { id, relation: key, subject_resource } = relation
  const ends = {
    subject_resource,
    subject_resource_id: view.get('resource', subject_resource)?.id ?? null,
    object_resource: resource.key,
    object_resource_id: resource.id,
  }
  return Object.assign(printRelation({ id, key }, relation, key), ends, place(scope), times(relation))
}

function relationBlock(view: View, { name, description, subject_resource }: Relation) {
  // a relation goes with the resource type that it comes from
  const resource_id = view.require('resource', subject_resource).id
  return { description, resource_id, resource: subject_resource, relation_name: name }
}

const printActionGroup = fieldPrinter(actionGroupFields)

export function actionGroupRead(scope: Scope, resource: Resource, group: ActionGroup): ActionGroupRead {
  const { id, group: key, actions } = group
  const row = printActionGroup({ id, key }, group, key)
  return Object.assign(row, { actions, resource_id: resource.id }, place(scope), times(group))
}

function actionBlock(action: Action) {
  const { id, key, name, description, attributes, v1 } = action
  const texts = { v1compat_path: v1?.path ?? null, v1compat_name: v1?.name ?? null }
  return { id, key, name, description, attributes, ...printOffer({}, action, ''), ...texts }
}

function attributeBlock({ id, key, type, description }: AttributeDefinition) {
  return { id, key, type, description }
}

/** A resource type with its parts, as the view has them. */
export function resourceRead(scope: Scope, view: View, resource: Resource): ResourceRead {
  const { id, key, name, urn, description, type_attributes, actions, attributes } = resource
  return {
    id,
    key,
    name,
    urn,
    description,
    actions: toRecord(actions, (action) => action.key, actionBlock),
    type_attributes,
    attributes: toRecord(attributes, (attribute) => attribute.key, attributeBlock),
    roles: toRecord(
      view.by('resource_roles_of_resource', key),
      ({ role }) => role,
      (role) => resourceRoleRead(scope, view, resource, role),
    ),
    relations: toRecord(
      view.by('relations_of_resource', key),
      ({ relation }) => relation,
      (relation) => relationBlock(view, relation),
    ),
    action_groups: toRecord(
      view.by('action_groups_of_resource', key),
      ({ group }) => group,
      (group) => group.actions,
    ),
    v1compat_path: resource.v1?.path ?? null,
    v1compat_type: resource.v1?.type ?? null,
    v1compat_name: resource.v1?.name ?? null,
    ...place(scope),
    ...times(resource),
  }
}

export function actionRead(scope: Scope, resource: Resource, action: Action): ActionRead {
  return {
    ...actionBlock(action),
    v1compat_is_built_in: false,
    permission_name: `${resource.key}:${action.key}`,
    resource_id: resource.id,
    ...place(scope),
    ...times(action),
  }
}

export function attributeRead(scope: Scope, resource: Resource, attribute: AttributeDefinition): AttributeRead {
  return {
    ...attributeBlock(attribute),
    resource_id: resource.id,
    resource_key: resource.key,
    built_in: false,
    ...place(scope),
    ...times(attribute),
  }
}

/** A condition set with its resource type, as the view has it. */
export function conditionSetRead(scope: Scope, view: View, set: ConditionSet): ConditionSetRead {
  const { id, key, type, name, description, conditions, parent } = set
  const resource = set.resource === null ? undefined : view.get('resource', set.resource)
  return {
    id,
    key,
    type,
    autogenerated: false,
    resource_id: resource?.id ?? null,
    resource: resource ? resourceRead(scope, view, resource) : null,
    name,
    description,
    conditions,
    parent_id: parent === null ? null : (view.get('condition_set', parent)?.id ?? null),
    ...place(scope),
    ...times(set),
  }
}
