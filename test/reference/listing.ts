// The definition: listings. D12: a listing is the set of questions that `check` allows, so each is found by asking all
// of them, with what is sent with the listing. Keys are sorted by their UTF-8 bytes.
import { check } from './check.ts'
import { EVERYBODY, withoutEverybody } from './everybody.ts'
import type { Policy } from './policy.ts'
import { grantsOn, listDirectRoles, rolesOn } from './relations.ts'
import { isElsewhere, type Request, resolveTenant, type Sent } from './request.ts'
import { grants, rolesIn } from './roles.ts'
import { hasResource, hasUser, rulesFor } from './sets.ts'
import { isSuspended } from './suspensions.ts'

/** What is asked of everybody. */
type AboutUsers = Omit<Request, 'user'>
/** What is asked about every instance of the type, or of those that the tenant has when one is named. */
type AboutInstances = Omit<Request, 'resource'> & {
  readonly resource: { readonly type: string; readonly tenant?: string }
}
type AboutActions = Omit<Request, 'action'>

/** The stored users who may do the action. */
export function usersAllowed(policy: Policy, about: AboutUsers): string[] {
  return sorted([...policy.user.keys()].filter((user) => check(policy, { ...about, user })))
}

/**
 * The keys of the stored instances of a type on which the user may do the action, each asked in its own tenant (D2).
 */
export function instancesAllowed(policy: Policy, { resource: { type, tenant }, ...about }: AboutInstances): string[] {
  const within = (key: string) =>
    tenant === undefined || policy.resource_instance.get(`${type}:${key}`)!.tenant === tenant
  return listInstances(policy, type).filter(
    (key) => within(key) && check(policy, { ...about, resource: { type, key } }),
  )
}

/** The actions that the user may do. */
export function actionsAllowed(policy: Policy, about: AboutActions): string[] {
  const actions = policy.resource.get(about.resource.type)?.actions ?? [] // D1
  return sorted(actions.filter((action) => check(policy, { ...about, action })))
}

/** The tenants in which the user may do the action, whatever tenant the question names. */
export function tenantsAllowed(policy: Policy, about: Request): string[] {
  const inTenant = (tenant: string) => check(policy, { ...about, resource: { ...about.resource, tenant } })
  return sorted([...policy.tenant.keys()].filter(inTenant))
}

/** The tenants in which the user has a role, or has one on an instance. */
export function tenantsWithRoles(policy: Policy, user: string): string[] {
  if (isSuspended(policy, user) || user === EVERYBODY) return [] // D16
  const assigned = [...policy.role_assignment.values()].filter((each) => each.user === user)
  return sorted([...new Set(assigned.map(({ tenant }) => tenant))])
}

export interface TenantPermissions {
  readonly tenant: string
  readonly roles: readonly string[]
  readonly permissions: readonly string[]
}

/** D12: what everybody has (D16) is in the permissions of a user only in the tenants to which the user belongs, or that are named. */
function countingIn(policy: Policy, user: string, tenant: string): Policy {
  const ties = [...policy.role_assignment.values(), ...policy.membership.values()]
  const belongs = user !== EVERYBODY && ties.some((tie) => tie.user === user && tie.tenant === tenant)
  return belongs ? policy : withoutEverybody(policy)
}

/**
 * Every tenant in which the user has a role or anything is allowed on a type, with the roles and what is allowed; each
 * list sorted.
 */
export function listPermissions(policy: Policy, user: string, sent: Sent = {}): TenantPermissions[] {
  if (isSuspended(policy, user)) return [] // D16
  return sorted([...policy.tenant.keys()]).flatMap((tenant) =>
    permissionsIn(countingIn(policy, user, tenant), { user, tenant, sent }),
  )
}

/** The entry of a tenant, where there is one: what the policy allows there. */
export function permissionsIn(
  policy: Policy,
  { user, tenant, sent }: { readonly user: string; readonly tenant: string; readonly sent?: Sent | undefined },
): TenantPermissions[] {
  const roles = sorted(rolesIn(withoutEverybody(policy), user, tenant))
  const permissions = sorted(
    [...policy.resource.keys()].flatMap((type) => permissionsOn(policy, { user, resource: { type, tenant }, sent })),
  )
  return roles.length + permissions.length > 0 ? [{ tenant, roles, permissions }] : []
}

