// The permissions of a user as rows of a page: one for each resource in a tenant, and one for each instance.
import { foldCase } from 'zerohop/fold-case'

interface Held {
  readonly tenant: string
  readonly roles: readonly string[]
  /** `type:action` */
  readonly permissions: readonly string[]
}

/** What is read of an answer of `user-permissions`. */
interface UserPermissions {
  readonly tenants: readonly Held[]
  readonly instances: readonly (Held & { readonly resource: string; readonly resource_instance: string })[]
}

export interface PermissionRow {
  readonly tenant: string
  /** a type, or `type:key` */
  readonly resource: string
  readonly actions: readonly string[]
  /** on an instance: the roles there */
  readonly roles: readonly string[]
}

export interface TenantPermissions {
  readonly tenant: string
  readonly roles: readonly string[]
  readonly rows: readonly PermissionRow[]
}

/** The rows that match: searches in resources and actions, in any letter case. */
export function listTenants({ tenants }: UserPermissions, search: string): readonly TenantPermissions[] {
  const all = tenants.map(({ tenant, roles, permissions }) => {
    const byType = new Map<string, string[]>()
    for (const permission of permissions) {
      const { type, action } = split(permission)
      const actions = byType.get(type)
      if (actions === undefined) byType.set(type, [action])
      else actions.push(action)
    }
    const rows = [...byType].map(([resource, actions]) => ({ tenant, resource, actions, roles: [] }))
    return { tenant, roles, rows: matching(rows, search) }
  })
  return search === '' ? all : all.filter(({ rows }) => rows.length > 0)
}

export function listInstances({ instances }: UserPermissions, search: string): readonly PermissionRow[] {
  const rows = instances.map(({ tenant, resource, resource_instance, roles, permissions }) => ({
    ...{ tenant, roles, resource: `${resource}:${resource_instance}` },
    actions: permissions.map((permission) => split(permission).action),
  }))
  return matching(rows, search)
}

function matching(rows: readonly PermissionRow[], search: string): readonly PermissionRow[] {
  const wanted = foldCase(search)
  if (wanted === '') return rows
  return rows.flatMap((row) => {
    if (foldCase(row.resource).includes(wanted)) return [row]
    const actions = row.actions.filter((action) => foldCase(action).includes(wanted))
    return actions.length === 0 ? [] : [{ ...row, actions }]
  })
}

function split(permission: string): { readonly type: string; readonly action: string } {
  const colon = permission.indexOf(':')
  return { type: permission.slice(0, colon), action: permission.slice(colon + 1) }
}
