// A copy takes along the roles that tenants made (D18), where the request says so. Tenants are facts, which are not copied:
// those of tenants that the target has by the same key are copied, with what is offered there.
import type { Requestable } from '../../kinds/fields.ts'
import type { TenantRole } from '../../kinds/tenant-role.ts'
import type { Draft } from '../../store/draft.ts'
import type { Mint, View } from '../../store/view.ts'
import { createTenantRole, replaceTenantRole } from '../objects/tenant-roles.ts'
import { findRoleInTenants, isOffered } from '../rules/tenant-roles.ts'

/**
 * Stages the roles of tenants of the source in the target, to which its policy was copied before. What the target does not
 * offer they have not; roles that only the target has stay.
 * @throws OBJECT_EXISTS unless what is there may be overwritten; LIMIT_EXCEEDED
 */
export function copyTenantRoles(draft: Draft, source: View, overwrite: boolean, mint: Mint): void {
  const roles = [...source.list('tenant_role')].filter(({ tenant }) => draft.get('tenant', tenant) !== undefined)
  if (!overwrite) for (const { key } of roles) draft.refuse('tenant_role', key)
  // without what they extend at first: on the way from the roles of one side to those of the other one may be a cycle
  for (const { tenant, role: key, key: ref } of roles) {
    const isThere = draft.get('tenant_role', ref) !== undefined
    if (isThere) draft.take(replaceTenantRole(draft, { tenant, ref, fields: {} }, mint))
    else draft.take(createTenantRole(draft, { tenant, role: { key } }, mint))
  }
  for (const role of roles) {
    const of = { tenant: role.tenant, ref: role.key, fields: fieldsIn(draft, role) }
    draft.take(replaceTenantRole(draft, of, mint))
  }
}

/** The role with what the target offers. */
function fieldsIn(target: View, { name, description, permissions, extends: parents, requestable }: TenantRole) {
  return {
    name,
    description,
    permissions: permissions.filter((permission) => isOffered(target, permission)),
    extends: parents.filter((parent) => isExtendable(target, parent)),
    requestable: requestable === undefined ? null : requestableIn(target, requestable),
  }
}

const isExtendable = (target: View, key: string): boolean =>
  target.get('tenant_role', key) !== undefined || target.get('role', key)?.extendable === true

const requestableIn = (target: View, { approvers, ...rest }: Requestable): Requestable => ({
  ...rest,
  approvers: approvers.filter((approver) => findRoleInTenants(target, approver) !== undefined),
})
