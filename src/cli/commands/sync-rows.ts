// What every `zerohop sync` command begins with: the sync file, and the rows of its source, sorted in a temporary
// folder that only its owner may read. Here is also `zerohop sync check`, which does no more than that.
import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { counted } from '../../model/counted.ts'
import { ZerohopError } from '../../model/errors.ts'
import { plain } from '../../model/plain-text.ts'
import { makeTemporaryFolder, removeAbandonedFolders } from '../../store/temporary-folder.ts'
import { readSyncFile, type SyncFile } from '../../sync/file/sync-file.ts'
import type { RowProblem } from '../../sync/read-rows.ts'
import { type ReadRows, readSource } from '../../sync/read-source.ts'
import { readVariable } from '../configuration/env.ts'
import { printOptions, printProblems } from '../terminal/print-problems.ts'
import { printTable } from '../terminal/print-table.ts'
import { startCounter } from '../terminal/progress.ts'

/** The sync file, where none is named. */
export const SYNC_FILE = 'sync.yaml'

export interface FoundRows extends ReadRows {
  readonly file: SyncFile
  /** for what the command writes beside the rows; removed when the command ends */
  readonly temporary: string
}

/**
 * Reads the rows, and what is wrong is printed.
 * @returns what `use` does with them; undefined when something is wrong
 * @throws SYNC_SOURCE_FAILED, PACKAGE_MISSING, CONFIG_INVALID, LIMIT_EXCEEDED, and what `use` throws
 */
export async function withRows<T>(
  name: string | undefined,
  use: (found: FoundRows) => Promise<T>,
): Promise<T | undefined> {
  const path = name ?? SYNC_FILE
  const source = { name: path, text: readText(path) }
  const { file, problems } = readSyncFile(source)
  if (file === undefined) {
    process.stderr.write(printProblems(problems, [source], printOptions(process.stderr)))
    return undefined
  }
  await removeAbandonedFolders()
  const folder = await makeTemporaryFolder()
  const counter = startCounter('rows', 0)
  try {
    const options = { folder: dirname(path), temporary: folder.path, variable: readVariable }
    const read = await readSource(file, { ...options, onRows: (count) => counter.add(count) })
    counter.end()
    if (read.problems.length === 0) return await use({ ...read, file, temporary: folder.path })
    process.stderr.write(read.problems.map((problem) => `${path}: ${plain(formatProblem(problem))}\n`).join(''))
    return undefined
  } finally {
    counter.end()
    await folder.remove()
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const reason = `\`${path}\` cannot be read: ${(error as NodeJS.ErrnoException).code}`
    throw new ZerohopError('CONFIG_INVALID', { reason })
  }
}

/** `users, row 17: …` */
function formatProblem({ section, rows, message }: RowProblem): string {
  const where = rows.length === 0 ? '' : `, ${rows.length === 1 ? 'row' : 'rows'} ${rows.join(' and ')}`
  return `${section}${where}: ${message}`
}

/** Prints how many rows and facts there are. Returns the exit code. */
export async function checkRows(
  name: string | undefined,
  { json = false }: { readonly json?: boolean },
): Promise<number> {
  const done = await withRows(name, async ({ file, sections, digest }) => {
    const shown = sections.map(({ name: section, rows, facts }) => ({ section, rows, facts }))
    if (json) process.stdout.write(`${JSON.stringify({ owner: file.owner, digest, sections: shown }, null, 2)}\n`)
    else {
      printTable(
        ['SECTION', 'ROWS', 'FACTS'],
        shown.map(({ section, rows, facts }) => [section, `${rows}`, `${facts}`]),
      )
      process.stdout.write(
        `${counted(
          shown.reduce((sum, { facts }) => sum + facts, 0),
          'fact',
        )}: no problems\n`,
      )
    }
    return true
  })
  return done === undefined ? 1 : 0
}
