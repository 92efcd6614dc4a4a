// Opens the source that a sync file names.
import { isAbsolute, join } from 'node:path'
import { ZerohopError } from '../../model/errors.ts'
import { type SyncFile, sourceName } from '../file/sync-file.ts'
import { openCommand } from './command.ts'
import { openMysql } from './mysql.ts'
import { openPostgres } from './postgres.ts'
import type { Snapshot } from './source.ts'
import { type OpenDatabase, openSqlite } from './sqlite.ts'
import { openFiles } from './text-rows.ts'

export interface SourceOptions {
  /** that of the sync file, which names of files are relative to, and below whose project drivers may be */
  readonly folder: string
  /** the value of an environment variable */
  readonly variable: (name: string) => string | undefined
  /** in place of the drivers for SQLite that are looked for */
  readonly sqlite?: OpenDatabase | undefined
}

/** @throws SYNC_SOURCE_FAILED, PACKAGE_MISSING, CONFIG_INVALID when a variable is not set */
export async function openSource(file: SyncFile, { folder, variable, sqlite }: SourceOptions): Promise<Snapshot> {
  const { source } = file
  switch (sourceName(file)) {
    case 'postgres':
      return openPostgres(readUrl(source.postgres!.url_env, variable), folder)
    case 'mysql':
      return openMysql(readUrl(source.mysql!.url_env, variable), folder)
    case 'sqlite': {
      const { file: name } = source.sqlite!
      return openSqlite(isAbsolute(name) ? name : join(folder, name), folder, sqlite)
    }
    case 'command':
      return openCommand(folder)
    case 'ndjson':
      return openFiles('ndjson', folder)
    default:
      return openFiles('csv', folder)
  }
}

function readUrl(name: string, variable: (name: string) => string | undefined): string {
  const url = variable(name)?.trim()
  if (url) return url
  throw new ZerohopError('CONFIG_INVALID', {
    reason: `the environment variable \`${name}\` is not set: it has the URL`,
  })
}
