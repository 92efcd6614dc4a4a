// Commits batches of use cases on the log of record. The logs of a batch are locked in the database and the state here
// is brought up to them; the use cases run in a transaction of LMDB that is aborted, their entries are committed in the
// database, and only then folded into the state. Logs that another replica holds are waited for on a connection of
// their own, so that no write waits behind a stranger's.
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { LogId } from '../../log/change.ts'
import { isZerohopError, ZerohopError } from '../../model/errors.ts'
import { DATABASE_ROUNDS_MAX, OUTCOME_RETRY_MS, OUTCOME_WAIT_MS } from '../../model/limits.ts'
import { toFailure } from '../../threads/failure.ts'
import type { BatchRunner, ProposedEntry, RecordedEntry } from '../batch.ts'
import type { Job, Reply } from '../job.ts'
import type { Tables } from '../tables.ts'
import type { Connection } from './connection.ts'
import { type Database, Lane } from './database.ts'
import {
  beginLocked,
  findBatch,
  insertEntries,
  insertLogs,
  type KnownLog,
  type Locked,
  lockOrganizations,
  lockSetup,
  putSecrets,
} from './entries.ts'
import { type Follow, type Moved, requireOurs } from './follow.ts'
import type { Answered, IdempotencyKeys } from './idempotency.ts'
import { endTask } from './tasks.ts'

/** A job, and where its reply goes. */
export interface Item {
  readonly job: Job
  readonly reply: (reply: Reply) => void
}

export interface ReplicaWriterDeps {
  readonly database: Database
  readonly runner: BatchRunner
  readonly tables: Tables
  readonly follow: Follow
  readonly idempotency: IdempotencyKeys
  /** hears which logs were folded further, before the replies */
  readonly onMoved: (moved: Moved) => void
  /** hears what fails after a commit, which fails no request, and that the database lost what is here */
  readonly onTrouble: (error: unknown) => void
}

/** The use cases touched logs that are not locked: the batch starts over with these locked as well. */
class LockMore extends Error {
  readonly logs: readonly LogId[]

  constructor(logs: readonly LogId[]) {
    super('more logs must be locked')
    this.logs = logs
  }
}

type Outcome = 'written' | 'not written' | 'unknown'

export class ReplicaWriter {
  readonly #deps: ReplicaWriterDeps
  readonly #free: Lane
  readonly #waiting: Lane
  /** the ends of the two queues: batches of one lane run one after the other */
  #freeEnd: Promise<unknown> = Promise.resolve()
  #waitingEnd: Promise<unknown> = Promise.resolve()

  constructor(deps: ReplicaWriterDeps) {
    this.#deps = deps
    this.#free = new Lane(deps.database, 'write')
    this.#waiting = new Lane(deps.database, 'write, contended')
  }

  /**
   * Commits a batch; each reply is given as soon as its outcome is known. Resolves when all are. Never rejects.
   * @param onPassed called when what is left of the batch waits for other replicas: the next batch need not
   */
  async run(items: readonly Item[], onPassed?: () => void): Promise<void> {
    const free = this.#freeEnd.then(() => this.#commit(this.#free, items, false))
    this.#freeEnd = free
    const contended = await free
    onPassed?.()
    if (contended.length === 0) return
    // the next batch does not wait for the locks that these wait for
    const waited = this.#waitingEnd.then(() => this.#commit(this.#waiting, contended, true))
    this.#waitingEnd = waited
    const repeated = await waited
    // what had the same idempotency key as another one of this batch
    if (repeated.length > 0) await this.run(repeated)
  }

  /** Waits for what was begun, also for an outcome that is being looked for: those who wait get an answer. */
  async close(): Promise<void> {
    await this.#freeEnd
    await this.#waitingEnd
    this.#free.close()
    this.#waiting.close()
  }

  /** Commits what it can, and returns the rest; with `wait` it waits for locks. Never rejects. */
  async #commit(lane: Lane, items: readonly Item[], wait: boolean): Promise<readonly Item[]> {
    const logs = new Set(items.map(({ job }) => job.log))
    for (let round = 1; ; round++) {
      let connection: Connection | undefined
      try {
        connection = await lane.connection()
        const batch = randomUUID()
        const locked = await this.#lock(connection, items, logs, { batch, wait })
        const ready = firstOfEachKey(items.filter(({ job }) => this.#isReady(job, locked)))
        const extra = [...logs].filter(
          (log) => !this.#isLocked(log, locked) && !items.some(({ job }) => job.log === log),
        )
        if (ready.length === 0 || extra.length > 0) {
          if (wait) throw new ZerohopError('DATABASE_UNAVAILABLE', { reason: 'a log could not be locked' })
          await connection.script('ROLLBACK')
          return items
        }
        const replies = await this.#write(connection, ready, locked, batch)
        for (const [at, { reply }] of ready.entries()) reply(replies[at] ?? { failure: toFailure(undefined) })
        return items.filter((item) => !ready.includes(item))
      } catch (error) {
        if (connection !== undefined && !connection.isLost) await connection.script('ROLLBACK').catch(() => {})
        if (error instanceof LockMore) for (const log of error.logs) logs.add(log)
        if (round < DATABASE_ROUNDS_MAX && (error instanceof LockMore || isPassing(error, connection))) continue
        if (isZerohopError(error, 'HISTORY_LOST')) this.#deps.onTrouble(error)
        const failure = toFailure(error)
        for (const { reply } of items) reply({ failure })
        return []
      }
    }
  }

  /** True for a log whose lock the transaction holds, and for one that is not on record: no one else can have it. */
  #isLocked(log: LogId, { locked }: Locked): boolean {
    const known = this.#deps.follow.logs.get(log)
    return known === undefined || locked.has(known.number)
  }

