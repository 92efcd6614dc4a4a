// The thread of a replica that stores records of decisions in the database, and reads them. It has two connections:
// on one it stores and forgets, on the other it reads, so that a list does not wait for a batch. Loaded from the build,
// by its URL.
import { workerData } from 'node:worker_threads'
import { Database, Lane } from '../store/postgres/database.ts'
import type { DatabaseSettings } from '../store/settings.ts'
import { serveSlow } from '../threads/worker-host.ts'
import type { AuditBatch, Stored } from './audit-lines.ts'
import type { AuditInstance, AuditKeep, AuditMatches, AuditMatchRange, AuditRange, AuditTrimmed } from './audit-log.ts'
import type { AuditMinutes, AuditMinutesRange, TermGroups } from './audit-terms.ts'
import { matchTerms, sumMinutes } from './database-audit-index.ts'
import { countRecords, findRecord, findRecords, findSeries, listRecords } from './database-audit-reads.ts'
import { DatabaseAuditWriter } from './database-audit-writer.ts'
import { readKnownUses, readUses } from './database-last-uses.ts'
import type { KnownUses, UseName } from './last-uses.ts'
import { UserNames } from './user-names.ts'

export interface DatabaseAuditThreadData {
  /** the data folder, for the names of users */
  readonly data: string
  readonly database: DatabaseSettings
}

export type DatabaseAuditQuestion =
  | { readonly about: 'stored'; readonly batch: AuditBatch }
  | { readonly about: 'trimmed'; readonly keep: AuditKeep }
  | { readonly about: 'list'; readonly environment: string; readonly range: AuditRange }
  | {
      readonly about: 'match'
      readonly environment: string
      readonly groups: TermGroups
      readonly range: AuditMatchRange
    }
  | { readonly about: 'records'; readonly environment: string; readonly ids: readonly string[] }
  | { readonly about: 'minutes'; readonly environment: string; readonly range: AuditMinutesRange }
  | { readonly about: 'uses'; readonly environment: string; readonly names: readonly UseName[] }
  | { readonly about: 'knownUses'; readonly environment: string }
  | { readonly about: 'counts'; readonly environments: readonly string[] }
  | { readonly about: 'record'; readonly environment: string; readonly id: string }
  | { readonly about: 'instance'; readonly name: string }

/** Records are JSON. */
export interface DatabaseAuditAnswers {
  readonly stored: Stored
  readonly trimmed: AuditTrimmed
  readonly list: string[]
  readonly match: AuditMatches | undefined
  readonly records: string[]
  readonly minutes: AuditMinutes[]
  readonly uses: (number | undefined)[]
  readonly knownUses: KnownUses | undefined
  readonly counts: ReadonlyMap<string, number>
  readonly record: string | undefined
  readonly instance: AuditInstance | undefined
}

const { data, database: settings } = workerData as DatabaseAuditThreadData
const database = new Database(settings)
const users = new UserNames(data)
const reading = new Lane(database, 'decisions, read')
const writer = new DatabaseAuditWriter(new Lane(database, 'decisions'), users.find, Date.now)

serveSlow(answer, { close })

async function answer(question: DatabaseAuditQuestion): Promise<unknown> {
  if (question.about === 'stored') return writer.append(question.batch)
  if (question.about === 'trimmed') return writer.trim(question.keep)
  const connection = await reading.connection()
  if (question.about === 'list') return listRecords(connection, question.environment, question.range)
  if (question.about === 'match') return matchTerms(connection, question.environment, question.groups, question.range)
  if (question.about === 'records') return findRecords(connection, question.environment, question.ids)
  if (question.about === 'minutes') return sumMinutes(connection, question.environment, question.range)
  if (question.about === 'uses') return readUses(connection, question.environment, question.names)
  if (question.about === 'knownUses') return readKnownUses(connection, question.environment)
  if (question.about === 'counts') return countRecords(connection, question.environments)
  if (question.about === 'record') return findRecord(connection, question.environment, question.id)
  return findSeries(connection, question.name)
}

async function close(): Promise<void> {
  await writer.close()
  reading.close()
  await users.close()
}
