// Parts of a filter put together: constants disappear, nothing stands twice, and only leaves are negated. Operators are
// never inverted: `not (a < b)` is not `a >= b` when a value is missing (D7).
import type { FilterNode, Leaf, Match, Term } from '../../model/filter.ts'

/** What is known of a part: true or false of every row, or a node. */
export type Part<Open = never> = boolean | FilterNode<Open>

/** All of the parts. */
export const all = <Open = never>(parts: Iterable<Part<Open>>): Part<Open> => join(parts, 'and')

/** Some of the parts. */
export const any = <Open = never>(parts: Iterable<Part<Open>>): Part<Open> => join(parts, 'or')

/** The negation of a part, down to its leaves. */
export function not<Open = never>(part: Part<Open>): Part<Open> {
  if (typeof part === 'boolean') return !part
  if ('and' in part) return any(part.and.map((each) => not<Open>(each)))
  if ('or' in part) return all(part.or.map((each) => not<Open>(each)))
  return 'not' in part ? part.not : { not: part }
}

/** A match on a value of the row. It is false of a value that has no such object, whatever `where` says. */
export function match<Open = never>(of: Match['match'], left: Term<Open>, where: Part<Open>): Part<Open> {
  if (where === false && of !== 'all') return false // every item of an empty list passes
  return { match: of, left, where: toNode(where) }
}

/** A part as a node: `and` of nothing is true, `or` of nothing is false. */
export function toNode<Open = never>(part: Part<Open>): FilterNode<Open> {
  if (typeof part !== 'boolean') return part
  return part ? { and: [] } : { or: [] }
}

function join<Open>(parts: Iterable<Part<Open>>, by: 'and' | 'or'): Part<Open> {
  const neutral = by === 'and'
  const nodes = new Map<string, FilterNode<Open>>()
  const keep = (node: FilterNode<Open>) => nodes.set(JSON.stringify(node), node)
  for (const part of parts) {
    if (part === neutral) continue
    if (typeof part === 'boolean') return part
    const inner = findMembers(part, by)
    if (inner === undefined) keep(part)
    else inner.forEach(keep)
  }
  const kept = [...nodes.values()]
  if (kept.length === 0) return neutral
  if (kept.length === 1) return kept[0]!
  return neutral ? { and: kept } : { or: kept }
}

function findMembers<Open>(node: FilterNode<Open>, by: 'and' | 'or'): readonly FilterNode<Open>[] | undefined {
  if (by === 'and') return 'and' in node ? node.and : undefined
  return 'or' in node ? node.or : undefined
}

/** The leaves of a node, also those inside matches. */
export function* eachLeaf<Open = never>(node: FilterNode<Open>): Iterable<Leaf<Open>> {
  if ('and' in node) for (const each of node.and) yield* eachLeaf(each)
  else if ('or' in node) for (const each of node.or) yield* eachLeaf(each)
  else {
    const leaf = 'not' in node ? node.not : node
    yield leaf
    if ('match' in leaf) yield* eachLeaf(leaf.where)
  }
}
