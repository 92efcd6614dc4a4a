// The rules for fields of all objects: null and absent mean the default, names and descriptions are bounded texts,
// attributes are bounded JSON that can be stored exactly. Keys are src/model/keys.ts. docs/http-api.md.
import { encodedBytes } from '../../kernel/encode.ts'
import { ZerohopError } from '../../model/errors.ts'
import { parseExactInstant } from '../../model/instant.ts'
import {
  ATTRIBUTES_BYTES_MAX,
  DESCRIPTION_LENGTH_MAX,
  DURATION_SECONDS_MAX,
  EMAIL_LENGTH_MAX,
  JSON_DEPTH_MAX,
  NAME_LENGTH_MAX,
  STORED_VALUE_BYTES_MAX,
} from '../../model/limits.ts'
import type { Json, JsonObject } from '../../model/objects.ts'

export type Path = readonly (string | number)[]

export const BODY: Path = ['body']

/** A field of an input: absent keeps the stored value, null resets it to the default. */
export type Sent<T> = T | null | undefined

/** The value after a write: the sent value, `fallback` for null, `current` when absent. */
export function settle<T>(sent: Sent<T>, current: T, fallback: T): T {
  if (sent === undefined) return current
  return sent === null ? fallback : sent
}

/** A lone surrogate, which UTF-8 cannot encode. */
const LONE_SURROGATE = /\p{Surrogate}/u

/** @throws LIMIT_EXCEEDED, TEXT_INVALID */
export function requireText(text: string, what: string, limit: number, path: Path): string {
  if (text.length > limit) throw new ZerohopError('LIMIT_EXCEEDED', { what: `the ${what}`, limit }, { path })
  if (LONE_SURROGATE.test(text)) throw new ZerohopError('TEXT_INVALID', {}, { path })
  return text
}

/** The name after a write; the default is the key. */
export function settleName(sent: Sent<string>, current: string, key: string, path: Path = BODY): string {
  if (typeof sent === 'string') requireText(sent, 'name', NAME_LENGTH_MAX, [...path, 'name'])
  return settle(sent, current, key)
}

const ORGANIZATION_NAME = /^[A-Za-z0-9._ -]+$/

/** The name of an organization. @throws INPUT_INVALID outside the characters that the contract allows */
export function requireOrganizationName(name: string, path: Path = [...BODY, 'name']): string {
  requireText(name, 'name', NAME_LENGTH_MAX, path)
  if (ORGANIZATION_NAME.test(name)) return name
  const reason = 'an organization name has only the characters a-z, A-Z, 0-9, ., _, - and blanks'
  throw new ZerohopError('INPUT_INVALID', { reason }, { path })
}

/** A nullable text after a write; `field` is its name in the body. */
export function settleText(
  sent: Sent<string>,
  current: string | null,
  field: string,
  path: Path = BODY,
): string | null {
  if (typeof sent === 'string') requireText(sent, field, DESCRIPTION_LENGTH_MAX, [...path, field])
  return settle<string | null>(sent, current, null)
}

/** A text for people after a write, or null. @throws INPUT_INVALID, LIMIT_EXCEEDED, TEXT_INVALID */
export function settleNote(
  sent: Sent<string>,
  current: string | null,
  field: string,
  max: number,
  path: Path,
): string | null {
  if (sent === '')
    throw new ZerohopError('INPUT_INVALID', { reason: 'it is empty: null clears it' }, { path: [...path, field] })
  if (typeof sent === 'string') requireText(sent, field, max, [...path, field])
  return settle<string | null>(sent, current, null)
}

/** An instant after a write, or null. @throws INPUT_INVALID unless it says exactly when */
export function settleInstant(sent: Sent<string | number>, current: number | null, path: Path): number | null {
  if (sent === undefined || sent === null) return sent === null ? null : current
  const instant = parseExactInstant(sent)
  if (instant !== undefined) return instant
  const reason =
    'it is an instant from 1970 to 9999: ISO 8601 with an offset, such as 2026-12-31T18:00:00Z, no finer than a millisecond, or whole milliseconds since 1970'
  throw new ZerohopError('INPUT_INVALID', { reason }, { path })
}

