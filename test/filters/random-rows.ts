// Random rows of a table, aimed at where databases differ from filters: NULL, case, padded text, wildcards, quotes,
// characters beyond U+FFFF, numbers beyond 2^53, -0, NaN, times below a millisecond, JSON of mixed types.

import type { ColumnType, Mapping } from '../../src/filters/meaning/mapping.ts'
import type { AttributeType } from '../../src/model/objects.ts'

export type Next = (below: number) => number
export const pick = <T>(next: Next, from: readonly T[]): T => from[next(from.length)]!

export const TEXTS = [
  '',
  'a',
  'A',
  'a ',
  ' a',
  'ab',
  'b',
  '%',
  '_',
  'a%',
  'a_b',
  "'",
  '"',
  '\\',
  "a'b",
  'ä',
  'Ä',
  'a\u0308',
  'ß',
  'ss',
  '😀',
  '\uff21',
  'é\u{10ffff}',
  '1',
  '01',
  'true',
  'null',
  '{}',
  '$1',
  '?',
  ':a',
  'a\tb',
  'a\nb',
  'toString',
  '__proto__',
] as const
export const KEYS = ['a', 'A', 'a ', 'b', "k'1", 'k"2', '😀', 'k%', '1', 'k\\'] as const
export const UUIDS = ['00000000-0000-0000-0000-00000000000a', 'ffffffff-0000-4000-8000-000000000001'] as const
export const NUMBERS = [
  0,
  -0,
  1,
  -1,
  2,
  1.5,
  0.1,
  0.1 + 0.2,
  2 ** 53,
  2 ** 53 - 1,
  2 ** 53 + 2,
  -(2 ** 53),
  1e300,
  5e-324,
  2 ** 63,
]
/** 2026-11-20T00:00Z, and around 1970 */
export const MIDNIGHT = 1795132800000
export const INSTANTS = [
  MIDNIGHT,
  MIDNIGHT + 1,
  MIDNIGHT - 1,
  MIDNIGHT + 0.5,
  0,
  -1,
  1,
  -62_135_596_800_000,
  8.64e15,
  253_402_300_800_000,
]
export const INSTANT_TEXTS = ['2026-11-20', '2026-11-20T00:00:00.001Z', '2026-11-20T01:00+01:00', '1970-01-01', 'soon']

/** What an attribute may be declared as when its column is of the type. */
export const DECLARED: Readonly<Partial<Record<ColumnType, readonly AttributeType[]>>> = {
  text: ['string', 'json'],
  uuid: ['string', 'json'],
  integer: ['number', 'time', 'json'],
  double: ['number', 'time', 'json'],
  decimal: ['number', 'json'],
  boolean: ['bool', 'json'],
  timestamptz: ['time', 'number', 'json'],
  timestamp: ['time', 'number', 'json'],
  json: ['json', 'json', 'json', 'object', 'array', 'object_array', 'string', 'number', 'bool'],
  'text[]': ['array', 'json'],
  'uuid[]': ['array', 'json'],
  'integer[]': ['array', 'json'],
  'double[]': ['array', 'json'],
  'boolean[]': ['array', 'json'],
}

export const MEMBERS = [
  'a',
  'b',
  '0',
  "a'",
  'a"b',
  'toString',
  '$',
  '[0]',
  '*',
  'ä',
  '__proto__',
  'a-b',
  'a\\b',
  '',
  '\u0001',
] as const

/** How a database writes values: as SQL literals in text, NULL where undefined. */
export type Draw = (next: Next) => string | null

/** The JSON text of a random value. Text, so that it has numbers that no program holds. */
export function jsonText(next: Next, rawNumbers: readonly string[], depth = 0): string {
  const kind = next(depth > 2 ? 7 : 12)
  if (kind < 3) return JSON.stringify(pick(next, TEXTS))
  if (kind < 5) return next(3) === 0 ? pick(next, rawNumbers) : JSON.stringify(pick(next, NUMBERS))
  if (kind === 5) return pick(next, ['true', 'false'])
  if (kind === 6) return 'null'
  const inner = () => jsonText(next, rawNumbers, depth + 1)
  const count = next(4)
  if (kind === 7) return `[${Array.from({ length: count }, inner).join(',')}]`
  if (kind === 8)
    return `[${Array.from({ length: count }, () => JSON.stringify(pick(next, TEXTS.slice(0, 8)))).join(',')}]`
  if (kind === 9) return `[${Array.from({ length: count }, () => object(next, inner)).join(',')}]`
  return object(next, inner)
}

function object(next: Next, inner: () => string): string {
  const names = MEMBERS.filter((_, index) => next(index < 2 ? 2 : 8) === 0)
  return `{${names.map((name) => `${JSON.stringify(name)}:${inner()}`).join(',')}}`
}

/** The table of the random tests: identifiers that need quotes, and every type. */
export interface Table {
  readonly mapping: Mapping
  /** types of the columns, by attribute */
  readonly types: ReadonlyMap<string, ColumnType>
}

export function makeTable(types: Readonly<Record<string, ColumnType>>): Table {
  const attributes = Object.fromEntries(
    Object.entries(types).map(([name, type]) => [name, { column: columnName(name), type }]),
  )
  return {
    mapping: {
      tenant: 'org "id`',
      key: 'id',
      attributes,
      relations: {
        parent: { resource: 'folder', column: 'folder_id' },
        team: { resource: 'team', through: { table: 'links', from: 'id', to: 'team id' } },
      },
    },
    types: new Map(Object.entries(types)),
  }
}

/** One that needs quotes, and one that a subquery of a database may have too. */
export const columnName = (attribute: string): string => (attribute === 'value' ? 'value' : `${attribute} "x\`]`)
