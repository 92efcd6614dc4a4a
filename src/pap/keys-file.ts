// `<data>/keys.json`: the keys of the first organization, for whoever owns the folder (mode 0600). Nothing here opens the store, so that a
// tool that only needs a key starts fast.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What the file holds. */
export interface KeysFile {
  readonly organization?: string
  readonly environments: Readonly<Record<string, string>>
}

export const keysPath = (data: string): string => join(data, 'keys.json')

/** The keys of a data folder; undefined when there is no such file. */
export function readKeys(data: string): KeysFile | undefined {
  try {
    return JSON.parse(readFileSync(keysPath(data), 'utf8')) as KeysFile
  } catch {
    return undefined
  }
}

/** Writes the file when it is not there: on a new folder, or when the process ended between the first commit and the file. */
export function writeKeysOnce(data: string, keys: () => KeysFile): void {
  if (!existsSync(keysPath(data))) write(data, keys())
}

/** Takes the keys out of the file that are not good any more: rotated, deleted, or gone with their environment. */
export function pruneKeys(data: string, isGood: (secret: string) => boolean): void {
  const file = readKeys(data)
  if (file === undefined) return
  const environments = Object.entries(file.environments).filter(([, secret]) => isGood(secret))
  const { organization } = file
  const keepsOrganization = organization === undefined || isGood(organization)
  if (keepsOrganization && environments.length === Object.keys(file.environments).length) return
  write(data, {
    ...(organization !== undefined && keepsOrganization ? { organization } : {}),
    environments: Object.fromEntries(environments),
  })
}

function write(data: string, keys: KeysFile): void {
  const path = keysPath(data)
  const temporary = `${path}.tmp`
  writeFileSync(temporary, `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600 })
  renameSync(temporary, path)
}
