// `zerohop database`: a data folder moves into PostgreSQL and back, and nothing of it is other than before. Needs the
// build.
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { copyFileSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { exportData, importData, migrateDatabase, showStatus } from '../../src/cli/commands/database.ts'
import { readEnv } from '../../src/cli/configuration/env.ts'
import { RemoteFeed } from '../../src/client/http-feed.ts'
import { type LogId, withoutRequest } from '../../src/log/change.ts'
import { type ManagementData, openManagementData } from '../../src/management/host/open.ts'
import { buildSnapshot } from '../../src/management/snapshot/snapshot.ts'
import { toErrorLine } from '../../src/model/error-line.ts'
import type { ZerohopError } from '../../src/model/errors.ts'
import { Follower } from '../../src/pdp/follower.ts'
import type { Head } from '../../src/store/heads.ts'
import { forkAtHead } from '../../src/store/log.ts'
import { DATABASE_FORMAT } from '../../src/store/postgres/migrations.ts'
import { openTables } from '../../src/store/tables.ts'
import { verifyData } from '../../src/store/verify-data.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folders.ts'
import { connectTo, endPostgres, type Postgres, startPostgres, withoutPostgres } from '../support/postgres.ts'
import { type Ran, runCommand, startCommand } from '../support/run-command.ts'
import { endServers, url as formatUrl, freePort, readKeys, Server, startApi } from '../support/server.ts'

const BY = withoutRequest('test')
const SECRETS_KEY = randomBytes(32)
const DAY_MS = 86_400_000

let server: Postgres
const opened: ManagementData[] = []

interface Options {
  readonly data: string
  /** a replica over this database; without it the folder is the truth */
  readonly url?: string
  readonly key?: Uint8Array
}

async function open({ data, url, key = SECRETS_KEY }: Options): Promise<ManagementData> {
  const management = await openManagementData({
    data,
    newId: () => randomBytes(16).toString('hex'),
    ...(url === undefined
      ? {}
      : { replica: { settings: { url, replica: randomUUID(), version: 'test' }, secretsKey: key } }),
  })
  opened.push(management)
  return management
}

async function close(management: ManagementData): Promise<void> {
  opened.splice(opened.indexOf(management), 1)
  await management.store.close()
}

const makeEnv = (url: string, key: Uint8Array = SECRETS_KEY) => ({
  ZEROHOP_DATABASE_URL: url,
  ZEROHOP_SECRETS_KEY: Buffer.from(key).toString('hex'),
})

const spawned = (args: readonly string[], env: Record<string, string>) => runCommand(['database', ...args], env)

/** The same without a process, which takes most of the time. */
async function run([name, ...args]: readonly string[], env: Record<string, string>): Promise<Ran> {
  let out = ''
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    out += String(text)
    return true
  })
  const data = args.includes('--data') ? { ZEROHOP_DATA: args[args.indexOf('--data') + 1] } : {}
  const options = { again: args.includes('--again'), json: args.includes('--json') }
  try {
    const settings = readEnv({ ...env, ...data })
    if (name === 'import') await importData(settings, options)
    else if (name === 'export') await exportData(settings, options)
    else if (name === 'migrate') await migrateDatabase(settings, options.json)
    else await showStatus(settings, options.json)
    return { code: 0, out, err: '' }
  } catch (error) {
    return { code: 1, out, err: `zerohop: ${toErrorLine(error)}\n` }
  } finally {
    write.mockRestore()
  }
}

/** The contents of each log of a store: all that a PDP, a client or an operator could compare. */
function readContents({ store, organization }: ManagementData) {
  return store
    .logs()
    .toSorted()
    .map((log) => {
      const environments = [...store.view(organization).list('environment')].map(({ id }) => id)
      return {
        log,
        head: store.head(log),
        image: environments.includes(log) ? Buffer.from(buildSnapshot(store.view(log)).bytes).toString('base64') : '',
        imageBytes: environments.includes(log) ? store.imageBytes(log) : 0,
        users: [...store.view(log).list('user')].map(({ key }) => key),
        history: store.history(log, Number.MAX_SAFE_INTEGER, 1_000),
        entries: store.entries(log, (store.history(log, Number.MAX_SAFE_INTEGER, 1_000).at(-1)?.revision ?? 1) - 1),
        secrets: [...store.view(log).list('api_key')].map(({ id }) => store.readSecret(id)),
      }
    })
}

