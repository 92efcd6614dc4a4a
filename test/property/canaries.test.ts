// Each wrong definition differs from the right one within 10,000 of the questions that the generators ask.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bulkCheck, check } from '../reference/check.ts'
import { askedAt } from '../reference/request.ts'
import { policyIn } from '../support/instants.ts'
import { WRONG } from './canaries.ts'
import { definedAt } from './times.ts'
import { timed, untimed, walk } from './walk.ts'

// The fixed seed, even where laws run with another one: of 60 canaries one or the other would be missed now and then.
describe('canaries: a wrong definition differs within 10,000 questions', () => {
  const histories = fc.sample(untimed, { seed: 1, numRuns: 600 })
  const inTime = fc.sample(timed, { seed: 1, numRuns: 600 })

  it.each(Object.entries(WRONG))('%s', (name, definition) => {
    let asked = 0
    for (const drawn of name.startsWith('[D15]') ? inTime : histories) {
      for (const { world, requests, at } of walk(drawn, 12)) {
        for (const t of at) {
          const wrong = definition(policyIn(world.policy, t), { stored: world.policy, t })
          for (const request of requests) {
            if (++asked > 10_000) throw new Error('not caught within 10,000 questions')
            const timed = t === undefined ? request : askedAt(request, t)
            if (wrong(timed) !== definedAt(world.policy, request, t, check)) return
          }
        }
      }
    }
    throw new Error(`not caught within ${asked} questions`)
  })
})

describe('canaries', () => {
  // D12 is about answers side by side, and D13 about limits
  it('there is one for every rule about single decisions', () => {
    const rules = new Set(Object.keys(WRONG).map((name) => /^\[(D\d+)\]/.exec(name)?.[1]))
    const all = [...Array.from({ length: 11 }, (_, index) => `D${index + 1}`), 'D14', 'D15']
    expect(all.filter((rule) => !rules.has(rule))).toEqual([])
  })

  it('[D12] a bulk that loses its order differs', () => {
    const [drawn] = fc.sample(untimed, { seed: 1, numRuns: 1 })
    const differing = [...walk(drawn!, 50)].filter(({ world, requests }) => {
      const answers = requests.map((request) => check(world.policy, request))
      return JSON.stringify(bulkCheck(world.policy, requests.toReversed())) !== JSON.stringify(answers)
    })
    expect(differing).not.toEqual([])
  })
})
