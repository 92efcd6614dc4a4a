// The law of filters over random environments: a row is meant by a filter exactly when the definition allows the
// question that the row makes, whatever its key, its attributes and its relations are.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { WRONG_FILTERS } from './filter-canaries.ts'
import { filterLaw, situations } from './filter-law.ts'
import { parameters } from './seed.ts'

describe('filters', () => {
  it('[D12] mean exactly the rows that checks allow', () => {
    const seen = { rows: 0, allowed: 0, when: 0, always: 0, never: 0 }
    fc.assert(
      fc.property(situations, (drawn) => {
        for (const { filter, row, asked, defined, means } of filterLaw(drawn)) {
          seen.rows++
          if (defined) seen.allowed++
          seen[filter.kind]++
          expect(means, JSON.stringify({ asked, row, filter })).toBe(defined)
        }
      }),
      parameters(150),
    )
    const share = (part: number) => `${Math.round((100 * part) / seen.rows)} %`
    process.stdout.write(
      `${seen.rows} random rows agree with the definition: ${share(seen.allowed)} allowed, ` +
        `${share(seen.when)} by a condition, ${share(seen.always)} always, ${share(seen.never)} never\n`,
    )
    // A run in which filters are mostly decided, or always or never true, would show little.
    expect(seen.when).toBeGreaterThan(seen.rows / 5)
    expect(seen.allowed).toBeGreaterThan(seen.rows / 10)
    expect(seen.allowed).toBeLessThan((seen.rows * 4) / 5)
  })
})

// The fixed seed, even where laws run with another one: one canary or the other would be missed now and then.
describe('canaries: a wrong filter differs within 5,000 rows', () => {
  const drawn = fc.sample(situations, { seed: 1, numRuns: 400 })

  it.each(Object.entries(WRONG_FILTERS))('%s', (_, { of, means }) => {
    let rows = 0
    for (const each of drawn) {
      for (const compared of filterLaw(each, of)) {
        if (++rows > 5_000) throw new Error('not caught within 5,000 rows')
        const meant = means === undefined ? compared.means : means(compared.filter, compared.row, compared.world)
        if (meant !== compared.defined) return
      }
    }
    throw new Error(`not caught within ${rows} rows`)
  })
})
