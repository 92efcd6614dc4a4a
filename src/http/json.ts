// Reads a JSON text: UTF-8, bounded in depth and in members, with or without duplicate members. Every fault is a 422 that says where.
// One pass over the bytes counts before anything is parsed: what a body may cost is known before it costs anything.
// `__proto__` and `constructor` are legal member names here: JSON.parse makes them own members, and nobody may copy them with `=`.
import { isUtf8 } from 'node:buffer'
import { type JSONPath, visit } from 'jsonc-parser'
import { ZerohopError } from '../model/errors.ts'
import { JSON_DEPTH_MAX, JSON_MEMBERS_BULK_MAX, JSON_MEMBERS_MAX } from '../model/limits.ts'

/** What a second member of the same name means: an error, or the last one counts. */
export type Duplicates = 'refuse' | 'last-wins'

/** How many members of objects and items of lists a text may hold: as a whole, and in any one object or list. */
export interface JsonLimits {
  readonly total: number
  readonly each: number
}

/** The body of an ordinary route. */
export const ORDINARY: JsonLimits = { total: JSON_MEMBERS_MAX, each: JSON_MEMBERS_MAX }
/** The body of a bulk route: many objects, each of the ordinary size. */
export const BULK: JsonLimits = { total: JSON_MEMBERS_BULK_MAX, each: JSON_MEMBERS_MAX }
/** A file of the operator of this server, which only its bytes bound. */
export const UNLIMITED: JsonLimits = { total: Number.POSITIVE_INFINITY, each: Number.POSITIVE_INFINITY }

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BACKSLASH = 0x5c

/**
 * The value of a JSON text; undefined when it has no bytes.
 * @throws JSON_INVALID, JSON_TOO_DEEP, JSON_TOO_MANY_MEMBERS, JSON_DUPLICATE
 */
export function parseJson(bytes: Buffer, duplicates: Duplicates, limits: JsonLimits): unknown {
  if (bytes.length === 0) return undefined
  const members = countMembers(bytes, limits)
  const text = bytes.toString('utf8')
  // what is not UTF-8 became a replacement character; a text may also hold one of its own
  if (text.includes('\ufffd') && !isUtf8(bytes)) throw invalid('the text is not UTF-8')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw invalid(error instanceof Error ? error.message : 'not JSON')
  }
  if (duplicates === 'refuse' && countOwn(value) !== members) throw duplicateIn(text)
  return value
}

/** Entries of each open object or list, by depth. One for all calls: a count never waits for anything. */
const open = new Uint32Array(JSON_DEPTH_MAX + 1)

/**
 * Colons outside strings, of which valid JSON has exactly one per member. Entries of objects and lists are counted by what opens and
 * by commas; of a text that is not valid JSON the counts mean nothing, and JSON.parse refuses it.
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

/** Ends a visit. */
class Stop extends Error {}

/**
 * Only for a text that is known to hold a duplicate: says where the second one is. This costs far more than parsing, so that it looks at
 * the first JSON_MEMBERS_MAX members only; what is behind them is refused without a place.
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
