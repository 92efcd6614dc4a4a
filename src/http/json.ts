// Reads a JSON text: UTF-8, bounded in depth and in members, with or without duplicate members. Every defect is a 422
// with its location. One pass over the bytes counts depth and members before anything is parsed, so that an expensive
// body is refused before it costs anything. `__proto__` and `constructor` are legal member names here: JSON.parse makes
// them own members, and no one may copy them with `=`.
import { isUtf8 } from 'node:buffer'
import { type JSONPath, visit } from 'jsonc-parser'
import { ZerohopError } from '../model/errors.ts'
import { JSON_DEPTH_MAX, JSON_MEMBERS_BULK_MAX, JSON_MEMBERS_MAX } from '../model/limits.ts'
import { requireExactAttributes } from './exact-attributes.ts'

/** The handling of duplicate members: an error, or the last one counts. */
export type Duplicates = 'refuse' | 'last-wins'

/** The maximal number of members of objects and items of lists: in the whole text, and in one object or list. */
export interface JsonLimits {
  readonly total: number
  readonly each: number
}

/** The limits of an ordinary route. */
export const ORDINARY: JsonLimits = { total: JSON_MEMBERS_MAX, each: JSON_MEMBERS_MAX }
/** The limits of a bulk route: many objects, each of the ordinary size. */
export const BULK: JsonLimits = { total: JSON_MEMBERS_BULK_MAX, each: JSON_MEMBERS_MAX }
/** The limits of a file from the operator, which is only bounded by its bytes. */
export const UNLIMITED: JsonLimits = { total: Number.POSITIVE_INFINITY, each: Number.POSITIVE_INFINITY }

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BACKSLASH = 0x5c

/**
 * The value of a JSON text; undefined when it has no bytes.
 * @throws JSON_INVALID, JSON_TOO_DEEP, JSON_TOO_MANY_MEMBERS, JSON_DUPLICATE; where the last member wins, which is a
 *   question to a PDP, NUMBER_INVALID and TEXT_INVALID of an attribute
 */
export function parseJson(bytes: Buffer, duplicates: Duplicates, limits: JsonLimits): unknown {
  if (bytes.length === 0) return undefined
  const members = countMembers(bytes, limits)
  const text = bytes.toString('utf8')
  // invalid UTF-8 was decoded to a replacement character, but a valid text may contain that character too
  if (text.includes('\ufffd') && !isUtf8(bytes)) throw invalid('the text is not UTF-8')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw invalid(error instanceof Error ? error.message : 'not JSON')
  }
  if (duplicates === 'last-wins') requireExactAttributes(text, value)
  else if (countOwn(value) !== members) throw duplicateIn(text)
  return value
}

/**
 * The value of one line of a body whose lines are JSON; undefined for an empty line.
 * @param line its number, for errors
 * @throws as `parseJson` where duplicates are refused, with the path `body`, line, …
 */
export function parseJsonLine(bytes: Buffer, line: number): unknown {
  try {
    return parseJson(bytes, 'refuse', ORDINARY)
  } catch (error) {
    if (!(error instanceof ZerohopError)) throw error
    const path = ['body', line, ...(error.path?.slice(1) ?? [])]
    throw new ZerohopError(error.code, error.details, { path, cause: error.cause })
  }
}

/** Entries of each open object or list, by depth. Shared by all calls, because counting is synchronous. */
const open = new Uint32Array(JSON_DEPTH_MAX + 1)

/**
 * Counts colons outside strings: valid JSON has exactly one per member. Entries of objects and lists are counted by
 * opening brackets and commas; for a text that is not valid JSON the counts are meaningless, and JSON.parse refuses it.
 */
function countMembers(bytes: Buffer, { total, each }: JsonLimits): number {
  let members = 0
  let entries = 0
  let depth = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) {
      at = endOfString(bytes, at)
    } else if (byte === COLON) {
      members++
    } else if (byte === COMMA) {
      if (++entries > total) throw tooMany('the body', total)
      if (++open[depth]! > each) throw tooMany('an object or list in the body', each)
    } else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > JSON_DEPTH_MAX)
        throw new ZerohopError('JSON_TOO_DEEP', { limit: JSON_DEPTH_MAX }, { path: ['body'] })
      if (++entries > total) throw tooMany('the body', total)
      open[depth] = 1
    } else if (byte === 0x7d || byte === 0x5d) {
      depth--
    }
  }
  return members
}

function endOfString(bytes: Buffer, start: number): number {
  let at = start + 1
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1
  return at
}

/** Members of the parsed value, at any depth; the depth is bounded by now. */
function countOwn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  if (Array.isArray(value)) {
    for (const item of value) count += countOwn(item)
    return count
  }
  for (const member of Object.values(value)) count += 1 + countOwn(member)
  return count
}

/** Thrown to end a visit. */
class Stop extends Error {}

/**
 * Finds the second of two duplicate members in a text that is known to have one. This costs far more than parsing, so
 * only the first JSON_MEMBERS_MAX members are searched; a later duplicate is refused without its location.
 */
function duplicateIn(text: string): ZerohopError {
  const names: Set<string>[] = []
  let found: JSONPath | undefined
  let seen = 0
  try {
    visit(text, {
      onObjectBegin: () => void names.push(new Set()),
      onObjectEnd: () => void names.pop(),
      onObjectProperty: (name, _offset, _length, _line, _character, pathOf) => {
        const known = names.at(-1)
        if (known?.has(name)) found = [...pathOf(), name]
        if (found !== undefined || ++seen > JSON_MEMBERS_MAX) throw new Stop()
        known?.add(name)
      },
    })
  } catch (error) {
    if (!(error instanceof Stop)) throw error
  }
  if (found === undefined) return invalid(`a member appears twice, behind the first ${JSON_MEMBERS_MAX} members`)
  const path = ['body', ...found]
  return new ZerohopError('JSON_DUPLICATE', { member: String(path.at(-1)) }, { path })
}

function tooMany(what: string, limit: number): ZerohopError {
  return new ZerohopError('JSON_TOO_MANY_MEMBERS', { what, limit }, { path: ['body'] })
}

function invalid(reason: string): ZerohopError {
  return new ZerohopError('JSON_INVALID', { reason }, { path: ['body'] })
}
