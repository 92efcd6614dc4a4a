// Tables on standard output: columns as wide as their longest cell. Cells are printed without characters that act on a
// terminal.
import { plain } from '../../model/plain-text.ts'

/** Of each column, in characters. */
export type Widths = readonly number[]

/**
 * Prints the rows, below their heads where there are some.
 * @param widths of a table that goes on; a longer cell moves what follows it
 * @returns the widths
 */
export function printTable(
  heads: readonly string[] | undefined,
  rows: readonly (readonly string[])[],
  widths?: Widths,
): Widths {
  const cells = [...(heads === undefined ? [] : [heads]), ...rows].map((row) => row.map(plain))
  const wide = widths ?? cells[0]?.map((_, at) => cells.reduce((most, row) => Math.max(most, row[at]?.length ?? 0), 0))
  for (const row of cells) {
    const line = row.map((cell, at) => cell.padEnd(wide?.[at] ?? 0)).join('  ')
    process.stdout.write(`${line.trimEnd()}\n`)
  }
  return wide ?? []
}
