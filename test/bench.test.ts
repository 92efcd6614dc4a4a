// The bench harness works: its worlds are decided as the definition decides them, and a tiny run writes results of the
// form that is promised (docs/bench/README.md). Nothing here says how fast anything is.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { makeRuleWorld, rulePolicyChanges } from '../bench/rule-worlds.mjs'
import { makeWorld, policyChanges } from '../bench/workloads.mjs'
import { check } from './reference/check.ts'
import { policyOf } from './reference/policy.ts'
import { temporaryFolder } from './support/folders.ts'

const run = promisify(execFile)
const bench = (...args: string[]) =>
  run(process.execPath, ['scripts/bench.mjs', ...args], { cwd: join(import.meta.dirname, '..') })

interface BenchResult {
  readonly node: string
  readonly date: string
  readonly rows: readonly Record<string, unknown>[]
  readonly figures: readonly Record<string, unknown>[]
}

describe('the worlds of the bench', () => {
  it.each(['tiny', 'W1'] as const)('%s is decided by its own plain rule as by the definition', (name) => {
    const world = makeWorld(name, { checks: 500 })
    const policy = policyOf(policyChanges(world))
    const decided = world.checks.map(({ user, action, resource, tenant }) =>
      check(policy, { user, action, resource: { type: resource, tenant } }),
    )
    expect(decided).toEqual(world.expected)
    const allowed = decided.filter(Boolean).length
    expect(allowed).toBeGreaterThan(200)
    expect(allowed).toBeLessThan(300)
  })

  it.each(['tiny-rules', 'W4', 'W4-1000'] as const)(
    '%s is decided by its own plain rule as by the definition',
    (name) => {
      const world = makeRuleWorld(name, { checks: 200 })
      const policy = policyOf(rulePolicyChanges(world))
      const decided = world.checks.map(({ user, action, resource, tenant, sent }) =>
        check(policy, { user, action, resource: { type: resource, tenant }, sent }),
      )
      expect(decided).toEqual(world.expected)
      const allowed = decided.filter(Boolean).length
      expect(allowed).toBeGreaterThan(70)
      expect(allowed).toBeLessThan(130)
    },
  )

  it('are the same in every process', () => {
    expect(makeWorld('W1', { checks: 20 })).toEqual(makeWorld('W1', { checks: 20 }))
  })
})

describe('npm run bench', () => {
  it('measures a tiny world and writes rows and figures of the promised form', async () => {
    const file = join(temporaryFolder('bench'), 'results.json')
    const { stdout } = await bench('--tiny', '--json', file)
    const result: BenchResult = JSON.parse(readFileSync(file, 'utf8'))
    expect(Object.keys(result)).toEqual(['node', 'date', 'rows', 'figures'])
    expect(result.node).toBe(process.version)
    expect(Date.parse(result.date)).not.toBeNaN()
    expect(result.rows.map(({ workload, candidate }) => `${workload} ${candidate}`)).toEqual([
      'tiny zerohop check',
      'tiny zerohop check (fresh strings)',
      'tiny zerohop subject.can',
      'tiny hand-written',
      'tiny hand-written (fresh strings)',
      'tiny hand-tuned',
      'tiny hand-tuned (fresh strings)',
      'tiny bitset floor',
      'tiny-rules zerohop check',
      'tiny-rules zerohop check (fresh strings)',
      'tiny-rules hand-written',
      'tiny-rules hand-written (fresh strings)',
      'tiny-rules hand-tuned',
      'tiny-rules hand-tuned (fresh strings)',
    ])
    for (const row of result.rows) {
      expect(row).toEqual({
        workload: expect.stringMatching(/^tiny/),
        candidate: expect.any(String),
        opsPerSecond: expect.any(Number),
        p50Ns: expect.any(Number),
        p99Ns: expect.any(Number),
        ratioToHandWritten: expect.any(Number),
        checked: true,
      })
      expect(stdout).toContain(row.candidate as string)
    }
    expect(result.figures.length).toBeGreaterThan(0)
    for (const figure of result.figures) {
      expect(Object.keys(figure)).toEqual(['name', 'value', 'unit', 'peer', 'ratio', 'budget', 'holds'])
      expect(figure.value).toEqual(expect.any(Number))
      expect(figure.holds).toEqual(figure.budget === null ? null : expect.any(Boolean))
    }
  }, 600_000) // two dozen processes and servers, one after the other

  it('says what it can do', async () => {
    const { stdout } = await bench('--help')
    for (const word of ['--quick', '--only', '--json', 'W2']) expect(stdout).toContain(word)
  })

  it('refuses an unknown part and an unknown option in one line', async () => {
    await expect(bench('--only', 'W9')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^bench: .*W9\n$/),
    })
    await expect(bench('--fast')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^bench: .*--fast.*\n$/),
    })
  })
})
