// What a sync reads of each source: the same rows give the same facts, sorted, whatever database they come from, in
// whatever order and collation; and everything that a row may get wrong is said with its number.
import { chmodSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import Sqlite from 'libsql'
import { createConnection } from 'mysql2/promise'
import { afterAll, beforeAll, describe, expect, it, it as viTest } from 'vitest'
import { isZerohopError } from '../../src/model/errors.ts'
import { readSyncFile } from '../../src/sync/file/sync-file.ts'
import { type ReadRows, readSource } from '../../src/sync/read-source.ts'
import { RunMemory, Sorter } from '../../src/sync/sorter.ts'
import { CsvReader } from '../../src/sync/sources/csv.ts'
import { Inexact, readNumber } from '../../src/sync/sources/numbers.ts'
import { temporaryFolder } from '../support/folders.ts'
import { type MariaDb, startMariaDb, withoutMariaDb } from '../support/mariadb.ts'
import { connectTo, endPostgres, type Postgres, startPostgres } from '../support/postgres.ts'
import { listSqliteDrivers, nameDriver } from './sqlite.ts'

let folders = 0
const root = temporaryFolder('sync-rows')
const drivers = listSqliteDrivers(root)
let sqlite = drivers[0]!.open

interface Read {
  readonly variables?: Readonly<Record<string, string>>
  readonly runBytes?: number
}

async function read(text: string, { variables = {}, runBytes }: Read = {}): Promise<ReadRows & { texts: string[] }> {
  const { file, problems } = readSyncFile({ name: 'sync.yaml', text })
  if (file === undefined) throw new Error(problems.map(({ message }) => message).join('\n'))
  const temporary = join(root, `temporary-${++folders}`)
  mkdirSync(temporary)
  const options = { folder: root, temporary, variable: (name: string) => variables[name], sqlite, runBytes }
  const rows = await readSource(file, options)
  const texts = rows.sections.flatMap(({ lines }) =>
    [...lines()].map(({ identity, content }) => `${identity.replaceAll('\0', '|')} ${content}`),
  )
  return { ...rows, texts }
}

/** What is wrong, as the command prints it. */
async function listProblems(text: string, options?: Read): Promise<string[]> {
  const { problems } = await read(text, options)
  return problems.map(({ section, rows, message }) => `${section} ${rows.join(',')}: ${message}`)
}

const put = (name: string, ...lines: string[]) =>
  writeFileSync(join(root, name), lines.map((line) => `${line}\n`).join(''))
const ndjson = (section: string, name: string, more = '') =>
  `sync: 1\nsource: { ndjson: {} }\nowner: app\n${section}: { file: ${name}${more} }\n`

describe('bad rows', () => {
  const cases: Record<string, { section?: string; rows: object[]; more?: string; says: string[] }> = {
    'NULL in a key': { rows: [{ key: 'ana' }, { key: null }], says: ['users 2: `key` is NULL'] },
    'an empty key': { rows: [{ key: '' }], says: ['users 1: `key` is ``: it is empty'] },
    'a key with a slash': { rows: [{ key: 'a/b' }], says: ['users 1: `key` is `a/b`: a key has no such character'] },
    'a truth value as key': {
      rows: [{ key: true }],
      says: ['users 1: `key` is the boolean true: a key is a text or a whole number'],
    },
    'a column too many': {
      rows: [{ key: 'ana', emial: 'a@b.c' }],
      says: ['users : there is no field for the column `emial`: did you mean `email`?'],
    },
    'a column too few': { rows: [{ email: 'a@b.c' }], says: ['users : the column `key` is missing'] },
    'another column in a later row': {
      rows: [{ key: 'ana' }, { key: 'ben', email: 'b@b.c' }],
      says: ['users 2: every row needs the columns of the first one: `email` is only in one of them'],
    },
    'a suspension': {
      rows: [{ key: 'ana', suspension: null }],
      says: [
        'users : there is no field for the column `suspension`: choose from key, email, first_name, last_name, attributes.NAME',
      ],
    },
    'two rows that differ': {
      rows: [
        { key: 'ana', email: 'a@b.c' },
        { key: 'ben', email: null },
        { key: 'ana', email: 'x@b.c' },
      ],
      says: ['users 1,3: two rows differ, and both are about `ana`'],
    },
    'a time without a zone': {
      section: 'role_assignments',
      rows: [{ user: 'ana', role: 'editor', tenant: 'acme', valid_until: '2027-01-01T00:00:00' }],
      says: ['role_assignments 1: `valid_until` is the text `2027-01-01T00:00:00`: a time with a zone is wanted'],
    },
    'a time that does not exist': {
      section: 'role_assignments',
      rows: [{ user: 'ana', role: 'editor', tenant: 'acme', valid_until: '2027-02-30T00:00:00Z' }],
      says: ['role_assignments 1: `valid_until` is the text `2027-02-30T00:00:00Z`: there is no such time'],
    },
    'an instance without its type': {
      section: 'role_assignments',
      rows: [{ user: 'ana', role: 'editor', tenant: 'acme', resource_instance: 'plan' }],
      says: ['role_assignments 1: `resource_instance` is `plan`: an instance is `type:key`'],
    },
    'a tenant that is NULL': {
      section: 'role_assignments',
      rows: [{ user: 'ana', role: 'editor', tenant: null }],
      says: ['role_assignments 1: `tenant` is NULL'],
    },
    'a type of a column that is not there': {
      rows: [{ key: 'ana' }],
      more: ', types: { attributes.level: number }',
      says: ['users : `types` names the column `attributes.level`, which the result does not have'],
    },
    'a text that is no number': {
      rows: [{ key: 'ana', 'attributes.level': '1e3' }],
      more: ', types: { attributes.level: number }',
      says: ['users 1: `attributes.level` is the text `1e3`: a number that is kept exactly is wanted'],
    },
    'no rows': { rows: [], says: ['users : there are no rows: if that is right, add `may_be_empty: true`'] },
  }
  for (const [name, { section = 'users', rows, more, says }] of Object.entries(cases)) {
    it(`${name} is a problem`, async () => {
      put('bad.ndjson', ...rows.map((row) => JSON.stringify(row)))
      expect(await listProblems(ndjson(section, 'bad.ndjson', more))).toEqual(says)
    })
  }

  it('a number that would lose digits is refused, and one that does not is kept', async () => {
    put('numbers.ndjson', '{"key":"ana","attributes.n":9007199254740993}')
    await expect(read(ndjson('users', 'numbers.ndjson'))).rejects.toThrow(
      'line 1: the number 9007199254740993 cannot be kept exactly',
    )
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        if (Object.is(number, -0)) return
        expect(readNumber(number.toExponential())).toEqual(number)
      }),
      { seed: 1 },
    )
    expect(readNumber('0.10000000000000000001')).toBeInstanceOf(Inexact)
    expect(readNumber('9007199254740993')).toBe(9007199254740993n)
    expect(readNumber('1.500')).toBe(1.5)
  })

  it('the twentieth problem ends the reading', async () => {
    put('many.ndjson', ...Array.from({ length: 100 }, () => '{"key":null}'))
    expect(await listProblems(ndjson('users', 'many.ndjson'))).toHaveLength(20)
  })

  it('a row that is there twice is one fact', async () => {
    put('twice.ndjson', '{"key":"ana","email":null}', '{"email":null,"key":"ana"}')
    const { texts, sections } = await read(ndjson('users', 'twice.ndjson'))
    expect(texts).toEqual(['ana {"email":null}'])
    expect(sections[0]?.rows).toBe(2)
  })
})

