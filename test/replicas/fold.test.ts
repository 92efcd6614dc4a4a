// What a replica reads from the record is folded beside what it writes itself: an answer that was long on its way must
// not bring back what was replaced meanwhile.
import { afterAll, expect, it } from 'vitest'
import { withoutRequest } from '../../src/log/change.ts'
import { BatchRunner, type RecordedEntry, type SealedSecret } from '../../src/store/batch.ts'
import { encodeEntry } from '../../src/store/log.ts'
import type { Connection } from '../../src/store/postgres/connection.ts'
import type { Database } from '../../src/store/postgres/database.ts'
import { Follow, type Moved } from '../../src/store/postgres/follow.ts'
import { openTables } from '../../src/store/tables.ts'
import { memoryFolder } from '../support/folders.ts'

const LOG = '1'.repeat(32)
const OTHER = '3'.repeat(32)
const LINEAGE = '2'.repeat(64)
const folder = memoryFolder('fold')
const tables = openTables(folder, 'create')
afterAll(() => tables.root.close())

/** Entries of a log, from revision 1 on. */
function entriesTo(last: number): RecordedEntry[] {
  const entries: RecordedEntry[] = []
  for (let head = { revision: 0, chain: LINEAGE }; head.revision < last; head = entries.at(-1) ?? head) {
    const about = { at: 1, by: withoutRequest('test'), status: 200, changes: [] }
    entries.push({ log: LOG, number: 1, lineage: LINEAGE, ...encodeEntry(LOG, head, about) })
  }
  return entries
}

const secret = (revision: number, sealed: string): SealedSecret => ({
  id: 'key',
  log: LOG,
  revision,
  sealed: Buffer.from(sealed),
})

it('the newer secret of a key is kept when an older answer comes after it', () => {
  const runner = new BatchRunner(tables, {}, () => Buffer.alloc(0), folder)
  const entries = entriesTo(3)
  const kept = () => String(tables.secrets.get('key'))
  runner.fold(entries.slice(0, 1), [secret(1, 'first')])
  expect(kept()).toBe('first')
  runner.fold(entries, [secret(3, 'third')])
  runner.fold(entries.slice(1, 2), [secret(2, 'second')])
  expect(kept()).toBe('third')
})

/** A database with an entry in each of two logs, which goes away when the second one is read, after `meanwhile`. */
function failingDatabase(meanwhile: () => void): Database {
  const [entry] = entriesTo(1)
  const bytes = Buffer.from(entry?.bytes ?? [])
  const at = bytes.indexOf(',"changes":')
  const row = {
    revision: 1,
    chain: bytes.subarray(0, 32),
    about: bytes.subarray(32, at),
    changes: Buffer.concat([Buffer.of(0), bytes.subarray(at)]),
  }
  const heads = [LOG, OTHER].map((id, place) => ({
    ...{ horizon: '1', number: place + 1, id, kind: 'environment', lineage: LINEAGE },
    ...{ revision: 1, chain: entry?.chain, at: 1 },
  }))
  const query = (text: string, [number]: readonly unknown[] = []) => {
    if (text.includes('pg_snapshot_xmin')) return Promise.resolve(heads)
    if (/zerohop\.(secrets|snapshots)/.test(text)) return Promise.resolve([])
    if (number === 1) return Promise.resolve([row])
    meanwhile()
    return Promise.reject(new Error('it went away'))
  }
  const nothing = { onNotification() {}, onLost() {}, requireOwnSession() {}, destroy() {} }
  const connection = { isLost: false, query, script: async () => [], ...nothing }
  return { settings: { url: '' }, open: async () => connection as unknown as Connection } as unknown as Database
}

it('what was folded before the database went away is reported, as it stands then', async () => {
  const fresh = openTables(memoryFolder('fold'), 'create')
  const runner = new BatchRunner(fresh, {}, () => Buffer.alloc(0), folder)
  const reports: unknown[] = []
  const about = { replica: 'one', version: 'test', onTrouble() {} }
  const onMoved = (moved: Moved) => reports.push(...moved.map(([log, { revision }]) => [log, revision]))
  // a write of this replica
  const database = failingDatabase(() => runner.fold(entriesTo(2), []))
  const follow = new Follow({ ...about, database, runner, tables: fresh, onMoved })
  await expect(follow.catchUp()).rejects.toThrow('it went away')
  expect(reports).toEqual([[LOG, 2]])
  await fresh.root.close()
})
