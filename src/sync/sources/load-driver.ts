// Drivers of databases: optional packages, which nothing but a sync from such a database loads. One is looked for next to
// this package, and then in the project of the sync file: a command that is installed for all projects has none of theirs.
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ZerohopError } from '../../model/errors.ts'

/** @param folder that of the sync file @throws PACKAGE_MISSING when it is not installed */
export async function loadDriver<T>(name: string, folder: string): Promise<T> {
  const driver = await findDriver<T>(name, folder)
  if (driver === undefined) throw new ZerohopError('PACKAGE_MISSING', { name })
  return driver
}

/** The same; undefined when it is not there. */
export async function findDriver<T>(name: string, folder: string): Promise<T | undefined> {
  for (const find of [() => name, () => findInProject(name, folder)]) {
    try {
      return (await import(/* @vite-ignore */ find())) as T
    } catch (error) {
      if (!isMissing(error as NodeJS.ErrnoException, name)) throw error
    }
  }
  return undefined
}

/** @throws MODULE_NOT_FOUND */
const findInProject = (name: string, folder: string): string =>
  pathToFileURL(createRequire(join(resolve(folder), 'sync.yaml')).resolve(name)).href

/** Not so where a package is there and misses another one. */
const isMissing = ({ code, message }: NodeJS.ErrnoException, name: string): boolean =>
  code === 'ERR_UNKNOWN_BUILTIN_MODULE' ||
  ((code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') && message.includes(`'${name}'`))
