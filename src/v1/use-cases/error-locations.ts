// Translates error paths: some fields have other names in the first API version, and an error must name the field of
// the v1 body.

import { BODY, type Path } from '../../management/rules/fields.ts'
import { ZerohopError } from '../../model/errors.ts'

/**
 * Runs `run`; in the path of an error, names of the second version become those of the first. `root` is the path of the
 * input.
 */
export function named<T>(names: Readonly<Record<string, string>>, run: () => T, root: 'body' | 'query' = 'body'): T {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof ZerohopError) || error.path === undefined || error.path[0] !== BODY[0]) throw error
    const path: Path = [root, ...error.path.slice(1).map((part) => (Object.hasOwn(names, part) ? names[part]! : part))]
    throw new ZerohopError(error.code, error.details, { path, cause: error.cause })
  }
}
