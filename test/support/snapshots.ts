// What the tests of snapshots and trimming do with replicas: small bounds, so that little is much, and time that passes
// when they say so.
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { withoutRequest } from '../../src/log/change.ts'
import { type ManagementData, openManagementData } from '../../src/management/host/open.ts'
import { applyRetention, type RetentionOptions } from '../../src/management/host/retention.ts'
import { buildSnapshot } from '../../src/management/snapshot/snapshot.ts'
import type { UpkeepEvent } from '../../src/store/settings.ts'
import { eventually } from './eventually.ts'
import { temporaryFolder } from './folders.ts'
import { endPostgres, type Postgres, startPostgres } from './postgres.ts'

export const BY = withoutRequest('test')
export const SECRETS_KEY = randomBytes(32)
/** Entries after a snapshot from which the next one is due. */
export const DUE = 20

/** The server of the running test file. */
export const of = {} as { server: Postgres }
export const opened: Replica[] = []

/** A server for the tests of a file; their replicas are closed after each of them. */
export function useServer(): void {
  beforeAll(async () => {
    of.server = await startPostgres()
  })
  afterEach(async () => {
    await Promise.all(opened.splice(0).map(({ store }) => store.close()))
  })
  afterAll(endPostgres)
}

export interface Replica extends ManagementData {
  readonly data: string
  readonly id: string
  readonly events: UpkeepEvent[]
}

export async function openReplica(url: string, data = temporaryFolder('replica')): Promise<Replica> {
  const id = randomUUID()
  const settings = { url, replica: id, version: 'test', snapshotEntries: DUE }
  const newId = () => randomBytes(16).toString('hex')
  const management = await openManagementData({ data, newId, replica: { settings, secretsKey: SECRETS_KEY } })
  const events: UpkeepEvent[] = []
  management.store.listen((event) => {
    if (event.event === 'upkeep') events.push(event.upkeep)
  })
  const replica = { ...management, data, id, events }
  opened.push(replica)
  return replica
}

export async function close(replica: Replica): Promise<void> {
  opened.splice(opened.indexOf(replica), 1)
  await replica.store.close()
}

export const development = ({ store, organization }: ManagementData): string =>
  store.view(organization).require('environment', 'default/development').id

export async function createUsers({ store }: ManagementData, log: string, name: string, count = DUE): Promise<void> {
  const keys = Array.from({ length: count }, (_, at) => `${name}-${at}`)
  await Promise.all(keys.map((key) => store.commit(log, 'createUser', { key }, BY)))
}

/** One look of a replica at what is due; nothing expires but what a test says. */
export const look = ({ store }: ManagementData, options: RetentionOptions = {}) =>
  applyRetention(store, options, Date.now())

/** Keeps the last entries only. */
export const KEEP_FEW = { deltaRevisions: 5, historyRevisions: 10 }

/** The image of an environment, and its users with what no decision needs. */
export const serializeState = (replica: ManagementData, log: string) => {
  const view = replica.store.view(log)
  return `${Buffer.from(buildSnapshot(view).bytes).toString('base64')} ${JSON.stringify([...view.list('user')])}`
}

interface Row {
  readonly revision: number
  readonly state: string
}

export const listSnapshots = (url: string, log: string) =>
  of.server.query<Row>(
    url,
    `SELECT s.revision::int AS revision, state FROM zerohop.snapshots s JOIN zerohop.logs l USING (number)
    WHERE l.id = $1 ORDER BY revision`,
    [log],
  )

export const readEntryRange = async (url: string, log: string) =>
  (
    await of.server.query<{ oldest: number; head: number; whole: number }>(
      url,
      `SELECT min(revision)::int AS oldest, max(revision)::int AS head,
        min(revision) FILTER (WHERE changes <> '\\x002c226368616e676573223a5b5d7d')::int AS whole
      FROM zerohop.entries JOIN zerohop.logs l USING (number) WHERE l.id = $1`,
      [log],
    )
  )[0]!

/** Makes all entries an hour older: younger ones are never trimmed. */
export const age = (url: string) => of.server.query(url, 'UPDATE zerohop.entries SET at = at - 3600000')

