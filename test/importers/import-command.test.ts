// `zerohop import --from` as a command: what docs/moving.md shows, from an empty folder; files that are wrong; command lines
// that are wrong.
import { existsSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { IMPORTED_FILE_BYTES_MAX } from '../../src/model/limits.ts'
import { temporaryFolder } from '../support/folders.ts'
import { runHere } from '../support/run-here.ts'
import { ROOT } from '../tidy/source.ts'

const [PAGE = '', ...SECTIONS] = readFileSync(join(ROOT, 'docs/moving.md'), 'utf8').split(/^## From (?!casbin)/m)
const findSection = (name: string): string => SECTIONS.find((text) => text.startsWith(`${name}\n`)) ?? ''
const [OPENFGA = '', CASL = '', CEDAR = '', CSV = ''] = ['OpenFGA', 'CASL', 'Cedar', 'CSV'].map(findSection)
const blocks = (language: string, page = PAGE): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, text = '']) => text)
const [MODEL = ''] = blocks('conf')
const [RULES = ''] = blocks('csv')

let folder: string
const write = (name: string, text: string | Uint8Array): void => writeFileSync(join(folder, name), text)
const words = (command = ''): string[] => command.split(' ').slice(2)
const run = (...args: string[]) => runHere(args, { ZEROHOP_DATA: join(folder, 'data') }, folder)
const convert = (...args: string[]) => run('import', '--from', 'casbin', ...args, '--out', 'converted')

beforeEach(() => {
  folder = temporaryFolder('import-from')
  write('model.conf', MODEL)
  write('policy.csv', RULES)
})

describe('docs/moving.md', () => {
  it('prints what the commands print, and its files are imported', async () => {
    const commands = blocks('sh').flatMap((block) => block.split('\n').filter((line) => line.startsWith('npx zerohop')))
    const outputs = blocks('text').map((text) => text.trimEnd())
    const printed: { readonly out: string; readonly code: number | null }[] = []
    await run('org', 'create', 'acme')
    for (const command of commands) printed.push(await run(...words(command)))
    expect(printed.slice(0, outputs.length).map(({ out }) => out.trimEnd())).toEqual(outputs)
    expect(printed.map(({ code }) => code)).toEqual([1, 0, 0, 0])
    expect(printed[2]?.out).toContain(' created, 0 changed, 0 deleted')
    expect(printed[3]?.out).toContain('6')
    const report = JSON.parse(readFileSync(join(folder, 'converted/report.json'), 'utf8')) as { exact: boolean }
    expect(report.exact).toBe(true)
  })

  it('prints what the commands print of a store of OpenFGA', async () => {
    write('store.fga.yaml', blocks('yaml', OPENFGA)[0] ?? '')
    const commands = blocks('sh', OPENFGA).flatMap((block) => block.match(/^npx zerohop .*$/gm) ?? [])
    const [imported, tested] = [await run(...words(commands[0])), await run(...words(commands[1]))]
    expect([imported.out.trimEnd(), imported.code]).toEqual([blocks('text', OPENFGA)[0]?.trimEnd(), 1])
    expect([commands.length, tested.code]).toEqual([2, 1])
    expect(tested.out).toContain('3 expectations met, 1 not met')
  })

  it('prints what the commands print of rules of CASL, and the policy is imported', async () => {
    write('editor.json', blocks('json', CASL)[0] ?? '')
    const commands = blocks('sh', CASL).flatMap((block) => block.match(/^npx zerohop .*$/gm) ?? [])
    const [imported, tested] = [await run(...words(commands[0])), await run(...words(commands[1]))]
    expect([imported.out.trimEnd(), imported.code]).toEqual([blocks('text', CASL)[0]?.trimEnd(), 0])
    expect([commands.length, tested.code]).toEqual([2, 0])
    await run('org', 'create', 'acme')
    expect((await run('import', 'converted/policy.yaml')).out).toContain(' created, 0 changed, 0 deleted')
    // nothing is assigned, and the file says so
    expect((await run('import', 'converted/facts.ndjson')).code).toBe(0)
  })
})

