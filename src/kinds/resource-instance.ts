// One instance of a resource type.
import type { JsonObject, Stored } from '../model/objects.ts'
import { type Claimed, claimedValues } from './claims.ts'
import { fields, ITS_RESOURCE, own, type StoredFields } from './fields.ts'
import { every, type Kind } from './kind.ts'
import { readAttributes, someAttributes, text, writeAttributes } from './wire-values.ts'

export const resourceInstanceFields = fields({
  resource: own<string>(),
  /** the key without that of its resource type */
  instance: own<string>(),
  tenant: own<string>(),
  attributes: { form: 'attributes', declaredBy: ITS_RESOURCE },
})

/** One instance of a resource type. `key` is `instanceKey(resource, instance)`. */
export interface ResourceInstance extends Stored, StoredFields<typeof resourceInstanceFields>, Claimed {}

export interface ResourceInstancePolicy {
  readonly tenant: string
  readonly attributes?: JsonObject
}

export const resourceInstance = {
  number: 12,
  newerNumbers: { claims: 87 },
  fields: resourceInstanceFields,
  hasIds: true,
  hasOwnTable: true,
  indexes: {
    every_instance: every,
    instances_of_resource: ({ resource }) => [resource],
    instances_of_tenant: ({ tenant }) => [tenant],
    instances_claimed: (instance) => claimedValues('resource_instance', instance),
  },
  search: { texts: ({ key }) => [key], exact: ({ resource, tenant }) => [resource, tenant] },
  projection: {
    code: 8,
    project: ({ tenant, attributes }) => ({ tenant, ...someAttributes(attributes) }),
    write: ({ tenant, attributes }, key) => [key, tenant, ...writeAttributes(attributes)],
    read: ([, key, tenant, attributes]) => {
      const name = text(key)
      const value = { tenant: text(tenant), ...readAttributes(attributes) }
      return { op: 'put', kind: 'resource_instance', key: name, value }
    },
  },
  inFiles: { section: 'resource_instances', isFact: true, key: 'own' },
} as const satisfies Kind<'resource_instance', ResourceInstance, ResourceInstancePolicy>
