// The instant of a question (D10, D15): the clock is read only where times are met, once for a request, and no answer is
// of an instant that went before; `pdp.at(t)` answers at t; a `context.now` moves no grant.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Image } from '../../src/image/image.ts'
import type { PolicyChange } from '../../src/log/delta.ts'
import { Answering } from '../../src/pdp/answering.ts'
import { FixedImage } from '../../src/pdp/fixed-image.ts'
import { type Decision, Pdp } from '../../src/pdp/pdp.ts'
import { deltaTo, ENVIRONMENT, makePosition } from '../support/deltas.ts'

const put = (kind: PolicyChange['kind'], key: string, value: object): PolicyChange =>
  ({ op: 'put', kind, key, value }) as PolicyChange
const assigned = (user: string, role: string, times: object = {}): PolicyChange =>
  put('role_assignment', `${user}/${role}/acme`, { user, role, tenant: 'acme', ...times })

const NINE = Date.UTC(2026, 10, 20, 9)
const SIX = NINE + 9 * 3_600_000
const YEAR = 365 * 86_400_000
const DOC = { type: 'doc', tenant: 'acme' }

/** ana reads for good; ben reads, and is a guest, until six; anyone else may print until a second after six. */
const POLICY: readonly PolicyChange[] = [
  put('resource', 'doc', { actions: ['read', 'print'] }),
  put('role', 'reader', { permissions: ['doc:read'], extends: [] }),
  put('role', 'guest', { permissions: [], extends: [] }),
  put('tenant', 'acme', {}),
  put('user', 'ana', {}),
  put('user', 'ben', {}),
  assigned('ana', 'reader'),
  assigned('ben', 'reader', { valid_until: SIX }),
  assigned('ben', 'guest', { valid_until: SIX }),
  put('condition_set', 'guests', {
    type: 'userset',
    resource: null,
    parent: null,
    conditions: {
      allOf: [
        { not: { allOf: [{ 'user.roles': { array_contains: 'guest' } }] } },
        { 'context.now': { 'less-than': SIX + 1_000 } },
      ],
    },
  }),
  put('set_rule', 'guests/doc:print/__autogen_doc', {
    user_set: 'guests',
    permission: 'doc:print',
    resource_set: '__autogen_doc',
  }),
]

/** A clock that goes on by one with each look at it, and how often it was looked at. */
const clock = { now: NINE, looks: 0 }
const setClock = (now: number) => Object.assign(clock, { now, looks: 0 })

beforeEach(() => {
  setClock(NINE)
  vi.spyOn(Date, 'now').mockImplementation(() => {
    clock.looks++
    return clock.now++
  })
})
afterEach(() => vi.restoreAllMocks())

const build = (): Image => Image.build(ENVIRONMENT, makePosition(1), POLICY)
const open = (onDecision?: (decision: Decision) => void): Pdp =>
  new Pdp(new FixedImage(build()), onDecision === undefined ? {} : { onDecision })

