// The law of access diffs: what is listed is exactly what brute force finds; and wrong ones are found by it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { accessDiff } from '../../src/image/access-diff/access-diff.ts'
import type { Canary } from '../support/canary.ts'
import { pickSome } from '../support/sample.ts'
import { CANARIES, diffWith } from './access-diff-canaries.ts'
import { exampleSteps } from './access-diff-examples.ts'
import { defined, difference, found, plays, sharedPlays, steps, timedPlays } from './access-diff-law.ts'
import { parameters } from './seed.ts'

const examples = [...exampleSteps()].map(([name, step]) => ({ name, step, expected: defined(step) }))

describe('access diffs', () => {
  it.each([
    ['that have no times', plays, 24],
    ['at an instant (D15)', timedPlays, 12],
    ['with roles for everybody (D16)', sharedPlays, 12],
  ] as const)(
    'list exactly the answers of policies that change, as every question asked of both finds them: %s',
    (_, drawnFrom, runs) => {
      const seen = { questions: 0, listed: 0, covered: 0 }
      fc.assert(
        fc.property(drawnFrom, (drawn) => {
          for (const step of steps(drawn)) {
            const expected = defined(step)
            const { listed, covered, questions } = expected
            seen.questions += questions
            seen.listed += listed.gained.length + listed.lost.length
            seen.covered += covered.gained.length + covered.lost.length
            expect(difference(expected, found(accessDiff, step)), JSON.stringify(step.changes)).toBeUndefined()
          }
        }),
        parameters(runs),
      )
      process.stdout.write(`of ${seen.questions} answers ${seen.listed} are listed and ${seen.covered} are covered\n`)
      expect(seen.listed).toBeGreaterThan(seen.questions / 200)
      expect(seen.covered).toBeGreaterThan(0)
    },
  )

  it.each(examples)('list them when $name', ({ step, expected }) => {
    expect(difference(expected, found(accessDiff, step))).toBeUndefined()
    expect(expected.listed.gained.length + expected.listed.lost.length).toBeGreaterThan(0)
  })
})

describe('canaries: an access diff is wrong for some example when it forgets', () => {
  const folder = mkdtempSync(join(tmpdir(), 'zerohop-canaries-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const isTold = async (canary: Canary): Promise<boolean> => {
    const wrong = await diffWith(canary, folder)
    return examples.some(({ step, expected }) => difference(expected, found(wrong, step)) !== undefined)
  }

  it.each(pickSome(Object.entries(CANARIES), 0))('%s', async (tag, replacement) => {
    expect(await isTold({ [tag]: replacement })).toBe(true)
  })

  it('and is right when it forgets nothing', async () => {
    expect(await isTold({})).toBe(false)
  })
})
