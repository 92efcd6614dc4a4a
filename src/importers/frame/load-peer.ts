// Packages of old engines: peers of this package that nothing but an import needs, and that only an import loads.
import { ZerohopError } from '../../model/errors.ts'

/** The module of a package. @throws PACKAGE_MISSING when it is not installed */
export async function loadPeer<T>(name: string): Promise<T> {
  try {
    return (await import(/* @vite-ignore */ name)) as T
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'ERR_MODULE_NOT_FOUND' || !message.includes(`'${name}'`)) throw error
    throw new ZerohopError('PACKAGE_MISSING', { name }, { cause: error })
  }
}