describe('docs/moving.md, as files are', () => {
  it('prints what the commands print of policies of Cedar, and the files are imported', async () => {
    write('policies.cedar', blocks('cedar', CEDAR)[0] ?? '')
    write('app.cedarschema', blocks('cedarschema', CEDAR)[0] ?? '')
    write('entities.json', blocks('json', CEDAR)[0] ?? '')
    const commands = blocks('sh', CEDAR).flatMap((block) => block.match(/^npx zerohop .*$/gm) ?? [])
    const imported = await run(...words(commands[0]))
    expect([imported.out.trimEnd(), imported.code]).toEqual([blocks('text', CEDAR)[0]?.trimEnd(), 0])
    await run('org', 'create', 'acme')
    expect((await run('import', 'converted/policy.yaml')).out).toContain(' created, 0 changed, 0 deleted')
    expect((await run('import', 'converted/facts.ndjson')).code).toBe(0)
  })

  it('prints what the commands print of CSV files, and the files are imported', async () => {
    const [mapping = '', policy = ''] = blocks('yaml', CSV)
    for (const [name, text] of Object.entries({ 'mapping.yaml': mapping, 'policy.yaml': policy })) write(name, text)
    for (const [at, name] of ['organisations.csv', 'people.csv', 'members.csv'].entries())
      write(name, blocks('csv', CSV)[at] ?? '')
    const commands = blocks('sh', CSV).flatMap((block) => block.match(/^npx zerohop .*$/gm) ?? [])
    const imported = await run(...words(commands[0]))
    expect([imported.out.trimEnd(), imported.code]).toEqual([blocks('text', CSV)[0]?.trimEnd(), 0])
    await run('org', 'create', 'acme')
    expect((await run('import', 'converted/policy.yaml')).out).toContain(' created, 0 changed, 0 deleted')
    expect((await run('import', 'converted/facts.ndjson')).code).toBe(0)
  })
})

describe('zerohop import --from', () => {
  it('writes nothing over what is there, unless it is told to, and prints the report as JSON', async () => {
    expect((await convert('model.conf', 'policy.csv', '--closed-actions')).code).toBe(0)
    const again = await convert('model.conf', 'policy.csv', '--closed-actions')
    expect(again).toMatchObject({ code: 1, err: 'zerohop: `converted/policy.yaml` already exists: add --force\n' })
    const json = await convert('model.conf', 'policy.csv', '--force', '--json', '--questions', '10', '--seed', '3')
    expect(json.code).toBe(1)
    expect(JSON.parse(json.out)).toMatchObject({ exact: false, from: 'casbin', proof: { asked: 10, seed: 3 } })
    expect(json.out).toBe(readFileSync(join(folder, 'converted/report.json'), 'utf8'))
  })

  it('says what is wrong with files, with their lines, and writes nothing', async () => {
    write('policy.csv', 'p, alice, data1\n\np, "bob, data1, read\n')
    expect(await convert('model.conf', 'policy.csv')).toEqual({
      code: 1,
      out: '',
      err: 'policy.csv:3:1: error: a quote is not closed, or text follows it\n',
    })
    write('policy.csv', 'p, alice, data1\n')
    expect((await convert('model.conf', 'policy.csv')).err).toBe(
      'policy.csv:1:1: error: a rule `p` has 3 values in the model, this one has 2\n',
    )
    expect(existsSync(join(folder, 'converted'))).toBe(false)
  })

  it('says which file cannot be read, and why', async () => {
    mkdirSync(join(folder, 'rules'))
    write('binary.csv', Uint8Array.of(0x70, 0, 0xff))
    write('large.csv', '')
    truncateSync(join(folder, 'large.csv'), IMPORTED_FILE_BYTES_MAX + 1)
    const reasons: Record<string, string> = {
      'none.csv': 'the file does not exist',
      rules: 'it is a folder',
      'binary.csv': 'it is not text in UTF-8',
      'large.csv': `it is larger than ${IMPORTED_FILE_BYTES_MAX} bytes`,
    }
    for (const [name, reason] of Object.entries(reasons))
      expect(await convert('model.conf', name)).toEqual({
        code: 1,
        out: '',
        err: `zerohop: \`${name}\` cannot be read: ${reason}\n`,
      })
  })

  it('refuses a model that casbin refuses', async () => {
    write('model.conf', MODEL.replace('&& r.act', '& r.act'))
    expect((await convert('model.conf', 'policy.csv')).err).toBe(
      'zerohop: casbin refuses the files: Invalid operator in matcher\n',
    )
  })

  it('refuses what is for an import into an environment, and the other way round', async () => {
    expect((await convert('model.conf', '--dry-run')).err).toContain('it takes no --dry-run')
    expect((await run('import', '--from', 'casbin', 'model.conf')).err).toContain('--out names the folder')
    expect((await run('import', 'a.yaml', 'b.yaml')).err).toBe('zerohop: one file is imported at a time\n')
    expect((await run('import', 'a.yaml', '--closed-actions')).err).toBe('zerohop: --closed-actions is for --from\n')
    const other = await convert('model.conf', '--openfga-url', 'http://127.0.0.1:8080')
    expect(other.err).toBe('zerohop: --from casbin takes no --openfga-url\n')
    expect((await run('import', '--from', 'other', 'x')).err).toContain('Allowed choices are casbin')
    expect((await convert('model.conf', '--questions', '0')).err).toContain('Must be a number from 1 to 5000000.')
  })
})
