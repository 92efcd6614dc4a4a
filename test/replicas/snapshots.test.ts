// Snapshots that replicas write and check, and the trimming of the record behind them.
import { spawn } from 'node:child_process'
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, readdirSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { withoutRequest } from '../../src/log/change.ts'
import { hashSecret } from '../../src/management/api-keys/api-key.ts'
import { localFeed } from '../../src/management/feed/local-feed.ts'
import { type ManagementData, openManagementData } from '../../src/management/open.ts'
import { applyRetention, type RetentionOptions } from '../../src/management/retention.ts'
import { buildSnapshot } from '../../src/management/snapshot/snapshot.ts'
import { ClaimLost, claim, release, renew } from '../../src/store/postgres/claims.ts'
import { Database } from '../../src/store/postgres/database.ts'
import { exportFolder } from '../../src/store/postgres/export-folder.ts'
import type { UpkeepEvent } from '../../src/store/postgres/settings.ts'
import { readSecretsKey } from '../../src/store/secrets.ts'
import { verifyData } from '../../src/store/verify-data.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folders.ts'
import { endPostgres, type Postgres, startPostgres, withoutPostgres } from '../support/postgres.ts'
import { endServers, freePort, Server, url as urlOf } from '../support/server.ts'
import { startProxy } from '../support/tcp-proxy.ts'

const BY = withoutRequest('test')
const SECRETS_KEY = randomBytes(32)
/** Entries after a snapshot from which the next one is due. */
const DUE = 20
const CHILD = fileURLToPath(new URL('./upkeep-child.mjs', import.meta.url))

let server: Postgres
const opened: Replica[] = []

interface Replica extends ManagementData {
  readonly data: string
  readonly id: string
  readonly events: UpkeepEvent[]
}