describe('the clock', () => {
  it('is read where times are met, and only there', () => {
    const pdp = open()
    const [of, handle] = [pdp.permission('read', 'doc'), pdp.subject('ana', { tenant: 'acme' })]
    expect([pdp.check('ana', 'read', DOC), of.allows('ana', { tenant: 'acme' }), handle.can('read', 'doc')]).toEqual([
      true,
      true,
      true,
    ])
    expect(pdp.check('zoe', 'read', DOC)).toBe(false)
    expect(pdp.check('ana', 'read', { ...DOC, key: '1' })).toBe(true)
    expect(pdp.bulkCheck([{ user: 'ana', action: 'read', resource: DOC }])).toEqual([true])
    expect(clock.looks).toBe(0)
    expect(pdp.check('ben', 'read', DOC)).toBe(true)
    expect(clock.looks).toBe(1)
  })

  it('is read once for a request, whatever is asked in it', () => {
    const asked: (number | undefined)[] = []
    const pdp = open(({ now }) => asked.push(now))
    setClock(SIX - 1)
    const check = { user: 'ben', action: 'read', resource: DOC }
    const print = { user: 'ben', action: 'print', resource: DOC }
    expect(pdp.bulkCheck([check, print, check, print, check])).toEqual([true, false, true, false, true])
    expect([clock.looks, new Set(asked)]).toEqual([1, new Set([SIX - 1])])
    setClock(SIX - 1)
    const both = pdp.asOneRequest(() => [pdp.check('ben', 'read', DOC), pdp.userTenants('ben').length, pdp.now])
    expect([both, clock.looks]).toEqual([[true, 1, SIX - 1], 1])
    setClock(SIX)
    expect(pdp.bulkCheck([check, print, check])).toEqual([false, true, false])
    expect(clock.looks).toBe(1)
  })

  it('is read anew by the next request: no answer is of an instant that went before', () => {
    const pdp = open()
    setClock(SIX - 1)
    const handle = pdp.subject('ben', { tenant: 'acme' })
    for (const door of [
      () => pdp.check('ben', 'read', DOC),
      () => pdp.checkWithoutAttributes('ben', 'read', DOC),
      () => pdp.check({ key: 'ben', attributes: {} }, 'read', DOC, {}),
      () => handle.can('read', 'doc'),
      () => pdp.permission('read', 'doc').allows('ben', { tenant: 'acme' }),
      () => pdp.explain('ben', 'read', DOC).allow,
      () => pdp.actions('ben', DOC).includes('read'),
      () => pdp.users('read', DOC).keys.includes('ben'),
      () => pdp.filter('ben', 'read', 'doc', { tenant: 'acme' }).kind === 'always',
      () => pdp.roleAssignments({ page: 1, perPage: 9 }).some(({ user }) => user === 'ben'),
      () => 'ben' in pdp.authorizedUsers({ action: 'read', resource: DOC }).users,
    ]) {
      for (const [now, right] of [
        [SIX - 1, true],
        [SIX, false],
        [SIX - 2, true],
        [SIX + YEAR, false],
      ] as const) {
        setClock(now)
        expect(door(), `${door} at ${now - SIX}`).toBe(right)
      }
    }
  })

  it('is not asked by a question that is asked while another one is answered', () => {
    const answers: boolean[] = []
    const pdp: Pdp = open(({ action }) => {
      if (action === 'read') answers.push(pdp.check('ben', 'print', DOC))
    })
    setClock(SIX - 1)
    expect([pdp.check('ben', 'read', DOC), answers, clock.looks]).toEqual([true, [false], 1])
  })
})

describe('pdp.at', () => {
  it('answers at its instant, the PDP beside it at that of the clock', () => {
    const pdp = open()
    const later = pdp.at(SIX)
    const sooner = later.at(SIX - 1)
    for (let round = 0; round < 2; round++) {
      expect([pdp, later, sooner].map((each) => each.check('ben', 'read', DOC))).toEqual([true, false, true])
      expect([pdp, later, sooner].map((each) => each.subject('ben', { tenant: 'acme' }).can('read', 'doc'))).toEqual([
        true,
        false,
        true,
      ])
      expect([later, sooner].map((each) => each.explain('ben', 'print', DOC).allow)).toEqual([true, false])
      expect([later, sooner].map((each) => each.userTenants('ben').length)).toEqual([0, 1])
    }
    expect(later.now).toBe(SIX)
    expect(pdp.at(SIX + 1_000).check('ben', 'print', DOC)).toBe(false) // it is `context.now`, too
    setClock(SIX)
    expect([pdp, later, sooner].map((each) => each.check('ben', 'read', DOC))).toEqual([false, false, true])
  })

  it('follows deltas, and records its instant', () => {
    const image = build()
    const asked: (number | undefined)[] = []
    const pdp = new Pdp(new FixedImage(image), { onDecision: ({ now }) => asked.push(now) })
    const later = pdp.at(SIX)
    expect(later.check('ben', 'read', DOC)).toBe(false)
    image.apply(deltaTo(2, [assigned('ben', 'reader', { valid_until: SIX + 1 })]))
    expect([later.check('ben', 'read', DOC), later.at(SIX + 1).check('ben', 'read', DOC)]).toEqual([true, false])
    image.apply(deltaTo(3, [assigned('ben', 'reader')]))
    expect(later.at(SIX + YEAR).check('ben', 'read', DOC)).toBe(true)
    expect(asked).toEqual([SIX, SIX, SIX + 1, SIX + YEAR])
    expect(later.take()).toEqual(pdp.take())
  })

  it('takes a finite number', () => {
    const refused = expect.objectContaining({ code: 'INPUT_INVALID' })
    for (const now of [Number.NaN, Number.POSITIVE_INFINITY, '2026' as never])
      expect(() => open().at(now)).toThrow(refused)
  })

  it('is read in turns at one instant', async () => {
    setClock(SIX - 1)
    const toPart = (part: object) => Object.keys(part)
    const { parts } = await open().userPermissionsInTurns('ben', null, null, toPart)
    expect(parts.flat()).toEqual(['__tenant:acme'])
    expect((await open().at(SIX).userPermissionsInTurns('ben', null, null, toPart)).parts.flat()).toEqual([
      '__tenant:acme', // what anybody may who is not a guest
    ])
    setClock(SIX)
    expect(
      (
        await open()
          .at(SIX - 1)
          .userPermissionsInTurns('ben', null, null, toPart)
      ).parts,
    ).toHaveLength(1)
  })
})

