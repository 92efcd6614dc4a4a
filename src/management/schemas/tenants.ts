// Tenants in the API: what is sent and what is answered at /v2/facts/{p}/{e}/tenants.
import { closed, maybe, named, nullable, open, type Static } from '../../model/json-schema.ts'
import { attributeFilter, counted, page, query, search } from './query-parameters.ts'
import { Attributes, bodyNames, Key, known, readNames, sameKey, Time } from './schema-parts.ts'

const fields = { ...bodyNames, attributes: maybe(Attributes) }

export const TenantCreate = named('TenantCreate', closed({ key: Key, ...fields }))
export type TenantCreate = Static<typeof TenantCreate>

export const TenantReplace = named('TenantReplace', closed({ ...sameKey, ...fields }))
export type TenantReplace = Static<typeof TenantReplace>

export const TenantUpdate = named('TenantUpdate', closed({ ...sameKey, ...fields }))
export type TenantUpdate = Static<typeof TenantUpdate>

export const TenantRead = named(
  'Tenant',
  open({ ...known, ...readNames, attributes: nullable(Attributes), last_action_at: Time }),
)
export type TenantRead = Static<typeof TenantRead>

export const TenantQuery = query({ ...page, ...attributeFilter, ...counted, ...search })
