// Which servers a replica works with, and what it makes of tables that are not its own.
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { ZerohopError } from '../../src/model/errors.ts'
import { eventually } from '../support/eventually.ts'
import { connectTo, endPostgres, type Postgres, startPostgres, withoutPostgres } from '../support/postgres.ts'
import { BY, closeReplicas, development, openReplica } from '../support/replica-stores.ts'
import { startProxy } from '../support/tcp-proxy.ts'

/** `ok`, or the error. */
const outcome = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'ok',
    ({ code, message }: ZerohopError) => `${code}: ${message}`,
  )

// skipped where the binaries of PostgreSQL cannot run: the reason is printed
describe.skipIf(withoutPostgres())('a replica', () => {
  let server: Postgres
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterEach(closeReplicas)
  afterAll(endPostgres)

  it('asks no server of another cluster, and goes on when its own is back', async () => {
    const [other, proxy] = [await startPostgres({ isOther: true }), await startProxy(server.port)]
    onTestFinished(() => proxy.close())
    const url = await server.database()
    const replica = await openReplica(proxy.through(url))
    const { pathname } = new URL(url) // there is a database of the same name, without tables
    await other.query(other.url, `CREATE DATABASE ${pathname.slice(1)}`)
    proxy.setTarget(other.port)
    proxy.cut()
    const foreign = /^DATABASE_UNAVAILABLE: .*the server belongs to another cluster/
    await expect.poll(() => outcome(replica.store.confirm()), { timeout: 30_000 }).toMatch(foreign)
    const write = () => replica.store.commit(development(replica), 'createUser', { key: 'ida' }, BY)
    expect(await outcome(write())).toMatch(foreign)
    proxy.setTarget(server.port)
    proxy.cut()
    await eventually(() => outcome(replica.store.confirm()), 'ok')
    await write()
    const reached = Object.assign(new URL(other.url), { pathname }).href
    expect(await other.query(reached, "SELECT FROM pg_namespace WHERE nspname = 'zerohop'")).toEqual([])
  })

  it('serves no read when nothing that it writes is acknowledged, though it is answered', async () => {
    const url = await server.database()
    const replica = await openReplica(url)
    const holder = await connectTo(url)
    // reads go on, and signs of life wait: so it is with a primary whose standby is gone
    await holder.query('BEGIN; LOCK TABLE zerohop.replicas')
    const silent = 'no write of this replica was acknowledged for 5000 ms'
    await expect
      .poll(() => outcome(replica.store.confirm()), { timeout: 30_000 })
      .toMatch(new RegExp(`^DATABASE_UNAVAILABLE: .*${silent}`))
    await expect.poll(() => replica.store.trouble?.message ?? '', { timeout: 30_000 }).toContain(silent)
    expect(replica.store.view(development(replica)).get('user', 'ana')).toBeDefined()
    await holder.end()
    await eventually(() => outcome(replica.store.confirm()), 'ok')
    await eventually(() => replica.store.trouble?.code, undefined)
  })

  it.each([
    [
      'a table `meta` of another product',
      'CREATE TABLE zerohop.meta (name text)',
      'its table `zerohop.meta` is not ours',
    ],
    [
      'no row in `meta`',
      'CREATE TABLE zerohop.meta (format int, readable_from int)',
      'its table `zerohop.meta` is empty',
    ],
  ])('does not start with %s, and changes nothing', async (_, sql, message) => {
    const url = await server.database()
    await server.query(url, 'CREATE SCHEMA zerohop')
    await server.query(url, sql)
    expect(await outcome(openReplica(url))).toBe(`DATABASE_REFUSED: the database cannot be used: ${message}`)
    const tables = "SELECT relname FROM pg_class WHERE relnamespace = to_regnamespace('zerohop') AND relkind = 'r'"
    expect(await server.query(url, tables)).toEqual([{ relname: 'meta' }])
  })
})
