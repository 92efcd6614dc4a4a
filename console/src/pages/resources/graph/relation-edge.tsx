// A relation in the graph: a line from the type that it comes from, and on it what it is called and which roles are
// derived over it. A line over which roles are derived is thicker.
import { BaseEdge, type Edge, EdgeLabelRenderer, type EdgeProps } from '@xyflow/react'
import { curve, LABEL_WIDTH_MAX, type PlacedRelation } from './layout.ts'
import classes from './resource-graph.module.css'

export type RelationEdgeOf = Edge<{ readonly placed: PlacedRelation }, 'relation'>

export function RelationEdge({ data, markerEnd }: EdgeProps<RelationEdgeOf>) {
  if (data === undefined) return null
  const { lines, points, at, relation } = data.placed
  const [name, ...derived] = lines
  return (
    <>
      <BaseEdge
        path={curve(points)}
        className={relation.derived.length > 0 ? (classes.deriving ?? '') : (classes.line ?? '')}
        {...(markerEnd === undefined ? {} : { markerEnd })}
      />
      <EdgeLabelRenderer>
        <div
          className={classes.label}
          style={{
            transform: `translate(-50%, -50%) translate(${at.x}px, ${at.y}px)`,
            maxWidth: LABEL_WIDTH_MAX,
          }}
        >
          <strong>{name}</strong>
          {derived.map((text) => (
            <span key={text}>{text}</span>
          ))}
        </div>
      </EdgeLabelRenderer>
    </>
  )
}
