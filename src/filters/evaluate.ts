// What a filter means for one row (docs/filters.md): the definition for everything else that reads filters. Databases
// must find exactly the rows for which this is true. Runs in browsers too: nothing of Node.js, and no dependency.
import { isObject, isOfType } from '../model/attribute-types.ts'
import type { FilterNode, Leaf, Match, Term } from '../model/filter.ts'
import type { Json } from '../model/objects.ts'
import { compare, findMember, type Operand, plain } from './meaning/operators.ts'

/** How a filter reads a row. Each function may throw when the row does not say. */
export interface RowReader {
  /** the value of an attribute; `null` when it has none */
  attribute(name: string): Json
  /** undefined when it has no key yet */
  key(): string | undefined
  /** what the row is related to, as `type:key` */
  related(relation: string): readonly string[]
  /** milliseconds since 1970 */
  now(): number
}

/**
 * Whether the row is one that the filter means.
 * @throws what `row` throws. All that the filter reads is asked for, in the order of the filter, until the answer is
 * known.
 */
export function holds(node: FilterNode, row: RowReader, item?: Json): boolean {
  if ('and' in node) return node.and.every((each) => holds(each, row, item))
  if ('or' in node) return node.or.some((each) => holds(each, row, item))
  if ('not' in node) return !leafHolds(node.not, row, item)
  return leafHolds(node, row, item)
}

function leafHolds(leaf: Leaf, row: RowReader, item: Json | undefined): boolean {
  if ('op' in leaf) return compare(leaf.op, readOperand(leaf.left, row, item), readOperand(leaf.right, row, item))
  if ('match' in leaf) return matches(leaf, row, readOperand(leaf.left, row, item).value)
  if ('related' in leaf) {
    const of = `${leaf.type}:`
    const keys = toSet(leaf.in)
    return row.related(leaf.related).some((each) => each.startsWith(of) && keys.has(each.slice(of.length)))
  }
  const key = row.key()
  return key !== undefined && toSet(leaf.key.in).has(key)
}

function matches({ match, where }: Match, row: RowReader, value: Json | undefined): boolean {
  const passes = (each: Json) => isObject(each) && holds(where, row, each)
  if (match === 'object') return value !== undefined && passes(value)
  if (!Array.isArray(value)) return false
  return match === 'any' ? value.some(passes) : value.every(passes)
}

function readOperand(term: Term, row: RowReader, item: Json | undefined): Operand {
  if ('value' in term) return { value: term.value, time: term.time === true }
  if ('item' in term) return plain(findMember(item, term.item))
  if ('now' in term) return { value: row.now(), time: true }
  if ('key' in term) return plain(row.key())
  const { path, type } = term
  const [name = '', ...inside] = path
  const value = row.attribute(name)
  if (!isOfType(value, type)) return plain(undefined)
  return { value: findMember(value, inside), time: inside.length === 0 && type === 'time' }
}

/** Key lists are long and read once for each row. Kept as long as the filter is; they do not change. */
const sets = new WeakMap<readonly string[], ReadonlySet<string>>()

function toSet(keys: readonly string[]): ReadonlySet<string> {
  let set = sets.get(keys)
  if (set === undefined) {
    set = new Set(keys)
    sets.set(Object.freeze(keys), set)
  }
  return set
}
