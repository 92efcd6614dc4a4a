// `zerohop sync watch --listen` beside a real PostgreSQL: a process of its own, an hour between two runs, and everything
// that must begin a run or end it before that hour is over.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { eventually } from '../support/eventually.ts'
import type { Postgres } from '../support/postgres.ts'
import { startCommand } from '../support/run-command.ts'
import type { Place } from './server.ts'

const NAME = 'zerohop sync watch'

export async function watchStory(server: Postgres, { url, key, folder, environment }: Place): Promise<void> {
  const [app, other] = [await server.database(), await server.database()]
  const database = new URL(app).pathname.slice(1)
  await server.query(app, 'CREATE TABLE users (id text)')
  const temporary = join(folder, 'watch-temporary')
  mkdirSync(temporary)
  const write = (name: string, query: string) =>
    writeFileSync(
      join(folder, name),
      `sync: 1\nsource: { postgres: { url_env: APP_URL } }\nowner: watched\nusers: { query: ${query} }\n`,
    )
  const env = { ZEROHOP_API: url, PDP_API_KEY: key, APP_URL: app, TMPDIR: temporary }
  const start = (file: string) => {
    const child = startCommand(['sync', 'watch', file, '--every', '1h', '--listen', 'users_changed'], env, folder)
    let output = ''
    child.stderr.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
    const ended = new Promise((resolve) => child.once('close', (code) => resolve(code)))
    const end = () => {
      child.kill('SIGTERM')
      return ended
    }
    return { output: () => output, end }
  }
  const isThere = (user: string) =>
    eventually(async () => {
      const headers = { authorization: `Bearer ${key}` }
      return (await fetch(`${url}/v2/facts/default/${environment}/users/${user}`, { headers })).status
    }, 200)
  const listeners = async () =>
    (await server.query(other, 'SELECT pid FROM pg_stat_activity WHERE application_name = $1', [NAME])).length
  const cut = () =>
    server.query(other, 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1', [NAME])

  write('watch.yaml', 'SELECT id AS key FROM users')
  await server.query(app, "INSERT INTO users VALUES ('ana')")
  const watch = start('watch.yaml')
  await isThere('ana')
  await eventually(listeners, 1)
  await server.query(app, "INSERT INTO users VALUES ('ben'); NOTIFY users_changed")
  await isThere('ben')
  // what is notified while the database is away is not heard: the first connection after it counts as a notification
  await server.query(other, `ALTER DATABASE ${database} ALLOW_CONNECTIONS false`)
  await cut()
  await eventually(() => watch.output().includes('it is tried again'), true)
  await server.query(other, `ALTER DATABASE ${database} ALLOW_CONNECTIONS true`)
  await server.query(app, "INSERT INTO users VALUES ('cyd')")
  await isThere('cyd')
  expect(await watch.end()).toBe(0)
  await eventually(listeners, 0)

  // a query that does not answer holds up no end, and leaves nothing behind
  write('slow.yaml', `"SELECT pg_sleep(600)::text AS key"`)
  const slow = start('slow.yaml')
  const asking = () => server.query(other, "SELECT 1 FROM pg_stat_activity WHERE application_name = 'zerohop sync'")
  await eventually(async () => (await asking()).length, 1)
  expect(await slow.end()).toBe(0)
  expect(readdirSync(temporary)).toEqual([])
}
