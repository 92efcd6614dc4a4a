// A tenant.
import type { JsonObject, Named } from '../model/objects.ts'
import { every, type Kind } from './kind.ts'
import { readAttributes, someAttributes, text, writeAttributes } from './wire-values.ts'

export interface Tenant extends Named {
  /** null when never sent */
  readonly attributes: JsonObject | null
  readonly last_action_at: number
}

export interface TenantPolicy {
  readonly attributes?: JsonObject
}

export const tenant = {
  number: 4,
  hasIds: true,
  hasOwnTable: false,
  indexes: { every_tenant: every },
  projection: {
    code: 4,
    project: ({ attributes }) => someAttributes(attributes),
    write: ({ attributes }, key) => [key, ...writeAttributes(attributes)],
    read: ([, key, attributes]) => ({ op: 'put', kind: 'tenant', key: text(key), value: readAttributes(attributes) }),
  },
} as const satisfies Kind<'tenant', Tenant, TenantPolicy>
