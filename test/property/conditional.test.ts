// The second law of access diffs: no answer becomes another one, whatever is sent, without a line that says so.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { WRONG_DIFFS } from './conditional-canaries.ts'
import { conditionalLaw, situations, timedSituations } from './conditional-law.ts'
import { parameters } from './seed.ts'

describe('what may change', () => {
  it.each([
    ['of policies without times', situations, 120, 1 / 200],
    ['at an instant (D15)', timedSituations, 60, 0],
  ] as const)(
    '[D8] whatever is sent, an answer that a change makes another one is covered by a line: %s',
    (_, drawnFrom, runs, conditional) => {
      const seen = { questions: 0, listed: 0, conditional: 0, overridable: 0 }
      fc.assert(
        fc.property(drawnFrom, (drawn) => {
          for (const { request, flips, by, diff, step } of conditionalLaw(drawn)) {
            seen.questions++
            if (!flips) continue
            expect(by, JSON.stringify({ request, changes: step.changes, access: diff.access })).toBeDefined()
            seen[by!]++
          }
        }),
        { ...parameters(runs), endOnFailure: true },
      )
      const { questions, ...by } = seen
      process.stdout.write(
        `${questions} random questions about changes; other answers, and what covers them: ${JSON.stringify(by)}\n`,
      )
      expect(by.conditional).toBeGreaterThan(questions * conditional)
      expect(by.listed).toBeGreaterThan(questions / 200)
    },
  )
})

// The fixed seed, even where laws run with another one: one canary or the other would be missed now and then.
describe('canaries: a wrong access diff leaves an answer uncovered', () => {
  const drawn = fc.sample(fc.record({ seed: fc.nat() }), { seed: 1, numRuns: 2_000 })

  it.each(Object.entries(WRONG_DIFFS))('%s', (_, { make, edits, from }) => {
    for (const each of drawn.slice(from))
      for (const { flips, by } of conditionalLaw(each, { make, kinds: edits })) if (flips && by === undefined) return
    throw new Error(`not caught within ${drawn.length} changes`)
  })
})
