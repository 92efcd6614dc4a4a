// `zerohop migrate scan` on a small code base in six languages and three other kinds of text: it finds every planted
// use of v1 and nothing else. A line that holds one says so at its end, as `v1: kind`, twice when there are two;
// everything else must stay silent, comments and other services' paths included.
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { SCAN_FILE_BYTES_MAX } from '../../src/model/limits.ts'
import { scanFolder, scanText } from '../../src/v1/migrate/scan/scan.ts'
import { temporaryFolder } from '../support/folders.ts'
import { World } from './support.ts'

/** A code base, each file with `.txt` behind its name so that no other tool takes it for code. */
const CODE = readCode(new URL('./code/', import.meta.url))

/** What is not the team's, or built of what is. */
const OTHERS = { 'dist/clean.mjs': "fetch('/v1/users')\n", 'node_modules/permitio/index.js': "fetch('/v1/users')\n" }

function readCode(folder: URL): Readonly<Record<string, string>> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.txt'))
  return Object.fromEntries(
    files.map((file) => [
      file.slice(0, -'.txt'.length).replaceAll('\\', '/'),
      readFileSync(new URL(file, folder), 'utf8'),
    ]),
  )
}

/** `file:line kind` of what is planted. */
function planted(): string[] {
  return Object.entries(CODE).flatMap(([file, text]) =>
    text
      .split('\n')
      .flatMap((line, at) => [...line.matchAll(/v1: (\w+)/g)].map(([, kind]) => `${file}:${at + 1} ${kind}`)),
  )
}

function write(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder('scan')
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
  return folder
}

