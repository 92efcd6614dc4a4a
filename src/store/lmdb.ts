// The only file that imports lmdb. Its declarations have an error when they are read as an ES module (TS1203), which
// everybody who imports `zerohop/server` without `skipLibCheck` would get. Read as CommonJS, with `require`, the same
// text has none: so the types are taken that way.
import type lmdb = require('lmdb')

import { ABORT as LMDB_ABORT, open as openLmdb } from 'lmdb'

/** A named table. */
export type Database<V, K extends string | Uint8Array> = lmdb.Database<V, K>
export type DatabaseOptions = lmdb.DatabaseOptions
/** An open folder. */
export type RootDatabase = lmdb.RootDatabase

/** Opens a folder. @throws what LMDB throws */
export function open(options: lmdb.RootDatabaseOptionsWithPath): RootDatabase {
  return openLmdb(options)
}

/** What the callback of a transaction returns to end it without effect. */
export const ABORT: unknown = LMDB_ABORT
