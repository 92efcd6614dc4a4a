// What a v1 use looks like, and what to write instead. Rules work on parsed files: paths are searched in strings, calls
// in code, so that comments and words in texts do not match. docs/migration.md lists the kinds.
import { argumentsAt, insteadOf, oneLine, plain, type Use } from './calls.ts'
import { hosts, paths } from './paths.ts'
import type { Parsed } from './tokenizer.ts'
import { wrappers } from './wrappers.ts'

/** Calls that take one object in v2, so that a second argument means v1. */
const ONE_ARGUMENT = ['syncuser', 'createtenant', 'assignrole', 'unassignrole']

/** Field names of v1 with those of v2. */
const FIELDS: Readonly<Record<string, string>> = {
  customId: 'key',
  custom_id: 'key',
  externalId: 'key',
  external_id: 'key',
  firstName: 'first_name',
  lastName: 'last_name',
}

const CALL = /\bapi\s*\??\.\s*(\w+)\s*\(/gi
const CONSTRUCTOR = /\bnew\s+(?:\w+\.)?Permit\s*\(|\bauthorizon\s*\.\s*init\s*\(|(?<![\w.])(?:\w+\.)?Permit\s*\(/g
const CLIENT_TOKEN = /\b(clientToken|client_token|sidecarUrl|sidecar_url)\b/

/** Every use in the file, in its order. @param names hosts that speak v1 only */
export function usesIn(parsed: Parsed, text: string, names: readonly string[]): Use[] {
  const found = [...wrappers(parsed.code), ...calls(parsed.code, text), ...constructors(parsed.code, text)]
  for (const literal of parsed.literals) found.push(...paths(literal), ...hosts(literal, names))
  return found.sort((left, right) => left.at - right.at || (left.kind < right.kind ? -1 : 1))
}

function* calls(code: string, text: string): Generator<Use> {
  for (const match of code.matchAll(CALL)) {
    const call = plain(match[1]!)
    if (!ONE_ARGUMENT.includes(call)) continue
    const list = argumentsAt(code, match.index + match[0].length)
    const at = match.index
    if (list.length > 1) {
      const found = `${oneLine(match[0])}…) with ${list.length} arguments`
      yield { at, kind: 'arguments', found, instead: insteadOf(call) }
      continue
    }
    const [start, end] = list[0] ?? [0, 0]
    for (const [field, to] of Object.entries(FIELDS)) {
      const place = memberAt(code, text, [start, end], field)
      if (place === undefined) continue
      yield { at: place, kind: 'arguments', found: `\`${field}\` in ${match[1]}(…)`, instead: `\`${to}\`` }
    }
  }
}

/**
 * Where the argument names a member: `field:`, `"field":`, `field=`, or `field` alone in an object. A value of that
 * name does not count.
 */
function memberAt(code: string, text: string, [start, end]: [number, number], field: string): number | undefined {
  for (const place of text
    .slice(start, end)
    .matchAll(new RegExp(`(?<![\\w.])["']?${field}["']?(?!\\w)\\s*([:=,}]?)`, 'g'))) {
    const at = start + place.index
    const before = code.slice(start, at).trimEnd().at(-1) ?? '('
    const names = /[:=]/.test(place[1] ?? '')
    const stands = (place[1] === ',' || place[1] === '}') && opened(code.slice(start, at)) === '{'
    if ('{(,'.includes(before) && (names || stands)) return at
  }
  return undefined
}

/** The innermost bracket that is still open at the end of the code. */
function opened(code: string): string | undefined {
  const open: string[] = []
  for (const mark of code) {
    if ('([{'.includes(mark)) open.push(mark)
    else if (')]}'.includes(mark)) open.pop()
  }
  return open.at(-1)
}

function* constructors(code: string, text: string): Generator<Use> {
  for (const match of code.matchAll(CONSTRUCTOR)) {
    const before = code.slice(Math.max(0, match.index - 40), match.index)
    if (/\b(class|def|func|function|new)\s+$/.test(before)) continue
    const list = argumentsAt(code, match.index + match[0].length)
    const named = list.some(([start, end]) => CLIENT_TOKEN.test(text.slice(start, end)))
    const isOld = match[0].startsWith('authorizon')
    if (!named && !isOld && list.length < 3) continue
    if (!named && !isOld && list.some(([start, end]) => /^\s*\w+\s*[=:]/.test(code.slice(start, end)))) continue
    const found = `${oneLine(match[0])}…)`
    yield {
      at: match.index,
      kind: 'constructor',
      found,
      instead: 'the v2 client with `token` and `pdp`, the address of a v2 PDP',
    }
  }
}
