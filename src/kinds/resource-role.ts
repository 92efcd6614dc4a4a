// A role on instances of one resource type, and the rules by which it is derived.
import { type JsonObject, type Named, partKey } from '../model/objects.ts'
import type { Giving } from './giving.ts'
import type { Kind } from './kind.ts'
import { invalid, list, text, texts } from './wire-values.ts'

/** Settings of a derivation, of one rule or of the whole role (D5). */
export interface DerivationSettings {
  readonly no_direct_roles_on_object: boolean
}

/**
 * Whoever has `role` on an instance of `on_resource` that is related by `linked_by_relation` has the role on the
 * object.
 */
export interface DerivationRule {
  readonly role: string
  readonly on_resource: string
  readonly linked_by_relation: string
  readonly when: DerivationSettings
}

export interface Derivation {
  readonly id: string
  readonly when: DerivationSettings
  readonly users_with_role: readonly DerivationRule[]
}

/**
 * A role on instances of one resource type. `key` is `partKey(resource, role)`. Permissions are `resource:action` of
 * that type.
 */
export interface ResourceRole extends Named, Giving {
  readonly resource: string
  readonly role: string
  readonly permissions: readonly string[]
  /** answers list the permissions as `action` alone, as they were last written; absent: `resource:action` */
  readonly bare_permissions?: true
  /** keys of roles of the same resource */
  readonly extends: readonly string[]
  readonly attributes: JsonObject | null
  readonly granted_to: Derivation | null
}

export interface DerivationPolicy {
  readonly when: DerivationSettings
  readonly users_with_role: readonly DerivationRule[]
}

export interface ResourceRolePolicy {
  readonly resource: string
  readonly role: string
  readonly permissions: readonly string[]
  readonly extends: readonly string[]
  readonly granted_to: DerivationPolicy | null
}

function writeDerivation({ when, users_with_role }: DerivationPolicy): unknown[] {
  const rules = users_with_role.map((rule) => [
    rule.role,
    rule.on_resource,
    rule.linked_by_relation,
    rule.when.no_direct_roles_on_object,
  ])
  return [when.no_direct_roles_on_object, rules]
}

function readDerivation(noDirect: unknown, rules: unknown): DerivationPolicy {
  const users_with_role = list(rules, 'a derivation').map((rule): DerivationRule => {
    const [role, on, relation, direct] = list(rule, 'a rule of derivation')
    return { role: text(role), on_resource: text(on), linked_by_relation: text(relation), when: readSettings(direct) }
  })
  return { when: readSettings(noDirect), users_with_role }
}

function readSettings(value: unknown): DerivationSettings {
  if (typeof value !== 'boolean') throw invalid('a setting of a derivation is missing')
  return { no_direct_roles_on_object: value }
}

export const resourceRole = {
  number: 7,
  newerNumbers: { times: 68 },
  hasIds: true,
  hasOwnTable: false,
  indexes: {
    resource_roles_named: ({ role }) => [role],
    resource_roles_of_resource: ({ resource }) => [resource],
    resource_roles_with_parent: (role) => role.extends.map((parent) => partKey(role.resource, parent)),
    resource_roles_with_approver: ({ requestable }) => requestable?.approvers ?? [],
    resource_roles_linked_by: (role) =>
      (role.granted_to?.users_with_role ?? []).map((rule) => partKey(role.resource, rule.linked_by_relation)),
    resource_roles_derived_from: (role) =>
      (role.granted_to?.users_with_role ?? []).map((rule) => partKey(rule.on_resource, rule.role)),
  },
  projection: {
    code: 7,
    project: ({ resource, role, permissions, extends: parents, granted_to }) => {
      if (granted_to === null) return { resource, role, permissions, extends: parents, granted_to: null }
      const { when, users_with_role } = granted_to
      return { resource, role, permissions, extends: parents, granted_to: { when, users_with_role } }
    },
    write: ({ resource, role, permissions, extends: parents, granted_to }) => [
      resource,
      role,
      permissions,
      parents,
      ...(granted_to === null ? [] : writeDerivation(granted_to)),
    ],
    read: (fields) => {
      const resource = text(fields[1])
      const granted_to = fields[5] === undefined ? null : readDerivation(fields[5], fields[6])
      const role = text(fields[2])
      const value = { resource, role, permissions: texts(fields[3]), extends: texts(fields[4]), granted_to }
      return { op: 'put', kind: 'resource_role', key: partKey(resource, role), value }
    },
  },
  inFiles: { section: 'roles', isFact: false, key: 'part' },
} as const satisfies Kind<'resource_role', ResourceRole, ResourceRolePolicy>
