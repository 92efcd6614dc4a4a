// The commands of an operator, with a server on the folder and without one. Those that write for good run as processes
// too. Needs the build.
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../support/folders.ts'
import { parseLines } from '../support/printed.ts'
import { type Ran, runCommand } from '../support/run-command.ts'
import { runHere } from '../support/run-here.ts'
import { apiHere, type ServerHere } from '../support/serve-here.ts'
import { endServers, freePort, readKeys, url } from '../support/server.ts'

type Run = (...args: string[]) => Promise<Ran>

const run: Run = (...args) => runCommand(args)
const here: Run = (...args) => runHere(args)

/** Runs it, expects success, and reads what it printed as JSON. */
async function json<T>(command: Run, ...args: string[]): Promise<T> {
  const { code, out, err } = await command(...args, '--json')
  expect([code, err]).toEqual([0, ''])
  return JSON.parse(out) as T
}

/** The rows of a list. */
async function jsonLines<T>(command: Run, ...args: string[]): Promise<T[]> {
  const { code, out, err } = await command(...args, '--json')
  expect([code, err]).toEqual([0, ''])
  return parseLines(out)
}

interface KeyRow {
  readonly id: string
  readonly level: string
  readonly access: string
  readonly project: string | null
  readonly environment: string | null
  readonly name: string | null
  readonly created_at: number
}

/** The rows of a printed table, whose columns begin where their heads do. */
function parseTable({ code, out, err }: Ran): Record<string, string>[] {
  expect([code, err]).toEqual([0, ''])
  const [heads = '', ...lines] = out.trimEnd().split('\n')
  const columns = [...heads.matchAll(/\S+/g)]
  return lines.map((line) =>
    Object.fromEntries(
      columns.map(({ 0: head, index }, at) => [head, line.slice(index, columns[at + 1]?.index).trim()]),
    ),
  )
}

const story = (name: string, run: Run, folderOf: () => string, check: (key: string) => Promise<number | undefined>) => {
  describe(name, () => {
    it('makes organizations, each key once', async () => {
      const data = ['--data', folderOf()]
      const made = await run('org', 'create', 'acme', '--name', 'Acme', ...data)
      expect(made.out).toMatch(/^organization acme [0-9a-f]{32}\nkey {10}zh_org_\S+\n$/)
      expect(await run('org', 'create', 'acme', ...data)).toMatchObject({
        code: 1,
        err: 'zerohop: organization `acme` already exists\n',
      })
      const all = await jsonLines<{ key: string; name: string }>(run, 'org', 'list', ...data)
      expect(all.map(({ key, name: of }) => [key, of])).toContainEqual(['acme', 'Acme'])
      const shown = parseTable(await run('org', 'list', ...data))
      expect(shown.map(({ key, name: of }) => ({ key, name: of }))).toEqual(
        all.map(({ key, name: of }) => ({ key, name: of })),
      )
    })

    it('makes, lists, rotates and deletes keys', async () => {
      const data = ['--data', folderOf()]
      const place = ['--organization', 'acme', '--project', 'default', '--environment', 'production']
      const { code, out, err } = await run('keys', 'create', ...place, '--access', 'read', ...data)
      expect([code, err]).toEqual([0, ''])
      expect(out).toMatch(/^zh_env_\S+\n$/)
      const secret = out.trim()
      expect(await check(secret)).toBeOneOf([200, undefined])
      const rows = await jsonLines<KeyRow>(run, 'keys', 'list', '--organization', 'acme', ...data)
      expect(rows.map(({ level, environment }) => [level, environment])).toContainEqual(['env', 'production'])
      expect(JSON.stringify(rows)).not.toContain('zh_')
      const shown = parseTable(await run('keys', 'list', '--organization', 'acme', ...data))
      expect(shown).toEqual(
        rows.map(({ id, level, access, project, environment, name, created_at }) => ({
          ...{ id, level, access, name: name ?? '', created: new Date(created_at).toISOString() },
          ...{ ends: 'never', last: '–', used: '' },
          where: [project, environment].filter((part) => part !== null).join('/') || '–',
        })),
      )
      const { id } = rows.at(-1)!
      const rotated = (await run('keys', 'rotate', id, ...data)).out.trim()
      expect(rotated).toMatch(/^zh_env_/)
      expect(await check(secret)).toBeOneOf([401, undefined])
      expect(await check(rotated)).toBeOneOf([200, undefined])
      expect((await run('keys', 'delete', id, ...data)).code).toBe(0)
      expect(await check(rotated)).toBeOneOf([401, undefined])
      expect(await run('keys', 'delete', id, ...data)).toMatchObject({
        code: 1,
        err: expect.stringContaining('does not exist'),
      })
      const wrong = await run('keys', 'create', '--level', 'project', ...data)
      expect(wrong).toMatchObject({ code: 1, err: 'zerohop: --project: a key of level project needs it\n' })
    })

    it('exports an environment as a file, and imports it elsewhere', async () => {
      const data = ['--data', folderOf(), '--organization', 'acme']
      const [folder, to] = [temporaryFolder('bundle'), ['--environment', 'production']]
      const file = join(folder, 'policy.yaml')
      writeFileSync(
        file,
        'zerohop: 1\nresources:\n  - key: doc\n    actions: { read: {} }\nroles:\n  - { key: reader, permissions: [doc:read] }\nusers:\n  - key: ana\n',
      )
      const plan = await run('import', file, '--dry-run', ...data)
      expect(plan.out).toBe(
        'create resource doc\ncreate role reader\ncreate user ana\n3 would be created, 0 would be changed, 0 would be deleted; revision 1\n',
      )
      expect(await json(run, 'import', file, '--dry-run', ...data)).toMatchObject({
        ...{ created: 3, changed: 0, deleted: 0, revision: 1 },
        lines: expect.arrayContaining(['create role reader']),
      })
      expect((await run('import', file, ...data)).out).toMatch(/\n3 created, 0 changed, 0 deleted; revision 2\n$/)
      expect((await run('import', file, ...data)).out).toBe('0 created, 0 changed, 0 deleted; revision 2\n')
      for (const [name, facts] of [
        ['all.json', '--facts'],
        ['all.yml', '--facts'],
      ] as const) {
        const all = join(folder, name)
        expect(await run('export', all, facts, ...data)).toMatchObject({ code: 0, out: '', err: '' })
        expect(readFileSync(all, 'utf8')).toContain('ana')
        expect(statSync(all).mode & 0o777).toBe(0o600)
        expect((await run('import', all, ...data, ...to)).code).toBe(0)
      }
      const printed = await run('export', '--format', 'yaml', ...data, ...to)
      expect(printed.out).toMatch(/^zerohop: 2\n/)
      expect(printed.out).not.toContain('ana')
      expect(printed.out).toBe((await run('export', '--format', 'yaml', ...data)).out)
      writeFileSync(file, 'zerohop: 1\nroles: [{ key: a b }]\n')
      expect(await run('import', file, ...data)).toMatchObject({
        code: 1,
        err: expect.stringMatching(/policy\.yaml:2:16: error: invalid role key `a b`/),
      })
      writeFileSync(file, 'a: 1\na: 2\n')
      expect(await run('import', file, ...data)).toMatchObject({
        code: 1,
        err: expect.stringMatching(/cannot be read: .* at line 2/),
      })
      const twice = join(folder, 'twice.json')
      writeFileSync(twice, '{"zerohop":1,"roles":[{"key":"a","name":"x","name":"y"}]}')
      expect(await run('import', twice, ...data)).toMatchObject({
        code: 1,
        err: expect.stringContaining('cannot be read: member `name` appears twice'),
      })
    })

    it('backs up, and restores into another folder', async () => {
      const data = ['--data', folderOf()]
      const [copy, restored] = [join(temporaryFolder('backup'), 'copy'), join(temporaryFolder('restored'), 'data')]
      interface Manifest {
        logs: { log: string; name: string; revision: number; image_sha256?: string }[]
      }
      const taken = await json<Manifest>(run, 'backup', copy, ...data)
      expect(taken.logs.map(({ name: of }) => of)).toContain('acme/default/production')
      expect(await json<Manifest>(run, 'restore', copy, '--data', restored)).toEqual(taken)
      const elsewhere = join(temporaryFolder('restored'), 'data')
      expect(parseTable(await run('restore', copy, '--data', elsewhere))).toEqual(
        taken.logs.map(({ log, name, revision, image_sha256 = '' }) => ({
          ...{ log, name, revision: String(revision), image: image_sha256 },
        })),
      )
      expect(await jsonLines<unknown>(run, 'org', 'list', '--data', restored)).toEqual(
        await jsonLines(run, 'org', 'list', ...data),
      )
      expect(await run('restore', copy, '--data', restored)).toMatchObject({
        code: 1,
        err: `zerohop: folder \`${restored}\` is not empty\n`,
      })
    })
  })
}

