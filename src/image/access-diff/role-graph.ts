// Which permissions the roles of a policy give, whoever has them: their own, those of the roles that they extend (D4),
// and over relations those of the roles that are derived from them (D5). Reads contents, never facts.
import { type Contents, type RoleContent, typeOfRole } from '../contents.ts'

/** A permission that a role gives, and over what. */
export interface Given {
  readonly permission: string
  /** roles that are extended, and derivations as `resource#role over relation` */
  readonly through: readonly string[]
}

interface Step {
  /** full key of the role that is derived */
  readonly target: string
  /** `resource#role over relation` */
  readonly text: string
}

/** `type/role` as people write it; a role in tenants as it is. */
export const shownRole = (key: string): string => key.replace('/', '#')

export class RoleGraph {
  readonly #roles: Contents['roles']
  readonly #steps = new Map<string, Step[]>()
  readonly #extended = new Map<string, readonly Given[]>()
  readonly #derived = new Map<string, readonly Given[]>()

  constructor({ roles }: Contents) {
    this.#roles = roles
    for (const [target, { rules = [], noDirect = false }] of roles) {
      for (const { relation, source, noDirect: ofRule } of rules) {
        const bare = relation.slice(relation.indexOf('/') + 1)
        const unless = noDirect || ofRule ? ', unless the user has a role on it' : ''
        const steps = this.#steps.get(source) ?? []
        this.#steps.set(source, steps)
        steps.push({ target, text: `${shownRole(target)} over ${bare}${unless}` })
      }
    }
  }

  role(key: string): RoleContent | undefined {
    return this.#roles.get(key)
  }

  /** Full keys of the roles from which this one gets permissions: those that it extends, and those derived from it. */
  next(key: string): string[] {
    const derived = (this.#steps.get(key) ?? []).map(({ target }) => target)
    return [...(this.#roles.get(key)?.extends ?? []), ...derived]
  }

  /** A role and all that it extends, over any number of steps. */
  withExtended(key: string): ReadonlySet<string> {
    const found = new Set([key])
    for (const role of found) for (const parent of this.#roles.get(role)?.extends ?? []) found.add(parent) // also walked
    return found
  }

  /**
   * What a role gives, by what tells one grant from another: the permission, and of a derivation also its first step,
   * because another relation reaches other instances.
   */
  given(key: string): Map<string, Given> {
    const found = new Map<string, Given>()
    for (const given of this.ofExtends(key)) found.set(given.permission, given)
    for (const { target, text } of this.#steps.get(key) ?? []) {
      for (const { permission, through } of this.#ofDerivations(target)) {
        const name = `${permission} ${text}`
        if (!found.has(name)) found.set(name, { permission, through: [text, ...through] })
      }
    }
    return found
  }

  /** The permissions of a role itself and of those that it extends, each by the shortest way. */
  ofExtends(key: string): readonly Given[] {
    const known = this.#extended.get(key)
    if (known !== undefined) return known
    const found = this.#walk(key, (role) =>
      (this.#roles.get(role)?.extends ?? []).map((parent) => ({ target: parent, text: shownRole(parent) })),
    ).flatMap(([role, through]) =>
      (this.#roles.get(role)?.permissions ?? []).map((permission) => ({ permission, through })),
    )
    const first = firstOfEach(found)
    this.#extended.set(key, first)
    return first
  }

  /** The permissions of a role that is held on an instance, and of all roles that are derived from it. */
  #ofDerivations(key: string): readonly Given[] {
    const known = this.#derived.get(key)
    if (known !== undefined) return known
    const found = this.#walk(key, (role) => this.#steps.get(role) ?? []).flatMap(([role, through]) =>
      this.ofExtends(role).map((given) => ({ ...given, through: [...through, ...given.through] })),
    )
    const first = firstOfEach(found)
    this.#derived.set(key, first)
    return first
  }

  /** The role and all that follow from it, each once, with the shortest way; in a stable order. */
  #walk(from: string, next: (role: string) => readonly Step[]): (readonly [string, readonly string[]])[] {
    const seen = new Set([from])
    const found: (readonly [string, readonly string[]])[] = [[from, []]]
    for (const [role, through] of found) {
      const steps = next(role).toSorted((left, right) => (left.text < right.text ? -1 : 1))
      for (const { target, text } of steps) {
        if (seen.has(target)) continue
        seen.add(target)
        found.push([target, [...through, text]])
      }
    }
    return found
  }
}

function firstOfEach(found: readonly Given[]): readonly Given[] {
  const first = new Map<string, Given>()
  for (const given of found) if (!first.has(given.permission)) first.set(given.permission, given)
  return [...first.values()]
}

/** The roles that are not the same in the two, and all that get permissions from one of them in either; sorted. */
export function affectedRoles(before: Contents, after: Contents): string[] {
  const [left, right] = [new RoleGraph(before), new RoleGraph(after)]
  const keys = [...new Set([...before.roles.keys(), ...after.roles.keys()])]
  const reached = new Set(keys.filter((key) => JSON.stringify(left.role(key)) !== JSON.stringify(right.role(key))))
  const users = new Map<string, string[]>()
  for (const key of keys) {
    for (const next of [...left.next(key), ...right.next(key)]) {
      const known = users.get(next)
      if (known === undefined) users.set(next, [key])
      else known.push(key)
    }
  }
  for (const key of reached) for (const user of users.get(key) ?? []) reached.add(user)
  return [...reached].sort()
}

export const isResourceRole = (key: string): boolean => typeOfRole(key) !== undefined
