// The law of snapshots over random environments: what a browser decides by a snapshot is what the definition decides
// about the same question, or is left to the server; and a snapshot names no key but of what the user holds a role on.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Snapshot, SnapshotAnswer } from '../../src/model/snapshot.ts'
import { heldBy } from '../reference/relations.ts'
import { situations } from './filter-law.ts'
import { parameters } from './seed.ts'
import { keysNamed, snapshotLaw } from './snapshot-law.ts'

it('[D12] a snapshot decides as checks do, or leaves it to the server, and names only keys of what its user holds', () => {
  const seen = { rows: 0, allowed: 0, denied: 0, asked: 0, when: 0, keys: 0 }
  fc.assert(
    fc.property(situations, (drawn) => {
      for (const { world, asked, snapshot, row, defined, says } of snapshotLaw(drawn)) {
        seen.rows++
        seen[says === undefined ? 'asked' : says ? 'allowed' : 'denied']++
        if (snapshot.answers.some((answer) => typeof answer === 'object' && answer?.where !== undefined)) seen.when++
        if (says !== undefined) expect(says, JSON.stringify({ asked, row, snapshot })).toBe(defined)
        const held = [...heldBy(world.policy, asked.user)].map((each) => each.split('/')[0]!)
        const ofRows = held.map((each) => each.replace(/^[^:]*/, '*'))
        const named = keysNamed(snapshot)
        seen.keys += named.length
        expect(named.filter((key) => !held.includes(key) && !ofRows.includes(key))).toEqual([])
      }
    }),
    parameters(160),
  )
  const share = (part: number) => `${Math.round((100 * part) / seen.rows)} %`
  process.stdout.write(
    `${seen.rows} random rows in a browser: ${share(seen.allowed)} allowed, ${share(seen.denied)} denied, ` +
      `${share(seen.asked)} asked of the server\n`,
  )
  // A run in which little is decided by a condition, or nearly everything is asked, would show little.
  expect(seen.when).toBeGreaterThan(seen.rows / 5)
  expect(seen.keys).toBeGreaterThan(100)
  for (const part of [seen.allowed, seen.denied]) expect(part).toBeGreaterThan(seen.rows / 10)
  expect(seen.asked).toBeLessThan(seen.rows / 2)
})

const each =
  (change: (answer: SnapshotAnswer) => SnapshotAnswer) =>
  (snapshot: Snapshot): Snapshot => ({ ...snapshot, answers: snapshot.answers.map(change) })
const isCondition = (answer: SnapshotAnswer) => typeof answer === 'object' && answer !== null

/** Snapshots that are wrong in one point. */
const WRONG: Readonly<Record<string, (snapshot: Snapshot) => Snapshot>> = {
  'what is left to the server is denied': each((answer) => answer ?? false),
  'keys of other tenants are not thought of': each((answer) => {
    if (!isCondition(answer) || answer.where === undefined) return answer
    const { isKeyOpen: _, ...where } = answer.where
    return { ...answer, where }
  }),
  'keys are forgotten': each((answer) =>
    isCondition(answer) && answer.keys !== undefined ? { ...answer, keys: [] } : answer,
  ),
  'now is any time': (snapshot) => JSON.parse(JSON.stringify(snapshot).replaceAll('{"now":true}', '{"value":0}')),
}

// The fixed seed, even where laws run with another one: one canary or the other would be missed now and then.
describe('canaries: a wrong snapshot differs within 3,000 rows', () => {
  const drawn = fc.sample(situations, { seed: 1, numRuns: 400 })

  it.each(Object.entries(WRONG))('%s', (_, change) => {
    let rows = 0
    for (const situation of drawn) {
      for (const { defined, says } of snapshotLaw(situation, change)) {
        if (++rows > 3_000) throw new Error('not caught within 3,000 rows')
        if (says !== undefined && says !== defined) return
      }
    }
    throw new Error(`not caught within ${rows} rows`)
  })
})
