// A user.
import { USER_TYPE } from '../model/condition-reads.ts'
import type { JsonObject, Stored } from '../model/objects.ts'
import { type Claimed, claimedValues } from './claims.ts'
import { fields, own, type StoredFields } from './fields.ts'
import { every, type Kind } from './kind.ts'
import { projectSuspension, readSuspension, writeSuspension } from './suspension.ts'
import type { TimesPolicy } from './times.ts'
import { readAttributes, someAttributes, text, writeAttributes } from './wire-values.ts'

export const userFields = fields({
  /** an address with one `@`, or null */
  email: own<string | null, string>(),
  first_name: { form: 'text', about: 'shown in logs' },
  last_name: { form: 'text', about: 'shown in logs' },
  attributes: { form: 'attributes', declaredBy: USER_TYPE },
  suspension: { form: 'suspension' },
})

export interface User extends Stored, StoredFields<typeof userFields>, Claimed {}

/** Includes email and names, unless a stored attribute has the same name (D8: precedence of attributes). */
export interface UserPolicy {
  readonly attributes?: JsonObject
  /** when the user is suspended (D16): always where it has no times */
  readonly suspension?: TimesPolicy
}

/** Email and names are attributes too; stored attributes of the same name take precedence (D8). */
function allAttributes({ email, first_name, last_name, attributes }: User): JsonObject {
  const own = Object.entries({ email, first_name, last_name }).filter(([, value]) => value !== null)
  return Object.fromEntries([...own, ...Object.entries(attributes)])
}

export const user = {
  number: 3,
  newerNumbers: { suspension: 69, claims: 85 },
  fields: userFields,
  hasIds: true,
  hasOwnTable: true,
  indexes: {
    every_user: every,
    /** each user once who has the tenant role anywhere; kept by REFERENCES of src/store/indexes.ts */
    users_of_role: () => [],
    users_claimed: (user) => claimedValues('user', user),
  },
  search: { texts: ({ key, email, first_name, last_name }) => [key, email, first_name, last_name], exact: () => [] },
  projection: {
    code: 3,
    newer: [{ code: 15, isNeeded: ({ suspension }) => suspension !== undefined }],
    project: (user) => ({ ...someAttributes(allAttributes(user)), ...projectSuspension(user.suspension) }),
    write: ({ attributes, suspension }, key) => {
      const written = writeAttributes(attributes)
      return suspension === undefined ? [key, ...written] : [key, written[0] ?? null, ...writeSuspension(suspension)]
    },
    read: ([code, key, attributes, from, until]) => {
      const suspension = code === 15 ? { suspension: readSuspension(from, until) } : {}
      const value = { ...readAttributes(attributes ?? undefined), ...suspension }
      return { op: 'put', kind: 'user', key: text(key), value }
    },
  },
  inFiles: { section: 'users', isFact: true, key: 'own' },
} as const satisfies Kind<'user', User, UserPolicy>
