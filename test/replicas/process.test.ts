// `zerohop api` as a replica: what it says when its database is away, and how it ends when the database lost something.
import { randomBytes } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../support/folders.ts'
import { endPostgres, startPostgres, withoutPostgres } from '../support/postgres.ts'
import { endServers, freePort, Server, url } from '../support/server.ts'
import { startProxy } from '../support/tcp-proxy.ts'

const KEY = 'an-organization-key'

// skipped where the binaries of PostgreSQL cannot run: the reason is printed
describe.skipIf(withoutPostgres())('zerohop api on a database', () => {
  afterAll(async () => {
    await endServers()
    await endPostgres()
  })

  it('needs the secrets key, and says so', async () => {
    const server = new Server('api', {
      ZEROHOP_DATA: temporaryFolder('replica'),
      ZEROHOP_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
    })
    await expect.poll(() => server.ended, { timeout: 30_000 }).toBe(true)
    expect(await server.end()).toBe(1)
    expect(server.output).toContain('ZEROHOP_DATABASE_URL needs ZEROHOP_SECRETS_KEY or ZEROHOP_SECRETS_KEY_FILE')
  })

  it('waits for a database that does not answer at the start: alive, and not ready', async () => {
    const postgres = await startPostgres()
    const database = await postgres.database()
    const proxy = await startProxy(Number(new URL(database).port))
    proxy.refuse()
    const port = await freePort()
    const env = {
      ZEROHOP_DATA: temporaryFolder('replica'),
      ZEROHOP_API_PORT: String(port),
      ZEROHOP_BOOTSTRAP_KEY: KEY,
      ZEROHOP_DATABASE_URL: proxy.through(database),
      ZEROHOP_SECRETS_KEY: randomBytes(32).toString('hex'),
    }
    const server = new Server('api', env, ['--no-example'])
    const ready = async () => {
      const answer = await fetch(`${url(port)}/ready`)
      return [answer.status, await answer.json()]
    }
    await server.until(async () => (await fetch(`${url(port)}/health`)).ok)
    expect(await ready()).toEqual([503, { status: 'unavailable', code: 'DATABASE_UNAVAILABLE' }])
    const projects = await fetch(`${url(port)}/v2/projects`)
    expect([projects.status, projects.headers.get('retry-after')]).toEqual([503, '1'])
    await proxy.accept()
    await server.until(async () => (await fetch(`${url(port)}/ready`)).ok)
    expect(await ready()).toEqual([200, { status: 'ok' }])
    expect(await server.end('SIGTERM')).toBe(0)
    proxy.close()
  })

  it('ends with 0 while it waits', async () => {
    const port = await freePort()
    const server = new Server('api', {
      ZEROHOP_DATA: temporaryFolder('replica'),
      ZEROHOP_API_PORT: String(port),
      ZEROHOP_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
      ZEROHOP_SECRETS_KEY: randomBytes(32).toString('hex'),
    })
    await server.until(async () => (await fetch(`${url(port)}/health`)).ok)
    expect(await server.end('SIGTERM')).toBe(0)
  })

  it('reports on its database, ends when that lost something, and folds what is left at the next start', async () => {
    const postgres = await startPostgres()
    const database = await postgres.database()
    const port = await freePort()
    const env = {
      ZEROHOP_DATA: temporaryFolder('replica'),
      ZEROHOP_API_PORT: String(port),
      ZEROHOP_BOOTSTRAP_KEY: KEY,
      ZEROHOP_DATABASE_URL: database,
      ZEROHOP_SECRETS_KEY: randomBytes(32).toString('hex'),
    }
    const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
    const users = `${url(port)}/v2/facts/default/development/users`
    const answers = async () => (await fetch(users, { headers })).ok
    const first = new Server('api', env, ['--no-example'])
    await first.until(answers)
    await postgres.kill()
    await first.until(async () => first.output.includes('the database does not answer'))
    await postgres.restart()
    await first.until(async () => first.output.includes('the database answers again'))
    await first.until(answers)
    const created = await fetch(users, { method: 'POST', headers, body: '{"key":"lost"}' })
    expect(created.status).toBe(200)
    await postgres.query(
      database,
      `DELETE FROM zerohop.entries e USING (SELECT number, max(revision) AS last FROM zerohop.entries GROUP BY number) l
      WHERE e.number = l.number AND e.revision = l.last AND e.revision > 1`,
    )
    await postgres.kill()
    await postgres.restart()
    await expect.poll(() => first.ended, { timeout: 30_000 }).toBe(true)
    expect(await first.end()).toBe(1)
    expect(first.output).toContain('"code":"HISTORY_LOST"')
    const second = new Server('api', env, ['--no-example'])
    await second.until(answers)
    expect(second.output).toContain('the replica rebuilt its state')
    expect((await fetch(`${users}/lost`, { headers })).status).toBe(404)
    expect(await second.end('SIGTERM')).toBe(0)
  })
})
