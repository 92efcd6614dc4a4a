// `<data>/keys.json`: the keys of the first organization, for the owner of the folder (mode 0600). Reading it does not
// open the store, so that a tool that only needs a key starts fast.
import {
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

/** The contents of the file. */
export interface KeysFile {
  readonly organization?: string
  readonly environments: Readonly<Record<string, string>>
}

export const keysPath = (data: string): string => join(data, 'keys.json')

/** The keys of a data folder; undefined without the file. */
export function readKeys(data: string): KeysFile | undefined {
  try {
    return JSON.parse(readFileSync(keysPath(data), 'utf8')) as KeysFile
  } catch {
    return undefined
  }
}

/**
 * Writes the file when it is missing: in a new folder, or when the process ended between the first commit and the file.
 */
export function writeKeysOnce(data: string, keys: () => KeysFile): void {
  if (!existsSync(keysPath(data))) write(data, keys())
}

/**
 * Updates the file. `current` returns for a secret of the file the valid one: the same, the new one after a rotation,
 * or undefined when the key was deleted; its entry is then removed. @throws what the file system throws
 */
export function updateKeys(data: string, current: (secret: string) => string | undefined): void {
  const file = readKeys(data)
  if (file === undefined) return
  const { organization, environments } = file
  const updated = organization === undefined ? undefined : current(organization)
  const kept = Object.entries(environments).flatMap(([name, secret]) => {
    const now = current(secret)
    return now === undefined ? [] : [[name, now] as const]
  })
  const isSame =
    kept.length === Object.keys(environments).length && kept.every(([name, now]) => environments[name] === now)
  if (isSame && updated === organization) return
  write(data, { ...(updated === undefined ? {} : { organization: updated }), environments: Object.fromEntries(kept) })
}

/** Replaces the file as a whole: a process that is killed meanwhile leaves the old file or the new one. */
function write(data: string, keys: KeysFile): void {
  const path = keysPath(data)
  const temporary = `${path}.tmp`
  const file = openSync(temporary, 'w', 0o600)
  try {
    fchmodSync(file, 0o600) // in case an earlier process left the file behind
    writeFileSync(file, `${JSON.stringify(keys, null, 2)}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(temporary, path)
  syncFolder(data)
}

/** Makes the new name durable. */
function syncFolder(path: string): void {
  if (process.platform === 'win32') return
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
