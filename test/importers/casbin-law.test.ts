// The law of the importer of casbin, over random models and rules: nothing is allowed that casbin denies, and where every
// construct was converted, no answer differs. A fault that is planted in the written files is found.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { prove } from '../../src/importers/frame/proof.ts'
import { loadWritten } from '../../src/importers/frame/written.ts'
import { Pdp } from '../../src/pdp/pdp.ts'
import { type Converted, convertTexts } from './converted.ts'

const USERS = ['ana', 'ben', 'ü', 'team/eve', '--2f']
const ROLES = ['admin', 'editor', 'role:reader', '/ops']
const OBJECTS = ['data1', '/data/1', '/data/2', 'é a', 'group']
const PATTERNS = [...OBJECTS, '/data/*', '/data/1*', '*', 'd*x']
const ACTIONS = ['read', 'write', 'GET']
const ACTION_PATTERNS = ['read', 'read|write', '(GET)|(read)', '^(read|GET)$', '^write$', '.*']
const DOMAINS = ['d1', 'd2', 'a b']

const of = (names: readonly string[]) => fc.constantFrom(...names)
const EFFECTS = {
  allow: 'some(where (p.eft == allow))',
  deny: 'some(where (p.eft == allow)) && !some(where (p.eft == deny))',
  priority: 'priority(p.eft) || deny',
  none: '!some(where (p.eft == deny))',
}

/** A model, and values for the columns of its rules. */
const shapes = fc.record({
  hasDomains: fc.boolean(),
  subject: of(['equal', 'group', 'group', 'none']),
  object: of(['equal', 'equal', 'keyMatch', 'group', 'none']),
  action: of(['equal', 'equal', 'star', 'regexMatch', 'none']),
  domain: of(['equal', 'equal', 'group', 'none']),
  root: fc.boolean(),
  effect: fc.oneof(
    { weight: 4, arbitrary: fc.constant('allow' as const) },
    { weight: 1, arbitrary: fc.constantFrom('deny' as const, 'priority' as const, 'none' as const) },
  ),
})

const rules = fc.array(
  fc.record({
    subject: of([...USERS, ...ROLES]),
    object: fc.tuple(of(OBJECTS), of(PATTERNS)),
    action: fc.tuple(of(ACTIONS), of(ACTION_PATTERNS), of([...ACTIONS, '*'])),
    domain: of(DOMAINS),
    eft: of(['allow', 'allow', 'allow', 'deny']),
  }),
  { maxLength: 6 },
)
const links = fc.array(fc.tuple(of([...USERS, ...ROLES]), of(ROLES), of(DOMAINS)), { maxLength: 6 })
const groups = fc.array(fc.tuple(of(OBJECTS), of(['group', '/data/2'])), { maxLength: 3 })
const nested = fc.array(fc.tuple(of(DOMAINS), of(DOMAINS)), { maxLength: 2 })

const quote = (value: string): string => (value.includes(',') ? `"${value}"` : value)

type Shape = typeof shapes extends fc.Arbitrary<infer T> ? T : never

function printModel({ hasDomains, subject, object, action, domain, root, effect }: Shape): string {
  const terms = [
    ...(subject === 'none'
      ? []
      : [subject === 'equal' ? 'r.sub == p.sub' : hasDomains ? 'g(r.sub, p.sub, r.dom)' : 'g(r.sub, p.sub)']),
    ...(!hasDomains || domain === 'none' ? [] : [domain === 'equal' ? 'r.dom == p.dom' : 'g3(r.dom, p.dom)']),
    ...(object === 'none'
      ? []
      : [object === 'equal' ? 'r.obj == p.obj' : object === 'group' ? 'g2(r.obj, p.obj)' : 'keyMatch(r.obj, p.obj)']),
    ...(action === 'none'
      ? []
      : [
          action === 'equal'
            ? 'r.act == p.act'
            : action === 'star'
              ? '(r.act == p.act || p.act == "*")'
              : 'regexMatch(r.act, p.act)',
        ]),
  ]
  const [request, columns] = [['sub', ...(hasDomains ? ['dom'] : []), 'obj', 'act'], 'eft']
  const matcher = `${terms.join(' && ') || 'r.sub == p.sub'}${root ? ' || r.sub == "root"' : ''}`
  return `[request_definition]
r = ${request.join(', ')}
[policy_definition]
p = ${[...request, columns].join(', ')}
[role_definition]
g = _, _${hasDomains ? ', _' : ''}
g2 = _, _
g3 = _, _
[policy_effect]
e = ${EFFECTS[effect]}
[matchers]
m = ${matcher}
`
}

