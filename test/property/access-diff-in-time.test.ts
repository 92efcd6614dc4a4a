// The law of access diffs of two instants (D15): what is listed is exactly what every question finds, asked of the policy
// before at the first instant and of the one after at the second; with or without a change between them. What conditions
// on the time alone make is marked, and what time makes says since when.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { accessDiff } from '../../src/image/access-diff/access-diff.ts'
import { findNextTurn, listTurns } from '../../src/image/access-diff/turns.ts'
import { Image } from '../../src/image/image.ts'
import { isInForce, type TimesPolicy } from '../../src/kinds/times.ts'
import type { PolicyChange } from '../../src/log/delta.ts'
import type { AccessChange, AccessFlip } from '../../src/model/access-diff.ts'
import { definedDiff, isAllowedAt } from '../reference/access-diff.ts'
import { type Policy, toPolicy } from '../reference/policy.ts'
import { deltaTo, ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { CANARIES_IN_TIME, diffWith } from './access-diff-canaries.ts'
import { difference } from './access-diff-law.ts'
import { conditionalLaw, situations } from './conditional-law.ts'
import { numbers } from './numbers.ts'
import { parameters } from './seed.ts'
import { drawChanges, INSTANTS, POLICY } from './times-law.ts'
import { MIDNIGHT } from './values.ts'

const [, , FIRST, , , SECOND] = INSTANTS as [number, number, number, number, number, number]

const put = (kind: PolicyChange['kind'], key: string, value: object): PolicyChange =>
  ({ op: 'put', kind, key, value }) as PolicyChange
const set = (key: string, conditions: object, resource: string | null = null, parent: string | null = null) =>
  put('condition_set', key, { type: resource === null ? 'userset' : 'resourceset', resource, conditions, parent })
const rule = (user_set: string, action: string, resource_set = '__autogen_doc') =>
  put('set_rule', `${user_set}/doc:${action}/${resource_set}`, { user_set, permission: `doc:${action}`, resource_set })

/** Conditions on the time: alone, below a parent, beside what starts and ends, and against what instances store. */
const OF_TIME: readonly PolicyChange[] = [
  put('resource', 'doc', { actions: ['read', 'write', 'share', 'audit', 'print'], attributes: { due: 'time' } }),
  ...['one', 'two'].map((key, at) => {
    const value = { tenant: key === 'two' ? 'default' : 'acme', attributes: { due: [FIRST, SECOND][at]! } }
    return put('resource_instance', `doc:${key}`, value)
  }),
  set('early', { 'context.now': { 'less-than': SECOND } }),
  set('early-auditor', { 'user.roles': { array_contains: 'auditor' } }, null, 'early'),
  set('late', { 'context.now': { 'greater-than-equals': FIRST } }),
  set('overdue', { 'resource.due': { 'less-than': { ref: 'context.now' } } }, 'doc'),
  rule('early-auditor', 'share'),
  rule('no-guest', 'audit', 'overdue'),
  rule('late', 'read'),
]

interface Compared {
  readonly before: Policy
  readonly after: Policy
  readonly instants: readonly [number, number]
  readonly access: { readonly gained: AccessChange; readonly lost: AccessChange }
}

/** Two instants of a random policy with times, in half of the cases with a change between them. */
function* compared(seed: number, diff = accessDiff): Iterable<Compared> {
  const next = numbers(seed)
  const start = [...POLICY, ...(next(2) === 0 ? [] : OF_TIME)]
  const policy = toPolicy(start)
  const image = Image.build(ENVIRONMENT, makePosition(1), [...policyChanges(policy)])
  image.apply(deltaTo(2, drawChanges(policy, next, 16)))
  const before = copy(policy)
  const changes = next(2) === 0 ? [] : drawChanges(policy, next, 3)
  const after = image.clone()
  after.apply(deltaTo(3, changes))
  const built = Image.build(ENVIRONMENT, makePosition(3), [...policyChanges(policy)])
  for (let left = 4; left > 0; left--) {
    const at = next(INSTANTS.length - 1)
    const instants = [INSTANTS[at]!, INSTANTS[at + 1 + next(INSTANTS.length - 1 - at)]!] as const
    const turned = listTurns(image, ...instants, 1_000).first.flatMap(({ grant }) => grant ?? [])
    const options = { now: instants[0], nowAfter: instants[1], first: 10_000 }
    const { access } = diff(image, next(3) === 0 ? built : after, [...turned, ...changes], options)
    yield { before, after: policy, instants, access }
  }
}

const copy = (policy: Policy): Policy => toPolicy([...policyChanges(policy)])

/** The policy as changes that make it. */
function* policyChanges(policy: Policy): Iterable<PolicyChange> {
  for (const [kind, objects] of Object.entries(policy) as [PolicyChange['kind'], Map<string, object>][])
    for (const [key, value] of objects) yield put(kind, key, value)
}

const withoutSince = (change: AccessChange): AccessChange => ({
  ...change,
  first: change.first.map(({ since: _, ...flip }) => flip),
})

/** What is listed otherwise than defined. */
function findFault({ before, after, instants, access }: Compared): string | undefined {
  const bare = { gained: withoutSince(access.gained), lost: withoutSince(access.lost) }
  return difference(definedDiff(before, after, instants), bare)
}

/** Whether an instant is the one from which on the answer is that of the second, as far as it is asked. */
function isSince({ after, instants: [from, to] }: Compared, flip: AccessFlip, isAllowed: boolean): boolean {
  const ask = (t: number): boolean => isAllowedAt(after, flip as Parameters<typeof isAllowedAt>[1], t)
  if (!flip.since) return ask(from) === isAllowed
  const since = Date.parse(flip.since)
  const later = INSTANTS.filter((each) => since <= each && each <= to)
  return since > from && since <= to && ask(since - 1) !== isAllowed && later.every((each) => ask(each) === isAllowed)
}

describe('access diffs of two instants', () => {
  it('[D15] list exactly the answers that differ, mark those by conditions alone, and say since when', () => {
    const seen = { gained: 0, lost: 0, marked: 0, since: 0, changed: 0 }
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        for (const each of compared(seed)) {
          const { instants, access } = each
          expect(findFault(each), String(instants)).toBeUndefined()
          for (const direction of ['gained', 'lost'] as const)
            for (const flip of access[direction].first) {
              expect([flip, isSince(each, flip, direction === 'gained')]).toEqual([flip, true])
              seen[direction]++
              if (flip.by) seen.marked++
              if (flip.since) seen.since++
              else seen.changed++
            }
        }
      }),
      parameters(48),
    )
    for (const [what, count] of Object.entries(seen)) expect([what, count > 0]).toEqual([what, true])
  })

  it('[D8] cover what becomes another answer by what is sent', () => {
    const seen = { listed: 0, conditional: 0, overridable: 0 }
    let questions = 0
    fc.assert(
      fc.property(situations, (drawn) => {
        const instants = [MIDNIGHT - 1, MIDNIGHT + 1] as const
        for (const { request, flips, by, diff, step } of conditionalLaw(drawn, { instants })) {
          questions++
          if (!flips) continue
          expect(by, JSON.stringify({ request, changes: step.changes, access: diff.access })).toBeDefined()
          seen[by!]++
        }
      }),
      { ...parameters(16), endOnFailure: true },
    )
    expect(questions).toBeGreaterThan(50)
  })
})

