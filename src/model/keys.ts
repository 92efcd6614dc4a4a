// Keys and ids: which characters, how long, how an id is written. docs/http-api.md.
import { ZerohopError } from './errors.ts'
import { KEY_BYTES_MAX } from './limits.ts'

/** The tenant of applications that have no tenants, and of an assignment that names none. */
export const DEFAULT_TENANT = 'default'

/**
 * Stands in a role assignment for everybody (D16), whether stored or signed in or not. No user has it as key, because
 * `requireKey` refuses it.
 */
export const EVERYBODY = '*'

const ORDINARY = { pattern: '^[A-Za-z0-9_-]+$', allowed: 'a-z, A-Z, 0-9, _ and -' } as const
/**
 * Only users have keys with dots: `.` and `..` alone are dot-segments (RFC 3986, 5.2.4), which URL parsers take out of
 * a path.
 */
const USER = {
  pattern: '^(?!\\.{1,2}$)[A-Za-z0-9|@+._-]+$',
  allowed: 'a-z, A-Z, 0-9, _, -, @, ., + and |; `.` and `..` alone are not allowed',
} as const

export const KEY_PATTERN = ORDINARY.pattern
export const USER_KEY_PATTERN = USER.pattern

const ordinaryKey = new RegExp(ORDINARY.pattern)
const userKey = new RegExp(USER.pattern)

/**
 * Returns `key` when it may name an object of `kind`.
 * @throws KEY_INVALID on a character outside the alphabet, an empty key or a dot-segment, KEY_TOO_LONG above 256 bytes
 */
export function requireKey(kind: string, key: string, path: readonly (string | number)[] = ['body', 'key']): string {
  const [pattern, allowed] = kind === 'user' ? [userKey, USER.allowed] : [ordinaryKey, ORDINARY.allowed]
  if (key.length > KEY_BYTES_MAX) {
    throw new ZerohopError('KEY_TOO_LONG', { kind, bytes: key.length, limit: KEY_BYTES_MAX }, { path })
  }
  if (!pattern.test(key)) throw new ZerohopError('KEY_INVALID', { kind, key, allowed }, { path })
  return key
}

/** True of a stored user key that no URL can name. Older versions took such keys; they stay readable by id. */
export function isDotSegment(key: string): boolean {
  return key === '.' || key === '..'
}

const ID = /^[0-9a-f]{32}$/
const DASHED_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/**
 * Reads an id, dashed or dashless, in either case. Returns the 32 hex digits that we print, or undefined when it is
 * none.
 */
export function parseId(text: string): string | undefined {
  const lower = text.toLowerCase()
  if (ID.test(lower)) return lower
  return DASHED_ID.test(lower) ? lower.replaceAll('-', '') : undefined
}

/** Splits `resource:action`; undefined when it is not exactly that. */
export function parsePermission(text: string): { resource: string; action: string } | undefined {
  const [resource, action, rest] = text.split(':')
  return resource && action && rest === undefined ? { resource, action } : undefined
}
