// `zerohop sync` as people and machines meet it: what it refuses, what it prints, and what a run that was killed leaves.
// Needs the build.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folders.ts'
import { runCommand, startCommand } from '../support/run-command.ts'
import { runHere } from '../support/run-here.ts'
import { apiHere } from '../support/serve-here.ts'
import { endServers, freePort, readKeys, url } from '../support/server.ts'

const folder = temporaryFolder('sync-cli')
const data = join(folder, 'data')
let api = ''
let key = ''
const temporary = join(folder, 'temporary')
const env = () => ({ ZEROHOP_API: api, PDP_API_KEY: key, TMPDIR: temporary })
const sync = (...args: string[]) => runHere(['sync', ...args], env(), folder)

async function ask(method: string, path: string, body?: unknown) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const response = await fetch(`${api}${path.replace('$F', '/v2/facts/default/development')}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: response.status === 204 ? undefined : await response.json() }
}
const count = async (what: string) =>
  (await ask('GET', `$F/${what}?per_page=1&include_total_count=true`)).body.total_count

/** Rows of a section, in the folder of the sync file. */
const put = (name: string, rows: readonly object[]) =>
  writeFileSync(join(folder, name), rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
const file = (name: string, text: string, owner = name) => {
  writeFileSync(join(folder, `${name}.yaml`), `sync: 1\nsource: { ndjson: {} }\nowner: ${owner}\n${text}\n`)
  return `${name}.yaml`
}
const users = (n: number, prefix = 'u') =>
  Array.from({ length: n }, (_, at) => ({ key: `${prefix}${at}`, email: null }))

beforeAll(async () => {
  mkdirSync(temporary)
  const port = await freePort()
  await apiHere(data, port)
  api = url(port)
  key = readKeys(data).environments.development!
  const policy = {
    zerohop: 2,
    resources: [{ key: 'doc', actions: { read: {} } }],
    roles: [{ key: 'reader', permissions: ['doc:read'] }, { key: 'leaver' }],
    tenants: [{ key: 'acme' }],
  }
  expect((await ask('POST', '/v2/projects/default/envs/development/apply', { policy })).status).toBe(200)
})
afterAll(() => endServers())

describe('plan and apply', () => {
  it('show what changes and who gains, write it, and have nothing to do then', async () => {
    put('app-users.ndjson', [
      { key: 'ana', email: 'ana@acme.test', 'attributes.team': 'x' },
      { key: 'ben', email: null, 'attributes.team': null },
    ])
    put('app-roles.ndjson', [{ user: 'ana', role: 'reader', tenant: 'acme' }])
    const name = file('app', 'users: { file: app-users.ndjson }\nrole_assignments: { file: app-roles.ndjson }')
    const plan = await sync('plan', name)
    expect([plan.code, plan.out]).toEqual([
      2,
      expect.stringContaining('users: 2 to create, 0 to change, 0 to delete; 0 held'),
    ])
    expect(plan.out).toContain('1 user gains access')
    expect((await ask('GET', '$F/users/ana')).status).toBe(404)
    const asked = await sync('apply', name)
    expect([asked.code, asked.err]).toEqual([64, expect.stringContaining('--yes')])
    const applied = await sync('apply', name, '--yes')
    expect([applied.code, applied.out]).toEqual([0, expect.stringContaining('Written in 2 revisions: 3 created')])
    expect((await ask('GET', '$F/users/ana')).body).toMatchObject({ email: 'ana@acme.test', attributes: { team: 'x' } })
    const again = await sync('apply', name, '--yes')
    expect([again.code, again.out]).toEqual([0, expect.stringContaining('Nothing would change.')])
    expect((await sync('plan', name)).code).toBe(0)
    const history = (await ask('GET', '/v2/history?per_page=20')).body.data as { reason: string; operation: string }[]
    const slices = history.filter(({ operation }) => operation === 'writeSyncSlice')
    expect(new Set(slices.map(({ reason }) => reason)).size).toBe(1)
    expect(slices[0]?.reason).toMatch(/^sync app, rows [0-9a-f]{12}$/)
  })

  it('leave alone what is not theirs, and put back what a hand changed of what is', async () => {
    await ask('PATCH', '$F/users/ana', { first_name: 'Ana', attributes: { team: 'hand', level: 3 } })
    await ask('POST', '$F/role_assignments', { user: 'ben', role: 'reader', tenant: 'acme' })
    await ask('POST', '$F/users', { key: 'zoe' })
    expect((await sync('apply', 'app.yaml', '--yes')).code).toBe(0)
    expect((await ask('GET', '$F/users/ana')).body).toMatchObject({
      first_name: 'Ana',
      attributes: { team: 'x', level: 3 },
    })
    expect([(await ask('GET', '$F/users/zoe')).status, await count('role_assignments')]).toEqual([200, 2])
  })

  it('a plan in a file is written only as it was made', async () => {
    const planned = () => sync('plan', 'app.yaml', '--out', 'plan.json')
    put('app-roles.ndjson', [
      { user: 'ana', role: 'reader', tenant: 'acme' },
      { user: 'ana', role: 'leaver', tenant: 'acme' },
    ])
    await planned()
    put('app-roles.ndjson', [
      { user: 'ana', role: 'reader', tenant: 'acme' },
      { user: 'ben', role: 'leaver', tenant: 'default' },
    ])
    const rows = await sync('apply', 'app.yaml', '--plan', 'plan.json')
    expect([rows.code, rows.err]).toEqual([1, expect.stringContaining('rows of the source changed')])
    await planned()
    await ask('PATCH', '$F/users/ana', { attributes: { team: 'again' } })
    const there = await sync('apply', 'app.yaml', '--plan', 'plan.json')
    expect([there.code, there.err]).toEqual([1, expect.stringContaining('the environment changed')])
    await planned()
    await ask('PATCH', '/v2/schema/default/development/roles/leaver', { permissions: ['doc:read'] })
    const access = await sync('apply', 'app.yaml', '--plan', 'plan.json')
    expect([access.code, access.err]).toEqual([1, expect.stringContaining('who gains and loses access by it changed')])
    await planned()
    const applied = await sync('apply', 'app.yaml', '--plan', 'plan.json')
    expect([applied.code, applied.out]).toEqual([0, expect.stringContaining('Written in')])
    const other = file('other', 'users: { file: app-users.ndjson }')
    expect((await sync('apply', other, '--plan', 'plan.json')).err).toContain('the plan is for sync `app`')
    expect((await sync('apply', 'app.yaml', '--plan', 'app.yaml')).err).toContain('is not JSON')
  })

  it('a role that is gone since the plan refuses its rows, writes the others and says so', async () => {
    const roles = ['reader', 'leaver'].map((role) => ({ user: 'ben', role, tenant: 'acme' }))
    put('app-roles.ndjson', [{ user: 'ana', role: 'reader', tenant: 'acme' }, ...roles])
    await ask('DELETE', '/v2/schema/default/development/roles/leaver')
    const ran = await sync('apply', 'app.yaml', '--yes', '--allow-deletes', '5')
    expect([ran.code, ran.out]).toEqual([1, expect.stringMatching(/role assignment \S+\/\S+\/\S+ is refused: /)])
    expect(ran.err).toContain('could not be written')
    expect((await sync('plan', 'app.yaml')).out).toContain('role_assignments: 1 to create')
    await ask('POST', '/v2/schema/default/development/roles', { key: 'leaver' })
    expect((await sync('apply', 'app.yaml', '--yes')).code).toBe(0)
  })
})

describe('guards', () => {
  it('refuse half of the facts gone, and take what is allowed', async () => {
    put('half.ndjson', users(10, 'h'))
    const name = file('half', 'users: { file: half.ndjson }')
    expect((await sync('apply', name, '--yes')).code).toBe(0)
    put('half.ndjson', users(5, 'h'))
    const ran = await sync('apply', name, '--yes')
    expect([ran.code, ran.err]).toEqual([
      1,
      expect.stringContaining(
        '5 facts of users would be deleted, of 10 that the sync holds: at most 1 may be, more with --allow-deletes 5',
      ),
    ])
    expect((await sync('plan', name)).err).toContain('apply would refuse it')
    expect((await ask('GET', '$F/users/h9')).status).toBe(200)
    expect((await sync('apply', name, '--yes', '--allow-deletes', '4')).code).toBe(1)
    expect((await sync('apply', name, '--yes', '--allow-deletes', '5')).code).toBe(0)
    expect((await ask('GET', '$F/users/h9')).status).toBe(404)
  })

  it('refuse a result without rows, which was a query that went wrong', async () => {
    put('half.ndjson', [])
    const ran = await sync('apply', 'half.yaml', '--yes', '--allow-deletes', '100')
    expect([ran.code, ran.err]).toEqual([1, expect.stringContaining('half.yaml: users: there are no rows')])
    expect((await ask('GET', '$F/users/h1')).status).toBe(200)
  })

  it('count what goes along with a user', async () => {
    put('with-users.ndjson', users(2, 'w'))
    put(
      'with-roles.ndjson',
      [0, 1].flatMap((n) => [
        { user: `w${n}`, role: 'reader', tenant: 'acme' },
        { user: `w${n}`, role: 'leaver', tenant: 'acme' },
      ]),
    )
    const text = 'users: { file: with-users.ndjson, on_gone: delete }'
    file('with', `${text}\nrole_assignments: { file: with-roles.ndjson }`)
    expect((await sync('apply', 'with.yaml', '--yes')).code).toBe(0)
    put('with-users.ndjson', users(1, 'w'))
    put('with-roles.ndjson', [
      { user: 'w0', role: 'reader', tenant: 'acme' },
      { user: 'w0', role: 'leaver', tenant: 'acme' },
    ])
    const ran = await sync('apply', 'with.yaml', '--yes')
    expect([ran.code, ran.err]).toEqual([
      1,
      expect.stringContaining('2 facts of role_assignments would be deleted, of 4'),
    ])
  })

  it('a user on whom roles of others hang stays and is listed', async () => {
    await ask('POST', '$F/role_assignments', { user: 'w1', role: 'reader', tenant: 'acme' })
    file('with', 'users: { file: with-users.ndjson }\nrole_assignments: { file: with-roles.ndjson }')
    const ran = await sync('apply', 'with.yaml', '--yes', '--allow-deletes', '10')
    expect([ran.code, ran.out]).toEqual([
      0,
      expect.stringContaining(
        'user w1 stays: 1 fact of others depends on it, such as role assignment w1/reader/acme of hand',
      ),
    ])
    expect((await ask('GET', '$F/users/w1')).status).toBe(200)
  })
})

describe('two of them', () => {
  it('two sources of one name are refused, and a name is free again once its sync is deleted', async () => {
    put('one.ndjson', users(1, 'one'))
    const first = file('one', 'users: { file: one.ndjson }')
    expect((await sync('apply', first, '--yes')).code).toBe(0)
    expect(readFileSync(join(folder, 'one.yaml.id'), 'utf8')).toMatch(/^[0-9a-f]{32}\n$/)
    put('two.ndjson', users(2, 'two'))
    const second = file('two', 'users: { file: two.ndjson }', 'one')
    const ran = await sync('apply', second, '--yes', '--allow-deletes', '9')
    expect([ran.code, ran.err]).toEqual([1, expect.stringContaining('sync `one` is bound to another source')])
    expect((await ask('DELETE', '$F/syncs/one')).status).toBe(204)
    expect((await sync('apply', second, '--yes', '--allow-deletes', '9')).code).toBe(0)
  })

  it('a run that another one holds is refused, and one that was killed is taken over', async () => {
    const [source, run] = ['a'.repeat(32), 'b'.repeat(32)]
    put('held.ndjson', users(1, 'held'))
    const name = file('held', `source_id: ${source}\nusers: { file: held.ndjson }`)
    await ask('POST', '$F/syncs/held/lease', { source, run })
    const ran = await sync('apply', name, '--yes')
    expect([ran.code, ran.err]).toEqual([1, expect.stringContaining('another run holds sync `held` until')])
    expect((await sync('apply', name, '--yes', '--take-over')).code).toBe(0)
    const late = await ask('POST', '$F/syncs/held/slices', { run, items: [{ op: 'drop', kind: 'user', key: 'held0' }] })
    expect([late.status, (await ask('GET', '$F/users/held0')).status]).toEqual([409, 200])
  })

  it('a run that is killed in the middle is finished by the next one, and leaves no rows in the temporary folder', async () => {
    put('many.ndjson', users(5_000, 'many'))
    const name = file('many', 'users: { file: many.ndjson }')
    const before = await count('users')
    const child = startCommand(['sync', 'apply', name, '--yes', '--force'], env(), folder)
    await eventually(async () => (await count('users')) > before, true)
    child.kill('SIGKILL')
    await new Promise((resolve) => child.once('close', resolve))
    const left = await count('users')
    expect(left).toBeLessThan(before + 5_000)
    expect(readdirSync(temporary)).toHaveLength(1)
    const ran = await runCommand(['sync', 'apply', name, '--yes', '--force', '--take-over'], env(), folder)
    expect([ran.code, await count('users')]).toEqual([0, before + 5_000])
    expect((await sync('plan', name)).code).toBe(0)
    expect(readdirSync(temporary)).toEqual([])
  })
})

describe('what it is asked', () => {
  it('rows that are wrong are said with their numbers, and nothing is asked of the server', async () => {
    put('bad.ndjson', [{ key: 'ok' }, { key: null }, { key: 'a/b' }])
    file('bad', 'users: { file: bad.ndjson }')
    const ran = await runHere(['sync', 'check', 'bad.yaml'], {}, folder)
    expect([ran.code, ran.err]).toEqual([
      1,
      'bad.yaml: users, row 2: `key` is NULL\nbad.yaml: users, row 3: `key` is `a/b`: a key has no such character\n',
    ])
    put('bad.ndjson', [{ key: 'ok' }])
    const checked = await runHere(['sync', 'check', 'bad.yaml', '--json'], {}, folder)
    expect(JSON.parse(checked.out)).toMatchObject({ owner: 'bad', sections: [{ section: 'users', rows: 1, facts: 1 }] })
  })

  it('the form of the file is judged as that of a policy', async () => {
    writeFileSync(join(folder, 'form.yaml'), 'sync: 1\nsource: { ndjson: {} }\nowner: x\nuser: { file: a }\n')
    const ran = await sync('plan', 'form.yaml')
    expect([ran.code, ran.err]).toEqual([
      1,
      expect.stringContaining('form.yaml:4:1: error: unknown field `user`: did you mean `users`?'),
    ])
    expect((await sync('plan', 'none.yaml')).err).toContain('`none.yaml` cannot be read: ENOENT')
  })

  it('a driver that is missing is named, and so is a variable', async () => {
    writeFileSync(
      join(folder, 'lite.yaml'),
      'sync: 1\nsource: { sqlite: { file: a.db } }\nowner: x\nusers: { query: SELECT 1 }\n',
    )
    const ran = await sync('check', 'lite.yaml')
    // Node 22 and newer have SQLite built in
    expect([ran.code, ran.err]).toEqual([1, expect.stringMatching(/npm install better-sqlite3|there is no file/)])
    writeFileSync(
      join(folder, 'pg.yaml'),
      'sync: 1\nsource: { postgres: { url_env: NOT_SET } }\nowner: x\nusers: { query: SELECT 1 }\n',
    )
    expect((await sync('check', 'pg.yaml')).err).toContain('`NOT_SET` is not set')
    const secret = { NOT_SET: 'postgres://someone:pass-word-1@127.0.0.1:1/app' }
    const away = await runHere(['sync', 'check', 'pg.yaml'], secret, folder)
    expect([away.code, away.err.includes('pass-word-1'), away.err.includes('ECONNREFUSED')]).toEqual([1, false, true])
  })
})

it('watch writes what changes until it is ended', async () => {
  put('live.ndjson', users(1, 'live'))
  const name = file('live', 'users: { file: live.ndjson }')
  const child = startCommand(['sync', 'watch', name, '--every', '1s'], env(), folder)
  await eventually(async () => (await ask('GET', '$F/users/live0')).status, 200)
  put('live.ndjson', users(2, 'live'))
  await eventually(async () => (await ask('GET', '$F/users/live1')).status, 200)
  child.kill('SIGTERM')
  expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0)
  expect((await sync('watch', name, '--every', 'x')).err).toContain('--every needs a time')
  expect((await sync('watch', name, '--listen', 'x')).err).toContain('--listen needs the source `postgres`')
})
