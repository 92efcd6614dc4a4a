// The form of request bodies: types and unknown members. What a value must be beyond its type (alphabets, lengths, references) is
// decided by the use cases, so that the library and HTTP refuse the same; a null stands for "not sent".
import Type, {
  type Static,
  type TObject,
  type TProperties,
  type TSchema,
  type TSchemaOptions,
  type TUnsafe,
} from 'typebox'
import {
  BULK_ASSIGNMENTS_MAX,
  BULK_INSTANCES_MAX,
  BULK_TENANTS_MAX,
  BULK_TUPLES_MAX,
  BULK_USERS_MAX,
} from '../../model/limits.ts'
import type {
  AccessLevel,
  ApiKey,
  AttributeType,
  ConditionSet,
  Json,
  JsonObject,
  KeyLevel,
  MappingRule,
  ProxyConfig,
  UserInvite,
} from '../../model/objects.ts'

/** An object without members beyond these. */
export const Closed = <P extends TProperties>(properties: P): TObject<P> =>
  Type.Object(properties, { additionalProperties: false })

/** May be absent or null; null is then one of the words of an enum. */
export const Maybe = <T>(schema: TUnsafe<T>) => {
  const { enum: words } = schema as { enum?: readonly unknown[] }
  return Type.Optional(
    Type.Unsafe<T | null>({ ...schema, nullable: true, ...(words ? { enum: [...words, null] } : {}) }),
  )
}

/** Accepted only null or empty: part of the contract, but not supported yet. Replace it by the real schema and it is. */
export const Later = () => Type.Optional(Type.Unsafe<unknown>({ later: true }))

export const Text = Type.Unsafe<string>({ type: 'string' })
const Flag = Type.Unsafe<boolean>({ type: 'boolean' })
const Texts = Type.Unsafe<readonly string[]>({ type: 'array', items: { type: 'string' } })
export const Attributes = Type.Unsafe<JsonObject>({ type: 'object' })
const AttributeTypeName = Type.Unsafe<AttributeType>({
  type: 'string',
  enum: ['bool', 'number', 'string', 'time', 'array', 'json', 'object', 'object_array'] satisfies AttributeType[],
})
export const mapOf = <S extends TSchema>(schema: S) =>
  Type.Unsafe<Readonly<Record<string, Static<S>>>>({ type: 'object', additionalProperties: schema })
export const listOf = <S extends TSchema>(schema: S, most?: number) =>
  Type.Unsafe<readonly Static<S>[]>({
    type: 'array',
    items: schema,
    ...(most === undefined ? {} : { maxItems: most }),
  })

/** An object inside another that may be null. */
const block = <S extends TSchema>(schema: S) => Type.Unsafe<Static<S>>(schema as unknown as TSchemaOptions)

const named = { name: Maybe(Text), description: Maybe(Text) }
/** A PATCH may name the object, by the key that it has. */
const sameKey = { key: Maybe(Text) }

export const DerivationSettings = Closed({ no_direct_roles_on_object: Maybe(Flag) })
export const DerivationRule = Closed({
  role: Type.String(),
  on_resource: Type.String(),
  linked_by_relation: Type.String(),
  when: Maybe(block(DerivationSettings)),
})
const Derivation = Closed({ when: Maybe(block(DerivationSettings)), users_with_role: Maybe(listOf(DerivationRule)) })
const permitted = { ...named, permissions: Maybe(Texts), extends: Maybe(Texts), attributes: Maybe(Attributes) }
const roleFields = {
  ...permitted,
  granted_to: Later(),
  v1compat_settings: Maybe(Attributes),
  v1compat_attributes: Maybe(Attributes),
}
const resourceRoleFields = {
  ...permitted,
  granted_to: Maybe(block(Derivation)),
  v1compat_settings: Later(),
  v1compat_attributes: Later(),
}
const RoleBlock = Closed(resourceRoleFields)
export const ResourceRoleCreate = Closed({ key: Type.String(), ...resourceRoleFields })
export const RoleBulk = Closed({
  operations: listOf(Closed({ key: Type.String(), resource: Maybe(Text), ...resourceRoleFields })),
})
export const ResourceRoleReplace = Closed({ key: Maybe(Text), ...resourceRoleFields })
export const ResourceRoleUpdate = Closed({ ...sameKey, ...resourceRoleFields })
export const RoleCreate = Closed({ key: Type.String(), ...roleFields, v1compat_is_built_in: Later() })
export const RoleReplace = Closed({ key: Maybe(Text), ...roleFields })
export const RoleUpdate = Closed({ ...sameKey, ...roleFields })
export const RolePermissions = Closed({ permissions: Texts })

