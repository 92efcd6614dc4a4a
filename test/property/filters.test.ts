// The law of filters over random environments: a row is meant by a filter exactly when the definition allows the
// question that the row makes, whatever its key, its attributes and its relations are.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { FILTER_LAW_CASES, filterLaw } from './filter-law.ts'
import { mixedHistories } from './histories.ts'
import { parameters } from './seed.ts'

it('[D12] a filter means exactly the rows that checks allow', () => {
  const seen = { rows: 0, allowed: 0, when: 0, decided: 0, related: 0 }
  fc.assert(
    fc.property(fc.record({ history: mixedHistories, seed: fc.nat() }), (drawn) => {
      for (const { filter, row, asked, defined, means } of filterLaw(drawn, FILTER_LAW_CASES)) {
        seen.rows++
        if (defined) seen.allowed++
        if (filter.kind === 'when') seen.when++
        else seen.decided++
        if (filter.kind === 'when' && filter.reads.relations.length > 0) seen.related++
        expect(means, JSON.stringify({ asked, row, filter })).toBe(defined)
      }
    }),
    parameters(150),
  )
  process.stdout.write(`${JSON.stringify(seen)}\n`)
  // A run in which filters are mostly decided, or always or never true, would show little.
  expect(seen.when).toBeGreaterThan(seen.rows / 5)
  expect(seen.allowed).toBeGreaterThan(seen.rows / 5)
  expect(seen.allowed).toBeLessThan((seen.rows * 4) / 5)
})
