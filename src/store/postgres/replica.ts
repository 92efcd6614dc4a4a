// The writer thread of a replica: the log of record is in PostgreSQL, and the tables here are a cache of its state.
// Everything that speaks to the database runs in this thread, but for records of decisions, which have another one.
// Checks and reads of the main thread never wait for it.
import type { MessagePort } from 'node:worker_threads'
import type { LogId } from '../../log/change.ts'
import { contained } from '../../model/contained.ts'
import { ZerohopError } from '../../model/errors.ts'
import { CAUGHT_UP_SAID_MS, DATABASE_TIDY_MS } from '../../model/limits.ts'
import { toFailure } from '../../threads/failure.ts'
import { claimCache, knownServer, noteServer } from '../cache-folder.ts'
import type { Reply } from '../job.ts'
import type { UpkeepEvent } from '../settings.ts'
import type { Retention } from '../trim.ts'
import { type FromThread, type Question, type ReplicaSettings, type ToThread, waitPaused } from '../writer-messages.ts'
import type { WriterParts } from '../writer-thread.ts'
import type { Connection } from './connection.ts'
import { Database, Lane } from './database.ts'
import { Follow, type Moved } from './follow.ts'
import { goneLogs } from './forget-log.ts'
import { forgetOldAnswers, IdempotencyKeys } from './idempotency.ts'
import { migrate, requireFormat } from './migrations.ts'
import { requireInUse } from './moves.ts'
import { forgetOldPdps, putPdps, readPdps } from './pdps.ts'
import { ReplicaWriter } from './replica-writer.ts'
import { requireSecretsKey } from './sealing.ts'
import { endTask, findTask, forgetOldTasks, startTask } from './tasks.ts'
import { Upkeep } from './upkeep.ts'

/**
 * Connects, folds what is on record, and serves until the main thread sends `close`.
 * @throws before it is ready: DATABASE_UNAVAILABLE, DATABASE_REFUSED, CONFIG_INVALID (another secrets key),
 *   HISTORY_LOST
 */
