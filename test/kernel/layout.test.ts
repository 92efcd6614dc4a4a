// The layout of an image is an interface: it changes only together with ABI_VERSION. The classes of
// assembly/memory/records.ts say where the fields of a record lie a second time. The compiler of the kernel holds them
// against assembly/abi.ts, for each field that a line of records.ts names: here no line is missing.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as abi from '../../assembly/abi.ts'
import * as limits from '../../assembly/limits.ts'
import { ROOT } from '../tidy/source.ts'

const text = readFileSync(join(ROOT, 'assembly/memory/records.ts'), 'utf8')
const classes = [...text.matchAll(/^export class (\w+) \{\n((?: {2}\w+: \w+\n)+)\}/gm)].map(
  ([, name = '', body = '']) => ({
    name,
    fields: [...body.matchAll(/^ {2}(\w+):/gm)].map(([, field = '']) => field),
  }),
)
const upper = (field: string): string => `${field.charAt(0).toUpperCase()}${field.slice(1)}`
const listMembers = (name: string): string[] => {
  const members = (abi as unknown as Record<string, Record<string, unknown>>)[name] ?? {}
  return Object.keys(members).filter((member) => typeof members[member] === 'number')
}

describe('the classes of records', () => {
  it('are found in the file', () => {
    expect(classes.length).toBe([...text.matchAll(/\bclass\b (?=\w+ \{)/g)].length)
    expect(classes.length).toBeGreaterThan(0)
  })

  it.each(classes)(
    '$name has a field, or a list behind the record, for each offset of its enum',
    ({ name, fields }) => {
      const list = new RegExp(
        `^if \\(offsetof<${name}>\\(\\) !== ${name}At\\.(\\w+)\\) ERROR\\('${name}\\.\\1'\\)$`,
        'm',
      )
      const behind = list.exec(text)?.[1]
      const places = [...fields.map(upper), ...(behind === undefined ? [] : [behind])]
      expect(places.toSorted()).toEqual(
        listMembers(name)
          .filter((member) => member !== 'Key')
          .toSorted(),
      )
    },
  )

  it.each(classes)('$name is held against its enum field by field', ({ name, fields }) => {
    const lines = [...text.matchAll(/^if \(.*$/gm)].map(([line]) => line)
    for (const field of fields) {
      const member = upper(field)
      expect(lines).toContain(`if (offsetof<${name}>('${field}') !== ${name}At.${member}) ERROR('${name}.${member}')`)
    }
    expect(lines.filter((line) => line.includes(`offsetof<${name}>()`))).toHaveLength(1)
  })
})

const LAYOUT = join(ROOT, 'test/golden/image-layout.txt')

/** What the kernel alone reads during one call: it may move without another version. */
const OF_ONE_CALL =
  /^(WORK|FRAMES|QUERY|TALLY|Query|QUERY_BYTES|Tally|TALLY_BYTES|Goal|GOAL_BYTES|GOAL_SLOTS|Frame|FRAME_BYTES|Visit|VISIT_BYTES)\b/

/** The version, then a line for each number on which the kernel, the host and the images of one version agree. */
function layoutLines(modules: readonly object[], version: number): string[] {
  const lines = modules.flatMap((module) =>
    Object.entries(module).flatMap(([name, value]: [string, unknown]) =>
      typeof value === 'number' ? [`${name} ${value}`] : listNumbers(value).map((each) => `${name}.${each}`),
    ),
  )
  const kept = lines.filter((line) => !OF_ONE_CALL.test(line) && !line.startsWith('ABI_VERSION '))
  return [`ABI_VERSION ${version}`, ...kept.sort()]
}

/** The members of an enum, with their numbers. */
const listNumbers = (of: unknown): string[] =>
  Object.entries(of as object).flatMap(([name, value]) => (typeof value === 'number' ? [`${name} ${value}`] : []))

/** What is to be done about a layout other than the known one; undefined when it is the known one. */
function judge(known: readonly string[], now: readonly string[]): string | undefined {
  const changed = [
    ...known.filter((line) => !now.includes(line)).map((line) => `- ${line}`),
    ...now.filter((line) => !known.includes(line)).map((line) => `+ ${line}`),
  ]
  if (changed.length === 0) return undefined
  if (known[0] === now[0])
    return `The layout of images changed, and ABI_VERSION did not. An older host, kernel or image would be read wrongly without a word:
raise ABI_VERSION in assembly/limits.ts (docs/kernel-memory.md), then write the new layout down:
ZEROHOP_WRITE_DOCS=1 npx vitest run test/kernel/layout.test.ts
${changed.join('\n')}`
  return 'ABI_VERSION was raised: write the new layout down by ZEROHOP_WRITE_DOCS=1 npx vitest run test/kernel/layout.test.ts'
}

describe('the layout of an image', () => {
  const now = layoutLines([abi, limits], limits.ABI_VERSION)
  const known = readFileSync(LAYOUT, 'utf8').trim().split('\n')

  it('is that of its version', () => {
    if (process.env.ZEROHOP_WRITE_DOCS === '1' && known[0] !== now[0]) writeFileSync(LAYOUT, `${now.join('\n')}\n`)
    else expect(judge(known, now) ?? 'the known one').toBe('the known one')
  })

  it.each([
    ['two words are exchanged', { ...abi, Grant: { ...abi.Grant, Roles: abi.Grant.Scope, Scope: abi.Grant.Roles } }],
    ['a word is added', { ...abi, Tuple: { ...abi.Tuple, Until: 28 }, TUPLE_BYTES: 32 }],
    ['a word is gone', { ...abi, Member: { User: 0, Tenant: 4 } }],
    ['an area moves', { ...abi, HEAP: abi.HEAP + 0x1000 }],
  ])('is another one when %s: the version must be raised', (_, changed) => {
    expect(judge(now, layoutLines([changed, limits], limits.ABI_VERSION))).toContain('raise ABI_VERSION')
    expect(judge(now, layoutLines([changed, limits], limits.ABI_VERSION + 1))).toContain('write the new layout down')
  })

  it('is the same when what is read during one call moves', () => {
    const changed = { ...abi, Query: { ...abi.Query, Now: 80 }, QUERY_BYTES: 88 }
    expect(judge(now, layoutLines([changed, limits], limits.ABI_VERSION))).toBeUndefined()
  })
})
