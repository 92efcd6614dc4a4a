// The record of a run: the entries in the database, and what follows from them for each object.
import { createHash } from 'node:crypto'
import { inflateRawSync } from 'node:zlib'
import type { Actor, Change } from '../../../src/log/change.ts'
import type { Postgres } from '../../support/postgres.ts'
import type { State } from './history.ts'

export interface Entry {
  readonly revision: number
  readonly chain: string
  /** ms since 1970, as the database saw it under the lock */
  readonly at: number
  readonly by: Actor
  readonly changes: readonly Change[]
}

/** From `revision` on the object has this state. */
export interface Step {
  readonly revision: number
  readonly state: State
}

export interface Log {
  readonly id: string
  readonly kind: 'control' | 'environment'
  readonly entries: readonly Entry[]
  /** the states of each object, the oldest first; before the first one it does not exist */
  readonly objects: ReadonlyMap<string, readonly Step[]>
  /** how often each state was written by a request that asked for it, by `object = state` */
  readonly written: ReadonlyMap<string, readonly Entry[]>
  /** what is wrong with the log itself */
  readonly trouble: readonly string[]
}

interface Row {
  readonly log: string
  readonly kind: Log['kind']
  readonly lineage: Buffer
  readonly revision: number
  readonly chain: Buffer
  readonly about: Buffer
  readonly changes: Buffer
}

/** Every log on record, by its id. */
export async function readRecord(postgres: Postgres, database: string): Promise<Map<string, Log>> {
  const rows = await postgres.query<Row>(
    database,
    `SELECT l.id AS log, l.kind, l.lineage, e.revision::float8 AS revision, e.chain, e.about, e.changes
    FROM zerohop.logs l JOIN zerohop.entries e USING (number) ORDER BY number, e.revision`,
  )
  const byLog = Map.groupBy === undefined ? grouped(rows) : Map.groupBy(rows, ({ log }) => log)
  return new Map([...byLog].map(([id, entries]) => [id, parseLog(id, entries)]))
}

function grouped(rows: readonly Row[]): Map<string, Row[]> {
  const found = new Map<string, Row[]>()
  for (const row of rows) found.set(row.log, [...(found.get(row.log)?.splice(0) ?? []), row])
  return found
}

function parseLog(id: string, rows: readonly Row[]): Log {
  const trouble: string[] = []
  const entries: Entry[] = []
  let [before, revision] = [rows[0]?.lineage ?? Buffer.alloc(32), 0]
  for (const row of rows) {
    const body = Buffer.concat([row.about, unpacked(row.changes)])
    const chain = createHash('sha256').update(before).update(body).digest()
    revision++
    if (row.revision !== revision) trouble.push(`revision ${revision} is missing, the next one is ${row.revision}`)
    if (!chain.equals(row.chain)) trouble.push(`the chain of revision ${row.revision} does not follow the one before`)
    const entry = JSON.parse(body.toString('utf8')) as Entry & { readonly log: string }
    if (entry.log !== id || entry.revision !== row.revision)
      trouble.push(`revision ${row.revision} says that it is ${entry.revision} of ${entry.log}`)
    if (entry.at < (entries.at(-1)?.at ?? 0)) trouble.push(`revision ${revision} is older than the one before it`)
    entries.push({ ...entry, chain: row.chain.toString('hex') })
    before = row.chain
    revision = row.revision
  }
  return { id, kind: rows[0]?.kind ?? 'environment', entries, trouble, ...fold(entries) }
}

const unpacked = (packed: Buffer): Buffer => (packed[0] === 1 ? inflateRawSync(packed.subarray(1)) : packed.subarray(1))

function fold(entries: readonly Entry[]): Pick<Log, 'objects' | 'written'> {
  const objects = new Map<string, Step[]>()
  const written = new Map<string, Entry[]>()
  const add = <T>(map: Map<string, T[]>, name: string, item: T): void => {
    const list = map.get(name)
    if (list === undefined) map.set(name, [item])
    else list.push(item)
  }
  for (const entry of entries) {
    const { revision, by, changes } = entry
    for (const change of changes) {
      const found = findState(change)
      if (found === undefined) continue
      const { object, state } = found
      add(objects, object, { revision, state })
      if (isAsked(by.operation, change)) add(written, `${object} = ${state}`, entry)
      if (by.operation === 'createApiKey' && change.kind === 'api_key' && change.op === 'put')
        add(written, `name/${change.value.name} = made`, entry)
    }
  }
  return { objects, written }
}

/** What a change does to an object that the clients use. */
function findState(change: Change): { readonly object: string; readonly state: State } | undefined {
  const isPut = change.op === 'put'
  if (change.kind === 'user')
    return { object: `user/${change.key}`, state: isPut ? String(change.value.attributes?.v) : null }
  if (change.kind === 'role') return { object: `role/${change.key}`, state: isPut ? change.value.name : null }
  if (change.kind === 'role_assignment') return { object: `assignment/${change.key}`, state: isPut ? 'yes' : null }
  if (change.kind === 'api_key') return { object: `key/${change.key}`, state: isPut ? 'alive' : null }
  return undefined
}

/** False for what goes with a deleted user, and for new keys: no client names these. */
function isAsked(operation: string, { kind, op }: Change): boolean {
  if (kind === 'role_assignment' && op === 'delete') return operation === 'unassign'
  return kind !== 'api_key' || op === 'delete'
}
