// Brings the state of one log up to a revision on record: from the newest snapshot where nothing is known of the log
// yet, or where entries that are missing here were trimmed; then entry by entry.
import type { LogId } from '../../log/change.ts'
import { isZerohopError, ZerohopError } from '../../model/errors.ts'
import { SNAPSHOT_LOADS_MAX } from '../../model/limits.ts'
import type { BatchRunner } from '../batch.ts'
import type { Head } from '../heads.ts'
import { SnapshotLoad } from '../load-snapshot.ts'
import { removeLog, replaceLog } from '../replace-log.ts'
import { withScratch } from '../scratch.ts'
import type { Tables } from '../tables.ts'
import type { Connection } from './connection.ts'
import { firstRevisions, type KnownLog, readEntriesAfter, readSecretsAfter } from './entries.ts'
import {
  DamagedSnapshot,
  isThere,
  newestSnapshot,
  readSnapshot,
  refuseSnapshot,
  requireWhole,
  type Snapshot,
} from './snapshots.ts'

/** What holds the state. */
export interface Fold {
  readonly runner: BatchRunner
  readonly tables: Tables
  /** logs that are loaded from a snapshot now: whoever needs one of them too waits for it */
  readonly loading: Map<LogId, Promise<boolean>>
  /** called when a snapshot replaced the state of a log, because entries that it lacked were trimmed */
  readonly onReloaded?: (log: LogId, from: number, to: number) => void
}

/**
 * Folds a log up to a revision that the caller knows to be on record.
 * @param moved receives the log when it was folded further, also when this fails later
 * @throws HISTORY_LOST; DATABASE_REFUSED when entries were trimmed and no snapshot can be used
 */
export async function pull(
  fold: Fold,
  connection: Connection,
  log: KnownLog,
  to: number,
  moved: { add(log: LogId): void },
): Promise<void> {
  const { tables, runner, loading } = fold
  const revision = (): number => tables.heads.get(log.id)?.revision ?? 0
  if (revision() === 0 && (await once(fold, log, () => begin(fold, connection, log, to)))) moved.add(log.id)
  for (let have = revision(); have < to; have = revision()) {
    const secrets = await readSecretsAfter(connection, log, have)
    const entries = await readEntriesAfter(connection, log, have)
    await loading.get(log.id) // if that began while the entries were read
    try {
      if (entries.length === 0) throw new ZerohopError('HISTORY_LOST', { log: log.id, have, got: to })
      runner.fold(entries, secrets)
    } catch (error) {
      if (!isZerohopError(error, 'HISTORY_LOST') || !(await isTrimmed(connection, log, have))) throw error
      // another lane may have loaded it meanwhile
      if (revision() === have) await once(fold, log, () => reload(fold, connection, log, to))
    }
    moved.add(log.id)
  }
}

/** Loads a log; whoever wants the same meanwhile waits for it. */
function once({ loading }: Fold, { id }: KnownLog, load: () => Promise<boolean>): Promise<boolean> {
  const running = loading.get(id)
  if (running !== undefined) return running
  const loaded = load().finally(() => loading.delete(id))
  loading.set(id, loaded)
  return loaded
}

/** Whether the entry after a revision was removed or shortened: then the log goes on from a snapshot. */
async function isTrimmed(connection: Connection, log: KnownLog, have: number): Promise<boolean> {
  const { oldest, whole } = await firstRevisions(connection, log.number)
  return Math.max(oldest, whole) > have + 1
}

/** Begins a log with the newest snapshot. False without a snapshot. */
async function begin({ tables, runner }: Fold, connection: Connection, log: KnownLog, to: number): Promise<boolean> {
  // another lane may have begun to fold its entries
  const isFree = () => tables.heads.get(log.id) === undefined
  const head = await loadNewest(tables, connection, log, to, isFree)
  if (head === undefined) return false
  runner.begin(log.id, head, await readSecretsAfter(connection, log, 0))
  return true
}

/** Replaces the state of a log, in one transaction: until then it is read as it was. */
async function reload(fold: Fold, connection: Connection, log: KnownLog, to: number): Promise<boolean> {
  const { tables, runner, onReloaded } = fold
  const from = tables.heads.get(log.id)?.revision ?? 0
  await withScratch(tables.folder, `reload-${log.number}`, async (scratch) => {
    const head = await loadNewest(scratch, connection, log, to)
    if (head === undefined || head.revision <= from) throw unusable(log)
    const secrets = await readSecretsAfter(connection, log, 0)
    runner.begin(log.id, head, secrets, () => replaceLog(tables, scratch, log.id, log.number))
    onReloaded?.(log.id, from, head.revision)
  })
  return true
}

/**
 * Loads the newest snapshot that can be used, and returns its head. Undefined without one, if all entries are there.
 * @param isFree asked before anything is written
 */
async function loadNewest(
  tables: Tables,
  connection: Connection,
  log: KnownLog,
  to: number,
  isFree: () => boolean = () => true,
): Promise<Head | undefined> {
  for (let round = 1; ; round++) {
    const snapshot = await newestSnapshot(connection, log.number, to)
    if (!isFree()) return undefined
    if (snapshot === undefined) {
      const { oldest, whole } = await firstRevisions(connection, log.number)
      if (Math.max(oldest, whole) > 1) throw unusable(log)
      if (isFree()) tables.root.transactionSync(() => removeLog(tables, log.id, log.number)) // what did not load
      return undefined
    }
    try {
      return await load(tables, connection, log, snapshot)
    } catch (error) {
      if (connection.isLost || round >= SNAPSHOT_LOADS_MAX || !(await isPassing(connection, snapshot, error)))
        throw error
    }
  }
}

/** Whether another attempt may end otherwise. A damaged snapshot is marked, so that no one takes it again. */
async function isPassing(connection: Connection, snapshot: Snapshot, error: unknown): Promise<boolean> {
  if (!(await isThere(connection, snapshot))) return true // it was replaced by a newer one
  try {
    await requireWhole(connection, snapshot)
  } catch (damage) {
    if (!(damage instanceof DamagedSnapshot)) throw damage
    await refuseSnapshot(connection, snapshot, null)
    return true
  }
  return isZerohopError(error, 'HISTORY_LOST') // entries before it were trimmed meanwhile
}

/** Loads a snapshot, and the entries before it: followers that are behind it get deltas, as if it had been folded. */
async function load(tables: Tables, connection: Connection, log: KnownLog, snapshot: Snapshot): Promise<Head> {
  const loading = await loadObjects(tables, connection, log, snapshot)
  for (let have = 0; have < snapshot.revision; ) {
    const page = await readEntriesAfter(connection, log, have)
    const entries = page.filter(({ revision }) => revision <= snapshot.revision)
    if (entries.length === 0) break
    loading.entries(entries, snapshot.deltasFrom)
    have = entries.at(-1)?.revision ?? snapshot.revision
  }
  return loading.head(snapshot)
}

/** Loads the objects of a snapshot into tables that have nothing of the log that is in use. */
export async function loadObjects(
  tables: Tables,
  connection: Connection,
  log: KnownLog,
  snapshot: Snapshot,
  loaded: () => Promise<void> = async () => {},
): Promise<SnapshotLoad> {
  const loading = new SnapshotLoad(tables, log.id, log)
  loading.clear()
  for await (const objects of readSnapshot(connection, snapshot)) {
    loading.objects(objects)
    await loaded()
  }
  return loading
}

function unusable({ id }: KnownLog): ZerohopError {
  const reason = `the oldest entries of log \`${id}\` are trimmed, and it has no snapshot that can be used`
  return new ZerohopError('DATABASE_REFUSED', { reason })
}
