// Two versions side by side: what the tables say of themselves decides which replicas may use them, and builds of two
// versions do use them together.
import { randomBytes, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type LogId, withoutRequest } from '../../src/log/change.ts'
import { localFeed } from '../../src/management/feed/local-feed.ts'
import { type ManagementData, openManagementData } from '../../src/management/host/open.ts'
import { applyRetention } from '../../src/management/host/retention.ts'
import { buildSnapshot } from '../../src/management/snapshot/snapshot.ts'
import { DATABASE_FORMAT } from '../../src/store/postgres/migrations.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folders.ts'
import { otherBuild } from '../support/other-build.ts'
import { endPostgres, type Postgres, startPostgres, withoutPostgres } from '../support/postgres.ts'
import { NEWER, NEXT, WITHOUT_GROUPS, WITHOUT_TIMES } from './other-versions.ts'

const BY = withoutRequest('test')
const SNAPSHOT_ENTRIES = 20

type Open = typeof openManagementData
const importOpen = async (sources: string): Promise<Open> =>
  (await import(pathToFileURL(join(sources, 'management/host/open.js')).href)).openManagementData

// skipped where the binaries of PostgreSQL cannot run: the reason is printed
describe.skipIf(withoutPostgres())('tables of another version', () => {
  const secretsKey = randomBytes(32)
  const replicas: ManagementData[] = []
  let server: Postgres
  let url: string
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterEach(async () => {
    for (const { store } of replicas.splice(0)) await store.close()
  })
  afterAll(endPostgres)

  const start = async (migrate = true, open: Open = openManagementData) => {
    const settings = { url, replica: randomUUID(), version: 'test', migrate, snapshotEntries: SNAPSHOT_ENTRIES }
    const newId = () => randomBytes(16).toString('hex')
    const opened = await open({
      data: temporaryFolder('replica'),
      newId,
      replica: { settings, secretsKey },
    })
    replicas.push(opened)
    return opened
  }
  const upgradeTo = (format: number, readableFrom: number) =>
    server.query(url, 'UPDATE zerohop.meta SET format = $1, readable_from = $2', [format, readableFrom])

  it('that this one can read are used by replicas that run and by new ones, and are not changed back', async () => {
    url = await server.database()
    const running = await start()
    await upgradeTo(NEWER, DATABASE_FORMAT)
    const environment = running.store.logs().find((log) => log !== running.organization) ?? ''
    await running.store.commit(environment, 'createUser', { key: 'ida' }, BY)
    const later = await start()
    expect(later.store.view(environment).get('user', 'ida')).toBeDefined()
    await later.store.commit(environment, 'createUser', { key: 'eve' }, BY)
    await running.store.confirm()
    expect(running.store.view(environment).get('user', 'eve')).toBeDefined()
    expect(await server.query(url, 'SELECT format, readable_from FROM zerohop.meta')).toEqual([
      { format: NEWER, readable_from: DATABASE_FORMAT },
    ])
  })

  it('that this one cannot read stop no replica that runs, and let none start', async () => {
    url = await server.database()
    const running = await start()
    await upgradeTo(NEWER, NEWER)
    const environment = running.store.logs().find((log) => log !== running.organization) ?? ''
    await running.store.commit(environment, 'createUser', { key: 'ida' }, BY)
    await expect(start()).rejects.toMatchObject({
      code: 'DATABASE_REFUSED',
      message: expect.stringContaining(`format ${NEWER}, which this version cannot read: install a newer one`),
    })
  })

  it('that are older wait for a migration', async () => {
    url = await server.database()
    await start()
    await upgradeTo(DATABASE_FORMAT - 1, DATABASE_FORMAT - 1)
    await expect(start(false)).rejects.toMatchObject({
      code: 'DATABASE_REFUSED',
      message: expect.stringContaining('run `zerohop database migrate`'),
    })
  })

  const development = ({ store, organization }: ManagementData): LogId =>
    store.view(organization).require('environment', 'default/development').id
  const serializeState = ({ store }: ManagementData, log: LogId) =>
    Buffer.from(buildSnapshot(store.view(log)).bytes).toString('base64')
  const stop = async (replica: ManagementData) => {
    replicas.splice(replicas.indexOf(replica), 1)
    await replica.store.close()
  }

  it('are used by replicas of two builds together: both write, follow each other, and keep snapshots', async () => {
    url = await server.database()
    const next = await importOpen(await otherBuild(NEXT))
    const [staying, leaving] = [await start(), await start()]
    const log = development(staying)
    const before = staying.store.head(log)
    const write = ({ store }: ManagementData, name: string, count = SNAPSHOT_ENTRIES) =>
      Promise.all(
        Array.from({ length: count }, (_, at) => store.commit(log, 'createUser', { key: `${name}-${at}` }, BY)),
      )
    // the first of the new version upgrades the tables while the others write
    const [updated] = await Promise.all([start(true, next), write(staying, 'a'), write(leaving, 'b')])
    await stop(leaving)
    await Promise.all([write(updated, 'c'), write(staying, 'd')])
    const { key, secret } = (
      await updated.store.commit(updated.organization, 'createApiKey', { level: 'org', access: 'admin' }, BY)
    ).result
    const alike = async (...some: ManagementData[]) => {
      for (const { store } of some) await store.confirm()
      for (const id of [log, staying.organization])
        expect(some.map(({ store }) => store.head(id))).toEqual(some.map(() => staying.store.head(id)))
      expect(new Set(some.map((replica) => serializeState(replica, log))).size).toBe(1)
      expect(some.map(({ store }) => store.readSecret(key.id))).toEqual(some.map(() => secret))
    }
    await alike(staying, updated)
    expect(staying.store.head(log).revision).toBe(before.revision + 4 * SNAPSHOT_ENTRIES)
    // a PDP that followed the one goes on with deltas of the other
    const { organization } = staying
    const feed = localFeed(updated, { environment: log, organization }).deltas(before)[Symbol.asyncIterator]()
    expect((await feed.next()).value).toMatchObject({
      delta: { previous: before.chain, from: before.revision },
    })
    await feed.return?.()
    // a snapshot of the one is confirmed by the other, and a third one begins with it
    const states = async (replica: ManagementData) => {
      await applyRetention(replica.store, {}, Date.now())
      const rows = await server.query<{ state: string }>(
        url,
        'SELECT s.state FROM zerohop.snapshots s JOIN zerohop.logs l USING (number) WHERE l.id = $1',
        [log],
      )
      return rows.map(({ state }) => state)
    }
    await eventually(() => states(updated), ['written'])
    await eventually(() => states(staying), ['confirmed'])
    // the update is taken back
    const back = await start()
    await write(back, 'e', 1)
    await alike(staying, updated, back)
    await stop(updated)
    await write(staying, 'f', 1)
    await alike(staying, back)
    expect(await server.query(url, 'SELECT format, readable_from FROM zerohop.meta')).toEqual([
      { format: NEWER, readable_from: DATABASE_FORMAT },
    ])
  })

  it.each([
    [
      'of a kind',
      WITHOUT_GROUPS,
      ({ store }: ManagementData, log: LogId) =>
        store.commit(log, 'createGroup', { group_instance_key: 'team', group_tenant: 'default' }, BY),
    ],
    [
      'with times',
      WITHOUT_TIMES,
      async ({ store }: ManagementData, log: LogId) => {
        await store.commit(log, 'createRole', { key: 'editor' }, BY)
        await store.commit(log, 'assign', { user: 'ida', role: 'editor', valid_until: 5 }, BY)
      },
    ],
  ])(
    'with objects %s that a version does not know take its replicas out of service, and are not passed over',
    async (_, canary, writeUnknown) => {
      url = await server.database()
      const older = await importOpen(await otherBuild(canary))
      const [here, behind] = [await start(), await start(true, older)]
      const log = development(here)
      const create = ({ store }: ManagementData, key: string) => store.commit(log, 'createUser', { key }, BY)
      await create(behind, 'ida')
      await here.store.confirm()
      expect(here.store.view(log).get('user', 'ida')).toBeDefined()
      await writeUnknown(here, log)
      await create(here, 'eve')
      const refused = {
        code: 'DATABASE_REFUSED',
        message: expect.stringContaining('a newer version wrote objects of kind `'),
      }
      await expect(behind.store.confirm()).rejects.toMatchObject(refused)
      await expect(create(behind, 'tom')).rejects.toMatchObject(refused)
      await eventually(() => behind.store.trouble?.code, 'DATABASE_REFUSED')
      expect(behind.store.view(log).get('user', 'eve')).toBeUndefined()
      await expect(start(true, older)).rejects.toMatchObject(refused)
      // the others go on
      await create(here, 'tom')
      expect(here.store.view(log).get('user', 'tom')).toBeDefined()
    },
  )
})
