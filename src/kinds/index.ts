// Every kind of stored object. Adding one: a file beside this one, a line in `EnvironmentObjects` or `ControlObjects`,
// and one in `KINDS`; the compiler names what else must know it.

import { type PolicyKind as KindInFiles, POLICY_KINDS } from '../model/policy-kinds.ts'
import { type AccessRequest, accessRequest } from './access-request.ts'
import { type ActionGroup, actionGroup } from './action-group.ts'
import { type ApiKey, apiKey } from './api-key.ts'
import { type AppliedObject, appliedObject } from './applied-object.ts'
import { builtIn } from './built-in.ts'
import { type ConditionSet, type ConditionSetPolicy, conditionSet } from './condition-set.ts'
import { type DeletedEnvironment, deletedEnvironment } from './deleted-environment.ts'
import { type DirectoryGroup, directoryGroup } from './directory-group.ts'
import { type DirectoryMember, directoryMember } from './directory-member.ts'
import { type DirectoryUser, directoryUser } from './directory-user.ts'
import { type Environment, environment } from './environment.ts'
import type { Fields, OwnName } from './fields.ts'
import { type Group, group } from './group.ts'
import { type GroupRule, groupRule } from './group-rule.ts'
import type { Kind, Projection, PutOf, SearchTexts } from './kind.ts'
import { type Membership, type MembershipPolicy, membership } from './membership.ts'
import { type Organization, organization } from './organization.ts'
import { type PdpConfig, pdpConfig } from './pdp-config.ts'
import { type Project, project } from './project.ts'
import { type Proposal, proposal } from './proposal.ts'
import { type ProxyConfig, type ProxyConfigPolicy, proxyConfig } from './proxy-config.ts'
import { type Relation, relation } from './relation.ts'
import { type RelationshipTuple, type RelationshipTuplePolicy, relationshipTuple } from './relationship-tuple.ts'
import { type Resource, type ResourcePolicy, resource } from './resource.ts'
import { type ResourceInstance, type ResourceInstancePolicy, resourceInstance } from './resource-instance.ts'
import { type ResourceRole, type ResourceRolePolicy, resourceRole } from './resource-role.ts'
import { type Role, type RolePolicy, role } from './role.ts'
import { type RoleAssignment, type RoleAssignmentPolicy, roleAssignment } from './role-assignment.ts'
import { type SetRule, type SetRulePolicy, setRule } from './set-rule.ts'
import { type Sync, sync } from './sync.ts'
import { type Tenant, type TenantPolicy, tenant } from './tenant.ts'
import { type TenantRole, type TenantRolePolicy, tenantRole } from './tenant-role.ts'
import { type User, type UserPolicy, user } from './user.ts'
import { type UserInvite, userInvite } from './user-invite.ts'

/** The kinds of an environment's log. */
export interface EnvironmentObjects {
  resource: Resource
  role: Role
  user: User
  tenant: Tenant
  tenant_role: TenantRole
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
  access_request: AccessRequest
  proxy_config: ProxyConfig
  applied_object: AppliedObject
  proposal: Proposal
  sync: Sync
  directory_user: DirectoryUser
  directory_group: DirectoryGroup
  directory_member: DirectoryMember
  group_rule: GroupRule
}

export type EnvironmentKind = keyof EnvironmentObjects

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
export type KindName = keyof Objects

/** What decisions read of each kind; the kinds that are not here bear on no decision. */
export interface PolicyObjects {
  resource: ResourcePolicy
  role: RolePolicy
  user: UserPolicy
  tenant: TenantPolicy
  tenant_role: TenantRolePolicy
  role_assignment: RoleAssignmentPolicy
  membership: MembershipPolicy
  resource_role: ResourceRolePolicy
  condition_set: ConditionSetPolicy
  set_rule: SetRulePolicy
  resource_instance: ResourceInstancePolicy
  relationship_tuple: RelationshipTuplePolicy
  proxy_config: ProxyConfigPolicy
}
export type PolicyKind = keyof PolicyObjects
export type PolicyPut = { [K in PolicyKind]: PutOf<K, PolicyObjects[K]> }[PolicyKind]

type PolicyOf<K extends KindName> = K extends PolicyKind ? PolicyObjects[K] : never
type Kinds = { readonly [K in KindName]: Kind<K, Objects[K], PolicyOf<K>> }