  /** True when the log is locked, and the key of the request can neither change nor be revoked meanwhile. */
  #isReady({ log, key }: Job, locked: Locked): boolean {
    const organization = key && this.#deps.follow.logs.get(key.organization)
    return this.#isLocked(log, locked) && (organization === undefined || locked.steady.has(organization.number))
  }

  /** Opens the transaction, and brings the state up to the heads of the logs and of the organizations of the keys. */
  async #lock(
    connection: Connection,
    items: readonly Item[],
    logs: ReadonlySet<LogId>,
    { batch, wait }: { readonly batch: string; readonly wait: boolean },
  ): Promise<Locked> {
    const { follow } = this.#deps
    if ([...logs].some((log) => !follow.logs.has(log))) await follow.catchUp()
    const known = (ids: Iterable<LogId>): KnownLog[] => [...ids].flatMap((id) => follow.logs.get(id) ?? [])
    const beside = known(new Set(items.flatMap(({ job }) => (job.key === undefined ? [] : [job.key.organization]))))
    const wanted = known(logs)
    const numbers = (list: readonly KnownLog[]) => list.map(({ number }) => number)
    const own = follow.ownHeads([...wanted, ...beside].map(({ id }) => id))
    const control = wanted.filter(({ kind }) => kind === 'control')
    const locked = await beginLocked(connection, batch, numbers(wanted), numbers(beside), wait, numbers(control))
    if (items.some(({ job }) => job.isFirst)) await lockSetup(connection)
    if (items.some(({ job }) => job.newOrganization !== undefined)) {
      await lockOrganizations(connection)
      await follow.catchUp() // from now on no one makes another one
    }
    const moved = new Set<LogId>()
    try {
      for (const log of new Set([...wanted, ...beside])) {
        const head = locked.heads.get(log.number)
        if (head === undefined || (!locked.locked.has(log.number) && !beside.includes(log))) continue
        requireOurs(own.get(log.id), { ...head, id: log.id })
        await follow.pull(connection, log, head.revision, moved)
      }
    } finally {
      /* canary: report-of-a-write */ follow.tell(moved)
    }
    return locked
  }

  /** Runs the use cases and commits what they decided. Returns the reply of each. */
  async #write(
    connection: Connection,
    items: readonly Item[],
    locked: Locked,
    batch: string,
  ): Promise<readonly Reply[]> {
    const { runner, follow, idempotency, onMoved, onTrouble } = this.#deps
    const answered = await idempotency.find(
      connection,
      items.map(({ job }) => job),
    )
    const open = items.filter((_, at) => answered[at] === undefined)
    // an entry is never older than the one before it
    const now = Math.max(locked.now, ...[...locked.heads.values()].map(({ at }) => at))
    const { replies, entries, secrets, touched } = runner.propose(
      open.map(({ job }) => job),
      now,
    )
    const outside = [...touched].filter((log) => !this.#isLocked(log, locked))
    if (outside.length > 0) throw new LockMore(outside)
    const done = open.flatMap(({ job }, at): Answered[] => {
      const reply = replies[at]
      return job.once === undefined || reply === undefined || 'failure' in reply ? [] : [{ once: job.once, reply }]
    })
    if (entries.length + done.length + endedTasks(open, replies).length === 0) {
      await connection.script('ROLLBACK')
      return mergeReplies(answered, replies)
    }
    const begun = await insertLogs(connection, begunLogs(entries, follow.logs))
    const findNumber = (log: LogId): number =>
      follow.logs.get(log)?.number ?? begun.find(({ id }) => id === log)?.number ?? 0
    const recorded = entries.map((entry) => ({ ...entry, number: findNumber(entry.log) }))
    // sent together with the commit: when one of them fails, the commit rolls back
    const recording = [
      insertEntries(connection, batch, recorded),
      putSecrets(
        connection,
        secrets.map((secret) => ({ ...secret, number: findNumber(secret.log) })),
      ),
      idempotency.put(connection, done),
      ...endedTasks(open, replies).map(({ id, result }) => endTask(connection, id, { result })),
    ]
    const [outcome, ...parts] = await Promise.all([
      this.#end(connection, batch, recorded),
      ...recording.map((part) =>
        part.then(
          () => undefined,
          (error: unknown) => error,
        ),
      ),
    ])
    if (outcome !== 'written') {
      const cause = parts.find((error) => error !== undefined)
      if (outcome === 'not written' && !connection.isLost && cause !== undefined) throw cause
      const reason = 'it ended the connection before the commit'
      const unwritten = toFailure(new ZerohopError('DATABASE_UNAVAILABLE', { reason }))
      const failure = outcome === 'unknown' ? toFailure(new ZerohopError('OUTCOME_UNKNOWN')) : unwritten
      // what was refused wrote nothing in any case, but the reason may be a write of this batch that never happened
      return mergeReplies(
        answered,
        replies.map((reply) => ({ failure: 'failure' in reply ? unwritten : failure })),
      )
    }
    try {
      for (const log of begun) follow.logs.set(log.id, log)
      onMoved(runner.fold(recorded, secrets))
    } catch (error) {
      onTrouble(error) // it is on record: the next round of following folds it
    }
    follow.wake()
    return mergeReplies(answered, replies)
  }

  /** Commits, and finds out what happened when the connection is lost meanwhile. */
  async #end(connection: Connection, batch: string, entries: readonly RecordedEntry[]): Promise<Outcome> {
    const sentAt = performance.now()
    try {
      const isWritten = await connection.commit()
      if (isWritten) this.#deps.follow.confirmed(sentAt)
      return isWritten ? 'written' : 'not written'
    } catch {
      if (!connection.isLost) return 'not written'
      /* canary: outcome-of-a-write */ return this.#resolve(connection, batch, entries)
    }
  }

  /**
   * Whether the batch was committed. A look alone could miss a commit that still waits for a standby, so the old
   * backend is ended first, and its end is waited for by its fence and its locks; and a batch that is found is only
   * taken for durable when a later commit of ours was acknowledged.
   */
  async #resolve(lost: Connection, batch: string, entries: readonly RecordedEntry[]): Promise<Outcome> {
    const [first] = entries
    if (first === undefined) return 'unknown' // nothing to look for: only an answer was to be recorded
    const { database, follow } = this.#deps
    const lane = new Lane(database, 'outcome')
    try {
      for (const end = performance.now() + OUTCOME_WAIT_MS; performance.now() < end; await delay(OUTCOME_RETRY_MS)) {
        let connection: Connection | undefined
        try {
          connection = await lane.connection()
          /* canary: fence-of-a-write */ await connection.query(
            'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = $1 AND backend_start = $2::timestamptz',
            [lost.backend.pid, lost.backend.started],
          )
          const sentAt = performance.now()
          /* canary: locks-of-a-write */ await beginLocked(
            connection,
            batch,
            [...new Set(entries.map(({ number }) => number))],
            [],
            true,
          )
          const found = await findBatch(connection, first.number, first.revision)
          await follow.touch(connection)
          if (!(await connection.commit())) continue
          follow.confirmed(sentAt)
          return found === batch ? 'written' : 'not written'
        } catch {
          connection?.destroy() // its transaction failed: the next attempt needs another one
        }
      }
      return 'unknown'
    } finally {
      lane.close()
    }
  }
}