describe('an access diff of two instants that is wrong in one point', () => {
  const folder = mkdtempSync(join(tmpdir(), 'zerohop-canaries-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it.each(Object.entries(CANARIES_IN_TIME))('is found: %s', async (tag, replacement) => {
    const wrong = await diffWith({ [tag]: replacement }, folder)
    for (let seed = 0; seed < 40; seed++)
      for (const each of compared(seed, wrong)) if (findFault(each) !== undefined) return
    throw new Error('it is not found')
  })
})

describe('what starts or ends between two instants', () => {
  it('is listed in the order of its instants, also when there is too much of it', () => {
    let [listed, suspended] = [0, 0]
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const draw = numbers(seed)
        const policy = toPolicy(POLICY)
        const image = Image.build(ENVIRONMENT, makePosition(1), POLICY)
        image.apply(deltaTo(2, drawChanges(policy, draw, 20)))
        const [from, to] = [INSTANTS[draw(5)]!, INSTANTS[5 + draw(5)]!]
        if (from === to) return
        const all = listTurns(image, from, to, 1_000)
        const suspensions = [...policy.user].flatMap(([key, { suspension }]) =>
          suspension === undefined ? [] : [['suspension', key, suspension] as const],
        )
        const timed: (readonly [kind: string, key: string, times: TimesPolicy])[] = [
          ...[...policy.role_assignment].map(([key, times]) => ['role_assignment', key, times] as const),
          ...[...policy.relationship_tuple].map(([key, times]) => ['relationship_tuple', key, times] as const),
          ...suspensions,
        ]
        const expected = timed.flatMap(([kind, key, times]) => {
          const [was, is] = [isInForce(times, from), isInForce(times, to)]
          if (was === is) return []
          return [is ? ['starts', times.valid_from, kind, key] : ['ends', times.valid_until, kind, key]]
        })
        const turns = all.first.map(({ is, at, kind, key }) => [is, at, kind, key])
        expect(turns.map(String).sort()).toEqual(expected.map(String).sort())
        for (const { kind, key, grant } of all.first)
          expect(grant && [grant.kind, grant.key]).toEqual(kind === 'suspension' ? undefined : [kind, key])
        const future = timed.flatMap(([, , { valid_from, valid_until }]) => [valid_from, valid_until])
        const next = Math.min(...(future.filter((time) => time !== undefined && time > from) as number[]))
        expect(findNextTurn(image, from)).toBe(next)
        suspended += all.first.filter(({ kind }) => kind === 'suspension').length
        expect(all.first.map(({ at }) => at)).toEqual(all.first.map(({ at }) => at).sort((a, b) => a - b))
        expect(listTurns(image, from, to, 2)).toEqual({ first: all.first.slice(0, 2), count: all.count })
        listed += all.count
      }),
      parameters(60),
    )
    expect(listed).toBeGreaterThan(10)
    expect(suspended).toBeGreaterThan(5)
  })
})
