// The public examples of Cedar: which are converted whole, with which option, in part, and why, as a table
// (`npx vitest run test/importers/cedar.test.ts -u` writes it); and files that are wrong. The law is in cedar-law.test.ts.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { importer } from '../../src/importers/cedar/importer.ts'
import { temporaryFolder } from '../support/folders.ts'
import { CEDAR_CASES, type CedarCase } from './cedar-cases.ts'
import { type Converted, convertWith } from './converted.ts'

function convert(
  { schema, policies, entities }: Omit<CedarCase, 'name'>,
  options: Readonly<Record<string, boolean>> = {},
): Promise<Converted> {
  const folder = temporaryFolder('cedar')
  writeFileSync(join(folder, 'app.cedarschema'), schema)
  writeFileSync(join(folder, 'policies.cedar'), policies)
  writeFileSync(join(folder, 'entities.json'), typeof entities === 'string' ? entities : JSON.stringify(entities))
  const files = ['policies.cedar', 'app.cedarschema', 'entities.json']
  return convertWith({ importer, from: 'cedar', questions: 100 }, folder, files, options)
}

it('converts as much of each case as the table says, and never allows more', async () => {
  const rows: string[] = []
  const sums: Record<string, number> = {}
  for (const each of CEDAR_CASES) {
    const open = await convert(each)
    const closed = open.report?.exact === true ? open : await convert(each, { closedEntities: true })
    expect(open.problems, each.name).toEqual([])
    for (const { report } of [open, closed]) {
      expect(report?.proof.wider, each.name).toBe(0)
      expect(
        report?.proof.differences.filter(({ old }) => old === 'failed'),
        each.name,
      ).toEqual([])
    }
    const isExact = ({ report }: Converted): boolean => report?.exact === true
    const verdict = isExact(open) ? 'whole' : isExact(closed) ? 'whole with --closed-entities' : 'in part'
    sums[verdict] = (sums[verdict] ?? 0) + 1
    const { findings = [], proof } = closed.report ?? {}
    const reasons = findings
      .filter(({ kind }) => kind === 'unsaid')
      .map(({ line, reason }) => `  line ${line}: ${reason}`)
    rows.push(`${each.name}: ${verdict}`, ...new Set(reasons))
    rows.push(`  ${proof?.asked} questions, ${proof?.allowed} allowed by both, ${proof?.different} different`)
  }
  const head = Object.entries(sums).map(([verdict, count]) => `${verdict}: ${count} of ${CEDAR_CASES.length}`)
  await expect(`${[...head, '', ...rows].join('\n')}\n`).toMatchFileSnapshot('../golden/cedar-corpus.txt')
})

const [CASE] = CEDAR_CASES as readonly [CedarCase]

describe('files that are wrong say where', () => {
  it.each<[Partial<CedarCase>, string, number, string]>([
    [
      { policies: 'permit (principal, action, resource);\npermit (principal action, resource);' },
      'policies.cedar',
      2,
      'unexpected token `action`',
    ],
    [
      { policies: 'permit (principal == User::"ann", action, resource is Foto);' },
      'policies.cedar',
      1,
      'for policy `policy0`',
    ],
    [{ schema: 'entity User\nentity' }, 'app.cedarschema', 2, 'error parsing schema'],
    [
      { entities: [{ uid: { type: 'Person', id: 'x' }, attrs: {}, parents: [] }] },
      'entities.json',
      1,
      'entity `Person::"x"` has type `Person` which is not declared',
    ],
    [{ entities: '[{' as never }, 'entities.json', 1, 'it is not JSON'],
    [{ entities: '{}' as never }, 'entities.json', 1, 'the entities are a list'],
  ])('%#', async (other, file, line, message) => {
    const { problems } = await convert({ ...CASE, ...other })
    expect(problems.map(({ place }) => [place.file.split('/').at(-1), place.line])[0]).toEqual([file, line])
    expect(problems[0]?.message).toContain(message)
  })

  it.each([
    [['policies.cedar'], 'name the policies, one schema and the entities'],
    [['policies.cedar', 'app.cedarschema', 'rules.txt'], 'is known by its ending'],
  ])('%j', async (names, reason) => {
    const folder = temporaryFolder('cedar')
    for (const name of names) writeFileSync(join(folder, name), '')
    const paths = names.map((name) => join(folder, name))
    await expect(importer.read(paths, {})).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(reason),
    })
  })
})

it('the module for the application asks what isAuthorized was asked', async () => {
  const converted = await convert(CEDAR_CASES.at(-1) ?? CASE)
  const folder = converted.report === undefined ? '' : converted.folder
  const made = (await import(/* @vite-ignore */ String(pathToFileURL(join(folder, 'questions.mjs'))))) as {
    toQuestion: (...parts: object[]) => object
  }
  const action = { type: 'Shop::Action', id: 'read' }
  expect(
    made.toQuestion({ type: 'Shop::Machine', id: 'm 1' }, action, { type: 'Shop::Order', id: 'o1' }, { a: 1 }),
  ).toEqual({
    user: 'Shop--3a--3aMachine|m--201',
    action: 'read',
    resource: { type: 'Shop--3a--3aOrder', key: 'o1', tenant: 'default' },
    context: { a: 1 },
  })
  expect(readFileSync(join(folder, 'facts.ndjson'), 'utf8')).toContain('"key":"Shop--3a--3aMachine|m--201"')
})
