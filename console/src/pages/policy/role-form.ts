// The fields of a role as they are typed, and what is wrong with them.
import type { Suggestion } from '../../api/suggestions.ts'
import { type Roles, reachesRole } from './policy.ts'

export interface RoleForm {
  readonly key: string
  readonly name: string
  readonly description: string
  /** keys of the roles that it extends */
  readonly parents: readonly string[]
}

/** Characters of keys, and how many (docs/http-api.md). */
const KEY = /^[A-Za-z0-9_-]{1,256}$/

/** @param taken roles whose keys a new one cannot have; undefined for a role that is there already */
export function problemsOfRole({ key }: RoleForm, taken: Roles | undefined): { readonly key?: string } {
  if (key === '') return { key: 'A role needs a key' }
  if (!KEY.test(key)) return { key: 'Letters, digits, _ and -, at most 256 of them' }
  if (taken?.has(key)) return { key: 'A role with this key already exists' }
  return {}
}

/** A key that looks like the name. */
export function keyOfName(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, '-')
    .replace(/^-+|-+$/g, '')
}

/** The roles that a role may extend: not itself, and none that extends it already. */
export function parentsFor(roles: Roles, key: string): Suggestion[] {
  return [...roles.values()]
    .filter((role) => !reachesRole(roles, role.key, key))
    .map((role) => ({ key: role.key, about: role.name === role.key ? undefined : role.name }))
}
