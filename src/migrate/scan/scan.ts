// Walks a code base and lists its uses of v1: file, line, what to write instead. It reads; it changes nothing, follows no link, and says which
// files it did not read.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { ZerohopError } from '../../model/errors.ts'
import { SCAN_FILE_BYTES_MAX, SCAN_FILES_MAX } from '../../model/limits.ts'
import { type FindingKind, usesIn } from './rules.ts'
import { languageOf, parse } from './source.ts'

export interface Finding {
  /** from the folder that was asked about, with `/` */
  readonly file: string
  /** from 1 */
  readonly line: number
  readonly column: number
  readonly kind: FindingKind
  readonly found: string
  readonly instead: string
}

export interface ScanReport {
  readonly files: number
  readonly findings: readonly Finding[]
  /** files that are too large to be code that somebody wrote */
  readonly skipped: readonly string[]
}

/** Folders of what others wrote, or of what a build made. */
const PASSED_OVER = new Set(
  'node_modules .git .hg .svn dist build out target vendor bin obj .venv venv __pycache__ site-packages coverage .next .gradle .idea'.split(
    ' ',
  ),
)

/**
 * Every use of v1 under `path`, a folder or one file, in the order of the names of files.
 * @throws CONFIG_INVALID when the path cannot be read, LIMIT_EXCEEDED when there are too many files
 */
export function scanFolder(path: string, progress: (files: number) => void = () => undefined): ScanReport {
  const findings: Finding[] = []
  const skipped: string[] = []
  let files = 0
  for (const file of filesUnder(path)) {
    if (++files > SCAN_FILES_MAX)
      throw new ZerohopError('LIMIT_EXCEEDED', { what: 'the number of files', limit: SCAN_FILES_MAX })
    progress(files)
    const name = (relative(path, file) || file).split('\\').join('/')
    if (statSync(file).size > SCAN_FILE_BYTES_MAX) skipped.push(name)
    else findings.push(...scanText(readFileSync(file, 'utf8'), name))
  }
  return { files, findings, skipped }
}

/** The uses of v1 in the text of one file; none when its language is not known. */
export function scanText(text: string, file: string): Finding[] {
  const language = languageOf(file)
  if (language === undefined) return []
  return usesIn(parse(text, language), text).map(({ at, kind, found, instead }) => {
    const before = text.slice(0, at)
    const line = before.split('\n').length
    return { file, line, column: at - before.lastIndexOf('\n'), kind, found, instead }
  })
}

function* filesUnder(path: string): Generator<string> {
  let entries: ReturnType<typeof read> | undefined
  try {
    entries = statSync(path).isDirectory() ? read(path) : undefined
  } catch (error) {
    throw new ZerohopError('CONFIG_INVALID', {
      reason: `\`${path}\` cannot be read: ${(error as NodeJS.ErrnoException).code}`,
    })
  }
  if (entries === undefined) {
    yield path
    return
  }
  for (const entry of entries) {
    const inner = join(path, entry.name)
    if (entry.isDirectory() && !PASSED_OVER.has(entry.name)) yield* filesUnder(inner)
    else if (entry.isFile() && languageOf(entry.name) !== undefined) yield inner
  }
}

function read(path: string) {
  return readdirSync(path, { withFileTypes: true }).sort((left, right) => (left.name < right.name ? -1 : 1))
}
