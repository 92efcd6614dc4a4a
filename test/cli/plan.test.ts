// `zerohop plan`, `apply` and `diff` as people and pipelines meet them: exit codes, a plan in a file, a comment for a
// pull request. Needs the build.
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { temporaryFolder } from '../support/folders.ts'
import { COMMAND } from '../support/run-command.ts'
import { runHere } from '../support/run-here.ts'
import { apiHere } from '../support/serve-here.ts'
import { endServers, freePort, readKeys, url } from '../support/server.ts'
import { SHORT_LIVED } from '../support/short-lived.ts'

const folder = temporaryFolder('plan-cli')
const data = join(folder, 'data')
const file = join(folder, 'policy.yaml')
let api = ''
let key = ''

const POLICY = `zerohop: 2
resources:
  - key: doc
    actions: { read: {}, write: {} }
roles:
  - { key: reader, permissions: [doc:read] }
  - { key: writer, permissions: [doc:write], extends: [reader] }
`
const run = (...args: string[]) => runHere(args, { ZEROHOP_API: api, PDP_API_KEY: key })
const write = (text: string) => writeFileSync(file, text)

beforeAll(async () => {
  const port = await freePort()
  await apiHere(data, port)
  api = url(port)
  key = readKeys(data).environments.development!
  write(POLICY)
  const sent = JSON.stringify({ policy: parse(POLICY) })
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const at = `${api}/v2/projects/default/envs/development/apply`
  expect((await fetch(at, { method: 'POST', headers, body: sent })).status).toBe(200)
})
afterAll(() => endServers())

