// Brings the state of one log up to a revision on record: from the newest snapshot where nothing is known of the log
// yet, then entry by entry.
import type { LogId } from '../../log/change.ts'
import { ZerohopError } from '../../model/errors.ts'
import type { BatchRunner } from '../batch.ts'
import { SnapshotLoad } from '../load-snapshot.ts'
import type { Tables } from '../tables.ts'
import type { Connection } from './connection.ts'
import { type KnownLog, readEntriesAfter, readSecretsAfter } from './entries.ts'
import { newestSnapshot, readSnapshot, type Snapshot } from './snapshots.ts'

/** What holds the state. */
export interface Fold {
  readonly runner: BatchRunner
  readonly tables: Tables
  /** logs that are loaded from a snapshot now: whoever needs one of them too waits for it */
  readonly loading: Map<LogId, Promise<boolean>>
}

/**
 * Folds a log up to a revision of which the caller knows that it is on record.
 * @param moved receives the log when it was folded further, also when this fails later
 * @throws HISTORY_LOST
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
  if (revision() === 0 && (await begin(fold, connection, log, to))) moved.add(log.id)
  for (let have = revision(); have < to; have = revision()) {
    const secrets = await readSecretsAfter(connection, log, have)
    const entries = await readEntriesAfter(connection, log, have)
    if (entries.length === 0) throw new ZerohopError('HISTORY_LOST', { log: log.id, have, got: to })
    await loading.get(log.id) // if that began while the entries were read
    runner.fold(entries, secrets)
    moved.add(log.id)
  }
}

/** Begins a log with the newest snapshot. False when there is none. */
async function begin(fold: Fold, connection: Connection, log: KnownLog, to: number): Promise<boolean> {
  const { loading, tables } = fold
  const running = loading.get(log.id)
  if (running !== undefined) return running
  const loaded = newestSnapshot(connection, log.number, to)
    .then(async (snapshot) => {
      if (snapshot === undefined || tables.heads.get(log.id) !== undefined) return false
      await load(fold, connection, log, snapshot)
      return true
    })
    .finally(() => loading.delete(log.id))
  loading.set(log.id, loaded)
  return loaded
}

/** Loads a snapshot, and the entries before it: followers that are behind it get deltas, as if it had been folded. */
async function load(
  { tables, runner }: Fold,
  connection: Connection,
  log: KnownLog,
  snapshot: Snapshot,
): Promise<void> {
  const loading = new SnapshotLoad(tables, log.id, log)
  loading.clear()
  for await (const objects of readSnapshot(connection, snapshot)) loading.objects(objects)
  for (let have = 0; have < snapshot.revision; ) {
    const page = await readEntriesAfter(connection, log, have)
    const entries = page.filter(({ revision }) => revision <= snapshot.revision)
    if (entries.length === 0) break
    loading.entries(entries, snapshot.deltasFrom)
    have = entries.at(-1)?.revision ?? snapshot.revision
  }
  const secrets = await readSecretsAfter(connection, log, 0)
  runner.begin(log.id, loading.head(snapshot), secrets)
}
