// Deletes and re-creations under one key: an image that was asked before answers as one that was never asked. And the
// fault that this is about, put back: an image that goes on using the ids of what was deleted is found.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HeldRoles } from '../../src/image/decide/held-roles.ts'
import { LiveIds } from '../../src/image/live-ids.ts'
import { ENDING, liveIdsLaw, worlds } from './live-ids-law.ts'
import { parameters } from './seed.ts'

describe('ids', () => {
  it('[D11] of what is deleted are used nowhere: an image answers as one built of what is left', () => {
    const ended = new Set<string>()
    let compared = 0
    fc.assert(
      fc.property(worlds, (seed) => {
        for (const answer of liveIdsLaw(seed)) {
          for (const kind of answer.ended) ended.add(kind)
          compared++
          expect(JSON.stringify(answer.kept), `${answer.door} after deleting ${answer.ended}`).toBe(
            JSON.stringify(answer.fresh),
          )
        }
      }),
      parameters(40),
    )
    // Most kinds of objects were deleted, and begun again under their keys.
    expect(ended.size).toBeGreaterThan(ENDING.length / 2)
    expect(compared).toBeGreaterThan(100)
  })

  it('that are kept too long are found, at filters, snapshots and what is known', () => {
    expect(doorsWithout(LiveIds)).toEqual(expect.arrayContaining(['filter', 'snapshot', 'knows']))
  })
})

describe('what a user holds', () => {
  it('is found when it is kept too long, at checks', () => {
    expect(doorsWithout(HeldRoles)).toEqual(expect.arrayContaining(['check']))
  })
})

/** The doors that answer another thing when something is kept over a delta. */
function doorsWithout({ prototype }: { readonly prototype: { forget(...plan: never): void } }): string[] {
  const { forget } = prototype
  prototype.forget = () => {}
  const doors = new Set<string>()
  try {
    for (const seed of fc.sample(worlds, { seed: 1, numRuns: 20 }))
      for (const { door, kept, fresh } of liveIdsLaw(seed))
        if (JSON.stringify(kept) !== JSON.stringify(fresh)) doors.add(door)
  } finally {
    prototype.forget = forget
  }
  return [...doors]
}