const v1compat = { v1compat_path: Maybe(Text), v1compat_name: Maybe(Text) }
const actionFields = { ...named, attributes: Maybe(Attributes), ...v1compat }
const ActionBlock = Closed(actionFields)
const AttributeBlock = Closed({ type: AttributeTypeName, description: Maybe(Text) })
const resourceFields = {
  ...named,
  urn: Maybe(Text),
  type_attributes: Maybe(Attributes),
  actions: Maybe(mapOf(ActionBlock)),
  attributes: Maybe(mapOf(AttributeBlock)),
  roles: Maybe(mapOf(RoleBlock)),
  relations: Maybe(mapOf(Text)),
  ...v1compat,
  v1compat_type: Maybe(Text),
}
export const ResourceCreate = Closed({ key: Type.String(), ...resourceFields })
export const ResourceReplace = Closed({ key: Maybe(Text), ...resourceFields })
export const ResourceUpdate = Closed({ ...sameKey, ...resourceFields })
export const ActionCreate = Closed({ key: Type.String(), ...actionFields, v1compat_is_built_in: Later() })
export const ActionUpdate = Closed({ ...sameKey, ...actionFields, v1compat_is_built_in: Later() })
export const RelationCreate = Closed({ key: Type.String(), ...named, subject_resource: Type.String() })
const groupFields = { ...named, attributes: Maybe(Attributes), actions: Maybe(Texts) }
export const ActionGroupCreate = Closed({ key: Type.String(), ...groupFields })
export const ActionGroupUpdate = Closed({ ...sameKey, ...groupFields })
export const AttributeCreate = Closed({ key: Type.String(), type: AttributeTypeName, description: Maybe(Text) })
export const AttributeUpdate = Closed({ ...sameKey, type: Maybe(AttributeTypeName), description: Maybe(Text) })

const roleInTenant = { role: Type.String(), tenant: Maybe(Text), resource_instance: Maybe(Text) }
export const UserRole = Closed(roleInTenant)
export const RoleAssignment = Closed({ user: Type.String(), ...roleInTenant })
export const RoleAssignments = listOf(RoleAssignment, BULK_ASSIGNMENTS_MAX)

/** Of what the clients send here more than these is ignored. */
const Open = <P extends TProperties>(properties: P): TObject<P> => Type.Object(properties)
export const GroupCreate = Closed({
  group_instance_key: Type.String(),
  group_tenant: Type.String(),
  group_resource_type_key: Maybe(Text),
})
export const GroupUser = Open({ tenant: Type.String() })
export const GroupRole = Open({
  role: Type.String(),
  resource: Type.String(),
  resource_instance: Type.String(),
  tenant: Type.String(),
})
export const GroupInGroup = Open({ group_instance_key: Type.String() })

const setType = Type.Unsafe<ConditionSet['type']>({
  type: 'string',
  enum: ['userset', 'resourceset'] satisfies ConditionSet['type'][],
})
const setFields = { ...named, parent_id: Maybe(Text) }
const setSubject = { type: Maybe(setType), resource_id: Maybe(Text), autogenerated: Maybe(Flag) }
export const ConditionSetCreate = Closed({
  key: Type.String(),
  ...setSubject,
  ...setFields,
  conditions: Maybe(Attributes),
})
export const ConditionSetReplace = Closed({ key: Maybe(Text), ...setSubject, ...setFields, conditions: Attributes })
export const ConditionSetUpdate = Closed({ ...sameKey, ...setFields, conditions: Type.Optional(Attributes) })

