// Access requests in words.
import type { AccessRequest, Acting, RequestState, Step } from '../api/requests.ts'

export const STATE_WORDS: Readonly<Record<RequestState, string>> = {
  pending: 'Pending',
  approved: 'Approved',
  denied: 'Denied',
  cancelled: 'Cancelled',
  revoked: 'Revoked',
  superseded: 'Superseded',
  expired: 'Expired',
  ended: 'Ended',
}

export const STEP_WORDS: Readonly<Record<Step, string>> = {
  approve: 'Approve',
  deny: 'Deny',
  cancel: 'Cancel',
  revoke: 'Revoke',
}

/** `in acme`, or `on server:db` */
export const formatPlace = ({ tenant, resource_instance: on }: AccessRequest): string =>
  on === null ? `in ${tenant}` : `on ${on}`

/** `responder of ana in acme` */
export const formatRequest = (request: AccessRequest): string =>
  `${request.role} of ${request.user} ${formatPlace(request)}`

/** What the session can do with a request in its state; whether the user may is for the server to say. */
export function listSteps({ state, user }: AccessRequest, acting: Acting): readonly Step[] {
  if (acting.is === 'nobody') return []
  if (state === 'approved') return ['revoke']
  if (state !== 'pending') return []
  if (acting.is === 'key') return ['approve', 'deny', 'cancel']
  return acting.user === user ? ['cancel'] : ['approve', 'deny']
}