describe('texts', () => {
  it('CSV is read as RFC 4180 has it, in pieces of any size', () => {
    const field = fc.option(fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', ' ', 'é') }))
    const table = fc.array(fc.array(field, { minLength: 2, maxLength: 2 }), { maxLength: 5 })
    const print = (text: string | null) => (text === null ? '' : `"${text.replaceAll('"', '""')}"`)
    fc.assert(
      fc.property(table, fc.integer({ min: 1, max: 7 }), fc.boolean(), (rows, size, isWindows) => {
        const text = rows.map((row) => row.map(print).join(',') + (isWindows ? '\r\n' : '\n')).join('')
        const reader = new CsvReader('x.csv')
        const found: (string | null)[][] = []
        for (let at = 0; at < text.length; at += size) found.push(...reader.add(text.slice(at, at + size)))
        found.push(...reader.end())
        expect(found).toEqual(rows)
      }),
      { seed: 2, numRuns: 200 },
    )
  })

  it.each([
    ['key,email\nana,"a', 'line 2: a quote is not closed'],
    ['key,email\nana,"a"b\n', 'line 2: a character after a closing quote'],
    ['key,email\nana,a"b\n', 'line 2: a quote in a field without quotes'],
    ['key,email\nana\n', 'row 1 has 1 fields, and the first line names 2'],
  ])('%j is refused', async (text, reason) => {
    writeFileSync(join(root, 'bad.csv'), text)
    await expect(read('sync: 1\nsource: { csv: {} }\nowner: app\nusers: { file: bad.csv }')).rejects.toThrow(reason)
  })

  it('a program is started without a shell, and what it prints counts only when it ends well', async () => {
    const file = (words: string[]) =>
      `sync: 1\nsource: { command: {} }\nowner: app\nusers: { command: ${JSON.stringify(words)} }`
    const script = (text: string) => [process.execPath, '-e', text, '$(id)']
    const { texts } = await read(file(script("console.log(JSON.stringify({ key: 'a', email: process.argv[1] }))")))
    expect(texts).toEqual(['a {"email":"$(id)"}'])
    const failing = `console.log('{"key":"a"}'); console.error('no rows today'); process.exitCode = 3`
    await expect(read(file(script(failing)))).rejects.toThrow('it ended with exit code 3: no rows today')
    await expect(read(file(['there-is-no-such-program']))).rejects.toThrow('ENOENT')
    await expect(read(file(script("console.log('[1]')")))).rejects.toThrow('line 1: it is not a JSON object')
  })

  it('bytes that are no UTF-8 are refused', async () => {
    writeFileSync(join(root, 'latin.ndjson'), Buffer.from([0x7b, 0xe9, 0x7d]))
    await expect(read(ndjson('users', 'latin.ndjson'))).rejects.toThrow('it is not UTF-8')
  })
})

it('lines that do not fit into one run are sorted in files that only their owner may read', () => {
  const lines = fc.sample(
    fc.string({ unit: fc.constantFrom('a', 'b', '-', '.', '\0', '\u0001', 'é'), maxLength: 30 }),
    {
      numRuns: 2_000,
      seed: 3,
    },
  )
  const folder = join(root, 'sorter')
  mkdirSync(folder)
  const sorter = new Sorter(folder, 'x', new RunMemory(8_000))
  for (const line of lines) sorter.add(line)
  expect([...sorter.sorted()]).toEqual([...lines].sort())
  const files = readdirSync(folder)
  expect(files.length).toBeGreaterThan(5)
  for (const file of files) expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600)
})

