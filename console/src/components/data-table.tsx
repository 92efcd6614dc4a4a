// A table of the rows of one page of an answer. What a row is about is its first column, a link where it can be opened.
// On a narrow screen it scrolls inside its frame, and columns that can be missed are left out.
import { VisuallyHidden } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './data-table.module.css'

export interface Column<T> {
  readonly header: string
  readonly cell: (row: T) => ReactNode
  /** CSS width, such as `120px`; the others share what is left */
  readonly width?: string
  readonly align?: 'left' | 'right'
  /** of a column of buttons: only screen readers say it */
  readonly isHeaderHidden?: boolean
  /** left out on a narrow screen */
  readonly isMinor?: boolean
  /** its header stands before the cell where a row is a block */
  readonly isNamed?: boolean
}

interface DataTableProps<T> {
  /** what it lists, for screen readers */
  readonly label: string
  readonly columns: readonly Column<T>[]
  readonly rows: readonly T[]
  readonly rowKey: (row: T) => string
  /** rows of another page are still shown */
  readonly isOld?: boolean
  /** on a narrow screen a row is a block, with a line for each column, in the place of scrolling */
  readonly isStacked?: boolean | undefined
}

/** @public */
export function DataTable<T>({ label, columns, rows, rowKey, isOld = false, isStacked = false }: DataTableProps<T>) {
  return (
    // the frame takes the focus, so that the keyboard can scroll it
    <section
      className={classes.frame}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
      tabIndex={0}
      aria-busy={isOld}
      data-stacked={isStacked || undefined}
    >
      <table className={classes.table}>
        <thead>
          <tr>
            {columns.map(({ header, width, align, isMinor, isHeaderHidden }) => (
              <th
                key={header}
                scope="col"
                style={{ width, textAlign: align }}
                className={isMinor ? classes.minor : undefined}
              >
                {isHeaderHidden ? <VisuallyHidden>{header}</VisuallyHidden> : header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)}>
              {columns.map(({ header, cell, align, isMinor, isNamed }) => (
                <td
                  key={header}
                  style={{ textAlign: align }}
                  className={isMinor ? classes.minor : undefined}
                  data-name={isNamed ? header : undefined}
                >
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
