// The output of the steps of `zerohop migrate`: results as lines or JSON on standard output, progress bars and prompts
// on standard error.
import { createInterface } from 'node:readline/promises'
import { SingleBar } from 'cli-progress'
import { MIGRATE_PROGRESS_MS } from '../../../model/limits.ts'
import { plain } from '../../../model/plain-text.ts'
import type { Difference } from '../checks.ts'
import type { Progress } from '../progress.ts'

/** The number of differences that are printed. */
const ROWS_SHOWN = 100

/** Asks for confirmation on the terminal; anything but yes is no. */
export async function confirm(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return /^y(es)?$/i.test((await lines.question(`${question} [y/N] `)).trim())
  } finally {
    lines.close()
  }
}

/**
 * A progress bar on a terminal, lines elsewhere, nothing with --json; never on standard output, which is for results.
 */
export function progressOf(json: boolean | undefined): Progress {
  if (json === true) return { begin: () => undefined, step: () => undefined, end: () => undefined }
  return process.stderr.isTTY ? bars() : lines()
}

/** A line at the beginning, one every few seconds, and one at the end. */
function lines(): Progress {
  let what: string | undefined
  let [total, done, saidAt] = [0, 0, 0]
  const say = (): void => {
    saidAt = Date.now()
    process.stderr.write(`${what}: ${done}${total > 0 ? ` of ${total}` : ''}\n`)
  }
  return {
    begin: (next, expected) => {
      ;[what, total, done] = [next, expected, 0]
      if (total > 0) say()
    },
    step: () => {
      done++
      if (Date.now() - saidAt >= MIGRATE_PROGRESS_MS) say()
    },
    end: () => {
      if (what !== undefined && done > 0) say()
      what = undefined
    },
  }
}

function bars(): Progress {
  let bar: SingleBar | undefined
  return {
    begin: (what, total) => {
      // without a total only the count is shown
      const format = total > 0 ? '{what} [{bar}] {value}/{total} {eta_formatted}' : '{what}: {value}'
      // the library's own line handling changes a terminal mode, which would remain when the command is killed
      bar = new SingleBar({ format, stream: process.stderr, clearOnComplete: true, linewrap: true })
      bar.start(total, 0, { what })
    },
    step: () => bar?.increment(),
    end: () => bar?.stop(),
  }
}

/** A table of the first differences; the report has all of them. */
export function printDifferences(differences: readonly Difference[]): void {
  if (differences.length === 0) return
  const rows = differences.map(({ environment, what, v1, v2 }) => {
    return [environment, what, JSON.stringify(v1), JSON.stringify(v2)]
  })
  printRows([['environment', 'what', 'v1', 'v2'], ...rows], ', in the report')
}

/** Prints the first rows of a table with a header. @param rest where the other rows are */
export function printRows(table: readonly (readonly string[])[], rest = ': --json lists them'): void {
  const shown = table.slice(0, ROWS_SHOWN + 1).map((row) => row.map(plain))
  const columns = (table[0]?.length ?? 1) - 1
  const widths = Array.from({ length: columns }, (_, at) =>
    Math.min(60, Math.max(...shown.map((row) => row[at]!.length))),
  )
  for (const row of shown)
    print(
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
  const more = table.length - shown.length
  if (more > 0) print(`… and ${more} more${rest}`)
}

export function printJson(value: unknown): 0 {
  print(JSON.stringify(value))
  return 0
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
