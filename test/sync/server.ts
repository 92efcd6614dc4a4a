// A sync from a SQLite file to a real management API, without the command: what its parts do together.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '../../src/client/management-client.ts'
import { readSyncFile } from '../../src/sync/file/sync-file.ts'
import { findRefusals } from '../../src/sync/guards.ts'
import { countItems, planDifferences } from '../../src/sync/make-plan.ts'
import { type ReadOptions, readSource } from '../../src/sync/read-source.ts'
import { reviewPlan } from '../../src/sync/review.ts'
import { SyncServer } from '../../src/sync/server.ts'
import type { OpenDatabase } from '../../src/sync/sources/sqlite.ts'
import { type Written, writePlan } from '../../src/sync/write-plan.ts'

export interface Place {
  readonly url: string
  readonly key: string
  /** for files of rows */
  readonly folder: string
  readonly environment: string
}

let runs = 0
const hex = (n: number) => n.toString(16).padStart(32, '0')

export interface Synced {
  /** how many differences were planned */
  readonly planned: number
  readonly refusals: readonly string[]
  /** undefined where nothing was to write, or where it was refused */
  readonly written: Written | undefined
}

/** Runs the sync once, as `zerohop sync apply` does. */
export async function runSync(
  { url, key, folder, environment }: Place,
  text: string,
  {
    allowed,
    variables = {},
    source = hex(0xabc),
    sqlite,
  }: {
    readonly allowed?: number
    readonly variables?: Readonly<Record<string, string>>
    readonly source?: string
    /** what opens files of SQLite; the command finds it unless given */
    readonly sqlite?: OpenDatabase | undefined
  } = {},
): Promise<Synced> {
  const { file, problems } = readSyncFile({ name: 'sync.yaml', text })
  if (file === undefined) throw new Error(problems.map(({ message }) => message).join('\n'))
  const temporary = join(folder, `run-${++runs}`)
  mkdirSync(temporary)
  const options: ReadOptions = { folder, temporary, variable: (name) => variables[name], sqlite }
  const rows = await readSource(file, options)
  if (rows.problems.length > 0) throw new Error(rows.problems.map(({ message }) => message).join('\n'))
  const client = createClient({ url, apiKey: key })
  const server = new SyncServer({ client, url, apiKey: key, path: { p: 'default', e: environment }, name: file.owner })
  const plan = await planDifferences(file, rows, server, temporary)
  const review = await reviewPlan(plan, server)
  const refusals = findRefusals(file, plan.sections, review.removed, allowed)
  const planned = countItems(plan)
  if (planned === 0 || refusals.length > 0) return { planned, refusals, written: undefined }
  return { planned, refusals, written: await writePlan(plan, server, { source, run: hex(0x1000 + runs) }) }
}
