// A commit whose answer never comes. The replica finds out what happened before it answers; when it cannot find out in
// time, it answers with an error of its own.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { ManagementData } from '../../src/management/host/open.ts'
import { eventually } from '../support/eventually.ts'
import { COMMIT, COMMITTED, endPostgres, type Postgres, startPostgres, withoutPostgres } from '../support/postgres.ts'
import { BY, closeReplicas, development, errorCode, openReplica } from '../support/replica-stores.ts'
import { startProxy, type TcpProxy } from '../support/tcp-proxy.ts'

// skipped where the binaries of PostgreSQL cannot run: the reason is printed
describe.skipIf(withoutPostgres())('a replica whose commit is not answered', () => {
  let server: Postgres
  let url: string
  let proxy: TcpProxy
  /** reaches the database through the proxy */
  let replica: ManagementData
  let other: ManagementData
  let environment: string

  beforeAll(async () => {
    server = await startPostgres()
  })

  beforeEach(async () => {
    url = await server.database()
    proxy = await startProxy(server.port)
    other = await openReplica(url)
    replica = await openReplica(proxy.through(url))
    environment = development(other)
    await write(replica, 'first') // from now on it has a connection to write with
  })

  afterEach(async () => {
    await proxy.accept()
    await closeReplicas()
    proxy.close()
  })

  afterAll(endPostgres)

  const write = ({ store }: ManagementData, key: string) => store.commit(environment, 'createUser', { key }, BY)

  /** `ok`, or the code of the error. */
  const outcome = (work: Promise<unknown>): Promise<string> => work.then(() => 'ok', errorCode)

  /** Whether both replicas show the user; they never differ. */
  async function isThere(key: string): Promise<boolean> {
    for (const { store } of [replica, other]) await eventually(() => outcome(store.confirm()), 'ok')
    expect(replica.store.head(environment)).toEqual(other.store.head(environment))
    const [here, there] = [replica, other].map(({ store }) => store.view(environment).get('user', key) !== undefined)
    expect(here).toBe(there)
    return here === true
  }

  it('refuses the write when the commit never arrived', async () => {
    const cut = proxy.cutAt(COMMIT)
    expect(await outcome(write(replica, 'ida'))).toBe('DATABASE_UNAVAILABLE')
    await cut
    expect(await isThere('ida')).toBe(false)
    expect(await outcome(write(replica, 'ida'))).toBe('ok')
  })

  it('refuses nothing for the sake of a write that was never committed', async () => {
    const cut = proxy.cutAt(COMMIT)
    // one batch: the second finds the user that the first one creates
    const both = [outcome(write(replica, 'ida')), outcome(write(replica, 'ida'))]
    expect(await Promise.all(both)).toEqual(['DATABASE_UNAVAILABLE', 'DATABASE_UNAVAILABLE'])
    await cut
    expect(await isThere('ida')).toBe(false)
    const again = [outcome(write(replica, 'ida')), outcome(write(replica, 'ida'))]
    expect(await Promise.all(again)).toEqual(['ok', 'OBJECT_EXISTS'])
  })

  it('acknowledges the write when the commit is on record', async () => {
    const { revision } = replica.store.head(environment)
    const cut = proxy.cutAt(COMMIT, COMMITTED)
    expect(await write(replica, 'ida')).toMatchObject({ revision: revision + 1 })
    await cut
    expect(await isThere('ida')).toBe(true)
    expect(replica.store.head(environment).revision).toBe(revision + 1)
  })

  it('tells its own revision from that of another replica, which came first', async () => {
    proxy.refuse() // nobody can be asked for now
    const cut = proxy.cutAt(COMMIT)
    const refused = outcome(write(replica, 'ida'))
    await cut
    await write(other, 'eve')
    await proxy.accept()
    expect(await refused).toBe('DATABASE_UNAVAILABLE')
    expect([await isThere('ida'), await isThere('eve')]).toEqual([false, true])
  })

  it.each([
    ['never arrived', undefined, false],
    ['is on record', COMMITTED, true],
  ] as const)('says that nobody knows when the database stays away and the commit %s', async (_, answer, isWritten) => {
    proxy.refuse()
    const cut = proxy.cutAt(COMMIT, answer)
    const unknown = outcome(write(replica, 'ida'))
    await cut
    expect(await unknown).toBe('OUTCOME_UNKNOWN')
    await proxy.accept()
    expect(await isThere('ida')).toBe(isWritten)
  })

  it('tells the outcome also when it is being closed, and closes then', async () => {
    proxy.refuse()
    const cut = proxy.cutAt(COMMIT, COMMITTED)
    const written = outcome(write(replica, 'ida'))
    await cut
    let isClosed = false
    const closed = replica.store.close().then(() => {
      isClosed = true
    })
    expect(await outcome(write(replica, 'eve'))).toBe('CLOSED')
    expect(isClosed).toBe(false)
    await proxy.accept()
    expect(await written).toBe('ok')
    await closed
    await other.store.confirm()
    expect(other.store.view(environment).get('user', 'ida')).toBeDefined()
  })

  it('does not acknowledge what it finds before a standby has it', async () => {
    const waitForStandby = async (names: string) => {
      await server.query(url, `ALTER SYSTEM SET synchronous_standby_names = '${names}'`)
      await server.query(url, 'SELECT pg_reload_conf()')
      await eventually(
        () => server.query(url, 'SHOW synchronous_standby_names'),
        [{ synchronous_standby_names: names }],
      )
    }
    const { revision } = replica.store.head(environment)
    let answered: string | undefined
    await waitForStandby('away')
    const written = outcome(write(replica, 'ida')).then((got) => {
      answered = got
    })
    try {
      // who only looked would take it for durable: everybody can see it
      const visible = `SELECT FROM zerohop.entries JOIN zerohop.logs USING (number) WHERE id = $1 AND revision > $2`
      await eventually(async () => (await server.query(url, visible, [environment, revision])).length, 1)
      // its own commit waits for the standby, or for a sign of life that does
      const waiting = `SELECT FROM pg_stat_activity
        WHERE application_name = 'zerohop outcome' AND wait_event_type IN ('IPC', 'Lock')`
      await eventually(async () => (await server.query(url, waiting)).length > 0, true)
      expect(answered).toBeUndefined()
    } finally {
      await waitForStandby('')
    }
    await written
    expect(answered).toBe('ok')
    expect(await isThere('ida')).toBe(true)
  })
})
