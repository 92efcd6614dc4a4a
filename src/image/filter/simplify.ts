// Parts of a filter put together: constants disappear, nothing stands twice, and only leaves are negated. Operators are
// never inverted: `not (a < b)` is not `a >= b` when a value is missing (D7).
import type { FilterNode, Leaf, Match, Term } from '../../model/filter.ts'

/** What is known of a part: true or false of every row, or a node. */
export type Part = boolean | FilterNode

/** All of the parts. */
export const all = (parts: Iterable<Part>): Part => join(parts, 'and')

/** Some of the parts. */
export const any = (parts: Iterable<Part>): Part => join(parts, 'or')

/** The negation of a part, down to its leaves. */
export function not(part: Part): Part {
  if (typeof part === 'boolean') return !part
  if ('and' in part) return any(part.and.map(not))
  if ('or' in part) return all(part.or.map(not))
  return 'not' in part ? part.not : { not: part }
}

/** A match on a value of the row. It is false of a value that has no such object, whatever `where` says. */
export function match(of: Match['match'], left: Term, where: Part): Part {
  if (where === false && of !== 'all') return false // every item of an empty list passes
  return { match: of, left, where: nodeOf(where) }
}

/** A part as a node: `and` of nothing is true, `or` of nothing is false. */
function nodeOf(part: Part): FilterNode {
  if (typeof part !== 'boolean') return part
  return part ? { and: [] } : { or: [] }
}

function join(parts: Iterable<Part>, by: 'and' | 'or'): Part {
  const neutral = by === 'and'
  const nodes = new Map<string, FilterNode>()
  const keep = (node: FilterNode) => nodes.set(JSON.stringify(node), node)
  for (const part of parts) {
    if (part === neutral) continue
    if (typeof part === 'boolean') return part
    const inner = membersOf(part, by)
    if (inner === undefined) keep(part)
    else inner.forEach(keep)
  }
  const kept = [...nodes.values()]
  if (kept.length === 0) return neutral
  if (kept.length === 1) return kept[0]!
  return neutral ? { and: kept } : { or: kept }
}

function membersOf(node: FilterNode, by: 'and' | 'or'): readonly FilterNode[] | undefined {
  if (by === 'and') return 'and' in node ? node.and : undefined
  return 'or' in node ? node.or : undefined
}

/** The leaves of a node, also those inside matches. */
export function* leavesOf(node: FilterNode): Iterable<Leaf> {
  if ('and' in node) for (const each of node.and) yield* leavesOf(each)
  else if ('or' in node) for (const each of node.or) yield* leavesOf(each)
  else {
    const leaf = 'not' in node ? node.not : node
    yield leaf
    if ('match' in leaf) yield* leavesOf(leaf.where)
  }
}
