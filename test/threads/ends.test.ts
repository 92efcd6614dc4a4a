// What becomes of those who wait for a thread when it is killed, cannot begin, is asked too much, or is closed while it
// works.
import { randomBytes, randomUUID } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { formatLine } from '../../src/client/decision-record.ts'
import { DatabaseAuditLog } from '../../src/decision-log/database-audit-log.ts'
import { FolderAuditLog } from '../../src/decision-log/folder-audit-log.ts'
import { Image } from '../../src/image/image.ts'
import type { LogId, Position } from '../../src/log/change.ts'
import { Reviewer } from '../../src/management/access-review/reviewer.ts'
import { runPastTask } from '../../src/management/past/past-task.ts'
import { Planner } from '../../src/management/plan/planner.ts'
import { exportInThread } from '../../src/management/policy-file/export-task.ts'
import { buildInThread } from '../../src/management/snapshot/snapshot-task.ts'
import type { ZerohopError } from '../../src/model/errors.ts'
import { AUDIT_BATCHES_MAX, AUDIT_READS_MAX, PLANS_WAITING_MAX, REVIEWS_WAITING_MAX } from '../../src/model/limits.ts'
import { compactCopy } from '../../src/pdp/image-task.ts'
import { type Management, openManagement } from '../../src/server.ts'
import type { Connection } from '../../src/store/postgres/connection.ts'
import { Upkeep } from '../../src/store/postgres/upkeep.ts'
import type { UpkeepEvent } from '../../src/store/settings.ts'
import { RECORD } from '../decision-log/support.ts'
import { HELLO } from '../pdp/policies.ts'
import { ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folders.ts'
import { watchThreads } from '../support/started-threads.ts'

/** No server is there. */
const NO_DATABASE = { url: 'postgres://127.0.0.1:1/none' }
const data = temporaryFolder('threads')
const watched = watchThreads()
let management: Management
let log: LogId
let head: Position

beforeAll(async () => {
  management = await openManagement({ data })
  log = [...management.store.view(management.organization).list('environment')][0]!.id
  head = management.store.view(log).position
  watched.started.splice(0)
})
afterAll(async () => {
  await management.store.close()
  watched.stop()
})
afterEach(() => void watched.started.splice(0))

const errorCode = (error: unknown): string => (error as ZerohopError).code ?? String(error)
/** `ok`, or the code of the error. */
const toOutcome = (work: Promise<unknown>): Promise<string> => work.then(() => 'ok', errorCode)
/** Kills the thread that was started last, before it can have answered, and waits for its end. */
const kill = () => watched.started.at(-1)!.terminate()
const running = () => watched.started.filter(({ threadId }) => threadId !== -1).length

interface Kept {
  ask(): Promise<unknown>
  close(): Promise<void>
}

/** A folder without data. */
const nowhere = () => join(temporaryFolder('nowhere'), 'data')
const planner = (folder = data): Kept => {
  const plans = new Planner(folder)
  return { ask: () => plans.plan({ environment: log, now: 0, changes: [] }), close: () => plans.close() }
}
const reviewer = (folder = data): Kept => {
  const reviews = new Reviewer({ data: folder })
  const task = { task: 'counts', environment: log, at: head, by: 'role', now: 0 } as const
  return { ask: () => reviews.ask(task), close: () => reviews.close() }
}
const line = formatLine(RECORD, 0)
const batch = () => ({
  lines: Buffer.from(`{"instance":"${randomBytes(16).toString('hex')}","seq":1${line}`),
  isCompressed: false,
})
const folderLog = (folder = temporaryFolder('audit')): Kept => {
  const audit = new FolderAuditLog(folder)
  return { ask: () => audit.append(batch()), close: () => audit.close() }
}
const databaseLog = (): Kept => {
  const audit = new DatabaseAuditLog(data, NO_DATABASE)
  return { ask: () => audit.count(log), close: () => audit.close() }
}

/** `whole`: what it answers when nothing happens to it; `lost`: what those hear who wait when it is killed. */
const KEPT = [
  { name: 'of plans', open: planner, waitingMax: PLANS_WAITING_MAX, whole: 'ok', lost: 'THREAD_LOST' },
  { name: 'of access reviews', open: reviewer, waitingMax: REVIEWS_WAITING_MAX, whole: 'ok', lost: 'THREAD_LOST' },
  { name: 'of records in a folder', open: folderLog, waitingMax: AUDIT_BATCHES_MAX, whole: 'ok', lost: 'CLOSED' },
  {
    name: 'of records in a database',
    open: databaseLog,
    waitingMax: AUDIT_READS_MAX,
    whole: 'DATABASE_UNAVAILABLE',
    lost: 'CLOSED',
  },
] as const

describe.each(KEPT)('the thread $name', ({ open, waitingMax, whole, lost }) => {
  it('that is killed at work tells all who wait, and the next question starts another one', async () => {
    const thread = open()
    const waiting = [thread.ask(), thread.ask()].map(toOutcome)
    await eventually(() => watched.started.length, 1)
    await kill()
    expect(await Promise.all(waiting)).toEqual([lost, lost])
    expect(await toOutcome(thread.ask())).toBe(whole)
    expect(watched.started).toHaveLength(2)
    await thread.close()
  })

  it('is asked no more at once than it may be', async () => {
    const thread = open()
    const waiting = Array.from({ length: waitingMax }, () => toOutcome(thread.ask()))
    await expect(thread.ask()).rejects.toMatchObject({ code: 'OVERLOADED', details: { waiting: waitingMax } })
    expect(new Set(await Promise.all(waiting))).toEqual(new Set([whole]))
    expect(await toOutcome(thread.ask())).toBe(whole)
    await thread.close()
  })

  it('that is closed at work ends, and each who waits is answered or hears of it', async () => {
    const thread = open()
    const waiting = [thread.ask(), thread.ask()].map(toOutcome)
    const closing = thread.close()
    await expect(thread.ask()).rejects.toMatchObject({ code: 'CLOSED' })
    await closing
    for (const outcome of await Promise.all(waiting)) expect([whole, 'CLOSED']).toContain(outcome)
    expect([watched.started.length, running()]).toEqual([1, 0])
  })

  it('is not started to be closed', async () => {
    await open().close()
    expect(watched.started).toEqual([])
  })
})

describe('a thread that cannot begin', () => {
  it('of plans says so to each who asks, and is tried again', async () => {
    const thread = planner(nowhere())
    expect(await Promise.all([thread.ask(), thread.ask()].map(toOutcome))).toEqual(['THREAD_LOST', 'THREAD_LOST'])
    expect(await toOutcome(thread.ask())).toBe('THREAD_LOST')
    expect(watched.started).toHaveLength(2)
    await thread.close()
  })
})

/** Threads that do one task, and end. */
const file = () => join(temporaryFolder('file'), 'file')
const ONE_TASK = [
  { name: 'a task about the past', run: (folder: string) => runPastTask({ data: folder }, log, { task: 'reach' }) },
  {
    name: 'a snapshot',
    run: (folder: string) => buildInThread({ data: folder, environment: log, of: 'image', path: file() }),
  },
  {
    name: 'an export',
    run: (folder: string) => exportInThread({ data: folder, environment: log, file: file() }),
  },
] as const

describe.each(ONE_TASK)('the thread of $name', ({ run }) => {
  it('ends by itself when its task is done', async () => {
    expect(await toOutcome(run(data))).toBe('ok')
    await eventually(running, 0)
  })

  it('that is killed at work tells who waits', async () => {
    const outcome = toOutcome(run(data))
    await kill()
    expect(await outcome).toBe('THREAD_LOST')
  })

  it('is one for each task', async () => {
    expect(await Promise.all([run(data), run(data)].map(toOutcome))).toEqual(['ok', 'ok'])
    expect(watched.started).toHaveLength(2)
  })
})

it.each(ONE_TASK.slice(1))('the thread of $name that cannot begin tells who waits', async ({ run }) => {
  expect(await toOutcome(run(nowhere()))).toBe('THREAD_LOST')
})

it('an export whose file cannot be written says which, and why', async () => {
  const path = join(nowhere(), 'file')
  const exported = exportInThread({ data, environment: log, file: path })
  await expect(exported).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    details: { reason: expect.stringMatching(/^`.*\/file` cannot be written: ENOENT: /) },
  })
})

