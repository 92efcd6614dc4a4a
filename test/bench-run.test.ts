// A tiny run of the whole bench writes results of the form that is promised (docs/bench/README.md).
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runBench } from './support/bench.ts'
import { temporaryFolder } from './support/folders.ts'

interface BenchResult {
  readonly node: string
  readonly date: string
  readonly rows: readonly Record<string, unknown>[]
  readonly figures: readonly Record<string, unknown>[]
}

it('measures a tiny world and writes rows and figures of the promised form', async () => {
  const file = join(temporaryFolder('bench'), 'results.json')
  const { stdout } = await runBench('--tiny', '--json', file)
  const result: BenchResult = JSON.parse(readFileSync(file, 'utf8'))
  expect(Object.keys(result)).toEqual(['node', 'date', 'rows', 'figures'])
  expect(result.node).toBe(process.version)
  expect(Date.parse(result.date)).not.toBeNaN()
  expect(result.rows.map(({ workload, candidate }) => `${workload} ${candidate}`)).toEqual([
    'tiny zerohop check',
    'tiny zerohop check (fresh strings)',
    'tiny zerohop subject.can',
    'tiny zerohop permission.allows',
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
  const curves = result.figures.filter(({ unit }) => unit === 'exponent')
  expect(curves.length).toBeGreaterThan(15)
  for (const { name, peer, budget } of curves) {
    expect(name).toMatch(/^curve of /)
    expect(peer).toMatch(/^1,000: \S+ \S+, 2,000: \S+ \S+$/)
    expect(budget).toMatch(/^≤ (0\.35|1\.1) exponent$/)
  }
}, 600_000) // two dozen processes and servers, one after the other
