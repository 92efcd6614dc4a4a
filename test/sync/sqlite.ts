// Drivers for SQLite. The tests have their own, and run once more with the one that the command finds: what Node has built
// in, from 22.16 on, or `better-sqlite3`, which this package does not install, because its binary is compiled or comes from
// elsewhere. ZEROHOP_TEST_DRIVERS=FOLDER is where somebody has installed it; with it ZEROHOP_TEST_COMPILED=1, because Vite
// replaces a peer that is missing.
import { symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import Sqlite from 'libsql'
import type { OpenDatabase } from '../../src/sync/sources/sqlite.ts'

const PACKAGE = 'better-sqlite3'

export interface SqliteDriver {
  readonly name: string
  /** undefined: the command finds it */
  readonly open: OpenDatabase | undefined
  /** why it cannot be used here */
  readonly missing?: string
}

const ofTests: SqliteDriver = {
  name: 'the driver of the tests',
  open: ((file: string) => new Sqlite(file, { readonly: true })) as unknown as OpenDatabase,
}

/** @param folder that of the sync files: its `node_modules` becomes that of ZEROHOP_TEST_DRIVERS */
export function listSqliteDrivers(folder: string): readonly SqliteDriver[] {
  const { ZEROHOP_TEST_DRIVERS: installed } = process.env
  if (installed) symlinkSync(join(installed, 'node_modules'), join(folder, 'node_modules'))
  const require = createRequire(join(folder, 'sync.yaml'))
  const tryTo = <T>(get: () => T): T | undefined => {
    try {
      return get()
    } catch {
      return undefined
    }
  }
  type BuiltIn = { readonly StatementSync: { readonly prototype: object } }
  const isBuiltIn = tryTo(() => 'columns' in (require('node:sqlite') as BuiltIn).StatementSync.prototype) === true
  const isThere = isBuiltIn || tryTo(() => require.resolve(PACKAGE)) !== undefined
  const found = { name: isBuiltIn ? 'node:sqlite' : PACKAGE, open: undefined }
  const missing = `Node ${process.versions.node} has none, and ZEROHOP_TEST_DRIVERS names no folder with better-sqlite3`
  return [ofTests, isThere ? found : { ...found, name: 'the driver that the command finds', missing }]
}

/** The name of a driver, with the reason where it is skipped. */
export const nameDriver = ({ name, missing }: SqliteDriver): string =>
  missing === undefined ? name : `${name}: skipped, ${missing}`