/** Keys that collations of databases order otherwise, and take for equal. */
const KEYS = ['ana', 'ana-b', 'Ana', 'ana_b', 'ana.b', 'ana@x', 'anab', 'Z', 'z', '10', '9', 'a+b']
const USERS = KEYS.map((key, at) => ({ key, department: at % 3 === 0 ? null : `dé "${at}"`, level: at }))
const EXPECTED = USERS.map(
  ({ key, department, level }) => `${key} {"attributes":{"department":${JSON.stringify(department)},"level":${level}}}`,
).sort()
const SHUFFLED = [...USERS].reverse()
const QUERY = `SELECT id AS key, department AS "attributes.department", level AS "attributes.level" FROM users`
const file = (source: string, query = QUERY) =>
  `sync: 1\nsource: { ${source} }\nowner: app\nusers: { query: ${JSON.stringify(query)} }`

describe.each(drivers.map((driver) => [nameDriver(driver), driver] as const))('SQLite by %s', (_, driver) => {
  const path = join(root, 'app.db')
  // the name says which driver is missing
  const it = viTest.skipIf(driver.missing)
  beforeAll(() => {
    sqlite = driver.open
    rmSync(path, { force: true })
    const database = new Sqlite(path)
    database.exec('CREATE TABLE users (id TEXT COLLATE NOCASE, department TEXT, level INTEGER, huge INTEGER, at TEXT)')
    const insert = database.prepare('INSERT INTO users VALUES (?, ?, ?, 9007199254740993, ?)')
    for (const { key, department, level } of SHUFFLED) insert.run([key, department, level, '2027-01-01'])
    database.close()
  })

  it('gives the same facts as the others', async () => {
    expect((await read(file('sqlite: { file: app.db }'))).texts).toEqual(EXPECTED)
    const ordered = await read(file('sqlite: { file: app.db }', `${QUERY} ORDER BY id DESC`), { runBytes: 500 })
    expect(ordered.texts).toEqual(EXPECTED)
  })

  it('an integer beyond 2^53 is a problem as an attribute, and exact as a key', async () => {
    const query = 'SELECT id AS key, huge AS "attributes.huge" FROM users LIMIT 1'
    expect(await listProblems(file('sqlite: { file: app.db }', query))).toEqual([
      'users 1: `attributes.huge` is the number 9007199254740993: it cannot be kept exactly',
    ])
    const { texts } = await read(file('sqlite: { file: app.db }', 'SELECT huge AS key FROM users'))
    expect(texts).toEqual(['9007199254740993 {}'])
  })

  it('a file that is not there, and a query that is wrong, are said', async () => {
    await expect(read(file('sqlite: { file: other.db }'))).rejects.toThrow('there is no file')
    await expect(read(file('sqlite: { file: app.db }', 'SELECT nothing FROM users'))).rejects.toThrow(
      'rows cannot be read from SQLite',
    )
    const writing = "UPDATE users SET department = 'x' RETURNING id AS key"
    await expect(read(file('sqlite: { file: app.db }', writing))).rejects.toThrow(/readonly|read-only|query_only/)
  })

  it('a file that nobody may read is said', async () => {
    chmodSync(path, 0o644)
    expect((await read(file('sqlite: { file: app.db }', 'SELECT id AS key FROM users WHERE 0'))).problems).toHaveLength(
      1,
    )
  })
})

