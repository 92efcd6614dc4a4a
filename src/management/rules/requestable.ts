// The rule for who may ask for a role, and who decides (docs/access-requests.md). What is sent replaces what is stored as a
// whole, so nothing that is left out can widen it: the defaults are the narrower ones.
import type { Requestable, SentRequestable } from '../../kinds/fields.ts'
import { ZerohopError } from '../../model/errors.ts'
import { APPROVERS_MAX } from '../../model/limits.ts'
import { partKey, tenantRoleKey } from '../../model/objects.ts'
import { compareText } from '../../model/text-order.ts'
import type { View } from '../../store/view.ts'
import { type Path, type Sent, settleSeconds } from './fields.ts'
import { findTenantRole } from './tenant-roles.ts'

/** A role: `of` is the key of its resource type, empty for a role in tenants. */
interface OfRole {
  readonly of: string
  /** of a role of a tenant the whole key */
  readonly key: string
  /** the key of the tenant, of a role of a tenant (D18) */
  readonly tenant?: string
}

/**
 * How the role may be asked for after a write; null: by no one.
 * @throws OBJECT_NOT_FOUND for an approver that does not exist; INPUT_INVALID for one of another resource type, and for
 * `auto` whose reason is optional
 */
export function settleRequestable(
  view: View,
  sent: Sent<SentRequestable>,
  stored: Requestable | null,
  role: OfRole,
  path: Path,
): Requestable | null {
  if (sent === undefined || sent === null) return sent === null ? null : stored
  const max_duration = settleSeconds(sent.max_duration, null, [...path, 'max_duration'])
  if (max_duration === null) {
    const reason = 'it is required: what is asked for always ends'
    throw new ZerohopError('INPUT_INVALID', { reason }, { path: [...path, 'max_duration'] })
  }
  if (role.tenant !== undefined && sent.by === 'everybody') {
    const reason = 'a role of a tenant is for its own users: it is `members`'
    throw new ZerohopError('INPUT_INVALID', { reason }, { path: [...path, 'by'] })
  }
  const refs = sent.approvers ?? []
  if (refs.length > APPROVERS_MAX) {
    const details = { what: 'the number of approvers of a role', limit: APPROVERS_MAX }
    throw new ZerohopError('LIMIT_EXCEEDED', details, { path: [...path, 'approvers'] })
  }
  const found = refs.map((ref, at) => resolveApprover(view, ref, role, [...path, 'approvers', at]))
  const reason = sent.reason ?? 'required'
  if (sent.auto && reason !== 'required') {
    const why = 'a role that is given at once is given for a reason: it is `required`'
    throw new ZerohopError('INPUT_INVALID', { reason: why }, { path: [...path, 'reason'] })
  }
  return {
    by: sent.by ?? 'members',
    approvers: [...new Set(found)].sort(compareText),
    max_duration,
    reason,
    ...(sent.auto ? { auto: true } : {}),
  }
}

/** The role that an approver holds, as it is stored: a key, or `resource/role`. */
function resolveApprover(view: View, ref: string, { of, key, tenant }: OfRole, path: Path): string {
  if (ref === (of === '' ? key : partKey(of, key))) return ref // the role itself, which may be about to be made
  if (tenant !== undefined) return resolveInTenant(view, ref, { key, tenant }, path)
  const role = view.find('role', ref)
  if (role !== undefined) return role.key
  const ofType = view.find('resource_role', ref)
  if (ofType === undefined) {
    const kind = ref.includes('/') ? 'resource_role' : 'role'
    throw new ZerohopError('OBJECT_NOT_FOUND', { kind, ref }, { path })
  }
  if (ofType.resource === of) return ofType.key
  const reason =
    of === ''
      ? `role \`${ofType.key}\` is one on instances, and this one is not: roles in the tenant approve it`
      : `role \`${ofType.key}\` is of another resource type: roles in the tenant and roles of \`${of}\` approve it`
  throw new ZerohopError('INPUT_INVALID', { reason }, { path })
}

/** The whole key of who approves for a role of a tenant: a role of the environment, or of the same tenant. */
function resolveInTenant(
  view: View,
  ref: string,
  { key, tenant }: Pick<Required<OfRole>, 'key' | 'tenant'>,
  path: Path,
): string {
  const found = view.find('role', ref) ?? findTenantRole(view, tenant, ref)
  if (found !== undefined) return found.key
  if (tenantRoleKey(ref, tenant) === key) return key
  throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'role', ref }, { path })
}

/** The same without a role that is gone. */
export const withoutApprover = <R extends { readonly requestable?: Requestable; readonly updated_at: number }>(
  role: R,
  approver: string,
  now: number,
): R =>
  role.requestable === undefined
    ? role
    : {
        ...role,
        requestable: {
          ...role.requestable,
          approvers: role.requestable.approvers.filter((one) => one !== approver),
        },
        updated_at: now,
      }
