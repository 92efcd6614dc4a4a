// Reads a JSON body: UTF-8, bounded in depth, with or without duplicate members. Every trouble is a 422 that says where.
// `__proto__` and `constructor` are legal member names here: JSON.parse makes them own members, and nobody may copy them with `=`.
// One pass over the bytes counts members and depth, so that an ordinary body is never visited twice by a slow parser.
import { isUtf8 } from 'node:buffer'
import { type JSONPath, visit } from 'jsonc-parser'
import { ZerohopError } from '../model/errors.ts'
import { JSON_DEPTH_MAX } from '../model/limits.ts'

/** What a second member of the same name means: an error, or the last one counts. */
export type Duplicates = 'refuse' | 'last-wins'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a

/**
 * The value of a JSON text; undefined when there is no byte of it.
 * @throws JSON_INVALID, JSON_TOO_DEEP, JSON_DUPLICATE
 */
export function parseJson(bytes: Buffer, duplicates: Duplicates): unknown {
  if (bytes.length === 0) return undefined
  if (!isUtf8(bytes)) throw invalid('the text is not UTF-8')
  const members = countMembers(bytes)
  const text = bytes.toString('utf8')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw invalid(error instanceof Error ? error.message : 'not JSON')
  }
  if (duplicates === 'refuse' && countOwn(value) !== members) throw duplicateIn(text)
  return value
}

/** Colons outside strings, of which valid JSON has exactly one per member. */
function countMembers(bytes: Buffer): number {
  let members = 0
  let depth = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) {
      at = endOfString(bytes, at)
    } else if (byte === COLON) {
      members++
    } else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > JSON_DEPTH_MAX)
        throw new ZerohopError('JSON_TOO_DEEP', { limit: JSON_DEPTH_MAX }, { path: ['body'] })
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

/** Only for a text that is known to hold a duplicate: says where the second one stands. */
function duplicateIn(text: string): ZerohopError {
  const open: Set<string>[] = []
  let found: JSONPath | undefined
  visit(text, {
    onObjectBegin: () => void open.push(new Set()),
    onObjectEnd: () => void open.pop(),
    onObjectProperty: (name, _offset, _length, _line, _character, pathOf) => {
      const names = open.at(-1)
      if (found === undefined && names?.has(name)) found = [...pathOf(), name]
      names?.add(name)
    },
  })
  const path = ['body', ...(found ?? [])]
  return new ZerohopError('JSON_DUPLICATE', { member: String(path.at(-1)) }, { path })
}

function invalid(reason: string): ZerohopError {
  return new ZerohopError('JSON_INVALID', { reason }, { path: ['body'] })
}