export interface InstancePermissions {
  /** `type:key` */
  readonly instance: string
  /** held on the instance, assigned or derived */
  readonly roles: readonly string[]
  /** everything allowed on the instance, also by roles in its tenant */
  readonly permissions: readonly string[]
}

/**
 * Every stored instance on which the user holds a role, or on which other things are allowed than on its type in its
 * tenant; each list sorted.
 */
export function listInstancePermissions(policy: Policy, user: string, sent: Sent = {}): InstancePermissions[] {
  if (isSuspended(policy, user)) return [] // D16
  const instances = [...policy.resource.keys()].flatMap((type) =>
    listInstances(policy, type).flatMap((key) => {
      const resource = { type, key }
      const { tenant } = policy.resource_instance.get(`${type}:${key}`)!
      const roles = sorted(rolesOn(withoutEverybody(policy), { user, action: '', resource }))
      const counting = countingIn(policy, user, tenant)
      const permissions = permissionsOn(counting, { user, resource, sent })
      const ofType = permissionsOn(counting, { user, resource: { type, tenant }, sent })
      const same = permissions.join() === ofType.join()
      return roles.length === 0 && same ? [] : [{ instance: `${type}:${key}`, roles, permissions }]
    }),
  )
  return instances.sort((left, right) => compare(left.instance, right.instance))
}

/** One way by which a user is allowed: a role and where it is held, or a user set and what was asked about. */
export type Way = readonly [resource: string, role: string]

/**
 * Every user who may do the action, with all ways: roles in the tenant, roles assigned on instances, user sets. What everybody
 * has (D16) is one line of its own, and makes no user one of them.
 */
export function authorizedUsers(policy: Policy, about: AboutUsers): [user: string, ways: Way[]][] {
  const own = withoutEverybody(policy)
  const users = usersAllowed(own, about).map((user): [string, Way[]] => {
    const request = { ...about, user }
    return [user, [...waysByRoles(own, request), ...waysByRelations(own, request), ...waysBySets(own, request)]]
  })
  const shared = { ...about, user: EVERYBODY }
  if (!check(policy, shared)) return users
  return [[EVERYBODY, [...waysByRoles(policy, shared), ...waysByRelations(policy, shared)]], ...users]
}

function waysByRoles(policy: Policy, request: Request): Way[] {
  const tenant = resolveTenant(policy, request)
  const permission = `${request.resource.type}:${request.action}`
  const allowing = rolesIn(policy, request.user, tenant).filter((role) => grants(policy, role, permission))
  return sorted(allowing).map((role) => [`__tenant:${tenant}`, role])
}

/** Each role that was assigned on an instance and alone is enough. D2: not for an instance of another tenant. */
function waysByRelations(policy: Policy, request: Request): Way[] {
  const { type } = request.resource
  const allowing = listDirectRoles(policy, request.user).filter((assigned) =>
    rolesOn(policy, request, [assigned]).some((role) => grantsOn(policy, type, role, `${type}:${request.action}`)),
  )
  return sorted(allowing).map((held) => {
    const [instance, role] = held.split('/') as [string, string]
    return [instance, `${instance.slice(0, instance.indexOf(':'))}#${role}`]
  })
}

function waysBySets(policy: Policy, request: Request): Way[] {
  if (isElsewhere(policy, request)) return [] // D2
  const rules = rulesFor(policy, request).filter(
    (rule) => hasUser(policy, request, rule.user_set) && hasResource(policy, request, rule.resource_set),
  )
  const { type, key = '*' } = request.resource
  return sorted([...new Set(rules.map(({ user_set }) => user_set))]).map((set) => [`${type}:${key}`, set])
}

const permissionsOn = (policy: Policy, about: AboutActions): string[] =>
  actionsAllowed(policy, about).map((action) => `${about.resource.type}:${action}`)

function listInstances(policy: Policy, type: string): string[] {
  const instances = [...policy.resource_instance.keys()].filter((instance) => instance.startsWith(`${type}:`))
  return sorted(instances.map((instance) => instance.slice(type.length + 1)))
}

const compare = (left: string, right: string): number => Buffer.compare(Buffer.from(left), Buffer.from(right))
const sorted = (keys: readonly string[]): string[] => [...keys].sort(compare)
