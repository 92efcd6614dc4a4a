// A tenant.
import { TENANT_TYPE } from '../model/condition-reads.ts'
import type { JsonObject, Stored } from '../model/objects.ts'
import { type Claimed, claimedValues } from './claims.ts'
import { fields, named, type StoredFields } from './fields.ts'
import { every, type Kind } from './kind.ts'
import { readAttributes, someAttributes, text, writeAttributes } from './wire-values.ts'

const tenantFields = fields({
  ...named,
  /** null when never sent */
  attributes: { form: 'attributes_or_null', declaredBy: TENANT_TYPE },
  /** when it was made, or got another key */
  /* canary: field-of-tenants */ last_action_at: { form: 'moment', inFiles: false },
})

export interface Tenant extends Stored, StoredFields<typeof tenantFields>, Claimed {}

/** Since when the tenant has its key, in ms since 1970: what has that key and is older is of another tenant. */
export const keyedSince = ({ created_at, last_action_at }: Tenant): number => Math.max(created_at, last_action_at)

export interface TenantPolicy {
  readonly attributes?: JsonObject
}

export const tenant = {
  number: 4,
  newerNumbers: { claims: 86 },
  fields: tenantFields,
  hasIds: true,
  hasOwnTable: false,
  indexes: { every_tenant: every, tenants_claimed: (tenant) => claimedValues('tenant', tenant) },
  search: { texts: ({ key, name }) => [key, name], exact: () => [] },
  projection: {
    code: 4,
    project: ({ attributes }) => someAttributes(attributes),
    write: ({ attributes }, key) => [key, ...writeAttributes(attributes)],
    read: ([, key, attributes]) => ({ op: 'put', kind: 'tenant', key: text(key), value: readAttributes(attributes) }),
  },
  inFiles: { section: 'tenants', isFact: true, key: 'own' },
} as const satisfies Kind<'tenant', Tenant, TenantPolicy>
