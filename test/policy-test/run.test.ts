// Tests of policies as files: every form of an expectation, what is wrong with files, coverage and mutants by lists
// that were made by hand.
import { describe, expect, it } from 'vitest'
import type { RunOptions } from '../../src/policy-test/run-tests.ts'
import { runTests, type TestRun } from '../../src/policy-test/run-tests.ts'
import { FACTS, POLICY, testFile } from './invoices.ts'

const run = (expectations: string, options: Partial<RunOptions> = {}): TestRun =>
  runTests([POLICY], [testFile(expectations)], { now: 0, ...options })

/** Each expectation with its line, and `✗` before those that are not met. */
const results = (expectations: string): string[] => {
  const { problems, files } = run(expectations)
  expect(problems).toEqual([])
  return files.flatMap((file) =>
    file.results.map(({ text, line, failure }) => `${line} ${failure === undefined ? '' : '✗ '}${text}`),
  )
}

describe('an expectation', () => {
  it('is a short line, of several users and actions', () => {
    expect(
      results(`  - ana may [read, write] invoice in acme
  - ana, ben may not write invoice
  - ben may not read, write invoice:17 in acme
`),
    ).toEqual([
      '17 ana may read invoice in acme',
      '17 ana may write invoice in acme',
      '18 ana may not write invoice',
      '18 ben may not write invoice',
      '19 ✗ ben may not read invoice:17 in acme',
      '19 ben may not write invoice:17 in acme',
    ])
  })

  it('[D16] is about who is not signed in, whom no list of users has', () => {
    const { text } = POLICY
    const open = text.replace(
      "permissions: ['invoice:read'] }\n  - { key: editor",
      "permissions: ['invoice:read'], everybody: true }\n  - { key: editor",
    )
    expect(open).not.toBe(text)
    const lines = `  - '* may read invoice:17 in acme'
  - '*, ben may not write invoice in acme'
  - { user: '*', action: read, resource: invoice, tenant: acme, allow: true, because: { role: viewer } }
  - { resource: invoice, tenant: acme, may: { '*': read } }
  - 'who may read invoice:17 in acme': [ana, ben, eve]
  - 'who may read invoice:17 in acme': ['*', ana, ben, eve]
`
    const everybody = "    - { user: '*', role: viewer, tenant: acme }\n"
    const file = testFile(lines)
    const shared = { ...file, text: file.text.replace('  resource_instances:', `${everybody}  resource_instances:`) }
    const tell = (policy: string, tests: typeof file) => {
      const { problems, files } = runTests([{ ...POLICY, text: policy }], [tests], { now: 0 })
      const failed = files.flatMap(({ results }) => results.filter(({ failure }) => failure).map((each) => each.text))
      return { problems: problems.map(({ message }) => message), failed }
    }
    const problems = ['user `*` does not exist: choose from ana, ben, eve']
    expect(tell(open, shared)).toEqual({ problems, failed: [] })
    expect(tell(open, file)).toEqual({
      problems,
      failed: ['* may read invoice:17 in acme', '* may read invoice in acme', '* may read invoice in acme'],
    })
  })

  it('is a long form, with attributes, relations, context and a reason', () => {
    const invoice = (amount: number) => `{ type: invoice, tenant: acme, attributes: { amount: ${amount} } }`
    expect(
      results(`  - { user: ana, action: approve, resource: ${invoice(20)}, allow: true }
  - { user: ana, action: [approve], resource: ${invoice(2000)}, allow: false }
  - { user: { key: ben, attributes: { department: finance } }, action: approve, resource: ${invoice(20)}, allow: true }
  - { user: eve, action: read, resource: { type: invoice, tenant: acme, relations: { parent: ['folder:f1'] } }, allow: true }
  - { user: ana, action: approve, resource: 'invoice:17', allow: true, because: { user_set: staff, resource_set: small } }
  - { user: ana, action: approve, resource: 'invoice:17', allow: true, because: { role: editor } }
  - { user: ana, action: write, resource: invoice, tenant: acme, allow: true, because: { source: role, role: editor } }
  - { user: eve, action: write, resource: 'invoice:17', allow: true, because: { role: folder#owner, resource_instance: 'folder:f1' } }
`).filter((line) => line.includes('✗')),
    ).toEqual(['22 ✗ ana may approve invoice:17'])
  })

  it('is a table: what it does not list is denied', () => {
    expect(
      results(`  - { resource: 'invoice:17', may: { ana: [read, write, approve], ben: read, eve: [read] } }
  - { resource: invoice, tenant: acme, actions: [read], may: { ana: [read], ben: [] } }
`),
    ).toEqual([
      '17 ana may approve invoice:17',
      '17 ana may read invoice:17',
      '17 ana may write invoice:17',
      '17 ben may not approve invoice:17',
      '17 ben may read invoice:17',
      '17 ben may not write invoice:17',
      '17 eve may not approve invoice:17',
      '17 eve may read invoice:17',
      '17 ✗ eve may not write invoice:17',
      '18 ana may read invoice in acme',
      '18 ✗ ben may not read invoice in acme',
    ])
  })

  it('is a list of who may, of all users', () => {
    expect(
      results(`  - who may write invoice:17: [ana, eve]
  - who may approve invoice: []
  - who may read invoice in acme: [ana]
`),
    ).toEqual(['17 who may write invoice:17', '18 who may approve invoice', '19 ✗ who may read invoice in acme'])
  })

  it('[D15] asks at that time about grants, too', () => {
    const grant = '{ user: eve, role: viewer, tenant: acme, valid_until: 2026-02-01T00:00:00Z }'
    const text = `${FACTS.replace('  role_assignments:', `  role_assignments:\n    - ${grant}`)}expect: [eve may read invoice in acme]\n`
    const met = (now: number) =>
      runTests([POLICY], [{ name: 't.yaml', text }], { now }).files.map(({ results }) => results[0]?.failure?.message)
    expect([met(Date.UTC(2026, 0, 31)), met(Date.UTC(2026, 1, 1))]).toEqual([
      [undefined],
      ['expected allow, but it is denied'],
    ])
  })

  it('is asked at the time of the file, else at that of the run', () => {
    const policy = {
      name: 'policy.yaml',
      text: `zerohop: 2
resources: [{ key: door, actions: { open: {} } }]
condition_sets: [{ key: late, type: userset, conditions: { context.now: { greater-than: '2026-01-01T00:00:00Z' } } }]
set_rules: [{ user_set: late, permission: 'door:open', resource_set: __autogen_door }]
`,
    }
    const at = (now: string) => ({
      name: 't.yaml',
      text: `${now}facts: { users: [{ key: ana }] }\nexpect: [ana may open door]\n`,
    })
    const met = (now: string, time: number) =>
      runTests([policy], [at(now)], { now: time }).files[0]!.results.map(({ failure }) => failure === undefined)
    expect([met('', 0), met('', Date.UTC(2026, 5, 1)), met('now: 2026-02-01T00:00:00Z\n', 0)]).toEqual([
      [false],
      [true],
      [true],
    ])
  })
})

