// The matrix of roles and actions, as a grid of which only the visible rows and columns are in the page. The keyboard
// is at one cell, which the frame names (`aria-activedescendant`): the focus stays on the frame while cells come and
// go.
import { useMediaQuery } from '@mantine/hooks'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, type MouseEvent, type RefObject, useEffect, useRef, useState } from 'react'
import { type AccessRule, NO_RULES, type RulesByCell } from './access-rules.ts'
import { CellRules } from './cell-rules.tsx'
import classes from './matrix.module.css'
import { MatrixHead } from './matrix-head.tsx'
import { moved, type Position } from './matrix-position.ts'
import { MatrixRow } from './matrix-row.tsx'
import { type Column, cellLabel, type Row, type UnusedCells } from './matrix-rows.ts'
import type { Inheritance } from './policy.ts'

const ROW_HEIGHT = 34
/** Room for the frame, and for a scrollbar at the bottom, so that few rows have none at the side. */
const FRAME = 1
const SCROLLBAR = 18
const HEAD_HEIGHT = 62
/** Of the names of roles. */
const NAMES_WIDTH = 232
const NAMES_WIDTH_NARROW = 132
/** A column is as wide as its name, within these. */
const COLUMN_WIDTH_MIN = 64
const COLUMN_WIDTH_MAX = 152
const CHARACTER_WIDTH = 7.3
const COLUMN_PADDING = 22

interface MatrixProps {
  readonly rows: readonly Row[]
  readonly columns: readonly Column[]
  readonly inheritance: Inheritance
  readonly rules: RulesByCell
  readonly unused?: UnusedCells | undefined
  readonly canEdit: boolean
  /** the role that the page begins at */
  readonly initialRole: string | undefined
  readonly onToggle: (role: string, permission: string) => void
  readonly onOpen: (role: string) => void
}

const cellId = ({ row, column }: Position): string => `cell-${row}-${column}`

export function Matrix(props: MatrixProps) {
  const { rows, columns, inheritance, rules, unused, canEdit, initialRole, onToggle, onOpen } = props
  const frame = useRef<HTMLDivElement>(null)
  const [active, setActive] = useState<Position>({ row: 0, column: -1 })
  const isNarrow = useMediaQuery('(max-width: 48em)') ?? false
  const namesWidth = isNarrow ? NAMES_WIDTH_NARROW : NAMES_WIDTH
  const { vertical, horizontal, show } = useVisible(frame, rows.length, columns, namesWidth)
  // biome-ignore lint/correctness/useExhaustiveDependencies: it begins there, and stays where one goes from there
  useEffect(() => {
    const row = rows.findIndex(({ key }) => key === initialRole)
    if (row < 0) return
    setActive({ row, column: -1 })
    vertical.scrollToIndex(row)
  }, [initialRole])

  const at = { row: Math.min(active.row, rows.length - 1), column: Math.min(active.column, columns.length - 1) }
  const act = ({ row, column }: Position) => {
    const role = rows[row]
    if (role === undefined) return
    const permission = columns[column]?.permission
    if (permission === undefined) onOpen(role.key)
    else if (canEdit && role.state !== 'deleted' && !role.isOnInstances) onToggle(role.key, permission)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor(((frame.current?.clientHeight ?? 0) - HEAD_HEIGHT) / ROW_HEIGHT) - 1)
    const next = moved(at, event, { rows: rows.length, columns: columns.length, page })
    if (next !== undefined) {
      setActive(next)
      show(next)
    } else if (event.key === ' ') act(at)
    else if (event.key === 'Enter' || event.key === 'F2') act({ ...at, column: -1 })
    else return
    event.preventDefault()
  }
  const onClick = (event: MouseEvent) => {
    const cell = (event.target as Element).closest<HTMLElement>('[data-row]')
    if (cell === null) return
    const clicked = { row: Number(cell.dataset.row), column: Number(cell.dataset.column) }
    setActive(clicked)
    act(clicked)
  }

  const visible = horizontal.getVirtualItems()
  // a cell that was scrolled away is not in the page, and cannot be named
  const isDrawn =
    vertical.getVirtualItems().some(({ index }) => index === at.row) &&
    (at.column < 0 || visible.some(({ index }) => index === at.column))
  const isWider = horizontal.getTotalSize() > (horizontal.scrollRect?.width ?? 0)
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: a table has no roles for cells that the keyboard walks */}
      <div
        ref={frame}
        role="grid"
        tabIndex={0}
        aria-label="Permissions by role"
        aria-rowcount={rows.length + 2}
        aria-colcount={columns.length + 1}
        aria-readonly={!canEdit}
        aria-activedescendant={isDrawn ? cellId(at) : undefined}
        className={classes.frame}
        data-editable={canEdit || undefined}
        style={{ height: vertical.getTotalSize() + (isWider ? SCROLLBAR : FRAME) }}
        onKeyDown={onKeyDown}
        onClick={onClick}
      >
        <div
          className={classes.canvas}
          role="presentation"
          style={{ width: horizontal.getTotalSize(), height: vertical.getTotalSize() }}
        >
          <MatrixHead columns={columns} visible={visible} namesWidth={namesWidth} active={at.column} />
          {/* biome-ignore lint/a11y/useSemanticElements: as above */}
          <div role="rowgroup">
            {vertical.getVirtualItems().map(({ index, start }) => (
              <MatrixRow
                key={rows[index]!.key}
                row={rows[index]!}
                index={index}
                top={start}
                namesWidth={namesWidth}
                columns={columns}
                visible={visible}
                inherited={inheritance.of(rows[index]!.key)}
                rules={rules.get(rows[index]!.key)}
                unused={unused}
                active={at.row === index ? at.column : undefined}
              />
            ))}
          </div>
        </div>
      </div>
      <Foot row={rows[at.row]} column={columns[at.column]} {...{ inheritance, rules, unused }} />
    </>
  )
}

