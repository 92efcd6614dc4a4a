// Random filters of every form, for rows of a table. Made from the grammar and not by a policy, so that each form meets
// each type of column.
import type { ColumnType } from '../../src/filters/meaning/mapping.ts'
import { OPERATORS, type Operator } from '../../src/model/condition.ts'
import { FILTER_FORMAT, type Filter, type FilterNode, type Leaf, type Term } from '../../src/model/filter.ts'
import type { Json } from '../../src/model/objects.ts'
import {
  DECLARED,
  INSTANT_TEXTS,
  INSTANTS,
  KEYS,
  MEMBERS,
  type Next,
  NUMBERS,
  pick,
  type Table,
  TEXTS,
  UUIDS,
} from './random-rows.ts'

export const TENANT = "acme's"
const NAMES = Object.keys(OPERATORS) as Operator[]

/** A condition on rows of the tenant `TENANT`. */
export function randomFilter(next: Next, table: Table): Filter {
  const about = { format: FILTER_FORMAT, revision: 1, type: 'row', tenant: TENANT } as const
  if (next(40) === 0) return { ...about, kind: pick(next, ['always', 'never']) }
  const where = node(next, table, 1 + next(4), 0)
  const reads = { attributes: [...table.types.keys()], relations: ['parent', 'team'], key: true }
  return { ...about, kind: 'when', where, reads }
}

function node(next: Next, table: Table, size: number, matches: number): FilterNode {
  if (size > 1) {
    const half = size >> 1
    const parts = [node(next, table, half, matches), node(next, table, size - half, matches)]
    return next(2) === 0 ? { and: parts } : { or: parts }
  }
  const found = leaf(next, table, matches)
  return next(3) === 0 ? { not: found } : found
}

function leaf(next: Next, table: Table, matches: number): Leaf {
  const kind = next(14)
  if (kind === 0) return { key: { in: some(next, KEYS) } }
  if (kind === 1)
    return { related: pick(next, ['parent', 'team']), type: pick(next, ['folder', 'team']), in: some(next, KEYS) }
  if (kind < 4 && matches < 2) {
    const left = term(next, table, matches, ['json'])
    return { match: pick(next, ['object', 'any', 'all']), left, where: node(next, table, 1 + next(2), matches + 1) }
  }
  return comparison(next, table, matches)
}

function some<T>(next: Next, from: readonly T[]): T[] {
  return Array.from({ length: next(4) }, () => pick(next, from))
}

type Side = 'scalar' | 'list' | 'text'

function comparison(next: Next, table: Table, matches: number): Leaf {
  const op = pick(next, NAMES)
  const isList = op.startsWith('array_')
  const left = term(next, table, matches, isList ? LISTS : undefined)
  const value = right(next, op, valuesFor(next, table, left))
  if (op !== 'between' && next(5) === 0) {
    const other = term(next, table, matches, op === 'in' || (isList && op !== 'array_contains') ? LISTS : undefined)
    return { op, left, right: other }
  }
  // the row on the right, a constant on the left
  if (next(5) === 0 && op !== 'between')
    return {
      op,
      left: constant(next, right(next, op === 'in' ? 'equals' : op, value === null ? [null] : [value])),
      right: left,
    }
  return { op, left, right: constant(next, value) }
}

function constant(next: Next, value: Json): Term {
  return (typeof value === 'number' || typeof value === 'string') && next(12) === 0 ? { value, time: true } : { value }
}

function right(next: Next, op: Operator, values: readonly Json[]): Json {
  const side: Side | 'range' =
    op === 'in' || (op.startsWith('array_') && op !== 'array_contains') ? 'list' : op === 'between' ? 'range' : 'scalar'
  if (next(20) === 0) return pick<Json>(next, [null, true, [], {}, 'x', 7])
  if (side === 'list')
    return [...some(next, values), ...(next(4) === 0 ? [pick<Json>(next, [null, [], {}, true, 1, 'a'])] : [])]
  if (side === 'range') return [pick(next, values), pick(next, values)]
  return pick(next, values)
}

const LISTS: readonly ColumnType[] = ['json', 'text[]', 'uuid[]', 'integer[]', 'double[]', 'boolean[]']

function term(next: Next, table: Table, matches: number, prefer?: readonly ColumnType[]): Term {
  if (matches > 0 && next(3) > 0) return { item: next(4) === 0 ? [] : [pick(next, MEMBERS.slice(0, 3))] }
  if (prefer === undefined && next(15) === 0) return { key: true }
  if (prefer === undefined && next(30) === 0) return { now: true }
  const all = [...table.types]
  const fitting = next(6) === 0 ? all : all.filter(([, type]) => prefer?.includes(type) ?? true)
  const [name, type] = pick(next, fitting.length === 0 ? all : fitting)
  const inside = type === 'json' && next(2) === 0 ? [pick(next, next(3) === 0 ? MEMBERS : MEMBERS.slice(0, 2))] : []
  if (inside.length > 0 && next(4) === 0) inside.push(pick(next, MEMBERS.slice(0, 3)))
  return {
    path: [name, ...inside],
    type: inside.length > 0 ? pick(next, ['json', 'object']) : pick(next, DECLARED[type]!),
  }
}

/** What the other side may be equal to. */
function valuesFor(next: Next, table: Table, side: Term): readonly Json[] {
  if ('key' in side) return KEYS
  const type = 'path' in side ? table.types.get(side.path[0]!)! : 'json'
  switch (type.replace('[]', '')) {
    case 'uuid':
      return [...UUIDS, UUIDS[1].toUpperCase(), 'a']
    case 'boolean':
      return [true, false, 1]
    case 'integer':
    case 'double':
    case 'decimal':
      return next(6) === 0 ? INSTANTS : NUMBERS
    case 'timestamptz':
    case 'timestamp':
      return [...INSTANTS, ...INSTANT_TEXTS]
    case 'json':
      return [...TEXTS.slice(0, 12), ...NUMBERS, true, false]
    default:
      return TEXTS
  }
}
