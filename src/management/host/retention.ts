// Runs retention: periodically makes the store trim its logs and clear deleted environments, announces what ends soon, and deletes what
// has ended and keys whose tenant was deleted.
// The operator configures what is kept; src/store/trim.ts, ending-upkeep.ts, ended-upkeep.ts and dead-key-upkeep.ts implement it.

import { setImmediate } from 'node:timers/promises'
import type { AuditLog } from '../../decision-log/audit-log.ts'
import { type LogId, withoutRequest } from '../../log/change.ts'
import { isZerohopError } from '../../model/errors.ts'
import { type OnEvent, tell } from '../../model/events.ts'
import {
  AUDIT_DAYS_DEFAULT,
  AUDIT_RECORDS_DEFAULT,
  DELTA_DAYS_DEFAULT,
  DELTA_REVISIONS_DEFAULT,
  ENDED_KEPT_SECONDS_DEFAULT,
  ENDING_NOTICE_SECONDS_DEFAULT,
  HISTORY_DAYS_DEFAULT,
  HISTORY_REVISIONS_DEFAULT,
  RETENTION_EVERY_MS,
} from '../../model/limits.ts'
import type { Store } from '../../store/store.ts'
import type { Deletion } from '../../store/trim.ts'
import { type Checkpoints, type PastOptions, readKeep } from '../past/checkpoints.ts'
import type { Snapshots } from '../snapshot/snapshot.ts'
import { deleteAllDeadKeys } from './dead-key-upkeep.ts'
import { deleteAllEnded } from './ended-upkeep.ts'
import { announceAllEnding, type EndingEvent } from './ending-upkeep.ts'
import { listAllOrganizations, listEnvironments } from './open.ts'
import type { ManagementUseCases } from './registry.ts'

export interface RetentionOptions extends PastOptions {
  readonly deltaRevisions?: number
  readonly deltaDays?: number
  readonly historyRevisions?: number
  readonly historyDays?: number
  /**
   * the images that followers load: a log keeps the deltas after its image, and a deleted environment loses its image
   */
  readonly images?: Pick<Snapshots, 'floors' | 'forget'>
  /** the checkpoints from which past revisions are read: a log keeps the changes after the oldest; none of replicas */
  readonly checkpoints?: Pick<Checkpoints, 'keep' | 'floors' | 'forget'> | undefined
  /** records of decisions; nothing is forgotten of them without it */
  readonly audit?: Pick<AuditLog, 'trim'>
  readonly auditRecords?: number
  readonly auditDays?: number
  /** how long what was granted for a time is kept after its end; default ENDED_KEPT_SECONDS_DEFAULT */
  readonly endedKeptMs?: number
  /** how long before its end it is announced, 0: not at all; default ENDING_NOTICE_SECONDS_DEFAULT */
  readonly endingNoticeMs?: number
}

/** A round ended early, or announced what ends. */
export type RetentionEvent = { readonly event: 'failed'; readonly error: unknown } | EndingEvent

const DAY_MS = 86_400_000
const BY = withoutRequest('forgetEnvironment')

/** Trims now and then, until the returned function is called. */
export function keepRetention(
  store: Store<ManagementUseCases>,
  options: RetentionOptions,
  { now, onEvent }: { readonly now: () => number; readonly onEvent: OnEvent<RetentionEvent> },
): () => void {
  let running = false
  const failed = (error: unknown): void => {
    if (!isZerohopError(error, 'CLOSED')) tell(onEvent, { event: 'failed', error })
  }
  const { endedKeptMs = ENDED_KEPT_SECONDS_DEFAULT * 1000, endingNoticeMs = ENDING_NOTICE_SECONDS_DEFAULT * 1000 } =
    options
  const announced = (event: EndingEvent): void => tell(onEvent, event)
  const round = async (): Promise<void> => {
    if (running) return
    running = true
    try {
      await applyRetention(store, options, now()).catch(failed)
      await announceAllEnding(store, endingNoticeMs, now(), { announced, failed })
      await deleteAllEnded(store, endedKeptMs, now(), failed)
      await deleteAllDeadKeys(store, now(), failed)
    } catch (error) {
      failed(error)
    } finally {
      running = false
    }
  }
  const timer = setInterval(() => void round(), RETENTION_EVERY_MS).unref()
  return () => clearInterval(timer)
}

