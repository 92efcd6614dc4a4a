// An environment at a past revision as a policy file. Runs in a worker thread (past-thread.ts), and holds the objects
// of the revision in memory.

import type { KindName, Objects } from '../../kinds/index.ts'
import { type LogId, put } from '../../log/change.ts'
import { FACT_KINDS } from '../../model/policy-kinds.ts'
import { Draft } from '../../store/draft.ts'
import { EmptyView } from '../../store/empty.ts'
import type { PastReader } from '../../store/past-reader.ts'
import type { View } from '../../store/view.ts'
import { exportEverything, exportSchema } from '../policy-file/export.ts'
import { gone } from './past-image.ts'

export interface WantedExport {
  readonly revision: number
  /** also users, tenants, role assignments, instances and tuples */
  readonly facts: boolean
}

/** JSON of the policy file. @throws REVISION_GONE when the revision cannot be reached */
export async function exportAt(reader: PastReader, environment: LogId, wanted: WantedExport): Promise<Uint8Array> {
  const view = await viewAt(reader, environment, wanted)
  return Buffer.from(JSON.stringify(wanted.facts ? exportEverything(view) : exportSchema(view)))
}

/** What was stored at a revision. @throws REVISION_GONE */
export async function viewAt(reader: PastReader, environment: LogId, { revision, facts }: WantedExport): Promise<View> {
  const start = await reader.start(revision)
  if (start === undefined) throw gone(revision, await reader.reach())
  const isRead = (kind: KindName): boolean => facts || !FACT_KINDS.has(kind)
  const view = new Draft(new EmptyView(environment))
  // read within this turn: that is one consistent state
  for (const { kind, json } of start.objects)
    if (isRead(kind)) view.stage([put(kind, JSON.parse(json) as Objects[KindName])]) // what is stored under a kind is of it
  for (let have = start.position.revision; have < revision; ) {
    const page = await reader.entries(have)
    if (page.length === 0) throw gone(revision, await reader.reach())
    for (const { revision: at, changes } of page) {
      if (at <= revision) view.stage(changes.filter(({ kind }) => isRead(kind)))
      have = at
    }
  }
  return view
}
