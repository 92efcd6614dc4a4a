// Access requests in one tenant (docs/access-requests.md), for its own administrators: the use cases of access-requests.ts,
// of what is in the tenant that the path names.
import type { AccessRequest } from '../../kinds/access-request.ts'
import { ZerohopError } from '../../model/errors.ts'
import type { Decided, Mint, View } from '../../store/view.ts'
import type { AccessRequestApprove, AccessRequestInTenant } from '../schemas/access-requests.ts'
import {
  approveAccessRequest,
  type By,
  cancelAccessRequest,
  createAccessRequest,
  denyAccessRequest,
  revokeAccessRequest,
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

/** Asks for a role in the tenant, or on an instance in it. @throws as createAccessRequest */
export function requestInTenant(
  view: View,
  { tenant: ref, request }: OfTenant & { readonly request: By<AccessRequestInTenant> },
  mint: Mint,
): Decided<AccessRequest> {
  const tenant = view.require('tenant', ref).key
  return createAccessRequest(view, { ...request, tenant }, mint)
}

/** Decides on a request in the tenant. @throws OBJECT_NOT_FOUND for one in another tenant, and as the decision */
export function decideInTenant(
  view: View,
  of: OfTenant & { readonly ref: string; readonly decision: Decision; readonly fields: By<AccessRequestApprove> },
  mint: Mint,
): Decided<AccessRequest> {
  requireRequest(view, of)
  return DECISIONS[of.decision](view, { ref: of.ref, fields: of.fields }, mint)
}

/** A request in the tenant. @throws OBJECT_NOT_FOUND, also for one in another tenant */
export function requireRequest(view: View, { tenant, ref }: OfTenant & { readonly ref: string }): AccessRequest {
  const { id } = view.require('tenant', tenant)
  const request = view.require('access_request', ref)
  if (request.tenant_id === id) return request
  throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'access_request', ref })
}
