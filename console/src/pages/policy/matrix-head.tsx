// The two rows at the top of the matrix: resource types, and below each its actions.
import type { VirtualItem } from '@tanstack/react-virtual'
import { memo } from 'react'
import classes from './matrix.module.css'
import type { Column } from './matrix-rows.ts'

interface MatrixHeadProps {
  readonly columns: readonly Column[]
  readonly visible: readonly VirtualItem[]
  readonly namesWidth: number
  /** the column of the keyboard */
  readonly active: number
}

interface Group {
  readonly first: number
  readonly column: Column
  readonly left: number
  width: number
  span: number
}

export const MatrixHead = memo(function MatrixHead({ columns, visible, namesWidth, active }: MatrixHeadProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: the cells of a grid that the keyboard walks
    <div role="rowgroup" className={classes.head}>
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: the frame has the focus */}
      <div role="row" aria-rowindex={1} className={classes.headRow}>
        {/* biome-ignore lint/a11y/useSemanticElements: as above */}
        {/* biome-ignore lint/a11y/useFocusableInteractive: as above */}
        <div role="columnheader" aria-colindex={1} className={classes.corner} style={{ width: namesWidth }}>
          Role
        </div>
        {groupsOf(columns, visible).map(({ first, column, left, width, span }) => (
          // biome-ignore lint/a11y/useSemanticElements: as above
          // biome-ignore lint/a11y/useFocusableInteractive: as above
          <div
            key={column.resource}
            role="columnheader"
            aria-colindex={first + 2}
            aria-colspan={span}
            className={classes.group}
            style={{ left, width }}
            title={column.resourceName}
          >
            <span style={{ left: namesWidth }}>{column.resource}</span>
          </div>
        ))}
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: as above */}
      <div role="row" aria-rowindex={2} className={classes.headRow}>
        {visible.map(({ index, start, size }) => (
          // biome-ignore lint/a11y/useSemanticElements: as above
          // biome-ignore lint/a11y/useFocusableInteractive: as above
          <div
            key={index}
            role="columnheader"
            aria-colindex={index + 2}
            className={classes.action}
            data-active={index === active || undefined}
            style={{ left: start, width: size }}
            title={titleOf(columns[index])}
          >
            <span>{columns[index]?.action}</span>
          </div>
        ))}
      </div>
    </div>
  )
})

function titleOf(column: Column | undefined): string {
  if (column === undefined) return ''
  return column.actionName === column.action ? column.permission : `${column.permission} · ${column.actionName}`
}

/** The resource types of the visible columns, each as far as it is visible. */
function groupsOf(columns: readonly Column[], visible: readonly VirtualItem[]): readonly Group[] {
  const groups: Group[] = []
  for (const { index, start, size } of visible) {
    const column = columns[index]
    if (column === undefined) continue
    const last = groups.at(-1)
    if (last?.column.resource === column.resource) {
      last.width += size
      last.span += 1
    } else groups.push({ first: index, column, left: start, width: size, span: 1 })
  }
  return groups
}
