// Hostile questions to the library: whatever is passed, the answer is the right decision or a typed error, never a
// crash, never a wrong allow; and no question leaves a trace in the image.
import { describe, expect, it } from 'vitest'
import { Image } from '../../src/image/image.ts'
import { FixedImage } from '../../src/pdp/fixed-image.ts'
import { loadImage, Pdp } from '../../src/pdp/pdp.ts'
import { ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { outcome } from '../support/outcome.ts'
import { type Operation, World } from '../support/world.ts'

const POLICY: Operation[] = [
  ['put', 'resource', { key: 'doc', actions: ['level', 'inside', 'owned', 'free'] }],
  ['put', 'resource', { key: '__user', actions: [], attributes: { strict: 'number' } }],
  ['put', 'role', { key: 'reader', permissions: ['doc:free'] }],
  ['put', 'user', { key: 'ana', attributes: { team: 'red' } }],
  ['put', 'role_assignment', { user: 'ana', role: 'reader', tenant: 'default' }],
  ['put', 'resource_instance', { resource: 'doc', instance: '1', tenant: 'default', attributes: { owner: 'ana' } }],
  ['put', 'condition_set', { key: 'level', type: 'userset', conditions: { 'user.level': { 'greater-than': 3 } } }],
  ['put', 'condition_set', { key: 'inside', type: 'userset', conditions: { 'user.a.b.c': { equals: 1 } } }],
  [
    'put',
    'condition_set',
    {
      key: 'own',
      type: 'resourceset',
      resource: 'doc',
      conditions: { 'resource.owner': { equals: { ref: 'user.key' } } },
    },
  ],
  ['put', 'condition_set', { key: 'all', type: 'userset', conditions: {} }],
  ['put', 'set_rule', { user_set: 'level', permission: 'doc:level', resource_set: 'doc' }],
  ['put', 'set_rule', { user_set: 'inside', permission: 'doc:inside', resource_set: 'doc' }],
  ['put', 'set_rule', { user_set: 'all', permission: 'doc:owned', resource_set: 'own' }],
]

function makeImage(): Image {
  const world = new World()
  world.runAll(POLICY)
  return Image.build(ENVIRONMENT, makePosition(1), world.contents())
}
const image = makeImage()
const pdp = loadImage(image.save())

const cyclic: Record<string, unknown> = { level: 1 }
cyclic.self = cyclic
const deep = (levels: number): unknown => (levels === 0 ? 1 : { b: deep(levels - 1) })
const throwing = (name: string) =>
  Object.defineProperty({}, name, {
    enumerable: true,
    get: () => {
      throw new Error('no')
    },
  })
const revoked = () => {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}
const sparse: unknown[] = []
sparse[1000] = 1

const level = (value: unknown, more: object = {}) =>
  outcome(() => pdp.check({ key: 'ana', attributes: { ...more, level: value } as never }, 'level', 'doc'))

describe('hostile values of attributes', () => {
  it.each<[string, unknown, unknown]>([
    ['a number that counts', 4, true],
    ['a fresh object that reads as one', Object(4), false],
    ['a text that reads as one', '4', false],
    ['NaN', Number.NaN, 'NUMBER_INVALID'],
    ['Infinity', Number.POSITIVE_INFINITY, 'NUMBER_INVALID'],
    ['a BigInt', 4n, 'INPUT_INVALID'],
    ['a function', () => 4, 'INPUT_INVALID'],
    ['a symbol', Symbol('4'), 'INPUT_INVALID'],
    ['undefined', undefined, false],
    ['null', null, false],
    ['a date', new Date(4), false],
    ['a map', new Map([['level', 4]]), false],
    ['an object that says its value', { valueOf: 4, toJSON: 4 }, false],
    ['half a surrogate pair', '\ud800', 'TEXT_INVALID'],
    ['half a surrogate pair as a name', { '\udfff': 1 }, 'TEXT_INVALID'],
    ['a list with holes', sparse, false],
    ['a list of a million holes', new Array(1_000_000), 'UNDECIDED'],
    ['a text of a megabyte', 'x'.repeat(1_000_000), 'UNDECIDED'],
    ['an object in itself', cyclic, 'JSON_TOO_DEEP'],
    ['nesting to the limit', deep(31), false],
    ['nesting beyond it', deep(40), 'JSON_TOO_DEEP'],
    ['nesting beyond the stack', deep(5000), 'JSON_TOO_DEEP'],
    ['a getter that throws', throwing('x'), 'INPUT_INVALID'],
    ['a proxy that was revoked', revoked(), 'INPUT_INVALID'],
    [
      'a proxy without end',
      new Proxy(
        {},
        {
          ownKeys: () => Array.from({ length: 40_000 }, (_, i) => `k${i}`),
          get: () => 1,
          getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true, value: 1 }),
        },
      ),
      'UNDECIDED',
    ],
  ])('%s', (_, value, expected) => {
    expect(level(value)).toBe(expected)
    expect(level(4)).toBe(true) // and nothing is left of it
  })

  it('are not looked at when no rule reads them', () => {
    for (const value of [Number.NaN, 4n, cyclic, throwing('x'), revoked(), '\ud800', 'x'.repeat(1_000_000)]) {
      expect(level(4, { other: value })).toBe(true)
      const ofResource = { type: 'doc', attributes: { other: value } as never }
      expect(outcome(() => pdp.check('ana', 'free', ofResource, { other: value } as never))).toBe(true)
    }
  })

  it('do not count when they are 10,000, lie under symbols, or are inherited', () => {
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`x${index}`, index]))
    expect([level(4, many), level(3, many)]).toEqual([true, false])
    const inherited = (attributes: object) =>
      outcome(() => pdp.check({ key: 'ana', attributes: attributes as never }, 'level', 'doc'))
    expect(inherited({ [Symbol('level')]: 4 })).toBe(false)
    expect(inherited(Object.create({ level: 4 }))).toBe(false)
    expect(inherited(JSON.parse('{"__proto__":{"level":4}}'))).toBe(false)
    expect(inherited(Object.assign(Object.create(null), { level: 4 }))).toBe(true)
    expect(inherited(throwing('level'))).toBe('INPUT_INVALID')
    expect(inherited(revoked())).toBe('INPUT_INVALID')
    expect(inherited([4])).toBe('INPUT_INVALID')
  })

  it('are read by their own members only, at every level', () => {
    const inside = (a: unknown) => outcome(() => pdp.check({ key: 'ana', attributes: { a } as never }, 'inside', 'doc'))
    expect(inside({ b: { c: 1 } })).toBe(true)
    for (const a of [{ b: Object.create({ c: 1 }) }, Object.create({ b: { c: 1 } }), [[1]], 'b', { b: 'c' }])
      expect(inside(a)).toBe(false)
    expect(inside({ b: throwing('c') })).toBe('INPUT_INVALID')
  })

  it('never override identity', () => {
    const asked = { type: 'doc', key: '1', attributes: { owner: 'ben' } }
    const claims = { key: 'ben', roles: ['admin'], tenants: ['acme'] }
    expect(pdp.check({ key: 'ana', attributes: claims }, 'owned', { ...asked, attributes: {} })).toBe(true)
    expect(pdp.check({ key: 'ana', attributes: claims }, 'owned', asked)).toBe(false)
  })
})

