// Several stores over one PostgreSQL, as so many replicas: what one acknowledged, every other one shows; what happens
// when two write the same, when the database goes away in the middle of a commit.
import { randomBytes } from 'node:crypto'
import { utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type ManagementData, openManagementData } from '../../src/management/host/open.ts'
import { hashSecret } from '../../src/management/objects/api-key.ts'
import type { ZerohopError } from '../../src/model/errors.ts'
import { DATABASE_TRUST_MS } from '../../src/model/limits.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folders.ts'
import { connectTo, endPostgres, type Postgres, startPostgres, withoutPostgres } from '../support/postgres.ts'
import {
  BY,
  closeReplica,
  closeReplicas,
  development,
  errorCode,
  openReplica,
  outcomes,
  type ReplicaOptions,
} from '../support/replica-stores.ts'
import { startProxy, type TcpProxy } from '../support/tcp-proxy.ts'

let server: Postgres
const proxies: TcpProxy[] = []

// skipped where the binaries of PostgreSQL cannot run: the reason is printed
describe.skipIf(withoutPostgres())('replicas', () => {
  beforeAll(async () => {
    server = await startPostgres()
  })

  afterEach(async () => {
    server.resume()
    for (const proxy of proxies.splice(0)) proxy.close()
    await closeReplicas()
  })

  afterAll(endPostgres)

  it('that start on an empty database together set it up once', async () => {
    const url = await server.database()
    const all = await Promise.all([1, 2, 3].map(() => openReplica(url)))
    expect(all.filter(({ isNew }) => isNew)).toHaveLength(1)
    expect(new Set(all.map(({ organization }) => organization)).size).toBe(1)
    const [{ n } = { n: 0 }] = await server.query<{ n: number }>(
      url,
      "SELECT count(*)::int AS n FROM zerohop.logs WHERE kind = 'control'",
    )
    expect(n).toBe(1)
  })

  it('take further organizations, which are at every replica', async () => {
    const url = await server.database()
    const [one, other] = [await openReplica(url), await openReplica(url)]
    const second = randomBytes(16).toString('hex')
    const bootstrap = { organization: 'second', noExample: true }
    await one.store.commit(second, 'bootstrap', bootstrap, BY)
    await other.store.confirm()
    expect(other.store.view(second).count('organization')).toBe(1)
    expect(other.store.logs().sort()).toEqual(one.store.logs().sort())
  })

  it('show what any of them acknowledged, and have the same chain', async () => {
    const url = await server.database()
    const [one, other] = [await openReplica(url), await openReplica(url)]
    const environment = development(one)
    for (let user = 0; user < 20; user++) {
      const [writer, reader] = user % 2 === 0 ? [one, other] : [other, one]
      await writer.store.commit(environment, 'createUser', { key: `user-${user}` }, BY)
      await reader.store.confirm()
      expect(reader.store.view(environment).get('user', `user-${user}`)).toBeDefined()
    }
    expect(one.store.head(environment)).toEqual(other.store.head(environment))
    // what a follower gets is the same too
    const entries = one.store.entries(environment, 0)
    expect(other.store.entries(environment, 0)).toEqual(entries)
    expect(entries.at(-1)?.chain).toBe(one.store.head(environment).chain)
  })

  it('hear of each other without being asked, with LISTEN and without', async () => {
    const url = await server.database()
    const [one, other, polling] = [
      await openReplica(url),
      await openReplica(url),
      await openReplica(url, { listen: false }),
    ]
    const environment = development(one)
    const { revision } = await one.store.commit(environment, 'createUser', { key: 'ida' }, BY)
    await other.store.waitBeyond(environment, revision - 1, AbortSignal.timeout(30_000))
    await polling.store.waitBeyond(environment, revision - 1, AbortSignal.timeout(30_000))
    expect(polling.store.view(environment).get('user', 'ida')).toBeDefined()
  })

  it('that write to the same log at once lose nothing and write nothing twice', async () => {
    const url = await server.database()
    const replicas = await Promise.all([1, 2, 3].map(() => openReplica(url)))
    const environment = development(replicas[0]!)
    const before = replicas[0]!.store.head(environment).revision
    const keys = Array.from({ length: 60 }, (_, at) => `user-${at}`)
    // each key is written by all three: one of them creates the user, the others are told that it exists
    const all = await outcomes(
      keys.flatMap((key) => replicas.map(({ store }) => store.commit(environment, 'createUser', { key }, BY))),
    )
    expect(all.filter((outcome) => outcome === 'ok')).toHaveLength(keys.length)
    expect(all.filter((outcome) => outcome === 'OBJECT_EXISTS')).toHaveLength(2 * keys.length)
    for (const { store } of replicas) {
      await store.confirm()
      expect(store.head(environment)).toEqual(replicas[0]!.store.head(environment))
      expect(store.head(environment).revision).toBe(before + keys.length)
    }
  })

  it('write to different logs at the same time, and several logs in one commit', async () => {
    const url = await server.database()
    const [one, other] = [await openReplica(url), await openReplica(url)]
    const { organization } = one
    await one.store.commit(organization, 'createProject', { key: 'shop', name: 'Shop' }, BY)
    const names = Array.from({ length: 6 }, (_, at) => `e${at}`)
    await Promise.all(
      names.map((key, at) =>
        (at % 2 === 0 ? one : other).store.commit(
          organization,
          'createEnvironment',
          { project: 'shop', environment: { key } },
          BY,
        ),
      ),
    )
    await Promise.all([one.store.confirm(), other.store.confirm()])
    const environments = names.map((name) => other.store.view(organization).require('environment', `shop/${name}`).id)
    await Promise.all(
      environments.flatMap((environment) =>
        [one, other].map(({ store }, at) => store.commit(environment, 'createUser', { key: `user-${at}` }, BY)),
      ),
    )
    for (const environment of environments) {
      await one.store.confirm()
      expect(one.store.view(environment).count('user')).toBe(2)
    }
  })

  it('keep no write waiting behind those that wait for another replica', async () => {
    const url = await server.database()
    const replica = await openReplica(url, { statementMs: 30_000 })
    const held = development(replica)
    const free = replica.store.view(replica.organization).require('environment', 'default/production').id
    const client = await connectTo(url)
    await client.query('BEGIN')
    await client.query('SELECT FROM zerohop.logs WHERE id = $1 FOR NO KEY UPDATE', [held])
    const waiting: Promise<unknown>[] = []
    let isDone = false
    for (let batch = 0; batch < 4; batch++) {
      waiting.push(replica.store.commit(held, 'createUser', { key: `held-${batch}` }, BY))
      await replica.store.confirm() // so that the next one is another batch
    }
    const all = Promise.all(waiting).then(() => {
      isDone = true
    })
    for (const key of ['one', 'two', 'three']) await replica.store.commit(free, 'createUser', { key }, BY)
    expect(isDone).toBe(false)
    await client.query('ROLLBACK')
    await client.end()
    await all
    expect(replica.store.view(held).count('user')).toBeGreaterThanOrEqual(waiting.length)
  })

  it('carry out a request with an idempotency key once, whoever gets it', async () => {
    const url = await server.database()
    const [one, other] = [await openReplica(url), await openReplica(url)]
    const environment = development(one)
    const once = { caller: 'a key', key: 'request-1', fingerprint: hashSecret('createUser ida') }
    const write = ({ store }: ManagementData, key: string, fingerprint = once.fingerprint) =>
      store.commit(environment, 'createUser', { key }, BY, { once: { ...once, fingerprint } })
    const first = await write(one, 'ida')
    const again = await Promise.all([write(one, 'ida'), write(other, 'ida'), write(one, 'ida')])
    for (const answer of again) expect(answer).toEqual(first)
    await expect(write(other, 'eve', hashSecret('createUser eve'))).rejects.toMatchObject({
      code: 'IDEMPOTENCY_MISMATCH',
    })
    expect(one.store.view(environment).get('user', 'eve')).toBeUndefined()
    expect(one.store.head(environment).revision).toBe(first.revision)
    // the answer may hold a secret: it is sealed
    const [row] = await server.query<{ answer: Buffer }>(url, 'SELECT answer FROM zerohop.idempotency')
    expect(row?.answer.includes('ida')).toBe(false)
  })

  it('show secrets that another one sealed, and forget those of deleted keys', async () => {
    const url = await server.database()
    const [one, other] = [await openReplica(url), await openReplica(url)]
    const { organization } = one
    const { result } = await one.store.commit(organization, 'createApiKey', { level: 'org', access: 'admin' }, BY)
    await other.store.confirm()
    expect(other.store.readSecret(result.key.id)).toBe(result.secret)
    await other.store.commit(organization, 'deleteApiKey', { ref: result.key.id }, BY)
    await one.store.confirm()
    expect(one.store.readSecret(result.key.id)).toBeUndefined()
  })

  it('know the tasks of each other, and report one whose replica died as failed', async () => {
    const url = await server.database()
    const [one, other] = [await openReplica(url), await openReplica(url)]
    const { organization } = one
    const environment = development(one)
    await one.store.tasks?.start('task-1', environment)
    expect(await other.store.tasks?.find('task-1')).toMatchObject({ environment, status: 'processing', result: null })
    const input = { source: environment, existing: null, fresh: { key: 'copy' }, overwrite: false, scope: null }
    await one.store.commit(organization, 'copyEnvironment', input, BY, { task: 'task-1' })
    expect(await other.store.tasks?.find('task-1')).toMatchObject({
      status: 'success',
      result: expect.stringContaining('copy'),
    })
    await one.store.tasks?.fail('task-1', '{}') // it has ended
    expect(await other.store.tasks?.find('task-1')).toMatchObject({ status: 'success' })
    await one.store.tasks?.start('task-2', environment)
    await closeReplica(one)
    await server.query(url, "UPDATE zerohop.replicas SET seen = seen - interval '1 hour'")
    expect(await other.store.tasks?.find('task-2')).toMatchObject({ status: 'failure', error: null })
    expect(await other.store.tasks?.find('task-3')).toBeUndefined()
  })

  it('fold everything anew in an empty folder, and only what is missing in their own', async () => {
    const url = await server.database()
    const data = temporaryFolder('cache')
    const first = await openReplica(url, { data })
    const environment = development(first)
    for (let at = 0; at < 30; at++) await first.store.commit(environment, 'createUser', { key: `user-${at}` }, BY)
    await closeReplica(first)
    const other = await openReplica(url)
    await other.store.commit(environment, 'createUser', { key: 'while-away' }, BY)
    const back = await openReplica(url, { data })
    expect(back.isNew).toBe(false)
    expect(back.store.view(environment).get('user', 'while-away')).toBeDefined()
    expect(back.store.head(environment)).toEqual(other.store.head(environment))
  })

  it('start also when the first fold takes longer than a heartbeat is trusted', async () => {
    const url = await server.database()
    await closeReplica(await openReplica(url))
    const holder = await connectTo(url)
    await holder.query('BEGIN; LOCK TABLE zerohop.entries')
    const starting = openReplica(url, { statementMs: 4 * DATABASE_TRUST_MS })
    await pause(DATABASE_TRUST_MS + 500)
    await holder.end()
    await (await starting).store.confirm()
  })

  it('answer DATABASE_UNAVAILABLE while the database is away, and go on when it is back', async () => {
    const url = await server.database()
    const replica = await openReplica(url)
    const environment = development(replica)
    await server.kill()
    const away = replica.store.commit(environment, 'createUser', { key: 'away' }, BY)
    await expect(away).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' })
    await expect(replica.store.confirm()).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' })
    // what is here can still be read
    expect(replica.store.view(environment).get('user', 'ana')).toBeDefined()
    await server.restart()
    await eventually(() => replica.store.confirm().then(() => 'confirmed', errorCode), 'confirmed')
    await replica.store.commit(environment, 'createUser', { key: 'back' }, BY)
    expect(replica.store.view(environment).get('user', 'away')).toBeUndefined()
    expect(replica.store.view(environment).get('user', 'back')).toBeDefined()
  })

  it('answer DATABASE_UNAVAILABLE when the database hangs', async () => {
    const url = await server.database()
    const replica = await openReplica(url)
    const environment = development(replica)
    server.pause()
    const asked = [replica.store.commit(environment, 'createUser', { key: 'away' }, BY), replica.store.confirm()]
    expect(await outcomes(asked)).toEqual(['DATABASE_UNAVAILABLE', 'DATABASE_UNAVAILABLE'])
    server.resume()
    await eventually(() => replica.store.confirm().then(() => 'confirmed', errorCode), 'confirmed')
    expect(replica.store.view(environment).get('user', 'away')).toBeUndefined()
  })

  it.each([
    ['before the commit arrives', 'request', 'DATABASE_UNAVAILABLE', false],
    ['before its answer arrives', 'reply', 'ok', true],
  ] as const)('find out what happened when the connection breaks %s', async (_, direction, outcome, isThere) => {
    const url = await server.database()
    const setUp = await openReplica(url)
    const environment = development(setUp)
    const proxy = await startProxy(server.port)
    proxies.push(proxy)
    const replica = await openReplica(proxy.through(url))
    // the write opens its transaction, and is held at the lock that this one has
    const holder = await setUp.store.commit(environment, 'createUser', { key: 'before' }, BY)
    expect(holder.revision).toBeGreaterThan(0)
    const found: string[] = []
    for (let bytes = 40; bytes < 2_000 && !found.includes(`${outcome} ${isThere}`); bytes += 120) {
      const key = `user-${direction}-${bytes}`
      proxy.cutAfterBytes(bytes, direction)
      const [got] = await outcomes([replica.store.commit(environment, 'createUser', { key }, BY)])
      await eventually(() => replica.store.confirm().then(() => 'confirmed', errorCode), 'confirmed')
      await setUp.store.confirm()
      const is = setUp.store.view(environment).get('user', key) !== undefined
      // what was acknowledged is there, and what was refused is not
      expect([key, got === 'ok']).toEqual([key, is])
      found.push(`${got} ${is}`)
    }
    expect(found).toContain(`${outcome} ${isThere}`)
  })

  it.each([
    ['another secrets key', 'CONFIG_INVALID', /seals secrets: all replicas need the same/],
    ['data of its own in the folder', 'CONFIG_INVALID', /holds data of its own/],
    ['a newer format', 'DATABASE_REFUSED', /format 99, which this version cannot read/],
    ['the schema of another product', 'DATABASE_REFUSED', /another table, `things`/],
    ['a database that does not exist', 'DATABASE_REFUSED', /does not exist/],
    ['no server', 'DATABASE_UNAVAILABLE', /ECONNREFUSED/],
  ] as const)('do not start with %s', async (name, code, message) => {
    let url = await server.database()
    let options: ReplicaOptions = {}
    if (name === 'another secrets key') {
      await closeReplica(await openReplica(url))
      options = { secretsKey: randomBytes(32) }
    }
    if (name === 'data of its own in the folder') {
      const data = temporaryFolder('own')
      const own = await openManagementData({ data, newId: () => randomBytes(16).toString('hex') })
      await own.store.close()
      options = { data }
    }
    if (name === 'a newer format') {
      await closeReplica(await openReplica(url))
      await server.query(url, 'UPDATE zerohop.meta SET format = 99, readable_from = 98')
    }
    if (name === 'the schema of another product')
      await server.query(url, 'CREATE SCHEMA zerohop CREATE TABLE things (id int)')
    if (name === 'a database that does not exist') url = url.replace(/[^/]+$/, 'nowhere')
    if (name === 'no server') {
      const proxy = await startProxy(server.port)
      url = proxy.through(url)
      proxy.close()
    }
    const failed = await openReplica(url, options).catch((error: ZerohopError) => error)
    expect(failed).toMatchObject({ code, message: expect.stringMatching(message) })
  })

  it('say that the database lost what they have, and fold what it still has at the next start', async () => {
    const url = await server.database()
    const data = temporaryFolder('cache')
    const replica = await openReplica(url, { data })
    const environment = development(replica)
    const kept = await replica.store.commit(environment, 'createUser', { key: 'kept' }, BY)
    await replica.store.commit(environment, 'createUser', { key: 'lost' }, BY)
    const lostHead = replica.store.head(environment)
    const lost = new Promise((resolve) => {
      replica.store.listen((event) => {
        if (event.event === 'trouble' && event.error?.code === 'HISTORY_LOST') resolve(event.error)
      })
    })
    // what a failover to a standby that lags does
    await server.query(
      url,
      'DELETE FROM zerohop.entries USING zerohop.logs WHERE logs.number = entries.number AND id = $1 AND revision > $2',
      [environment, kept.revision],
    )
    await server.kill()
    await server.restart()
    await lost
    expect(replica.store.trouble?.code).toBe('HISTORY_LOST')
    const write = replica.store.commit(environment, 'createUser', { key: 'more' }, BY)
    await expect(write).rejects.toMatchObject({ code: 'HISTORY_LOST' })
    await expect(replica.store.confirm()).rejects.toMatchObject({ code: 'HISTORY_LOST' })
    await closeReplica(replica)
    const back = await openReplica(url, { data })
    expect(back.store.historyLost?.code).toBe('HISTORY_LOST')
    // an entry of its own tells the history apart for PDPs that have what was lost
    expect(back.store.head(environment).revision).toBe(kept.revision + 1)
    expect(back.store.head(environment).chain).not.toBe(lostHead.chain)
    expect(back.store.history(environment, kept.revision + 2, 1)).toMatchObject([{ by: { operation: 'historyLost' } }])
    expect(back.store.view(environment).get('user', 'lost')).toBeUndefined()
    await back.store.commit(environment, 'createUser', { key: 'more' }, BY)
  })

  it('have a folder that is never opened without their database', async () => {
    const url = await server.database()
    const data = temporaryFolder('cache')
    await closeReplica(await openReplica(url, { data }))
    const alone = openManagementData({ data, newId: () => randomBytes(16).toString('hex') })
    await expect(alone).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(/cache of a replica/),
    })
    // and with another database the state is folded from that one
    const elsewhere = await openReplica(await server.database(), { data })
    expect(elsewhere.isNew).toBe(true)
  })

  it('throw a cache away that a machine left behind when it went down', async () => {
    const url = await server.database()
    const data = temporaryFolder('cache')
    const first = await openReplica(url, { data })
    const { organization } = first
    await closeReplica(first)
    // as it is after a power failure: the lock is still there, and the marker names another boot
    writeFileSync(join(data, 'replica-cache.json'), JSON.stringify({ boot: 'another boot' }))
    writeFileSync(join(data, 'zerohop.lock'), JSON.stringify({ pid: 1, started: '0', place: 'boot none', token: 'x' }))
    const longAgo = new Date(Date.now() - 3_600_000)
    utimesSync(join(data, 'zerohop.lock'), longAgo, longAgo)
    writeFileSync(join(data, 'data.mdb'), Buffer.alloc(4096))
    const back = await openReplica(url, { data })
    expect(back.organization).toBe(organization)
  })
})
