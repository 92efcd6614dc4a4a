// The law of access diffs: what is listed is exactly what brute force finds; and wrong ones are found by it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { accessDiff } from '../../src/image/access-diff/access-diff.ts'
import type { Defined } from '../reference/access-diff.ts'
import { FORGETTING, wrongDiff } from './access-diff-canaries.ts'
import { defined, difference, found, plays, type Step, steps } from './access-diff-law.ts'
import { parameters } from './seed.ts'

describe('access diffs', () => {
  it('list exactly the answers that change, as every question asked of both policies finds them', () => {
    const seen = { questions: 0, listed: 0, covered: 0 }
    fc.assert(
      fc.property(plays, (drawn) => {
        for (const step of steps(drawn)) {
          const expected = defined(step)
          const { listed, covered, questions } = expected
          seen.questions += questions
          seen.listed += listed.gained.length + listed.lost.length
          seen.covered += covered.gained.length + covered.lost.length
          expect(difference(expected, found(accessDiff, step)), JSON.stringify(step.changes)).toBeUndefined()
        }
      }),
      parameters(10),
    )
    process.stdout.write(`of ${seen.questions} answers ${seen.listed} are listed and ${seen.covered} are covered\n`)
    expect(seen.listed).toBeGreaterThan(seen.questions / 100)
    expect(seen.covered).toBeGreaterThan(seen.questions / 1000)
  })
})

// The fixed seed, even where the law runs with another one: one canary or the other would be missed now and then.
describe('canaries: the law finds an access diff that forgets', () => {
  const folder = mkdtempSync(join(tmpdir(), 'zerohop-canaries-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const known: [Step, Defined][] = []
  const more = eachOf()

  /** The same steps for each canary; the definition is asked once. */
  function* eachStep(): Iterable<[Step, Defined]> {
    for (let at = 0; ; at++) {
      const step = known[at] ?? more.next().value
      if (step === undefined) return
      known[at] = step
      yield step
    }
  }

  it.each(Object.entries(FORGETTING))('%s', async (_, mutation) => {
    const wrong = await wrongDiff(mutation, folder)
    let compared = 0
    for (const [step, expected] of eachStep()) {
      compared++
      if (difference(expected, found(wrong, step)) !== undefined) return
    }
    throw new Error(`not found in ${compared} changes`)
  })
})

function* eachOf(): Generator<[Step, Defined], undefined> {
  for (const drawn of fc.sample(plays, { seed: 2, numRuns: 400 })) {
    for (const step of steps(drawn)) yield [step, defined(step)]
  }
  return undefined
}
