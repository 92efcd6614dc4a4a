// A role that a tenant's own administrators made: a role in tenants that counts in that one alone (D18).
import { type Named, tenantRoleKey } from '../model/objects.ts'
import { fields, type StoredFields } from './fields.ts'
import { givingFields } from './giving.ts'
import type { Kind } from './kind.ts'
import { text, texts } from './wire-values.ts'

/** How a role of a tenant is given: to its users, by the tenant itself, and for a time to whoever asks. */
export const tenantGivingFields = fields({ requestable: givingFields.requestable })

/**
 * `key` is `tenantRoleKey(role, tenant)`. Permissions are `resource:action` of actions that are `grantable`; `extends` are
 * whole keys: of roles of the environment that are `extendable`, and of roles of the same tenant;
 * so are those who approve.
 */
export interface TenantRole extends Named, StoredFields<typeof tenantGivingFields> {
  readonly tenant: string
  /** the key within the tenant */
  readonly role: string
  readonly permissions: readonly string[]
  readonly extends: readonly string[]
}

export interface TenantRolePolicy {
  readonly tenant: string
  readonly role: string
  readonly permissions: readonly string[]
  /** whole keys */
  readonly extends: readonly string[]
}

export const tenantRole = {
  number: 19,
  newerNumbers: { tenant_roles: 72 },
  hasIds: true,
  hasOwnTable: false,
  indexes: {
    roles_of_tenant: ({ tenant }) => [tenant],
    tenant_roles_with_parent: (role) => role.extends,
    tenant_roles_with_approver: ({ requestable }) => requestable?.approvers ?? [],
    /** under each permission, so that what changes with an action finds its roles among those of all tenants */
    tenant_roles_with_permission: (role) => role.permissions,
  },
  projection: {
    code: 18,
    project: ({ tenant, role, permissions, extends: parents }) => ({ tenant, role, permissions, extends: parents }),
    write: ({ tenant, role, permissions, extends: parents }) => [tenant, role, permissions, parents],
    read: ([, tenant, role, permissions, parents]) => {
      const value = { tenant: text(tenant), role: text(role), permissions: texts(permissions), extends: texts(parents) }
      return { op: 'put', kind: 'tenant_role', key: tenantRoleKey(value.role, value.tenant), value }
    },
  },
  inFiles: null,
} as const satisfies Kind<'tenant_role', TenantRole, TenantRolePolicy>
