// The classes of assembly/memory/records.ts say where the fields of a record lie a second time. The compiler of the
// kernel holds them against assembly/abi.ts, for each field that a line of records.ts names: here no line is missing.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as abi from '../../assembly/abi.ts'
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
