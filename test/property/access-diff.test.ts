// The law of access diffs: what is listed is exactly what brute force finds.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compare, difference, plays, steps } from './access-diff-law.ts'
import { parameters } from './seed.ts'

describe('access diffs', () => {
  it('list exactly the answers that change, as every question asked of both policies finds them', () => {
    const seen = { questions: 0, listed: 0, covered: 0, steps: 0 }
    fc.assert(
      fc.property(plays, (drawn) => {
        for (const step of steps(drawn, 3)) {
          const compared = compare(step)
          const { listed, covered, questions } = compared.defined
          seen.steps++
          seen.questions += questions
          seen.listed += listed.gained.length + listed.lost.length
          seen.covered += covered.gained.length + covered.lost.length
          expect(difference(compared), JSON.stringify(step.changes)).toBeUndefined()
        }
      }),
      parameters(20),
    )
    process.stdout.write(`${JSON.stringify(seen)}\n`)
    expect(seen.listed).toBeGreaterThan(seen.questions / 100)
  })
})