/** The tasks that these writes end, with what their use cases answered as JSON. */
function endedTasks(
  items: readonly Item[],
  replies: readonly Reply[],
): { readonly id: string; readonly result: string }[] {
  return items.flatMap(({ job: { task } }, at) => {
    const reply = replies[at]
    if (task === undefined || reply === undefined || 'failure' in reply) return []
    return [{ id: task, result: JSON.stringify(reply.result) }]
  })
}

/** What a repeated key answers, and what the use cases answered, in the order of the items. */
function mergeReplies(answered: readonly (Reply | undefined)[], replies: readonly Reply[]): Reply[] {
  let next = 0
  return answered.map((reply) => reply ?? replies[next++] ?? { failure: toFailure(undefined) })
}

/** Of items with the same idempotency key only the first: the others are answered like it, when it is on record. */
function firstOfEachKey(items: readonly Item[]): readonly Item[] {
  const seen = new Set<string>()
  return items.filter(({ job: { once } }) => {
    if (once === undefined) return true
    const name = `${once.caller} ${once.key}`
    if (seen.has(name)) return false
    seen.add(name)
    return true
  })
}

/** The logs that begin with these entries. */
function begunLogs(entries: readonly ProposedEntry[], known: ReadonlyMap<LogId, KnownLog>): Omit<KnownLog, 'number'>[] {
  const first = entries.filter(({ log, revision }) => revision === 1 && !known.has(log))
  return first.map(({ log, lineage, changes }) => {
    const isControl = changes.some(({ kind }) => kind === 'organization')
    return { id: log, lineage, kind: isControl ? 'control' : 'environment' }
  })
}

/** SQLSTATE: a lock was not free in time, a deadlock, a conflict, a revision that someone else wrote. */
const PASSING = new Set(['55P03', '40P01', '40001', '23505'])

/** True for what may work when it is tried again at once. Nothing was committed. */
function isPassing(error: unknown, connection: Connection | undefined): boolean {
  if (connection?.isLost === true) return true
  const cause = isZerohopError(error, 'DATABASE_UNAVAILABLE') ? error.cause : undefined
  return cause instanceof Error && 'code' in cause && PASSING.has(String(cause.code))
}
