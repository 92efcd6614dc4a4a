// A type in the graph: a link that opens it.

import { Link } from '@tanstack/react-router'
import { Handle, type Node, type NodeProps, Position } from '@xyflow/react'
import { counted } from 'zerohop/change-words'
import type { GraphType } from '../type-graph.ts'
import classes from './resource-graph.module.css'

export type TypeNodeOf = Node<{ readonly type: GraphType; readonly isMiddle: boolean }, 'type'>

export function TypeNode({ data: { type, isMiddle } }: NodeProps<TypeNodeOf>) {
  return (
    <>
      {/* lines end where the layout says: these only say that there are ends */}
      <Handle type="target" position={Position.Top} className={classes.handle ?? ''} isConnectable={false} />
      <Link
        to={'/$project/$environment/resources/$resource' as never}
        params={{ resource: type.key } as never}
        from="/$project/$environment/resources"
        className={classes.type}
        data-middle={isMiddle || undefined}
        title={type.key}
        draggable={false}
      >
        <strong>{type.key}</strong>
        <span>
          {counted(type.actions, 'action')}
          {type.roles > 0 && `, ${counted(type.roles, 'role')}`}
        </span>
      </Link>
      <Handle type="source" position={Position.Bottom} className={classes.handle ?? ''} isConnectable={false} />
    </>
  )
}