/** Runs one whole round. Returns the number of rows removed. */
export async function applyRetention(
  store: Store<ManagementUseCases>,
  options: RetentionOptions,
  now: number,
): Promise<number> {
  const deltas = {
    revisions: options.deltaRevisions ?? DELTA_REVISIONS_DEFAULT,
    ms: (options.deltaDays ?? DELTA_DAYS_DEFAULT) * DAY_MS,
  }
  const history = {
    revisions: Math.max(options.historyRevisions ?? HISTORY_REVISIONS_DEFAULT, deltas.revisions),
    ms: Math.max((options.historyDays ?? HISTORY_DAYS_DEFAULT) * DAY_MS, deltas.ms),
  }
  const { deleted, deletions, unknown } = findDeleted(store, now, history.ms)
  const forgotten = [...deletions.map(({ log }) => log), ...unknown]
  for (const id of [...deleted, ...forgotten]) {
    await options.images?.forget(id)
    options.checkpoints?.forget(id)
  }
  await options.checkpoints?.keep(listEnvironments(store), options, now)
  const past = options.pastRevisions === undefined ? undefined : readKeep(options)
  let rows = 0
  for (let more = true; more; ) {
    const floors = lowest(
      options.images?.floors() ?? new Map(),
      options.checkpoints?.floors(listEnvironments(store), options, now) ?? new Map(),
    )
    const trimmed = await store.maintain({
      now,
      deltas,
      history,
      ...(past && { past }),
      deleted,
      forgotten,
      deletions,
      floors,
    })
    rows += trimmed.rows
    more = trimmed.more
    await setImmediate() // waiting writes go first
  }
  const keep = {
    now,
    ms: (options.auditDays ?? AUDIT_DAYS_DEFAULT) * DAY_MS,
    records: options.auditRecords ?? AUDIT_RECORDS_DEFAULT,
  }
  for (let more = true; more; ) {
    const trimmed = (await options.audit?.trim(keep)) ?? { rows: 0, more: false }
    rows += trimmed.rows
    more = trimmed.more
  }
  // last, so that a process that dies before this finds the rest again
  for (const { log, control } of deletions) {
    // on record of replicas there may be more of it
    if (!store.exists(log)) await forget(store, control, log)
  }
  return rows
}

/**
 * Deleted environments that still have their history, those that are to be forgotten, and logs here that no
 * organization knows: of replicas, another one has forgotten them.
 */
function findDeleted(
  store: Store<ManagementUseCases>,
  now: number,
  keepMs: number,
): { readonly deleted: LogId[]; readonly deletions: Deletion[]; readonly unknown: LogId[] } {
  const deleted: LogId[] = []
  const deletions: Deletion[] = []
  const known = new Set<LogId>()
  for (const control of listAllOrganizations(store)) {
    const view = store.view(control)
    known.add(control)
    if (store.isReplicated) for (const { id } of view.list('environment')) known.add(id)
    for (const { id, updated_at: deletedAt } of view.list('deleted_environment')) {
      known.add(id)
      if (deletedAt >= now - keepMs) deleted.push(id)
      else deletions.push({ log: id, control, position: view.position, deletedAt, keepMs })
    }
  }
  const unknown = store.isReplicated ? store.logs().filter((log) => !known.has(log)) : []
  return { deleted, deletions, unknown }
}

/** The lower one of each log. */
function lowest(one: ReadonlyMap<LogId, number>, other: ReadonlyMap<LogId, number>): Map<LogId, number> {
  const floors = new Map(one)
  for (const [log, revision] of other) floors.set(log, Math.min(revision, floors.get(log) ?? revision))
  return floors
}

async function forget(store: Store<ManagementUseCases>, control: LogId, ref: LogId): Promise<void> {
  try {
    await store.commit(control, 'forgetEnvironment', { ref }, BY)
  } catch (error) {
    // another replica was faster
    if (!store.isReplicated || !isZerohopError(error, 'OBJECT_NOT_FOUND')) throw error
  }
}