const userFields = {
  email: Maybe(Text),
  first_name: Maybe(Text),
  last_name: Maybe(Text),
  attributes: Maybe(Attributes),
}
const withRoles = { ...userFields, role_assignments: Maybe(listOf(UserRole)) }
export const UserCreate = Closed({ key: Type.String(), ...withRoles })
export const UserReplace = Closed({ key: Maybe(Text), ...withRoles })
export const UserUpdate = Closed({ ...sameKey, ...userFields })
export const UserBulk = Closed({ operations: listOf(UserCreate, BULK_USERS_MAX) })
const identsOf = (most: number) => Closed({ idents: listOf(Text, most) })
export const UserIdents = identsOf(BULK_USERS_MAX)

const tenantFields = { ...named, attributes: Maybe(Attributes) }
export const TenantCreate = Closed({ key: Type.String(), ...tenantFields })
export const TenantReplace = Closed({ key: Maybe(Text), ...tenantFields })
export const TenantUpdate = Closed({ ...sameKey, ...tenantFields })
export const TenantBulk = Closed({ operations: listOf(TenantCreate, BULK_TENANTS_MAX) })
export const TenantIdents = identsOf(BULK_TENANTS_MAX)

const instanceFields = { attributes: Maybe(Attributes) }
export const InstanceCreate = Closed({
  key: Type.String(),
  resource: Type.String(),
  tenant: Type.String(),
  ...instanceFields,
})
export const InstanceReplace = Closed({
  key: Maybe(Text),
  resource: Maybe(Text),
  tenant: Maybe(Text),
  ...instanceFields,
})
export const InstanceUpdate = Closed({ ...sameKey, ...instanceFields })
export const InstanceBulk = Closed({ operations: listOf(InstanceCreate, BULK_INSTANCES_MAX) })
export const InstanceIdents = identsOf(BULK_INSTANCES_MAX)

const tupleNames = { subject: Type.String(), relation: Type.String(), object: Type.String() }
export const TupleDelete = Closed(tupleNames)
export const TupleCreate = Closed({ ...tupleNames, tenant: Maybe(Text) })
export const TupleBulk = Closed({ operations: listOf(TupleCreate, BULK_TUPLES_MAX) })
export const TupleIdents = Closed({ idents: listOf(TupleDelete, BULK_TUPLES_MAX) })

export const SetRule = Closed({
  user_set: Type.String(),
  permission: Type.String(),
  resource_set: Type.String(),
  is_role: Maybe(Flag),
  is_resource: Maybe(Flag),
})

const InviteStatus = Type.Unsafe<UserInvite['status']>({
  type: 'string',
  enum: ['pending', 'approved'] satisfies UserInvite['status'][],
})
export const InviteCreate = Closed({
  key: Type.String(),
  status: InviteStatus,
  email: Type.String(),
  first_name: Type.String(),
  last_name: Type.String(),
  role_id: Type.String(),
  tenant_id: Type.String(),
  resource_instance_id: Maybe(Text),
})
export const InviteUpdate = Closed({
  key: Maybe(Text),
  status: Maybe(InviteStatus),
  email: Maybe(Text),
  first_name: Maybe(Text),
  last_name: Maybe(Text),
  role_id: Maybe(Text),
  tenant_id: Maybe(Text),
  resource_instance_id: Maybe(Text),
})
export const InviteApprove = Closed({ key: Type.String(), email: Type.String(), attributes: Attributes })

