// What a list of changes does to roles of tenants (D18), which no policy file has: one entry for each that is made or
// becomes another one, field by field.
import type { TenantRole } from '../../kinds/tenant-role.ts'
import type { Change } from '../../log/change.ts'
import type { Json, JsonObject } from '../../model/objects.ts'
import type { View } from '../../store/view.ts'
import { type FieldChange, fieldChanges } from './entries.ts'
import { fingerprint } from './fingerprints.ts'

export interface TenantRoleEntry {
  readonly op: 'create' | 'update'
  /** `role@tenant` */
  readonly key: string
  readonly fields: Readonly<Record<string, FieldChange>>
  /** fingerprint before; null when there was none */
  readonly was: string | null
}

/** Entries of the roles of tenants that are written, by key. */
export function listTenantRoleEntries(view: Pick<View, 'get'>, changes: readonly Change[]): TenantRoleEntry[] {
  const entries = changes.flatMap((change): TenantRoleEntry[] => {
    if (change.op !== 'put' || change.kind !== 'tenant_role') return []
    const before = view.get('tenant_role', change.key)
    const then = before === undefined ? {} : shownFields(before)
    const fields = fieldChanges(then, shownFields(change.value as TenantRole))
    const op = before === undefined ? 'create' : 'update'
    return [{ op, key: change.key, fields, was: before === undefined ? null : fingerprint(then) }]
  })
  return entries.toSorted((one, other) => (one.key < other.key ? -1 : 1))
}

/** What is there of a role, without what has its default. */
function shownFields({ role, name, description, permissions, extends: parents, requestable }: TenantRole): JsonObject {
  const fields: Record<string, Json | undefined> = {
    name: name === role ? undefined : name,
    description: description ?? undefined,
    permissions: permissions.length === 0 ? undefined : permissions.toSorted(),
    extends: parents.length === 0 ? undefined : parents.toSorted(),
    requestable: requestable as Json | undefined,
  }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as JsonObject
}
