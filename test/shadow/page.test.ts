// docs/shadow.md as a reader follows it: its programs run next to a server on the example policy, each line that ends in
// `// true` or `// false` is so, and the report prints what the page shows. And reports of files that are not whole.
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SHADOW_GROUPS_MAX, SHADOW_LINE_BYTES_MAX } from '../../src/model/limits.ts'
import { ReportMaker } from '../../src/shadow/report.ts'
import { importWith } from '../support/canary-module.ts'
import { temporaryFolder } from '../support/folders.ts'
import { runHere } from '../support/run-here.ts'
import { serveHere } from '../support/serve-here.ts'
import { endServers, freePort, type Ports, readKeys, url } from '../support/server.ts'
import { ROOT } from '../tidy/source.ts'
import { OF_REPORTS } from './canaries.ts'

const PAGE = readFileSync(join(ROOT, 'docs/shadow.md'), 'utf8')
const listBlocks = (language: string): string[] =>
  [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, block = '']) => block)

describe('docs/shadow.md', () => {
  const data = temporaryFolder('shadow-page')
  const folder = temporaryFolder('reader')
  let ports: Ports

  beforeAll(async () => {
    ports = { api: await freePort(), pdp: await freePort() }
    await serveHere(data, ports, true)
    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(ROOT, join(folder, 'node_modules', 'zerohop'), 'junction')
  })
  afterAll(endServers)

  it('has programs that run as it says, and a report that is printed', async () => {
    let lines = 0
    const program = listBlocks('js')
      .join('\n')
      .replaceAll('http://localhost:8080', url(ports.api))
      .replace(/^(\w+\(.*\)) \/\/ (true|false)\b.*$/gm, (_, call: string, wanted: string) => {
        lines++
        return `if (${call} !== ${wanted}) throw new Error(${JSON.stringify(call)})`
      })
    expect(lines).toBe(6)
    writeFileSync(join(folder, 'page.mjs'), `${program}\nprocess.exit()`)
    const { PATH = '', HOME = '' } = process.env
    const env = { PATH, HOME, PDP_API_KEY: readKeys(data).environments.development }
    await promisify(execFile)(process.execPath, ['page.mjs'], { cwd: folder, env, timeout: 60_000 })

    const [command = ''] = listBlocks('sh')
    const [shown] = listBlocks('text')
    const report = await runHere(command.trim().split(' ').slice(2), {}, folder)
    expect([report.code, report.out]).toEqual([1, shown])
    const decided = await runHere(['shadow', 'report', 'decided.ndjson', '--json'], {}, folder)
    expect(JSON.parse(decided.out)).toMatchObject({
      differences: 2,
      counts: { asked: 2, differed: 2 },
      groups: [{ direction: 'gained' }, { direction: 'lost', examples: [{ decide: 'new', old: true, new: false }] }],
    })
  })

  it('names every count', async () => {
    const { out } = await runHere(['shadow', 'report', join(folder, 'decided.ndjson'), '--json'])
    for (const name of Object.keys(JSON.parse(out).counts)) expect(PAGE).toContain(`\`${name}\``)
  })
})

const DIFFERENCE = {
  time: '2026-11-28T12:00:00.000Z',
  decide: 'old',
  old: true,
  new: false,
  cause: 'role_missing',
  detail: 'hello:say',
  user: 'ana',
  action: 'say',
  resource: { type: 'hello' },
  revision: 1,
  new_reason: 'no role in the tenant',
}