it('an exported file is the policy of the environment, for its owner alone', async () => {
  const path = file()
  await exportInThread({ data, environment: log, file: path })
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ roles: expect.anything() })
})

it('an error of a task about the past comes with its code and its details', async () => {
  const missing = runPastTask({ data }, log, { task: 'export', revision: 1_000_000, facts: false })
  await expect(missing).rejects.toMatchObject({ code: expect.stringMatching(/^REVISION_/), details: expect.anything() })
})

it('work on an image whose thread is killed is done without one', async () => {
  const image = Image.build(ENVIRONMENT, makePosition(1), HELLO)
  const working = compactCopy(image, () => undefined)
  await eventually(() => watched.started.length, 1)
  await kill()
  expect((await working).hash()).toBe(image.hash())
})

describe('the thread of upkeep', () => {
  const open = (events: UpkeepEvent[] = []) => {
    const query = async (text: string) => (text.includes("kind = 'environment'") ? [{ number: 1, id: log }] : [])
    return new Upkeep({
      settings: NO_DATABASE,
      folder: data,
      replica: randomUUID(),
      connection: async () => ({ query }) as unknown as Connection,
      report: (event) => events.push(event),
    })
  }
  const begin = (upkeep: Upkeep) =>
    upkeep.begin({ deletions: [{ log, at: 0 }] } as unknown as Parameters<Upkeep['begin']>[0])

  it('that is killed at work ends its round, and the next one starts another', async () => {
    const upkeep = open()
    begin(upkeep)
    await eventually(() => watched.started.length, 1)
    await kill()
    await eventually(() => {
      begin(upkeep)
      return watched.started.length
    }, 2)
    await upkeep.close()
  })

  it('that is closed at work has ended by then', async () => {
    const events: UpkeepEvent[] = []
    const upkeep = open(events)
    begin(upkeep)
    await eventually(() => watched.started.length, 1)
    await upkeep.close()
    expect([watched.started.length, running()]).toEqual([1, 0])
    begin(upkeep)
    expect(watched.started).toHaveLength(1)
    expect(events).toEqual([])
  })
})
