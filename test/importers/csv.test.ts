// CSV files with a mapping: what becomes of them, a law over random cells, planted faults in what was written, and files
// that are wrong, with their lines.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { importer } from '../../src/importers/csv/importer.ts'
import { prove } from '../../src/importers/frame/proof.ts'
import { splitRows } from '../../src/importers/frame/rows.ts'
import { loadWritten, readWrittenFacts } from '../../src/importers/frame/written.ts'
import { Pdp } from '../../src/pdp/pdp.ts'
import { temporaryFolder } from '../support/folders.ts'
import { convertWith } from './converted.ts'

const POLICY = `zerohop: 2
resources:
  - key: document
    actions: { read: {} }
    attributes: { level: { type: number } }
    relations: { parent: folder }
    roles: { viewer: { permissions: [read] } }
  - key: folder
    actions: { read: {} }
roles:
  - { key: editor, permissions: [document:read] }
  - { key: team--20lead }
`
const MAPPING = `csv: 1
policy: policy.yaml
tenants: { file: orgs.csv, key: id, name: name }
users:
  file: people.csv
  key: id
  email: mail
  attributes: { level: { column: level, type: number }, team: team }
memberships: { file: members.csv, user: user, tenant: org }
resource_instances:
  file: documents.csv
  resource: { value: document }
  key: id
  tenant: org
role_assignments:
  file: grants.csv
  user: user
  role: { column: role, values: { Admin: editor, Lead: team lead } }
  tenant: org
  valid_until: ends
`
const FILES: Readonly<Record<string, string>> = {
  'policy.yaml': POLICY,
  'mapping.yaml': MAPPING,
  'orgs.csv': 'id,name\nacme,"Acme, Inc."\nx y,\n',
  'people.csv': '\ufeffid,mail,level,team,unused\r\nana,ana@x.org,3,"a ""b""\nc",1\r\nben@x.org,,,,\r\n',
  'members.csv': 'user,org\nana,x y\n',
  'documents.csv': 'id,org\n/plans/1,acme\n',
  'grants.csv': 'user,role,org,ends\nana,Admin,acme,\nana,Lead,x y,2027-01-31T12:00:00+01:00\nana,Admin,acme,\n',
}

function convert(files: Readonly<Record<string, string>> = {}) {
  const folder = temporaryFolder('csv')
  for (const [name, text] of Object.entries({ ...FILES, ...files })) writeFileSync(join(folder, name), text)
  mkdirSync(join(folder, 'more'))
  return convertWith({ importer, from: 'csv', questions: 1 }, folder, ['mapping.yaml'])
}

const readFacts = (folder: string): unknown[] =>
  readFileSync(join(folder, 'facts.ndjson'), 'utf8')
    .trimEnd()
    .split('\n')
    .slice(1, -1)
    .map((line) => JSON.parse(line))

describe('rows', () => {
  it('become facts, in the order in which they name each other', async () => {
    const converted = await convert()
    expect(converted.problems).toEqual([])
    if (converted.report === undefined) return
    expect(readFacts(converted.folder)).toEqual([
      { tenant: { key: 'acme', name: 'Acme, Inc.' } },
      { tenant: { key: 'x--20y' } },
      { user: { key: 'ana', email: 'ana@x.org', attributes: { level: 3, team: 'a "b"\nc' } } },
      { user: { key: 'ben@x.org' } },
      { membership: { user: 'ana', tenant: 'x--20y' } },
      { resource_instance: { resource: 'document', key: '--2fplans--2f1', tenant: 'acme' } },
      { role_assignment: { user: 'ana', role: 'editor', tenant: 'acme' } },
      {
        role_assignment: {
          user: 'ana',
          role: 'team--20lead',
          tenant: 'x--20y',
          valid_until: '2027-01-31T12:00:00+01:00',
        },
      },
    ])
    const { findings, exact, proof } = converted.report
    expect(findings.map(({ file, line, reason }) => [file.split('/').at(-1), line, reason])).toEqual([
      ['people.csv', 1, 'these columns are not read for `users`'],
      ['grants.csv', 4, '1 row says the same as a row before, and each fact is written once'],
    ])
    expect({ exact, ...proof }).toMatchObject({ exact: true, asked: 9, allowed: 9, different: 0 })
  })

  it('are found again in what was written, whatever stands in them', async () => {
    const cell = fc.string({
      unit: fc.constantFrom('a', 'B', '-', '2', 'f', '"', ',', ';', '\n', '#', ' ', 'é', '|'),
      minLength: 1,
      maxLength: 6,
    })
    const quote = (text: string): string => `"${text.replaceAll('"', '""')}"`
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.tuple(cell, cell, fc.integer()), { selector: ([key]) => key, minLength: 1, maxLength: 5 }),
        async (rows) => {
          const people = [
            'id,mail,level,team',
            ...rows.map(([key, team, level]) => `${quote(key)},,${level},${quote(team)}`),
          ].join('\n')
          const mapping = MAPPING.slice(0, MAPPING.indexOf('memberships:'))
          const converted = await convert({ 'people.csv': people, 'mapping.yaml': mapping })
          expect(converted.problems).toEqual([])
          expect(converted.report).toMatchObject({ exact: true, proof: { asked: rows.length + 2, different: 0 } })
        },
      ),
      { seed: 64, numRuns: 25 },
    )
  })

  it('may be separated by another sign, and have comments where the mapping says so', () => {
    const refuse = (message: string): never => {
      throw new Error(message)
    }
    const text = '# all\nid;name\n"#1";"a;b"\n# no "quote\n\n2;c,d'
    expect(splitRows(text, refuse, { delimiter: ';', comment: '#' })).toEqual([
      { values: ['id', 'name'], line: 2 },
      { values: ['#1', 'a;b'], line: 3 },
      { values: ['2', 'c,d'], line: 6 },
    ])
  })
})

