// Explanations of set rules as people read them, and their bounds. What they say is compared with the definition by the
// cases `why-…` and by test/property/kernel.test.ts.
import { describe, expect, it } from 'vitest'
import { Image } from '../../src/image/image.ts'
import { EXPLAIN_ITEMS_MAX, EXPLAIN_MISSES_MAX, EXPLAIN_RULES_MAX } from '../../src/model/limits.ts'
import type { JsonObject } from '../../src/model/objects.ts'
import { sayBecause, sayIllTyped, sayMiss, sayNote } from '../../src/pdp/explain-text.ts'
import { loadImage } from '../../src/pdp/pdp.ts'
import { ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { type Operation, World } from '../support/world.ts'

const rule = (user_set: string, resource_set = 'doc'): Operation => [
  'put',
  'set_rule',
  { user_set, permission: 'doc:read', resource_set },
]
const users = (key: string, conditions: JsonObject): Operation => [
  'put',
  'condition_set',
  { key, type: 'userset', conditions },
]
const BASE: Operation[] = [
  ['put', 'resource', { key: 'doc', actions: ['read'], attributes: { cost: 'number' } }],
  ['put', 'resource', { key: '__user', actions: [], attributes: { age: 'number' } }],
  ['put', 'role', { key: 'guard' }],
  ['put', 'user', { key: 'ana' }],
]

function makePdp(...operations: Operation[]) {
  const world = new World()
  world.runAll([...BASE, ...operations])
  return loadImage(Image.build(ENVIRONMENT, makePosition(1), world.contents()).save())
}

/** What is said about rules of one user set with these conditions. */
const explainMiss = (conditions: JsonObject, attributes: JsonObject = {}, context: JsonObject = {}) => {
  const pdp = makePdp(users('set', conditions), rule('set'))
  return pdp.explain({ key: 'ana', attributes }, 'read', 'doc', context).misses.map(sayMiss)[0]
}
const miss = (text: string) => `rule (set, __autogen_doc): user set set: ${text}`

describe('explanations in sentences', () => {
  it.each<[JsonObject, JsonObject, string]>([
    [{ 'user.x': { equals: 'a' } }, {}, 'user.x is missing (at user.x / equals)'],
    [{ 'user.x': { equals: 'a' } }, { x: 'b' }, 'user.x is "b", not equals "a" (at user.x / equals)'],
    [
      { 'user.x': { 'less-than': 3 } },
      { x: '2' },
      'user.x is "2", which less-than does not compare with 3 (at user.x / less-than)',
    ],
    [
      { allOf: [{ 'user.age': { 'less-than': 3 } }] },
      { age: '2' },
      'user.age is "2", but is declared number (at allOf / 0 / user.age / less-than)',
    ],
    [{ 'user.x': { equals: { ref: 'user.y' } } }, { x: 1 }, 'user.x is 1, but user.y is missing (at user.x / equals)'],
    [
      { 'user.x': { in: { ref: 'user.y' } } },
      { x: 1, y: 1 },
      'user.x is 1, but user.y is 1, which in does not take (at user.x / in)',
    ],
    [
      { 'user.x': { equals: { ref: 'user.y' } } },
      { x: 1, y: 2 },
      'user.x is 1, not equals user.y, which is 2 (at user.x / equals)',
    ],
    [
      { not: { 'user.x': { equals: 1 } } },
      { x: 1 },
      'user.x is 1: equals 1 is true, under a not (at not / user.x / equals)',
    ],
    [
      { 'user.x': { any_match: { match: { a: { equals: 1 } } } } },
      { x: [{ a: 2 }] },
      'user.x is [{"a":2}]: not any_match (at user.x / any_match)',
    ],
  ])('%j of %j', (conditions, attributes, text) => {
    expect(explainMiss(conditions, attributes)).toBe(miss(text))
  })

  it('name the sides of a rule, what allows, what a `not` did not see, and what is ill-typed', () => {
    const doors: Operation[] = [
      ['put', 'resource', { key: 'door', actions: [] }],
      ['put', 'condition_set', { key: 'doors', type: 'resourceset', resource: 'door', conditions: {} }],
    ]
    const pdp = makePdp(...doors, rule('guard', 'doors'), users('free', { not: { 'user.age': { equals: 1 } } }))
    expect(pdp.explain('ana', 'read', 'doc').misses.map(sayMiss)).toEqual([
      'rule (__autogen_guard, doors): user set __autogen_guard: the role is not assigned in this tenant; ' +
        'resource set doors is about another resource type',
    ])
    const allowing = makePdp(users('free', { not: { 'user.age': { equals: 1 } } }), rule('free'))
    const sent = { key: 'ana', attributes: { age: 'x' } }
    const { because, notes, ill_typed } = allowing.explain(sent, 'read', { type: 'doc', attributes: { cost: true } })
    expect(because.map(sayBecause)).toEqual(['user set free may doc:read on resource set __autogen_doc'])
    expect(notes.map(sayNote)).toEqual([
      'in set free, under a not: user.age is "x", but is declared number (at not / user.age / equals)',
    ])
    expect(ill_typed.map(sayIllTyped)).toEqual([
      'user.age is declared number: conditions do not see "x"',
      'resource.cost is declared number: conditions do not see true',
    ])
  })
})

describe('an explanation is bounded', () => {
  const many = (count: number, conditions: (index: number) => JsonObject): Operation[] =>
    Array.from({ length: count }, (_, index) => [users(`s${index}`, conditions(index)), rule(`s${index}`)]).flat()

  it('in the rules that it names', () => {
    const allowing = makePdp(...many(EXPLAIN_RULES_MAX + 5, () => ({}))).explain('ana', 'read', 'doc')
    expect([allowing.abac, allowing.rules, allowing.because.length]).toEqual([
      'allow',
      EXPLAIN_RULES_MAX + 5,
      EXPLAIN_RULES_MAX,
    ])
    const denying = makePdp(...many(50, (index) => ({ 'user.x': { equals: index } }))).explain('ana', 'read', 'doc')
    expect([denying.abac, denying.rules, denying.misses.length]).toEqual([
      'no_matching_usersets',
      50,
      EXPLAIN_MISSES_MAX,
    ])
  })

  it('in the tests, the notes and the ill-typed attributes that it lists', () => {
    const tests = Array.from({ length: 100 }, (_, index) => ({ [`user.x${index}`]: { equals: 1 } }))
    const wide = makePdp(users('set', { allOf: tests }), rule('set')).explain('ana', 'read', 'doc')
    expect(wide.misses[0]!.failed[0]!.tests.length).toBe(EXPLAIN_ITEMS_MAX)
    const inVain = makePdp(users('set', { allOf: tests.map((test) => ({ not: test })) }), rule('set'))
    expect(inVain.explain('ana', 'read', 'doc').notes.length).toBe(EXPLAIN_ITEMS_MAX)
    const types = Object.fromEntries(tests.map((_, index) => [`t${index}`, 'number' as const]))
    const odd = Object.fromEntries(tests.map((_, index) => [`t${index}`, 'text']))
    const pdp = makePdp(['put', 'resource', { key: 'doc', actions: ['read'], attributes: types }])
    const explained = pdp.explain('ana', 'read', { type: 'doc', attributes: odd })
    expect(explained.ill_typed.length).toBe(EXPLAIN_ITEMS_MAX)
  })

  it('in its work: where that ends, it says so and still has the decision', () => {
    const tests = Array.from({ length: 400 }, (_, index) => ({ [`user.x${index}`]: { equals: 1 } }))
    const explained = makePdp(...many(40, () => ({ anyOf: tests }))).explain('ana', 'read', 'doc')
    expect([explained.allow, explained.abac, explained.misses.length]).toEqual([false, 'no_matching_usersets', 5])
    const allowed = makePdp(...many(40, () => ({ anyOf: tests }))).explain(
      { key: 'ana', attributes: { x399: 1 } },
      'read',
      'doc',
    )
    expect([allowed.allow, allowed.abac]).toEqual([true, 'allow'])
  })

  it('in its work: of sets that it passed over it does not say that the user is in none of them', () => {
    const long = Array.from({ length: 500 }, (_, index) => index)
    const heavy = (index: number) => ({ 'user.list': { array_subset: long }, 'user.x': { equals: index } })
    const shut: Operation = [
      'put',
      'condition_set',
      { key: 'shut', type: 'resourceset', resource: 'doc', conditions: { 'resource.cost': { equals: 1 } } },
    ]
    const pdp = makePdp(shut, users('all', {}), rule('all', 'shut'), ...many(12, heavy))
    const explained = pdp.explain({ key: 'ana', attributes: { list: long } }, 'read', 'doc')
    expect([explained.allow, explained.abac]).toEqual([false, 'no_matching_rules'])
  })

  it('[D13] in what may be sent: roles that allow are still explained, as a check answers', () => {
    const pdp = makePdp(
      ['put', 'role', { key: 'reader', permissions: ['doc:read'] }],
      ['put', 'user', { key: 'eva' }],
      ['put', 'role_assignment', { user: 'eva', role: 'reader', tenant: 'default' }],
      users('set', { 'user.x': { equals: 'a' } }),
      rule('set'),
    )
    for (const x of ['a'.repeat(1_000_000), '\ud800', Number.NaN]) {
      const about = (key: string) => [{ key, attributes: { x } }, 'read', 'doc'] as const
      expect(pdp.check(...about('eva'))).toBe(true)
      expect(pdp.explain(...about('eva'))).toMatchObject({ allow: true, code: 'allow', abac: 'undecided', misses: [] })
      expect(() => pdp.check(...about('ana'))).toThrow()
      expect(() => pdp.explain(...about('ana'))).toThrow()
    }
  })
})
