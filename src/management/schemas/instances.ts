// Resource instances in the API: what is sent and what is answered at /v2/facts/{p}/{e}/resource_instances.
import { closed, described, listOf, maybe, named, nullable, open, type Static, Text } from '../../model/json-schema.ts'
import { counted, detailed, page, query, resourceFilter, search, tenantFilter } from './query-parameters.ts'
import { Attributes, GoneId, Key, known, sameKey } from './schema-parts.ts'

const fields = { attributes: maybe(Attributes) }

export const InstanceCreate = named(
  'ResourceInstanceCreate',
  closed({
    key: Key,
    resource: described(Text, 'key or id of the resource type'),
    tenant: described(Text, 'key or id'),
    ...fields,
  }),
)
export type InstanceCreate = Static<typeof InstanceCreate>

/** What is said besides attributes must be as it is. */
export const InstanceReplace = named(
  'ResourceInstanceReplace',
  closed({ ...sameKey, resource: maybe(Text), tenant: maybe(Text), ...fields }),
)
export type InstanceReplace = Static<typeof InstanceReplace>

export const InstanceUpdate = named('ResourceInstanceUpdate', closed({ ...sameKey, ...fields }))
export type InstanceUpdate = Static<typeof InstanceUpdate>

const instance = {
  ...known,
  resource: Text,
  tenant: Text,
  resource_id: GoneId,
  tenant_id: GoneId,
  attributes: Attributes,
}
const relationships = listOf(open({ subject: Text, relation: Text, object: Text }))

export const InstanceRead = named(
  'ResourceInstance',
  open({ ...instance, relationships: nullable(described(relationships, 'with `detailed`')) }),
)
export type InstanceRead = Static<typeof InstanceRead>
export const InstanceDetailed = named('ResourceInstanceDetailed', open({ ...instance, relationships }))
export type InstanceDetailed = Static<typeof InstanceDetailed>

const filters = { ...resourceFilter, ...search, ...tenantFilter }
export const InstanceQuery = query({ ...page, ...detailed, ...counted, ...filters })
export const InstanceDetailedQuery = query({ ...page, ...filters })
export const OneInstanceQuery = query(detailed)
