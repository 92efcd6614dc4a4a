// What must be written so that an environment holds what a foreign one defines: roles and users, the assignments that tie them, and what those
// need (tenants, resources with their actions). Pure: two contents in, calls out. What is there and equal needs no call, which makes a move
// that was cut off continue where it stopped.

import type { Method } from './api.ts'
import {
  type Assignment,
  assignmentKey,
  type Contents,
  type Environment,
  factsOf,
  isSame,
  type Role,
  schemaOf,
  type User,
} from './world.ts'

export interface Call {
  readonly method: Method
  readonly path: string
  readonly body: unknown
  /** what it makes, for people */
  readonly what: string
}

export interface Conflict {
  readonly environment: string
  readonly kind: 'role' | 'user'
  readonly key: string
  readonly foreign: unknown
  readonly own: unknown
}

export interface Plan {
  readonly environment: Environment
  /** in an order in which nothing needs what comes later */
  readonly calls: readonly Call[]
  readonly conflicts: readonly Conflict[]
  /** what of the foreign environment belongs here; verify compares these */
  readonly roles: readonly Role[]
  readonly users: readonly User[]
  readonly assignments: readonly Assignment[]
}

/** @param overwrite gives a role or user that is there with other values those of the foreign one */
export function planFor(environment: Environment, foreign: Contents, own: Contents, overwrite: boolean): Plan {
  const [schema, facts] = [schemaOf(environment), factsOf(environment)]
  const calls: Call[] = []
  const conflicts: Conflict[] = []
  const call = (method: Method, path: string, body: unknown, what: string): void =>
    void calls.push({ method, path, body, what })
  const conflict = (kind: Conflict['kind'], key: string, theirs: unknown, mine: unknown): void =>
    void conflicts.push({ environment: environment.name, kind, key, foreign: theirs, own: mine })

  const resources = keyed(own.resources)
  for (const [resource, actions] of actionsOf(foreign.roles)) {
    const there = resources.get(resource)
    const theirs = foreign.resources.find(({ key }) => key === resource)
    const about = (action: string): object => theirs?.actions.get(action) ?? {}
    if (there === undefined) {
      const made = Object.fromEntries(actions.map((action) => [action, about(action)]))
      call('POST', `${schema}/resources`, { key: resource, ...theirs?.details, actions: made }, `resource ${resource}`)
      continue
    }
    const path = `${schema}/resources/${encodeURIComponent(resource)}/actions`
    for (const action of actions.filter((action) => !there.actions.has(action)))
      call('POST', path, { key: action, ...about(action) }, `action ${resource}:${action}`)
  }
  const roles = keyed(own.roles)
  for (const role of parentsFirst(foreign.roles)) {
    const there = roles.get(role.key)
    const { key, ...values } = role
    if (there === undefined) call('POST', `${schema}/roles`, role, `role ${key}`)
    else if (!isSame(there, role)) {
      if (overwrite) call('PATCH', `${schema}/roles/${encodeURIComponent(key)}`, values, `role ${key}`)
      else conflict('role', key, role, there)
    }
  }
  const tenants = new Set(own.tenants.map(({ key }) => key))
  for (const { tenant } of foreign.assignments) {
    if (tenants.has(tenant)) continue
    tenants.add(tenant)
    const details = foreign.tenants.find(({ key }) => key === tenant)?.details
    call('POST', `${facts}/tenants`, { key: tenant, ...details }, `tenant ${tenant}`)
  }
  const users = keyed(own.users)
  for (const user of foreign.users) {
    const there = users.get(user.key)
    const path = `${facts}/users/${encodeURIComponent(user.key)}`
    if (there === undefined) call('PUT', path, user, `user ${user.key}`)
    else if (!isSame(there, user)) {
      if (overwrite) call('PUT', path, user, `user ${user.key}`)
      else conflict('user', user.key, user, there)
    }
  }
  const held = new Set(own.assignments.map(assignmentKey))
  for (const assignment of foreign.assignments) {
    if (held.has(assignmentKey(assignment))) continue
    const { user, role, tenant } = assignment
    call('POST', `${facts}/role_assignments`, assignment, `${user} is ${role} in ${tenant}`)
  }
  return {
    environment,
    calls,
    conflicts,
    roles: foreign.roles,
    users: foreign.users,
    assignments: foreign.assignments,
  }
}

const keyed = <T extends { readonly key: string }>(rows: readonly T[]) => new Map(rows.map((row) => [row.key, row]))

/** Actions by resource, as the permissions of the roles name them. */
function actionsOf(roles: readonly Role[]): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const permission of new Set(roles.flatMap(({ permissions }) => permissions))) {
    const at = permission.indexOf(':')
    const resource = permission.slice(0, at)
    found.set(resource, [...(found.get(resource) ?? []), permission.slice(at + 1)])
  }
  return found
}

/** A role after those that it extends. A circle, which no service accepts, ends where it began. */
function parentsFirst(roles: readonly Role[]): Role[] {
  const ordered: Role[] = []
  const seen = new Set<string>()
  const visit = (role: Role): void => {
    if (seen.has(role.key)) return
    seen.add(role.key)
    for (const parent of role.extends) {
      const found = roles.find(({ key }) => key === parent)
      if (found !== undefined) visit(found)
    }
    ordered.push(role)
  }
  for (const role of roles) visit(role)
  return ordered
}