describe('PostgreSQL', () => {
  let server: Postgres
  let url = ''
  beforeAll(async () => {
    server = await startPostgres({ password: 'secret-word' })
    url = await server.database()
    const client = await connectTo(url)
    await client.query(
      'CREATE TABLE users (id text, department text, level int, huge bigint, price numeric, data jsonb, ends timestamptz, local timestamp)',
    )
    for (const { key, department, level } of SHUFFLED)
      await client.query(
        `INSERT INTO users VALUES ($1, $2, $3, 9007199254740993, 1.10, '{"b":[1],"a":true}', '2027-01-01 00:00:00.1239+02', '2027-01-01')`,
        [key, department, level],
      )
    await client.end()
  })
  afterAll(() => endPostgres())
  const postgres = (query?: string, options: Read = {}) =>
    read(file('postgres: { url_env: APP_URL }', query), { variables: { APP_URL: url }, ...options })

  it('gives the same facts as the others', async () => {
    expect((await postgres()).texts).toEqual(EXPECTED)
    expect((await postgres(`${QUERY} ORDER BY id COLLATE "C" DESC;`, { runBytes: 500 })).texts).toEqual(EXPECTED)
  })

  it('values keep their types and digits', async () => {
    const query = `SELECT id AS key, level > 0 AS "attributes.b", price AS "attributes.p", data AS "attributes.d" FROM users WHERE id = 'ana'`
    expect((await postgres(query)).texts).toEqual(['ana {"attributes":{"b":false,"d":{"a":true,"b":[1]},"p":1.1}}'])
    const roles = (column: string) =>
      read(
        `sync: 1\nsource: { postgres: { url_env: APP_URL } }\nowner: app\nrole_assignments: { query: "SELECT id AS user, 'r' AS role, 't' AS tenant, ${column} AS valid_until FROM users WHERE id = 'ana'" }`,
        { variables: { APP_URL: url } },
      )
    expect((await roles('ends')).texts).toEqual(['ana|r|t| {"valid_until":"2026-12-31T22:00:00.123Z"}'])
    expect((await roles('local')).problems[0]?.message).toContain('a time with a zone is wanted')
    const huge = await postgres('SELECT id AS key, huge AS "attributes.h" FROM users LIMIT 1')
    expect(huge.problems[0]?.message).toContain('cannot be kept exactly')
  })

  it('all queries see one snapshot', async () => {
    const writer = await connectTo(url)
    // the second query runs after the write of another: by then the first one has begun the snapshot
    const slow = `SELECT id AS key, (SELECT NULL FROM pg_sleep(0.3))::text AS email FROM users WHERE id = 'ana'`
    const text = `sync: 1\nsource: { postgres: { url_env: APP_URL } }\nowner: app\nusers: { query: "${slow}" }\ntenants: { query: "SELECT id AS key FROM users WHERE id LIKE 'new%'", may_be_empty: true }`
    const reading = read(text, { variables: { APP_URL: url } })
    const asleep = () => writer.query("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'")
    while ((await asleep()).rowCount === 0);
    await writer.query("INSERT INTO users (id) VALUES ('new')")
    expect((await reading).sections.map(({ facts }) => facts)).toEqual([1, 0])
    await writer.query("DELETE FROM users WHERE id = 'new'")
    await writer.end()
  })

  it('a server that goes away in the middle is an error without its address, and so is one that is not there', async () => {
    const reading = postgres('SELECT id AS key FROM users, pg_sleep(20)')
    const failed = expect(reading).rejects.toSatisfy(
      (error) =>
        isZerohopError(error, 'SYNC_SOURCE_FAILED') && !JSON.stringify([error, String(error)]).includes('secret-word'),
    )
    const killer = await connectTo(url)
    const kill = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'zerohop sync' AND wait_event = 'PgSleep'`
    while ((await killer.query(kill)).rowCount === 0);
    await killer.end()
    await failed
    const gone = url.replace(/:\d+\//, ':1/')
    await expect(read(file('postgres: { url_env: APP_URL }'), { variables: { APP_URL: gone } })).rejects.toSatisfy(
      (error) => isZerohopError(error, 'SYNC_SOURCE_FAILED') && !String(error).includes('secret-word'),
    )
    await expect(read(file('postgres: { url_env: APP_URL }'))).rejects.toThrow('`APP_URL` is not set')
  })
})

// without MariaDB, which not every machine has
describe.skipIf(withoutMariaDb())('MariaDB', () => {
  let server: MariaDb
  let url = ''
  beforeAll(async () => {
    server = await startMariaDb()
    url = `mysql://root:@127.0.0.1:${server.port}/test`
    const connection = await createConnection({ uri: url, multipleStatements: true })
    await connection.query(
      'CREATE TABLE users (id VARCHAR(20) COLLATE utf8mb4_unicode_ci, department VARCHAR(20), level INT, huge BIGINT, ends TIMESTAMP NULL, local DATETIME)',
    )
    const rows = SHUFFLED.map(({ key, department, level }) => [key, department, level])
    await connection.query('INSERT INTO users (id, department, level) VALUES ?', [rows])
    await connection.query(
      "SET time_zone = '+02:00'; UPDATE users SET huge = 9007199254740993, ends = '2027-01-01 00:00:00', local = '2027-01-01'",
    )
    await connection.end()
  })
  afterAll(() => server?.stop())
  const mysql = (query?: string) =>
    read(
      file(
        'mysql: { url_env: APP_URL }',
        query?.replaceAll('"', '`') ?? QUERY.replaceAll('"', '`').replace('key', '`key`'),
      ),
      {
        variables: { APP_URL: url },
        runBytes: 500,
      },
    )

  it('gives the same facts as the others', async () => {
    expect((await mysql()).texts).toEqual(EXPECTED)
  })

  it('an integer beyond 2^53 and a time without a zone are problems, and a time with one is that of UTC', async () => {
    const huge = await mysql('SELECT id AS "key", huge AS "attributes.h" FROM users LIMIT 1')
    expect(huge.problems[0]?.message).toContain('cannot be kept exactly')
    const roles = (column: string) =>
      read(
        `sync: 1\nsource: { mysql: { url_env: APP_URL } }\nowner: app\nrole_assignments: { query: "SELECT id AS user, 'r' AS role, 't' AS tenant, ${column} AS valid_until FROM users WHERE id = BINARY 'ana'" }`,
        { variables: { APP_URL: url } },
      )
    expect((await roles('ends')).texts).toEqual(['ana|r|t| {"valid_until":"2026-12-31T22:00:00.000Z"}'])
    expect((await roles('local')).problems[0]?.message).toContain('a time with a zone is wanted')
  })

  it('a query that is wrong is an error', async () => {
    await expect(mysql('SELECT nothing FROM users')).rejects.toSatisfy((error) =>
      isZerohopError(error, 'SYNC_SOURCE_FAILED'),
    )
  })
})

