// docs/sync.md: its tables are what the schema of sync files makes, its program is the example, and what it shows runs.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { syncJsonSchema } from '../../src/cli/sync-json-schema.ts'
import type { TSchema } from '../../src/model/json-schema.ts'
import { Columns, SECTION_NAMES } from '../../src/sync/file/sections.ts'
import { readSyncFile, SyncFile } from '../../src/sync/file/sync-file.ts'
import { compileSchema } from '../support/compile-schema.ts'
import { temporaryFolder } from '../support/folders.ts'
import { runHere } from '../support/run-here.ts'
import { apiHere } from '../support/serve-here.ts'
import { endServers, freePort, readKeys, url } from '../support/server.ts'
import { ROOT } from '../tidy/source.ts'

const PAGE = join(ROOT, 'docs/sync.md')
const EXAMPLE = join(ROOT, 'examples/outbox.mjs')
type Described = TSchema & { readonly description?: string; readonly properties?: Record<string, TSchema> }

/** Members with their meanings, those of a map under its name; sections have the same ones. */
function* listRows(schema: Described, before = ''): Iterable<string> {
  for (const [name, member] of Object.entries(schema.properties ?? {}) as [string, Described][]) {
    if (member.description !== undefined) yield `| \`${before}${name}\` | ${member.description} |`
    const isSection = (SECTION_NAMES as readonly string[]).includes(name)
    if (isSection ? name === SECTION_NAMES[0] : true)
      yield* listRows(member, isSection ? 'SECTION.' : `${before}${name}.`)
  }
}

const columns = SECTION_NAMES.map((name) => {
  const known = new Columns(name)
  const required = new Set(known.required())
  const shown = known.list().map((one) => (required.has(one) ? `**\`${one}\`**` : `\`${one}\``))
  return `| \`${name}\` | ${shown.join(', ')} |`
})

const MADE: Readonly<Record<string, string>> = {
  'table: src/sync/file/sync-file.ts': ['| field | meaning |', '|---|---|', ...listRows(SyncFile as Described)].join(
    '\n',
  ),
  'columns: src/sync/file/sections.ts': ['| section | columns; **bold**: required |', '|---|---|', ...columns].join(
    '\n',
  ),
  'program: examples/outbox.mjs': `\`\`\`js\n${readFileSync(EXAMPLE, 'utf8').trimEnd()}\n\`\`\``,
}

it('has the tables and the program that are made; ZEROHOP_WRITE_DOCS=1 writes them', () => {
  const page = readFileSync(PAGE, 'utf8')
  const wanted = Object.entries(MADE).reduce((text, [name, made]) => {
    const begin = text.indexOf(`<!-- ${name} -->`)
    const end = text.indexOf('<!-- end -->', begin)
    expect([begin, end], name).not.toContain(-1)
    return `${text.slice(0, begin)}<!-- ${name} -->\n${made}\n${text.slice(end)}`
  }, page)
  if (process.env.ZEROHOP_WRITE_DOCS === '1') writeFileSync(PAGE, wanted)
  else expect(page).toBe(wanted)
})

const blocks = [...readFileSync(PAGE, 'utf8').matchAll(/```yaml\n(.*?)```/gs)].map(([, text]) => text!)

it('shows sync files that are right, also by the JSON Schema', () => {
  expect(blocks).toHaveLength(2)
  const isInForm = compileSchema(syncJsonSchema())
  for (const text of blocks) {
    const { file, problems } = readSyncFile({ name: 'sync.yaml', text })
    expect([problems, isInForm(file)]).toEqual([[], true])
  }
  expect(isInForm({ sync: 1, source: {}, owner: 'x', user: {} })).toBe(false)
  expect(JSON.parse(readFileSync(join(ROOT, 'sync.schema.json'), 'utf8'))).toEqual(
    JSON.parse(JSON.stringify(syncJsonSchema())),
  )
})

describe('the file with programs', () => {
  const folder = temporaryFolder('sync-docs')
  beforeAll(async () => {
    const print = (rows: readonly object[]) =>
      `for (const row of ${JSON.stringify(rows)}) console.log(JSON.stringify(row))\n`
    writeFileSync(join(folder, 'sync.yaml'), blocks[1]!)
    writeFileSync(join(folder, 'people.mjs'), print([{ key: 'ana', email: 'ana@acme.test' }]))
    writeFileSync(join(folder, 'roles.mjs'), print([{ user: 'ana', role: 'reader', tenant: 'default' }]))
  })
  afterAll(() => endServers())

  it('is written, and has nothing to do then', async () => {
    const port = await freePort()
    await apiHere(join(folder, 'data'), port)
    const key = readKeys(join(folder, 'data')).environments.development!
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ key: 'reader' })
    await fetch(`${url(port)}/v2/schema/default/development/roles`, { method: 'POST', headers, body })
    const run = (...args: string[]) => runHere(['sync', ...args], { ZEROHOP_API: url(port), PDP_API_KEY: key }, folder)
    expect((await run('check')).out).toContain('2 facts: no problems')
    expect((await run('plan')).code).toBe(2)
    expect((await run('apply', '--yes')).out).toContain('Written in 2 revisions: 2 created')
    expect((await run('plan')).code).toBe(0)
  })
})
