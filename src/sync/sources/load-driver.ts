// Drivers of databases: optional packages, which nothing but a sync from such a database loads.
import { ZerohopError } from '../../model/errors.ts'

/** The module of a package. @throws PACKAGE_MISSING when it is not installed */
export async function loadDriver<T>(name: string): Promise<T> {
  const driver = await findDriver<T>(name)
  if (driver === undefined) throw new ZerohopError('PACKAGE_MISSING', { name })
  return driver
}

/** The same; undefined when it is not there. */
export async function findDriver<T>(name: string): Promise<T | undefined> {
  try {
    return (await import(/* @vite-ignore */ name)) as T
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const isMissing =
      code === 'ERR_UNKNOWN_BUILTIN_MODULE' || (code === 'ERR_MODULE_NOT_FOUND' && message.includes(name))
    if (!isMissing) throw error
    return undefined
  }
}