describe('a wrong test file', () => {
  const wrong = (text: string): string[] =>
    runTests([POLICY], [{ name: 't.yaml', text }], { now: 0 }).problems.map(
      ({ place, message }) => `${place.line}:${place.column} ${message}`,
    )
  const inExpect = (line: string): string[] => wrong(`${FACTS}expect:\n  - ${line}\n`)

  it.each([
    [
      'ana can read invoice',
      '17:5 `can` is not `may`: write `USER may ACTION RESOURCE`, `USER may not ACTION RESOURCE`, and `in TENANT` after it',
    ],
    [
      'ana may read invoice at acme',
      '17:5 only `in TENANT` follows a resource: write `USER may ACTION RESOURCE`, `USER may not ACTION RESOURCE`, and `in TENANT` after it',
    ],
    ['ana may not raed invoice', '17:5 resource type `invoice` has no action `raed`: did you mean `read`?'],
    ['anna may read invoice', '17:5 user `anna` does not exist: did you mean `ana`?'],
    ['ana may read invoce:17', '17:5 resource type `invoce` does not exist: did you mean `invoice`?'],
    ['ana may read invoice in acne', '17:5 tenant `acne` does not exist: did you mean `acme`?'],
    ['17', '17:5 an expectation is a line such as `ana may read invoice in acme`, or a map'],
    ['{ user: ana, action: read, resource: invoice }', '17:5 `allow` is missing'],
    [
      '{ user: ana, acton: read, action: read, resource: invoice, allow: true }',
      '17:18 unknown field `acton`: did you mean `action`?',
    ],
    ['{ user: ana, action: read, resource: invoice, allow: yes }', '17:58 expected true or false, found `yes`'],
    [
      '{ user: ana, action: raed, resource: invoice, allow: true }',
      '17:26 resource type `invoice` has no action `raed`: did you mean `read`?',
    ],
    [
      '{ user: ana, action: read, resource: invoice, allow: false, because: { role: editor } }',
      '17:65 `because` says by what a question is allowed: it goes with `allow: true`',
    ],
    [
      '{ user: ana, action: read, resource: { type: invoice, relations: { parnet: [] } }, allow: true }',
      '17:72 no role of `invoice` comes over a relation `parnet`: did you mean `parent`?',
    ],
    [
      '{ user: ana, action: read, resource: { type: invoice, relations: { parent: [f1] } }, allow: true }',
      '17:59 resource.relations.parent.0 must be a subject, `type:key`',
    ],
    ['{ resource: invoice, may: { anna: [read] } }', '17:33 user `anna` does not exist: did you mean `ana`?'],
    [
      '{ resource: invoice, actions: [read], may: { ana: [write] } }',
      '17:50 `write` is not an action of this table: choose from read',
    ],
    ['who may read invoice: ana', '17:27 `who may` is followed by a list of users, which may be empty: `[]`'],
    ['who may read invoice: [ana, anna]', '17:33 user `anna` does not exist: did you mean `ana`?'],
  ])('with %j says where, and what to write', (line, message) => {
    expect(inExpect(line)).toEqual([message])
  })

  it('says so of facts, of fields and of the text', () => {
    expect(wrong('facts: { role_assignments: [{ user: ana, role: editor }] }\nexpect: []\n')).toEqual([
      '1:37 user `ana` does not exist',
    ])
    expect(
      wrong('facts:\n  users: [{ key: ana }]\n  role_assignments: [{ user: ana, role: editr }]\nexpect: []\n'),
    ).toEqual(['3:41 role `editr` does not exist: did you mean `editor`?'])
    expect(wrong('fact: {}\nexpect: []\n')).toEqual(['1:1 unknown field `fact`: did you mean `facts`?'])
    expect(wrong('now: noon\nexpect: []\n')).toEqual(['1:6 the time is not one such as 2026-01-31T12:00:00Z'])
    expect(wrong('expect: []\nzerohop: 2\n')).toEqual([
      '2:1 this is a policy file, and not a test: name it after `--policy`',
    ])
    expect(wrong('expect: [ana may\n')).toEqual([expect.stringMatching(/^\d+:\d+ /)])
  })

  it('says everything at once, and runs what is right', () => {
    const { problems, files } = run(
      '  - ana may fly invoice\n  - ana may read invoice in acme\n  - zoe may read invoice\n',
    )
    expect(problems.map(({ place }) => place.line)).toEqual([17, 19])
    expect(files[0]!.results).toEqual([{ text: 'ana may read invoice in acme', line: 18 }])
  })

  it('runs nothing on a policy with errors', () => {
    const broken = { name: 'policy.yaml', text: 'zerohop: 2\nroles: [{ key: a, permissions: [x] }]\n' }
    const { problems, files } = runTests([broken], [testFile('  - ana may read invoice\n')], { now: 0 })
    expect([problems.map(({ place }) => [place.file, place.line]), files]).toEqual([[['policy.yaml', 2]], []])
  })
})

