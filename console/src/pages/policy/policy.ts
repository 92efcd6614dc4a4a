// What the matrix shows: tenant roles, and the actions of resource types. Which permissions a role has by the roles
// that it extends is worked out here for the rows that are looked at; the rule is D4 of docs/semantics.md.

/** Who can ask for a role, and who decides; what is not said has its default. */
export interface Requestable {
  readonly by: 'members' | 'everybody'
  /** keys of roles */
  readonly approvers: readonly string[]
  /** seconds */
  readonly max_duration: number
  readonly reason: 'required' | 'optional'
  readonly auto?: boolean | undefined
}

/** The facts about a role, beside what it gives. */
export interface RoleAbout {
  readonly name: string
  readonly description: string | null
  /** seconds after which an assignment ends for which no end is set; null: as `max_duration`, or never */
  readonly default_duration: number | null
  /** seconds that an assignment lasts at most; null: without a bound */
  readonly max_duration: number | null
  /** whether it can be given to everyone, `*` */
  readonly everybody: true | null
  /** whether the API key of a tenant can assign it */
  readonly assignable_by_tenants: true | null
  /** how users can ask for it; null: they cannot */
  readonly requestable: Requestable | null
  /** whether roles of tenants can extend it; no role on instances */
  readonly extendable: true | null
}

export interface Role extends RoleAbout {
  readonly key: string
  /** `resource:action`, in no order that means anything */
  readonly permissions: readonly string[]
  /** keys of roles */
  readonly extends: readonly string[]
}

export interface ResourceType {
  readonly key: string
  readonly name: string
  readonly actions: readonly { readonly key: string; readonly name: string }[]
}

export type Roles = ReadonlyMap<string, Role>

export interface Policy {
  /** of the environment, or an earlier one: what was read may be newer */
  readonly revision: number
  /** by key, in the order of the server */
  readonly roles: Roles
  readonly resources: readonly ResourceType[]
  /** roles on instances, as `document#editor`; changed on the page of their resource */
  readonly instanceRoles: Roles
  /** roles and resource types that were too many to be read */
  readonly unread: { readonly roles: number; readonly resources: number }
}

export const formatPermission = (resource: string, action: string): string => `${resource}:${action}`

const sets = new WeakMap<Role, ReadonlySet<string>>()

/** Its own permissions, as a set that is made once. */
export function permissionSet(role: Role): ReadonlySet<string> {
  const known = sets.get(role)
  if (known !== undefined) return known
  const set = new Set(role.permissions)
  sets.set(role, set)
  return set
}

const NOTHING: ReadonlyMap<string, string> = new Map()

/** What roles have by the roles that they extend, each worked out when it is first asked for. */
export class Inheritance {
  readonly #roles: Roles
  readonly #known = new Map<string, ReadonlyMap<string, string>>()

  constructor(roles: Roles) {
    this.#roles = roles
  }

  /** The inherited permissions of a role, each with the nearest role that has it as its own. */
  of(key: string): ReadonlyMap<string, string> {
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const parents = this.#roles.get(key)?.extends ?? []
    if (parents.length === 0) return NOTHING
    this.#known.set(key, NOTHING) // a cycle, which only a draft can have, ends here
    const found = new Map<string, string>()
    for (const parent of parents)
      for (const permission of this.#roles.get(parent)?.permissions ?? [])
        if (!found.has(permission)) found.set(permission, parent)
    for (const parent of parents)
      for (const [permission, source] of this.of(parent)) if (!found.has(permission)) found.set(permission, source)
    this.#known.set(key, found)
    return found
  }
}

/** Whether `key` extends `other`, over any number of roles, or is it: then `other` cannot extend `key`. */
export function reachesRole(roles: Roles, key: string, other: string): boolean {
  const seen = new Set<string>()
  const open = [key]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next === other) return true
    if (seen.has(next)) continue
    seen.add(next)
    open.push(...(roles.get(next)?.extends ?? []))
  }
  return false
}