describe('hostile questions', () => {
  const odd: readonly unknown[] = [
    undefined,
    null,
    0,
    1n,
    true,
    Symbol('s'),
    [],
    {},
    { key: 1 },
    { type: 1 },
    () => 'x',
    throwing('key'),
    throwing('type'),
    throwing('attributes'),
    revoked(),
  ]

  it('of any shape get a typed error or a deny, in every form of asking', () => {
    const outcomes = new Set<unknown>()
    for (const value of odd as never[]) {
      for (const ask of [
        () => pdp.check(value, 'free', 'doc'),
        () => pdp.check('ana', value, 'doc'),
        () => pdp.check('ana', 'free', value),
        () => pdp.check({ key: 'ana', attributes: value }, 'level', 'doc'),
        () => pdp.check('ana', 'level', { type: 'doc', key: value, tenant: value }),
        () => pdp.check('ana', 'level', { type: 'doc', attributes: value }, value),
        () => pdp.bulkCheck([value])[0],
        () => pdp.explain(value, 'free', 'doc').allow,
        () => pdp.explain('ana', value, value).allow,
        () => pdp.subject(value).can('free', 'doc'),
        () => pdp.subject('ana').can(value, value),
        () => pdp.permission(value, 'doc').allows('ana'),
        () => pdp.permission('free', value).allows('ana'),
        () => pdp.permission('free', 'doc').allows(value, { key: '1' }),
        () => pdp.permission('level', 'doc').allows('ana', { key: value, tenant: value }),
        () => Object.keys(pdp.userPermissions(value)).length > 0,
      ])
        outcomes.add(outcome(ask))
    }
    for (const one of outcomes) expect([true, false, 'INPUT_INVALID']).toContain(one)
    // What is odd and allowed is only what says nothing: undefined or null where that may be.
    const allowed = odd.filter(
      (value) => outcome(() => pdp.check('ana', 'free', { type: 'doc', key: value } as never)) === true,
    )
    expect(allowed).toEqual([undefined, null])
  })

  it('as lists, options and filters get a typed error, or count as none', () => {
    for (const value of odd as never[]) {
      for (const ask of [
        () => pdp.bulkCheck(value).length > 0,
        () => pdp.subject('ana', { tenant: value }).can('free', 'doc'),
        () => pdp.permission('free', 'doc').allows('ana', value),
        () => pdp.permission('free', 'doc').allows('ana', { tenant: value }),
        () => Object.keys(pdp.userPermissions('ana', { tenants: value })).length > 0,
      ])
        expect([true, false, 'INPUT_INVALID']).toContain(outcome(ask))
    }
    expect(pdp.subject('ana', null).can('free', 'doc')).toBe(true)
    expect(pdp.permission('free', 'doc').allows('ana', null)).toBe(true)
    expect(Object.keys(pdp.userPermissions('ana', null))).toContain('__tenant:default')
    expect([pdp.users('free', 'doc', null).keys, pdp.resources('ana', 'free', 'doc', null).keys]).toEqual([
      ['ana'],
      ['1'],
    ])
  })

  it('[D13] that cannot be decided are named in a bulk', () => {
    const long = { key: 'ana', attributes: { level: 'x'.repeat(1_000_000) } }
    const checks = ['ana', long].map((user) => ({ user, action: 'level', resource: 'doc' }))
    expect(() => pdp.bulkCheck(checks)).toThrow('could not decide about `check 1: ')
  })

  it('with keys that no object can have are denied', () => {
    for (const key of ['', '\u0000', '\ud800', 'x'.repeat(1_000_000), 'a/b', ':', '__proto__', 'constructor']) {
      expect(pdp.check(key, 'free', 'doc')).toBe(false)
      expect(pdp.check('ana', key, 'doc')).toBe(false)
      expect(pdp.check('ana', 'free', key)).toBe(false)
      expect(pdp.check('ana', 'free', { type: 'doc', tenant: key })).toBe(false)
      expect(pdp.check('ana', 'level', `doc:${key}`)).toBe(false)
    }
  })

  it('leave no trace: the image has the same bytes after many of them, and no more memory', () => {
    const asked = makeImage()
    const source = new FixedImage(asked)
    const busy = new Pdp(source)
    const before = Buffer.from(asked.save())
    const { bytes } = asked.stats()
    const values = [
      4,
      'x'.repeat(300_000),
      deep(31),
      Number.NaN,
      cyclic,
      throwing('x'),
      new Array(1_000_000),
      '\ud800',
      [1, [2]],
    ]
    for (let round = 0; round < 3000; round++) {
      const user = {
        key: round % 7 === 0 ? `nobody${round}` : 'ana',
        attributes: { level: values[round % values.length], [`x${round}`]: round },
      }
      for (const action of ['level', 'free', 'owned', `none${round}`])
        outcome(() =>
          busy.check(user as never, action, {
            type: 'doc',
            key: `k${round}`,
            tenant: round % 5 === 0 ? `t${round}` : null,
          }),
        )
      if (round % 100 === 0) outcome(() => busy.explain(user as never, 'level', 'doc'))
    }
    expect(Buffer.compare(before, Buffer.from(asked.save()))).toBe(0)
    expect(asked.stats().bytes).toBe(bytes)
    asked.verify()
  })
})