describe('a `context.now` that a caller passes', () => {
  it('is read by conditions, and moves no grant', () => {
    const pdp = open()
    setClock(SIX)
    for (const now of [NINE, SIX - 1, new Date(NINE).toISOString(), 0]) {
      expect(pdp.check('ben', 'read', DOC, { now })).toBe(false)
      expect(pdp.check('ben', 'print', DOC, { now })).toBe(true) // not a guest any more, and early
    }
    expect(pdp.check('ben', 'print', DOC, { now: SIX + 1_000 })).toBe(false)
  })
})

describe('a clock that is behind', () => {
  it('prolongs nothing while the management side says what time it is, and makes no image too old', () => {
    const answering = new Answering(60_000)
    answering.answer(build(), 'feed')
    answering.heard({ monotonic: performance.now(), wall: clock.now })
    const reads = () => answering.take().check('ben', 'read', 'doc', 'acme')
    expect(reads()).toBe(true)
    answering.heardTime(SIX)
    expect(reads()).toBe(false)
    answering.heardTime(NINE - YEAR) // another clock that is behind
    expect(reads()).toBe(true)
  })
})

describe('a PDP that hears nothing for a week', () => {
  const WEEK = 7 * 86_400_000
  /** cyd reads from the third day on */
  const offline = (staleMs: number | undefined): Answering => {
    const answering = new Answering(staleMs)
    const image = build()
    image.apply(deltaTo(2, [put('user', 'cyd', {}), assigned('cyd', 'reader', { valid_from: NINE + WEEK / 2 })]))
    answering.answer(image, 'feed')
    answering.heard({ monotonic: performance.now(), wall: clock.now })
    answering.heardTime(NINE)
    return answering
  }
  const readers = (answering: Answering): string[] =>
    ['ana', 'ben', 'cyd'].filter((user) => answering.take().check(user, 'read', 'doc', 'acme'))

  it('goes on by its own clock where it may: what ends ends, and what starts starts', () => {
    const answering = offline(undefined)
    expect(readers(answering)).toEqual(['ana', 'ben'])
    setClock(NINE + WEEK)
    expect(readers(answering)).toEqual(['ana', 'cyd'])
    setClock(NINE) // a clock that goes back
    expect(readers(answering)).toEqual(['ana', 'ben'])
  })

  it('refuses where its image may not be that old', () => {
    const answering = offline(60_000)
    expect(readers(answering)).toEqual(['ana', 'ben'])
    setClock(NINE + WEEK)
    expect(() => readers(answering)).toThrow(expect.objectContaining({ code: 'STALE' }))
  })
})
