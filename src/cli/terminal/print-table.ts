// Tables on standard output: columns as wide as their longest cell. Cells are printed without characters that act on a
// terminal.
import { plain } from '../../model/plain-text.ts'

/** Prints the rows below their heads. */
export function printTable(heads: readonly string[], rows: readonly (readonly string[])[]): void {
  const cells = [heads, ...rows].map((row) => row.map(plain))
  const widths = heads.map((_, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)))
  for (const row of cells) {
    const line = row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')
    process.stdout.write(`${line.trimEnd()}\n`)
  }
}