export async function serveReplica(port: MessagePort, settings: ReplicaSettings, parts: WriterParts): Promise<void> {
  const { tables, runner, secretsKey, send, answer } = parts
  const { folder } = tables
  const database = new Database(settings, knownServer(folder), (server) => noteServer(folder, server))
  const cluster = await prepare(database, settings, secretsKey)
  if (!claimCache(folder, cluster)) throw new ZerohopError('CACHE_FOREIGN')
  const onMoved = (moved: Moved): void => send({ kind: 'moved', moved })
  const onTrouble = makeTroubleReporter(send)
  const idempotency = new IdempotencyKeys(secretsKey)
  const { replica, version } = settings
  const report = (upkeep: UpkeepEvent): void => send({ kind: 'upkeep', upkeep })
  let saidCaughtUp = Number.NEGATIVE_INFINITY
  const onCaughtUp = (at: number): void => {
    if (at - saidCaughtUp < CAUGHT_UP_SAID_MS) return
    saidCaughtUp = at
    send({ kind: 'caught up', agoMs: performance.now() - at })
  }
  const onReloaded = (log: LogId, from: number, to: number): void => report({ what: 'reloaded', log, from, to })
  const follow = new Follow({ database, runner, tables, onMoved, onTrouble, replica, version, onReloaded, onCaughtUp })
  const writer = new ReplicaWriter({ database, runner, tables, follow, idempotency, onMoved, onTrouble })
  const tasks = new Lane(database, 'tasks')
  const connection = () => tasks.connection()
  const upkeep = new Upkeep({ settings, folder: tables.folder, replica, connection, report })
  const forget = async (): Promise<void> => {
    const connection = await tasks.connection()
    await forgetOldAnswers(connection)
    await forgetOldTasks(connection)
    await forgetOldPdps(connection)
  }
  const forgetNow = contained('forgetting what is old', () => void forget().catch(onTrouble))
  const tidy = setInterval(forgetNow, DATABASE_TIDY_MS)
  const close = async (): Promise<void> => {
    clearInterval(tidy)
    await writer.close()
    await upkeep.close()
    tasks.close()
    await follow.close()
  }
  try {
    await follow.start()
  } catch (error) {
    await close()
    throw error
  }
  await new Promise<void>((resolve, reject) => {
    // Whoever asked would wait for ever for an answer that failed: such an error ends the thread, and with it the wait.
    port.on('message', (message: ToThread) => {
      if (message.kind === 'batch') void serve(message)
      else if (message.kind === 'maintain') void maintain(message.retention)
      else if (message.kind === 'ask') void tell(message)
      else if (message.kind === 'pause') waitPaused(port, message.pause)
      else close().then(resolve, reject)
    })
    send({ kind: 'ready' })
  })

  /** Entries are forgotten here and on record as they expire. A deleted environment goes here when it went there. */
  async function maintain(retention: Retention): Promise<void> {
    const { deltas, history, past, deletions = [], forgotten } = retention
    upkeep.begin({ deltas, history, past, deletions })
    const gone =
      forgotten.length === 0
        ? []
        : await connection().then(
            (to) => goneLogs(to, forgotten),
            () => [],
          )
    const trimmed = runner.maintain({ ...retention, deleted: [], forgotten: gone })
    for (const log of trimmed.gone) follow.logs.delete(log)
    send({ kind: 'trimmed', trimmed })
  }

  async function serve({ batch, jobs }: Extract<ToThread, { readonly kind: 'batch' }>): Promise<void> {
    const begun = performance.now()
    // the replies of one commit go out as one message
    let due: { readonly place: number; readonly reply: Reply }[] = []
    const flush = (): void => {
      const replies = due
      due = []
      answer({
        kind: 'replies',
        batch,
        places: replies.map(({ place }) => place),
        replies: replies.map(({ reply }) => reply),
        moved: [],
        seconds: (performance.now() - begun) / 1000,
      })
    }
    await writer.run(
      jobs.map((job, place) => ({
        job,
        reply: (reply) => {
          if (due.length === 0) queueMicrotask(contained('the answers of a commit', flush))
          due.push({ place, reply })
        },
      })),
      () => send({ kind: 'passed', batch }),
    )
  }

  async function tell({ id, question }: Extract<ToThread, { readonly kind: 'ask' }>): Promise<void> {
    try {
      send({ kind: 'answer', id, answer: await answerQuestion(question) })
    } catch (error) {
      send({ kind: 'failure', id, failure: toFailure(error) })
    }
  }

  async function answerQuestion(question: Question): Promise<unknown> {
    if (question.about === 'record') return follow.catchUp()
    const connection = await tasks.connection()
    if (question.about === 'new task') return startTask(connection, { ...question, replica })
    if (question.about === 'failed task') return endTask(connection, question.id, { error: question.error })
    if (question.about === 'pdps') return readPdps(connection, replica, question.environment)
    if (question.about === 'seen pdps') return putPdps(connection, replica, question.sightings)
    return findTask(connection, question.id)
  }
}

/** Migrates the tables, compares the secrets key with that of the other replicas, and returns the id of the data. */
async function prepare(database: Database, settings: ReplicaSettings, secretsKey: Uint8Array): Promise<string> {
  const [lane, other] = [new Lane(database, 'start'), new Lane(database, 'start, other session')]
  try {
    const connection = await lane.connection()
    await requireSessions(connection, await other.connection())
    if (settings.migrate ?? true) await migrate(connection)
    await requireFormat(connection)
    await requireInUse(connection)
    return await requireSecretsKey(connection, secretsKey)
  } finally {
    lane.close()
    other.close()
  }
}

/**
 * Finds a pooler that gives a session away between transactions: most give the last one to whoever asks next.
 * @throws DATABASE_REFUSED
 */
async function requireSessions(one: Connection, other: Connection): Promise<void> {
  const pid = async (connection: Connection): Promise<unknown> =>
    (await connection.query('SELECT pg_backend_pid() AS pid'))[0]?.pid
  for (const connection of [one, other, one]) connection.requireOwnSession(await pid(connection))
  // while one has a transaction open, the other cannot get its session
  await one.script('BEGIN')
  try {
    for (const connection of [one, other]) connection.requireOwnSession(await pid(connection))
  } finally {
    await one.script('ROLLBACK')
  }
}

/** Reports trouble once when it begins or becomes another, and once when it is over. */
function makeTroubleReporter(send: (message: FromThread) => void): (error: unknown) => void {
  let known: string | undefined
  return (error) => {
    const failure = error === undefined ? undefined : toFailure(error)
    const now = failure && `${failure.code} ${JSON.stringify(failure.details)}`
    if (now === known) return
    known = now
    send({ kind: 'trouble', failure })
  }
}
