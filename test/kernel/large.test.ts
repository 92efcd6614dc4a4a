// The bounds of one check where they are reached by the number of objects alone (test/support/large.ts).
import { describe, expect, it } from 'vitest'
import { makeScript } from '../mutants/corpus.ts'
import { judge } from '../mutants/judge.ts'
import { large } from '../support/large.ts'

describe('policies at the bounds of one check', { timeout: 300_000 }, () => {
  it.each(large())('$name: what it answers is defined', ({ name, steps }) => {
    expect(judge('release', [{ ...makeScript(name, steps), isLarge: true }])).toBeUndefined()
  })
})
