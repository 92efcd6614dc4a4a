// Keys behind equal 32-bit hashes are told apart by the comparison of what they are made of, and by nothing else:
// without it, a user would have the roles of another one.
import { describe, expect, it } from 'vitest'
import { Table } from '../../assembly/limits.ts'
import { readCases } from '../conformance/cases.ts'
import { makeScript } from '../mutants/corpus.ts'
import { judge } from '../mutants/judge.ts'
import { kernelWith } from '../support/canary-kernel.ts'
import { collisions, kernelAfter, sharedHashes } from '../support/collisions.ts'
import { OF_COLLISIONS } from './canaries.ts'

const found = collisions()
const cases: readonly (readonly [name: string, steps: number, table: Table])[] = [
  ['two-keys-with-one-hash-are-two-users', 2, Table.Users],
  ['a-key-and-a-longer-one-with-its-hash-are-two-users', 2, Table.Users],
  ['a-key-behind-a-full-bucket-with-one-hash-is-found', 1, Table.Users],
  ['two-texts-with-one-hash-are-two-values', 1, Table.Texts],
]
const written = readCases()
const requireSteps = (name: string) => written.find((each) => each.name === name)!.steps

describe('records of one table with one hash', () => {
  it.each(found)('$name are there, and are two', ({ name, table, steps }) => {
    const before = sharedHashes(kernelAfter(steps.slice(0, 1)), table)
    expect(sharedHashes(kernelAfter(steps), table)).toBe(before + 1)
    for (const kernel of ['debug', 'release'] as const) expect(judge(kernel, [makeScript(name, steps)])).toBeUndefined()
  })

  it.each(cases)('%s: there is such a pair', (name, steps, table) => {
    expect(sharedHashes(kernelAfter(requireSteps(name).slice(0, steps)), table)).toBeGreaterThan(0)
  })
})

describe('a kernel that does not compare them', { timeout: 60_000 }, () => {
  const scripts = [
    ...found.map(({ name, steps }) => makeScript(name, steps)),
    ...cases.map(([name]) => makeScript(name, requireSteps(name))),
  ]

  it.each(Object.entries(OF_COLLISIONS))('is found: %s', async (tag, replacement) => {
    expect(judge(await kernelWith({ [tag]: replacement }), scripts)).toEqual(expect.any(String))
  })

  it('and one that compares them is not', async () => {
    expect(judge(await kernelWith({}), scripts)).toBeUndefined()
  })
})
