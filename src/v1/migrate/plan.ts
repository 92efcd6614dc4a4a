// Plans the calls after which an environment has what a foreign one defines: roles and users, their assignments, and
// what those need (tenants, resources with their actions). Pure: two contents in, calls out. Objects that exist and are
// equal need no call, so an interrupted move continues where it stopped.

import type { Method } from './api-client.ts'
import {
  type Assignment,
  assignmentKey,
  type Contents,
  type Details,
  type Environment,
  factsOf,
  isSame,
  type Role,
  schemaOf,
  type User,
} from './world.ts'

export type CallKind = 'resource' | 'action' | 'role' | 'tenant' | 'user' | 'assignment'

export interface Call {
  readonly kind: CallKind
  readonly method: Method
  readonly path: string
  readonly body: unknown
  /** what it writes, in words */
  readonly what: string
  /** the resource of an action */
  readonly of?: string
  /** the previous object, when it is overwritten */
  readonly before?: unknown
}

export interface Conflict {
  readonly environment: string
  readonly kind: Exclude<CallKind, 'assignment'>
  readonly key: string
  readonly foreign: unknown
  readonly own: unknown
}

export interface Plan {
  readonly environment: Environment
  /** ordered so that no call depends on a later one */
  readonly calls: readonly Call[]
  readonly conflicts: readonly Conflict[]
  /** the foreign objects that this environment must have; verify compares these */
  readonly roles: readonly Role[]
  readonly users: readonly User[]
  readonly assignments: readonly Assignment[]
}

/**
 * @param foreign what the environment must have afterwards
 * @param overwrite overwrites existing objects that differ; otherwise each of them is a conflict
 */
export function planFor(environment: Environment, foreign: Contents, own: Contents, overwrite: boolean): Plan {
  const planner = new Planner(environment, overwrite)
  planner.planResources(foreign, own)
  planner.planRoles(foreign, own)
  planner.planTenants(foreign, own)
  planner.planUsers(foreign, own)
  planner.planAssignments(foreign, own)
  const { calls, conflicts } = planner
  const { roles, users, assignments } = foreign
  return { environment, calls, conflicts, roles, users, assignments }
}

class Planner {
  readonly calls: Call[] = []
  readonly conflicts: Conflict[] = []
  readonly #environment: Environment
  readonly #overwrite: boolean
  readonly #schema: string
  readonly #facts: string

  constructor(environment: Environment, overwrite: boolean) {
    this.#environment = environment
    this.#overwrite = overwrite
    this.#schema = schemaOf(environment)
    this.#facts = factsOf(environment)
  }

