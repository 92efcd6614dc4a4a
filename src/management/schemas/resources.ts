// Resource types in the API, with their actions and declared attributes: what is sent and what is answered at
// /v2/schema/{p}/{e}/resources and /v2/schema/{p}/{e}/users/attributes.
import { offerFields } from '../../kinds/resource.ts'
import * as t from '../../model/json-schema.ts'
import { ACTIONS_PER_RESOURCE_MAX, ATTRIBUTES_PER_RESOURCE_MAX } from '../../model/limits.ts'
import { answerMembers, bodyNames, offerMembers, readNames } from './field-members.ts'
import { attributeFilter, counted, flagParameter, page, query, search, textParameter } from './query-parameters.ts'
import { ResourceRoleRead, RoleBlock } from './resource-roles.ts'
import { Attributes, Id, Key, known, sameKey } from './schema-parts.ts'

const AttributeTypeName = t.enumOf('bool', 'number', 'string', 'time', 'array', 'json', 'object', 'object_array')

/** Texts of the first API version. */
const bodyV1Texts = { v1compat_path: t.maybe(t.Text), v1compat_name: t.maybe(t.Text) }
const readV1Texts = { v1compat_path: t.nullable(t.Text), v1compat_name: t.nullable(t.Text) }

const actionFields = { ...bodyNames, attributes: t.maybe(Attributes), ...offerMembers, ...bodyV1Texts }

/** In the map `actions` of a resource type the key stands outside. */
export const ActionBlock = t.closed(actionFields)
export type ActionBlock = t.Static<typeof ActionBlock>

export const ActionCreate = t.named(
  'ActionCreate',
  t.closed({ key: Key, ...actionFields, v1compat_is_built_in: t.later() }),
)
export type ActionCreate = t.Static<typeof ActionCreate>

export const ActionUpdate = t.named(
  'ActionUpdate',
  t.closed({ ...sameKey, ...actionFields, v1compat_is_built_in: t.later() }),
)
export type ActionUpdate = t.Static<typeof ActionUpdate>

export const ActionReplace = t.named(
  'ActionReplace',
  t.closed({ ...sameKey, ...actionFields, v1compat_is_built_in: t.later() }),
)
export type ActionReplace = t.Static<typeof ActionReplace>

/** In the map `attributes` of a resource type the key stands outside. */
export const AttributeBlock = t.closed({ type: AttributeTypeName, description: t.maybe(t.Text) })
export type AttributeBlock = t.Static<typeof AttributeBlock>

export const AttributeCreate = t.named('AttributeCreate', t.closed({ key: Key, ...AttributeBlock.properties }))
export type AttributeCreate = t.Static<typeof AttributeCreate>

export const AttributeUpdate = t.named(
  'AttributeUpdate',
  t.closed({ ...sameKey, type: t.maybe(AttributeTypeName), description: t.maybe(t.Text) }),
)
export type AttributeUpdate = t.Static<typeof AttributeUpdate>

export const AttributeReplace = t.named('AttributeReplace', t.closed({ ...sameKey, ...AttributeBlock.properties }))
export type AttributeReplace = t.Static<typeof AttributeReplace>

const fields = {
  ...bodyNames,
  urn: t.maybe(t.Text),
  type_attributes: t.maybe(t.described(Attributes, 'attributes of the type itself; any JSON object')),
  actions: t.maybe(
    t.described(t.mapOf(ActionBlock), 'by key; replaces the existing map', {
      maxProperties: ACTIONS_PER_RESOURCE_MAX,
    }),
  ),
  attributes: t.maybe(
    t.described(t.mapOf(AttributeBlock), 'attributes of instances, by key', {
      maxProperties: ATTRIBUTES_PER_RESOURCE_MAX,
    }),
  ),
  roles: t.maybe(t.described(t.mapOf(RoleBlock), 'roles on instances, by key')),
  relations: t.maybe(t.described(t.mapOf(t.Text), 'for each relation, the key or id of its source resource type')),
  ...bodyV1Texts,
  v1compat_type: t.maybe(t.Text),
}

export const ResourceCreate = t.named(
  'ResourceCreate',
  t.described(
    t.closed({ key: Key, ...fields }),
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
export type ResourceCreate = t.Static<typeof ResourceCreate>

export const ResourceReplace = t.named('ResourceReplace', t.closed({ ...sameKey, ...fields }))
export type ResourceReplace = t.Static<typeof ResourceReplace>

export const ResourceUpdate = t.named('ResourceUpdate', t.closed({ ...sameKey, ...fields }))
export type ResourceUpdate = t.Static<typeof ResourceUpdate>

const actionRead = {
  id: Id,
  key: t.Text,
  ...readNames,
  attributes: t.nullable(Attributes),
  ...answerMembers(offerFields),
  ...readV1Texts,
}
const attributeRead = { id: Id, key: t.Text, type: AttributeTypeName, description: t.nullable(t.Text) }

export const ActionRead = t.named(
  'Action',
  t.open({
    ...known,
    ...actionRead,
    v1compat_is_built_in: t.Flag,
    permission_name: t.described(t.Text, '`resource:action`'),
    resource_id: Id,
  }),
)
export type ActionRead = t.Static<typeof ActionRead>

export const AttributeRead = t.named(
  'Attribute',
  t.open({ ...known, ...attributeRead, resource_id: Id, resource_key: t.Text, built_in: t.Flag }),
)
export type AttributeRead = t.Static<typeof AttributeRead>

export const ResourceRead = t.named(
  'Resource',
  t.open({
    ...known,
    ...readNames,
    urn: t.nullable(t.Text),
    type_attributes: t.nullable(Attributes),
    ...readV1Texts,
    v1compat_type: t.nullable(t.Text),
    actions: t.mapOf(t.open(actionRead)),
    attributes: t.mapOf(t.open(attributeRead)),
    roles: t.mapOf(ResourceRoleRead),
    relations: t.mapOf(
      t.open({
        description: t.nullable(t.Text),
        resource_id: Id,
        resource: t.described(t.Text, 'key of the source resource type'),
        relation_name: t.Text,
      }),
    ),
    action_groups: t.mapOf(t.described(t.Texts, 'keys of actions')),
  }),
)
export type ResourceRead = t.Static<typeof ResourceRead>

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