/** Which rows and columns are seen, and a way to see a cell. */
function useVisible(
  frame: RefObject<HTMLDivElement | null>,
  count: number,
  columns: readonly Column[],
  namesWidth: number,
) {
  const vertical = useVirtualizer({
    count,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_HEIGHT,
    paddingStart: HEAD_HEIGHT,
    scrollPaddingStart: HEAD_HEIGHT,
    overscan: 6,
  })
  const horizontal = useVirtualizer({
    horizontal: true,
    count: columns.length,
    getScrollElement: () => frame.current,
    estimateSize: (index) => widthOf(columns[index]),
    paddingStart: namesWidth,
    scrollPaddingStart: namesWidth,
    overscan: 4,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: they are what the widths are made from
  useEffect(() => horizontal.measure(), [horizontal, columns, namesWidth])
  const show = ({ row, column }: Position) => {
    vertical.scrollToIndex(row)
    if (column >= 0) horizontal.scrollToIndex(column)
  }
  return { vertical, horizontal, show }
}

interface FootProps {
  readonly row: Row | undefined
  readonly column: Column | undefined
  readonly inheritance: Inheritance
  readonly rules: RulesByCell
  readonly unused: UnusedCells | undefined
}

/** What the cell of the keyboard means, and what the marks do. */
function Foot({ row, column, inheritance, rules, unused }: FootProps) {
  const ofCell = findRules(rules, row, column)
  const text =
    row !== undefined && column !== undefined
      ? cellLabel(row, column.permission, inheritance.of(row.key), ofCell, unused)
      : row?.role.description
  return (
    <div className={classes.foot}>
      <div className={classes.about}>
        <p className={classes.label}>{text}</p>
        <CellRules rules={ofCell} />
      </div>
      <ul className={classes.legend} aria-label="Legend">
        <li>
          <span className={classes.mark} data-own="true" /> Direct
        </li>
        <li>
          <span className={classes.mark} data-inherited="true" /> Inherited
        </li>
        <li>
          <span className={classes.mark} data-conditional="true" /> Conditional, by access rule
        </li>
        <li>
          <span className={classes.mark} /> Not granted
        </li>
        {unused !== undefined && (
          <li>
            <span className={classes.unused} /> {unused.words}, by anyone
          </li>
        )}
        <li>
          <span className={classes.changed} /> Not saved
        </li>
      </ul>
    </div>
  )
}

const findRules = (rules: RulesByCell, row: Row | undefined, column: Column | undefined): readonly AccessRule[] =>
  (rules.get(row?.key ?? '') ?? NO_RULES).get(column?.permission ?? '') ?? []

function widthOf(column: Column | undefined): number {
  const width = (column?.action.length ?? 0) * CHARACTER_WIDTH + COLUMN_PADDING
  return Math.round(Math.max(COLUMN_WIDTH_MIN, Math.min(width, COLUMN_WIDTH_MAX)))
}