describe('the sync file', () => {
  const problems = (text: string) => readSyncFile({ name: 'sync.yaml', text }).problems.map(({ message }) => message)

  it.each([
    [
      'sync: 2\nsource: { csv: {} }\nowner: app\nusers: { file: a }',
      'the number 2 is not allowed here: did you mean `1`?',
    ],
    ['sync: 1\nsource: {}\nowner: app\nusers: { file: a }', 'exactly one source is needed'],
    ['sync: 1\nsource: { csv: {}, ndjson: {} }\nowner: app\nusers: { file: a }', 'exactly one source is needed'],
    [
      'sync: 1\nsource: { postgres: { url: "postgres://a:b@c" } }\nowner: app\nusers: { query: a }',
      '`url_env` is missing',
    ],
    ['sync: 1\nsource: { csv: {} }\nowner: hand\nusers: { file: a }', '`hand` is the name of another writer'],
    [
      'sync: 1\nsource: { csv: {} }\nowner: a/b\nusers: { file: a }',
      'a name has the characters a-z, A-Z, 0-9, _ and -',
    ],
    [
      'sync: 1\nsource: { csv: {} }\nowner: app',
      'nothing to read: add users, tenants, resource_instances, memberships, relationship_tuples, role_assignments',
    ],
    [
      'sync: 1\nsource: { csv: {} }\nowner: app\nusers: { query: a, file: b }',
      'a section of the source `csv` has `file`, and no `query`',
    ],
    ['sync: 1\nsource: { command: {} }\nowner: app\nusers: { command: [] }', '`command` is missing'],
    [
      'sync: 1\nsource: { command: {} }\nowner: app\nusers: { command: "rm -rf /" }',
      'expected a list, found `rm -rf /`',
    ],
    ['sync: 1\nsource: { csv: {} }\nowner: app\ntenants: { file: a, on_gone: suspend }', 'only users can be suspended'],
    [
      'sync: 1\nsource: { csv: {} }\nowner: app\nmemberships: { file: a, on_gone: keep }',
      'only users, tenants and instances have it',
    ],
    [
      'sync: 1\nsource: { csv: {} }\nowner: app\nusers: { file: a }\nmax_deletes: { percent: 101 }',
      'expected 0 to 100',
    ],
    ['sync: 1\nsource: { csv: {} }\nowner: app\nsource_id: x\nusers: { file: a }', 'expected 32 hex digits'],
  ])('%j is refused', (text, message) => {
    expect(problems(text)).toContain(message)
  })
})
