// A replica behind PgBouncer: it works where each connection has a session of its own, and says so where it has not.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, existsSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withoutRequest } from '../../src/log/change.ts'
import { type ManagementData, openManagementData } from '../../src/management/host/open.ts'
import { eventually } from '../support/eventually.ts'
import { memoryFolder, temporaryFolder } from '../support/folders.ts'
import { endPostgres, type Postgres, startPostgres, withoutPostgres } from '../support/postgres.ts'
import { account } from '../support/postgres-binaries.ts'
import { freePort } from '../support/server.ts'

/** Debian's package `pgbouncer`. */
const PROGRAM = process.env.PGBOUNCER ?? '/usr/sbin/pgbouncer'

function withoutPooler(): boolean {
  if (existsSync(PROGRAM)) return false
  process.stdout.write(`skipped: no PgBouncer: there is no ${PROGRAM}\n`)
  return true
}

const BY = withoutRequest('test')

// skipped where PgBouncer or the binaries of PostgreSQL are missing: the reason is printed
describe.skipIf(withoutPostgres() || withoutPooler())('a replica behind a pooler', () => {
  let server: Postgres
  const poolers: ChildProcess[] = []
  const open: ManagementData[] = []
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(async () => {
    for (const { store } of open) await store.close()
    for (const pooler of poolers) pooler.kill('SIGKILL')
    await endPostgres()
  })

  /** Returns the URL of a new database by way of a pooler. */
  async function startPooler(mode: 'session' | 'transaction'): Promise<string> {
    const [port, folder] = [await freePort(), memoryFolder('pgbouncer')]
    const database = await server.database()
    const settings = {
      listen_addr: '127.0.0.1',
      listen_port: port,
      unix_socket_dir: '',
      auth_type: 'any',
      pool_mode: mode,
      default_pool_size: 20,
      ignore_startup_parameters: 'extra_float_digits',
    }
    const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`)
    const file = join(folder, 'pgbouncer.ini')
    const target = `* = host=127.0.0.1 port=${server.port} user=postgres`
    writeFileSync(file, ['[databases]', target, '[pgbouncer]', ...lines, ''].join('\n'))
    for (const path of [folder, file]) chmodSync(path, 0o755)
    const pooler = spawn(PROGRAM, ['-q', file], { stdio: ['ignore', 'ignore', 'pipe'], ...account() })
    poolers.push(pooler)
    await eventually(async () => {
      const socket = connect(port, '127.0.0.1')
      const answers = await once(socket, 'connect').then(
        () => true,
        () => false,
      )
      socket.destroy()
      return answers
    }, true)
    return Object.assign(new URL(database), { port: String(port) }).href
  }

  async function openReplica(url: string, secretsKey: Uint8Array, listen = true): Promise<ManagementData> {
    const settings = { url, replica: randomUUID(), version: 'test', listen }
    const newId = () => randomBytes(16).toString('hex')
    const replica = { settings, secretsKey }
    const opened = await openManagementData({ data: temporaryFolder('cache'), newId, replica })
    open.push(opened)
    return opened
  }

  it('in session mode works, and hears of the others', async () => {
    const [url, secretsKey] = [await startPooler('session'), randomBytes(32)]
    const [one, other] = [await openReplica(url, secretsKey), await openReplica(url, secretsKey)]
    const environment = one.store.logs().find((log) => log !== one.organization)!
    await one.store.commit(environment, 'createUser', { key: 'ida' }, BY)
    await eventually(() => other.store.view(environment).get('user', 'ida')?.key, 'ida')
    await other.store.commit(environment, 'createUser', { key: 'eve' }, BY)
    await one.store.confirm()
    expect(one.store.view(environment).get('user', 'eve')).toBeDefined()
  })

  it.each([true, false])('in transaction mode does not start, and says what it needs (LISTEN: %s)', async (listen) => {
    const opening = openReplica(await startPooler('transaction'), randomBytes(32), listen)
    await expect(opening).rejects.toMatchObject({
      code: 'DATABASE_REFUSED',
      message: expect.stringContaining('set `pool_mode = session`, or connect to the server itself'),
    })
  })
})
