// Hooks for the roles that can be given in a tenant, and for those that it makes of its own (docs/browser.md).
import { useMemo } from 'react'
import type { OfferedPermission, TenantRole } from '../../model/members.ts'
import { type Paged, type UsedList, useList } from './use-list.ts'

export interface RolesOptions extends Paged {
  /** `assignable`, the default: those that may be given; `extendable`: those that own roles may extend */
  readonly offered?: 'assignable' | 'extendable' | undefined
}

export type PermissionsOptions = Paged

/** The fields of an own role. What is absent stays as it is, `null` resets it. */
export interface RoleFields {
  readonly name?: string | null
  readonly description?: string | null
  /** `resource:action`, of those that are offered */
  readonly permissions?: readonly string[] | null
  /** keys of roles that are `extendable`, or of the tenant */
  readonly extends?: readonly string[] | null
}

export interface NewRole extends RoleFields {
  /** within the tenant: `bookkeeper` is shown as `bookkeeper@acme` */
  readonly key: string
}

export interface UsedRoles extends UsedList<TenantRole> {
  /** makes a role of the tenant; then loads again. @throws MembersError, as do the others */
  readonly create: (role: NewRole) => Promise<void>
  /** changes a role of the tenant */
  readonly change: (key: string, fields: RoleFields) => Promise<void>
  /** deletes a role of the tenant, also from those who have it */
  readonly remove: (key: string) => Promise<void>
}

/** The roles that may be given in the tenant, its own among them. */
export function useTenantRoles(options: RolesOptions = {}): UsedRoles {
  const { offered } = options
  const [list, change] = useList<TenantRole>('roles', options, { offered })
  return useMemo(() => {
    const at = (key: string) => `roles/${encodeURIComponent(key)}`
    return {
      ...list,
      create: (role) => change('POST', 'roles', role),
      change: (key, fields) => change('PATCH', at(key), fields),
      remove: (key) => change('DELETE', at(key)),
    }
  }, [list, change])
}

/** The permissions that roles of the tenant may have. */
export function useOfferedPermissions(options: PermissionsOptions = {}): UsedList<OfferedPermission> {
  return useList<OfferedPermission>('permissions', options, {})[0]
}
