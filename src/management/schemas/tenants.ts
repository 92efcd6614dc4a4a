// Tenants in the API: what is sent and what is answered at /v2/facts/{p}/{e}/tenants.
import * as t from '../../model/json-schema.ts'
import { attributeFilter, counted, page, query, search } from './query-parameters.ts'
import { Attributes, bodyNames, Key, known, readNames, sameKey, Time } from './schema-parts.ts'

const fields = { ...bodyNames, attributes: t.maybe(Attributes) }

export const TenantCreate = t.named('TenantCreate', t.closed({ key: Key, ...fields }))
export type TenantCreate = t.Static<typeof TenantCreate>

export const TenantReplace = t.named('TenantReplace', t.closed({ ...sameKey, ...fields }))
export type TenantReplace = t.Static<typeof TenantReplace>

export const TenantUpdate = t.named('TenantUpdate', t.closed({ ...sameKey, ...fields }))
export type TenantUpdate = t.Static<typeof TenantUpdate>

export const TenantRead = t.named(
  'Tenant',
  t.open({ ...known, ...readNames, attributes: t.nullable(Attributes), last_action_at: Time }),
)
export type TenantRead = t.Static<typeof TenantRead>

export const TenantQuery = query({ ...page, ...attributeFilter, ...counted, ...search })
