// The normal form of what is left of conditions: two of them with the same form mean the same. Forms that differ may
// still mean the same, so an access diff may report a change where nothing changed, but never misses one. Every step keeps the meaning
// for all values, also missing and ill-typed ones (D7): operators are turned round only where both sides change places.
import type { Comparison, Constant, FilterNode, Leaf, Term } from '../../model/filter.ts'
import type { Json } from '../../model/objects.ts'
import { OPERATORS } from '../../model/operators.ts'
import { all, any, match, not, toNode } from '../filter/simplify.ts'
import type { Open, Residual } from './open-conditions.ts'

type Node = FilterNode<Open>

/** Parts of one `and` or `or` that are compared with each other; what is longer is only sorted. */
const COMPARED_MAX = 100

/** The text by which residuals are compared: equal texts mean the same. */
export const toComparableText = (residual: Residual): string => JSON.stringify(residual)

export function normalForm(residual: Residual): Residual {
  if (typeof residual === 'boolean') return residual
  if ('and' in residual) return joinParts(residual.and.map(normalForm), 'and')
  if ('or' in residual) return joinParts(residual.or.map(normalForm), 'or')
  return 'not' in residual ? not(leafForm(residual.not)) : leafForm(residual)
}

function leafForm(leaf: Leaf<Open>): Residual {
  if ('op' in leaf) return comparisonForm({ op: leaf.op, left: termForm(leaf.left), right: termForm(leaf.right) })
  if ('match' in leaf) return match(leaf.match, termForm(leaf.left), normalForm(leaf.where))
  return leaf
}

const termForm = (term: Term<Open>): Term<Open> =>
  'keysOf' in term ? { ...term, where: toNode(normalForm(term.where)) } : term

function comparisonForm(comparison: Comparison<Open>): Residual {
  const { op, left, right } = comparison
  const list = findConstantList(right)
  if (list !== undefined) return listForm(comparison, list)
  const { turned } = OPERATORS[op]
  const isOutOfOrder = 'value' in left || (!('value' in right) && toSortKey(right) < toSortKey(left))
  return turned !== null && isOutOfOrder ? { op: turned, left: right, right: left } : comparison
}

/** The order of two operands: the key and the attributes of the resource come first, on the left. */
const toSortKey = (term: Term<Open>): string =>
  `${'key' in term || ('path' in term && !('of' in term)) ? 0 : 1}${JSON.stringify(term)}`

/** The values of a constant list. */
function findConstantList(term: Term<Open>): readonly Json[] | undefined {
  return 'value' in term && Array.isArray(term.value) ? term.value : undefined
}

function listForm({ op, left }: Comparison<Open>, list: readonly Json[]): Residual {
  const rule = OPERATORS[op]
  if (rule.shape === 'range')
    return all<Open>(rule.ends.map((end, at) => ({ op: end, left, right: { value: list[at] ?? null } })))
  const values = sortedValues(list)
  const [only] = values
  if (rule.shape === 'list') {
    const { items, within } = rule
    if (values.length === 0 && within === 'right' && items !== 'every') return false
    if (values.length === 1 && isScalar(only)) {
      if (items === 'one' && within === 'right') return { op: 'equals', left, right: { value: only } }
      if (items === 'some' || (items === 'every' && within === 'left'))
        return { op: 'array_contains', left, right: { value: only } }
    }
  }
  return { op, left, right: { value: values } }
}

const isScalar = (value: Json | undefined): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

/** Lists in conditions are sets: neither order nor repetition means anything. */
function sortedValues(list: readonly Json[]): Json[] {
  const byText = new Map(list.map((value) => [JSON.stringify(value), value]))
  return [...byText].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, value]) => value)
}

/** The parts of an `and` or `or`: values of one list together, none that another one implies, sorted. */
function joinParts(parts: readonly Residual[], by: 'and' | 'or'): Residual {
  const join = by === 'and' ? all<Open> : any<Open>
  const flat = join(parts)
  const members = findMembers(flat, by)
  if (members === undefined) return flat
  const merged = join(listsMerged(members, by))
  const left = findMembers(merged, by)
  if (left === undefined) return merged
  const texts = new Map(left.map((node) => [JSON.stringify(node), node]))
  if (texts.size <= COMPARED_MAX) {
    // A leaf and its opposite: a leaf is either true or false of any question.
    for (const node of texts.values())
      if (isLeaf(node) && texts.has(JSON.stringify(not<Open>(node)))) return by === 'or'
    for (const [text, node] of texts) if (isImplied(node, text, texts, by)) texts.delete(text)
  }
  return join([...texts].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, node]) => node))
}

const findMembers = (residual: Residual, by: 'and' | 'or'): readonly Node[] | undefined => {
  if (typeof residual === 'boolean') return undefined
  if (by === 'and') return 'and' in residual ? residual.and : undefined
  return 'or' in residual ? residual.or : undefined
}

const isLeaf = (node: Node): boolean => !('and' in node) && !('or' in node)

/** `a` makes `a and b` superfluous in an `or`, and `a or b` in an `and`. */
function isImplied(node: Node, text: string, texts: ReadonlyMap<string, Node>, by: 'and' | 'or'): boolean {
  const inner = findMembers(node, by === 'and' ? 'or' : 'and')
  if (inner === undefined) return false
  const own = new Set(inner.map((each) => JSON.stringify(each)))
  for (const [other, each] of texts) {
    if (other === text) continue
    const parts = findMembers(each, by === 'and' ? 'or' : 'and')?.map((part) => JSON.stringify(part)) ?? [other]
    if (parts.every((part) => own.has(part))) return true
  }
  return false
}

/** `x = 1 or x = 2` is `x in [1, 2]`; in an `and` the same of what is negated. */
function listsMerged(members: readonly Node[], by: 'and' | 'or'): Residual[] {
  const lists = new Map<string, { left: Term<Open>; values: Json[] }>()
  const others: Residual[] = []
  for (const node of members) {
    const leaf = by === 'or' ? node : 'not' in node ? node.not : undefined
    const values = leaf === undefined ? undefined : findConstants(leaf)
    if (values === undefined) others.push(node)
    else {
      const { left } = leaf as Comparison<Open>
      const name = JSON.stringify(left)
      const list = lists.get(name) ?? { left, values: [] }
      list.values.push(...values)
      lists.set(name, list)
    }
  }
  for (const { left, values } of lists.values()) {
    const leaf = listForm({ op: 'in', left, right: { value: values } }, values)
    others.push(by === 'or' ? leaf : not(leaf))
  }
  return others
}

/** The values of `equals` and `in` with constants. */
function findConstants(leaf: Node): readonly Json[] | undefined {
  if (!('op' in leaf) || !('value' in leaf.right)) return undefined
  const { value, time }: Constant = leaf.right
  if (time === true) return undefined
  if (leaf.op === 'equals') return isScalar(value) ? [value] : undefined
  return leaf.op === 'in' && Array.isArray(value) ? value : undefined
}