describe('a plan on the command line', () => {
  it('is refused with 64 for wrong usage, and where nobody can be asked', async () => {
    expect((await run('plan', '--bogus')).code).toBe(64)
    write(POLICY.replace('[doc:write]', '[doc:write], description: "writes"'))
    const asked = await run('apply', file)
    expect([asked.code, asked.err]).toEqual([64, expect.stringContaining('--yes')])
  })

  it('ends with 1 and the place of what is wrong in a file', async () => {
    const wrong = join(folder, 'wrong.yaml')
    writeFileSync(wrong, 'zerohop: 2\nroles: [{ kee: reader }]\n')
    const ran = await run('plan', wrong)
    expect([ran.code, ran.err]).toEqual([1, expect.stringContaining('wrong.yaml:2:')])
  })

  it('lets files refer to what the environment has, over HTTP and in a folder, unless pruning would delete it', async () => {
    const part = join(folder, 'part.yaml')
    const text = 'zerohop: 2\nroles:\n  - { key: chief, permissions: [doc:write], extends: [reader] }\n'
    writeFileSync(part, text)
    const local = { ZEROHOP_DATA: data }
    for (const planned of [await run('plan', part), await runHere(['plan', part], local)]) {
      expect(planned).toMatchObject({ code: 2, err: '' })
      expect(planned.out).toContain('+ role chief')
    }
    const unknown = `${part}:3:33: error: resource type \`doc\` does not exist\n`
    expect((await run('plan', part, '--prune')).err).toContain(unknown)
    writeFileSync(part, text.replace('[reader]', '[raeder]'))
    for (const refused of [await run('plan', part), await runHere(['plan', part], local)])
      expect(refused).toMatchObject({ code: 1, out: '', err: expect.stringContaining('role `raeder` does not exist') })
  })

  it('ends with 1 and the place of what only the server can refuse', async () => {
    const facts = join(folder, 'facts.yaml')
    write(POLICY)
    const refused = async (text: string, args: readonly string[], err: string) => {
      writeFileSync(facts, text)
      expect(await run(...args, file, facts)).toMatchObject({ code: 1, out: '', err })
    }
    const assigned = 'zerohop: 2\nrole_assignments:\n  - { user: nobody, role: reader, tenant: default }\n'
    const missing = `${facts}:3:13: error: user \`nobody\` does not exist\n`
    await refused(assigned, ['plan'], missing)
    await refused(assigned, ['plan', '--data', data], missing)
    await refused(assigned, ['apply', '--yes'], missing)
    const other = await run('plan', file, '--environment', 'nope')
    expect([other.code, other.err]).toEqual([1, expect.stringMatching(/^zerohop: .*nope/)])
  })

  it('says what changes, is applied from its file, and then there is nothing to change', async () => {
    const out = join(folder, 'plan.json')
    write(POLICY.replace('[doc:write]', '[doc:write], description: "writes"'))
    const planned = await run('plan', file, '--out', out)
    expect(planned.out).toContain('~ role writer\n    description: writes\n\n0 to create, 1 to change, 0 to delete\n')
    expect(planned.code, planned.err).toBe(2)
    const applied = await run('apply', out, '--yes')
    expect([applied.code, applied.err]).toEqual([0, ''])
    expect(applied.out).toMatch(/revision \d+\n$/)
    const again = await run('plan', file)
    expect([again.code, again.out]).toEqual([0, expect.stringContaining('Nothing would change.')])
    const late = await run('apply', out, '--yes')
    expect([late.code, late.err]).toEqual([1, expect.stringContaining('changed since the plan was made')])
  })

  it('names what is renamed, and counts no one as gaining or losing by that', async () => {
    write(
      `${POLICY.replaceAll(/reader|read/g, (name) => (name === 'read' ? 'view' : 'viewer'))}moved: [{ kind: action, from: doc/read, to: doc/view }, { kind: role, from: reader, to: viewer }]\n`,
    )
    const renamed = 'Renamed: action doc/read to doc/view. Checks that use the old name will be denied.'
    for (const form of [[], ['--markdown']]) {
      const { code, out, err } = await run('plan', file, ...form)
      expect([code, err]).toEqual([2, ''])
      expect(out).toContain(renamed)
      expect(out).toContain('2 rules unchanged except for names')
      expect(out).not.toContain('can doc:')
    }
  })

  it('needs no server for a folder: the server that has it is asked through its socket', async () => {
    write(
      POLICY.replace('[doc:write]', '[doc:write], description: "writes"').replace(
        '[doc:read]',
        '[doc:read], description: "reads"',
      ),
    )
    const ran = await runHere(['plan', file, '--data', data, '--json'])
    expect(ran.code, ran.err).toBe(2)
    expect(JSON.parse(ran.out).changes).toEqual([
      { op: 'update', kind: 'role', key: 'reader', fields: { description: [null, 'reads'] } },
    ])
  })

  it('deletes nothing that a linked folder has, and nothing while a link leads nowhere', async () => {
    const mount = join(folder, 'mount')
    for (const team of ['team-a', 'team-b']) mkdirSync(join(mount, '..2026', team), { recursive: true })
    writeFileSync(join(mount, '..2026/team-a/policy.yaml'), POLICY.replace(/\n {2}- \{ key: writer.*/, ''))
    writeFileSync(
      join(mount, '..2026/team-b/policy.yaml'),
      'zerohop: 2\nroles: [{ key: writer, permissions: [doc:write], extends: [reader] }]\n',
    )
    symlinkSync('..2026', join(mount, '..data'))
    for (const team of ['team-a', 'team-b']) symlinkSync(`..data/${team}`, join(mount, team))
    for (const target of [[], ['--data', data]]) {
      const ran = await run('plan', mount, '--prune', ...target)
      expect([ran.code, ran.out, ran.err]).toEqual([2, expect.stringContaining('1 to change, 0 to delete'), ''])
    }
    rmSync(join(mount, '..2026/team-b'), { recursive: true })
    for (const command of ['plan', 'apply']) {
      const ran = await run(command, mount, '--prune')
      expect([ran.code, ran.out]).toEqual([1, ''])
      expect(ran.err).toContain('mount/team-b` is a link that leads nowhere')
    }
  })

  it('is a comment for a pull request without keys of users', async () => {
    write(`${POLICY}users: [{ key: "ana_b" }]\n`)
    const hidden = await run('plan', file, '--markdown')
    expect(hidden.out).toContain('### Policy plan for')
    expect(hidden.out).toContain('| create | user | … |')
    expect(hidden.out).not.toContain('ana')
    expect((await run('plan', file, '--markdown', '--names')).out).toContain('ana\\_b')
  })

  it('deletes with --prune, deletions first', async () => {
    write(POLICY.replace(/ {2}- \{ key: writer.*\n/, '  - { key: author, permissions: [] }\n'))
    const ran = await run('plan', file, '--prune')
    expect(ran.out).toMatch(/- role writer[\s\S]*\+ role author/)
    expect(ran.out).toContain('1 to create, 0 to change, 1 to delete')
  })

  it('compares an environment with a file', async () => {
    write(POLICY.replace('[doc:write]', '[doc:write], description: "writes"'))
    const same = await run('diff', 'development', file, '--json')
    expect(same.code, same.err).toBe(0)
    expect(JSON.parse(same.out).changes).toEqual([])
    write(POLICY.replace('doc:write]', 'doc:write], description: "else"'))
    const ran = await run('diff', 'development', file)
    expect(ran.out).toContain('~ role writer\n    description: writes → else')
  })

  it('compares revisions, at a server and of a folder', async () => {
    const at = (await run('history', '--limit', '1', '--json')).out
    const { revision } = JSON.parse(at) as { revision: number }
    write(POLICY.replace('doc:write]', 'doc:write], description: "later"'))
    const applied = await run('apply', file, '--yes')
    expect(applied.code, applied.err).toBe(0)
    const changed = '~ role writer\n    description: writes → later\n'
    for (const where of [[], ['--data', data]]) {
      const ran = await run('diff', `@${revision}`, 'development', ...where)
      expect([ran.code, ran.err, ran.out]).toEqual([2, '', expect.stringContaining(changed)])
    }
    const between = await run('diff', `development@${revision}`, `default/development@${revision + 1}`)
    expect(between.out).toContain(changed)
    const since = await run('diff', `@${new Date().toISOString()}`, '@9999')
    expect([since.code, since.err]).toEqual([
      1,
      expect.stringMatching(
        /^zerohop: there is no file `@9999`, and as an environment: .*revision 9999 does not exist/,
      ),
    ])
    const old = join(folder, 'old.yaml')
    expect(await run('export', old, '--at', String(revision))).toMatchObject({ code: 0, err: '' })
    expect(readFileSync(old, 'utf8')).toContain('description: writes\n')
  })

  it('refuses a name that is neither a file nor an environment', async () => {
    const neither = await run('diff', 'nope', file)
    expect([neither.code, neither.err]).toEqual([
      1,
      expect.stringMatching(/^zerohop: there is no file `nope`, and as an environment: .*`nope` does not exist\n$/),
    ])
    const missing = await run('diff', 'nope.yaml', file)
    expect([missing.code, missing.err]).toEqual([1, 'zerohop: there is no file `nope.yaml`\n'])
  })
})

describe('a copy of an environment', () => {
  it('is shown, then made, and is nothing the second time; at a server with a key of the project, and of a folder', async () => {
    const org = { ZEROHOP_API: api, PDP_API_KEY: readKeys(data).organization! }
    const copy = (...args: string[]) => runHere(['copy', ...args], org)
    const dry = await copy('development', 'production', '--dry-run')
    expect([dry.code, dry.err]).toEqual([2, ''])
    expect(dry.out).toMatch(/^Copy of development into production\n\n[\s\S]*\+ role writer\n/)
    expect((await copy('development', 'production')).code).toBe(64)
    const made = await copy('development', 'production', '--yes')
    expect([made.code, made.err]).toEqual([0, ''])
    expect(made.out).toMatch(/Copied development into production \(\d+ to create, 0 to change, 0 to delete\)\n$/)
    expect(await copy('development', 'production', '--overwrite', '--yes')).toMatchObject({
      code: 0,
      out: expect.stringContaining('Nothing to copy: production already has the same policy\n'),
    })
    const ask = (environment: string, path: string, body: object) => {
      const headers = { authorization: `Bearer ${org.PDP_API_KEY}`, 'content-type': 'application/json' }
      const at = `${api}/v2/facts/default/${environment}/${path}`
      return fetch(at, { method: 'POST', headers, body: JSON.stringify(body) })
    }
    expect((await ask('development', 'tenants/default/roles', { key: 'clerk', name: 'Clerk' })).status).toBe(200)
    const own = await copy('development', 'production', '--overwrite', '--tenant-roles', '--yes')
    expect(own).toMatchObject({ code: 0, err: '' })
    expect(own.out).toContain('Roles of tenants:\n+ tenant role clerk@default\n    name: Clerk\n')
    expect(own.out).toMatch(/\(1 to create, 0 to change, 0 to delete\)\n$/)
    expect((await copy('development', 'production', '--yes')).err).toContain('already exists')
    const folder = ['--data', data]
    const fresh = await copy(
      'default/development',
      'staging',
      '--new',
      '--scope',
      '{"roles":{"include":["reader"]}}',
      ...folder,
    )
    expect(fresh.code).toBe(64)
    const scoped = ['--new', '--yes', '--json', '--scope', '{"roles":{"include":["reader"]}}']
    const staged = await copy('default/development', 'staging', ...scoped, ...folder)
    expect([staged.code, staged.err]).toEqual([0, ''])
    expect(await copy('staging', 'development', '--overwrite', '--dry-run', ...folder)).toMatchObject({ code: 0 })
    expect(await copy('development', 'staging', '--scope', '[]')).toMatchObject({
      code: 64,
      err: 'zerohop: --scope is not a JSON object: it is []\n',
    })
    expect(await run('copy', 'development', 'production', '--dry-run')).toMatchObject({
      code: 1,
      err: expect.stringContaining('it needs a key of the project or the organization'),
    })
  })
})

describe('export and import at a server', () => {
  it('writes an environment as files that own it: the plan is empty', async () => {
    const all = join(folder, 'all.yaml')
    expect(await run('export', all)).toMatchObject({ code: 0, err: '', out: '' })
    expect(readFileSync(all, 'utf8')).toContain('key: writer')
    expect(await run('plan', all, '--prune')).toMatchObject({ code: 0, err: '' })
  })

  it('adds what a file names, deletes nothing, and only says so with --dry-run', async () => {
    const some = join(folder, 'some.yaml')
    writeFileSync(some, 'zerohop: 1\nroles: [{ key: guest, permissions: [doc:read] }]\n')
    const dry = await run('import', some, '--dry-run')
    expect(dry.out).toMatch(
      /^create role guest\n1 would be created, 0 would be changed, 0 would be deleted; revision \d+\n$/,
    )
    const done = await run('import', some, '--json')
    expect(JSON.parse(done.out)).toMatchObject({ created: 1, changed: 0, deleted: 0, lines: ['create role guest'] })
    writeFileSync(some, 'zerohop: 2\nroles: [{ key: guest, permissions: [doc:raed] }]\n')
    for (const where of [[], ['--data', data]])
      expect(await run('import', some, ...where)).toMatchObject({
        code: 1,
        out: '',
        err: `${some}:2:37: error: action \`doc:raed\` does not exist\n`,
      })
  })

  it('reads standard input and writes standard output as `-`', async () => {
    const args = [...SHORT_LIVED, COMMAND, 'import', '-', '--json']
    const env = { PATH: process.env.PATH, ZEROHOP_API: api, PDP_API_KEY: key }
    const running = promisify(execFile)(process.execPath, args, { env })
    running.child.stdin?.end('zerohop: 2\nroles: [{ key: visitor }]\n')
    const { stdout, stderr } = await running
    expect([stderr, JSON.parse(stdout)]).toMatchObject(['', { created: 1, lines: ['create role visitor'] }])
  })
})