describe('scanFolder', () => {
  it('finds every planted use and nothing else, with its line', () => {
    const { findings, files, skipped, passedOver } = scanFolder(write({ ...CODE, ...OTHERS }))
    expect(findings.map(({ file, line, kind }) => `${file}:${line} ${kind}`).sort()).toEqual(planted().sort())
    expect([files, skipped, passedOver]).toEqual([12, [], ['dist', 'node_modules']])
    for (const { found, instead, column } of findings) {
      expect(found).not.toBe('')
      expect(instead).not.toBe('')
      expect(column).toBeGreaterThan(0)
    }
  })

  it('says what to write instead', () => {
    const [wrapper, path, ...rest] = scanText(
      "permit.write(permit.api.syncUser(user))\nfetch('/v1/role_assignments')\n",
      'a.js',
    )
    expect(wrapper).toMatchObject({ line: 1, column: 8, found: 'write(permit.api.syncUser(…))' })
    expect(wrapper?.instead).toContain('api.users.sync({ key, … })')
    expect(path).toMatchObject({ line: 2, found: '/v1/role_assignments' })
    expect(path?.instead).toContain('/v2/facts/{proj_id}/{env_id}/role_assignments')
    expect(rest).toEqual([])
  })

  it('reads one file, follows no link, and gives the reason for each file that it did not search', () => {
    const folder = write({
      'a.ts': "fetch('/v1/users')\n",
      'big.ts': `${'x'.repeat(SCAN_FILE_BYTES_MAX)}\nfetch('/v1/users')\n`,
      'docs/old.md': '/v1/users\n',
    })
    symlinkSync(folder, join(folder, 'loop'))
    symlinkSync(join(folder, 'a.ts'), join(folder, 'link.ts'))
    writeFileSync(join(folder, 'picture.png'), Buffer.from([0x89, 0x50, 0, 0]))
    expect(scanFolder(folder, { ignore: [join(folder, 'docs')] })).toEqual({
      files: 1,
      findings: [expect.objectContaining({ file: 'a.ts' })],
      skipped: [
        { file: 'big.ts', reason: 'too large' },
        { file: 'link.ts', reason: 'link' },
        { file: 'loop', reason: 'link' },
        { file: 'picture.png', reason: 'binary' },
      ],
      passedOver: [],
      ignored: ['docs'],
    })
    expect(scanFolder(join(folder, 'a.ts')).findings).toHaveLength(1)
  })

  it('finds hosts that a team names, in code and in any other text', () => {
    const folder = write({
      'a.ts': "const pdp = 'http://old-pdp:7000'\n// old-pdp\n",
      'b.env': 'PDP=http://old-pdp:7000\n',
    })
    const { findings } = scanFolder(folder, { hosts: ['old-pdp'] })
    expect(findings.map(({ file, line, kind, found }) => [file, line, kind, found])).toEqual([
      ['a.ts', 1, 'host', 'old-pdp'],
      ['b.env', 1, 'host', 'old-pdp'],
    ])
  })

  it('says which path it cannot read', () => {
    for (const options of [{}, { ignore: ['/nowhere/at/all'] }])
      expect(() => scanFolder('ignore' in options ? '.' : '/nowhere/at/all', options)).toThrow(
        '`/nowhere/at/all` cannot be read: ENOENT',
      )
    expect(() => scanFolder('/dev/zero')).toThrow('is neither a folder nor a file')
    // a file that nobody can read from its beginning, whoever asks
    const skipped = [{ file: '/proc/self/mem', reason: 'unreadable' }]
    expect(scanFolder('/proc/self/mem')).toMatchObject({ files: 0, skipped })
  })

  it('reads text of any form, and names what is not text', () => {
    const use = "var users = '/v1/users'\r\n"
    const folder = write({ 'mark.cs': `\ufeff${use}`, 'film.ts': `G\0${use}` })
    writeFileSync(join(folder, 'wide.cs'), Buffer.from(`\ufeff\r\n${use}`, 'utf16le'))
    writeFileSync(join(folder, 'wider.yaml'), Buffer.from(`\ufeff${use}`, 'utf16le').swap16())
    writeFileSync(join(folder, 'west.rb'), Buffer.from(`# \xfcber\n${use}`, 'latin1'))
    const { findings, skipped } = scanFolder(folder)
    expect(findings.map(({ file, line, column }) => [file, line, column])).toEqual([
      ['mark.cs', 1, 14],
      ['west.rb', 2, 14],
      ['wide.cs', 2, 14],
      ['wider.yaml', 1, 14],
    ])
    expect(skipped).toEqual([{ file: 'film.ts', reason: 'binary' }])
  })

  it('ends on whatever a file holds', () => {
    const odd = [
      '`${',
      '"',
      "'",
      '/*',
      '"""',
      '$@"',
      '`${`${`${',
      '(((((',
      'permit.write(',
      '/[',
      '\u0000\ud800',
      'new Permit(,,,',
      '{{{{',
      'f"{',
      'api.syncUser(',
    ]
    for (const start of odd) {
      for (const end of odd) {
        for (const file of ['a.ts', 'a.py', 'a.go', 'a.java', 'a.cs', 'a.yaml'])
          expect(() => scanText(`${start}\n${end}`, file)).not.toThrow()
      }
    }
    for (const open of ['api.syncUser(', 'new Permit(', 'p.write('])
      expect(scanText(open.repeat(5_000), 'a.ts')).toEqual([])
    expect(scanText("f('/v1/users')\n".repeat(20_000), 'a.ts').at(-1)).toMatchObject({ line: 20_000, column: 4 })
    expect(scanText(`${'`${'.repeat(100_000)}'/v1/users'`, 'a.ts').length).toBeLessThan(2)
  })
})

describe('zerohop migrate scan', () => {
  it('ends quietly when its reader has seen enough', async () => {
    const world = new World()
    writeFileSync(join(world.folder, 'a.ts'), "fetch('/v1/users')\n".repeat(20_000))
    const { child, ended } = world.start(['scan', '.'], { ZEROHOP_ORGANIZATION_KEY: 'none' })
    child.stdout.once('data', () => child.stdout.destroy())
    expect((await ended).err).not.toContain('zerohop:')
  })

  it('prints file, line and what to write instead, and ends with 1 while there is a use', async () => {
    const world = new World()
    writeFileSync(join(world.folder, 'a.ts'), '\nawait permit.write(permit.api.syncUser(user))\n')
    const { code, out } = await world.migrate(['scan', '.'], { ZEROHOP_ORGANIZATION_KEY: 'none' })
    expect(code).toBe(1)
    expect(out).toContain('a.ts:2:14  wrapper  write(permit.api.syncUser(…))\n    instead: no write() around it')
    expect(out).toContain('1 use of v1 in 1 file')
    writeFileSync(join(world.folder, 'a.ts'), 'await permit.api.users.sync(user)\n')
    const clean = await world.migrate(['scan', '.', '--json'])
    expect([clean.code, JSON.parse(clean.out)]).toEqual([
      0,
      { files: 1, findings: [], skipped: [], passedOver: [], ignored: [] },
    ])
  })

  it('is not clean while there is a file that it could not read, unless that is left out by name', async () => {
    const world = new World()
    writeFileSync(join(world.folder, 'big.json'), ' '.repeat(SCAN_FILE_BYTES_MAX + 1))
    const open = await world.migrate(['scan', '.'])
    expect([open.code, open.out]).toEqual([1, 'not searched: 1 file, too large (big.json)\n0 uses of v1 in 0 files\n'])
    const left = await world.migrate(['scan', '.', '--ignore', 'big.json'])
    expect([left.code, left.out]).toEqual([
      0,
      'not searched: 1 path, left out with --ignore (big.json)\n0 uses of v1 in 0 files\n',
    ])
  })
})