describe('the commands of an operator', () => {
  const [open, closed] = [temporaryFolder('admin-open'), temporaryFolder('admin-closed')]
  let server: ServerHere
  let api: string
  beforeAll(async () => {
    const port = await freePort()
    server = await apiHere(open, port)
    api = url(port)
  })
  afterAll(() => endServers())

  story(
    'through the socket of a server',
    here,
    () => open,
    async (key) => (await fetch(`${api}/v2/projects`, { headers: { authorization: `Bearer ${key}` } })).status,
  )
  story(
    'on a folder that no server holds',
    here,
    () => closed,
    async () => undefined,
  )

  it('reach only who may write the folder', () => {
    expect(statSync(join(open, 'admin.sock')).mode & 0o777).toBe(0o600)
  })

  it('say so when there is no data', async () => {
    const nowhere = join(temporaryFolder('nowhere'), 'data')
    expect(await run('keys', 'list', '--data', nowhere)).toMatchObject({
      code: 1,
      err: `zerohop: there is no data in \`${nowhere}\`\n`,
    })
    expect(existsSync(nowhere)).toBe(false)
  })

  it('bring keys.json up to date, with a server and without one, which leaves no socket behind', async () => {
    const findKeyId = async (name: string) => {
      const rows = await jsonLines<KeyRow>(here, 'keys', 'list', '--data', open)
      return rows.find(({ environment }) => environment === name)!.id
    }
    const id = await findKeyId('development')
    const rotate = async () => (await run('keys', 'rotate', id, '--data', open)).out.trim()
    const { development } = readKeys(open).environments
    const online = await rotate()
    expect([readKeys(open).environments.development, online === development]).toEqual([online, false])
    expect(await server.end()).toBe(0)
    expect(existsSync(join(open, 'admin.sock'))).toBe(false)
    const offline = await rotate()
    expect([readKeys(open).environments.development, offline === online]).toEqual([offline, false])
    await run('keys', 'delete', id, '--data', open)
    expect(Object.keys(readKeys(open).environments)).toEqual(['production'])
  })
})
