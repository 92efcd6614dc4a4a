// The law of the importer of Cedar, over random policies and entities of one schema: nothing is allowed that Cedar denies,
// and where every policy was converted, no answer differs. A fault that is planted in the written files is found.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { importer } from '../../src/importers/cedar/importer.ts'
import { prove } from '../../src/importers/frame/proof.ts'
import { loadWritten } from '../../src/importers/frame/written.ts'
import { Pdp } from '../../src/pdp/pdp.ts'
import { temporaryFolder } from '../support/folders.ts'
import { convertWith } from './converted.ts'

const SCHEMA = `entity Role in [Role];
entity Album in [Album] { name: String };
entity User in [Role] { level: Long, team?: String, tags: Set<String> };
entity Photo in [Album] {
  owner: User, private: Bool, level: Long, name: String, tag?: String, tags: Set<String>, readers: Set<User>,
  at?: datetime, place: { city: String, zip?: Long },
};
action viewing;
action view in [viewing] appliesTo { principal: [User], resource: [Photo, Album], context: { mfa: Bool, n?: Long } };
action edit appliesTo { principal: [User], resource: [Photo], context: { mfa: Bool, n?: Long } };
`
const of = <T>(...values: readonly T[]) => fc.constantFrom(...values)
const onPhotos = of(
  'resource.private',
  'resource.owner == principal',
  'principal.level > 2',
  'resource.level >= principal.level',
  '3 > resource.level',
  'resource has tag && resource.tag == "x"',
  'resource has tag',
  'principal has team && principal.team != "red"',
  'resource.tags.contains("a")',
  'resource.tags.containsAll(principal.tags)',
  'resource.tags.containsAny(["a", "b"])',
  'principal.tags.contains(resource.name)',
  '["a", "ab"].contains(resource.name)',
  'resource.name like "a*"',
  'resource.name like "*b"',
  'principal in Role::"r2"',
  'resource in Album::"a1"',
  'principal == User::"u1"',
  '[User::"u1", User::"u2"].contains(resource.owner)',
  'principal in resource.readers',
  'context.mfa',
  'context has n && context.n < 3',
  'resource.place.city == "a"',
  'resource.place has zip && resource.place.zip == 1',
  'resource.tags.isEmpty()',
  'principal is User in Role::"r1"',
  // these have no equal
  'resource.owner.level > 2',
  'resource.owner in Role::"r1"',
  'resource.level + 1 > principal.level',
  'resource.tags == principal.tags',
)
const expression = fc.letrec<{ any: string }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 2 },
    onPhotos,
    fc.tuple(tie('any'), of('&&', '||'), tie('any')).map(([one, operator, other]) => `(${one} ${operator} ${other})`),
    tie('any').map((inside) => `!(${inside})`),
    fc.tuple(tie('any'), tie('any'), tie('any')).map(([test, one, other]) => `(if ${test} then ${one} else ${other})`),
  ),
})).any

const policies = fc.array(
  fc.record({
    effect: of('permit', 'permit', 'permit', 'permit', 'permit', 'forbid'),
    principal: of(
      'principal',
      'principal in Role::"r1"',
      'principal in Role::"r2"',
      'principal == User::"u1"',
      'principal is User in Role::"r3"',
    ),
    action: of('action', 'action == Action::"edit"', 'action in [Action::"viewing"]', 'action == Action::"view"'),
    resource: of(
      'resource is Photo',
      'resource in Album::"a1"',
      'resource == Photo::"p1"',
      'resource is Photo in Album::"a2"',
      'resource',
    ),
    conditions: fc.array(fc.tuple(of('when', 'when', 'unless'), expression), { maxLength: 1 }),
  }),
  { minLength: 1, maxLength: 3 },
)
const printPolicy = (policy: typeof policies extends fc.Arbitrary<(infer T)[]> ? T : never): string => {
  const typed = policy.resource === 'resource' || policy.resource.startsWith('resource in')
  // albums have no attributes of photos
  const conditions = policy.conditions.map(
    ([kind, body]) =>
      `${kind} { ${typed ? (kind === 'when' ? `resource is Photo && ${body}` : `!(resource is Photo) || ${body}`) : body} }`,
  )
  return `${policy.effect} (${policy.principal}, ${policy.action}, ${policy.resource}) ${conditions.join(' ')};`
}

const tags = fc.subarray(['a', 'b', 'x'])
const someRoles = fc.subarray(['r1', 'r2', 'r3'], { maxLength: 2 })
const users = fc.array(fc.record({ level: of(1, 2, 3), team: of('red', 'blue', undefined), tags, roles: someRoles }), {
  minLength: 2,
  maxLength: 3,
})
const photos = fc.array(
  fc.record({
    ...{ owner: of('u1', 'u2'), private: fc.boolean(), level: of(1, 2, 3), name: of('a', 'ab', 'b') },
    ...{ tag: of('x', 'y', undefined), tags, readers: fc.subarray(['u1', 'u2']), album: of('a1', 'a2', undefined) },
    ...{ city: of('a', 'b'), zip: of(1, 2, undefined) },
  }),
  { minLength: 1, maxLength: 3 },
)
const uid = (type: string, id: string) => ({ type, id })

