// The law of the importer of OpenFGA, over random stores: nothing is allowed that OpenFGA denies, and where every construct was
// converted, no answer differs. A fault that is planted in the written files is found.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { prove } from '../../src/importers/frame/proof.ts'
import { loadTests, loadWritten } from '../../src/importers/frame/written.ts'
import type { Asked } from '../../src/importers/openfga/assertions.ts'
import { importer } from '../../src/importers/openfga/importer.ts'
import { loadParser } from '../../src/importers/openfga/parser.ts'
import type { TupleKey } from '../../src/importers/openfga/tuples.ts'
import type { JsonObject } from '../../src/model/objects.ts'
import { Pdp } from '../../src/pdp/pdp.ts'
import { temporaryFolder } from '../support/folders.ts'
import { ROOT } from '../tidy/source.ts'
import { type Converted, convertWith } from './converted.ts'
import { OpenFgaReference } from './openfga-reference.ts'

const CONDITIONS: Readonly<Record<string, string>> = {
  until: `condition until(current_time: timestamp, ends: timestamp, more: duration) {
  current_time < ends + more
}
`,
  inside: `condition inside(current_time: timestamp, begins: timestamp, ends: timestamp) {
  begins <= current_time && ends >= current_time
}
`,
  free: `condition free(place: string) {
  place == "office"
}
`,
}
const ENDS = ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.0005Z', '2026-01-02T01:00:00+01:00']
const MORE = ['1h', '1.5s', '0s', '-1ms']

const IDS = {
  user: ['ana', 'ü/b', '*'],
  bot: ['x', '*'],
  group: ['g1', 'g2'],
  folder: ['f1', 'f/2'],
  doc: ['d1', 'd.2'],
} as const
type TypeName = keyof typeof IDS

/** Restrictions that a relation may have, by their numbers. */
const RESTRICTIONS = [
  'user',
  'user:*',
  'bot',
  'bot:*',
  'group#member',
  'folder#viewer',
  'user with until',
  'group#member with inside',
  'user with free',
] as const

const of = <T>(names: readonly T[]) => fc.constantFrom(...names)
const restrictions = (hasBots: boolean, isRich: boolean) =>
  fc
    .uniqueArray(
      of(RESTRICTIONS.filter((each) => (hasBots || !each.startsWith('bot')) && (isRich || !each.endsWith('free')))),
      { minLength: 1, maxLength: 3 },
    )
    .map((list) =>
      list.some((each) => each.startsWith('user') && each !== 'user:*') ? list : [...list, 'user' as const],
    )

/** Ways that lead to a relation besides its tuples. */
const ways = (computed: readonly string[], from: readonly string[]) =>
  fc.tuple(
    fc.uniqueArray(of([...computed, ...from]), { maxLength: 2 }),
    fc.oneof({ weight: 4, arbitrary: fc.constant('or') }, { weight: 1, arbitrary: of(['and', 'but not']) }),
  )

const stores = fc
  .record({ hasBots: fc.boolean(), isRich: fc.integer({ min: 0, max: 3 }).map((at) => at === 0) })
  .chain(({ hasBots, isRich }) => {
    const define = (computed: readonly string[], from: readonly string[], mayTakeAway = isRich) =>
      fc
        .tuple(
          restrictions(hasBots, isRich),
          computed.length + from.length === 0 ? fc.constant([[], 'or'] as const) : ways(computed, from),
        )
        .map(([list, [parts, word]]) => {
          const direct = `[${[...new Set(list)].join(', ')}]`
          const used = mayTakeAway ? word : 'or'
          if (parts.length === 0) return direct
          return used === 'or' ? [direct, ...parts].join(' or ') : `${direct} ${used} ${parts[0]}`
        })
    return fc.record({
      hasBots: fc.constant(hasBots),
      member: define([], []),
      // what leads back to itself only adds
      owner: define([], ['owner from parent'], false),
      viewer: define(['owner'], ['viewer from parent'], false),
      docOwner: define([], ['owner from parent', 'viewer from parent']),
      docViewer: define(['owner'], ['viewer from parent', 'viewer from copy'], false),
      can: of([
        'viewer',
        'viewer or owner',
        'owner or viewer from parent',
        ...(isRich ? ['viewer and owner', 'viewer but not owner', '(viewer and owner) or owner from parent'] : []),
      ]),
      tuples: fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat(), fc.nat(), of(ENDS), of(MORE), of(ENDS)), {
        minLength: 3,
        maxLength: 14,
      }),
    })
  })
type Store = typeof stores extends fc.Arbitrary<infer T> ? T : never

/** With the conditions that it names: OpenFGA refuses others. */
function printModel(store: Store): string {
  const types = printTypes(store)
  const used = Object.entries(CONDITIONS).filter(([name]) => types.includes(` with ${name}`))
  return [types, ...used.map(([, text]) => text)].join('\n')
}

const printTypes = (store: Store): string => `model
  schema 1.1
type user
${store.hasBots ? 'type bot\n' : ''}type group
  relations
    define member: ${store.member}
type folder
  relations
    define parent: [folder]
    define owner: ${store.owner}
    define viewer: ${store.viewer}
type doc
  relations
    define parent: [folder]
    define copy: [doc, folder]
    define owner: ${store.docOwner}
    define viewer: ${store.docViewer}
    define can: ${store.can}
`

