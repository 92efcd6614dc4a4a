// One role. It is drawn again when it changes, or when other columns become visible, and not while rows scroll.
import type { VirtualItem } from '@tanstack/react-virtual'
import { memo } from 'react'
import { type AccessRule, NO_RULES } from './access-rules.ts'
import classes from './matrix.module.css'
import { type Column, cellLabel, isCellChanged, type Row, type UnusedCells } from './matrix-rows.ts'
import { permissionSet } from './policy.ts'

interface MatrixRowProps {
  readonly row: Row
  readonly index: number
  readonly top: number
  readonly namesWidth: number
  readonly columns: readonly Column[]
  readonly visible: readonly VirtualItem[]
  readonly inherited: ReadonlyMap<string, string>
  /** by permission: what access rules give the role */
  readonly rules?: ReadonlyMap<string, readonly AccessRule[]> | undefined
  readonly unused: UnusedCells | undefined
  /** the column of the keyboard, when it is in this row */
  readonly active: number | undefined
}

const STATES = { same: '', new: 'new', changed: 'changed', deleted: 'will be deleted' } as const

export const MatrixRow = memo(function MatrixRow(props: MatrixRowProps) {
  const { row, index, top, namesWidth, columns, visible, inherited, active, rules = NO_RULES, unused } = props
  const own = permissionSet(row.role)
  const { key, name } = row.role
  return (
    // biome-ignore lint/a11y/useSemanticElements: the cells of a grid that the keyboard walks
    // biome-ignore lint/a11y/useFocusableInteractive: the frame has the focus
    <div
      role="row"
      aria-rowindex={index + 3}
      className={classes.row}
      data-state={row.state}
      data-instances={row.isOnInstances}
      style={{ transform: `translateY(${top}px)` }}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: as above */}
      <div
        role="rowheader"
        aria-colindex={1}
        id={`cell-${index}--1`}
        className={classes.name}
        data-row={index}
        data-column={-1}
        data-active={active === -1 || undefined}
        style={{ width: namesWidth }}
        title={name === key ? key : `${name} (${key})`}
      >
        <span className={classes.nameText}>{name}</span>
        {row.state !== 'same' && <span className={classes.state}>{STATES[row.state]}</span>}
      </div>
      {visible.map(({ index: column, start, size }) => {
        const permission = columns[column]?.permission
        if (permission === undefined) return null
        const label = cellLabel(row, permission, inherited, rules.get(permission), unused)
        const isGiven = own.has(permission) || inherited.has(permission) || rules.has(permission)
        return (
          // biome-ignore lint/a11y/useSemanticElements: as above
          // biome-ignore lint/a11y/useFocusableInteractive: as above
          <div
            key={column}
            role="gridcell"
            aria-colindex={column + 2}
            aria-label={label}
            id={`cell-${index}-${column}`}
            className={classes.cell}
            data-row={index}
            data-column={column}
            data-first={columns[column]?.isFirst || undefined}
            data-active={active === column || undefined}
            data-unused={(isGiven && unused?.permissions.has(permission)) || undefined}
            data-changed={isCellChanged(row, permission) || undefined}
            style={{ left: start, width: size }}
            title={label}
          >
            <span
              className={classes.mark}
              data-own={own.has(permission) || undefined}
              data-inherited={inherited.has(permission) || undefined}
              data-conditional={rules.has(permission) || undefined}
            />
          </div>
        )
      })}
    </div>
  )
})