describe('a report', () => {
  const make = (lines: readonly unknown[], Maker = ReportMaker) => {
    const maker = new Maker()
    for (const line of lines) maker.add(typeof line === 'string' ? line : JSON.stringify(line))
    return maker.make()
  }
  const GAINED = { ...DIFFERENCE, old: false, new: true, cause: 'role', detail: 'admin: hello:say' }

  it('has what would give access first, however seldom it is', () => {
    const failed = { ...DIFFERENCE, new: null, cause: 'failed', detail: 'new: NOT_READY' }
    const all = [...Array.from({ length: 9 }, () => DIFFERENCE), { ...DIFFERENCE, user: null }, failed, failed, GAINED]
    expect(make(all).groups.map(({ direction, count, examples }) => [direction, count, examples.length])).toEqual([
      ['gained', 1, 1],
      ['failed', 2, 2],
      ['lost', 10, 3],
    ])
  })

  it('finds a fault: the direction', async () => {
    const { ReportMaker: Wrong } = await importWith<{ ReportMaker: typeof ReportMaker }>(
      OF_REPORTS,
      'src/shadow/report.ts',
      temporaryFolder('canary'),
    )
    expect(make([DIFFERENCE, GAINED], Wrong).groups[0]).not.toMatchObject({ direction: 'gained', cause: 'role' })
  })

  it('adds up the counts of several processes, the last of each', () => {
    const counts = (asked: number) => ({
      ...Object.fromEntries(
        ['sampled', 'agreed', 'differed', 'failed', 'pending', 'skipped', 'reported', 'dropped', 'unwritten'].map(
          (name) => [name, 0],
        ),
      ),
      asked,
    })
    const lines = [
      { time: '', run: 'a', counts: counts(1) },
      { time: '', run: 'b', counts: counts(10) },
      { time: '', run: 'a', counts: counts(100) },
    ]
    expect(make(lines).counts?.asked).toBe(110)
  })

  it.each<[string, unknown]>([
    ['a line that was cut', JSON.stringify(DIFFERENCE).slice(0, 50)],
    ['a list', []],
    ['null', 'null'],
    ['a cause that there is not', { ...DIFFERENCE, cause: 'magic' }],
    ['what every object has as a cause', { ...DIFFERENCE, cause: 'constructor' }],
    ['an answer that is none', { ...DIFFERENCE, new: 'yes' }],
    ['no resource', { ...DIFFERENCE, resource: undefined }],
    ['counts that are none', { run: 'a', counts: { asked: 'many' } }],
    ['a line that is too long', { ...DIFFERENCE, detail: 'x'.repeat(SHADOW_LINE_BYTES_MAX) }],
  ])('counts what it cannot read: %s', (_, line) => {
    expect(make([DIFFERENCE, line, ''])).toMatchObject({ differences: 1, unreadable: 1 })
  })

  it('has a bounded number of groups, and counts the rest', () => {
    const lines = Array.from({ length: SHADOW_GROUPS_MAX + 5 }, (_, at) => ({ ...DIFFERENCE, detail: `hello:${at}` }))
    const { groups, others, differences } = make(lines)
    expect([groups.length, others, differences]).toEqual([SHADOW_GROUPS_MAX, 5, SHADOW_GROUPS_MAX + 5])
  })

  it('is of files that can be read, and shows nothing that moves a cursor', async () => {
    const folder = temporaryFolder('reports')
    const file = join(folder, 'differences.ndjson')
    writeFileSync(file, `${JSON.stringify({ ...DIFFERENCE, user: 'a\u001b[2Jb', detail: 'x\u202ey' })}\nbroken\n`)
    const { code, out } = await runHere(['shadow', 'report', file])
    expect([code, out.includes('\u001b'), out.includes('\u202e')]).toEqual([1, false, false])
    expect(out).toContain('1 line could not be read')
    const missing = await runHere(['shadow', 'report', join(folder, 'none.ndjson')])
    expect([missing.code, missing.err]).toEqual([1, expect.stringContaining('cannot be read (ENOENT)')])
    writeFileSync(file, '{"a": 1}\n')
    const other = await runHere(['shadow', 'report', file])
    expect([other.code, other.out, other.err]).toEqual([1, '', expect.stringContaining('not a file of a shadow run')])
    writeFileSync(file, '')
    expect((await runHere(['shadow', 'report', file])).code).toBe(0)
  })
})
