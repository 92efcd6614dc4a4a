// The stored objects of an environment and of an organization. A value in the state is complete: ids and times decided,
// references by key (keys never change). How they print is src/http; what they mean for a decision is src/log/delta.ts
// and docs/semantics.md.

export type Json = null | boolean | number | string | readonly Json[] | { readonly [member: string]: Json }
export type JsonObject = { readonly [member: string]: Json }

/** What every stored object has: id as 32 hex digits, times in milliseconds since 1970. */
export interface Stored {
  readonly id: string
  readonly key: string
  readonly created_at: number
  readonly updated_at: number
}

export interface Named extends Stored {
  readonly name: string
  readonly description: string | null
}

/**
 * What the first API version says of an object and this one has no other place for: its writes set it, and fields
 * `v1compat_…` of the second one; absent where neither did. It bears on no decision.
 */
export interface V1Resource {
  readonly path: string | null
  /** kind of the resource, such as `rest`; null when it was the key */
  readonly type: string | null
  readonly name: string | null
}
export interface V1Action {
  readonly path: string | null
  readonly name: string | null
}
export interface V1Role {
  readonly settings: JsonObject | null
  readonly attributes: JsonObject | null
}

/** An action of a resource type; `key` is unique within the resource. */
export interface Action extends Named {
  readonly attributes: JsonObject | null
  readonly v1?: V1Action
}

export type AttributeType = 'bool' | 'number' | 'string' | 'time' | 'array' | 'json' | 'object' | 'object_array'

/** A declared attribute of a resource type; `key` is unique within the resource. */
export interface AttributeDefinition extends Stored {
  readonly type: AttributeType
  readonly description: string | null
}

/**
 * A resource type with its parts: the parts are written with it, so that one object is one change. Lists are in
 * creation order.
 */
export interface Resource extends Named {
  readonly urn: string | null
  readonly type_attributes: JsonObject | null
  readonly actions: readonly Action[]
  readonly attributes: readonly AttributeDefinition[]
  readonly v1?: V1Resource
}

/** A tenant role. `permissions` are `resource:action`, `extends` are role keys. */
export interface Role extends Named {
  readonly permissions: readonly string[]
  readonly extends: readonly string[]
  readonly attributes: JsonObject | null
  readonly v1?: V1Role
}

export interface User extends Stored {
  readonly email: string | null
  readonly first_name: string | null
  readonly last_name: string | null
  readonly attributes: JsonObject
}

export interface Tenant extends Named {
  /** null when never sent */
  readonly attributes: JsonObject | null
  readonly last_action_at: number
}

/**
 * A role of a user in a tenant, or on one instance in it. `key` is `assignmentKey(user, role, tenant,
 * resource_instance)`. On an instance `role` is a role of its resource type, and `tenant` is the tenant of the
 * instance.
 */
