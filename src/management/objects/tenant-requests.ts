// Access requests in one tenant (docs/access-requests.md), for its own administrators: the use cases of access-requests.ts,
// of what is in the tenant that the path names.
import type { AccessRequest } from '../../kinds/access-request.ts'
import { ZerohopError } from '../../model/errors.ts'
import type { Decided, Mint, View } from '../../store/view.ts'
import { findRoleInTenants, findTenantRole } from '../rules/tenant-roles.ts'
import type { AccessRequestApprove, AccessRequestInTenant } from '../schemas/access-requests.ts'
import {
  approveAccessRequest,
  type By,
  cancelAccessRequest,
  createAccessRequest,
  denyAccessRequest,
  revokeAccessRequest,
  type WithinOwn,
} from './access-requests.ts'

const DECISIONS = {
  approve: approveAccessRequest,
  deny: denyAccessRequest,
  cancel: cancelAccessRequest,
  revoke: revokeAccessRequest,
} as const
export type Decision = keyof typeof DECISIONS

interface OfTenant {
  /** key or id of the tenant */
  readonly tenant: string
}

/** Asks for a role in the tenant, its own by their key there too, or on an instance in it. @throws as createAccessRequest */
export function requestInTenant(
  view: View,
  { tenant: ref, request }: OfTenant & { readonly request: By<AccessRequestInTenant> },
  mint: Mint,
): Decided<AccessRequest> {
  const tenant = view.require('tenant', ref).key
  const isKnown = request.resource_instance != null || findRoleInTenants(view, request.role) !== undefined
  const own = isKnown ? undefined : findTenantRole(view, tenant, request.role)
  return createAccessRequest(view, { ...request, tenant, role: own?.key ?? request.role }, mint)
}

/** Decides on a request in the tenant. @throws OBJECT_NOT_FOUND for one in another tenant, and as the decision */
export function decideInTenant(
  view: View,
  of: OfTenant & {
    readonly ref: string
    readonly decision: Decision
    readonly fields: By<AccessRequestApprove>
  } & WithinOwn,
  mint: Mint,
): Decided<AccessRequest> {
  requireRequest(view, of)
  const { ref, decision, fields, isWithinOwn = false } = of
  return DECISIONS[decision](view, { ref, fields, isWithinOwn }, mint)
}

/** A request in the tenant. @throws OBJECT_NOT_FOUND, also for one in another tenant */
export function requireRequest(view: View, { tenant, ref }: OfTenant & { readonly ref: string }): AccessRequest {
  const { id } = view.require('tenant', tenant)
  const request = view.require('access_request', ref)
  if (request.tenant_id === id) return request
  throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'access_request', ref })
}