/** A number of seconds after a write, or null. @throws INPUT_INVALID unless it is a whole one within the bounds */
export function settleSeconds(sent: Sent<number>, current: number | null, path: Path): number | null {
  if (sent === undefined || sent === null) return sent === null ? null : current
  if (Number.isInteger(sent) && sent >= 1 && sent <= DURATION_SECONDS_MAX) return sent
  const reason = `it is a whole number of seconds from 1 to ${DURATION_SECONDS_MAX}`
  throw new ZerohopError('INPUT_INVALID', { reason }, { path })
}

/** A flag after a write: true, or null for false, which is not stored. */
export function settleFlag(sent: Sent<boolean>, current: true | null): true | null {
  if (sent === undefined) return current
  return sent === true ? true : null
}

const EMAIL = /^[^\s@<>(),:;"[\]\\]+@[^\s@<>(),:;"[\]\\.]+(\.[^\s@<>(),:;"[\]\\.]+)+$/

/** @throws EMAIL_INVALID: one `@`, a domain with a dot, no blank */
export function settleEmail(sent: Sent<string>, current: string | null): string | null {
  if (typeof sent === 'string' && (sent.length > EMAIL_LENGTH_MAX || !EMAIL.test(sent) || LONE_SURROGATE.test(sent))) {
    throw new ZerohopError('EMAIL_INVALID', {}, { path: [...BODY, 'email'] })
  }
  return settle<string | null>(sent, current, null)
}

/** Attributes after a write; the default is that of the object type, `{}` or null. */
export function settleAttributes<T extends JsonObject | null>(
  sent: Sent<JsonObject>,
  current: T,
  fallback: T,
  path: Path = [...BODY, 'attributes'],
): JsonObject | T {
  if (sent === undefined) return current
  if (sent === null) return fallback
  requireExact(sent, path, 1)
  if (Buffer.byteLength(JSON.stringify(sent)) > ATTRIBUTES_BYTES_MAX) {
    throw new ZerohopError('LIMIT_EXCEEDED', { what: 'the attributes in bytes', limit: ATTRIBUTES_BYTES_MAX }, { path })
  }
  requireStorable(sent, 'the attributes', path)
  return sent
}

/**
 * Accepted attributes must fit into an image, where even a short JSON number takes sixteen bytes. @throws
 * LIMIT_EXCEEDED
 */
export function requireStorable(value: Json, what: string, path: Path): void {
  if (encodedBytes(value) <= STORED_VALUE_BYTES_MAX) return
  const details = { what: `${what} in bytes as images store them`, limit: STORED_VALUE_BYTES_MAX }
  throw new ZerohopError('LIMIT_EXCEEDED', details, { path })
}

/**
 * Refuses what cannot be stored exactly (D9: how values compare): infinities, integers beyond 2^53, lone surrogates,
 * and nesting beyond the bound.
 */
export function requireExact(value: Json, path: Path, depth = 1): void {
  if (typeof value === 'string') {
    if (LONE_SURROGATE.test(value)) throw new ZerohopError('TEXT_INVALID', {}, { path })
  } else if (typeof value === 'number') {
    const exact = Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))
    if (!exact) throw new ZerohopError('NUMBER_INVALID', { number: String(value) }, { path })
  } else if (typeof value === 'object' && value !== null) {
    if (depth > JSON_DEPTH_MAX) throw new ZerohopError('JSON_TOO_DEEP', { limit: JSON_DEPTH_MAX }, { path })
    for (const [member, inner] of Object.entries(value)) {
      if (LONE_SURROGATE.test(member)) throw new ZerohopError('TEXT_INVALID', {}, { path })
      requireExact(inner, [...path, Array.isArray(value) ? Number(member) : member], depth + 1)
    }
  }
}