/** Each takes the place of a text that stands in the written facts. */
const PLANTED: Readonly<Record<string, readonly [text: string, other: string]>> = {
  'another role': ['"user":"ana","role":"editor"', '"user":"ben@x.org","role":"editor"'],
  'another value': ['"level":3', '"level":4'],
  'a field that is left out': [',"email":"ana@x.org"', ''],
  'another end': ['2027-01-31T12:00:00+01:00', '2027-01-31T12:00:00Z'],
  'a fact more': ['{"membership":', '{"user":{"key":"eve"}}\n{"membership":'],
  'a fact less': ['{"membership":{"user":"ana","tenant":"x--20y"}}\n', ''],
}

it.each(Object.entries(PLANTED))('finds a planted fault: %s', async (_, [text, other]) => {
  const converted = await convert()
  if (converted.report === undefined) throw new Error(JSON.stringify(converted.problems))
  const path = join(converted.folder, 'facts.ndjson')
  const written = readFileSync(path, 'utf8')
  expect(written).toContain(text)
  writeFileSync(path, written.replace(text, other))
  const pdp = loadWritten(converted.folder)
  expect(pdp).toBeInstanceOf(Pdp)
  const options = { questions: 1, seed: 1, written: () => readWrittenFacts(converted.folder) }
  expect((await prove(converted.imported, pdp as Pdp, options)).different).toBeGreaterThan(0)
})

describe('files that are wrong say where', () => {
  it.each<[Readonly<Record<string, string>>, string, number, string]>([
    [{ 'people.csv': 'id,mail,level,team\nana,,3\n' }, 'people.csv', 2, 'the first line has 4 columns, this one has 3'],
    [
      { 'people.csv': 'id,mail,level,team\n"a\nb",,,\nana,,x,\n' },
      'people.csv',
      4,
      'attributes.level: `x` is not a number that attributes hold',
    ],
    [
      { 'people.csv': 'id,mail,level,team\nana,,1,"x\n' },
      'people.csv',
      2,
      'a quote is not closed, or text stands beside it',
    ],
    [{ 'people.csv': 'id,mail,level,team\n,,1,\n' }, 'people.csv', 2, '`id` is empty'],
    [
      { 'people.csv': 'id,mail,level,team\nana,,1,\nben,,,\nana,,2,\n' },
      'people.csv',
      4,
      'the same user is another one at',
    ],
    [{ 'people.csv': 'id,id,mail,level,team\n' }, 'people.csv', 1, 'the column `id` appears twice'],
    [{ 'people.csv': '' }, 'people.csv', 1, 'the file is empty'],
    [{ 'people.csv': 'id,level,team\n' }, 'mapping.yaml', 7, 'has no column `mail`: its columns are id, level, team'],
    [
      { 'grants.csv': 'user,role,org,ends\nana,Boss,acme,\n' },
      'grants.csv',
      2,
      '`values` does not say what `Boss` of `role` is',
    ],
    [
      { 'grants.csv': 'user,role,org,ends\nana,Admin,acme,2027-01-31\n' },
      'grants.csv',
      2,
      'is not an instant with a zone',
    ],
    [{ 'grants.csv': 'user,role,org,ends\n\neve,Admin,acme,\n' }, 'grants.csv', 3, 'eve'],
    [{ 'grants.csv': 'user,role,org,ends\nana,Admin,other,\n' }, 'grants.csv', 2, 'other'],
    [{ 'policy.yaml': 'zerohop: 2\nroles:\n  - { kee: x }\n' }, 'policy.yaml', 3, 'kee'],
    [
      { 'mapping.yaml': 'csv: 1\npolicy: policy.yaml\nusers: { file: people.csv, mail: x }\n' },
      'mapping.yaml',
      3,
      '`key` is missing',
    ],
    [{ 'mapping.yaml': 'csv: 1\npolicy: policy.yaml\n' }, 'mapping.yaml', 1, 'nothing is mapped'],
    [
      { 'mapping.yaml': MAPPING.replace('{ value: document }', '{ value: document, column: id }') },
      'mapping.yaml',
      12,
      '`resource` has either a column or a value',
    ],
    [
      { 'mapping.yaml': MAPPING.replace('csv: 1', 'csv: 1\ndelimiter: "::"') },
      'mapping.yaml',
      2,
      'the delimiter is one sign',
    ],
  ])('%#', async (files, file, line, message) => {
    const { problems } = await convert(files)
    expect(problems.map(({ place }) => [place.file.split('/').at(-1), place.line])).toContainEqual([file, line])
    expect(problems.map((each) => each.message).join('\n')).toContain(message)
  })

  it('a file that is missing', async () => {
    await expect(convert({ 'mapping.yaml': MAPPING.replace('orgs.csv', 'none.csv') })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('the file does not exist'),
    })
    await expect(async () => importer.read([], {})).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
  })
})
