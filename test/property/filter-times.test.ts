// Filters and snapshots in time (D15): they mean the rows that checks allow at each instant from the one at which they were
// made until their end, whatever the image was asked about before; and not for longer.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { permissions } from '../../src/browser/permissions.ts'
import { makeSnapshot } from '../../src/pdp/snapshot.ts'
import { check } from '../reference/check.ts'
import { resolveTenant } from '../reference/request.ts'
import { policyAt } from '../reference/times.ts'
import { type Drawn, makeSituation, rowsFor, timedSituations } from './filter-law.ts'
import { filtersInTime, isOver } from './filter-times-law.ts'
import { numbers } from './numbers.ts'
import { parameters } from './seed.ts'
import { makeWords } from './set-edits.ts'
import { toBrowserRow } from './snapshot-law.ts'
import { instantsAround } from './times.ts'

const HOUR = 3_600_000

describe('filters in time', () => {
  it('[D15] mean exactly the rows that checks allow until they end', () => {
    const seen = { rows: 0, allowed: 0, later: 0, ends: 0, over: 0, wrong: 0 }
    fc.assert(
      fc.property(timedSituations, (drawn) => {
        for (const compared of filtersInTime(drawn)) {
          const { about, filter, made, at, defined, means } = compared
          seen.rows++
          if (filter.validUntil !== undefined) {
            seen.ends++
            expect(filter.validUntil, about).toBeGreaterThan(made)
          }
          if (isOver(compared)) {
            seen.over++
            if (means !== defined) seen.wrong++
          } else {
            if (at > made) seen.later++
            if (defined) seen.allowed++
            expect(means, about).toBe(defined)
          }
        }
      }),
      parameters(50),
    )
    process.stdout.write(
      `${seen.rows} random rows in time: ${seen.later} after their filter was made, ${seen.over} after it had ended, ` +
        `for ${seen.wrong} of which it would be wrong\n`,
    )
    // A run in which nothing is asked later, or in which nothing ends that matters, would show little.
    expect(seen.later).toBeGreaterThan(seen.rows / 10)
    expect(seen.allowed).toBeGreaterThan(seen.rows / 50)
    expect(seen.wrong).toBeGreaterThan(seen.over / 50)
  })
})

/** The same of a browser that decides by a snapshot, at instants before its end. */
function* snapshotsInTime(drawn: Drawn) {
  const next = numbers(drawn.seed)
  const { image, world, pool, requests } = makeSituation(drawn, next)
  const times = instantsAround(world.policy)
  for (const { user, action, resource, sent } of requests) {
    const tenant = resolveTenant(world.policy, { user, action, resource })
    const made = times[next(times.length)]!
    const isRow = next(2) === 0
    const context = sent?.context ?? {}
    const about = { tenants: [tenant], types: [resource.type], context, lifetimeMs: HOUR }
    const options = { ...about, tenantColumnIsAuthoritative: isRow }
    const of = { key: user, attributes: sent?.user ?? null }
    const snapshot = image.guardAt(made, () => makeSnapshot(image, of, options, false, made))
    for (const at of times.filter((time) => made <= time && time < snapshot.expiresAt)) {
      const browser = permissions(snapshot, { now: () => at })
      for (const row of rowsFor(world, makeWords(world, pool), { user, action, resource, sent: sent ?? {} }, next)) {
        const question = toBrowserRow({ user, action, resource }, tenant, row, snapshot)
        const says = browser.may(action, question)
        const { attributes, relations, key, type } = question
        const on = { type, tenant, isRow, relations: relations!, ...(key === null ? {} : { key }) }
        const sends = { user: sent?.user ?? {}, resource: attributes as never, context: { ...context, now: at } }
        const defined = check(policyAt(world.policy, at), { user, action, resource: on, sent: sends })
        yield { about: JSON.stringify({ snapshot, question, made, at }), snapshot, made, at, says, defined }
      }
    }
  }
}

it('[D15] snapshots decide as checks do until they end, or leave it to the server', () => {
  const seen = { rows: 0, later: 0, cut: 0, answered: 0 }
  fc.assert(
    fc.property(timedSituations, (drawn) => {
      for (const { about, snapshot, made, at, says, defined } of snapshotsInTime(drawn)) {
        seen.rows++
        if (at > made) seen.later++
        if (snapshot.expiresAt < made + HOUR) seen.cut++
        if (says === undefined) continue
        seen.answered++
        expect(says, about).toBe(defined)
      }
    }),
    parameters(100),
  )
  for (const count of [seen.later, seen.cut, seen.answered]) expect(count).toBeGreaterThan(seen.rows / 15)
})
