// The law of a sync: whatever is in the database and whatever people change by hand between, after a run each fact is
// there exactly if a row or a hand says so, and a second run has nothing to do. Held against a model, on random databases.
import { join } from 'node:path'
import fc from 'fast-check'
import Sqlite from 'libsql'
import { createConnection } from 'mysql2/promise'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parameters } from '../property/seed.ts'
import { temporaryFolder } from '../support/folders.ts'
import { type MariaDb, startMariaDb, withoutMariaDb } from '../support/mariadb.ts'
import { connectTo, endPostgres, type Postgres, startPostgres } from '../support/postgres.ts'
import { apiHere } from '../support/serve-here.ts'
import { endServers, freePort, readKeys, url } from '../support/server.ts'
import { runSync } from './server.ts'
import { listSqliteDrivers, nameDriver, type SqliteDriver } from './sqlite.ts'
import { watchStory } from './watch-story.ts'

const folder = temporaryFolder('sync-law')
const USERS = ['ana', 'ana-b', 'Ana', 'ben', 'z.z', '10']
const ROLES = ['editor', 'viewer']
const TENANTS = ['acme', 'acme-b']

let base = ''
let key = ''
let environments = 0
/** The key of a new environment with the schema of the law. */
async function newEnvironment(): Promise<{ key: string; place: string }> {
  const name = `law${++environments}`
  const made = await send('POST', '/v2/projects/default/envs', { key: name, name }, key)
  const { organization_id, project_id, id: environment_id } = made as Record<string, string>
  const of = { organization_id, project_id, environment_id, object_type: 'env', access_level: 'admin' }
  const { secret } = (await send('POST', '/v2/api-key', of, key)) as { secret: string }
  const roles = ROLES.map((one) => ({ key: one }))
  const tenants = TENANTS.map((one) => ({ key: one }))
  await send('POST', `/v2/projects/default/envs/${name}/apply`, { policy: { zerohop: 2, roles, tenants } }, secret)
  return { key: secret, place: name }
}

async function send(method: string, path: string, body: unknown, secret: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
  const response = await fetch(base + path, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (response.status >= 400 && response.status !== 404 && response.status !== 409)
    throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
  return response.status === 204 ? undefined : response.json()
}

beforeAll(async () => {
  const port = await freePort()
  await apiHere(join(folder, 'data'), port)
  base = url(port)
  key = readKeys(join(folder, 'data')).organization
})
afterAll(() => endServers())

interface Row {
  readonly department: string | null
}
/** What is in the database. */
interface Rows {
  users: Map<string, Row>
  /** `user role tenant` */
  roles: Set<string>
}

type Edit =
  | { readonly by: 'row'; readonly user: number; readonly department: string | null | undefined }
  | {
      readonly by: 'role row'
      readonly user: number
      readonly role: number
      readonly tenant: number
      readonly is: boolean
    }
  | { readonly by: 'hand'; readonly what: 'user' | 'field' | 'no user'; readonly user: number }
  | {
      readonly by: 'role by hand'
      readonly what: 'role' | 'no role'
      readonly user: number
      readonly role: number
      readonly tenant: number
    }
  | { readonly by: 'sync' }

const at = (list: readonly unknown[]) => fc.nat(list.length - 1)
const edit: fc.Arbitrary<Edit> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      by: fc.constant('row' as const),
      user: at(USERS),
      department: fc.constantFrom('x', 'y', null, undefined, undefined),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      by: fc.constant('role row' as const),
      user: at(USERS),
      role: at(ROLES),
      tenant: at(TENANTS),
      is: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      by: fc.constant('hand' as const),
      what: fc.constantFrom('user' as const, 'field' as const, 'no user' as const),
      user: at(USERS),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      by: fc.constant('role by hand' as const),
      what: fc.constantFrom('role' as const, 'no role' as const),
      user: at(USERS),
      role: at(ROLES),
      tenant: at(TENANTS),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ by: 'sync' as const }) },
)

/** A database of one kind, which holds the rows of the model. */
interface Source {
  readonly file: string
  readonly variables?: Readonly<Record<string, string>>
  /** undefined: what the command finds */
  readonly sqlite?: SqliteDriver['open']
  write(rows: Rows): Promise<void>
}

const FILE = (source: string, quote = '"') => `sync: 1
source: { ${source} }
owner: app
users: { query: 'SELECT id AS ${quote}key${quote}, department AS ${quote}attributes.department${quote} FROM users', may_be_empty: true }
role_assignments: { query: 'SELECT user_id AS ${quote}user${quote}, role, org AS tenant FROM members', may_be_empty: true }
`

