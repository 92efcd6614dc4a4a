// The canonical form of policy files: written twice it is the same, it means the same, and it has the same comments,
// wherever they stood.
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { formatPolicy, SCHEMA_LINE } from '../../../src/management/policy-file/format.ts'
import { YamlDocument } from '../../../src/management/policy-file/yaml-document.ts'
import { parameters } from '../../property/seed.ts'

const POLICY: object = JSON.parse(readFileSync(new URL('../bundle.json', import.meta.url), 'utf8'))

const format = (text: string, schema?: string, name = 'policy.yaml'): string => {
  const formatted = formatPolicy({ name, text }, schema)
  expect(formatted.problems, text).toEqual([])
  return formatted.text ?? ''
}
const read = (text: string): unknown => new YamlDocument({ name: 'policy.yaml', text }).value
const listComments = (text: string): string[] => [...text.matchAll(/# (\d+);/g)].map(([, number = '']) => number).sort()

/** Part of the policy in some layout, with comments and empty lines in it. */
const layouts = fc
  .record({
    fields: fc.subarray(Object.keys(POLICY).filter((field) => field !== 'zerohop')),
    flow: fc.integer({ min: 1, max: 9 }),
    indentSeq: fc.boolean(),
    indent: fc.constantFrom(2, 4),
    width: fc.constantFrom(0, 60),
    quotes: fc.constantFrom('PLAIN', 'QUOTE_DOUBLE', 'QUOTE_SINGLE'),
    extras: fc.array(
      fc.record({ line: fc.nat(), kind: fc.constantFrom('behind', 'before', 'empty'), deep: fc.nat(8) }),
      { maxLength: 12 },
    ),
  })
  .map(({ fields, flow, indentSeq, indent, width, quotes, extras }) => {
    const picked = [...fields, 'zerohop'].map((field) => [field, POLICY[field as keyof object]])
    const text = stringify(Object.fromEntries(picked), {
      collectionStyle: 'any',
      indentSeq,
      indent,
      lineWidth: width,
      defaultStringType: quotes as 'PLAIN',
    })
    const lines = flowed(text, flow, quotes, indent).split('\n')
    for (const [number, { line, kind, deep }] of extras.entries()) {
      const at = line % lines.length
      if (kind === 'empty') lines.splice(at, 0, '')
      else if (kind === 'before') lines.splice(at, 0, `${' '.repeat(deep)}# ${number};`)
      else if (lines[at]?.trim() !== '' && !lines[at]?.includes('#')) lines[at] += ` # ${number};`
    }
    return lines.join('\n')
  })

/** The same text with some of its lists in brackets over several lines, or on one. */
function flowed(text: string, flow: number, quotes: string, indent: number): string {
  if (flow > 4) return text
  const { roles, ...rest } = read(text) as { roles?: object }
  const inBrackets = JSON.stringify(roles ?? [], null, flow > 2 ? indent : 0).replaceAll('\n', '\n  ')
  const body = stringify(rest, { indent, defaultStringType: quotes as 'PLAIN' })
  return roles === undefined ? text : `roles: ${inBrackets}\n${body}`
}

describe('the canonical form', () => {
  it('is the same when it is written twice, means the same, and keeps every comment', () => {
    fc.assert(
      fc.property(layouts, (text) => {
        fc.pre(read(text) !== undefined) // a comment that ends a bracket is not YAML
        const once = format(text)
        expect(format(once)).toBe(once)
        expect(read(once)).toEqual(read(text))
        expect(listComments(once)).toEqual(listComments(text))
      }),
      parameters(30),
    )
  })

  it('has the fields in the order of the schema, and comments where they were', () => {
    const text = `# the policy of acme

roles:
    # may do all
    -   permissions: ["document:read", 'document:write'] # both
        key: "admin"

    - {key: viewer,   name: 'The: viewer'}
# what there is
resources:
- actions: {read: {}, write: {name: Write}}   # two
  key: document
  # an empty one follows
  attributes: {}
  # nothing more
zerohop: 2
`
    expect(format(text)).toBe(`# the policy of acme

zerohop: 2
# what there is
resources:
  - key: document
    actions: { read: {}, write: { name: Write } } # two
    # an empty one follows
    attributes: {}
    # nothing more
roles:
  # may do all
  - key: admin
    permissions: [document:read, document:write] # both

  - { key: viewer, name: "The: viewer" }
`)
  })

  it('keeps quotes around a text that other readers of YAML take for something else', () => {
    const words = [
      'no',
      'Yes',
      'on',
      'off',
      'y',
      '2026-01-31',
      '2026-01-31T10:00:00Z',
      '12:30:45',
      '0777',
      '1_000',
      '~',
    ]
    const texts = words.map((word) => `roles: [{ key: a, name: ${JSON.stringify(word)} }]`)
    for (const [at, text] of texts.entries())
      expect(format(`zerohop: 2\n${text}\n`)).toContain(`name: ${JSON.stringify(words[at])}`)
    expect(format('zerohop: 2\nroles: [{ key: a, name: "nobody on duty" }]\n')).toContain('name: nobody on duty')
    expect(format('zerohop: 2\nresources: [{ key: a, actions: { "no": {} } }]\n')).toContain('"no": {}')
  })

  it('breaks what does not fit on a line', () => {
    const permissions = Array.from({ length: 9 }, (_, at) => `document:action-${at}`)
    const text = `zerohop: 2\nroles: [{ key: admin, permissions: [${permissions.join(', ')}] }]\n`
    const list = permissions.map((permission) => `      - ${permission}\n`).join('')
    expect(format(text)).toBe(`zerohop: 2\nroles:\n  - key: admin\n    permissions:\n${list}`)
  })

  it.each([
    'yes',
    'null',
    '404',
    '1e3',
    'a: b',
    '# a',
    '- a',
    '',
    ' a',
    '[a',
    'a\nb',
    '2026-01-01',
    '~',
    '__proto__',
    '«',
    '😀',
    'a #b',
    '!a',
    '&a',
    '*a',
  ])('keeps the text %j, in a list, in brackets and as a key', (text) => {
    const source = stringify({ zerohop: 2, user_attributes: { [text]: { type: 'string', description: text } } })
    const brackets = `zerohop: 2\nroles: [{ key: ${JSON.stringify(text)}, extends: [${JSON.stringify(text)}] }]\n`
    for (const each of [source, brackets]) expect(read(format(each))).toEqual(read(each))
  })

  it('begins with the line of its schema, which stands there once', () => {
    const once = format('zerohop: 2\n', 'policy.schema.json')
    expect(once).toBe(`${SCHEMA_LINE}policy.schema.json\n\nzerohop: 2\n`)
    expect(format(once, 'other.json')).toBe(once)
  })

  it('of a JSON file is JSON', () => {
    const text = '{"roles":[{"permissions":[],"key":"admin"}],"zerohop":2}'
    const wanted = { zerohop: 2, roles: [{ key: 'admin', permissions: [] }] }
    expect(format(text, 'policy.schema.json', 'policy.json')).toBe(`${JSON.stringify(wanted, null, 2)}\n`)
  })
})
