// The first API version calls some fields by other names: an error of a use case says where in the v1 body the trouble is.

import { BODY, type Path } from '../../management/fields.ts'
import { ZerohopError } from '../../model/errors.ts'

/** Runs `run`; in the path of an error, names of the second version become those of the first. `root` is where the input stood. */
export function named<T>(names: Readonly<Record<string, string>>, run: () => T, root: 'body' | 'query' = 'body'): T {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof ZerohopError) || error.path === undefined || error.path[0] !== BODY[0]) throw error
    const path: Path = [root, ...error.path.slice(1).map((part) => (Object.hasOwn(names, part) ? names[part]! : part))]
    throw new ZerohopError(error.code, error.details, { path, cause: error.cause })
  }
}