it('never allows more than casbin, and answers the same where everything was converted', async () => {
  const sums = { whole: 0, allowed: 0, inPart: 0 }
  await fc.assert(
    fc.asyncProperty(
      shapes,
      rules,
      links,
      groups,
      nested,
      fc.boolean(),
      async (shape, given, roles, grouped, domains, rolesAsUsers) => {
        const lines = [
          ...given.map(({ subject, object, action, domain, eft }) => [
            'p',
            subject,
            ...(shape.hasDomains ? [domain] : []),
            object[shape.object === 'keyMatch' ? 1 : 0],
            action[shape.action === 'regexMatch' ? 1 : shape.action === 'star' ? 2 : 0],
            eft,
          ]),
          ...roles.map(([from, to, domain]) => ['g', from, to, ...(shape.hasDomains ? [domain] : [])]),
          ...grouped.map((link) => ['g2', ...link]),
          ...domains.map((link) => ['g3', ...link]),
        ]
        const text = lines.map((values) => values.map(quote).join(', ')).join('\n')
        const converted = await convertTexts(printModel(shape), text, { closedActions: true, rolesAsUsers }, 300)
        expect(converted.problems).toEqual([])
        const { findings, proof } = converted.report!
        expect(proof.differences.filter((each) => each.new === 'allow')).toEqual([])
        const isWhole = findings.every(({ kind }) => kind === 'note')
        if (isWhole) expect(proof.differences).toEqual([])
        sums[isWhole ? 'whole' : 'inPart']++
        if (isWhole && proof.allowed > 0) sums.allowed++
      },
    ),
    { seed: 54, numRuns: 80 },
  )
  // otherwise the law would say little
  expect(sums.allowed).toBeGreaterThan(20)
  expect(sums.inPart).toBeGreaterThan(10)
})

const MODEL = printModel({
  hasDomains: false,
  subject: 'group',
  object: 'keyMatch',
  action: 'equal',
  domain: 'none',
  root: false,
  effect: 'allow',
})
const RULES = `p, ana, /data/*, read, allow
p, admin, data1, write, allow
p, ben, data1, read, allow
g, eve, admin
`

/** Each takes the place of a text that stands in a written file. */
const PLANTED: Readonly<Record<string, readonly [file: string, text: string, other: string]>> = {
  'another action': ['policy.yaml', 'permission: object:write', 'permission: object:read'],
  'a wider beginning': ['policy.yaml', 'starts-with: "--2fdata--2f"', 'starts-with: "--2fdata"'],
  'a narrower beginning': ['policy.yaml', 'starts-with: "--2fdata--2f"', 'starts-with: "--2fdata--2fa"'],
  'another object': ['policy.yaml', 'equals: data1', 'equals: data2'],
  'another role': ['facts.ndjson', '"user":"eve","role":"admin"', '"user":"eve","role":"ben"'],
  'another user': ['facts.ndjson', '"user":"ana","role":"ana"', '"user":"eve","role":"ana"'],
}

it.each(Object.entries(PLANTED))('finds a planted fault: %s', async (_, [file, text, other]) => {
  const converted: Converted = await convertTexts(MODEL, RULES, { closedActions: true })
  expect(converted.report).toMatchObject({ exact: true, proof: { different: 0 } })
  if (converted.report === undefined) return
  const path = join(converted.folder, file)
  const written = readFileSync(path, 'utf8')
  expect(written).toContain(text)
  writeFileSync(path, written.replace(text, other))
  const pdp = loadWritten(converted.folder)
  expect(pdp).toBeInstanceOf(Pdp)
  const proof = await prove(converted.imported, pdp as Pdp, { questions: 10_000, seed: 1 })
  expect(proof.different).toBeGreaterThan(0)
})
