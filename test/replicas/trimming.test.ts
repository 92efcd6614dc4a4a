// The record is trimmed behind snapshots, and nobody misses what is gone.
import { randomBytes, randomUUID } from 'node:crypto'
import { cpSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { localFeed } from '../../src/management/feed/local-feed.ts'
import { openManagementData } from '../../src/management/host/open.ts'
import { hashSecret } from '../../src/management/objects/api-key.ts'
import { Database } from '../../src/store/postgres/database.ts'
import { exportFolder } from '../../src/store/postgres/export-folder.ts'
import { readSecretsKey } from '../../src/store/secrets.ts'
import { verifyData } from '../../src/store/verify-data.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folders.ts'
import { withoutPostgres } from '../support/postgres.ts'
import { endServers, freePort, Server, url as urlOf } from '../support/server.ts'
import {
  age,
  BY,
  close,
  createUsers,
  DUE,
  development,
  forget,
  KEEP_FEW,
  look,
  lookUntil,
  of,
  opened,
  openReplica,
  type Replica,
  readEntryRange,
  SECRETS_KEY,
  serializeState,
  snapshot,
  trim,
  useServer,
} from '../support/snapshots.ts'
import { startProxy } from '../support/tcp-proxy.ts'

// skipped where the binaries of PostgreSQL cannot run: the reason is printed
describe.skipIf(withoutPostgres())('trimming of the record', () => {
  useServer()
  afterAll(endServers)

  /** Two replicas over a record that was trimmed behind a snapshot. */
  async function trimmed() {
    const url = await of.server.database()
    const [one, other] = [await openReplica(url), await openReplica(url)]
    const log = development(one)
    await createUsers(one, log, 'first')
    await snapshot(url, log, one, other)
    await createUsers(one, log, 'second', 3)
    await trim(url, log, other)
    return { url, one, other, log }
  }

  it('leaves an empty replica a snapshot to begin with', async () => {
    const { url, one, log } = await trimmed()
    const { oldest, head } = await readEntryRange(url, log)
    const fresh = await openReplica(url)
    expect(fresh.store.head(log)).toEqual(one.store.head(log))
    expect(serializeState(fresh, log)).toBe(serializeState(one, log))
    expect(fresh.store.history(log, head + 1, 100).at(-1)?.revision).toBe(oldest)
    await fresh.store.commit(log, 'createUser', { key: 'ida' }, BY)
    await one.store.confirm()
    expect(one.store.view(log).get('user', 'ida')).toBeDefined()
  })

  it('keeps what retention promises: history, and the deltas of the last revisions', async () => {
    const url = await of.server.database()
    const [one, other] = [await openReplica(url), await openReplica(url)]
    const log = development(one)
    await createUsers(one, log, 'first', 3 * DUE)
    const head = await snapshot(url, log, one, other)
    await age(url)
    const bounds = async () => {
      const { oldest, whole } = await readEntryRange(url, log)
      return [oldest, whole]
    }
    await lookUntil(one, bounds, [head - 29, head - 4], { deltaRevisions: 5, historyRevisions: 30 })
    const fresh = await openReplica(url)
    expect(fresh.store.history(log, head + 1, 100)).toEqual(one.store.history(log, head + 1, 30))
    expect(fresh.store.historyCount(log)).toBe(30)
    expect(fresh.store.entries(log, head - 5)).toEqual(one.store.entries(log, head - 5))
    expect(fresh.store.entries(log, head - 6)).toEqual([])
    expect(serializeState(fresh, log)).toBe(serializeState(one, log))
    // the end of it moves on with the next snapshot
    await createUsers(fresh, log, 'second', 4 * DUE)
    await one.store.confirm()
    const next = await snapshot(url, log, one, other)
    await age(url)
    await lookUntil(one, bounds, [next - 29, next - 4], { deltaRevisions: 5, historyRevisions: 30 })
  })

  it('waits for a replica that lacks entries, for a while; then that one loads a snapshot by itself', async () => {
    const url = await of.server.database()
    const proxy = await startProxy(of.server.port)
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
    expect((await readEntryRange(url, log)).oldest).toBeLessThanOrEqual(before.revision + 1)
    await forget(url, cut)
    await trim(url, log, one)
    expect((await readEntryRange(url, log)).oldest).toBeGreaterThan(before.revision + 1)
    expect(cut.store.view(log).get('user', 'first-0')).toBeDefined()
    await proxy.accept()
    await eventually(() => cut.events.map(({ what }) => what), ['reloaded'])
    await cut.store.confirm()
    expect(cut.store.head(log)).toEqual(one.store.head(log))
    expect(serializeState(cut, log)).toBe(serializeState(one, log))
    expect(troubles).not.toContain('HISTORY_LOST')
    // a PDP that follows here takes an image
    const feed = localFeed(cut, { environment: log, organization })
    const next = feed.deltas(before)[Symbol.asyncIterator]().next()
    await expect(next).rejects.toMatchObject({ code: 'FEED_GAP' })
    await cut.store.commit(log, 'createUser', { key: 'ida' }, BY)
    await one.store.confirm()
    expect(serializeState(one, log)).toBe(serializeState(cut, log))
    proxy.close()
  })

  it('leaves a replica that was stopped for long the right keys and secrets', async () => {
    const url = await of.server.database()
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

  it('leaves what an export needs', async () => {
    const { url, one, other, log } = await trimmed()
    const [state, { head, oldest }] = [serializeState(one, log), await readEntryRange(url, log)]
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
    expect(serializeState(embedded, log)).toBe(state)
    expect(embedded.store.history(log, head + 1, 100).at(-1)?.revision).toBe(oldest)
    await embedded.store.close()
    expect(await verifyData(folder)).toMatchObject({ damages: 0 })
  })

  it('goes on while everybody writes, and replicas come and go', async () => {
    const url = await of.server.database()
    const [one, other, guest] = [await openReplica(url), await openReplica(url), await openReplica(url)]
    const { organization } = one
    const logs = [development(one), one.store.view(organization).require('environment', 'default/production').id]
    const starts: string[] = []
    const deadline = performance.now() + 90_000
    const isDue = () => performance.now() > deadline || (starts.length > 2 && starts.includes('reloaded'))
    let written = 0
    const write = async (replica: Replica, log: string) => {
      while (!isDue()) {
        const number = ++written
        await replica.store.commit(log, 'createUser', { key: `user-${number}` }, BY)
        if (number % 3 === 0) await replica.store.commit(log, 'deleteUser', { ref: `user-${number}` }, BY)
        await pause(5)
      }
    }
    const keep = async () => {
      while (!isDue()) {
        await look(one, KEEP_FEW)
        await look(other, KEEP_FEW)
        await age(url)
        await of.server.query(url, 'DELETE FROM zerohop.replicas WHERE id <> ALL ($1)', [opened.map(({ id }) => id)])
        await pause(50)
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
      expect(new Set(opened.map((replica) => serializeState(replica, log))).size).toBe(1)
    }
    expect(starts).toContain('reloaded')
    expect(starts).not.toContain('HISTORY_LOST')
    expect((await readEntryRange(url, logs[0]!)).oldest).toBeGreaterThan(1)
    expect(
      opened.flatMap(({ events }) => events).filter(({ what }) => what === 'refused' || what === 'failed'),
    ).toEqual([])
  })
})
