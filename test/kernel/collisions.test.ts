// Keys behind equal 32-bit hashes are told apart by the comparison of what they are made of, and by nothing else:
// without it, a user would have the roles of another one.
import { describe, expect, it } from 'vitest'
import { Table } from '../../assembly/abi.ts'
import { readCases } from '../conformance/cases.ts'
import { compile, readSources } from '../mutants/compile.ts'
import { scriptOf } from '../mutants/corpus.ts'
import { judge } from '../mutants/judge.ts'
import { collisions, kernelAfter, sharedHashes } from '../support/collisions.ts'

const ROOT = new URL('../../', import.meta.url)
const found = collisions()
const cases: readonly (readonly [name: string, steps: number, table: Table])[] = [
  ['two-keys-with-one-hash-are-two-users', 2, Table.Users],
  ['a-key-and-a-longer-one-with-its-hash-are-two-users', 2, Table.Users],
  ['a-key-behind-a-full-bucket-with-one-hash-is-found', 1, Table.Users],
  ['two-texts-with-one-hash-are-two-values', 1, Table.Texts],
]
const written = readCases()
const stepsOf = (name: string) => written.find((each) => each.name === name)!.steps

describe('records of one table with one hash', () => {
  it.each(found)('$name are there, and are two', ({ name, table, steps }) => {
    const before = sharedHashes(kernelAfter(steps.slice(0, 1)), table)
    expect(sharedHashes(kernelAfter(steps), table)).toBe(before + 1)
    for (const kernel of ['debug', 'release'] as const) expect(judge(kernel, [scriptOf(name, steps)])).toBeUndefined()
  })

  it.each(cases)('%s: there is such a pair', (name, steps, table) => {
    expect(sharedHashes(kernelAfter(stepsOf(name).slice(0, steps)), table)).toBeGreaterThan(0)
  })
})

describe('a kernel that does not compare them', { timeout: 60_000 }, () => {
  const sources = readSources(ROOT)
  const scripts = [
    ...found.map(({ name, steps }) => scriptOf(name, steps)),
    ...cases.map(([name]) => scriptOf(name, stepsOf(name))),
  ]

  // Of the parts of a key that are hashed as numbers, all but one leave no choice for the last: the whole comparison is
  // taken out.
  it.each([
    ['policy/grants.ts', 'load<u32>(grant, Grant.User) === user && load<u32>(grant, Grant.Scope) === scope'],
    ['policy/memberships.ts', 'load<u32>(member, Member.User) === user && load<u32>(member, Member.Tenant) === tenant'],
    ['policy/set-rules.ts', /load<u32>\(rule, SetRule.Permission\) === permission &&[^)]*\)[^)]*\) === resources/],
    ['policy/relations.ts', /load<u32>\(tuple, Tuple.Relation\) === relation &&[^)]*\)[^)]*\) === object/],
    ['policy/grants.ts', 'sameRoles(set, list, count)'],
    ['policy/set-rule-index.ts', 'load<u32>(group, Group.Index) === index'],
    ['memory/symbols.ts', 'keyLength(record) === length'],
    ['memory/symbols.ts', 'sameBytes(record + offset, start, length)'],
    ['memory/values.ts', 'load<u32>(text, Text.Length) === length'],
    ['memory/values.ts', 'sameBytes(text + Text.Bytes, start, length)'],
  ])('is found: %s, %s', async (file, comparison) => {
    const source = sources.get(file)!
    const wrong = source.replace(comparison, 'true')
    expect(wrong).not.toBe(source)
    const bytes = await compile(ROOT, new Map([...sources, [file, wrong]]))
    expect(judge(new WebAssembly.Module(bytes as Uint8Array<ArrayBuffer>), scripts)).toEqual(expect.any(String))
  })
})
