// Where the types of the graph stand and how its relations run: the type that a relation comes from above the other
// one, or left of it.
import { Graph, type GraphLabel, layout } from '@dagrejs/dagre'
import { type GraphRelation, listComponents, type TypeGraph } from '../type-graph.ts'

/** Pixels. */
export const TYPE_WIDTH = 168
export const TYPE_HEIGHT = 52
const LABEL_LINE = 16
const LABEL_PADDING = 8
/** Of each end of a relation to the type itself, from its middle. */
const LOOP = 9
/** Of a letter of a label, at most; labels are cut at LABEL_WIDTH_MAX. */
const LETTER = 7
export const LABEL_WIDTH_MAX = 220
/** Derivations that a label names; the list beside the graph has all. */
const DERIVED_SHOWN = 3

export interface Point {
  readonly x: number
  readonly y: number
}

export interface PlacedRelation {
  readonly relation: GraphRelation
  readonly lines: readonly string[]
  readonly points: readonly Point[]
  /** middle of the label */
  readonly at: Point
}

export interface Placed {
  /** top left corner of each type, by key */
  readonly types: ReadonlyMap<string, Point>
  readonly relations: readonly PlacedRelation[]
  readonly width: number
  readonly height: number
}

/** Width of a drawing that fits its frame, by its height. */
const RATIO = 1.4
/** Between parts that no relation connects. */
const GAP = 40

/** Each part on its own, then all of them in rows: else types without relations would stand in one endless row. */
export function place(graph: TypeGraph): Placed {
  const parts = listComponents(graph).map(placePart)
  const area = parts.reduce((sum, { width, height }) => sum + (width + GAP) * (height + GAP), 0)
  const room = Math.max(Math.sqrt(area * RATIO), ...parts.map(({ width }) => width))
  const types = new Map<string, Point>()
  const relations: PlacedRelation[] = []
  let [x, y, rowHeight, width] = [0, 0, 0, 0]
  for (const part of parts) {
    if (x > 0 && x + part.width > room) [x, y, rowHeight] = [0, y + rowHeight + GAP, 0]
    const [right, down] = [x, y]
    const moved = (at: Point): Point => ({ x: at.x + right, y: at.y + down })
    for (const [key, at] of part.types) types.set(key, moved(at))
    for (const each of part.relations) relations.push({ ...each, points: each.points.map(moved), at: moved(each.at) })
    x += part.width + GAP
    rowHeight = Math.max(rowHeight, part.height)
    width = Math.max(width, x - GAP)
  }
  return { types, relations, width, height: y + rowHeight }
}

/** From top to bottom, or from left to right where that takes less room. */
function placePart(graph: TypeGraph): Placed {
  const [down, right] = [layOut(graph, 'TB'), layOut(graph, 'LR')]
  const size = ({ width, height }: Placed) => Math.max(width / RATIO, height)
  return size(right) < size(down) ? right : down
}

function layOut({ types, relations }: TypeGraph, rankdir: 'TB' | 'LR'): Placed {
  const graph = new Graph<GraphLabel>({ multigraph: true })
  graph.setGraph({ rankdir, nodesep: 28, ranksep: 36, edgesep: 20 })
  for (const { key } of types) graph.setNode(key, { width: TYPE_WIDTH, height: TYPE_HEIGHT })
  for (const relation of relations) {
    const lines = labelLines(relation)
    const width = Math.min(LABEL_WIDTH_MAX, Math.max(...lines.map(({ length }) => length)) * LETTER + LABEL_PADDING)
    const size = { width, height: lines.length * LABEL_LINE + LABEL_PADDING, labelpos: 'c' }
    graph.setEdge(relation.subject, relation.object, size, relation.id)
  }
  layout(graph)
  const { width = 0, height = 0 } = graph.graph()
  const corner = (key: string): Point => {
    const { x, y } = graph.node(key) as Point
    return { x: x - TYPE_WIDTH / 2, y: y - TYPE_HEIGHT / 2 }
  }
  return {
    width,
    height,
    types: new Map(types.map(({ key }) => [key, corner(key)])),
    relations: relations.map((relation) => {
      const { subject, object, id } = relation
      const { points, x, y } = graph.edge(subject, object, id) as Point & { readonly points: readonly Point[] }
      const way = subject === object ? loop(corner(object), { x, y }, rankdir) : points
      return { relation, lines: labelLines(relation), points: way, at: { x, y } }
    }),
  }
}

/** From a type to itself, by way of the label, which the layout puts right of the type, or below it. */
function loop(corner: Point, at: Point, rankdir: 'TB' | 'LR'): readonly Point[] {
  const [middle, bottom, side] = [corner.x + TYPE_WIDTH / 2, corner.y + TYPE_HEIGHT, corner.x + TYPE_WIDTH]
  const ends = [-LOOP, LOOP]
  const [out = [], back = []] = ends.map((offset): Point[] =>
    rankdir === 'TB'
      ? [
          { x: side, y: at.y + offset },
          { x: at.x, y: at.y + offset },
        ]
      : [
          { x: middle + offset, y: bottom },
          { x: middle + offset, y: at.y },
        ],
  )
  return [...out, ...back.toReversed()]
}

function labelLines({ relation, derived }: GraphRelation): readonly string[] {
  const more = derived.length - DERIVED_SHOWN
  const named = derived.slice(0, DERIVED_SHOWN).map(({ from, to }) => `${from} → ${to}`)
  return [relation, ...named, ...(more > 0 ? [`and ${more} more`] : [])]
}

/** A curve through the points, as an SVG path. */
export function curve(points: readonly Point[]): string {
  const [first, ...rest] = points
  if (first === undefined) return ''
  const middle = (one: Point, other: Point) => `${(one.x + other.x) / 2} ${(one.y + other.y) / 2}`
  const bends = rest.slice(0, -1).map((point, at) => `Q ${point.x} ${point.y} ${middle(point, rest[at + 1] ?? point)}`)
  const last = rest.at(-1) ?? first
  return [`M ${first.x} ${first.y}`, ...bends, `L ${last.x} ${last.y}`].join(' ')
}
