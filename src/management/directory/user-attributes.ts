// Which fields and attributes of a user a directory sets (docs/scim.md). Attributes are those of a SCIM user that the
// environment declares for its users, under the name that SCIM has or that name with underscores (`costCenter`, `cost_center`). The declaration is the
// setting: what is not declared is kept for the directory alone, and no condition reads it.
import { isOfType } from '../../model/attribute-types.ts'
import { USER_TYPE } from '../../model/condition-reads.ts'
import { parseId } from '../../model/keys.ts'
import type { Json, JsonObject } from '../../model/objects.ts'
import type { View } from '../../store/view.ts'
import { isObject } from './read-resource.ts'
import { ENTERPRISE_SCHEMA } from './schemas.ts'

const OF_USERS = ['displayName', 'nickName', 'title', 'userType', 'preferredLanguage', 'locale', 'timezone'] as const
const OF_ENTERPRISE = ['employeeNumber', 'costCenter', 'organization', 'division', 'department'] as const

export interface SharedAttributes {
  readonly values: JsonObject
  /** names of those that are declared as a type which has no such values */
  readonly unfit: readonly string[]
}

/** The attributes of users that the directory sets with what it gave. */
export function shareAttributes(view: View, given: JsonObject): SharedAttributes {
  const declared = view.get('built_in', USER_TYPE)?.attributes ?? []
  const values: Record<string, Json> = {}
  const unfit: string[] = []
  if (declared.length === 0) return { values, unfit }
  const texts = listTexts(view, given)
  for (const { key, type } of declared) {
    const text = texts.get(key)
    if (text === undefined) continue
    if (isOfType(text, type)) values[key] = text
    else unfit.push(key)
  }
  return { values, unfit }
}

/** By both of their names; a text that is empty counts as none. */
function listTexts(view: View, given: JsonObject): ReadonlyMap<string, string> {
  const enterprise = isObject(given[ENTERPRISE_SCHEMA]) ? given[ENTERPRISE_SCHEMA] : {}
  const found: (readonly [string, Json | undefined])[] = [
    ...OF_USERS.map((name) => [name, given[name]] as const),
    ...OF_ENTERPRISE.map((name) => [name, enterprise[name]] as const),
    ['manager', findManager(view, enterprise.manager)],
  ]
  return new Map(
    found.flatMap(([name, value]) =>
      typeof value !== 'string' || value === ''
        ? []
        : [[name, value] as const, [withUnderscores(name), value] as const],
    ),
  )
}

/** The key of the user where the manager is one of the directory, as providers name them by id; else what was sent. */
function findManager(view: View, manager: Json | undefined): Json | undefined {
  const value = isObject(manager) ? manager.value : undefined
  const id = typeof value === 'string' ? parseId(value) : undefined
  const user = id === undefined ? undefined : view.find('directory_user', id)
  return user !== undefined && user.id === id ? user.key : value
}

const withUnderscores = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The fields of a user that a directory gives, and their values. */
export function ownedFields({ name, emails }: JsonObject): { email?: string; first_name?: string; last_name?: string } {
  const { givenName, familyName } = isObject(name) ? name : {}
  const email = mainEmail((emails ?? []) as readonly Json[])
  return {
    ...(email === undefined ? {} : { email }),
    ...(typeof givenName === 'string' ? { first_name: givenName } : {}),
    ...(typeof familyName === 'string' ? { last_name: familyName } : {}),
  }
}

/** The primary address, else the one for work, else the first. */
function mainEmail(emails: readonly Json[]): string | undefined {
  const all = emails.filter(
    (one): one is JsonObject => isObject(one) && typeof one.value === 'string' && one.value !== '',
  )
  const main =
    all.find(({ primary }) => primary === true) ??
    all.find(({ type }) => typeof type === 'string' && type.toLowerCase() === 'work') ??
    all[0]
  return main?.value as string | undefined
}