/** What the policy of these tests consists of, written down by hand. */
const RULES = [
  'role folder#owner has folder:list',
  'role invoice#reader has invoice:read',
  'role invoice#keeper has invoice:write',
  'role invoice#keeper extends invoice#reader',
  'role invoice#keeper is given to folder#owner over parent',
  'role viewer has invoice:read',
  'role editor has invoice:write',
  'role editor extends viewer',
  'set staff, user.department equals "finance" (at user.department / equals)',
  'set small, resource.amount less-than 1000 (at allOf / 0 / resource.amount / less-than)',
  'set small, resource.locked equals true (at allOf / 1 / not / resource.locked / equals)',
  'set rule staff × invoice:approve × small',
]
const isTest = (rule: string): boolean => /^set \S+,/.test(rule)
const BRANCHES = RULES.flatMap((rule) => (isTest(rule) ? [`${rule} is true`, `${rule} is false`] : [rule]))
const MUTANTS = RULES.map((rule) => `${rule}: ${isTest(rule) ? 'turned around' : 'left out'}`)
const without = (all: readonly string[], gone: readonly string[]): string[] =>
  all.filter((each) => !gone.includes(each))
const ORDER = (left: string, right: string): number => BRANCHES.indexOf(left) - BRANCHES.indexOf(right)

