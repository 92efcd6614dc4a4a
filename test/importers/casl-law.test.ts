// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates in rules of CASL
// The law of the importer of CASL, over random rules and random JSON as subjects: nothing is allowed that CASL denies,
// and where every construct was converted, no answer differs. A fault that is planted in the written files is found.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { importer } from '../../src/importers/casl/importer.ts'
import type { ImporterOptions } from '../../src/importers/frame/importer.ts'
import { prove } from '../../src/importers/frame/proof.ts'
import { loadTests } from '../../src/importers/frame/written.ts'
import type { JsonObject } from '../../src/model/objects.ts'
import type { Pdp } from '../../src/pdp/pdp.ts'
import { temporaryFolder } from '../support/folders.ts'
import { convertWith } from './converted.ts'

const of = <T>(...values: readonly T[]) => fc.constantFrom(...values)
const FIELDS = ['status', 'ownerId', 'tags', 'views', 'owner.id', 'at.x.y'] as const
const scalars = of<unknown>('draft', 'é', '', 0, 3, -1, true, false, 'a b', '7')
const values = fc.oneof(
  { weight: 6, arbitrary: scalars },
  { weight: 2, arbitrary: of<unknown>('${user.id}', '{{ user.org.id }}') },
  { weight: 1, arbitrary: of<unknown>(null, '${id}', 'x-${user.id}') },
)
const operators = fc.oneof(
  fc.record({ $eq: values }),
  fc.record({ $ne: values }),
  fc.record({ $in: fc.array(values, { maxLength: 3 }) }),
  fc.record({ $nin: fc.array(values, { maxLength: 3 }) }),
  fc.record({ $in: of('${user.teams}') }),
  fc.record({ $gt: of<unknown>(0, 3, 'draft', '${user.limit}') }),
  fc.record({ $gte: of<unknown>(3), $lt: of<unknown>(7, 'x') }),
  fc.record({ $lte: of<unknown>(-1, 3, '7') }),
  fc.record({ $exists: fc.boolean() }),
  fc.record({ $all: fc.array(scalars, { maxLength: 2 }) }),
  fc.record({ $regex: of('^dra', 'ft$', '^draft$', 'a', 'd.*t', '') }),
  fc.record({ $size: of(0, 1) }),
  fc.record({ $elemMatch: fc.record({ x: scalars }) }),
)
const conditions = fc.dictionary(of(...FIELDS), fc.oneof(values, operators), { maxKeys: 2 })
const rules = fc.array(
  fc.record(
    {
      action: fc.oneof(of('read', 'update', 'manage'), fc.constant(['read', 'delete'])),
      subject: fc.oneof(of('Post', 'User', 'all'), fc.constant(['Post', 'User'])),
      conditions,
      inverted: of(false, false, true),
      fields: of(['title']),
    },
    { requiredKeys: ['action', 'subject', 'inverted'] },
  ),
  { minLength: 1, maxLength: 5 },
)
const seldomFields = (given: readonly object[], keep: boolean): readonly object[] =>
  given.map((rule) => (keep ? rule : { ...rule, fields: undefined }))

const json = fc.oneof(
  scalars,
  of<unknown>(
    null,
    'draft-other',
    4,
    [],
    ['draft'],
    [3, 'é'],
    [null],
    { id: 3 },
    { x: { y: 3 } },
    [{ id: 3 }, { x: 3 }],
    { x: [{ y: 3 }] },
  ),
)
const subjects = fc.array(fc.dictionary(of('status', 'ownerId', 'tags', 'views', 'owner', 'at'), json), {
  minLength: 12,
  maxLength: 12,
})

async function convert(rules: readonly object[], options: ImporterOptions, questions = 150) {
  const folder = temporaryFolder('casl')
  writeFileSync(join(folder, 'editor.json'), JSON.stringify(rules))
  return convertWith({ importer, from: 'casl', questions }, folder, ['editor.json'], options)
}