/** The heads of a folder that nobody has open. Of a kind without objects nothing is said. */
async function readHeads(folder: string): Promise<[LogId, Partial<Head>][]> {
  const tables = openTables(folder, 'read')
  const heads = tables.heads.all()
  await tables.root.close()
  return heads.map(([log, { counts, sums, image, leaving: _, ...head }]) => {
    const kinds = Object.entries(counts).filter(([, count]) => count > 0)
    const digests = kinds.map(([kind, count]) => [kind, count, sums[kind as keyof typeof sums]])
    return [log, { ...head, digests: digests.toSorted(), ...(kinds.length === 0 ? {} : { image }) }]
  })
}

/** The number that the next new log of a folder gets. */
async function nextLog(folder: string): Promise<number> {
  const tables = openTables(folder, 'read')
  const { next_log: next } = tables.totals.read()
  await tables.root.close()
  return next
}

const development = ({ store, organization }: ManagementData): LogId =>
  store.view(organization).require('environment', 'default/development').id

type Past = 'whole' | 'trimmed' | 'restored'

/** One folder of each kind, made when it is asked for first. */
const folders = new Map<Past, Promise<string>>()

/** A folder with gaps in the creation order, a deleted environment, and the past that is asked for. */
async function filledFolder(past: Past = 'whole'): Promise<string> {
  const made = folders.get(past) ?? makeFolder(past)
  folders.set(past, made)
  return copyFolder(await made)
}

function copyFolder(folder: string): string {
  const copy = temporaryFolder('embedded')
  for (const name of ['data.mdb', 'secrets.key', 'keys.json']) copyFileSync(join(folder, name), join(copy, name))
  return copy
}

async function makeFolder(past: Past): Promise<string> {
  const data = temporaryFolder('embedded')
  const management = await open({ data })
  const { store, organization } = management
  const environment = development(management)
  const gone = { project: 'default', environment: { key: 'gone' } }
  const { result } = await store.commit(organization, 'createEnvironment', gone, BY)
  await store.commit(organization, 'createApiKey', { level: 'org', access: 'admin' }, BY)
  const users = Array.from({ length: 12 }, (_, at) => `user-${at}`)
  for (const key of users) await store.commit(environment, 'createUser', { key, attributes: { key, 'ä\u0000': 1 } }, BY)
  for (const ref of ['user-3', 'user-7']) await store.commit(environment, 'deleteUser', { ref }, BY)
  await store.commit(environment, 'createUser', { key: 'user-3' }, BY)
  await store.commit(organization, 'deleteEnvironment', { ref: 'default/gone' }, BY)
  const [deltas, history] = past === 'trimmed' ? [4, 9] : [1_000, 1_000]
  const kept = (revisions: number) => ({ revisions, ms: DAY_MS })
  const retention = {
    now: Date.now(),
    deltas: kept(deltas),
    history: kept(history),
    deleted: [result.id],
    forgotten: [],
  }
  await store.maintain(retention)
  await close(management)
  if (past === 'restored') {
    const tables = openTables(data, 'write')
    tables.root.transactionSync(() => {
      for (const [log, head] of tables.heads.all())
        tables.heads.put(log, forkAtHead(tables, head, randomBytes(32).toString('hex')))
    })
    await tables.root.close()
  }
  return data
}

const codeAndMessage = (error: unknown): unknown => [(error as ZerohopError).code, (error as ZerohopError).message]

