// Tenants in the API: what is sent and what is answered at /v2/facts/{p}/{e}/tenants.
import type * as t from '../../model/json-schema.ts'
import { PLAIN_SCHEMAS } from './plain-kinds.ts'

export const {
  create: TenantCreate,
  replace: TenantReplace,
  update: TenantUpdate,
  answer: TenantRead,
} = PLAIN_SCHEMAS.tenant
export type TenantCreate = t.Static<typeof TenantCreate>
export type TenantReplace = t.Static<typeof TenantReplace>
export type TenantUpdate = t.Static<typeof TenantUpdate>
export type TenantRead = t.Static<typeof TenantRead>