const mappingRule = {
  url: Type.String(),
  url_type: Maybe(Type.Unsafe<'regex'>({ type: 'string', enum: ['regex'] })),
  http_method: Type.Unsafe<MappingRule['http_method']>({
    type: 'string',
    enum: ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'] satisfies MappingRule['http_method'][],
  }),
  resource: Type.String(),
  headers: Maybe(mapOf(Text)),
  action: Maybe(Text),
  priority: Maybe(
    Type.Unsafe<number>({ type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }),
  ),
}
const AuthMechanism = Type.Unsafe<ProxyConfig['auth_mechanism']>({
  type: 'string',
  enum: ['Bearer', 'Basic', 'Headers'] satisfies ProxyConfig['auth_mechanism'][],
})
const texts = [{ type: 'string' }, { type: 'object' }]
const Secret = Type.Unsafe<Json>({ anyOf: texts })
const NewSecret = Type.Optional(Type.Unsafe<Json>({ anyOf: [...texts, { type: 'null' }] }))
export const ProxyConfigCreate = Closed({
  key: Type.String(),
  secret: Secret,
  name: Maybe(Text),
  mapping_rules: Maybe(listOf(Closed(mappingRule))),
  auth_mechanism: Maybe(AuthMechanism),
})
export const ProxyConfigUpdate = Closed({
  ...sameKey,
  secret: NewSecret,
  name: Maybe(Text),
  mapping_rules: Maybe(listOf(Closed({ ...mappingRule, should_delete: Maybe(Flag) }))),
  auth_mechanism: Maybe(AuthMechanism),
})

const Level = Type.Unsafe<KeyLevel>({ type: 'string', enum: ['env', 'project', 'org'] satisfies KeyLevel[] })
const Access = Type.Unsafe<AccessLevel>({
  type: 'string',
  enum: ['admin', 'write', 'read', 'no_access'] satisfies AccessLevel[],
})
const Owner = Type.Unsafe<ApiKey['owner']>({
  type: 'string',
  enum: ['pdp_config', 'member', 'elements'] satisfies ApiKey['owner'][],
})
export const ApiKeyCreate = Closed({
  organization_id: Type.String(),
  project_id: Maybe(Text),
  environment_id: Maybe(Text),
  object_type: Maybe(Level),
  access_level: Maybe(Access),
  owner_type: Maybe(Owner),
  name: Maybe(Text),
})

export const OrganizationUpdate = Closed({ ...sameKey, name: Maybe(Text), settings: Maybe(Attributes) })

const projectFields = { ...named, settings: Maybe(Attributes), active_policy_repo_id: Later() }
const Jwks = Type.Unsafe<JsonObject>(
  Closed({
    ttl: Maybe(Type.Unsafe<number>({ type: 'integer', minimum: 0 })),
    url: Maybe(Type.Unsafe<string>({ type: 'string', pattern: '^https://[^\\s/]+(/\\S*)?$' })),
    jwks: Maybe(Type.Unsafe<JsonObject>(Closed({ keys: Type.Array(Type.Unsafe<JsonObject>({ type: 'object' })) }))),
  }),
)
const environmentFields = {
  ...named,
  custom_branch_name: Maybe(Text),
  jwks: Maybe(Jwks),
  settings: Maybe(Attributes),
}
export const EnvironmentCreate = Closed({ key: Type.String(), ...environmentFields })
export const EnvironmentReplace = Closed({ key: Maybe(Text), ...environmentFields })
export const EnvironmentUpdate = Closed({ ...sameKey, ...environmentFields })
export const ProjectCreate = Closed({
  key: Type.String(),
  urn_namespace: Maybe(Text),
  ...projectFields,
  initial_environments: Maybe(listOf(EnvironmentCreate)),
})
export const ProjectReplace = Closed({ key: Maybe(Text), urn_namespace: Maybe(Text), ...projectFields })
export const ProjectUpdate = Closed({ ...sameKey, ...projectFields })

export const ElementsLogin = Closed({ user_id: Type.String(), tenant_id: Type.String() })

/** May be absent or null; a schema made here. */
export const MaybeOf = <S extends TSchema>(schema: S) => Maybe(Type.Unsafe<Static<S>>(schema))
const CopyFilter = MaybeOf(Closed({ include: Maybe(Texts), exclude: Maybe(Texts) }))
export const EnvironmentCopy = Closed({
  target_env: Closed({ existing: Maybe(Text), new: MaybeOf(EnvironmentCreate) }),
  conflict_strategy: Maybe(Type.Unsafe<'fail' | 'overwrite'>({ type: 'string', enum: ['fail', 'overwrite'] })),
  scope: MaybeOf(
    Closed({
      resources: CopyFilter,
      roles: CopyFilter,
      user_sets: CopyFilter,
      resource_sets: CopyFilter,
      custom_policies: CopyFilter,
    }),
  ),
})