describe('coverage', () => {
  const coverage = (expectations: string) => run(expectations, { coverage: true }).coverage!

  it('of no expectations is nothing', () => {
    const { total, used, percent, unused } = coverage('  []\n')
    expect([total, used, percent, unused.toSorted(ORDER)]).toEqual([BRANCHES.length, 0, 0, BRANCHES])
  })

  it.each<[string, string[]]>([
    ['ana may read invoice in acme', ['role viewer has invoice:read', 'role editor extends viewer']],
    ['ana may write invoice in acme', ['role editor has invoice:write']],
    [
      'eve may read invoice:17',
      [
        'role invoice#reader has invoice:read',
        'role invoice#keeper extends invoice#reader',
        'role invoice#keeper is given to folder#owner over parent',
      ],
    ],
    [
      'ana may approve invoice:17',
      [
        'set staff, user.department equals "finance" (at user.department / equals) is true',
        'set small, resource.amount less-than 1000 (at allOf / 0 / resource.amount / less-than) is true',
        'set small, resource.locked equals true (at allOf / 1 / not / resource.locked / equals) is false',
        'set rule staff × invoice:approve × small',
      ],
    ],
    [
      'ben may not approve invoice:17',
      ['set staff, user.department equals "finance" (at user.department / equals) is false'],
    ],
    ['ben may not write invoice', []],
    // an expectation that is not met uses nothing
    ['ben may write invoice', []],
  ])('of `%s` is what allows, and the tests that decide', (line, used) => {
    expect(coverage(`  - ${line}\n`).unused.toSorted(ORDER)).toEqual(without(BRANCHES, used))
  })

  it('is a percentage of rules and branches', () => {
    expect(coverage('  - ana may read invoice in acme\n')).toMatchObject({ total: 15, used: 2, percent: 13.3 })
  })
})

describe('mutants', () => {
  const survivors = (expectations: string) => run(expectations, { mutants: true }).mutants!

  it('are all noticed by good tests but what nobody asks about', () => {
    const { total, survived } =
      survivors(`  - { resource: 'invoice:17', may: { ana: [read, write, approve], ben: [read], eve: [read, write] } }
  - ana may [read, write] invoice in acme
  - { user: ana, action: approve, resource: { type: invoice, key: '17', attributes: { amount: 2000 } }, allow: false }
  - { user: ana, action: approve, resource: { type: invoice, key: '17', attributes: { locked: true } }, allow: false }
`)
    expect([total, survived]).toEqual([MUTANTS.length, ['role folder#owner has folder:list: left out']])
  })

  it.each<[string, string[]]>([
    [
      'ana may read invoice in acme',
      ['role viewer has invoice:read: left out', 'role editor extends viewer: left out'],
    ],
    [
      'eve may write invoice:17',
      [
        'role invoice#keeper has invoice:write: left out',
        'role invoice#keeper is given to folder#owner over parent: left out',
      ],
    ],
    [
      'ana may approve invoice:17',
      [
        ...MUTANTS.filter((name) => name.includes('turned around')),
        'set rule staff × invoice:approve × small: left out',
      ],
    ],
    // without a department the test is true when it is turned around
    [
      'ben may not approve invoice:17',
      ['set staff, user.department equals "finance" (at user.department / equals): turned around'],
    ],
    ['ben may not write invoice', []],
  ])('that `%s` notices', (line, noticed) => {
    const { survived } = survivors(`  - ${line}\n`)
    expect(survived.toSorted()).toEqual(without(MUTANTS, noticed).toSorted())
  })
})
