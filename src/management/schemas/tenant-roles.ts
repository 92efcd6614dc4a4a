// Roles that a tenant makes, in the API: what is sent and what is answered at /v2/facts/{p}/{e}/tenants/{tenant}/roles.
import { tenantGivingFields } from '../../kinds/tenant-role.ts'
import { durationFields } from '../../kinds/times.ts'
import * as t from '../../model/json-schema.ts'
import { EXTENDS_MAX, PERMISSIONS_PER_REQUEST_MAX } from '../../model/limits.ts'
import { answerMembers, bodyNames, regularMembers } from './field-members.ts'
import { page, query } from './query-parameters.ts'
import { Id, Key, sameKey } from './schema-parts.ts'

const fields = {
  ...bodyNames,
  permissions: t.maybe(
    t.described(t.Texts, 'permissions as `resource:action`, of actions that are `grantable`', {
      maxItems: PERMISSIONS_PER_REQUEST_MAX,
    }),
  ),
  extends: t.maybe(
    t.described(
      t.Texts,
      'roles whose permissions this role also gets: those that are `extendable`, and those of the tenant',
      {
        maxItems: EXTENDS_MAX,
      },
    ),
  ),
  ...regularMembers(tenantGivingFields),
}

export const TenantRoleCreate = t.named(
  'TenantRoleCreate',
  t.described(t.closed({ key: t.described(Key, 'within the tenant'), ...fields }), 'a role of a tenant', {
    examples: [{ key: 'bookkeeper', name: 'Bookkeeper', permissions: ['invoice:read', 'invoice:pay'] }],
  }),
)
export type TenantRoleCreate = t.Static<typeof TenantRoleCreate>

export const TenantRoleUpdate = t.named('TenantRoleUpdate', t.closed({ ...sameKey, ...fields }))
export type TenantRoleUpdate = t.Static<typeof TenantRoleUpdate>

/** A role that may be assigned in a tenant by its own administrators. */
export const AssignableRole = t.named(
  'AssignableRole',
  t.open({
    id: Id,
    key: t.described(t.Text, 'of a role of the tenant `role@tenant`'),
    tenant: t.described(t.nullable(t.Text), 'of a role of the tenant: its key; null: a role of the environment'),
    resource: t.described(t.nullable(t.Text), 'of a role on instances: their type'),
    name: t.Text,
    description: t.nullable(t.Text),
    permissions: t.Texts,
    extends: t.described(t.Texts, 'keys of roles'),
    ...answerMembers(durationFields),
    ...answerMembers(tenantGivingFields),
  }),
)
export type AssignableRole = t.Static<typeof AssignableRole>

/** A permission that roles of tenants may have. */
export const OfferedPermission = t.named(
  'OfferedPermission',
  t.open({
    key: t.described(t.Text, '`resource:action`'),
    resource: t.open({ key: t.Text, name: t.Text }),
    action: t.open({ key: t.Text, name: t.Text, description: t.nullable(t.Text) }),
  }),
)
export type OfferedPermission = t.Static<typeof OfferedPermission>

const OFFERS = ['assignable', 'extendable'] as const
export const TenantRoleQuery = query({
  ...page,
  offered: t.optional(
    t.schemaOf<string>({
      type: 'string',
      enum: OFFERS,
      default: 'assignable',
      description: 'which roles: those that may be assigned, or those that roles of the tenant may extend',
    }),
  ),
})
export { OFFERS }
