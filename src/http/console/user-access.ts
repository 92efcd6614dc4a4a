// What users of the identity provider may do in the console: rules from a value of a claim to a role, on the
// organization, a project, an environment or a tenant. The first rule that fits counts, so a list is read from the top.
import { ZerohopError } from '../../model/errors.ts'
import { USER_VALUES_MAX } from '../../model/limits.ts'

/**
 * `viewer` reads, `support` also changes facts, `editor` changes everything but keys, `admin` is not limited.
 * `tenant-admin` does in one tenant what a key of it may.
 */
export const USER_ROLES = ['viewer', 'support', 'editor', 'admin', 'tenant-admin'] as const
export type UserRole = (typeof USER_ROLES)[number]

export interface AccessRule {
  /** the value of the claim that it is for; `*` for everyone who can sign in */
  readonly value: string
  readonly role: UserRole
  /** keys; without them it is about the whole organization */
  readonly project?: string
  readonly environment?: string
  /** of `tenant-admin`, and of no other role */
  readonly tenant?: string
}

const FORM =
  /^(?<value>.+)=(?<role>[a-z-]+)(?:@(?<project>[\w-]+)(?:\/(?<environment>[\w-]+)(?:\/(?<tenant>[\w-]+))?)?)?$/

/**
 * A rule of the form `value=role`, `value=role@project`, `value=role@project/environment` or
 * `value=tenant-admin@project/environment/tenant`; undefined for another text.
 */
export function readAccessRule(text: string): AccessRule | undefined {
  const { value = '', role: named, project, environment, tenant } = FORM.exec(text.trim())?.groups ?? {}
  const role = USER_ROLES.find((one) => one === named)
  if (role === undefined || (role === 'tenant-admin') !== (tenant !== undefined)) return undefined
  return {
    value,
    role,
    ...(project === undefined ? {} : { project }),
    ...(environment === undefined ? {} : { environment }),
    ...(tenant === undefined ? {} : { tenant }),
  }
}

/** The rule that counts for a user with these values. @throws USER_REFUSED when none does */
export function ruleFor(rules: readonly AccessRule[], values: readonly string[]): AccessRule {
  const rule = rules.find(({ value }) => value === '*' || values.includes(value))
  if (rule === undefined) throw new ZerohopError('USER_REFUSED')
  return rule
}

/** The values that are asked for: those of the rules before the first one that is for everyone, in their order. */
export function valuesAskedFor(rules: readonly AccessRule[]): string[] {
  const end = rules.findIndex(({ value }) => value === '*')
  return [...new Set((end === -1 ? rules : rules.slice(0, end)).map(({ value }) => value))]
}

/** Of the values that a user has, those that are asked for: no others are kept. */
export function knownValues(rules: readonly AccessRule[], values: readonly string[]): string[] {
  const all = new Set(values)
  return valuesAskedFor(rules)
    .filter((value) => all.has(value))
    .slice(0, USER_VALUES_MAX)
}
