// The fields of a role as they are typed, and what is wrong with them.
import { DURATION_FORM, formatSeconds, parseDuration } from 'zerohop/durations'
import type { Suggestion } from '../../api/suggestions.ts'
import { type Role, type RoleAbout, type Roles, reachesRole } from './policy.ts'
import { makeRequestableForm, problemOfRequestable, type RequestableForm, readRequestable } from './requestable.ts'

export interface RoleForm {
  readonly key: string
  readonly name: string
  readonly description: string
  /** keys of the roles that it extends */
  readonly parents: readonly string[]
  /** as it is typed, such as `7d`; empty for none */
  readonly usual: string
  readonly most: string
  readonly isForEverybody: boolean
  readonly isForTenants: boolean
  readonly requestable: RequestableForm
  readonly isExtendable: boolean
}

/** @param role null for a new one */
export function makeRoleForm(role: Role | null): RoleForm {
  const {
    key = '',
    name = '',
    description,
    extends: parents = [],
    default_duration: usual,
    max_duration: most,
    everybody,
    assignable_by_tenants,
    requestable = null,
    extendable,
  } = role ?? {}
  const duration = (seconds: number | null | undefined) => (seconds == null ? '' : formatSeconds(seconds))
  return {
    ...{ key, name, description: description ?? '', parents },
    ...{ usual: duration(usual), most: duration(most) },
    ...{ isForEverybody: everybody === true, isForTenants: assignable_by_tenants === true },
    requestable: makeRequestableForm(requestable),
    isExtendable: extendable === true,
  }
}

/** The facts that are typed, where nothing is wrong with them. */
export function readRoleAbout({
  key,
  name,
  description,
  usual,
  most,
  isForEverybody,
  isForTenants,
  requestable,
  isExtendable,
}: RoleForm): RoleAbout {
  return {
    name: name.trim() || key,
    description: description.trim() || null,
    default_duration: parseDuration(usual) ?? null,
    max_duration: parseDuration(most) ?? null,
    everybody: isForEverybody || null,
    assignable_by_tenants: isForTenants || null,
    requestable: readRequestable(requestable),
    extendable: isExtendable || null,
  }
}

/** Characters of keys, and how many (docs/http-api.md). */
const KEY = /^[A-Za-z0-9_-]{1,256}$/

export type RoleProblems = Partial<Readonly<Record<keyof RoleForm, string>>>

/** @param taken roles whose keys a new one cannot have; undefined for a role that is there already */
export const problemsOfRole = (form: RoleForm, taken: Roles | undefined): RoleProblems => ({
  ...problemOfKey(form, taken),
  ...problemsOfDurations(form),
  ...problemOfRequests(form),
})

function problemOfRequests({ requestable }: RoleForm): RoleProblems {
  const problem = problemOfRequestable(requestable)
  return problem === undefined ? {} : { requestable: problem }
}

function problemsOfDurations({ usual, most, isExtendable }: RoleForm): RoleProblems {
  const [usualSeconds, mostSeconds] = [usual, most].map(parseDuration)
  const isWrong = (text: string, seconds: number | undefined) => text.trim() !== '' && seconds === undefined
  if (isWrong(most, mostSeconds)) return { most: DURATION_FORM }
  if (isExtendable && mostSeconds !== undefined) return { most: 'Roles that tenants can extend have no maximum' }
  if (isWrong(usual, usualSeconds)) return { usual: DURATION_FORM }
  return usualSeconds !== undefined && mostSeconds !== undefined && usualSeconds > mostSeconds
    ? { usual: 'Longer than the maximum' }
    : {}
}

function problemOfKey({ key }: RoleForm, taken: Roles | undefined): RoleProblems {
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
