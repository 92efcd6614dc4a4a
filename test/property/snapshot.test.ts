// The law of snapshots over random environments: what a browser decides by a snapshot is what the definition decides
// about the same question, or is left to the server; and a snapshot names no key but of what the user holds a role on.
import fc from 'fast-check'
import { expect, it } from 'vitest'
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
    parameters(150),
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