it('never allows more than CASL, and answers the same where everything was converted', async () => {
  const sums = { whole: 0, allowed: 0, inPart: 0, asked: 0 }
  await fc.assert(
    fc.asyncProperty(rules, fc.boolean(), fc.nat(5), subjects, async (given, plainValues, fields, others) => {
      const written = seldomFields(given, fields === 0)
      const converted = await convert(written, { closedNames: true, plainValues })
      expect(converted.problems).toEqual([])
      if (converted.report === undefined) return
      const { findings, proof } = converted.report
      expect(proof.wider, JSON.stringify(proof.differences.filter((each) => each.new === 'allow').slice(0, 3))).toBe(0)
      const isWhole = findings.every(({ kind }) => kind === 'note')
      if (isWhole) expect(proof.differences).toEqual([])
      sums[isWhole ? 'whole' : 'inPart']++
      if (isWhole && proof.allowed > 0) sums.allowed++
      if (plainValues || proof.questions === 0) return
      // any JSON, not only what the universe is made of
      const pdp = (loadTests(converted.folder, converted.imported.tests) as ReadonlyMap<string, Pdp>).get('roles')
      const engine = await converted.imported.open()
      const { old } = converted.imported.questions.at(0)
      const has = (name: string): boolean => JSON.stringify(given).includes(`"${name}"`)
      for (const type of ['Post', 'User'].filter((name) => has(name) && has('read')))
        for (const attributes of others) {
          const before = await engine
            .ask({ ...(old as object), action: 'read', type, attributes })
            .catch(() => undefined)
          if (before === undefined) continue // it reads a member of null
          const is = pdp?.check('editor-1', 'read', { type, tenant: 'default', attributes: attributes as JsonObject })
          if (is === true || isWhole) expect([attributes, is]).toEqual([attributes, before])
          sums.asked++
        }
    }),
    { seed: 64, numRuns: 50 },
  )
  // otherwise the law would say little
  expect(sums.allowed).toBeGreaterThan(8)
  expect(sums.inPart).toBeGreaterThan(20)
})

const RULES = [
  { action: ['read', 'create'], subject: 'Post' },
  { action: 'update', subject: 'Post', conditions: { ownerId: '${user.id}', views: { $lt: 10 } } },
  { action: 'update', subject: 'Post', inverted: true, conditions: { status: { $in: ['locked', 'gone'] } } },
]

/** Each takes the place of a text that stands in the written policy. */
const PLANTED: Readonly<Record<string, readonly [text: string, other: string]>> = {
  'a permission more': ['      - Post:read\n', '      - Post:read\n      - Post:update\n'],
  'a permission less': ['      - Post:read\n', ''],
  'another attribute of the user': ['ref: user.id', 'ref: user.name'],
  'another bound': ['less-than: 10', 'less-than-equals: 10'],
  'a value less that is taken away': ['          - gone\n', ''],
  'another role': ['user_set: editor', 'user_set: other'],
}

it.each(Object.entries(PLANTED))('finds a planted fault: %s', async (name, [text, other]) => {
  const converted = await convert(RULES, { closedNames: true, plainValues: true })
  expect(converted.report).toMatchObject({ exact: true, proof: { different: 0 } })
  if (converted.report === undefined) return
  const path = join(converted.folder, 'policy.yaml')
  const written = readFileSync(path, 'utf8')
  expect(written).toContain(text)
  const roles = name === 'another role' ? 'roles:\n  - key: other\n' : 'roles:\n'
  writeFileSync(path, written.replace(text, other).replace('roles:\n', roles))
  const tests = loadTests(converted.folder, converted.imported.tests)
  expect(tests).toBeInstanceOf(Map)
  const pdp = (tests as ReadonlyMap<string, Pdp>).get('roles') as Pdp
  const proof = await prove(converted.imported, pdp, {
    ...{ questions: 10_000, seed: 1 },
    tests: tests as ReadonlyMap<string, Pdp>,
  })
  expect(proof.different).toBeGreaterThan(0)
})