const noRows = (): Rows => ({ users: new Map(), roles: new Set() })

async function hold(edits: readonly Edit[], source: Source, run = runSync): Promise<void> {
  const { key: secret, place } = await newEnvironment()
  const F = `/v2/facts/default/${place}`
  const rows = noRows()
  const facts = async () => {
    const users = (await send('GET', `${F}/users?per_page=100`, undefined, secret)) as { data: Stored[] }
    const roles = (await send('GET', `${F}/role_assignments?per_page=100`, undefined, secret)) as Given[]
    return {
      users: Object.fromEntries(
        users.data.map((one) => [one.key, [one.first_name, one.attributes.department ?? null]]),
      ),
      roles: roles.map((one) => `${one.user} ${one.role} ${one.tenant}`).sort(),
    }
  }
  const claims = async (kind: string) => {
    const response = await fetch(`${base}${F}/stream?kind=${kind}&claim=app`, {
      headers: { authorization: `Bearer ${secret}` },
    })
    return (await response.text()).trim().split('\n').length - 1
  }
  const sync = async () => {
    // what names a user who has no row has none of its roles in a database either, which has a foreign key there
    for (const role of rows.roles) if (!rows.users.has(role.split(' ')[0]!)) rows.roles.delete(role)
    await source.write(rows)
    const before = await facts()
    const handRoles = new Set(before.roles.filter((role) => byHand.has(role)))
    const how = { allowed: 1_000, variables: source.variables ?? {}, sqlite: source.sqlite }
    const where = { url: base, key: secret, folder, environment: place }
    const synced = await run(where, source.file, how)
    expect(synced.refusals).toEqual([])
    expect(synced.written?.problems.filter(({ op }) => op === 'put') ?? []).toEqual([])
    const after = await facts()
    const roles = new Set([...rows.roles, ...handRoles])
    expect(after.roles).toEqual([...roles].sort())
    for (const [user, { department }] of rows.users) expect(after.users[user]?.[1], user).toBe(department)
    for (const user of handUsers) expect(after.users[user], user).toBeDefined()
    for (const [user, [name]] of Object.entries(after.users)) {
      const reason =
        rows.users.has(user) ||
        handUsers.has(user) ||
        [...handRoles].some((one) => one.startsWith(`${user} `)) ||
        kept.has(user)
      if (!rows.users.has(user) && reason) kept.add(user)
      expect(reason, `${user} is there`).toBe(true)
      if (before.users[user] !== undefined) expect(name, `the name of ${user}`).toBe(before.users[user]![0])
    }
    expect([await claims('user'), await claims('role_assignment')]).toEqual([rows.users.size, rows.roles.size])
    expect((await run(where, source.file, how)).planned).toBe(0)
  }
  /** users whom somebody made by hand, and users who became of `hand` because roles of hand hung on them */
  const handUsers = new Set<string>()
  const kept = new Set<string>()
  const byHand = new Set<string>()
  for (const one of [...edits, { by: 'sync' as const }]) {
    if (one.by === 'sync') await sync()
    else if (one.by === 'row') {
      const user = USERS[one.user]!
      if (one.department === undefined) rows.users.delete(user)
      else rows.users.set(user, { department: one.department })
    } else if (one.by === 'role row') {
      const name = `${USERS[one.user]} ${ROLES[one.role]} ${TENANTS[one.tenant]}`
      if (one.is) rows.roles.add(name)
      else rows.roles.delete(name)
    } else if (one.by === 'hand') {
      const user = USERS[one.user]!
      if (one.what === 'user') {
        if ((await status('POST', `${F}/users`, { key: user }, secret)) < 300) handUsers.add(user)
      } else if (one.what === 'field')
        await send('PATCH', `${F}/users/${user}`, { first_name: 'By hand', attributes: { department: 'hand' } }, secret)
      else if (one.what === 'no user') {
        if ((await status('DELETE', `${F}/users/${user}`, undefined, secret)) < 300) {
          handUsers.delete(user)
          kept.delete(user)
          if (!(await exists(`${F}/users/${user}`, secret)))
            for (const role of byHand) if (role.startsWith(`${user} `)) byHand.delete(role)
        }
      }
    } else {
      const user = USERS[one.user]!
      const body = { user, role: ROLES[one.role], tenant: TENANTS[one.tenant] }
      const name = `${user} ${body.role} ${body.tenant}`
      const done = await status(one.what === 'role' ? 'POST' : 'DELETE', `${F}/role_assignments`, body, secret)
      if (one.what === 'role' && done < 300) byHand.add(name)
      if (one.what === 'no role' && done < 300) byHand.delete(name)
    }
  }
}

