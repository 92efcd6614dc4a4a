// Packages of old engines: peers of this package that nobody needs but an import, and that only an import loads.
import { ZerohopError } from '../../model/errors.ts'

/** The module of a package. @throws PACKAGE_MISSING when it is not installed */
export async function loadPeer<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new ZerohopError('PACKAGE_MISSING', { name }, { cause: error })
  }
}