async function openReplica(url: string, data = temporaryFolder('replica')): Promise<Replica> {
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

async function close(replica: Replica): Promise<void> {
  opened.splice(opened.indexOf(replica), 1)
  await replica.store.close()
}

const development = ({ store, organization }: ManagementData): string =>
  store.view(organization).require('environment', 'default/development').id

async function createUsers({ store }: ManagementData, log: string, name: string, count = DUE): Promise<void> {
  const keys = Array.from({ length: count }, (_, at) => `${name}-${at}`)
  await Promise.all(keys.map((key) => store.commit(log, 'createUser', { key }, BY)))
}

/** One look of a replica at what is due; nothing expires but what a test says. */
const look = ({ store }: ManagementData, options: RetentionOptions = {}) => applyRetention(store, options, Date.now())

/** Keeps the last entries only. */
const KEEP_FEW = { deltaRevisions: 5, historyRevisions: 10 }

const stateOf = (replica: ManagementData, log: string) => {
  const view = replica.store.view(log)
  return Buffer.from(buildSnapshot(view).bytes).toString('base64')
}

interface Row {
  readonly revision: number
  readonly state: string
}

const snapshotsOf = (url: string, log: string) =>
  server.query<Row>(
    url,
    `SELECT s.revision::int AS revision, state FROM zerohop.snapshots s JOIN zerohop.logs l USING (number)
    WHERE l.id = $1 ORDER BY revision`,
    [log],
  )

const entriesOf = async (url: string, log: string) =>
  (
    await server.query<{ oldest: number; head: number; whole: number }>(
      url,
      `SELECT min(revision)::int AS oldest, max(revision)::int AS head,
        min(revision) FILTER (WHERE changes <> '\\x002c226368616e676573223a5b5d7d')::int AS whole
      FROM zerohop.entries JOIN zerohop.logs l USING (number) WHERE l.id = $1`,
      [log],
    )
  )[0]!

/** Makes all entries an hour older: younger ones are never trimmed. */
const age = (url: string) => server.query(url, 'UPDATE zerohop.entries SET at = at - 3600000')

/** The replica looks until it is as expected: a look that comes while it still works is left out. */
const lookUntil = <T>(replica: Replica, ask: () => Promise<T>, expected: T, options?: RetentionOptions) =>
  eventually(async () => {
    await look(replica, options)
    return ask()
  }, expected)

/** Writes a snapshot at one replica, and confirms it at another. */
async function snapshot(url: string, log: string, writer: Replica, checker: Replica): Promise<number> {
  const { revision } = writer.store.head(log)
  await lookUntil(writer, async () => (await snapshotsOf(url, log)).at(-1), { revision, state: 'written' })
  await checker.store.confirm()
  await lookUntil(checker, () => snapshotsOf(url, log), [{ revision, state: 'confirmed' }])
  return revision
}

/** Changes what is stored of all snapshots; with `isWhole` the hash is that of the changed content. */
async function damage(url: string, isWhole: boolean): Promise<void> {
  const parts = await server.query<{ number: number; part: number; content: Buffer }>(
    url,
    'SELECT number, part, content FROM zerohop.snapshot_parts',
  )
  for (const { number, part, content } of parts) {
    const bytes = inflateRawSync(content)
    const at = bytes.indexOf('"first_name":null')
    bytes.write('"first_nane":null', at)
    await server.query(url, 'UPDATE zerohop.snapshot_parts SET content = $3 WHERE number = $1 AND part = $2', [
      number,
      part,
      deflateRawSync(bytes),
    ])
    if (isWhole)
      await server.query(url, 'UPDATE zerohop.snapshots SET hash = $2 WHERE number = $1', [
        number,
        createHash('sha256').update(bytes).digest(),
      ])
  }
}

/** The replica was not seen for an hour. */
const forget = (url: string, { id }: Replica) =>
  server.query(
    url,
    "UPDATE zerohop.replicas SET seen = seen - interval '1 hour', folded = folded - interval '1 hour' WHERE id = $1",
    [id],
  )

/** Trims what lies behind the snapshot. */
async function trim(url: string, log: string, replica: Replica): Promise<void> {
  const { head } = await entriesOf(url, log)
  const [newest] = await snapshotsOf(url, log)
  await age(url)
  const oldest = async () => (await entriesOf(url, log)).oldest
  await lookUntil(replica, oldest, Math.min(newest!.revision, head - KEEP_FEW.historyRevisions + 1), KEEP_FEW)
}

// skipped where the binaries of PostgreSQL cannot run: the reason is printed
describe.skipIf(withoutPostgres())('snapshots by replicas', () => {
  beforeAll(async () => {
    server = await startPostgres()
  })

  afterEach(async () => {
    await Promise.all(opened.splice(0).map(({ store }) => store.close()))
  })

  afterAll(async () => {
    await endServers()
    await endPostgres()
  })

  it('are written by one, confirmed by another, and replaced by the next', async () => {
    const url = await server.database()
    const [one, other] = [await openReplica(url), await openReplica(url)]
    const log = development(one)
    await look(one)
    await createUsers(one, log, 'first')
    const { revision } = one.store.head(log)
    // both look at once: one of them writes
    await Promise.all([look(one), look(other)])
    await eventually(() => snapshotsOf(url, log), [{ revision, state: 'written' }])
    const [row] = await server.query<{ writer: string }>(url, 'SELECT writer::text AS writer FROM zerohop.snapshots')
    const [writer, checker] = row?.writer === one.id ? [one, other] : [other, one]
    // its writer does not confirm it while there is another one
    await look(writer)
    await createUsers(one, log, 'second', 3)
    await checker.store.confirm()
    await lookUntil(checker, () => snapshotsOf(url, log), [{ revision, state: 'confirmed' }])
    await eventually(() => checker.events, [{ what: 'confirmed', log, revision }])
    await eventually(() => writer.events.map(({ what }) => what), ['written'])
    await createUsers(one, log, 'third', 3 * DUE)
    expect(await snapshot(url, log, one, other)).toBe(one.store.head(log).revision)
    const parts = await server.query(url, 'SELECT DISTINCT revision FROM zerohop.snapshot_parts')
    expect(parts).toHaveLength(1)
  })

  it('are where an empty replica begins', async () => {
    const url = await server.database()
    const [one, other] = [await openReplica(url), await openReplica(url)]
    const log = development(one)
    await createUsers(one, log, 'first')
    await snapshot(url, log, one, other)
    await createUsers(one, log, 'second', 3)
    await trim(url, log, other)
    const { oldest, head } = await entriesOf(url, log)
    const fresh = await openReplica(url)
    expect(fresh.store.head(log)).toEqual(one.store.head(log))
    expect(stateOf(fresh, log)).toBe(stateOf(one, log))
    expect(fresh.store.history(log, head + 1, 100).at(-1)?.revision).toBe(oldest)
    await fresh.store.commit(log, 'createUser', { key: 'ida' }, BY)
    await one.store.confirm()
    expect(one.store.view(log).get('user', 'ida')).toBeDefined()
  })

  it('keep what retention promises: history, and the deltas of the last revisions', async () => {
    const url = await server.database()
    const [one, other] = [await openReplica(url), await openReplica(url)]
    const log = development(one)
    await createUsers(one, log, 'first', 3 * DUE)
    const head = await snapshot(url, log, one, other)
    await age(url)
    const bounds = async () => {
      const { oldest, whole } = await entriesOf(url, log)
      return [oldest, whole]
    }
    await lookUntil(one, bounds, [head - 29, head - 4], { deltaRevisions: 5, historyRevisions: 30 })
    const fresh = await openReplica(url)
    expect(fresh.store.history(log, head + 1, 100)).toEqual(one.store.history(log, head + 1, 30))
    expect(fresh.store.historyCount(log)).toBe(30)
    expect(fresh.store.entries(log, head - 5)).toEqual(one.store.entries(log, head - 5))
    expect(fresh.store.entries(log, head - 6)).toEqual([])
    expect(stateOf(fresh, log)).toBe(stateOf(one, log))
    // the end of it moves on with the next snapshot
    await createUsers(fresh, log, 'second', 4 * DUE)
    await one.store.confirm()
    const next = await snapshot(url, log, one, other)
    await age(url)
    await lookUntil(one, bounds, [next - 29, next - 4], { deltaRevisions: 5, historyRevisions: 30 })
  })

  it('are confirmed by their writer when there is no other replica, after it has loaded what it wrote', async () => {
    const url = await server.database()
    const alone = await openReplica(url)
    const log = development(alone)
    await createUsers(alone, log, 'first')
    const { revision } = alone.store.head(log)
    await lookUntil(alone, () => snapshotsOf(url, log), [{ revision, state: 'confirmed' }])
    await eventually(() => alone.events.map(({ what }) => what), ['written', 'confirmed'])
    expect(readdirSync(alone.data).filter((name) => name.startsWith('scratch'))).toEqual([])
  })

  it.each([
    ['what is stored differs from what was written', false, 'does not match its hash'],
    ['its writer had another state', true, 'its hash differs'],
  ])('are refused, never used, and nothing is trimmed behind them, when %s', async (_, isWhole, reason) => {
    const url = await server.database()
    const [one, other] = [await openReplica(url), await openReplica(url)]
    const log = development(one)
    await createUsers(one, log, 'first')
    const { revision } = one.store.head(log)
    await lookUntil(one, () => snapshotsOf(url, log), [{ revision, state: 'written' }])
    await damage(url, isWhole)
    await other.store.confirm()
    await lookUntil(other, () => snapshotsOf(url, log), [{ revision, state: 'refused' }])
    await eventually(() => other.events.length, 1)
    expect(other.events).toEqual([{ what: 'refused', log, revision, reason: expect.stringContaining(reason) }])
    await age(url)
    for (let round = 0; round < 5; round++) {
      await look(one, KEEP_FEW)
      await look(other, KEEP_FEW)
      await pause(50)
    }
    expect((await entriesOf(url, log)).oldest).toBe(1)
    const fresh = await openReplica(url)
    expect(stateOf(fresh, log)).toBe(stateOf(one, log))
    // another one is tried later
    await server.query(url, "UPDATE zerohop.snapshots SET at = at - interval '2 hours'")
    await snapshot(url, log, one, other)
    expect(stateOf(await openReplica(url), log)).toBe(stateOf(one, log))
  })

  it('are replaced when one is damaged that was confirmed before', async () => {
    const url = await server.database()
    const [one, other] = [await openReplica(url), await openReplica(url)]
    const log = development(one)
    await createUsers(one, log, 'first')
    await snapshot(url, log, one, other)
    await damage(url, false)
    // all entries are there: an empty replica folds them instead
    expect(stateOf(await openReplica(url), log)).toBe(stateOf(one, log))
    const { revision } = one.store.head(log)
    expect(await snapshotsOf(url, log)).toEqual([{ revision, state: 'refused' }])
    await snapshot(url, log, one, other)
    await trim(url, log, one)
    await damage(url, false)
    // now it is all that there was, so that an empty replica cannot begin before those that run wrote another one
    await expect(openReplica(url)).rejects.toMatchObject({
      code: 'DATABASE_REFUSED',
      message: expect.stringContaining('no snapshot that can be used'),
    })
    await snapshot(url, log, one, other)
    expect(stateOf(await openReplica(url), log)).toBe(stateOf(one, log))
  })

  it('go on at another replica when their writer is killed in the middle', async () => {
    const url = await server.database()
    const [one, other] = [await openReplica(url), await openReplica(url)]
    const log = development(one)
    await createUsers(one, log, 'first')
    const holder = new pg.Client({ connectionString: url })
    await holder.connect()
    // its parts are written, and the row that completes them has to wait
    await holder.query('BEGIN; LOCK TABLE zerohop.snapshots IN SHARE MODE')
    const options = {
      url,
      data: temporaryFolder('replica'),
      secretsKey: SECRETS_KEY.toString('hex'),
      snapshotEntries: DUE,
    }
    const child = spawn(process.execPath, [CHILD, JSON.stringify(options)], { stdio: 'ignore' })
    const count = async (table: string) =>
      (await server.query<{ n: number }>(url, `SELECT count(*)::int AS n FROM zerohop.${table}`))[0]?.n
    await eventually(() => count('snapshot_parts'), 1)
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
    await server.query(
      url,
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'zerohop upkeep' AND datname = current_database()",
    )
    await holder.end()
    await eventually(() => count('upkeep'), 1)
    for (let round = 0; round < 5; round++) {
      await look(one)
      await pause(50)
    }
    // the claim of the dead one holds for some minutes
    expect([await count('snapshots'), await count('snapshot_parts')]).toEqual([0, 1])
    await server.query(url, "UPDATE zerohop.upkeep SET at = at - interval '1 hour'")
    await createUsers(one, log, 'second', 3)
    await snapshot(url, log, one, other)
    expect([await count('upkeep'), await count('snapshot_parts')]).toEqual([0, 1])
    expect(stateOf(await openReplica(url), log)).toBe(stateOf(one, log))
  })

  it('hold back trimming for a replica that lacks entries, for a while; then it loads a snapshot by itself', async () => {
    const url = await server.database()
    const proxy = await startProxy(server.port)
    const [one, other, cut] = [await openReplica(url), await openReplica(url), await openReplica(proxy.through(url))]
    const { organization } = one
    const log = development(one)
    const troubles: (string | undefined)[] = []
    cut.store.listen((event) => {
      if (event.event === 'trouble') troubles.push(event.error?.code)
    })
    await createUsers(one, log, 'first')
    await cut.store.confirm()
    const before = cut.store.head(log)
    proxy.refuse()
    proxy.cut()
    await one.store.commit(log, 'deleteUser', { ref: 'first-0' }, BY)
    await createUsers(one, log, 'second')
    await snapshot(url, log, one, other)
    await age(url)
    for (let round = 0; round < 5; round++) {
      await look(one, KEEP_FEW)
      await pause(50)
    }
    expect((await entriesOf(url, log)).oldest).toBeLessThanOrEqual(before.revision + 1)
    await forget(url, cut)
    await trim(url, log, one)
    expect((await entriesOf(url, log)).oldest).toBeGreaterThan(before.revision + 1)
    expect(cut.store.view(log).get('user', 'first-0')).toBeDefined()
    await proxy.accept()
    await eventually(() => cut.events.map(({ what }) => what), ['reloaded'])
    await cut.store.confirm()
    expect(cut.store.head(log)).toEqual(one.store.head(log))
    expect(stateOf(cut, log)).toBe(stateOf(one, log))
    expect(troubles).not.toContain('HISTORY_LOST')
    // a PDP that follows here takes an image
    const feed = localFeed(cut, { environment: log, organization })
    const next = feed.deltas(before)[Symbol.asyncIterator]().next()
    await expect(next).rejects.toMatchObject({ code: 'FEED_GAP' })
    await cut.store.commit(log, 'createUser', { key: 'ida' }, BY)
    await one.store.confirm()
    expect(stateOf(one, log)).toBe(stateOf(cut, log))
    proxy.close()
  })

  it('replace the keys and secrets of an organization, too, when a replica was stopped for long', async () => {
    const url = await server.database()
    const [one, other, stopped] = [await openReplica(url), await openReplica(url), await openReplica(url)]
    const { organization } = one
    const create = async () =>
      (await one.store.commit(organization, 'createApiKey', { level: 'org', access: 'admin' }, BY)).result
    const revoked = await create()
    await stopped.store.confirm()
    expect(stopped.store.findApiKey(hashSecret(revoked.secret))).toBeDefined()
    await close(stopped)
    const copy = temporaryFolder('replica')
    cpSync(stopped.data, copy, { recursive: true })
    await one.store.commit(organization, 'deleteApiKey', { ref: revoked.key.id }, BY)
    let kept = await create()
    for (let number = 0; number < 2 * DUE; number++) kept = await create()
    await snapshot(url, organization, one, other)
    await forget(url, stopped)
    await trim(url, organization, one)
    const back = await openReplica(url, stopped.data)
    expect(back.store.historyLost).toBeUndefined()
    expect(back.store.atStart).toMatchObject([{ what: 'reloaded', log: organization }])
    expect(back.store.findApiKey(hashSecret(revoked.secret))).toBeUndefined()
    expect(back.store.readSecret(revoked.key.id)).toBeUndefined()
    expect(back.store.findApiKey(hashSecret(kept.secret))?.organization).toBe(organization)
    expect(back.store.readSecret(kept.key.id)).toBe(kept.secret)
    expect(back.store.head(organization)).toEqual(one.store.head(organization))
    await close(back)
    expect(await verifyData(back.data)).toMatchObject({ damages: 0 })
    // as a process it says so in its log, and in its metrics
    const port = await freePort()
    const process = new Server('api', {
      ZEROHOP_DATA: copy,
      ZEROHOP_API_PORT: String(port),
      ZEROHOP_DATABASE_URL: url,
      ZEROHOP_SECRETS_KEY: SECRETS_KEY.toString('hex'),
      PDP_ALLOW_METRICS_UNAUTHENTICATED: 'true',
    })
    await process.until(async () => (await fetch(`${urlOf(port)}/ready`)).ok)
    expect(process.output).toContain('"msg":"entries that this replica lacked were trimmed: it loaded a snapshot"')
    expect(await (await fetch(`${urlOf(port)}/metrics`)).text()).toContain('\nzerohop_snapshots_reloaded_total 1\n')
    expect(await process.end('SIGTERM')).toBe(0)
  })

  it('are what an export begins with, when the record is trimmed', async () => {
    const url = await server.database()
    const [one, other] = [await openReplica(url), await openReplica(url)]
    const log = development(one)
    await createUsers(one, log, 'first')
    await snapshot(url, log, one, other)
    await createUsers(one, log, 'second', 3)
    await trim(url, log, one)
    const [state, { head, oldest }] = [stateOf(one, log), await entriesOf(url, log)]
    await close(one)
    await close(other)
    const folder = temporaryFolder('exported')
    const connection = await new Database({ url }).open('test')
    const keys = { secretsKey: SECRETS_KEY, folderKey: () => readSecretsKey(folder, undefined).bytes }
    await exportFolder(connection, {
      folder,
      ...keys,
      again: false,
      id: randomUUID(),
      place: 'here',
      progress: () => {},
    })
    connection.destroy()
    const embedded = await openManagementData({ data: folder, newId: () => randomBytes(16).toString('hex') })
    expect(stateOf(embedded, log)).toBe(state)
    expect(embedded.store.history(log, head + 1, 100).at(-1)?.revision).toBe(oldest)
    await embedded.store.close()
    expect(await verifyData(folder)).toMatchObject({ damages: 0 })
  })

  it('are the work of one replica, which has lost it when another took it over', async () => {
    const url = await server.database()
    await openReplica(url)
    const connection = await new Database({ url }).open('test')
    const first = (await claim(connection, 1, randomUUID()))!
    expect(await claim(connection, 1, randomUUID())).toBeUndefined()
    await renew(connection, first)
    await server.query(url, "UPDATE zerohop.upkeep SET at = at - interval '1 hour'")
    const second = (await claim(connection, 1, randomUUID()))!
    await expect(renew(connection, first)).rejects.toThrow(ClaimLost)
    await release(connection, first)
    await renew(connection, second)
    await release(connection, second)
    expect(await claim(connection, 1, randomUUID())).toBeDefined()
    connection.destroy()
  })

  it('go on while everybody writes, and replicas come and go', async () => {
    const url = await server.database()
    const [one, other, guest] = [await openReplica(url), await openReplica(url), await openReplica(url)]
    const { organization } = one
    const logs = [development(one), one.store.view(organization).require('environment', 'default/production').id]
    const starts: string[] = []
    const deadline = performance.now() + 90_000
    const isDue = () => performance.now() > deadline || starts.filter((how) => how === 'reloaded').length === 2
    let written = 0
    const write = async (replica: Replica, log: string) => {
      while (!isDue()) {
        const number = ++written
        await replica.store.commit(log, 'createUser', { key: `user-${number}` }, BY)
        if (number % 3 === 0) await replica.store.commit(log, 'deleteUser', { ref: `user-${number}` }, BY)
      }
    }
    const keep = async () => {
      while (!isDue()) {
        await look(one, KEEP_FEW)
        await look(other, KEEP_FEW)
        await age(url)
        await server.query(url, 'DELETE FROM zerohop.replicas WHERE id <> ALL ($1)', [opened.map(({ id }) => id)])
        await pause(20)
      }
    }
    const come = async () => {
      await close(guest)
      for (let round = 0; !isDue(); round++) {
        // with nothing, and with what it had when it was first closed
        const data = temporaryFolder('guest')
        if (round % 2 === 1) cpSync(guest.data, data, { recursive: true })
        const back = await openReplica(url, data)
        starts.push(back.store.historyLost?.code ?? (back.store.atStart.length > 0 ? 'reloaded' : 'folded'))
        await back.store.commit(logs[0]!, 'createUser', { key: `guest-${round}` }, BY)
        await close(back)
      }
    }
    const work = [one, other].flatMap((replica) => logs.flatMap((log) => [write(replica, log), write(replica, log)]))
    await Promise.all([...work, keep(), come()])
    const last = await openReplica(url)
    for (const { store } of opened) await store.confirm()
    for (const log of [organization, ...logs]) {
      expect(opened.map(({ store }) => store.head(log))).toEqual(opened.map(() => last.store.head(log)))
      expect(new Set(opened.map((replica) => stateOf(replica, log))).size).toBe(1)
    }
    expect(starts).toContain('reloaded')
    expect(starts).not.toContain('HISTORY_LOST')
    expect((await entriesOf(url, logs[0]!)).oldest).toBeGreaterThan(1)
    expect(
      opened.flatMap(({ events }) => events).filter(({ what }) => what === 'refused' || what === 'failed'),
    ).toEqual([])
  })
})
