// The definition: listings. D12: a listing is the set of questions that `check` allows, so each is found by asking all of them, with nothing
// sent: what hangs on attributes of a request is in a listing only when it holds without them.
import { check } from './check.ts'
import type { Policy } from './policy.ts'
import { rolesOn } from './relations.ts'
import type { Request } from './request.ts'
import { rolesIn } from './roles.ts'

type Resource = Request['resource']

/** The users who may do the action. */
export function usersAllowed(policy: Policy, action: string, resource: Resource): string[] {
  return [...policy.user.keys()].filter((user) => check(policy, { user, action, resource })).sort()
}

/** The keys of the stored instances of a type on which the user may do the action, each asked in its own tenant (D2). */
export function instancesAllowed(policy: Policy, user: string, action: string, type: string): string[] {
  return instancesOf(policy, type).filter((key) => check(policy, { user, action, resource: { type, key } }))
}

/** The actions that the user may do. */
export function actionsAllowed(policy: Policy, user: string, resource: Resource): string[] {
  const actions = policy.resource.get(resource.type)?.actions ?? [] // D1
  return actions.filter((action) => check(policy, { user, action, resource })).sort()
}

/** The tenants in which the user may do the action. */
export function tenantsAllowed(policy: Policy, user: string, action: string, resource: Resource): string[] {
  const inTenant = (tenant: string) => check(policy, { user, action, resource: { ...resource, tenant } })
  return [...policy.tenant.keys()].filter(inTenant).sort()
}

export interface TenantPermissions {
  readonly tenant: string
  readonly roles: readonly string[]
  readonly permissions: readonly string[]
}

/** Every tenant in which the user has a role or anything is allowed on a type, with the roles and what is allowed; each list sorted. */
export function permissionsOf(policy: Policy, user: string): TenantPermissions[] {
  if (!policy.user.has(user)) return [] // D1
  const tenants = [...policy.tenant.keys()].sort()
  const rows = tenants.map((tenant) => ({
    tenant,
    roles: rolesIn(policy, user, tenant).sort(),
    permissions: [...policy.resource.keys()].flatMap((type) => permissionsOn(policy, user, { type, tenant })).sort(),
  }))
  return rows.filter(({ roles, permissions }) => roles.length + permissions.length > 0)
}

export interface InstancePermissions {
  /** `type:key` */
  readonly instance: string
  /** held on the instance, assigned or derived */
  readonly roles: readonly string[]
  /** everything allowed on the instance, also by roles in its tenant */
  readonly permissions: readonly string[]
}

/** Every stored instance on which the user holds a role, or on which other things are allowed than on its type in its tenant; each list sorted. */
export function instancePermissionsOf(policy: Policy, user: string): InstancePermissions[] {
  if (!policy.user.has(user)) return [] // D1
  return [...policy.resource.keys()].sort().flatMap((type) =>
    instancesOf(policy, type).flatMap((key) => {
      const roles = rolesOn(policy, { user, action: '', resource: { type, key } }).sort()
      const permissions = permissionsOn(policy, user, { type, key })
      const { tenant } = policy.resource_instance.get(`${type}:${key}`)!
      const ofType = permissionsOn(policy, user, { type, tenant })
      const same = permissions.join() === ofType.join()
      return roles.length === 0 && same ? [] : [{ instance: `${type}:${key}`, roles, permissions }]
    }),
  )
}

const permissionsOn = (policy: Policy, user: string, resource: Resource): string[] =>
  actionsAllowed(policy, user, resource).map((action) => `${resource.type}:${action}`)

function instancesOf(policy: Policy, type: string): string[] {
  const instances = [...policy.resource_instance.keys()].filter((instance) => instance.startsWith(`${type}:`))
  return instances.map((instance) => instance.slice(type.length + 1)).sort()
}
