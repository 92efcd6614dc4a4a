// Tenants in the API: what is sent and what is answered at /v2/facts/{p}/{e}/tenants.
import { tenantFields } from '../../kinds/tenant.ts'
import * as t from '../../model/json-schema.ts'
import { answerMembers, bodyMembers } from './field-members.ts'
import { attributeFilter, counted, page, query, search } from './query-parameters.ts'
import { Key, known, sameKey } from './schema-parts.ts'

const fields = bodyMembers(tenantFields, {})

export const TenantCreate = t.named('TenantCreate', t.closed({ key: Key, ...fields }))
export type TenantCreate = t.Static<typeof TenantCreate>

export const TenantReplace = t.named('TenantReplace', t.closed({ ...sameKey, ...fields }))
export type TenantReplace = t.Static<typeof TenantReplace>

export const TenantUpdate = t.named('TenantUpdate', t.closed({ ...sameKey, ...fields }))
export type TenantUpdate = t.Static<typeof TenantUpdate>

export const TenantRead = t.named('Tenant', t.open({ ...known, ...answerMembers(tenantFields) }))
export type TenantRead = t.Static<typeof TenantRead>

export const TenantQuery = query({ ...page, ...attributeFilter, ...counted, ...search })
