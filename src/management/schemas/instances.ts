// Resource instances in the API: what is sent and what is answered at /v2/facts/{p}/{e}/resource_instances.
import { resourceInstanceFields } from '../../kinds/resource-instance.ts'
import * as t from '../../model/json-schema.ts'
import { claimMembers } from './claims.ts'
import { answerMembers, bodyMembers } from './field-members.ts'
import { counted, detailed, page, query, resourceFilter, search, tenantFilter } from './query-parameters.ts'
import { GoneId, Key, known, sameKey } from './schema-parts.ts'

const fields = bodyMembers(resourceInstanceFields, {})

export const InstanceCreate = t.named(
  'ResourceInstanceCreate',
  t.closed({
    key: Key,
    resource: t.described(t.Text, 'key or id of the resource type'),
    tenant: t.described(t.Text, 'key or id'),
    ...fields,
  }),
)
export type InstanceCreate = t.Static<typeof InstanceCreate>

/** What is said besides attributes must be as it is. */
export const InstanceReplace = t.named(
  'ResourceInstanceReplace',
  t.closed({ ...sameKey, resource: t.maybe(t.Text), tenant: t.maybe(t.Text), ...fields }),
)
export type InstanceReplace = t.Static<typeof InstanceReplace>

export const InstanceUpdate = t.named('ResourceInstanceUpdate', t.closed({ ...sameKey, ...fields }))
export type InstanceUpdate = t.Static<typeof InstanceUpdate>

const instance = {
  ...known,
  resource: t.Text,
  tenant: t.Text,
  resource_id: GoneId,
  tenant_id: GoneId,
  ...answerMembers(resourceInstanceFields),
  ...claimMembers,
}
const relationships = t.listOf(t.open({ subject: t.Text, relation: t.Text, object: t.Text }))

export const InstanceRead = t.named(
  'ResourceInstance',
  t.open({ ...instance, relationships: t.nullable(t.described(relationships, 'with `detailed`')) }),
)
export type InstanceRead = t.Static<typeof InstanceRead>
export const InstanceDetailed = t.named('ResourceInstanceDetailed', t.open({ ...instance, relationships }))
export type InstanceDetailed = t.Static<typeof InstanceDetailed>

const filters = { ...resourceFilter, ...search, ...tenantFilter }
export const InstanceQuery = query({ ...page, ...detailed, ...counted, ...filters })
export const InstanceDetailedQuery = query({ ...page, ...filters })
export const OneInstanceQuery = query(detailed)
