// Finds the policy files in folders, those that are reached by links too: a ConfigMap consists of links. Nothing is left
// out in silence, because `--prune` deletes what the files do not have: a link that leads nowhere, out of the folder or
// in a circle is an error, and so are folders that cannot be read.
import { type Dirent, readdirSync, readFileSync, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'
import { ZerohopError } from '../../model/errors.ts'
import { POLICY_FILES_MAX, POLICY_FOLDERS_DEPTH_MAX, POLICY_FOLDERS_MAX } from '../../model/limits.ts'

/** The configuration of a folder (src/cli/configuration/project-file.ts): no policy file. */
export const PROJECT_FILE = 'zerohop.yaml'

/** Standard input instead of a file. */
export const STANDARD_INPUT = '-'

export interface FoundFile {
  /** as on the command line, or below a folder of the command line */
  readonly name: string
  /** absolute and without links */
  readonly path: string
}

/**
 * The files that are named, and all YAML and JSON files in the folders that are named, each once.
 * @param from the folder that names are relative to
 * @throws CONFIG_INVALID with the name of what cannot be read
 */
export function findFiles(named: readonly string[], from: string): FoundFile[] {
  const walk = new Walk()
  for (const name of named) walk.addNamed(name, from)
  if (walk.files.length === 0) throw invalid('no policy file is named') // `files: []` in zerohop.yaml
  return walk.files
}

/** A folder that is walked. */
interface Folder extends FoundFile {
  /** the named folder that links must not leave */
  readonly top: FoundFile
  readonly depth: number
}

class Walk {
  readonly files: FoundFile[] = []
  /** real paths of files and folders that were found */
  readonly #found = new Set<string>()
  /** real paths of the folders that are being read: from the named folder to the innermost one */
  readonly #open = new Set<string>()
  #folders = 0

  addNamed(name: string, from: string): void {
    if (name === STANDARD_INPUT) {
      this.#addFile({ name, path: name })
      return
    }
    const path = resolve(from, name)
    const stats = readStats({ name, path })
    if (!stats.isDirectory()) {
      // what a shell passes for `<(command)` has no real path
      this.#addFile({ name, path: stats.isFile() ? reading(name, () => realpathSync(path)) : path })
      return
    }
    const top = { name, path: reading(name, () => realpathSync(path)) }
    if (!this.#readFolder({ ...top, top, depth: 1 })) throw invalid(`there is no policy file in \`${name}\``)
  }

  #addFile(file: FoundFile): void {
    if (this.#found.has(file.path)) return
    if (this.files.length === POLICY_FILES_MAX) throw invalid(`more than ${POLICY_FILES_MAX} policy files`)
    this.#found.add(file.path)
    this.files.push(file)
  }

  /** Returns whether there is a policy file in it, or it was read before. */
  #readFolder(folder: Folder): boolean {
    const { name, path, depth } = folder
    if (this.#open.has(path)) throw circular(name)
    if (this.#found.has(path)) return true
    if (depth > POLICY_FOLDERS_DEPTH_MAX)
      throw invalid(`\`${name}\` is more than ${POLICY_FOLDERS_DEPTH_MAX} folders deep`)
    if (++this.#folders > POLICY_FOLDERS_MAX) throw invalid(`more than ${POLICY_FOLDERS_MAX} folders`)
    this.#found.add(path)
    this.#open.add(path)
    let hasFiles = false
    for (const entry of listFolder(folder)) hasFiles = this.#addEntry(entry, folder) || hasFiles
    this.#open.delete(path)
    return hasFiles
  }

  /** Returns whether it is a policy file, or a folder with one. */
  #addEntry(entry: Dirent, { name: folder, path: folderPath, top, depth }: Folder): boolean {
    const name = join(folder, entry.name)
    if (entry.name === PROJECT_FILE) {
      requireProject({ name, path: join(folderPath, entry.name) })
      return false
    }
    const isPolicy = /\.(ya?ml|json)$/i.test(entry.name)
    let file: Dirent | Stats = entry
    let path = join(folderPath, entry.name)
    if (entry.isSymbolicLink()) {
      const link = path
      file = readStats({ name, path: link })
      if (!file.isDirectory() && !isPolicy) return false
      path = reading(name, () => realpathSync(link))
      if (isWithin(dirname(link), path)) throw circular(name)
      if (!isWithin(path, top.path))
        throw invalid(`\`${name}\` is a link that leads out of \`${top.name}\`, to \`${path}\``)
    }
    if (file.isDirectory()) return this.#readFolder({ name, path, top, depth: depth + 1 })
    if (!isPolicy) return false
    if (!file.isFile()) throw invalid(`\`${name}\` is neither a file nor a folder`)
    this.#addFile({ name, path })
    return true
  }
}

/** What may be a policy file or a folder of them, by name. */
function listFolder({ name: folder, path }: FoundFile): Dirent[] {
  return reading(folder, () => readdirSync(path, { withFileTypes: true }))
    .filter(({ name }) => !name.startsWith('.') && name !== 'node_modules')
    .sort((one, other) => (one.name < other.name ? -1 : 1))
}

/** The configuration is not a policy file: a policy of that name would be left out in silence. @throws CONFIG_INVALID */
function requireProject(file: FoundFile): void {
  if (!readStats(file).isFile()) return
  const text = reading(file.name, () => readFileSync(file.path, 'utf8'))
  if (/^(zerohop|"zerohop"|'zerohop')\s*:/m.test(text))
    throw invalid(`\`${file.name}\` has the name of a configuration, and is a policy: give it another name`)
}

const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`)

/** What is there, behind links. @throws CONFIG_INVALID */
function readStats({ name, path }: FoundFile): Stats {
  try {
    return statSync(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ELOOP') throw invalid(`\`${name}\` is a link that leads in a circle`)
    if (code !== 'ENOENT') throw unreadable(name, error)
    throw invalid(isLink(path) ? `\`${name}\` is a link that leads nowhere` : `\`${name}\` does not exist`)
  }
}

function isLink(path: string): boolean {
  try {
    readlinkSync(path)
    return true
  } catch {
    return false
  }
}

/** @throws CONFIG_INVALID when the system refuses */
function reading<T>(name: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw unreadable(name, error)
  }
}

/** That the system refuses to read a file. */
export function unreadable(name: string, error: unknown): ZerohopError {
  const { code } = error as NodeJS.ErrnoException
  return invalid(`\`${name}\` cannot be read: ${code}`)
}

const circular = (name: string): ZerohopError => invalid(`\`${name}\` is a link to a folder that it is in`)
const invalid = (reason: string): ZerohopError => new ZerohopError('CONFIG_INVALID', { reason })