/** The replica looks until it is as expected: a look that comes while it still works is left out. */
export const lookUntil = <T>(replica: Replica, ask: () => Promise<T>, expected: T, options?: RetentionOptions) =>
  eventually(async () => {
    await look(replica, options)
    return ask()
  }, expected)

/** Writes a snapshot at one replica, and confirms it at another. With options for the past the ones before it stay. */
export async function snapshot(
  url: string,
  log: string,
  writer: Replica,
  checker: Replica,
  options?: RetentionOptions,
): Promise<number> {
  const { revision } = writer.store.head(log)
  const before = options === undefined ? [] : await listSnapshots(url, log)
  await lookUntil(writer, async () => (await listSnapshots(url, log)).at(-1), { revision, state: 'written' }, options)
  await checker.store.confirm()
  // its writer never confirms it while there is another replica: both look, in case it was the checker
  const looked = async () => {
    await look(writer, options)
    return listSnapshots(url, log)
  }
  await lookUntil(checker, looked, [...before, { revision, state: 'confirmed' }], options)
  return revision
}

/** Changes what is stored of all snapshots; with `isWhole` the hash is that of the changed content. */
export async function damage(url: string, isWhole: boolean): Promise<void> {
  const parts = await of.server.query<{ number: number; part: number; content: Buffer }>(
    url,
    'SELECT number, part, content FROM zerohop.snapshot_parts',
  )
  for (const { number, part, content } of parts) {
    const bytes = inflateRawSync(content)
    const at = bytes.indexOf('"first_name":null')
    bytes.write('"first_nane":null', at)
    await of.server.query(url, 'UPDATE zerohop.snapshot_parts SET content = $3 WHERE number = $1 AND part = $2', [
      number,
      part,
      deflateRawSync(bytes),
    ])
    if (isWhole)
      await of.server.query(url, 'UPDATE zerohop.snapshots SET hash = $2 WHERE number = $1', [
        number,
        createHash('sha256').update(bytes).digest(),
      ])
  }
}

/** The replica was not seen for an hour. */
export const forget = (url: string, { id }: Replica) =>
  of.server.query(
    url,
    "UPDATE zerohop.replicas SET seen = seen - interval '1 hour', folded = folded - interval '1 hour' WHERE id = $1",
    [id],
  )

/** Trims what lies behind the snapshot. */
export async function trim(url: string, log: string, replica: Replica): Promise<void> {
  const { head } = await readEntryRange(url, log)
  const [newest] = await listSnapshots(url, log)
  await age(url)
  const oldest = async () => (await readEntryRange(url, log)).oldest
  await lookUntil(replica, oldest, Math.min(newest!.revision, head - KEEP_FEW.historyRevisions + 1), KEEP_FEW)
}

/**
 * A snapshot that is wrong is refused by the replica that was to confirm it, never used, and nothing is trimmed behind
 * it; another one is tried later.
 * @param isWhole as in `damage`
 * @param reason part of what the refusing replica reports
 */
export async function requireRefused(isWhole: boolean, reason: string): Promise<void> {
  const url = await of.server.database()
  const [one, other] = [await openReplica(url), await openReplica(url)]
  const log = development(one)
  await createUsers(one, log, 'first')
  const { revision } = one.store.head(log)
  await lookUntil(one, () => listSnapshots(url, log), [{ revision, state: 'written' }])
  await damage(url, isWhole)
  await other.store.confirm()
  await lookUntil(other, () => listSnapshots(url, log), [{ revision, state: 'refused' }])
  await eventually(() => other.events.length, 1)
  expect(other.events).toEqual([{ what: 'refused', log, revision, reason: expect.stringContaining(reason) }])
  await age(url)
  for (let round = 0; round < 5; round++) {
    await look(one, KEEP_FEW)
    await look(other, KEEP_FEW)
    await pause(50)
  }
  expect((await readEntryRange(url, log)).oldest).toBe(1)
  const fresh = await openReplica(url)
  expect(serializeState(fresh, log)).toBe(serializeState(one, log))
  // another one is tried later
  await of.server.query(url, "UPDATE zerohop.snapshots SET at = at - interval '2 hours'")
  await snapshot(url, log, one, other)
  expect(serializeState(await openReplica(url), log)).toBe(serializeState(one, log))
}