async function convert(text: string, entities: readonly object[], closedEntities: boolean, questions = 40) {
  const folder = temporaryFolder('cedar')
  writeFileSync(join(folder, 'app.cedarschema'), SCHEMA)
  writeFileSync(join(folder, 'policies.cedar'), text)
  writeFileSync(join(folder, 'entities.json'), JSON.stringify(entities))
  const files = ['policies.cedar', 'app.cedarschema', 'entities.json']
  return convertWith({ importer, from: 'cedar', questions }, folder, files, { closedEntities })
}

const listEntities = (
  given: typeof users extends fc.Arbitrary<infer T> ? T : never,
  shown: typeof photos extends fc.Arbitrary<infer T> ? T : never,
  isNested: boolean,
): object[] => [
  { uid: uid('Role', 'r1'), attrs: {}, parents: isNested ? [uid('Role', 'r2')] : [] },
  { uid: uid('Role', 'r2'), attrs: {}, parents: [] },
  { uid: uid('Role', 'r3'), attrs: {}, parents: [] },
  { uid: uid('Album', 'a1'), attrs: { name: 'a' }, parents: isNested ? [uid('Album', 'a2')] : [] },
  { uid: uid('Album', 'a2'), attrs: { name: 'b' }, parents: [] },
  ...given.map(({ roles, ...attrs }, at) => ({
    uid: uid('User', `u${at + 1}`),
    attrs,
    parents: roles.map((role) => uid('Role', role)),
  })),
  ...shown.map(({ owner, readers, album, city, zip, ...attrs }, at) => ({
    uid: uid('Photo', `p${at + 1}`),
    attrs: { ...attrs, owner: uid('User', owner), readers: readers.map((id) => uid('User', id)), place: { city, zip } },
    parents: album === undefined ? [] : [uid('Album', album)],
  })),
]

it('never allows more than Cedar, and answers the same where everything was converted', async () => {
  const sums = { whole: 0, allowed: 0, inPart: 0, refused: 0 }
  await fc.assert(
    fc.asyncProperty(
      policies,
      users,
      photos,
      fc.boolean(),
      fc.boolean(),
      async (given, people, shown, isNested, closed) => {
        const text = given.map(printPolicy).join('\n')
        const converted = await convert(text, listEntities(people, shown, isNested), closed)
        if (converted.report === undefined) {
          // Cedar's validator refuses what it knows to be false
          expect(converted.problems[0]?.message).toMatch(/unable to|impossible|for policy/)
          sums.refused++
          return
        }
        const { findings, proof } = converted.report
        expect(
          proof.differences.filter((each) => each.new === 'allow'),
          text,
        ).toEqual([])
        expect(
          proof.differences.filter((each) => each.old === 'failed'),
          text,
        ).toEqual([])
        const isWhole = findings.every(({ kind }) => kind === 'note')
        if (isWhole) expect(proof.differences, text).toEqual([])
        sums[isWhole ? 'whole' : 'inPart']++
        if (isWhole && proof.allowed > 0) sums.allowed++
      },
    ),
    { seed: 64, numRuns: 24 },
  )
  // otherwise the law would say little
  expect(sums.allowed).toBeGreaterThan(6)
  expect(sums.inPart).toBeGreaterThan(4)
})

const ENTITIES = listEntities(
  [
    { level: 1, team: 'red', tags: ['a'], roles: ['r1'] },
    { level: 3, team: undefined, tags: [], roles: ['r2'] },
  ],
  [
    {
      owner: 'u1',
      private: false,
      level: 2,
      name: 'a',
      tag: 'x',
      tags: [],
      readers: ['u2'],
      album: 'a1',
      city: 'a',
      zip: 1,
    },
    {
      owner: 'u2',
      private: true,
      level: 2,
      name: 'b',
      tag: 'y',
      tags: ['a'],
      readers: [],
      album: 'a2',
      city: 'b',
      zip: 2,
    },
  ],
  true,
)
const POLICIES = `permit (principal in Role::"r2", action == Action::"view", resource in Album::"a2") unless { resource is Photo && resource.private };
permit (principal, action == Action::"edit", resource) when { resource.owner == principal && resource.level > 1 };
forbid (principal, action, resource is Photo) when { resource.tags.contains("a") };
`

/** Each takes the place of a text that stands in a written file. */
const PLANTED: Readonly<Record<string, readonly [file: string, text: string, other: string]>> = {
  'another role': ['facts.ndjson', '"user":"u1","role":"r1"', '"user":"u2","role":"r1"'],
  'another attribute': ['facts.ndjson', '"private":false', '"private":true'],
  'another bound': ['policy.yaml', 'greater-than: 1', 'greater-than: 2'],
  'what is taken away': ['policy.yaml', 'array_contains: a', 'array_contains: b'],
  'another action': ['policy.yaml', 'permission: Photo:view', 'permission: Photo:edit'],
}

it.each(Object.entries(PLANTED))('finds a planted fault: %s', async (_, [file, text, other]) => {
  const converted = await convert(POLICIES, ENTITIES, true, 5_000)
  expect(converted.report).toMatchObject({ exact: true, proof: { different: 0 } })
  if (converted.report === undefined) return
  const path = join(converted.folder, file)
  const written = readFileSync(path, 'utf8')
  expect(written).toContain(text)
  writeFileSync(path, written.replaceAll(text, other))
  const pdp = loadWritten(converted.folder)
  expect(pdp).toBeInstanceOf(Pdp)
  const proof = await prove(converted.imported, pdp as Pdp, { questions: 10_000, seed: 1 })
  expect(proof.different).toBeGreaterThan(0)
})
