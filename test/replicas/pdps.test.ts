// The list of PDPs at two replicas: each lists those of both, with what a PDP reports to either of them.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { managementApp } from '../../src/http/apps/management-app.ts'
import { feedRoutes } from '../../src/http/management/routes/feed.ts'
import type { ManagementData } from '../../src/management/host/open.ts'
import { PdpRegistry } from '../../src/management/objects/pdp-registry.ts'
import type { PdpRead } from '../../src/management/schemas/pdps.ts'
import { Database } from '../../src/store/postgres/database.ts'
import { forgetOldPdps } from '../../src/store/postgres/pdps.ts'
import { eventually } from '../support/eventually.ts'
import { endPostgres, type Postgres, startPostgres, withoutPostgres } from '../support/postgres.ts'
import { closeReplicas, development, openReplica } from '../support/replica-stores.ts'

interface Replica {
  readonly management: ManagementData
  readonly url: string
  readonly close: () => Promise<void>
}

// skipped where the binaries of PostgreSQL cannot run: the reason is printed
describe.skipIf(withoutPostgres())('the list of PDPs at two replicas', () => {
  let postgres: Postgres
  let database: string
  let one: Replica
  let other: Replica
  let key: string

  const start = async (): Promise<Replica> => {
    const management = await openReplica(database)
    const { store, audit, snapshots } = management
    const pdps = new PdpRegistry({ now: () => Date.now(), shared: store.pdps, writeMs: 20 })
    const app = managementApp({ store, audit, routes: (guarded) => feedRoutes(guarded, { store, snapshots, pdps }) })
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    return { management, url, close: () => app.close() }
  }
  const authorization = () => ({ authorization: `Bearer ${key}` })
  const list = async ({ url }: Replica) => {
    const answer = await fetch(`${url}/v2/pdps/default/development`, { headers: authorization() })
    expect(answer.status).toBe(200)
    return ((await answer.json()) as { data: PdpRead[] }).data
  }
  const short = async (replica: Replica) =>
    (await list(replica)).map(({ name, api_version, connected, revision, revision_is }) => {
      expect(api_version).toBe(1)
      return [name, connected, revision, revision_is]
    })
  const follow = async ({ management, url }: Replica, instance: string) => {
    const { revision, chain } = management.store.head(development(management))
    const ending = new AbortController()
    onTestFinished(() => ending.abort())
    const headers = {
      ...authorization(),
      'x-pdp-instance': instance,
      'x-pdp-name': instance,
      'x-pdp-version': '1',
      'x-pdp-api-version': '1',
    }
    const path = `/v2/feed/default/development/deltas?after=${revision}&chain=${chain}`
    expect((await fetch(url + path, { headers, signal: ending.signal })).status).toBe(200)
    return () => ending.abort()
  }
  const report = async ({ url }: Replica, body: object) => {
    const headers = { ...authorization(), 'content-type': 'application/json' }
    const path = '/v2/feed/default/development/report'
    const { status } = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    expect(status).toBe(204)
  }

  beforeAll(async () => {
    postgres = await startPostgres()
    database = await postgres.database()
    one = await start()
    other = await start()
    const { store, organization } = one.management
    const [found] = store.view(organization).by('keys_of_environment', development(one.management))
    key = store.readSecret(found!.id)!
  })
  afterAll(async () => {
    await Promise.all([one.close(), other.close()])
    await closeReplicas()
    await endPostgres()
  })

  it('each lists those of both, and what was reported to the other one', async () => {
    const { revision } = one.management.store.head(development(one.management))
    const end = await follow(one, 'till-0001')
    await follow(other, 'till-0002')
    const second = ['till-0002', true, revision, 'sent']
    const sent = [['till-0001', true, revision, 'sent'], second]
    for (const replica of [one, other]) await eventually(() => short(replica), sent)
    await report(other, { instance: 'till-0001', revision: revision - 1 })
    const applied = [['till-0001', true, revision - 1, 'applied'], second]
    for (const replica of [one, other]) await eventually(() => short(replica), applied)
    // it closes, and says so to the replica that did not have its stream
    end()
    await report(other, { instance: 'till-0001', leaving: true })
    for (const replica of [one, other]) await eventually(() => short(replica), [second])
  })

  it('a PDP that moves to the other one stays connected, as the same', async () => {
    const end = await follow(one, 'till-0003')
    const find = async (replica: Replica) => (await list(replica)).find(({ name }) => name === 'till-0003')
    await eventually(async () => (await find(other))?.connected, true)
    const first = (await find(one))?.first_seen_at
    await follow(other, 'till-0003')
    end()
    for (const replica of [one, other]) await eventually(async () => (await find(replica))?.connected, true)
    const moved = Date.parse((await find(other))!.first_seen_at) - Date.parse(first!)
    expect(Math.abs(moved)).toBeLessThan(1_000) // clocks of the database and of the processes
  })

  it('those of a replica that is gone are not connected, and are forgotten', async () => {
    const gone = await start()
    await follow(gone, 'till-0004')
    const state = async () => (await list(one)).find(({ name }) => name === 'till-0004')?.connected
    await eventually(state, true)
    const [row] = await postgres.query<{ replica: string }>(
      database,
      "SELECT replica FROM zerohop.pdps WHERE instance = 'till-0004'",
    )
    // as if it was killed: its rows stay as they are
    await gone.management.store.close().catch(() => undefined)
    await postgres.query(
      database,
      `UPDATE zerohop.replicas SET seen = clock_timestamp() - interval '1 minute' WHERE id = '${row!.replica}'`,
    )
    await eventually(state, false)
    await gone.close()
    const old = "UPDATE zerohop.pdps SET at = clock_timestamp() - interval '3 hours' WHERE instance = 'till-0004'"
    await postgres.query(database, old)
    const connection = await new Database({ url: database }).open('test')
    await forgetOldPdps(connection)
    connection.destroy()
    await eventually(state, undefined)
  })
})
