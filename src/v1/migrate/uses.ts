// Finds the foreign objects that an environment uses, and the v1 decisions that it would lose without them. A PDP of v1
// allows what its own environment or the foreign one allows, so every foreign assignment can affect every environment;
// an environment *uses* only what its own objects refer to.
import { type Assignment, assignmentKey, type Contents, type Role } from './world.ts'

/**
 * The part of the foreign contents that an environment uses: everything about the users and tenants that it has (except
 * `default`, which every environment has), the roles that its assignments name, and what those depend on. A second call
 * after moving that part finds the same part.
 */
export function usedBy(foreign: Contents, own: Contents): Contents {
  const users = new Set([...own.users.map(({ key }) => key), ...own.assignments.map(({ user }) => user)])
  const tenants = new Set(own.tenants.map(({ key }) => key).filter((key) => key !== 'default'))
  const assignments: Assignment[] = []
  let rest = foreign.assignments
  for (let before = -1; before < assignments.length; ) {
    before = assignments.length
    rest = rest.filter((assignment) => {
      const { user, tenant } = assignment
      if (!users.has(user) && !tenants.has(tenant)) return true
      assignments.push(assignment)
      users.add(user)
      if (tenant !== 'default') tenants.add(tenant)
      return false
    })
  }
  assignments.sort((left, right) => (assignmentKey(left) < assignmentKey(right) ? -1 : 1))
  const roles = new Set([...assignments, ...own.assignments].map(({ role }) => role))
  return {
    ...foreign,
    users: foreign.users.filter(({ key }) => users.has(key)),
    roles: withParents(foreign.roles, roles),
    assignments,
  }
}

export function isEmpty({ users, roles, assignments }: Contents): boolean {
  return users.length + roles.length + assignments.length === 0
}

/** A foreign object that affects decisions for clients of v1 and that an environment does not have. */
export interface Lacking {
  /** what it is, in words */
  readonly what: string
  readonly why: string
  /** keys of the user and the role: naming either drops it */
  readonly keys: readonly string[]
}

/**
 * The foreign assignments and permissions that `own` does not have: what v1 allows through them would be denied without
 * the foreign environment.
 */
export function lackingIn(foreign: Contents, own: Contents): Lacking[] {
  const held = new Set(own.assignments.map(assignmentKey))
  const [theirs, ours] = [permissionsByRole(foreign.roles), permissionsByRole(own.roles)]
  const found = new Map<string, Lacking>()
  for (const assignment of foreign.assignments) {
    const { user, role, tenant } = assignment
    const permissions = [...(theirs.get(role) ?? [])]
    if (permissions.length === 0) continue
    if (!held.has(assignmentKey(assignment))) {
      const what = `${user} is ${role} in ${tenant}`
      found.set(what, { what, why: 'not there', keys: [user, role] })
      continue
    }
    const missing = permissions.filter((permission) => ours.get(role)?.has(permission) !== true)
    if (missing.length === 0) continue
    found.set(`role ${role}`, { what: `role ${role}`, why: `there without ${missing.join(', ')}`, keys: [role] })
  }
  return [...found.values()]
}

/** Whether it can make v1 allow anything. */
export function decides({ assignments, roles }: Contents): boolean {
  const permissions = permissionsByRole(roles)
  return assignments.some(({ role }) => (permissions.get(role)?.size ?? 0) > 0)
}

/** Role → its permissions and those of the roles that it extends. */
function permissionsByRole(roles: readonly Role[]): Map<string, ReadonlySet<string>> {
  return new Map(
    roles.map(({ key }) => [key, new Set(withParents(roles, new Set([key])).flatMap((role) => role.permissions))]),
  )
}

function withParents(roles: readonly Role[], keys: ReadonlySet<string>): Role[] {
  const wanted = new Set(keys)
  const byKey = new Map(roles.map((role) => [role.key, role]))
  for (const key of wanted) {
    for (const parent of byKey.get(key)?.extends ?? []) wanted.add(parent)
  }
  return roles.filter(({ key }) => wanted.has(key))
}
