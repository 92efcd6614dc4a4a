// Resource types in the API, with their actions and declared attributes: what is sent and what is answered at
// /v2/schema/{p}/{e}/resources and /v2/schema/{p}/{e}/users/attributes.
import {
  closed,
  described,
  enumOf,
  Flag,
  later,
  mapOf,
  maybe,
  named,
  nullable,
  open,
  type Static,
  Text,
  Texts,
} from '../../model/json-schema.ts'
import { ACTIONS_PER_RESOURCE_MAX, ATTRIBUTES_PER_RESOURCE_MAX } from '../../model/limits.ts'
import { attributeFilter, counted, flagParameter, page, query, search, textParameter } from './query-parameters.ts'
import { ResourceRoleRead, RoleBlock } from './resource-roles.ts'
import { Attributes, bodyNames, Id, Key, known, readNames, sameKey } from './schema-parts.ts'

const AttributeTypeName = enumOf('bool', 'number', 'string', 'time', 'array', 'json', 'object', 'object_array')

/** Texts of the first API version. */
const bodyV1Texts = { v1compat_path: maybe(Text), v1compat_name: maybe(Text) }
const readV1Texts = { v1compat_path: nullable(Text), v1compat_name: nullable(Text) }

const actionFields = { ...bodyNames, attributes: maybe(Attributes), ...bodyV1Texts }

/** In the map `actions` of a resource type the key stands outside. */
export const ActionBlock = closed(actionFields)
export type ActionBlock = Static<typeof ActionBlock>

export const ActionCreate = named('ActionCreate', closed({ key: Key, ...actionFields, v1compat_is_built_in: later() }))
export type ActionCreate = Static<typeof ActionCreate>

export const ActionUpdate = named(
  'ActionUpdate',
  closed({ ...sameKey, ...actionFields, v1compat_is_built_in: later() }),
)
export type ActionUpdate = Static<typeof ActionUpdate>

export const ActionReplace = named(
  'ActionReplace',
  closed({ ...sameKey, ...actionFields, v1compat_is_built_in: later() }),
)
export type ActionReplace = Static<typeof ActionReplace>

/** In the map `attributes` of a resource type the key stands outside. */
export const AttributeBlock = closed({ type: AttributeTypeName, description: maybe(Text) })
export type AttributeBlock = Static<typeof AttributeBlock>

export const AttributeCreate = named('AttributeCreate', closed({ key: Key, ...AttributeBlock.properties }))
export type AttributeCreate = Static<typeof AttributeCreate>

export const AttributeUpdate = named(
  'AttributeUpdate',
  closed({ ...sameKey, type: maybe(AttributeTypeName), description: maybe(Text) }),
)
export type AttributeUpdate = Static<typeof AttributeUpdate>

export const AttributeReplace = named('AttributeReplace', closed({ ...sameKey, ...AttributeBlock.properties }))
export type AttributeReplace = Static<typeof AttributeReplace>

const fields = {
  ...bodyNames,
  urn: maybe(Text),
  type_attributes: maybe(described(Attributes, 'attributes of the type itself; any JSON object')),
  actions: maybe(
    described(mapOf(ActionBlock), 'by key; replaces the existing map', {
      maxProperties: ACTIONS_PER_RESOURCE_MAX,
    }),
  ),
  attributes: maybe(
    described(mapOf(AttributeBlock), 'attributes of instances, by key', {
      maxProperties: ATTRIBUTES_PER_RESOURCE_MAX,
    }),
  ),
  roles: maybe(described(mapOf(RoleBlock), 'roles on instances, by key')),
  relations: maybe(described(mapOf(Text), 'for each relation, the key or id of its source resource type')),
  ...bodyV1Texts,
  v1compat_type: maybe(Text),
}

export const ResourceCreate = named(
  'ResourceCreate',
  described(
    closed({ key: Key, ...fields }),
    'a resource type with its actions, and the roles and relations of its instances',
    {
      examples: [
        {
          key: 'document',
          name: 'Document',
          actions: { read: {}, edit: { name: 'Edit' } },
          attributes: { classification: { type: 'string' } },
          roles: { owner: { permissions: ['read', 'edit'] } },
          relations: { parent: 'folder' },
        },
      ],
    },
  ),
)
export type ResourceCreate = Static<typeof ResourceCreate>

export const ResourceReplace = named('ResourceReplace', closed({ ...sameKey, ...fields }))
export type ResourceReplace = Static<typeof ResourceReplace>

export const ResourceUpdate = named('ResourceUpdate', closed({ ...sameKey, ...fields }))
export type ResourceUpdate = Static<typeof ResourceUpdate>

const actionRead = { id: Id, key: Text, ...readNames, attributes: nullable(Attributes), ...readV1Texts }
const attributeRead = { id: Id, key: Text, type: AttributeTypeName, description: nullable(Text) }

export const ActionRead = named(
  'Action',
  open({
    ...known,
    ...actionRead,
    v1compat_is_built_in: Flag,
    permission_name: described(Text, '`resource:action`'),
    resource_id: Id,
  }),
)
export type ActionRead = Static<typeof ActionRead>

export const AttributeRead = named(
  'Attribute',
  open({ ...known, ...attributeRead, resource_id: Id, resource_key: Text, built_in: Flag }),
)
export type AttributeRead = Static<typeof AttributeRead>

export const ResourceRead = named(
  'Resource',
  open({
    ...known,
    ...readNames,
    urn: nullable(Text),
    type_attributes: nullable(Attributes),
    ...readV1Texts,
    v1compat_type: nullable(Text),
    actions: mapOf(open(actionRead)),
    attributes: mapOf(open(attributeRead)),
    roles: mapOf(ResourceRoleRead),
    relations: mapOf(
      open({
        description: nullable(Text),
        resource_id: Id,
        resource: described(Text, 'key of the source resource type'),
        relation_name: Text,
      }),
    ),
    action_groups: mapOf(described(Texts, 'keys of actions')),
  }),
)
export type ResourceRead = Static<typeof ResourceRead>

export const ResourceQuery = query({
  ...page,
  include_built_in: flagParameter('include the types that declare the attributes of users and tenants'),
  ...counted,
  ...search,
})
export const ActionQuery = query({ ...page, ...attributeFilter })

const owner = { resource_id: textParameter('`__user` (when absent) or `__tenant`') }
/** Attributes of users and tenants: which of the two. */
export const AttributeOwnerQuery = query(owner)
export const AttributesQuery = query({ ...page, ...owner })
