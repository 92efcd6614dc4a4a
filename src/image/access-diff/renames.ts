// Which objects have another key after a change, and what that means for an access diff: access that is lost under the
// old name and gained under the new one is reported once, as renamed. Nothing is guessed: who makes the change says
// what was renamed.
import type { PolicyPair } from '../../model/access-diff.ts'

/** From each key before the change to the key after it; the same key where nothing was renamed. */
export interface Renames {
  /** user, tenant or role */
  of(kind: 'user' | 'tenant' | 'role', key: string): string
  /** the name of a resource role, without its resource type */
  part(kind: 'resource_role', resource: string, role: string): string
  /** resource type */
  resource(key: string): string
  /** `resource:action` */
  permission(permission: string): string
  /** `type:key` */
  instance(instance: string): string
  /** the user set of a set rule */
  userSet(key: string): string
  /** the resource set of a set rule */
  resourceSet(key: string): string
}

/** Takes out each lost item that is gained under its new name, together with the gained one. */
export function withoutRenamed<T>(
  { lost, gained }: { readonly lost: readonly T[]; readonly gained: readonly T[] },
  nameBefore: (item: T) => string,
  nameAfter: (item: T) => string,
): { lost: T[]; gained: T[]; renamed: number } {
  const byName = new Map(gained.map((item) => [nameAfter(item), item]))
  const rest = lost.filter((item) => !byName.delete(nameBefore(item)))
  const left = new Set(byName.values())
  return { lost: rest, gained: gained.filter((item) => left.has(item)), renamed: lost.length - rest.length }
}

/** What tells a pair of a role and a permission from others, in the names after the change. */
export function rolePairNamer(renames?: Renames): (pair: PolicyPair) => string {
  const roleName = (role: string): string => (renames === undefined ? role : renamedRole(role, renames))
  return ({ source, permission, through = [] }) => {
    const way = (through ?? []).map((step) => {
      const [role = '', ...relation] = step.split(' ')
      return [roleName(role), ...relation].join(' ')
    })
    return JSON.stringify([roleName(source.role ?? ''), renames?.permission(permission) ?? permission, way])
  }
}

/** A role as a diff shows it: `resource#role`, or the key of a role in tenants. */
function renamedRole(role: string, renames: Renames): string {
  const [resource = '', part] = role.split('#')
  if (part === undefined) return renames.of('role', role)
  return `${renames.resource(resource)}#${renames.part('resource_role', resource, part)}`
}
