// Replaces everything that is stored of a log by what was loaded elsewhere, inside the caller's transaction: who reads
// meanwhile sees the old state as a whole, and then the new one.

import type { KindName, Objects } from '../kinds/index.ts'
import type { LogId } from '../log/change.ts'
import { RETENTION_ROWS_PER_STEP } from '../model/limits.ts'
import type { RecordTable } from './checked-table.ts'
import { listSecretHashes } from './state.ts'
import { logRange, objectRange } from './table-keys.ts'
import type { Tables } from './tables.ts'

/** Kinds whose objects have hashes of secrets, which are in a table of the whole folder. */
const HASHED = ['api_key', 'deleted_environment'] as const satisfies readonly KindName[]

/** `from` has nothing but this log, under the same number. The head and the secrets are left to the caller. */
export function replaceLog(tables: Tables, from: Tables, log: LogId, number: number): void {
  removeLog(tables, log, number)
  const range = logRange(number)
  const copy = <C>(source: RecordTable<C>, target: RecordTable<C> | undefined): void => {
    for (const { key, content } of source.range(range)) target?.put(key, content)
  }
  for (const [at, table] of from.objectTables.entries()) copy(table, tables.objectTables[at])
  copy(from.log, tables.log)
  for (const name of ['keys', 'ids', 'indexes'] as const)
    for (const { key, place } of from[name].rows(range)) tables[name].put(key, place)
  for (const { key, content } of from.hashes.all()) tables.hashes.put(Buffer.from(key).toString(), content)
}

/** Removes everything that is stored of a log but its head, inside the caller's transaction. */
export function removeLog(tables: Tables, log: LogId, number: number): void {
  for (const kind of HASHED) {
    const objects = [...tables.objects(kind).range(objectRange(number, kind))]
    for (const { content } of objects)
      for (const hash of listSecretHashes(kind, JSON.parse(content) as Objects[KindName]))
        if (tables.hashes.get(hash) === log) tables.hashes.remove(hash)
  }
  const range = { ...logRange(number), limit: RETENTION_ROWS_PER_STEP }
  for (const table of [tables.indexes, tables.ids, tables.keys, ...tables.objectTables, tables.log])
    for (let found = [...table.keys(range)]; found.length > 0; found = [...table.keys(range)])
      for (const key of found) table.remove(key)
}
