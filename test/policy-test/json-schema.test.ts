// policy-test.schema.json, which editors read: it takes what `zerohop test` reads, and refuses what has another form.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { testJsonSchema } from '../../src/cli/test-json-schema.ts'
import { misfits } from '../../src/management/rules/shape.ts'
import { readShortLine } from '../../src/policy-test/short-line.ts'
import { LongExpectation, TableExpectation, TestFile } from '../../src/policy-test/test-file.ts'
import { compileSchema } from '../support/compile-schema.ts'
import { OTHERS, placesOf, withAt } from '../support/other-values.ts'

/** Without the alphabets and lengths of keys in facts, which are documentation: the use cases say more of them. */
const { definitions, ...file } = testJsonSchema() as { definitions: object; properties: { facts: object } }
const bare = <T extends object>(schema: T): T =>
  JSON.parse(JSON.stringify(schema), (word, value) =>
    /^(pattern|maxLength|maxItems|maxProperties)$/.test(word) && typeof value !== 'object' ? undefined : value,
  ) as T
const properties = { ...file.properties, facts: bare(file.properties.facts) }
const isInForm = compileSchema({ ...file, properties, definitions: bare(definitions) })
const FILE = {
  name: 'invoices',
  now: '2026-01-31T12:00:00Z',
  facts: {
    tenants: [{ key: 'acme' }],
    users: [{ key: 'ana', attributes: { department: 'finance' } }],
    role_assignments: [{ user: 'ana', role: 'editor', tenant: 'acme' }],
    resource_instances: [{ resource: 'invoice', key: '17', tenant: 'acme' }],
  },
  expect: [
    'ana may [read, write] invoice in acme',
    '  ben, eve may not write invoice:17 ',
    { 'who may approve invoice:17 in acme': ['ana'] },
    { resource: 'invoice:17', tenant: 'acme', actions: ['read', 'write'], may: { ana: ['read'], ben: 'read' } },
    {
      user: { key: 'ana', attributes: { department: 'hr' } },
      action: ['read'],
      resource: { type: 'document', attributes: { locked: false }, relations: { parent: ['folder:f1'] } },
      context: { place: 'office' },
      allow: true,
      because: { source: 'set_rule', user_set: 'staff' },
    },
  ],
}

/** Whether it has the form of an expectation as in expectations.ts, whatever the names are. */
function isExpectation(item: unknown): boolean {
  if (typeof item === 'string') return readShortLine(item) !== undefined
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return false
  const [[head = '', users] = [], ...others] = Object.entries(item)
  if (others.length === 0 && /^who\s+may\s/.test(head))
    return readShortLine(head)?.allow === true && misfits(LIST, users, []).length === 0
  return misfits('may' in item ? TableExpectation : LongExpectation, item, []).length === 0
}
const LIST = { type: 'array', items: { type: 'string' } } as never

const isRead = (value: unknown): boolean =>
  misfits(TestFile, value, []).length === 0 && (value as { expect: unknown[] }).expect.every(isExpectation)

describe('the JSON Schema of test files', () => {
  it('takes a file with every form of expectation, and describes every field', () => {
    expect([isInForm(FILE), isRead(FILE)]).toEqual([true, true])
    const { properties } = testJsonSchema() as { properties: Record<string, { description?: string }> }
    expect(Object.entries(properties).flatMap(([name, { description }]) => (description ? [] : [name]))).toEqual([])
  })

  it('takes and refuses the same values as `zerohop test`', () => {
    const items = [
      'ana can read invoice',
      'ana may read',
      'ana may read invoice on acme',
      { 'who may approve invoice': 'ana' },
      { 'who may not approve invoice': ['ana'] },
      { 'who may approve invoice': [], more: [] },
      { resource: 'invoice', may: { ana: [7] } },
      { user: 'ana', action: 'read', resource: 'invoice' },
      { user: 'ana', action: 'read', resource: 'invoice', allow: true, becuase: {} },
      {},
    ]
    for (const item of items) expect([item, isExpectation(item)]).toEqual([item, false])
    const wrong = items.map((item) => ({ expect: [item] }))
    const others = [...placesOf(FILE)].flatMap((place) => OTHERS.map((other) => withAt(FILE, place, other)))
    const differing = [...wrong, ...others].filter((value) => isInForm(value) !== isRead(value))
    expect(differing).toEqual([])
  })

  it('is written into the package when it is built', () => {
    const written = readFileSync(new URL('../../policy-test.schema.json', import.meta.url), 'utf8')
    expect(JSON.parse(written)).toEqual(testJsonSchema())
  })
})
