// The past of an environment as a thread reads it: from the folder beside the store, or of a replica from the record in
// the database.
import type { LogId } from '../../log/change.ts'
import { FolderPastReader, type PastReader } from '../../store/past-reader.ts'
import { openReader } from '../../store/reader.ts'
import type { PastPlace } from './past-task.ts'

export async function openPast({ data, database }: PastPlace, environment: LogId): Promise<PastReader> {
  if (database === undefined) return new FolderPastReader(data, openReader(data), environment)
  // only replicas load the driver
  const { openRecordPast } = await import('../../store/postgres/record-past-reader.ts')
  return openRecordPast(database, environment)
}