interface Stored {
  readonly key: string
  readonly first_name: string | null
  readonly attributes: { readonly department?: string }
}
interface Given {
  readonly user: string
  readonly role: string
  readonly tenant: string
}

async function status(method: string, path: string, body: unknown, secret: string): Promise<number> {
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
  const response = await fetch(base + path, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  await response.arrayBuffer()
  return response.status
}
const exists = async (path: string, secret: string) => (await status('GET', path, undefined, secret)) === 200

function openSqliteSource(name: string, sqlite: SqliteDriver['open']): Source {
  const place = join(folder, name)
  const database = new Sqlite(place)
  database.exec(
    'CREATE TABLE IF NOT EXISTS users (id TEXT COLLATE NOCASE, department TEXT); CREATE TABLE IF NOT EXISTS members (user_id TEXT, role TEXT, org TEXT)',
  )
  return {
    file: FILE(`sqlite: { file: ${place} }`),
    sqlite,
    async write({ users, roles }) {
      database.exec('DELETE FROM users; DELETE FROM members')
      // a row that is there twice is one fact
      for (const [id, { department }] of [...users, ...[...users].slice(0, 1)])
        database.prepare('INSERT INTO users VALUES (?, ?)').run([id, department])
      for (const role of roles) database.prepare('INSERT INTO members VALUES (?, ?, ?)').run(role.split(' '))
    },
  }
}

const edits = fc.array(edit, { minLength: 4, maxLength: 16 })

const drivers = listSqliteDrivers(folder)

describe('holds on', () => {
  for (const [at, driver] of drivers.entries()) {
    // the name says which driver is missing
    it.skipIf(driver.missing)(`SQLite by ${nameDriver(driver)}`, async () => {
      const source = openSqliteSource(`law-${at}.db`, driver.open)
      await fc.assert(
        fc.asyncProperty(edits, (all) => hold(all, source)),
        parameters(at === 0 ? 24 : 8),
      )
    })
  }

  describe('PostgreSQL', () => {
    let server: Postgres
    beforeAll(async () => {
      server = await startPostgres()
    })
    afterAll(endPostgres)

    it('as the others', async () => {
      const address = await server.database()
      const client = await connectTo(address)
      await client.query(
        'CREATE TABLE users (id text, department text); CREATE TABLE members (user_id text, role text, org text)',
      )
      const source: Source = {
        file: FILE('postgres: { url_env: APP_URL }'),
        variables: { APP_URL: address },
        async write({ users, roles }) {
          await client.query('TRUNCATE users, members')
          for (const [id, { department }] of users)
            await client.query('INSERT INTO users VALUES ($1, $2)', [id, department])
          for (const role of roles) await client.query('INSERT INTO members VALUES ($1, $2, $3)', role.split(' '))
        },
      }
      await fc.assert(
        fc.asyncProperty(edits, (all) => hold(all, source)),
        parameters(4),
      )
      await client.end()
    })

    it('also by a watch that it notifies, that loses it, and that is ended', async () => {
      const { key: secret, place } = await newEnvironment()
      await watchStory(server, { url: base, key: secret, folder, environment: place })
    })
  })

  // without MariaDB, which not every machine has
  it.skipIf(withoutMariaDb())('MariaDB', async () => {
    const server: MariaDb = await startMariaDb()
    const address = `mysql://root:@127.0.0.1:${server.port}/test`
    const client = await createConnection({ uri: address, multipleStatements: true })
    await client.query(
      'CREATE TABLE users (id VARCHAR(20) COLLATE utf8mb4_unicode_ci, department VARCHAR(20)); CREATE TABLE members (user_id VARCHAR(20), role VARCHAR(20), org VARCHAR(20))',
    )
    const source: Source = {
      file: FILE('mysql: { url_env: APP_URL }', '`'),
      variables: { APP_URL: address },
      async write({ users, roles }) {
        await client.query('TRUNCATE users; TRUNCATE members')
        for (const [id, { department }] of users)
          await client.query('INSERT INTO users VALUES (?, ?)', [id, department])
        for (const role of roles) await client.query('INSERT INTO members VALUES (?, ?, ?)', role.split(' '))
      },
    }
    await fc.assert(
      fc.asyncProperty(edits, (all) => hold(all, source)),
      parameters(4),
    )
    await client.end()
    await server.stop()
  })
})
