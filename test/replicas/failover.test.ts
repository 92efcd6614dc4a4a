// Failover of the database: nothing that was acknowledged is lost with a synchronous standby, and what an asynchronous
// one lost is reported. `npm run test:replicas -- --failover` runs it for longer.
import { writeSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { Database, Lane } from '../../src/store/postgres/database.ts'
import type { ServerIdentity } from '../../src/store/settings.ts'
import { endPostgres, startPostgres, withoutPostgres } from '../support/postgres.ts'
import { endServers } from '../support/server.ts'
import { startProxy } from '../support/tcp-proxy.ts'
import { isolate } from './consistency/isolation.ts'
import { loseHistory } from './consistency/lost-history.ts'
import { type RunResult, run } from './consistency/run.ts'

const { REPLICAS_SEED, REPLICAS_MS, REPLICAS_FAILOVER } = process.env
const SEED = Number(REPLICAS_SEED ?? 1)
const MS = Number(REPLICAS_MS ?? 3_000)
/** Starting, healing and comparing. */
const MORE_MS = 180_000

/** Not by way of the runner, which would keep it until the end. */
const print = (line: string): void => {
  if (REPLICAS_SEED !== undefined) writeSync(1, `${line}\n`)
}

function requireNone({ violations, summary, seconds }: RunResult, name: string): void {
  print(`${name}\n${summary}\n${seconds.toFixed(0)} s with seed ${SEED}\n`)
  expect(violations, summary).toEqual([])
}

// skipped where the binaries of PostgreSQL cannot run: the reason is printed
describe.skipIf(withoutPostgres())('a failover', () => {
  afterAll(async () => {
    await endServers()
    await endPostgres()
  })

  it('ends the connections to the server that was left behind, and a new process does not go back either', async () => {
    const primary = await startPostgres()
    const standby = await primary.standby()
    const proxy = await startProxy(primary.port)
    const settings = { url: proxy.through(primary.url) }
    const seen: ServerIdentity[] = []
    const database = new Database(settings, undefined, (server) => seen.push(server))
    const [first, second] = [new Lane(database, 'first'), new Lane(database, 'second')]
    const [left, other] = [await first.connection(), await second.connection()]
    await standby.promote()
    proxy.setTarget(standby.port)
    expect(await left.query('SELECT 1 AS one')).toEqual([{ one: 1 }])
    other.destroy()
    await second.connection()
    expect(left.isLost).toBe(true)
    await expect(left.query('SELECT 1')).rejects.toMatchObject({
      code: 'DATABASE_UNAVAILABLE',
      message: expect.stringContaining('another server was promoted to timeline 2'),
    })
    expect(seen.map(({ timeline }) => timeline)).toEqual([1, 2])
    proxy.setTarget(primary.port)
    const refused = { code: 'DATABASE_UNAVAILABLE', details: { reason: expect.stringContaining('is on timeline 1') } }
    await expect(first.connection()).rejects.toMatchObject(refused)
    await expect(new Lane(new Database(settings, seen.at(-1)), 'new').connection()).rejects.toMatchObject(refused)
    // a server of another cluster has timelines of its own
    const elsewhere = new Lane(new Database(settings, { system: 'another', timeline: 7 }), 'new')
    expect((await elsewhere.connection()).identity.timeline).toBe(1)
    for (const lane of [first, second, elsewhere]) lane.close()
    proxy.close()
  })

  it(
    'to a synchronous standby loses nothing that was acknowledged, and stays linearizable',
    async () => requireNone(await run({ seed: SEED, ms: MS, print, failovers: true }), 'synchronous'),
    MS + MORE_MS,
  )

  it(
    'to a standby that lags is reported by replicas and followers, which agree again',
    async () => requireNone(await loseHistory({ seed: SEED }), 'asynchronous'),
    MORE_MS,
  )

  // takes half a minute, which is spent waiting: only in the long run
  it.skipIf(REPLICAS_FAILOVER === undefined)(
    'leaves an old primary behind, which no replica believes for longer than promised',
    async () => requireNone(await isolate(), 'isolated'),
    MORE_MS,
  )
})
