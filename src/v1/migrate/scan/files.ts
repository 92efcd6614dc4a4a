// Walks the files of a code base. It follows no links, and reports every file or folder that it does not read with the
// reason: an unreported file would look as if nothing was found in it.
import { type Dirent, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ZerohopError } from '../../../model/errors.ts'
import { SCAN_FILE_BYTES_MAX } from '../../../model/limits.ts'

/** `binary`, `link` and `special` (a socket, a device) have no text; the others may contain a use. */
export type Reason = 'binary' | 'link' | 'special' | 'too large' | 'unreadable'

export interface Walk {
  /** a file that is a candidate */
  readonly file: (path: string) => void
  readonly skipped: (path: string, reason: Reason) => void
  /** a folder skipped because its name is usual for build output or third-party code */
  readonly passedOver: (path: string) => void
  /** a file or folder excluded with --ignore */
  readonly ignored: (path: string) => void
}

/** Names that are usual for folders of build output or third-party code. */
const PASSED_OVER = new Set(
  (
    'node_modules .git .hg .svn .venv __pycache__ site-packages .next .nuxt .gradle .idea .tox .mypy_cache ' +
    'dist build out target vendor obj venv coverage'
  ).split(' '),
)

/**
 * Every file under `path`, a folder or one file, in the order of names.
 * @param ignore files and folders to exclude
 * @throws CONFIG_INVALID when `path` cannot be read, or one of `ignore` is not there
 */
export function walk(path: string, ignore: readonly string[], to: Walk): void {
  for (const one of ignore) reading(one, () => statSync(one))
  const left = new Set(ignore.map((one) => resolve(one)))
  const found = reading(path, () => statSync(path))
  if (found.isFile()) {
    to.file(path)
    return
  }
  if (!found.isDirectory()) throw invalid(`\`${path}\` is neither a folder nor a file`)
  reading(path, () => readdirSync(path))
  walkFolder(path, left, to)
}

function walkFolder(folder: string, ignore: ReadonlySet<string>, to: Walk): void {
  for (const entry of entriesOf(folder, to)) {
    const inner = join(folder, entry.name)
    if (ignore.has(resolve(inner))) to.ignored(inner)
    else if (entry.isSymbolicLink()) to.skipped(inner, 'link')
    else if (entry.isFile()) to.file(inner)
    else if (!entry.isDirectory()) to.skipped(inner, 'special')
    else if (PASSED_OVER.has(entry.name)) to.passedOver(inner)
    else walkFolder(inner, ignore, to)
  }
}

function entriesOf(folder: string, { skipped }: Walk): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((left, right) => (left.name < right.name ? -1 : 1))
  } catch {
    skipped(`${folder}/`, 'unreadable')
    return []
  }
}

/** The text of a file, or why it was not read. */
export function textOf(file: string): { readonly text: string } | { readonly reason: Reason } {
  try {
    if (statSync(file).size > SCAN_FILE_BYTES_MAX) return { reason: 'too large' }
    const text = decoded(readFileSync(file))
    return text.includes('\0') ? { reason: 'binary' } : { text }
  } catch {
    return { reason: 'unreadable' }
  }
}

/** UTF-8, or UTF-16 when the file begins with its byte order mark. An invalid byte only loses that character. */
function decoded(bytes: Uint8Array): string {
  const mark = `${bytes[0]} ${bytes[1]}`
  const encoding = mark === '255 254' ? 'utf-16le' : mark === '254 255' ? 'utf-16be' : 'utf-8'
  return new TextDecoder(encoding).decode(bytes)
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
