// The definition: roles on instances (D5), also by relations that are sent with the question (D14). What a user holds
// is found from what was assigned, upwards over relations, until nothing new comes; cycles need no care, because what
// is held already is not new.
import { EVERYBODY, holdersFor } from './everybody.ts'
import type { Policy } from './policy.ts'
import { findInstanceName, isElsewhere, type Request, resolveTenant, storedInstance } from './request.ts'

/** A role on an instance, `type:key/role`. No key has a slash or a colon. */
type Held = string

const instanceType = (instance: string) => instance.slice(0, instance.indexOf(':'))

/**
 * D5: a role that the user holds on the instance has the action. D1: what is not stored gives nothing. D2: nor does
 * another tenant.
 */
export function byRelations(policy: Policy, request: Request): boolean {
  const permission = `${request.resource.type}:${request.action}`
  return rolesOn(policy, request).some((role) => grantsOn(policy, request.resource.type, role, permission))
}

/** The roles that the user of the question holds on its resource; or only what comes of some of the assigned ones. */
export function rolesOn(policy: Policy, request: Request, assigned = assignedFor(policy, request.user)): string[] {
  if (isElsewhere(policy, request)) return []
  const held = heldBy(policy, request.user, assigned)
  const stored = storedInstance(policy, request) === undefined ? [] : rolesIn(held, findInstanceName(request)!)
  return [...new Set([...stored, ...rolesBySentRelations(policy, request, held)])]
}

const rolesIn = (all: Iterable<Held>, instance: string): string[] =>
  [...all].filter((held) => held.startsWith(`${instance}/`)).map((held) => held.slice(instance.length + 1))

/**
 * D14: the roles on the resource of the question that come over the relations sent with it. It need not be stored; what
 * is held on the related instance comes of what is stored, and that instance is stored in the tenant of the question.
 */
function rolesBySentRelations(policy: Policy, request: Request, held: ReadonlySet<Held>): string[] {
  const { type, key = '', relations = {} } = request.resource
  const object = `${type}:${key}`
  // D2: a marked row is not what is stored under its key in another tenant, nor are roles on that roles on the row
  const isStored = storedInstance(policy, request) !== undefined
  const hasDirectRole = isStored && rolesIn(listOwnRoles(policy, request.user), object).length > 0
  const pairs = Object.entries(relations).flatMap(([relation, subjects]) =>
    subjects.map((subject) => ({ subject, relation, object })),
  )
  return pairs
    .filter(({ subject }) => policy.resource_instance.get(subject)?.tenant === resolveTenant(policy, request))
    .flatMap((pair) => rolesIn(held, pair.subject).flatMap((role) => derivedBy(policy, role, pair, hasDirectRole)))
}

/** D5, D16: what counts as assigned to the user: also what is assigned to everybody. */
const assignedFor = (policy: Policy, user: string): Held[] =>
  holdersFor(user).flatMap((holder) => listDirectRoles(policy, holder))

/** D5: the roles on instances that were assigned to the user. */
export function listDirectRoles(policy: Policy, user: string): Held[] {
  const direct = [...policy.role_assignment.values()].filter((each) => each.user === user && each.resource_instance)
  return direct.map(({ resource_instance, role }) => `${resource_instance}/${role}`)
}

/** D16: what is assigned to everybody is a direct role of nobody. */
const listOwnRoles = (policy: Policy, user: string): Held[] => (user === EVERYBODY ? [] : listDirectRoles(policy, user))

/**
 * D5: every role that the user holds on any instance, assigned or derived; or only what comes of some of the assigned
 * ones.
 */
export function heldBy(policy: Policy, user: string, assigned = assignedFor(policy, user)): Set<Held> {
  const held = new Set(assigned)
  const withDirectRole = new Set(listOwnRoles(policy, user).map((each) => each.split('/')[0]))
  for (const each of held) {
    // a Set also walks what is added on the way
    const [instance = '', role = ''] = each.split('/')
    for (const tuple of policy.relationship_tuple.values()) {
      if (tuple.subject !== instance) continue
      for (const derived of derivedBy(policy, role, tuple, withDirectRole.has(tuple.object))) {
        held.add(`${tuple.object}/${derived}`)
      }
    }
  }
  return held
}

/** D5: the roles on the object of a tuple that come from exactly this role on its subject. */
function derivedBy(
  policy: Policy,
  source: string,
  { subject, relation, object }: { readonly subject: string; readonly relation: string; readonly object: string },
  hasDirectRole: boolean,
): string[] {
  const derived: string[] = []
  for (const { resource, role, granted_to } of policy.resource_role.values()) {
    if (resource !== instanceType(object)) continue
    for (const rule of granted_to?.users_with_role ?? []) {
      if (rule.role !== source || rule.on_resource !== instanceType(subject) || rule.linked_by_relation !== relation)
        continue
      const onlyWithout = rule.when.no_direct_roles_on_object || granted_to!.when.no_direct_roles_on_object
      if (!(onlyWithout && hasDirectRole)) derived.push(role)
    }
  }
  return derived
}

/**
 * The role, or one of its type that it extends over any number of steps, has the permission. Holding a child is not
 * holding its parents.
 */
export function grantsOn(policy: Policy, type: string, role: string, permission: string): boolean {
  const reached = [...withExtended(policy, type, role)]
  return reached.some((each) => policy.resource_role.get(`${type}/${each}`)!.permissions.includes(permission))
}

/** The role, and those of its type that it extends over any number of steps. */
export function withExtended(policy: Policy, type: string, role: string): ReadonlySet<string> {
  const reached = new Set([role])
  for (const each of reached) {
    for (const parent of policy.resource_role.get(`${type}/${each}`)!.extends) reached.add(parent)
  }
  return reached
}