/** Each kind under its name, in the order of their numbers. `satisfies`, because an annotation would widen the names of indexes. */
export const KINDS = {
  resource,
  role,
  user,
  tenant,
  role_assignment: roleAssignment,
  membership,
  resource_role: resourceRole,
  relation,
  action_group: actionGroup,
  condition_set: conditionSet,
  set_rule: setRule,
  resource_instance: resourceInstance,
  relationship_tuple: relationshipTuple,
  user_invite: userInvite,
  access_request: accessRequest,
  proxy_config: proxyConfig,
  built_in: builtIn,
  /* canary: kind-of-groups */ group,
  /* canary: plain-kind */ applied_object: appliedObject,
  tenant_role: tenantRole,
  proposal,
  sync,
  directory_user: directoryUser,
  directory_group: directoryGroup,
  directory_member: directoryMember,
  group_rule: groupRule,
  organization,
  project,
  environment,
  api_key: apiKey,
  pdp_config: pdpConfig,
  deleted_environment: deletedEnvironment,
} as const satisfies Kinds

export const KIND_NAMES = Object.keys(KINDS) as readonly KindName[]

/** Kinds whose fields are a table. */
export type TableKind = {
  [K in KindName]: (typeof KINDS)[K] extends { readonly fields: Fields } ? K : never
}[KindName]
/** The table of fields of a kind; undefined for kinds whose fields are written by hand. */
export const findFields = (kind: KindName): Fields | undefined => (KINDS as Kinds)[kind].fields

/** Kinds of a policy file whose objects are stored as they are. */
export type WholeKind = Extract<KindInFiles, EnvironmentKind>

/**
 * Kinds that are a list of a policy file and have nothing but a key and fields of regular forms. Everything but their
 * rules follows from the table: bodies, answers, use cases, sections of files, plans and moves.
 */
export type PlainKind = {
  [K in WholeKind]: (typeof KINDS)[K] extends {
    readonly fields: infer F extends Fields
    readonly inFiles: { readonly key: 'own' }
  }
    ? [OwnName<F>] extends [never]
      ? K
      : never
    : never
}[WholeKind]
/** In the order of kinds in a file. */
export const PLAIN_KINDS = POLICY_KINDS.filter((kind): kind is PlainKind => {
  if (!Object.hasOwn(KINDS, kind)) return false
  const { fields, inFiles }: Kinds[KindName] = (KINDS as Kinds)[kind as KindName]
  return inFiles?.key === 'own' && fields !== undefined && Object.values(fields).every(({ form }) => form !== 'own')
})
const PLAIN: ReadonlySet<string> = new Set(PLAIN_KINDS)
export const isPlain = (kind: string): kind is PlainKind => PLAIN.has(kind)

/** Projections by kind. */
export const PROJECTIONS: { readonly [K in PolicyKind]: Projection<K, Objects[K], PolicyObjects[K]> } = {
  resource: resource.projection,
  role: role.projection,
  user: user.projection,
  tenant: tenant.projection,
  tenant_role: tenantRole.projection,
  role_assignment: roleAssignment.projection,
  membership: membership.projection,
  resource_role: resourceRole.projection,
  condition_set: conditionSet.projection,
  set_rule: setRule.projection,
  resource_instance: resourceInstance.projection,
  relationship_tuple: relationshipTuple.projection,
  proxy_config: proxyConfig.projection,
}

/** Kinds whose texts are kept for searches. */
export type SearchedKind = {
  [K in KindName]: (typeof KINDS)[K] extends { readonly search: object } ? K : never
}[KindName]
/** What a search looks at in a kind; undefined for kinds that have few objects. */
export const findSearchTexts = <K extends KindName>(kind: K): SearchTexts<Objects[K]> | undefined =>
  (KINDS as Kinds)[kind].search
export const SEARCHED_KINDS = KIND_NAMES.filter((kind): kind is SearchedKind => findSearchTexts(kind) !== undefined)

type IndexesOf<K extends KindName> = keyof (typeof KINDS)[K]['indexes'] & string
export type IndexName = { [K in KindName]: IndexesOf<K> }[KindName]
/** The kind whose objects an index lists. */
export type KindOfIndex<I extends IndexName> = { [K in KindName]: I extends IndexesOf<K> ? K : never }[KindName]
