// When something was last used, in a folder: rows beside the records, written in their transaction. Records that an older
// version stored are recognised by their series, which it writes without a mark; then all records are looked at again, in
// steps, which changes nothing that is known already.
import { setImmediate } from 'node:timers/promises'
import {
  AUDIT_INDEXED_PER_STEP,
  LAST_USED_ROWS_MAX,
  LAST_USED_ROWS_PER_STEP,
  SCAN_ROWS_PER_TURN,
} from '../model/limits.ts'
import { type AuditTables, keyTime, timeKey } from './audit-tables.ts'
import { type KnownUses, type NewUses, sortedUses, type UseName, UseSums } from './last-uses.ts'

const AT_BYTES = 6
const NEXT = Buffer.alloc(1)
const useKey = (environment: string, use: UseName): Buffer => Buffer.from(environment + use, 'hex')
const readAt = (value: Uint8Array): number => Buffer.prototype.readUIntBE.call(value, 0, AT_BYTES)

function encodeAt(at: number): Buffer {
  const value = Buffer.alloc(AT_BYTES)
  value.writeUIntBE(at, 0, AT_BYTES)
  return value
}

/** Adds uses in the open transaction. @param roomFor rows of an environment */
export function addUses(tables: AuditTables, sums: UseSums, roomFor = LAST_USED_ROWS_MAX): void {
  const isComplete = tables.indexing.get('uses') === undefined
  for (const [environment, sum] of sums.sums()) {
    const known = tables.knownUses.get(environment)
    const since = known === undefined && isComplete ? sum.oldest : (known?.since ?? null)
    const { rows, lostAt } = putUses(tables, environment, sum, roomFor - (known?.rows ?? 0))
    const droppedAt = latest(known?.droppedAt, sum.droppedAt)
    const lost = latest(known?.lostAt, lostAt)
    void tables.knownUses.put(environment, {
      since,
      until: Math.max(known?.until ?? 0, sum.newest),
      rows: (known?.rows ?? 0) + rows,
      dropped: (known?.dropped ?? 0) + sum.dropped,
      ...(droppedAt === undefined ? {} : { droppedAt }),
      ...(lost === undefined ? {} : { lostAt: lost }),
    })
  }
}

function putUses(
  { uses }: AuditTables,
  environment: string,
  sum: NewUses,
  room: number,
): { rows: number; lostAt: number | undefined } {
  let rows = 0
  let lostAt: number | undefined
  for (const [use, at] of sortedUses(sum)) {
    const key = useKey(environment, use)
    const was = uses.get(key)
    if (was !== undefined && readAt(was) >= at) continue
    if (was === undefined && room <= 0) {
      lostAt = latest(lostAt, at)
      continue
    }
    if (was === undefined) rows++
    void uses.put(key, encodeAt(at))
  }
  return { rows, lostAt }
}

const latest = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.max(one, other)

/** Looks at records of an older version, a bounded number in one transaction. Returns false when there are no more. */
export function addOlderUses(tables: AuditTables): boolean {
  const { root, records, indexing, instances, knownUses } = tables
  if (indexing.get('uses') === undefined) return false
  return root.transactionSync(() => {
    const sums = new UseSums()
    let last: Uint8Array | undefined
    let seen = 0
    const start = Buffer.from(indexing.get('uses') ?? '', 'hex')
    for (const { key, value } of records.getRange({ start, limit: AUDIT_INDEXED_PER_STEP })) {
      sums.add(Buffer.from(key).toString('hex', 0, 16), value, 0)
      last = key
      seen++
    }
    addUses(tables, sums)
    if (seen === AUDIT_INDEXED_PER_STEP && last !== undefined) {
      void indexing.put('uses', Buffer.concat([last, NEXT]).toString('hex'))
      return true
    }
    void indexing.remove('uses')
    for (const { key, value } of [...instances.getRange()]) void instances.put(key, { ...value, uses: true })
    // an older version may have forgotten records that no one looked at: what is known begins with the oldest there is
    for (const { key: environment, value: known } of [...knownUses.getRange()]) {
      const [oldest] = records.getKeys({ start: timeKey(environment, 0), end: timeKey(environment, 2 ** 48), limit: 1 })
      void knownUses.put(environment, { ...known, since: oldest === undefined ? known.until : keyTime(oldest) })
    }
    return false
  })
}

/** What is known of the uses of an environment; undefined when nothing is. */
export function readKnownUses({ knownUses, indexing }: AuditTables, environment: string): KnownUses | undefined {
  const known = knownUses.get(environment)
  if (known === undefined) return undefined
  const { since, until, dropped, droppedAt, lostAt } = known
  const isKnown = since !== null && indexing.get('uses') === undefined
  return { since: isKnown ? latest(since, lostAt) : undefined, until, dropped, droppedAt }
}

/** The newest instant of each use, some in each turn of the event loop; undefined where it is not known. */
export async function readUses(
  { uses }: AuditTables,
  environment: string,
  names: readonly UseName[],
): Promise<(number | undefined)[]> {
  const found: (number | undefined)[] = []
  for (const name of names) {
    if (found.length > 0 && found.length % SCAN_ROWS_PER_TURN === 0) await setImmediate()
    const value = uses.get(useKey(environment, name))
    found.push(value === undefined ? undefined : readAt(value))
  }
  return found
}

/**
 * Forgets uses from before an instant: looks at a bounded number of rows in the open transaction, and goes on there in the
 * next one.
 */
export function trimUses(tables: AuditTables, before: number, most = LAST_USED_ROWS_PER_STEP): void {
  const { uses, indexing, knownUses } = tables
  const removed = new Map<string, number>()
  let last: Uint8Array | undefined
  let seen = 0
  for (const { key, value } of [
    ...uses.getRange({ start: Buffer.from(indexing.get('trim_uses') ?? '', 'hex'), limit: most }),
  ]) {
    last = key
    seen++
    if (readAt(value) >= before) continue
    void uses.remove(key)
    const environment = Buffer.from(key).toString('hex', 0, 16)
    removed.set(environment, (removed.get(environment) ?? 0) + 1)
  }
  for (const [environment, count] of removed) {
    const known = knownUses.get(environment)
    if (known !== undefined) void knownUses.put(environment, { ...known, rows: Math.max(0, known.rows - count) })
  }
  const isMore = seen === most && last !== undefined
  if (isMore) void indexing.put('trim_uses', Buffer.concat([last!, NEXT]).toString('hex'))
  else void indexing.remove('trim_uses')
}
