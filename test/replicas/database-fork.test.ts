// `zerohop database fork`: PDPs that have more than a database that was restored to an earlier point find out, although
// no replica is left that knows.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { migrateDatabase } from '../../src/cli/commands/database.ts'
import { readEnv } from '../../src/cli/configuration/env.ts'
import type { Position } from '../../src/log/change.ts'
import { localFeed } from '../../src/management/feed/local-feed.ts'
import { endPostgres, type Postgres, startPostgres, withoutPostgres } from '../support/postgres.ts'
import { BY, closeReplica, closeReplicas, development, openReplica, SECRETS_KEY } from '../support/replica-stores.ts'
import { SHORT_LIVED } from '../support/short-lived.ts'

const COMMAND = fileURLToPath(new URL('../../dist/bundle/zerohop.js', import.meta.url))

let server: Postgres

// skipped where the binaries of PostgreSQL cannot run: the reason is printed
describe.skipIf(withoutPostgres())('fork', () => {
  beforeAll(async () => {
    server = await startPostgres()
  })

  afterEach(closeReplicas)

  afterAll(endPostgres)

  it('gives each log another history than the one that was lost', async () => {
    const url = await server.database()
    const { environment, kept, lost } = await loseWrite(url)
    expect(fork(url, '--json')).toMatchObject({ status: 0, stdout: `${JSON.stringify({ logs: 3 }, null, 2)}\n` })
    const replica = await openReplica(url)
    const { store } = replica
    // a PDP refuses the image of a position that it has had before; this one is new to it
    expect(store.head(environment).revision).toBe(lost.revision)
    expect(store.head(environment).chain).not.toBe(lost.chain)
    expect(store.view(environment).get('user', 'kept')).toBeDefined()
    expect(store.view(environment).get('user', 'lost')).toBeUndefined()
    for (const log of store.logs())
      expect(store.history(log, Number.MAX_SAFE_INTEGER, 1)).toMatchObject([{ by: { operation: 'historyLost' } }])
    const feed = localFeed(replica, { environment, organization: replica.organization })
    const next = (after: Position) => feed.deltas(after)[Symbol.asyncIterator]().next()
    await expect(next(lost)).rejects.toMatchObject({ code: 'FEED_FORK' })
    // who has nothing of what was lost goes on
    expect(await next(kept)).toMatchObject({ value: { type: 'delta', delta: { previous: kept.chain } } })
  })

  it('reports what it did, while replicas run', async () => {
    const url = await server.database()
    const replica = await openReplica(url)
    const before = replica.store.head(development(replica)).revision
    const { status, stdout } = fork(url)
    expect(stdout).toContain('3 logs got a new entry')
    expect(status).toBe(0)
    await replica.store.confirm()
    expect(replica.store.head(development(replica)).revision).toBe(before + 1)
  })

  it('refuses a database without data, and leaves it empty', async () => {
    const url = await server.database()
    await migrateDatabase(readEnv(makeEnv(url)), true)
    const { status, stderr } = fork(url)
    expect(stderr).toMatch(/^zerohop: .*there is no data in postgres:/)
    expect(status).toBe(1)
    expect(await server.query(url, 'SELECT FROM zerohop.logs')).toHaveLength(0)
  })
})

const makeEnv = (url: string) => ({
  ZEROHOP_DATABASE_URL: url,
  ZEROHOP_SECRETS_KEY: Buffer.from(SECRETS_KEY).toString('hex'),
})

/** Runs the command in a process of its own. Needs the build. */
function fork(url: string, ...options: readonly string[]) {
  const { PATH = '', HOME = '' } = process.env
  const env = { PATH, HOME, ...makeEnv(url) }
  return spawnSync(process.execPath, [...SHORT_LIVED, COMMAND, 'database', 'fork', ...options], {
    env,
    encoding: 'utf8',
  })
}

/** A write that the database lost, as a restore does, and no replica that knows of it. */
async function loseWrite(url: string) {
  const replica = await openReplica(url)
  const environment = development(replica)
  await replica.store.commit(environment, 'createUser', { key: 'kept' }, BY)
  const kept = replica.store.head(environment)
  await replica.store.commit(environment, 'createUser', { key: 'lost' }, BY)
  const lost = replica.store.head(environment)
  await closeReplica(replica)
  await server.query(
    url,
    'DELETE FROM zerohop.entries USING zerohop.logs WHERE logs.number = entries.number AND id = $1 AND revision > $2',
    [environment, kept.revision],
  )
  return { environment, kept, lost }
}