describe('[D7] a strict library', () => {
  const strict = loadImage(image.save(), { strictAttributes: true })
  const sent = (value: unknown) => ({ key: 'ana', attributes: { strict: value } as never })

  it('refuses an ill-typed attribute in every form of asking', () => {
    for (const ask of [
      () => strict.check(sent('1'), 'free', 'doc'),
      () => strict.check(sent('1'), 'free', { type: 'doc', tenant: 'default' }),
      () => strict.bulkCheck([{ user: sent('1'), action: 'free', resource: 'doc' }]),
      () => strict.explain(sent('1'), 'free', 'doc'),
      () => strict.userPermissions(sent('1')),
      () => strict.actions(sent('1'), 'doc'),
      () => strict.tenants(sent('1'), 'free', 'doc'),
      () => strict.resources(sent('1'), 'free', 'doc'),
    ])
      expect(outcome(ask)).toBe('ATTRIBUTE_ILL_TYPED')
    expect([strict.check(sent(1), 'free', 'doc'), strict.check('ana', 'free', 'doc')]).toEqual([true, true])
    expect(outcome(() => strict.check(sent(throwing('x')), 'free', 'doc'))).toBe('INPUT_INVALID')
    expect(outcome(() => strict.check({ key: 'ana', attributes: throwing('strict') }, 'free', 'doc'))).toBe(
      'INPUT_INVALID',
    )
  })

  it('is what the caller asks for: by default the value is not seen, and is counted', () => {
    const counting = loadImage(image.save())
    expect([counting.check(sent('1'), 'free', 'doc'), counting.illTyped]).toEqual([true, 0]) // no condition reads it
    expect(counting.explain(sent('1'), 'free', 'doc').ill_typed).toEqual([
      { attribute: 'user.strict', declared: 'number', value: '1' },
    ])
  })
})