// skipped where the binaries of PostgreSQL cannot run: the reason is printed
describe.skipIf(withoutPostgres())('zerohop database', () => {
  beforeAll(async () => {
    server = await startPostgres()
  })

  afterEach(async () => {
    await Promise.all(opened.splice(0).map(({ store }) => store.close()))
    await endServers()
  })

  afterAll(endPostgres)

  it.each(['whole', 'trimmed', 'restored'] as const)(
    'import and export give back a folder that is %s',
    async (past) => {
      const url = await server.database()
      const command = past === 'whole' ? spawned : run
      const source = await filledFolder(past)
      const heads = await readHeads(source)
      expect(heads.some(([, { deltasFrom }]) => (deltasFrom ?? 1) > 1)).toBe(past !== 'whole')
      // what it holds is read from a copy, because nothing opens it afterwards
      const embedded = await open({ data: copyFolder(source) })
      const before = readContents(embedded)
      await close(embedded)

      expect(await command(['import', '--data', source, '--json'], makeEnv(url))).toMatchObject({
        code: 0,
        out: expect.stringMatching(/"logs": \d+,\n.*"to": "postgres:\/\/127\.0\.0\.1:\d+\/test_\d+"/s),
      })
      const cache = temporaryFolder('cache')
      const replica = await open({ data: cache, url })
      expect(readContents(replica)).toEqual(before)
      await close(replica)
      expect(await verifyData(cache)).toMatchObject({ damages: 0 })

      const back = temporaryFolder('back')
      expect(await command(['export', '--data', back], makeEnv(url))).toMatchObject({
        code: 0,
        out: expect.stringMatching(/^moved \d+ logs, \d+ entries, \d+ objects and \d+ secrets to /),
      })
      expect(await readHeads(back)).toEqual(heads)
      expect(await nextLog(back)).toBe(await nextLog(source))
      expect(await verifyData(back)).toMatchObject({ damages: 0 })
      const again = await open({ data: back })
      expect(readContents(again)).toEqual(before)
      // and its next log has a number of its own
      const { organization, store } = again
      await store.commit(organization, 'createEnvironment', { project: 'default', environment: { key: 'new' } }, BY)
    },
  )

  it('a replica that begins with a snapshot writes on, and others fold what came after it', async () => {
    const url = await server.database()
    expect(await run(['import', '--data', await filledFolder('trimmed')], makeEnv(url))).toMatchObject({
      code: 0,
    })
    const one = await open({ data: temporaryFolder('cache'), url })
    const environment = development(one)
    await one.store.commit(environment, 'createUser', { key: 'after' }, BY)
    await one.store.commit(environment, 'deleteUser', { ref: 'user-1' }, BY)
    const other = await open({ data: temporaryFolder('cache'), url })
    expect(readContents(other)).toEqual(readContents(one))
    expect(readContents(other).find(({ log }) => log === environment)?.users).toContain('after')
  })

  it('a folder that was moved, and a database that was moved, refuse to start', async () => {
    const url = await server.database()
    const source = await filledFolder()
    expect(await run(['import', '--data', source], makeEnv(url))).toMatchObject({ code: 0 })
    const shown = url.replace('postgres@', '')
    await expect(open({ data: source }).catch(codeAndMessage)).resolves.toEqual([
      'CONFIG_INVALID',
      expect.stringContaining(`was moved to ${shown}`),
    ])
    expect(await run(['import', '--data', source], makeEnv(await server.database()))).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^zerohop: the data of the folder .* was moved to postgres:.*\n$/),
    })
    const back = temporaryFolder('back')
    expect(await run(['export', '--data', back], makeEnv(url))).toMatchObject({ code: 0 })
    await expect(open({ data: temporaryFolder('cache'), url }).catch(codeAndMessage)).resolves.toEqual([
      'DATABASE_REFUSED',
      expect.stringContaining(`its data was moved to \`${back}\``),
    ])
    expect(await run(['status'], makeEnv(url))).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('moved to'),
    })
    const late = server.query(
      url,
      "INSERT INTO zerohop.entries VALUES (1, 999, '', gen_random_uuid(), pg_current_xact_id(), 0, 200, '', '')",
    )
    await expect(late).rejects.toThrow('the data of this database was moved elsewhere')
  })

  it('an import that is killed leaves the folder as it was, and a database that only --again completes', async () => {
    const url = await server.database()
    const source = await filledFolder()
    const before = await readHeads(source)
    expect(await run(['migrate'], makeEnv(url))).toMatchObject({ code: 0 })
    // holds the import at its first snapshot, when the entries of a log are committed
    const holder = await connectTo(url)
    await holder.query('BEGIN; LOCK TABLE zerohop.snapshots')
    const child = startCommand(['database', 'import', '--data', source], makeEnv(url))
    const count = () => server.query<{ n: number }>(url, 'SELECT count(*)::int AS n FROM zerohop.entries')
    await eventually(async () => ((await count())[0]?.n ?? 0) > 0, true)
    child.kill('SIGKILL')
    await once(child, 'close')
    await holder.end()

    expect(await readHeads(source)).toEqual(before)
    expect(existsSync(join(source, 'moved.json'))).toBe(false)
    await expect(open({ data: temporaryFolder('cache'), url }).catch(codeAndMessage)).resolves.toEqual([
      'DATABASE_REFUSED',
      expect.stringContaining('its data is not complete: the import of'),
    ])
    expect(await run(['import', '--data', source], makeEnv(url))).toMatchObject({
      code: 1,
      err: expect.stringContaining('database import --again'),
    })
    const embedded = await open({ data: source })
    const contents = readContents(embedded)
    await close(embedded)
    expect(await run(['import', '--data', source, '--again'], makeEnv(url))).toMatchObject({ code: 0 })
    expect(readContents(await open({ data: temporaryFolder('cache'), url }))).toEqual(contents)
    // once more: there is nothing left to do
    expect(await run(['import', '--data', source, '--again'], makeEnv(url))).toMatchObject({
      code: 0,
      out: expect.stringContaining('nothing was left to do'),
    })
  })

  it('an export whose folder cannot be written leaves the database in use', async () => {
    const url = await server.database()
    expect(await run(['import', '--data', await filledFolder()], makeEnv(url))).toMatchObject({ code: 0 })
    const folder = temporaryFolder('full')
    const ran = await run(['export', '--data', folder], {
      ...makeEnv(url),
      ZEROHOP_SECRETS_KEY_FILE: join(folder, 'missing.key'),
    })
    expect(ran).toMatchObject({ code: 1, err: expect.stringContaining('missing.key` does not exist') })
    expect(readdirSync(folder)).toEqual([])
    const replica = await open({ data: temporaryFolder('cache'), url })
    await replica.store.commit(development(replica), 'createUser', { key: 'still-here' }, BY)
  })

  it.each([
    ['an import into a database that is not empty', /it is not empty: an import needs a database without data/],
    ['an import of a folder that is in use', /is in use by another process \(pid \d+\)/],
    ['an import whose secrets are sealed under another key', /sealed under another key: name its file in/],
    ['an import with another key than the database has', /ZEROHOP_SECRETS_KEY is not the key under which/],
    ['an import of a folder without data', /there is no data in/],
    ['an import of a cache', /is the cache of a replica/],
    ['an import without a key', /ZEROHOP_DATABASE_URL needs ZEROHOP_SECRETS_KEY or ZEROHOP_SECRETS_KEY_FILE/],
    ['an export into a folder that is not empty', /folder `.*` is not empty/],
    ['an export while a server runs', /a server uses it, replica [0-9a-f-]{36} \d+ s ago: stop all servers first/],
    ['an export of an empty database', /it has no data that could be exported/],
  ] as const)('%s is refused, and changes nothing', async (name, message) => {
    const url = await server.database()
    const data =
      name.includes('folder without') || name.includes('export') ? temporaryFolder('new') : await filledFolder()
    let env: Record<string, string> = makeEnv(url)
    if (name.includes('not empty') && name.includes('import'))
      await close(await open({ data: temporaryFolder('r'), url }))
    if (name.includes('folder that is in use')) await open({ data })
    if (name.includes('under another')) writeFileSync(join(data, 'secrets.key'), randomBytes(32))
    if (name.includes('than the database')) {
      await close(await open({ data: temporaryFolder('r'), url, key: randomBytes(32) }))
      await server.query(url, 'TRUNCATE zerohop.logs, zerohop.entries, zerohop.secrets')
    }
    if (name.includes('a cache')) {
      rmSync(data, { recursive: true })
      await close(await open({ data, url }))
    }
    if (name.includes('without a key')) env = { ZEROHOP_DATABASE_URL: url }
    if (name.includes('export into')) writeFileSync(join(data, 'mine.txt'), 'mine')
    if (name.includes('export into')) await close(await open({ data: temporaryFolder('r'), url }))
    if (name.includes('server runs')) await open({ data: temporaryFolder('r'), url })
    if (name.includes('empty database')) await run(['migrate'], env)
    const ran = await run([name.split(' ')[1]!, '--data', data], env)
    expect(ran).toMatchObject({ code: 1, out: '', err: expect.stringMatching(message) })
    expect(ran.err).toMatch(/^zerohop: .*\n$/)
    expect(existsSync(join(data, 'moved.json'))).toBe(false)
    const [{ move } = { move: null }] = await server
      .query<{ move: string | null }>(url, 'SELECT move FROM zerohop.meta')
      .catch(() => [])
    expect(move).toBeNull()
  })

  it('migrate and status say what there is', async () => {
    const url = await server.database()
    expect(await spawned(['status'], makeEnv(url))).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^zerohop: .*it has no tables of Zerohop: run `zerohop database migrate`\n$/),
    })
    expect(await spawned(['migrate'], makeEnv(url))).toMatchObject({
      code: 0,
      out: Array.from({ length: DATABASE_FORMAT }, (_, at) => `the tables have format ${at + 1} now\n`).join(''),
    })
    expect(await run(['migrate'], makeEnv(url))).toMatchObject({
      code: 0,
      out: `nothing to do: the tables have format ${DATABASE_FORMAT}\n`,
    })
    const replica = await open({ data: temporaryFolder('cache'), url })
    const { out, code } = await run(['status', '--json'], makeEnv(url))
    expect(code).toBe(0)
    const report = JSON.parse(out)
    expect(report).toMatchObject({ format: DATABASE_FORMAT, snapshots: 0, replicas: [{ version: 'test' }] })
    expect(report.listed.map(({ id, revision }: { id: string; revision: number }) => [id, revision])).toEqual(
      replica.store.logs().map((log) => [log, replica.store.head(log).revision]),
    )
    const shown = await spawned(['status'], makeEnv(url))
    expect(shown.out).toContain(`organization  ${replica.organization}  revision 1\n`)
    expect(shown.out).toMatch(/^replica {7}[0-9a-f-]{36} {2}version test, seen \d\.\d s ago$/m)
  })

  it('a PDP that follows the folder goes on with a replica, without a new image', async () => {
    const url = await server.database()
    const data = temporaryFolder('embedded')
    const port = await freePort()
    const api = await startApi(data, port)
    const { organization, environments } = readKeys(data)
    const createUser = async (key: string) => {
      const answer = await fetch(`${formatUrl(port)}/v2/facts/default/development/users`, {
        method: 'POST',
        headers: { authorization: `Bearer ${organization}`, 'content-type': 'application/json' },
        body: JSON.stringify({ key }),
      })
      return answer.status
    }
    const feed = new RemoteFeed({ url: formatUrl(port), apiKey: environments.development })
    let images = 0
    const counted = new Proxy(feed, {
      get: (target, name) => {
        if (name === 'image') images++
        const value = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    const follower = new Follower({ feed: counted })
    try {
      await follower.ready()
      expect(await createUser('before')).toBe(200)
      await eventually(() => follower.peek()?.revision, 2)
      await api.end()
      expect(await run(['import', '--data', data], makeEnv(url))).toMatchObject({ code: 0 })
      const replica = new Server(
        'api',
        { ...makeEnv(url), ZEROHOP_DATA: temporaryFolder('cache'), ZEROHOP_API_PORT: String(port) },
        ['--no-example'],
      )
      await replica.until(async () => (await createUser('after')) === 200)
      await eventually(() => follower.peek()?.revision, 3)
      expect(images).toBe(1)
    } finally {
      await follower.close()
    }
  })
})
