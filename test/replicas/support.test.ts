// The server and the network with which the tests of several replicas work do what they say.
import type pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { connectTo, endPostgres, type Postgres, startPostgres, withoutPostgres } from '../support/postgres.ts'
import { debianPostgres } from '../support/postgres-binaries.ts'
import { startProxy, type TcpProxy } from '../support/tcp-proxy.ts'

/** Longer than an answer takes, so that one that does not come is noticed. */
const SILENCE_MS = 150

let server: Postgres
let proxy: TcpProxy
const clients: pg.Client[] = []

/** A connected client; what ends its connection is in `errors`. */
async function connect(url: string): Promise<{ client: pg.Client; errors: string[] }> {
  const client = await connectTo(url)
  const errors: string[] = []
  client.on('error', (error) => errors.push(error.message))
  clients.push(client)
  return { client, errors }
}

const one = async (client: pg.Client) => (await client.query<{ one: number }>('SELECT 1 AS one')).rows[0]?.one

/** Whether the answer has come after a while. */
const comes = (answer: Promise<unknown>) =>
  Promise.race([answer.then(() => true), new Promise((resolve) => setTimeout(resolve, SILENCE_MS, false))])

const listRows = async (url: string) =>
  (await server.query<{ n: number }>(url, 'SELECT n FROM kept ORDER BY n')).map(({ n }) => n)

const backends = async (pid?: number) =>
  (await server.query(server.url, 'SELECT FROM pg_stat_activity WHERE pid = $1', [pid])).length

// skipped where the binaries of PostgreSQL cannot run: the reason is printed
describe.skipIf(withoutPostgres())('with a PostgreSQL server', () => {
  beforeAll(async () => {
    server = await startPostgres()
    proxy = await startProxy(server.port)
  })

  afterEach(async () => {
    proxy.resume()
    proxy.cut()
    await Promise.allSettled(clients.splice(0).map((client) => client.end()))
  })

  afterAll(async () => {
    proxy?.close()
    await endPostgres()
  })

  it('makes databases that are separate', async () => {
    const [first, second] = [await server.database(), await server.database()]
    await server.query(first, 'CREATE TABLE kept AS SELECT 1 AS n')
    expect(await listRows(first)).toEqual([1])
    await expect(listRows(second)).rejects.toThrow('relation "kept" does not exist')
  })

  it('keeps what is committed when it is killed, and nothing else', async () => {
    const url = await server.database()
    await server.query(url, 'CREATE TABLE kept AS SELECT 1 AS n')
    const { client, errors } = await connect(url)
    await client.query('BEGIN')
    await client.query('INSERT INTO kept VALUES (2)')
    await server.kill()
    await eventually(() => errors.length > 0, true)
    await expect(listRows(url)).rejects.toThrow('ECONNREFUSED')
    await server.restart()
    expect(await listRows(url)).toEqual([1])
    await server.restart()
    expect(await listRows(url)).toEqual([1])
  })

  it('answers nothing while it is paused, and everything afterwards', async () => {
    const { client } = await connect(server.url)
    server.pause()
    const answers = [one(client), server.query(server.url, 'SELECT 1 AS one')]
    expect(await comes(Promise.race(answers))).toBe(false)
    server.resume()
    expect(await Promise.all(answers)).toEqual([1, [{ one: 1 }]])
  })

  it('ends while it is paused', async () => {
    const other = await startPostgres()
    other.pause()
    await other.kill()
    expect(other.pid).toBeUndefined()
    await other.stop()
  })

  it('asks for the password, when it has one', async () => {
    const guarded = await startPostgres({ password: "it's 100 %", settings: { max_connections: '20' } })
    expect(await guarded.query(await guarded.database(), 'SHOW max_connections')).toEqual([{ max_connections: '20' }])
    await expect(guarded.query(guarded.urlWith('another'), 'SELECT 1')).rejects.toThrow(/password authentication/)
    await guarded.stop()
  })

  // skipped where Debian's package is not installed
  it.skipIf(debianPostgres() === undefined)('runs the binaries of Debian', async () => {
    const debian = await startPostgres({ binaries: debianPostgres()! })
    const [row] = await debian.query<{ server_version: string }>(debian.url, 'SHOW server_version')
    expect(row?.server_version).toMatch(/^15\./)
    await debian.stop()
  })

  describe('behind a proxy', () => {
    it('passes everything, and cuts connections', async () => {
      const { client, errors } = await connect(proxy.through(server.url))
      const text = 'x'.repeat(5_000_000)
      const { rows } = await client.query<{ text: string }>('SELECT $1 AS text', [text])
      expect(rows[0]?.text === text).toBe(true)
      expect(proxy.connections).toBe(1)
      proxy.cut()
      await eventually(() => errors, ['Connection terminated unexpectedly'])
      await eventually(() => proxy.connections, 0)
    })

    it('lets connections stand still, without an end', async () => {
      const { client, errors } = await connect(proxy.through(server.url))
      const [row] = (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows
      proxy.pause()
      const answer = one(client)
      expect(await comes(answer)).toBe(false)
      proxy.resume()
      expect(await answer).toBe(1)
      proxy.pause()
      await server.query(server.url, 'SELECT pg_terminate_backend($1)', [row?.pid])
      await eventually(() => backends(row?.pid), 0)
      expect([errors, proxy.connections]).toEqual([[], 1])
      proxy.resume()
      await eventually(() => errors[0], 'terminating connection due to administrator command')
    })

    it.each([
      ['replyOnly', 0],
      ['requestOnly', 1],
    ] as const)('lets one direction pass: %s', async (method, written) => {
      const url = await server.database()
      await server.query(url, 'CREATE TABLE kept (n int)')
      const { client } = await connect(proxy.through(url))
      proxy[method]()
      const answer = client.query('INSERT INTO kept VALUES (1)')
      expect(await comes(answer)).toBe(false)
      expect(await listRows(url)).toHaveLength(written)
      proxy.resume()
      await answer
      expect(await listRows(url)).toEqual([1])
    })

    it('loses the answer to a commit, which is kept', async () => {
      const url = await server.database()
      const { client } = await connect(proxy.through(url))
      proxy.cutAfterBytes(0, 'reply')
      await expect(client.query('CREATE TABLE kept AS SELECT 1 AS n')).rejects.toThrow('Connection terminated')
      expect(await listRows(url)).toEqual([1])
    })

    it('cuts a request in two', async () => {
      const url = await server.database()
      const { client } = await connect(proxy.through(url))
      proxy.cutAfterBytes(10, 'request')
      await expect(client.query('CREATE TABLE kept AS SELECT 1 AS n')).rejects.toThrow('Connection terminated')
      await expect(listRows(url)).rejects.toThrow('relation "kept" does not exist')
    })

    it('delays, refuses and turns to another server', async () => {
      const { client } = await connect(proxy.through(server.url))
      proxy.latency(50)
      const start = performance.now()
      expect(await one(client)).toBe(1)
      expect(performance.now() - start).toBeGreaterThan(99)
      proxy.latency(0)
      proxy.refuse()
      await expect(connect(proxy.through(server.url))).rejects.toThrow('ECONNREFUSED')
      expect(await one(client)).toBe(1)
      proxy.setTarget(1)
      await proxy.accept()
      await expect(connect(proxy.through(server.url))).rejects.toThrow(/Connection terminated|ECONNRESET/)
      proxy.setTarget(server.port)
      expect(await one((await connect(proxy.through(server.url))).client)).toBe(1)
    })
  })
})
