// `zerohop migrate scan` on a small code base in six languages: it finds every planted use of v1 and nothing else. A line that holds one says so at
// its end, as `v1: kind`, twice when there are two; everything else must stay silent, comments and other services' paths included.
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { scanFolder, scanText } from '../../src/migrate/scan/scan.ts'
import { SCAN_FILE_BYTES_MAX } from '../../src/model/limits.ts'
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
    expect([files, skipped, passedOver]).toEqual([8, [], ['dist']])
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

  it('reads one file, follows no link, and names what is too large', () => {
    const folder = write({
      'a.ts': "fetch('/v1/users')\n",
      'big.ts': `${'x'.repeat(SCAN_FILE_BYTES_MAX)}\nfetch('/v1/users')\n`,
    })
    symlinkSync(folder, join(folder, 'loop'))
    symlinkSync(join(folder, 'a.ts'), join(folder, 'link.ts'))
    expect(scanFolder(folder)).toMatchObject({ files: 2, findings: [{ file: 'a.ts' }], skipped: ['big.ts'] })
    expect(scanFolder(join(folder, 'a.ts')).findings).toHaveLength(1)
  })

  it('says which path it cannot read', () => {
    expect(() => scanFolder('/nowhere/at/all')).toThrow('`/nowhere/at/all` cannot be read: ENOENT')
    const folder = write({ 'notes.md': '/v1/users' })
    for (const path of [join(folder, 'notes.md'), '/dev/zero'])
      expect(() => scanFolder(path)).toThrow('is neither a folder nor a file in a language that is known')
  })

  it('reads text of any form, and names what is none', () => {
    const use = "var users = '/v1/users'\r\n"
    const folder = write({ 'mark.cs': `\ufeff${use}`, 'film.ts': `G\0${use}` })
    writeFileSync(join(folder, 'wide.cs'), Buffer.from(`\ufeff\r\n${use}`, 'utf16le'))
    const { findings, skipped } = scanFolder(folder)
    expect(findings.map(({ file, line, column }) => [file, line, column])).toEqual([
      ['mark.cs', 1, 14],
      ['wide.cs', 2, 14],
    ])
    expect(skipped).toEqual(['film.ts'])
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
        for (const file of ['a.ts', 'a.py', 'a.go', 'a.java', 'a.cs'])
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
    expect((await ended).err).toBe('')
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
    expect([clean.code, JSON.parse(clean.out)]).toEqual([0, { files: 1, findings: [], skipped: [], passedOver: [] }])
  })
})
