// The time of a question in the library (D8): read from the clock where a rule reads `context.now`, once for each
// question, and nowhere else.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Image } from '../../src/image/image.ts'
import type { PolicyChange } from '../../src/log/delta.ts'
import type { JsonObject } from '../../src/model/objects.ts'
import { type Decision, loadImage, type Pdp, type PdpOptions } from '../../src/pdp/pdp.ts'
import { ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { give, HELLO } from './policies.ts'

const OPENS = Date.parse('2026-01-01T00:00:00Z')
const BEFORE = OPENS - 1

const put = (kind: PolicyChange['kind'], key: string, value: object) =>
  ({ op: 'put', kind, key, value }) as unknown as PolicyChange
const POLICY = [
  ...HELLO,
  give('ana', 'viewer'),
  put('resource', 'note', { actions: ['edit', 'list', 'read'], attributes: { due: 'time' } }),
  put('resource_instance', 'note:one', { tenant: 'default', attributes: {} }),
]
/** Everybody may read notes when the conditions hold, list them without any, and edit none. */
const rules = (conditions: JsonObject): PolicyChange[] => [
  put('condition_set', 'who', { type: 'userset', resource: null, conditions, parent: null }),
  put('condition_set', 'all', { type: 'userset', resource: null, conditions: { 'user.x': { not: 1 } }, parent: null }),
  put('condition_set', 'notes', { type: 'resourceset', resource: 'note', conditions: {}, parent: null }),
  put('set_rule', 'read', { user_set: 'who', permission: 'note:read', resource_set: 'notes' }),
  put('set_rule', 'list', { user_set: 'all', permission: 'note:list', resource_set: 'notes' }),
]
const makePdp = (conditions: JsonObject, options?: PdpOptions): Pdp =>
  loadImage(Image.build(ENVIRONMENT, makePosition(7), [...POLICY, ...rules(conditions)]).save(), options)

const OPEN = { 'context.now': { 'greater-than-equals': '2026-01-01' } }
const CLOSED = { not: { 'environment.now': { 'greater-than-equals': '2026-01-01' } } }

const NOTE = { type: 'note', tenant: 'default' }
/** Whether ana may read notes, by every door of the library. */
const DOORS: Readonly<Record<string, (pdp: Pdp) => boolean>> = {
  'check of keys': (pdp) => pdp.check('ana', 'read', 'note'),
  'check of an instance': (pdp) => pdp.check('ana', 'read', 'note:one'),
  'check of parts': (pdp) => pdp.check('ana', 'read', NOTE),
  'check with attributes': (pdp) => pdp.check({ key: 'ana', attributes: { x: 2 } }, 'read', NOTE),
  'check with an action of parts': (pdp) => pdp.check('ana', { key: 'read' }, { ...NOTE, attributes: {} }),
  'check with relations': (pdp) => pdp.check('ana', 'read', { ...NOTE, relations: { in: ['note:one'] } }),
  'check with another context': (pdp) => pdp.check('ana', 'read', NOTE, { ip: '10.0.0.1' }),
  'check with an empty time': (pdp) => pdp.check('ana', 'read', NOTE, { now: null }),
  'a subject': (pdp) => pdp.subject('ana').can('read', 'note'),
  'a subject and an instance': (pdp) => pdp.subject('ana', { tenant: 'default' }).can('read', 'note:one'),
  'a permission': (pdp) => pdp.permission('read', 'note').allows('ana'),
  'a permission and an instance': (pdp) => pdp.permission('read', 'note').allows('ana', { key: 'one' }),
  'bulk check': (pdp) => pdp.bulkCheck([{ user: 'ana', action: 'read', resource: 'note' }])[0]!,
  explain: (pdp) => pdp.explain('ana', 'read', 'note').allow,
  why: (pdp) => pdp.why('ana', 'read', 'note:one').allow,
  filter: (pdp) => pdp.filter('ana', 'read', 'note', { tenant: 'default' }).kind === 'always',
  users: (pdp) => pdp.users('read', 'note').keys.includes('ana'),
  resources: (pdp) => pdp.resources('ana', 'read', 'note').keys.includes('one'),
  actions: (pdp) => pdp.actions('ana', 'note').includes('read'),
  tenants: (pdp) => pdp.tenants('ana', 'read', 'note').some(({ key }) => key === 'default'),
  'permissions of a user': (pdp) => pdp.userPermissions('ana')['__tenant:default']!.permissions.includes('note:read'),
  'authorized users': (pdp) => 'ana' in pdp.authorizedUsers({ action: 'read', resource: NOTE }).users,
}

const clockAt = (now: number) => vi.spyOn(Date, 'now').mockReturnValue(now)
afterEach(() => void vi.restoreAllMocks())

describe('[D8] the time of a question', () => {
  it.each(Object.entries(DOORS))('is that of the clock: %s', (_, ask) => {
    const [open, closed] = [makePdp(OPEN), makePdp(CLOSED)]
    clockAt(BEFORE)
    expect([ask(open), ask(closed)]).toEqual([false, true])
    clockAt(OPENS)
    expect([ask(open), ask(closed)]).toEqual([true, false])
  })

  it('is that of the clock for checks that are heard of, and for strict ones', () => {
    const options = { onDecision: () => {}, strict: true, strictAttributes: true }
    for (const [now, allow] of [
      [BEFORE, false],
      [OPENS, true],
    ] as const) {
      clockAt(now)
      const pdp = makePdp(OPEN, options)
      expect([pdp.check('ana', 'read', 'note'), pdp.subject('ana').can('read', 'note:one')]).toEqual([allow, allow])
    }
  })

  it('is what the caller sends, in any form', () => {
    clockAt(OPENS)
    const pdp = makePdp(OPEN)
    const at = (now: JsonObject[string]) => pdp.check('ana', 'read', NOTE, { now })
    expect([at(BEFORE), at('2025-12-31'), at('soon'), at(true)]).toEqual([false, false, false, false])
    clockAt(BEFORE)
    expect([at(OPENS), at('2026-01-01')]).toEqual([true, true])
    const context = { now: OPENS }
    expect(pdp.filter('ana', 'read', 'note', { tenant: 'default', context }).kind).toBe('always')
    expect(pdp.actions('ana', 'note', context)).toEqual(['list', 'read'])
    expect(pdp.bulkCheck([{ user: 'ana', action: 'read', resource: 'note', context }])).toEqual([true])
    expect(pdp.explain('ana', 'read', 'note', context).allow).toBe(true)
  })

  it.each<[string, unknown]>([
    ['a word', 'soon'],
    ['a time of day', '09:00'],
    ['a day that does not exist', '2026-02-30'],
    ['an object of the language', new Date(OPENS)],
    ['a list', [OPENS]],
    ['truth', true],
  ])('[D7] that is %s is named by explanations, and refused where attributes are strict', (_, now) => {
    const context = { now } as JsonObject
    expect(makePdp(CLOSED).explain('ana', 'read', 'note', context).ill_typed).toMatchObject([
      { attribute: 'context.now', declared: 'time' },
    ])
    const pdp = makePdp(CLOSED, { strictAttributes: true })
    const refused = expect.objectContaining({ code: 'ATTRIBUTE_ILL_TYPED', path: ['context', 'now'] })
    for (const ask of [
      () => pdp.check('ana', 'read', 'note', context),
      () => pdp.check({ key: 'ana', attributes: { x: 2 } }, 'read', NOTE, context),
      () => pdp.explain('ana', 'read', 'note', context),
      () => pdp.bulkCheck([{ user: 'ana', action: 'read', resource: 'note', context }]),
      () => pdp.filter('ana', 'read', 'note', { tenant: 'default', context }),
      () => pdp.actions('ana', 'note', context),
      () => pdp.users('read', 'note', { context }),
      () => pdp.resources('ana', 'read', 'note', { context }),
      () => pdp.tenants('ana', 'read', 'note', context),
      () => pdp.userPermissions('ana', {}, context),
      () => pdp.authorizedUsers({ action: 'read', resource: NOTE, context }),
    ])
      expect(ask, String(ask)).toThrow(refused)
    for (const fine of [OPENS, '2026-01-01', null]) expect(pdp.check('ana', 'read', 'note', { now: fine })).toBe(false)
  })

  it('stays in a filter as the instant at which it was made, and open in a snapshot', () => {
    const due = { 'resource.due': { 'less-than': { ref: 'context.now' } } }
    const changes = [
      ...POLICY,
      put('condition_set', 'who', { type: 'userset', resource: null, conditions: {}, parent: null }),
      put('condition_set', 'due', { type: 'resourceset', resource: 'note', conditions: due, parent: null }),
      put('set_rule', 'read', { user_set: 'who', permission: 'note:read', resource_set: 'due' }),
    ]
    const pdp = loadImage(Image.build(ENVIRONMENT, makePosition(7), changes).save())
    clockAt(OPENS)
    const left = { path: ['due'], type: 'time' }
    expect(pdp.filter('ana', 'read', 'note', { tenant: 'default' })).toMatchObject({
      where: { op: 'less-than', left, right: { value: OPENS, time: true } },
    })
    const { answers, etag } = pdp.snapshot('ana', { tenants: ['default'] })
    expect(JSON.stringify(answers)).toContain('{"now":true}')
    clockAt(OPENS + 1)
    expect(pdp.snapshot('ana', { tenants: ['default'] }).etag).toBe(etag)
  })

  it('is passed with the decision, and explained', () => {
    const heard: Decision[] = []
    const pdp = makePdp(OPEN, { onDecision: (decision) => void heard.push(decision) })
    clockAt(OPENS)
    pdp.check('ana', 'read', 'note')
    pdp.subject('ana').can('read', 'note')
    pdp.bulkCheck([{ user: 'ana', action: 'read', resource: 'note' }])
    pdp.check('ana', 'read', 'note', { now: BEFORE })
    pdp.check('ana', 'read', 'note', { now: '2026-02-01' })
    pdp.check('ana', 'wave', 'hello')
    expect(heard.map(({ now }) => now)).toEqual([OPENS, OPENS, OPENS, BEFORE, undefined, undefined])
    clockAt(BEFORE)
    const { misses } = pdp.explain('ana', 'read', 'note')
    expect(JSON.stringify(misses)).toContain(
      `"attribute":"context.now","operator":"greater-than-equals","reason":"not_met","value":${BEFORE}`,
    )
    expect(JSON.stringify(pdp.why('ana', 'read', 'note'))).toContain('2025-12-31T23:59:59.999Z')
  })
})

describe('the clock', () => {
  it.each(Object.entries(DOORS))('is read once: %s', (_, ask) => {
    const pdp = makePdp(OPEN)
    const clock = clockAt(OPENS)
    expect(ask(pdp)).toBe(true)
    expect(clock).toHaveBeenCalledTimes(1)
  })

  it('is read once for a bulk and for a request, and anew for the next', () => {
    const pdp = makePdp(OPEN)
    const clock = clockAt(OPENS)
    const checks = Array.from({ length: 50 }, () => ({ user: 'ana', action: 'read', resource: 'note' }))
    expect(pdp.bulkCheck(checks).every(Boolean)).toBe(true)
    expect(clock).toHaveBeenCalledTimes(1)
    pdp.asOneRequest(() => Object.values(DOORS).every((ask) => ask(pdp)))
    expect(clock).toHaveBeenCalledTimes(2)
  })

  it.each(Object.entries(DOORS))('is not read where no rule reads the time: %s', (_, ask) => {
    const pdp = makePdp({ 'user.x': { not: 1 }, 'context.later': { not: 1 } })
    const clock = clockAt(OPENS)
    expect(ask(pdp)).toBe(true)
    expect(clock).not.toHaveBeenCalled()
  })

  it('is not read for a permission whose rules do not read the time, by a role, or when a time is sent', () => {
    const pdp = makePdp(OPEN)
    const clock = clockAt(OPENS)
    expect(pdp.check('ana', 'list', 'note')).toBe(true)
    expect(pdp.check('ana', 'edit', 'note:one')).toBe(false)
    expect(pdp.check('ana', 'wave', 'hello')).toBe(true)
    expect(pdp.check('ana', 'read', NOTE, { now: OPENS })).toBe(true)
    expect(pdp.subject('ana').can('list', 'note:one')).toBe(true)
    expect(clock).not.toHaveBeenCalled()
  })

  it('is not read for an image without a PDP', () => {
    const image = Image.build(ENVIRONMENT, makePosition(7), [...POLICY, ...rules(OPEN)])
    clockAt(OPENS)
    expect(image.check('ana', 'read', 'note')).toBe(false)
    expect(image.check('ana', 'read', 'note', undefined, undefined, { context: { now: OPENS } })).toBe(true)
  })
})
