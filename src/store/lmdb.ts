// The only file that imports lmdb. Its declarations have an error when they are read as an ES module (TS1203), which
// everyone who imports `zerohop/server` without `skipLibCheck` would get. Read as CommonJS, with `require`, the same
// text has none: so the types are taken that way.
//
// It has native code, and throws while it is loaded where that is not there. So it is loaded when the first folder is
// opened, by a call that no bundler follows: what is wrong then has a name.
import type lmdb = require('lmdb')

import { createRequire } from 'node:module'
import { requireCodeGeneration } from '../model/code-generation.ts'
import { ZerohopError } from '../model/errors.ts'

/** A named table. */
export type Database<V, K extends string | Uint8Array> = lmdb.Database<V, K>
export type DatabaseOptions = lmdb.DatabaseOptions
/** The state of one moment, for reads over several turns: `done` gives it back. */
export type ReadTransaction = lmdb.Transaction
/** An open folder. */
export type RootDatabase = lmdb.RootDatabase

/** Opens a folder. @throws LMDB_MISSING, CODE_GENERATION_OFF, and what LMDB throws */
export function open(options: lmdb.RootDatabaseOptionsWithPath): RootDatabase {
  return loadLmdb().open(options)
}

/** What the callback of a transaction returns to end it without effect. */
export const abort = (): unknown => loadLmdb().ABORT

let loaded: typeof lmdb | undefined

function loadLmdb(): typeof lmdb {
  if (loaded === undefined) requireCodeGeneration()
  try {
    loaded ??= createRequire(import.meta.url)('lmdb') as typeof lmdb
    return loaded
  } catch (cause) {
    const [reason] = `${(cause as Error).message}`.split('\n')
    throw new ZerohopError('LMDB_MISSING', { reason }, { cause })
  }
}
