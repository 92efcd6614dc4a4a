// The drawing of the graph of types, loaded when it is opened. Each type is a link, so the keyboard goes through all of
// them, and what has the focus is moved into view. The lines are for eyes alone: the list beside it says the same.
import '@xyflow/react/dist/base.css'
import { Button } from '@mantine/core'
import {
  getViewportForBounds,
  MarkerType,
  type NodeMouseHandler,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  useStore,
} from '@xyflow/react'
import { type FocusEvent, useCallback, useEffect, useMemo } from 'react'
import type { ShownGraph } from '../type-graph.ts'
import { place, TYPE_HEIGHT, TYPE_WIDTH } from './layout.ts'
import { RelationEdge, type RelationEdgeOf } from './relation-edge.tsx'
import classes from './resource-graph.module.css'
import { TypeNode, type TypeNodeOf } from './type-node.tsx'

const NODES = { type: TypeNode }
const EDGES = { relation: RelationEdge }
/** Around the drawing, by its size. */
const PADDING = 0.04
const ZOOM = { min: 0.2, max: 2 }
/** Pixels around the drawing, where the frame is as high as it. */
const AIR = 96
/** A type that has the focus is shown at least this large. */
const READABLE = 0.7

interface ResourceGraphProps {
  readonly graph: ShownGraph
  readonly around: string | undefined
}

export function ResourceGraph(props: ResourceGraphProps) {
  return (
    <ReactFlowProvider>
      <Drawing {...props} />
    </ReactFlowProvider>
  )
}

function Drawing({ graph, around }: ResourceGraphProps) {
  const flow = useReactFlow()
  const placed = useMemo(() => place(graph), [graph])
  const [width, height] = [useStore((state) => state.width), useStore((state) => state.height)]
  const showAll = useCallback(() => {
    const bounds = { x: 0, y: 0, width: placed.width, height: placed.height } // with labels, which are no nodes
    void flow.setViewport(getViewportForBounds(bounds, width, height, ZOOM.min, 1, PADDING))
  }, [flow, placed, width, height])
  useEffect(() => {
    if (width > 0) showAll()
  }, [width, showAll])
  const nodes = useMemo(
    () =>
      graph.types.map((type): TypeNodeOf => {
        const position = placed.types.get(type.key) ?? { x: 0, y: 0 }
        const size = { width: TYPE_WIDTH, height: TYPE_HEIGHT }
        return { id: type.key, type: 'type', position, ...size, data: { type, isMiddle: type.key === around } }
      }),
    [graph, placed, around],
  )
  const edges = useMemo(
    () =>
      placed.relations.map((each): RelationEdgeOf => {
        const { id, subject, object, derived } = each.relation
        const color = derived.length > 0 ? 'var(--mantine-color-anchor)' : 'var(--mantine-color-dimmed)'
        const markerEnd = { type: MarkerType.ArrowClosed, color, width: 16, height: 16 }
        return { id, type: 'relation', source: subject, target: object, data: { placed: each }, markerEnd }
      }),
    [placed],
  )
  const show = ({ target }: FocusEvent) => {
    const key = target.closest('.react-flow__node')?.getAttribute('data-id')
    const at = placed.types.get(key ?? '')
    if (at === undefined || !target.matches(':focus-visible')) return
    const zoom = Math.max(flow.getZoom(), READABLE)
    void flow.setCenter(at.x + TYPE_WIDTH / 2, at.y + TYPE_HEIGHT / 2, { zoom })
  }
  return (
    <section aria-label="Graph of types and relations" onFocus={show}>
      <div className={classes.zoom}>
        <Button variant="default" size="compact-sm" aria-label="Zoom in" onClick={() => void flow.zoomIn()}>
          +
        </Button>
        <Button variant="default" size="compact-sm" aria-label="Zoom out" onClick={() => void flow.zoomOut()}>
          −
        </Button>
        <Button variant="default" size="compact-sm" onClick={showAll}>
          Show all
        </Button>
      </div>
      <div className={classes.frame} style={{ height: placed.height + AIR }}>
        <ReactFlow
          key={around}
          nodes={nodes}
          edges={edges}
          nodeTypes={NODES}
          edgeTypes={EDGES}
          onNodeClick={noop}
          nodesDraggable={false}
          nodesConnectable={false}
          nodesFocusable={false}
          edgesFocusable={false}
          elementsSelectable={false}
          disableKeyboardA11y
          zoomOnScroll={false}
          zoomOnDoubleClick={false}
          preventScrolling={false}
          minZoom={ZOOM.min}
          maxZoom={ZOOM.max}
          proOptions={{ hideAttribution: true }}
        />
      </div>
    </section>
  )
}

/** With it a node takes clicks although it cannot be selected: its link opens the type. */
const noop: NodeMouseHandler = () => undefined
