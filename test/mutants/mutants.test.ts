// A kernel with one planted wrong is caught and the one without any is not; what is a mutation, and which survivors
// count as explained. The whole run is a command of its own: npm run test:mutants.
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Case, toRequest } from '../conformance/cases.ts'
import { untimedHistories } from '../property/histories.ts'
import { Disagreement, type Play, play } from '../property/laws.ts'
import { toCase } from '../property/save.ts'
import { check } from '../reference/check.ts'
import { World } from '../support/world.ts'
import { compile, readSources } from './compile.ts'
import { explainedIn, findExplanation } from './explained.ts'
import { Court, FILES, isDeciding, listMutants, type Mutant, NOT_DECIDING } from './mutants.ts'
import { listMutations, parseEnums } from './mutations.ts'

const ROOT = new URL('../../', import.meta.url)
const sources = readSources(ROOT)
const mutants = listMutants(sources, FILES)

describe('mutations', () => {
  const enums = parseEnums('export enum Op {\n  Less = 1,\n  In = 2,\n}\n')
  const source = `import { Op } from './abi'

function isBelow(left: u32, right: u32): bool {
  assert(left !== 7)
  if (!ASC_NO_ASSERT) assertSymbol(left, 7)
  if (!ASC_NO_ASSERT) {
    assert(left !== 8)
  }
  if (left === 0 && load<u8>(right) > 3) return true
  for (let at = 0; at < right; at++) left += at
  return op === Op.In
}
`
  const written = listMutations(source, enums).map(({ start, end, text }) => {
    const mutated = `${source.slice(0, start)}${text}${source.slice(end)}`
    return mutated
      .split('\n')
      .find((line, at) => line !== source.split('\n')[at])!
      .trim()
  })

  it('are every small wrong that fits somewhere, each alone', () => {
    expect(written.toSorted()).toEqual(
      [
        'if (!(left === 0 && load<u8>(right) > 3)) return true',
        'if (left !== 0 && load<u8>(right) > 3) return true',
        'if (left === 0 || load<u8>(right) > 3) return true',
        'if (left === 0 && !(load<u8>(right) > 3)) return true',
        'if (left === 0 && load<u8>(right) >= 3) return true',
        'if (left === 0 && load<u8>(right) > 4) return true',
        'if (left === 0 && load<u8>(right) > 2) return true',
        'if (left === 0 && load<u8>(right) > 3) return false',
        'for (let at = 1; at < right; at++) left += at',
        'for (let at = 0; at <= right; at++) left += at',
        'for (let at = 0; !(at < right); at++) left += at',
        'for (let at = 0; at < right; at--) left += at',
        'for (let at = 0; at < right; at++) left -= at',
        'for (let at = 0; at < right; at++) ;',
        'return true',
        'return false',
        'return op !== Op.In',
        'return op === Op.Less',
      ].toSorted(),
    )
  })

  it('reach every opcode and every file of the kernel that bears on decisions', () => {
    const opcodes = parseEnums(sources.get('limits.ts')!).get('Op')!
    const changed = mutants.filter(({ at }) => /\bOp\.\w+/.test(at)).map(({ at }) => at)
    for (const opcode of opcodes) expect(changed.join('\n')).toMatch(new RegExp(`\\bOp\\.${opcode}\\b`))
    for (const file of FILES) expect([file, mutants.some((one) => one.file === file)]).toEqual([file, true])
  })

  it('are of opcodes and branches unless everything is asked for', () => {
    const deciding = mutants.filter(isDeciding)
    const opcodes = parseEnums(sources.get('limits.ts')!).get('Op')!
    const exchanged = new Set(
      deciding.filter(({ file }) => file === 'decide/conditions.ts').map(({ kind }) => kind.split(' ')[0]),
    )
    expect(opcodes.filter((opcode) => !exchanged.has(opcode))).toEqual([])
    expect(deciding.filter(({ kind }) => /^(constant|no |returns |[-+*/])/.test(kind))).toEqual([])
    for (const at of ['if (!countStep(query)) return Verdict.Undecided', 'while (count(query, 1)) {'])
      expect(deciding.filter((one) => one.at === at && one.kind === 'negated')).toHaveLength(1)
  })

  it('leave out only functions that exist', () => {
    const gone = Object.entries(NOT_DECIDING).flatMap(([file, functions]) =>
      functions.filter((name) => !sources.get(file)!.includes(`function ${name}(`)).map((name) => [file, name]),
    )
    expect(gone).toEqual([])
  })
})