export interface RoleAssignment extends Stored {
  readonly user: string
  readonly role: string
  readonly tenant: string
  /** `type:key`, or null for a role in the tenant */
  readonly resource_instance: string | null
}

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
export interface ResourceRole extends Named {
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

/**
 * A relation: instances of `subject_resource` may be related by it to instances of `resource`. `key` is
 * `partKey(resource, relation)`.
 */
export interface Relation extends Named {
  readonly resource: string
  readonly relation: string
  readonly subject_resource: string
}

/** A named list of actions of one resource type. `key` is `partKey(resource, group)`. */
export interface ActionGroup extends Named {
  readonly resource: string
  readonly group: string
  readonly attributes: JsonObject | null
  readonly actions: readonly string[]
}

/** Users or resources for which conditions hold. `conditions` are verbatim; src/model/condition.ts reads them. */
export interface ConditionSet extends Named {
  readonly type: 'userset' | 'resourceset'
  /** base resource of a resource set */
  readonly resource: string | null
  readonly conditions: JsonObject
  /** key of a set of the same type, whose conditions must hold too */
  readonly parent: string | null
}

/**
 * The users of `user_set` may do `permission` on the resources of `resource_set` (D6). `key` is `setRuleKey(…)`. A role
 * used as a user set is written `__autogen_<role>`, a resource used as a resource set `__autogen_<resource>`.
 */
export interface SetRule extends Stored {
  readonly user_set: string
  readonly permission: string
  readonly resource_set: string
}

/** One instance of a resource type. `key` is `instanceKey(resource, instance)`. */
export interface ResourceInstance extends Stored {
  readonly resource: string
  readonly instance: string
  readonly tenant: string
  readonly attributes: JsonObject
}

/**
 * A resource instance that stands for a group: its members hold the role `member` on it. `key` and `id` are those of
 * the instance.
 */
export interface Group extends Stored {
  readonly resource: string
  readonly instance: string
  readonly tenant: string
}

/**
 * `subject` is related by `relation` to `object`; both are `type:key` in one tenant. `key` is `tupleKey(subject,
 * relation, object)`.
 */
export interface RelationshipTuple extends Stored {
  readonly subject: string
  readonly relation: string
  readonly object: string
  readonly tenant: string
}

/**
 * Somebody who may become a user: approving makes the user `key` and gives it the role. `resource_instance` is
 * `type:key` when the role is one on an instance.
 */
export interface UserInvite extends Stored {
  readonly status: 'pending' | 'approved'
  readonly email: string
  readonly first_name: string
  readonly last_name: string
  readonly role: string
  readonly tenant: string
  readonly resource_instance: string | null
}

/** Which requests to a proxied service are which action on which resource. */
export interface MappingRule {
  readonly url: string
  readonly url_type: 'regex' | null
  readonly http_method: 'get' | 'post' | 'put' | 'patch' | 'delete' | 'head' | 'options'
  readonly resource: string
  readonly headers: { readonly [name: string]: string }
  readonly action: string | null
  readonly priority: number | null
}

/** A mapping rule without what only a proxy needs: which request is which action. */
export type UrlRule = Omit<MappingRule, 'headers'>

/**
 * How a proxy calls a service in the name of users. Its secret is sealed beside the state, under `id`, never in the
 * object.
 */
export interface ProxyConfig extends Stored {
  readonly name: string
  readonly auth_mechanism: 'Bearer' | 'Basic' | 'Headers'
  readonly mapping_rules: readonly MappingRule[]
}

/**
 * A user who belongs to a tenant. `key` is `membershipKey(tenant, user)`. An explicit one was asked for; another came
 * with an assignment and goes with the last one, so that the users of a tenant can be paged by one index.
 */
export interface Membership extends Stored {
  readonly user: string
  readonly tenant: string
  readonly explicit: boolean
}

/**
 * What `apply` last wrote of an object from a policy file, so that a plan can tell what was changed elsewhere since.
 * `key` is `appliedKey(kind, key)` of the object, with which it goes. It bears on no decision, and is neither exported
 * nor copied.
 */
export interface AppliedObject extends Stored {
  /** fingerprints of the object, under `''`, and of its actions and attributes, under `action/key`, `attribute/key` */
  readonly fingerprints: Readonly<Record<string, string>>
  /** id of the API key that applied it; null for the command line */
  readonly by: string | null
  /** the revision that applied it */
  readonly revision: number
}

export interface Organization extends Named {
  readonly settings: JsonObject | null
}

export interface Project extends Named {
  readonly urn_namespace: string | null
  readonly settings: JsonObject | null
}

/**
 * `key` of the stored object is `environmentKey(project, environment)`; `environment` is the key that the team chose.
 */
export interface Environment extends Named {
  readonly project: string
  readonly environment: string
  readonly custom_branch_name: string | null
  /** keys that verify tokens of a front end, as they were sent */
  readonly jwks: JsonObject | null
  readonly settings: JsonObject | null
}

/**
 * What is left of an environment: where it was, so that its history can be read and its PDPs told, until the retention
 * of history ends. Id and key are its own.
 */
export interface DeletedEnvironment extends Stored {
  readonly project_id: string
  readonly project: string
  readonly environment: string
  /** SHA-256 of the keys that died with it, in hex: who still comes with one is told why it is dead */
  readonly key_hashes: readonly string[]
}

export type KeyLevel = 'org' | 'project' | 'env'
/** `permit`: as the public command line of that name takes it. */
export type KeyForm = 'permit'
export type AccessLevel = 'admin' | 'write' | 'read' | 'no_access'

/**
 * An API key: never its secret. `key` of the stored object is the SHA-256 of the secret in hex, by which it is found.
 */
export interface ApiKey extends Stored {
  readonly level: KeyLevel
  readonly access: AccessLevel
  readonly owner: 'pdp_config' | 'member' | 'elements'
  readonly name: string | null
  readonly organization_id: string
  readonly project_id: string | null
  readonly environment_id: string | null
  /** from when it is refused, ms since 1970; a key without one has no end */
  readonly expires_at?: number | null
  /** the first instant of the last day (UTC) on which it was used */
  readonly last_used_at?: number
  /** whose form its secrets have, where it is not Zerohop's own */
  readonly form?: KeyForm
  /** the secret before the current one, which is valid until then */
  readonly old_secret?: { readonly hash: string; readonly expires_at: number }
  /** set where the object stands for the old secret of a key: the id of that key */
  readonly secret_of?: string
}

/** A PDP configuration of an environment; its client secret is the environment's API key `api_key_id`. */
export interface PdpConfig extends Stored {
  readonly name: string
  readonly environment_id: string
  readonly api_key_id: string
}

/**
 * The kinds of an environment's log. Adding one: here, a folder of src/management, and src/log/delta.ts when it bears
 * on decisions.
 */
export interface EnvironmentObjects {
  resource: Resource
  role: Role
  user: User
  tenant: Tenant
  role_assignment: RoleAssignment
  membership: Membership
  resource_role: ResourceRole
  relation: Relation
  action_group: ActionGroup
  condition_set: ConditionSet
  set_rule: SetRule
  resource_instance: ResourceInstance
  relationship_tuple: RelationshipTuple
  group: Group
  /** `__user` and `__tenant`: no resource types, but what declares the attributes of users and of tenants */
  built_in: Resource
  user_invite: UserInvite
  proxy_config: ProxyConfig
  applied_object: AppliedObject
}

/** The kinds of an organization's control log. */
export interface ControlObjects {
  organization: Organization
  project: Project
  environment: Environment
  api_key: ApiKey
  pdp_config: PdpConfig
  deleted_environment: DeletedEnvironment
}

export type Objects = EnvironmentObjects & ControlObjects
export type Kind = keyof Objects

/** No key alphabet has a slash or a colon, so a joined key is unambiguous. */
export const assignmentKey = (user: string, role: string, tenant: string, instance: string | null = null): string =>
  instance === null ? `${user}/${role}/${tenant}` : `${user}/${role}/${tenant}/${instance}`
export const partKey = (resource: string, part: string): string => `${resource}/${part}`
export const instanceKey = (resource: string, instance: string): string => `${resource}:${instance}`
export const tupleKey = (subject: string, relation: string, object: string): string =>
  `${subject}/${relation}/${object}`
export const setRuleKey = (userSet: string, permission: string, resourceSet: string): string =>
  `${userSet}/${permission}/${resourceSet}`
export const appliedKey = (kind: Kind, key: string): string => `${kind}:${key}`
/** How a role is written as a user set, and a resource as a resource set. */
export const autogenerated = (key: string): string => `${AUTOGENERATED}${key}`
export const AUTOGENERATED = '__autogen_'
export const membershipKey = (tenant: string, user: string): string => `${tenant}/${user}`
export const environmentKey = (project: string, environment: string): string => `${project}/${environment}`
