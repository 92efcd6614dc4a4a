// Policy files that are reached by links, and what stands among them that cannot be read: nothing is left out in silence.
import { execFileSync } from 'node:child_process'
import { chmodSync, lstatSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { findPolicy } from '../../src/cli/commands/policy-sources.ts'
import { findProject } from '../../src/cli/configuration/project-file.ts'
import { readSources } from '../../src/management/policy-file/read-files.ts'
import { POLICY_FILE_BYTES_MAX, POLICY_FOLDERS_MAX } from '../../src/model/limits.ts'
import { temporaryFolder } from '../support/folders.ts'
import { runHere } from '../support/run-here.ts'

let folder: string
const at = (name: string): string => join(folder, name)
const write = (name: string, text = 'zerohop: 2\n'): void => {
  mkdirSync(at(join(name, '..')), { recursive: true })
  writeFileSync(at(name), text)
}
const link = (name: string, target: string): void => {
  mkdirSync(at(join(name, '..')), { recursive: true })
  symlinkSync(target, at(name))
}
const namesIn = (...paths: string[]): string[] => readSources(paths, folder).sources.map(({ name }) => name)
const refusal = (...paths: string[]): string => {
  try {
    return `nothing is refused: ${namesIn(...paths)}`
  } catch (error) {
    return (error as Error).message
  }
}

/** As Kubernetes lays out a ConfigMap: a version in a hidden folder, `..data` leads to it, and each name leads there. */
function writeConfigMap(mount: string, files: Readonly<Record<string, string>>, names: readonly string[]): void {
  for (const [name, text] of Object.entries(files)) write(`${mount}/..2026_11_25/${name}`, text)
  link(`${mount}/..data`, '..2026_11_25')
  for (const name of names) link(`${mount}/${name}`, `..data/${name}`)
}

beforeEach(() => {
  folder = temporaryFolder('links')
})

describe('policy files behind links', () => {
  it('are read in the layout of a ConfigMap', () => {
    writeConfigMap('policies', { 'a.yaml': 'zerohop: 2\n', 'b.json': '{"zerohop":2}' }, ['a.yaml', 'b.json'])
    expect(namesIn('policies')).toEqual(['policies/a.yaml', 'policies/b.json'])
    expect(namesIn('policies/a.yaml')).toEqual(['policies/a.yaml'])
    writeConfigMap('teams', { 'team-a/roles.yaml': 'zerohop: 2\n', 'team-b/deep/roles.yml': 'zerohop: 2\n' }, [
      'team-a',
      'team-b',
    ])
    const ofTeams = ['teams/team-a/roles.yaml', 'teams/team-b/deep/roles.yml']
    expect(namesIn('teams')).toEqual(ofTeams)
    expect(namesIn('teams/team-a')).toEqual(ofTeams.slice(0, 1))
  })

  it('are read when the folder that is named is a link', () => {
    write('elsewhere/roles.yaml')
    link('policies', 'elsewhere')
    link('one.yaml', 'elsewhere/roles.yaml')
    expect(namesIn('policies')).toEqual(['policies/roles.yaml'])
    expect(namesIn('one.yaml')).toEqual(['one.yaml'])
  })

  it('are read once, however many ways lead to them', () => {
    write('p/real/roles.yaml')
    link('p/a', 'real')
    link('p/b', 'real')
    link('p/c.yaml', 'real/roles.yaml')
    link('p/d.yaml', 'c.yaml')
    expect(namesIn('p')).toEqual(['p/a/roles.yaml'])
    expect(namesIn('p/real/roles.yaml', 'p', './p', at('p/d.yaml'))).toEqual(['p/real/roles.yaml'])
  })

  it('are plainly left out where files are: by a hidden name, or another ending', () => {
    write('p/roles.yaml')
    write('notes.txt')
    link('p/notes.txt', '../notes.txt')
    link('p/.hidden.yaml', 'nowhere')
    link('p/node_modules', '../node_modules')
    expect(namesIn('p')).toEqual(['p/roles.yaml'])
  })

  it('are left out where they are a configuration, and refused where a policy has its name', () => {
    write('p/roles.yaml')
    write('zerohop.yaml', 'files: [p] # zerohop: a policy\n')
    link('p/zerohop.yaml', '../zerohop.yaml')
    expect(namesIn('p')).toEqual(['p/roles.yaml'])
    expect(namesIn('.')).toEqual(['p/roles.yaml'])
    write('p/team/zerohop.yaml', 'roles: []\n"zerohop": 2\n')
    expect(refusal('p')).toContain('`p/team/zerohop.yaml` has the name of a configuration, and is a policy')
  })
})

describe('links that cannot be followed are errors by name', () => {
  beforeEach(() => {
    write('p/roles.yaml')
  })

  it.each([
    ['p/x.yaml', 'gone.yaml', 'leads nowhere'],
    ['p/team', '../gone', 'leads nowhere'],
    ['p/x.yaml', 'x.yaml', 'leads in a circle'],
    ['p/loop', '.', 'to a folder that it is in'],
    ['p/deep/loop', '..', 'to a folder that it is in'],
    ['p/deep/er/loop', '../../deep', 'to a folder that it is in'],
    ['p/up', '..', 'to a folder that it is in'],
    ['p/team', '../other', 'leads out of `p`'],
    ['p/x.yaml', '../other/roles.yaml', 'leads out of `p`'],
    ['p/team', '../p-other', 'leads out of `p`'],
  ])('%s to %s', (name, target, reason) => {
    write('other/roles.yaml')
    write('p-other/roles.yaml')
    link(name, target)
    expect(refusal('p')).toMatch(`\`${name}\` is a link that ${reason}`.replace('that to', 'to'))
  })

  it('also two folders that lead to each other, and a circle through `..data`', () => {
    write('p/a/roles.yaml')
    link('p/a/to-b', '../b')
    link('p/b/to-a', '../a')
    expect(refusal('p')).toBe('`p/a/to-b/to-a` is a link to a folder that it is in')
    writeConfigMap('map', { 'team/roles.yaml': 'zerohop: 2\n' }, ['team'])
    link('map/..2026_11_25/team/loop', '..')
    expect(refusal('map')).toBe('`map/team/loop` is a link to a folder that it is in')
  })

  it('also where the command line names it', () => {
    link('gone.yaml', 'nowhere')
    link('circle', 'circle')
    expect(refusal('gone.yaml')).toBe('`gone.yaml` is a link that leads nowhere')
    expect(refusal('circle')).toBe('`circle` is a link that leads in a circle')
    expect(refusal('missing')).toBe('`missing` does not exist')
  })

  it('also `zerohop.yaml` itself, in place of which no other one is taken', () => {
    write('zerohop.yaml', 'files: [p]\n')
    link('p/zerohop.yaml', '..data/zerohop.yaml')
    expect(() => findProject(at('p'))).toThrow(/p\/zerohop\.yaml` cannot be read/)
  })
})

describe('what is not a file', () => {
  it('is an error inside of a folder when its name is that of a policy file', async () => {
    write('p/roles.yaml')
    execFileSync('mkfifo', [at('p/pipe.yaml')])
    expect(refusal('p')).toBe('`p/pipe.yaml` is neither a file nor a folder')
    renameSync(at('p/pipe.yaml'), at('p/pipe'))
    expect(namesIn('p')).toEqual(['p/roles.yaml'])
    link('p/linked.yaml', 'pipe')
    expect(refusal('p')).toBe('`p/linked.yaml` is neither a file nor a folder')
    write('q/roles.yaml')
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(at('q/socket.yaml'), resolve))
    expect(refusal('q')).toBe('`q/socket.yaml` is neither a file nor a folder')
    expect(refusal('q/socket.yaml')).toBe('`q/socket.yaml` cannot be read: ENXIO')
    await new Promise((resolve) => server.close(resolve))
  })

  it('is read to its end, and no further than a file, where the command line names it', () => {
    const validate = `"${process.execPath}" dist/bundle/zerohop.js validate <(echo 'zerohop: 2')`
    expect(execFileSync('bash', ['-c', validate]).toString()).toBe('1 file: no problems\n')
    expect(refusal('/dev/zero')).toBe(`\`/dev/zero\` is larger than ${POLICY_FILE_BYTES_MAX} bytes`)
  })

  it('is an error when it cannot be read', () => {
    chmodSync(folder, 0o755)
    write('p/roles.yaml')
    write('p/team/roles.yaml')
    for (const name of ['p/team', 'p/roles.yaml']) {
      chmodSync(at(name), 0)
      expect(asNobody(() => refusal('p'))).toBe(`\`${name}\` cannot be read: EACCES`)
      chmodSync(at(name), 0o755)
    }
  })

  it('is an error when there are too many folders', () => {
    write('p/roles.yaml')
    for (let made = 0; made < POLICY_FOLDERS_MAX - 1; made++) mkdirSync(at(`p/${made}`))
    expect(namesIn('p')).toEqual(['p/roles.yaml'])
    mkdirSync(at('p/more'))
    expect(refusal('p')).toBe(`more than ${POLICY_FOLDERS_MAX} folders`)
  })
})

it('each folder that is named has a policy file: one that is empty is perhaps not mounted', () => {
  write('p/roles.yaml')
  write('empty/notes.txt')
  expect(refusal('p', 'empty')).toBe('there is no policy file in `empty`')
  write('zerohop.yaml', 'files: []\n')
  expect(() => findPolicy([], folder)).toThrow('no policy file is named')
})

/** Root may read everything. */
function asNobody<T>(read: () => T): T {
  if (process.getuid?.() !== 0) return read()
  process.seteuid?.(65_534)
  try {
    return read()
  } finally {
    process.seteuid?.(0)
  }
}

describe('the commands', () => {
  const ROLES =
    'zerohop: 2\nresources: [{ key: note, actions: { read: {} } }]\nroles: [{ key: reader, permissions: [note:read] }]\n'

  it('validate and test read linked folders, and refuse those that cannot be followed', async () => {
    writeConfigMap('policies', { 'team-a/roles.yaml': ROLES }, ['team-a'])
    const expects = 'facts: { users: [{ key: ana }] }\nexpect:\n  - ana may not read note\n'
    writeConfigMap('tests', { 'team-a/reader.yaml': expects }, ['team-a'])
    expect((await runHere(['validate', at('policies'), '--json'])).out).toContain('team-a/roles.yaml')
    const tests = ['test', at('tests'), '--policy', at('policies')]
    expect(await runHere(tests)).toMatchObject({ code: 0, out: expect.stringContaining('1 expectation met') })
    link('tests/team-b', '..data/team-b')
    expect(await runHere(tests)).toMatchObject({
      code: 1,
      err: expect.stringContaining('team-b` is a link that leads nowhere'),
    })
  })

  it('print names without the characters in them that move a cursor', async () => {
    const name = 'a\u001b[31m\nb.yaml'
    write(`policies/${name}`, 'zerohop: 2\nroles: [{key: reader}]\n')
    const formatted = await runHere(['fmt', at('policies')])
    expect([formatted.code, formatted.out]).toEqual([0, `${at('policies/a\ufffd[31m\ufffdb.yaml')}\n`])
    link('policies/c\u001b[31m.yaml', 'nowhere')
    for (const args of [['validate'], ['fmt'], ['test', '--policy']]) {
      const { code, err } = await runHere([...args, at('policies')])
      expect([code, err]).toEqual([1, expect.stringContaining('/c\ufffd[31m.yaml` is a link that leads nowhere')])
    }
  })

  it('fmt formats the file that a link leads to, and leaves the link', async () => {
    writeConfigMap('policies', { 'a.yaml': 'roles: []\nzerohop: 2\n' }, ['a.yaml'])
    expect((await runHere(['fmt', at('policies')])).code).toBe(0)
    expect(lstatSync(at('policies/a.yaml')).isSymbolicLink()).toBe(true)
    expect(readFileSync(at('policies/..2026_11_25/a.yaml'), 'utf8')).toBe('zerohop: 2\nroles: []\n')
  })
})