/** Each compiles a kernel and lets it answer hundreds of questions, beside everything else that a busy machine does. */
const BUSY = { timeout: 300_000 }

describe('the court', BUSY, () => {
  let court: Court
  beforeAll(async () => {
    court = new Court(ROOT, 500, 1)
    await court.acquit()
  }, BUSY.timeout)

  const planted = (file: string, at: string, kind: string): Mutant =>
    mutants.find((one) => one.file === file && one.at === at && one.kind === kind)!

  it('acquits the kernel without a mutation', async () => {
    expect(await court.try({ file: 'decide/decide.ts', start: 0, end: 0, text: '' })).toEqual({ fate: 'same' })
  })

  it.each([
    [
      'decide/decide.ts',
      'return deriveRole(query, user, shared, tenant, permission, type, instance, related)',
      'returns 0',
    ],
    ['decide/compare.ts', 'if (left < right) return -1', 'negated'],
    ['decide/conditions.ts', 'case Op.StartsWith:', 'StartsWith to EndsWith'],
  ])('catches a wrong in %s: %s, %s', async (file, at, kind) => {
    expect(await court.try(planted(file, at, kind))).toEqual({ fate: 'caught', by: expect.any(String) })
  })

  it('catches a loop that never ends', async () => {
    const steps = planted('decide/conditions.ts', 'if (holds === Verdict.Undecided) at++', 'no statement')
    expect(await court.try(steps)).toMatchObject({ fate: 'caught' })
  })

  it('shows what a counterexample is made of: a handful of operations', async () => {
    const { start, end, text } = planted('decide/compare.ts', 'if (left < right) return -1', '< to <=')
    const source = sources.get('decide/compare.ts')!
    const wrong = `${source.slice(0, start)}${text}${source.slice(end)}`
    const bytes = await compile(ROOT, new Map([...sources, ['decide/compare.ts', wrong]]))
    const kernel = new WebAssembly.Module(bytes as Uint8Array<ArrayBuffer>)
    const plays: fc.Arbitrary<Play> = fc.record({ history: untimedHistories, seed: fc.nat() })
    const small = fc.sample(plays, { seed: 1, numRuns: 100 }).filter(({ history }) => history.pool === 'small')
    let found: Case | undefined
    for (const drawn of small) found ??= counterexample(drawn, kernel)
    const { steps } = found!
    expect(steps.flatMap(({ write = [] }) => write).length).toBeLessThan(20)
    const world = new World()
    for (const { write = [] } of steps) world.runAll(write)
    const [row] = steps.at(-1)!.checks!
    expect(check(world.policy, toRequest(row!))).toBe(row![3])
  })

  function counterexample(drawn: Play, kernel: WebAssembly.Module): Case | undefined {
    try {
      play(drawn, { checksPerRevision: 20, kernel })
      return undefined
    } catch (error) {
      if (error instanceof Disagreement) return toCase(drawn, error, kernel) as Case
      throw error
    }
  }

  it('does not count what is not a kernel', async () => {
    expect(await court.try({ file: 'decide/decide.ts', start: 0, end: 0, text: 'nonsense(' })).toEqual({
      fate: 'refused',
    })
  })
})

describe('docs/mutants.md', () => {
  const page = readFileSync(new URL('docs/mutants.md', ROOT), 'utf8')

  it('explains mutants that exist, and no others', () => {
    const explained = explainedIn(page)
    const gone = explained.filter((one) => !mutants.some((mutant) => findExplanation([one], mutant) !== undefined))
    expect(gone).toEqual([])
  })

  it('is read row by row', () => {
    const rows = [
      '| file | place | changes | is | why |',
      '|---|---|---|---|---|',
      '| a.ts | `x \\|\\| y` | `constant`, `< to <=` | same | it is so |',
      '| a.ts | `hash()` | any | unseen | any will do |',
    ]
    const explained = explainedIn(rows.join('\n'))
    expect(explained).toEqual([
      { file: 'a.ts', at: 'x || y', kinds: ['constant', '< to <='], is: 'same' },
      { file: 'a.ts', at: 'hash()', kinds: [], is: 'unseen' },
    ])
    const mutant = { file: 'a.ts', at: 'x || y', within: 'other', kind: 'constant' }
    expect(findExplanation(explained, mutant)).toBe('same')
    expect(findExplanation(explained, { ...mutant, kind: 'negated' })).toBeUndefined()
    expect(findExplanation(explained, { ...mutant, at: 'z', within: 'hash' })).toBe('unseen')
  })
})
