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
  /** files that are too large to be code that somebody wrote, or hold what is no text */
  readonly skipped: readonly string[]
  /** folders that by their name hold what a build made or what others wrote, and may yet hold code of the team */
  readonly passedOver: readonly string[]
}

/** Folders that hold no code of the team. */
const OTHERS = new Set(
  'node_modules .git .hg .svn .venv __pycache__ site-packages .next .nuxt .gradle .idea .tox .mypy_cache'.split(' '),
)
/** Folders that hold what a build made, or what others wrote, unless a team gave the name to its own. */
const BUILT = new Set('dist build out target vendor obj venv coverage'.split(' '))

/**
 * Every use of v1 under `path`, a folder or one file, in the order of the names of files.
 * @throws CONFIG_INVALID when the path cannot be read, LIMIT_EXCEEDED when there are too many files
 */
export function scanFolder(path: string, progress: (files: number) => void = () => undefined): ScanReport {
  const findings: Finding[] = []
  const skipped: string[] = []
  const passedOver: string[] = []
  const named = (file: string): string => (relative(path, file) || file).split('\\').join('/')
  let files = 0
  for (const file of filesUnder(path, (folder) => passedOver.push(named(folder)))) {
    if (++files > SCAN_FILES_MAX)
      throw new ZerohopError('LIMIT_EXCEEDED', { what: 'the number of files', limit: SCAN_FILES_MAX })
    progress(files)
    const name = named(file)
    const text = textOf(file)
    if (text === undefined) skipped.push(name)
    else for (const finding of scanText(text, name)) findings.push(finding)
  }
  return { files, findings, skipped, passedOver }
}

/** The text of a file; undefined when it is none that somebody wrote. */
function textOf(file: string): string | undefined {
  const bytes = reading(file, () => (statSync(file).size > SCAN_FILE_BYTES_MAX ? undefined : readFileSync(file)))
  if (bytes === undefined) return undefined
  const isWide = bytes[0] === 0xff && bytes[1] === 0xfe // as old editors for C# saved it
  const text = new TextDecoder(isWide ? 'utf-16le' : 'utf-8').decode(bytes)
  return text.includes('\0') ? undefined : text
}

/** @throws CONFIG_INVALID when the path cannot be read */
function reading<T>(path: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw invalid(`\`${path}\` cannot be read: ${(error as NodeJS.ErrnoException).code}`)
  }
}

function invalid(reason: string): ZerohopError {
  return new ZerohopError('CONFIG_INVALID', { reason })
}

/** The uses of v1 in the text of one file; none when its language is not known. */
export function scanText(text: string, file: string): Finding[] {
  const language = languageOf(file)
  if (language === undefined) return []
  let line = 1
  let start = 0
  return usesIn(parse(text, language), text).map(({ at, kind, found, instead }) => {
    for (let end = text.indexOf('\n', start); end !== -1 && end < at; end = text.indexOf('\n', start)) {
      line++
      start = end + 1
    }
    return { file, line, column: at - start + 1, kind, found, instead }
  })
}

/** A path that was named must be one that can be scanned; what lies below a folder may be anything. */
function* filesUnder(path: string, passOver: (folder: string) => void): Generator<string> {
  const found = reading(path, () => statSync(path))
  if (found.isDirectory()) {
    yield* filesIn(path, passOver)
    return
  }
  if (!found.isFile() || languageOf(path) === undefined)
    throw invalid(`\`${path}\` is neither a folder nor a file in a language that is known`)
  yield path
}

function* filesIn(folder: string, passOver: (folder: string) => void): Generator<string> {
  const entries = reading(folder, () => readdirSync(folder, { withFileTypes: true }))
  for (const entry of entries.sort((left, right) => (left.name < right.name ? -1 : 1))) {
    const inner = join(folder, entry.name)
    if (entry.isFile() && languageOf(entry.name) !== undefined) yield inner
    if (!entry.isDirectory() || OTHERS.has(entry.name)) continue
    if (BUILT.has(entry.name)) passOver(inner)
    else yield* filesIn(inner, passOver)
  }
}