/** Tuples that the model allows, chosen by numbers. */
function listTuples(store: Store, model: Awaited<ReturnType<typeof parse>>): TupleKey[] {
  const places = model.type_definitions.flatMap(({ type, metadata }) =>
    Object.entries(metadata?.relations ?? {}).flatMap(([relation, { directly_related_user_types: list }]) =>
      (list ?? []).map((restriction) => ({ type: type as TypeName, relation, restriction })),
    ),
  )
  const tuples = new Map<string, TupleKey>()
  for (const [place, left, right, _, ends, more, begins] of store.tuples) {
    const { type, relation, restriction } = places[place % places.length]!
    const pick = (names: readonly string[], at: number): string => names[at % names.length]!
    const id = restriction.wildcard
      ? '*'
      : pick(
          IDS[restriction.type as TypeName].filter((each) => each !== '*'),
          left,
        )
    const user = `${restriction.type}:${id}${restriction.relation ? `#${restriction.relation}` : ''}`
    const object = `${type}:${pick(IDS[type], right).replace('*', 'g1')}`
    const contexts: Readonly<Record<string, JsonObject>> = { until: { ends, more }, inside: { begins, ends }, free: {} }
    const context = contexts[restriction.condition ?? ''] ?? {}
    const condition = restriction.condition ? { condition: { name: restriction.condition, context } } : {}
    tuples.set(`${user} ${relation} ${object}`, { user, relation, object, ...condition })
  }
  return [...tuples.values()]
}

const parser = await loadParser()
const parse = (text: string) => Promise.resolve(parser.transformer.transformDSLToJSONObject(text))

/** Nanoseconds are compared as in OpenFGA, whose instants are finer than ours. */
function isTrue(
  { name, context }: NonNullable<TupleKey['condition']>,
  sent: Readonly<Record<string, unknown>>,
): boolean {
  const toNumber = (text: unknown): number =>
    Date.parse(String(text).replace('.0005', '')) + (String(text).includes('.0005') ? 0.5 : 0)
  const values = (context ?? {}) as Record<string, string>
  const now = toNumber(sent.current_time)
  if (name === 'free') return sent.place === 'office'
  if (name === 'inside') return toNumber(values.begins) <= now && toNumber(values.ends) >= now
  return now < toNumber(values.ends) + { '1h': 3_600_000, '1.5s': 1500, '0s': 0, '-1ms': -1 }[values.more ?? '']!
}

it('never allows more than OpenFGA, and answers the same where everything was converted', async () => {
  const sums = { whole: 0, inPart: 0, allowed: 0 }
  await fc.assert(
    fc.asyncProperty(stores, async (store) => {
      const folder = temporaryFolder('openfga')
      const text = printModel(store)
      const model = await parse(text)
      const tuples = listTuples(store, model)
      writeFileSync(join(folder, 'model.fga'), text)
      writeFileSync(join(folder, 'tuples.json'), JSON.stringify(tuples))
      const reference = new OpenFgaReference(model, tuples, isTrue)
      const converted = await convertWith(
        {
          ...{ importer, from: 'openfga', questions: 150 },
          change: (imported) => ({
            ...imported,
            open: () =>
              Promise.resolve({
                name: 'reference',
                ask: (old: unknown) => {
                  const { user, relation, object, context } = old as Asked
                  return Promise.resolve(reference.check(user, relation, object, context))
                },
                close: () => Promise.resolve(),
              }),
          }),
        },
        folder,
        ['model.fga', 'tuples.json'],
        { openfgaUrl: 'http://unused' },
      )
      const { report } = converted
      if (report === undefined) throw new Error(JSON.stringify([converted.problems, text]))
      const isWhole = report.findings.every(({ kind }) => kind === 'note')
      expect(report.proof.wider, text).toBe(0)
      if (isWhole) expect(report.proof.differences, text).toEqual([])
      sums[isWhole ? 'whole' : 'inPart']++
      sums.allowed += report.proof.allowed
    }),
    { seed: 20261128, numRuns: 50 },
  )
  expect(sums.whole).toBeGreaterThan(15)
  expect(sums.inPart).toBeGreaterThan(15)
  expect(sums.allowed).toBeGreaterThan(300)
})

const CORPUS = join(ROOT, 'test/importers/openfga-corpus')

/** The written files of a store whose answers do not differ, with something changed in them. */
async function proveChanged(change: (policy: string, test: string) => readonly [policy: string, test: string]) {
  const converted: Converted = await convertWith({ importer, from: 'openfga', questions: 1000 }, CORPUS, [
    'github/store.fga.yaml',
  ])
  if (converted.report === undefined) throw new Error('not converted')
  const [policy, test] = ['policy.yaml', `tests/${converted.imported.tests![0]!.key}.yaml`].map((name) =>
    join(converted.folder, name),
  ) as [string, string]
  const changed = change(readFileSync(policy, 'utf8'), readFileSync(test, 'utf8'))
  expect(changed).not.toEqual([readFileSync(policy, 'utf8'), readFileSync(test, 'utf8')])
  writeFileSync(policy, changed[0])
  writeFileSync(test, changed[1])
  const pdp = loadWritten(converted.folder)
  const tests = loadTests(converted.folder, converted.imported.tests)
  if (!(pdp instanceof Pdp) || 'problems' in tests) throw new Error('the changed files are wrong')
  return prove(converted.imported, pdp, { questions: 1000, seed: 1, tests })
}

it('finds what is planted in the written files: too little, and too much', async () => {
  const less = await proveChanged((policy, test) => [policy, test.replace(/^.*relation: member_team_member.*\n/m, '')])
  expect(less.wider).toBe(0)
  expect(less.different).toBeGreaterThan(0)
  const more = await proveChanged((policy, test) => [
    policy.replace(/( {6}reader:\n {8}permissions:\n)/, '$1          - writer\n'),
    test,
  ])
  expect(more.wider).toBeGreaterThan(0)
})
