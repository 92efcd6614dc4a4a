// The law of filters over random environments: a row is meant by a filter exactly when the definition allows the
// question that the row makes, whatever its key, its attributes and its relations are.
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { WRONG_FILTERS, type WrongFilter } from './filter-canaries.ts'
import { type Asked, askedOf, comparedFor, filterLaw, plainSituations, situations } from './filter-law.ts'
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
  /** after how many rows each was caught */
  const caught = new Map<string, number>()
  const looked = new Map<string, number>()

  // Each environment is made once for all of them.
  beforeAll(() => {
    for (const drawn of fc.sample(plainSituations, { seed: 1, numRuns: 400 })) {
      if (caught.size === Object.keys(WRONG_FILTERS).length) return
      for (const asked of askedOf(drawn))
        for (const [name, wrong] of Object.entries(WRONG_FILTERS)) if (!caught.has(name)) lookFor(name, wrong, asked)
    }
  })

  function lookFor(name: string, { of, means }: WrongFilter, asked: Asked): void {
    for (const compared of comparedFor(asked, of)) {
      const rows = (looked.get(name) ?? 0) + 1
      looked.set(name, rows)
      const meant = means === undefined ? compared.means : means(compared.filter, compared.row, compared.world)
      if (meant === compared.defined) continue
      caught.set(name, rows)
      return
    }
  }

  it.each(Object.keys(WRONG_FILTERS))('%s', (name) => {
    expect(caught.get(name), `not caught within ${looked.get(name)} rows`).toBeLessThanOrEqual(5_000)
  })
})
