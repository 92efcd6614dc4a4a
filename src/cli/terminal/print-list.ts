// Rows of a list on standard output as they come, as a table or as JSON, one row in each line: a list of any length takes
// the memory of its first rows.
import { once } from 'node:events'
import { LIST_ROWS_MEASURED, LIST_ROWS_SHOWN_MAX } from '../../model/limits.ts'
import { printTable, type Widths } from './print-table.ts'

export interface Column<R> {
  readonly head: string
  readonly cell: (row: R) => string
  /** the column is left out of a table of whose rows it says nothing; a long one has every column */
  readonly isSaid?: (row: R) => boolean
}

export interface Printing {
  readonly json?: boolean
  /** of a table: however many there are */
  readonly all?: boolean
}

/**
 * Prints the rows. Of a table the first ones say how wide its columns are.
 * @returns how many were printed
 */
export async function printList<R>(
  rows: AsyncIterable<R> | Iterable<R>,
  columns: readonly Column<R>[],
  { json = false, all = false }: Printing,
): Promise<number> {
  const table = json ? undefined : new StreamedTable(columns)
  let printed = 0
  for await (const row of rows) {
    if (printed === LIST_ROWS_SHOWN_MAX && !json && !all) {
      table?.end()
      process.stderr.write(`zerohop: only the first ${LIST_ROWS_SHOWN_MAX} are shown: --all shows all of them\n`)
      return printed
    }
    printed++
    if (table === undefined) process.stdout.write(`${JSON.stringify(row)}\n`)
    else table.add(row)
    // whoever reads may be slower than the server
    if (process.stdout.writableNeedDrain) await once(process.stdout, 'drain')
  }
  table?.end()
  return printed
}

class StreamedTable<R> {
  readonly #columns: readonly Column<R>[]
  #first: R[] = []
  #printed: { readonly columns: readonly Column<R>[]; readonly widths: Widths } | undefined

  constructor(columns: readonly Column<R>[]) {
    this.#columns = columns
  }

  add(row: R): void {
    if (this.#printed === undefined) {
      this.#first.push(row)
      if (this.#first.length > LIST_ROWS_MEASURED) this.#begin(this.#columns)
      return
    }
    const { columns, widths } = this.#printed
    printTable(undefined, [columns.map(({ cell }) => cell(row))], widths)
  }

  end(): void {
    if (this.#printed !== undefined) return
    this.#begin(this.#columns.filter(({ isSaid }) => isSaid === undefined || this.#first.some(isSaid)))
  }

  #begin(columns: readonly Column<R>[]): void {
    const heads = columns.map(({ head }) => head)
    const cells = this.#first.map((row) => columns.map(({ cell }) => cell(row)))
    this.#first = []
    this.#printed = { columns, widths: printTable(heads, cells) }
  }
}