  /** The resources and actions that the permissions of the roles name. */
  planResources(foreign: Contents, own: Contents): void {
    const [theirs, resources] = [keyed(foreign.resources), keyed(own.resources)]
    for (const [resource, actions] of actionsOf(foreign.roles)) {
      const there = resources.get(resource)
      const details = theirs.get(resource)?.details ?? {}
      const about = (action: string): Details => theirs.get(resource)?.actions.get(action) ?? {}
      if (there === undefined) {
        const made = Object.fromEntries(actions.map((action) => [action, about(action)]))
        const body = { key: resource, ...details, actions: made }
        this.#make('resource', 'POST', `${this.#schema}/resources`, { body, what: `resource ${resource}` })
        continue
      }
      const path = `${this.#schema}/resources/${encodeURIComponent(resource)}`
      this.#settle('resource', path, { key: resource, what: `resource ${resource}` }, [details, there.details])
      for (const key of actions) {
        const named = { key, what: `action ${resource}:${key}`, of: resource }
        const mine = there.actions.get(key)
        if (mine !== undefined)
          this.#settle('action', `${path}/actions/${encodeURIComponent(key)}`, named, [about(key), mine])
        else
          this.#make('action', 'POST', `${path}/actions`, {
            body: { key, ...about(key) },
            what: named.what,
            of: resource,
          })
      }
    }
  }

  planRoles(foreign: Contents, own: Contents): void {
    const roles = keyed(own.roles)
    for (const role of parentsFirst(foreign.roles)) {
      const { key, ...values } = role
      const [there, what] = [roles.get(key), `role ${key}`]
      const path = `${this.#schema}/roles`
      if (there === undefined) this.#make('role', 'POST', path, { body: role, what })
      else if (!isSame(there, role)) {
        const call = { body: values, what, before: there }
        this.#replace('role', 'PATCH', `${path}/${encodeURIComponent(key)}`, call, { key, foreign: role, own: there })
      }
    }
  }

  /** The tenants that the assignments name. */
  planTenants(foreign: Contents, own: Contents): void {
    const [theirs, tenants] = [keyed(foreign.tenants), keyed(own.tenants)]
    const path = `${this.#facts}/tenants`
    for (const key of new Set(foreign.assignments.map(({ tenant }) => tenant))) {
      const [there, what] = [tenants.get(key), `tenant ${key}`]
      const details = theirs.get(key)?.details ?? {}
      if (there === undefined) this.#make('tenant', 'POST', path, { body: { key, ...details }, what })
      else this.#settle('tenant', `${path}/${encodeURIComponent(key)}`, { key, what }, [details, there.details])
    }
  }

  planUsers(foreign: Contents, own: Contents): void {
    const users = keyed(own.users)
    for (const user of foreign.users) {
      const { key } = user
      const [there, what] = [users.get(key), `user ${key}`]
      const path = `${this.#facts}/users/${encodeURIComponent(key)}`
      // POST, so that somebody who is made meanwhile keeps what access may depend on
      if (there === undefined) this.#make('user', 'POST', `${this.#facts}/users`, { body: user, what })
      else if (!isSame(there, user))
        this.#replace('user', 'PUT', path, { body: user, what, before: there }, { key, foreign: user, own: there })
    }
  }

  planAssignments(foreign: Contents, own: Contents): void {
    const held = new Set(own.assignments.map(assignmentKey))
    for (const body of foreign.assignments) {
      if (held.has(assignmentKey(body))) continue
      const what = `${body.user} is ${body.role} in ${body.tenant}`
      this.#make('assignment', 'POST', `${this.#facts}/role_assignments`, { body, what })
    }
  }

  #make(kind: CallKind, method: Method, path: string, rest: Omit<Call, 'kind' | 'method' | 'path'>): void {
    this.calls.push({ kind, method, path, ...rest })
  }

  /** An existing object that differs. */
  #replace(
    kind: Conflict['kind'],
    method: Method,
    path: string,
    call: Omit<Call, 'kind' | 'method' | 'path'>,
    { key, foreign, own }: Pick<Conflict, 'key' | 'foreign' | 'own'>,
  ): void {
    if (this.#overwrite) this.#make(kind, method, path, call)
    else this.conflicts.push({ environment: this.#environment.name, kind, key, foreign, own })
  }

  /**
   * Updates an object that is only moved along with roles and assignments: the fields that differ in the foreign one.
   */
  #settle(
    kind: 'resource' | 'action' | 'tenant',
    path: string,
    { key, what, of }: { readonly key: string; readonly what: string; readonly of?: string },
    [theirs, mine]: readonly [Details, Details],
  ): void {
    const names = differing(key, theirs, mine)
    if (names.length === 0) return
    const valuesOf = (from: Details) => Object.fromEntries(names.map((name) => [name, from[name] ?? null]))
    const [foreign, own] = [valuesOf(theirs), valuesOf(mine)]
    const call = { body: foreign, what, before: { key, ...own }, ...(of === undefined ? {} : { of }) }
    this.#replace(kind, 'PATCH', path, call, { key: of === undefined ? key : `${of}:${key}`, foreign, own })
  }
}

/**
 * Fields that the foreign object has and that differ in the own one. A name equal to the key does not count; fields
 * that only v1 has may be added.
 */
function differing(key: string, theirs: Details, mine: Details): string[] {
  return Object.entries(theirs)
    .filter(([name, value]) => {
      if (name === 'name' && value === key) return false
      if (mine[name] === undefined && (name.startsWith('v1compat_') || isEmptyObject(value))) return false
      return !isSame(value, mine[name])
    })
    .map(([name]) => name)
}

const isEmptyObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0

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

/** Orders roles after those that they extend. A cycle, which no service accepts, ends where it began. */
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
