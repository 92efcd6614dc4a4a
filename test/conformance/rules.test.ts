// Holds the numbered rules together: docs/semantics.md has the rules, and docs/cases.md, which is generated, names for
// each the files of the reference that state it and the cases that show it. ZEROHOP_WRITE_DOCS=1 writes that page.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import Schema from 'typebox/schema'
import { describe, expect, it } from 'vitest'
import { MATCHES, OPERATORS } from '../../src/model/condition.ts'
import { casesIn, readCase, readCases } from './cases.ts'

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')
const schema = Schema.Compile(JSON.parse(read('./case.schema.json')))
const semantics = read('../../docs/semantics.md')
const cases = readCases()
const files = [...new Set(cases.map(({ file }) => file))]
const referenceFiles = readdirSync(new URL('../reference/', import.meta.url)).filter((file) => file.endsWith('.ts'))

/** The sections of docs/semantics.md, `## D4 …`, by rule. */
const sections = new Map(
  semantics
    .split(/^## (?=D\d)/m)
    .slice(1)
    .map((section) => [section.match(/^D\d+/)![0], section]),
)
const statedBy = (rule: string) =>
  referenceFiles.filter((file) => new RegExp(`(//|\\*).*\\b${rule}\\b`).test(read(`../reference/${file}`)))

/** What a case says; of a case of several sizes, with all of them. */
function sentence(file: string): string {
  const { says, sizes = [] } = readCase(file) as { says: string; sizes?: number[] }
  return says.replaceAll('@', sizes.join(', '))
}

/**
 * docs/cases.md: for each rule its title, the files of the reference that name it, and its cases with what they say.
 */
function casesPage(): string {
  const parts = [...sections].map(([rule, section]) => {
    const reference = statedBy(rule).map((file) => `[${file}](../test/reference/${file})`)
    const seen = new Set<string>()
    const rows = cases
      .filter((each) => each.rule === rule && !seen.has(each.file) && seen.add(each.file))
      .map(({ file }) => `- [${file.slice(0, -'.json'.length)}](../test/conformance/cases/${file}): ${sentence(file)}`)
    const title = section.slice(0, section.indexOf('\n'))
    return `## ${title}\n\nStated in ${reference.join(', ')}.\n\n${rows.join('\n')}\n`
  })
  const head =
    'What each rule of [semantics](semantics.md) means, by example: every case runs over the definition, the kernel in all its builds, the store and HTTP.\n' +
    'Generated from the case files: `ZEROHOP_WRITE_DOCS=1 npx vitest run test/conformance/rules.test.ts`.'
  return `# Cases\n\n${head}\n\n${parts.join('\n')}`
}

describe('case files', () => {
  it.each(files)('%s follows the schema, as written and written out', (file) => {
    const written = readCase(file)
    const writtenOut = casesIn(file, written).map(({ name: _, file: _file, ...each }) => each)
    for (const each of [written, ...writtenOut]) {
      // to look for errors takes twenty times as long as to see that there are none
      if (!schema.Check(each)) expect(schema.Errors(each)).toEqual([true, []])
    }
    // a name that no loop gives a value
    if (/<\w+>/.test(JSON.stringify(written))) expect(JSON.stringify(writtenOut).match(/<\w+>/g)).toBeNull()
  })

  it('a case with an unknown member or a wrong row is refused by the schema', () => {
    const says = 'long enough to be a sentence'
    expect(schema.Check({ rule: 'D1', says, steps: [{ checks: [['ana', 'say', 'hello', true]] }] })).toBe(true)
    expect(schema.Check({ rule: 'D1', says, steps: [{ checks: [['ana', 'say', 'hello', 1]] }] })).toBe(false)
    expect(schema.Check({ rule: 'D1', says, steps: [{ check: [] }] })).toBe(false)
    expect(schema.Check({ rule: 'D19', says, steps: [{ checks: [] }] })).toBe(false)
  })

  it('[D16] a suspension is of a user, and has times or none', () => {
    const isRight = (kind: string, suspension: object) => {
      const write = [['put', kind, { key: 'a', suspension }]]
      return schema.Check({ rule: 'D16', says: 'long enough to be a sentence', steps: [{ write }] })
    }
    for (const right of [{}, { valid_from: 5 }, { valid_until: 9 }, { valid_from: 5, valid_until: 9 }])
      expect(isRight('user', right)).toBe(true)
    for (const wrong of [{ reason: 'left' }, { valid_from: true }, { until: 5 }])
      expect(isRight('user', wrong), JSON.stringify(wrong)).toBe(false)
    expect(isRight('tenant', {})).toBe(false)
  })

  it('loops and sizes are written out: indexes, numbers next to them, and numbers that are not text', () => {
    const loop = { for: '=@-1', from: 5, each: ['put', 'user', { key: 'u#', next: '#+1', n: '=#', size: '=@' }] }
    const [two, three] = casesIn('some.json', { rule: 'D1', says: 'of @', sizes: [2, 3], steps: [{ write: [loop] }] })
    const user = (n: number, size: number) => ['put', 'user', { key: `u${n}`, next: `${n + 1}`, n, size }]
    expect(two).toEqual({ ...two, name: 'some-2', says: 'of 2', steps: [{ write: [user(5, 2)] }] })
    expect(three).toEqual({ ...three, name: 'some-3', says: 'of 3', steps: [{ write: [user(5, 3), user(6, 3)] }] })
  })

  const steps = (write: unknown[]) => casesIn('some.json', { rule: 'D1', says: 'of', steps: [{ write }] })[0]!.steps

  it('a loop over values is written out: each as it is, or as text within a longer one; a loop in a loop too', () => {
    const each = ['put', 'user', { key: 'u-<name>', n: '<n>', tag: '<tag>' }]
    const loop = {
      for: ['name', 'n'],
      in: [
        ['ana', -0],
        ['"', [null]],
      ],
      each: { for: 'tag', in: ['a', ['b']], each },
    }
    const put = (name: string, n: unknown, tag: unknown) => ['put', 'user', { key: `u-${name}`, n, tag }]
    const users = [put('ana', -0, 'a'), put('ana', -0, ['b']), put('"', [null], 'a'), put('"', [null], ['b'])]
    expect(steps([loop])).toEqual([{ write: users }])
    expect(() => steps([{ ...loop, in: [['ana']] }])).toThrow('["ana"] is not a row of name, n')
  })

  it('a loop has a number, or names with their values', () => {
    const check = (loop: object) => schema.Check({ rule: 'D1', says: 'ten characters', steps: [{ write: [loop] }] })
    expect(check({ for: 'x', in: [1, 2], each: 0 }) && check({ for: ['x', 'y'], in: [[1, 2], []], each: 0 })).toBe(true)
    expect(check({ for: 2, from: 1, each: 0 }) && check({ for: '=@', each: 0 })).toBe(true)
    for (const head of [{ for: 'x' }, { for: ['x', 'y'] }, { for: 2, in: [1, 2] }, { for: '=@', in: [1, 2] }])
      expect(check({ ...head, each: 0 }), JSON.stringify(head)).toBe(false)
  })

  it('entries are written out as an object', () => {
    const relations = { entries: [{ for: 2, each: ['r#', ['a#']] }, ['parent', ['b']]] }
    const check = ['ana', 'read', { type: 'doc', relations }, true]
    const [written] = casesIn('some.json', { rule: 'D1', says: 'of', steps: [{ checks: [check] }] })
    const object = { type: 'doc', relations: { r0: ['a0'], r1: ['a1'], parent: ['b'] } }
    expect(written!.steps).toEqual([{ checks: [['ana', 'read', object, true]] }])
  })

  it('every case asks something', () => {
    const asks = (name: string) =>
      cases.find((each) => each.name === name)!.steps.some(({ checks = [] }) => checks.length > 0)
    expect(cases.map(({ name }) => name).filter((name) => !asks(name))).toEqual([])
  })
})

describe('docs/semantics.md', () => {
  it('has the rules D1 to D18, each once and in order', () => {
    expect([...sections.keys()]).toEqual(Array.from({ length: 18 }, (_, index) => `D${index + 1}`))
  })

  it.each([...sections.keys()])('%s is stated by the reference and shown by cases', (rule) => {
    expect(statedBy(rule), `no line of test/reference names ${rule}`).not.toEqual([])
    expect(cases.filter((each) => each.rule === rule)).not.toEqual([])
  })
})

describe('docs/cases.md', () => {
  it('lists exactly the cases of each rule', () => {
    const page = new URL('../../docs/cases.md', import.meta.url)
    if (process.env.ZEROHOP_WRITE_DOCS) writeFileSync(page, casesPage())
    expect(read('../../docs/cases.md')).toBe(casesPage())
  })
})

describe('docs/conditions.md', () => {
  const page = read('../../docs/conditions.md')
  const operators = [...Object.keys(OPERATORS), ...MATCHES.keys()]

  it.each(operators)('%s has a row and a case', (operator) => {
    expect(page).toMatch(new RegExp(`^\\| \`${operator}\` \\|`, 'm'))
    expect(cases.map(({ name }) => name)).toContain(`operator-${operator.replaceAll('_', '-')}`)
  })

  it('names no operator that does not exist', () => {
    const section = page.split(/^## Operators$/m)[1]!.split(/^## /m)[0]!
    const rows = [...section.matchAll(/^\| `([a-z_-]+)` \|/gm)].map((match) => match[1])
    expect(rows).toEqual(operators)
  })
})

describe('reasons', () => {
  const { rbac, rebac, abac } = JSON.parse(read('./case.schema.json')).$defs.step.properties.explains.items.anyOf[1]
    .prefixItems[3].anyOf[1].properties as Record<string, { enum: string[] }>
  const given = cases.flatMap(({ steps }) => steps.flatMap(({ explains = [] }) => explains.map((row) => row[3])))

  it.each(Object.entries({ rbac, rebac, abac }))('every reason of %s has a case', (part, codes) => {
    const reasons = given.map((each) => (typeof each === 'string' ? { rbac: each } : each) as Record<string, string>)
    expect(codes!.enum.filter((code) => !reasons.some((each) => each[part] === code))).toEqual([])
  })
})
