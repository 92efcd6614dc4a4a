// Attributes and conditions at their limits, and attributes sent by callers who send anything: a typed error or a
// correct decision, never a crash, never an image that grows.
import { describe, expect, it } from 'vitest'
import { CONDITION_STEPS_MAX, ENCODED_BYTES } from '../../assembly/limits.ts'
import { Image, type Sent } from '../../src/image/image.ts'
import type { PolicyChange } from '../../src/log/delta.ts'
import { isZerohopError } from '../../src/model/errors.ts'
import type { JsonObject } from '../../src/model/objects.ts'
import { deltaTo, ENVIRONMENT, makePosition } from '../support/deltas.ts'

function policy(conditions: JsonObject, attributes: JsonObject = {}): PolicyChange[] {
  const value = { user_set: 'some', permission: 'doc:read', resource_set: '__autogen_doc' }
  return [
    { op: 'put', kind: 'tenant', key: 'default', value: {} },
    { op: 'put', kind: 'user', key: 'ana', value: { attributes } },
    { op: 'put', kind: 'resource', key: 'doc', value: { actions: ['read', 'write'] } },
    {
      op: 'put',
      kind: 'condition_set',
      key: 'some',
      value: { type: 'userset', resource: null, conditions, parent: null },
    },
    { op: 'put', kind: 'set_rule', key: 'some/doc:read/__autogen_doc', value },
  ]
}
const makeImage = (conditions: JsonObject, attributes?: JsonObject, kernel: 'debug' | 'release' = 'debug') =>
  Image.build(ENVIRONMENT, makePosition(1), policy(conditions, attributes), { kernel })
const ask = (image: Image, sent?: Sent) => image.check('ana', 'read', 'doc', 'default', undefined, sent)

/** The code of the error that asking throws; what it answers when it throws none. */
function outcome(image: Image, sent: object): unknown {
  try {
    return ask(image, sent as Sent)
  } catch (error) {
    if (isZerohopError(error)) return error.code
    throw error
  }
}

describe('attributes that are sent', () => {
  const image = makeImage({ 'user.a': { equals: 1 } })
  const cyclic: Record<string, unknown> = {}
  cyclic.a = cyclic
  const deep = JSON.parse(`${'[1,'.repeat(40)}1${']'.repeat(40)}`)

  it.each<[string, object, unknown]>([
    ['the value', { user: { a: 1 } }, true],
    ['another value', { user: { a: 2 } }, false],
    ['a value of another type', { user: { a: '1' } }, false],
    ['nothing', {}, false],
    ['undefined', { user: { a: undefined } }, false],
    ['an inherited member', { user: Object.create({ a: 1 }) }, false],
    ['NaN', { user: { a: Number.NaN } }, 'NUMBER_INVALID'],
    ['an infinity', { user: { a: -Infinity } }, 'NUMBER_INVALID'],
    ['half of a surrogate pair', { user: { a: 'x\ud800' } }, 'TEXT_INVALID'],
    ['half of one as a name', { user: { a: { '\udc00': 1 } } }, 'TEXT_INVALID'],
    ['an object that holds itself', { user: cyclic }, 'JSON_TOO_DEEP'],
    ['a deep list', { user: { a: deep } }, 'JSON_TOO_DEEP'],
    ['a function', { user: { a: () => 1 } }, 'INPUT_INVALID'],
    ['a big number', { user: { a: 1n } }, 'INPUT_INVALID'],
    ['a symbol', { user: { a: Symbol('a') } }, 'INPUT_INVALID'],
    ['more than one check takes', { user: { a: 'x'.repeat(ENCODED_BYTES) } }, 'UNDECIDED'],
    ['a megabyte that no rule reads', { user: { a: 1, b: 'x'.repeat(2 ** 20) } }, true],
    [
      '10,000 attributes',
      { user: { ...Object.fromEntries([...'x'.repeat(10_000)].map((x, i) => [x + i, i])), a: 1 } },
      true,
    ],
  ])('%s', (_, sent, expected) => {
    const before = image.save()
    expect(outcome(image, sent)).toBe(expected)
    expect(Buffer.compare(image.save(), before)).toBe(0)
    expect(ask(image, { user: { a: 1 } })).toBe(true)
  })

  it('a getter that throws', () => {
    const trap = {
      get a() {
        throw new Error('no')
      },
    }
    expect(outcome(image, { user: trap })).toBe('INPUT_INVALID')
  })

  it('`__proto__` is a name like any other', () => {
    const other = makeImage({ 'user.__proto__': { equals: 'x' } })
    expect(ask(other, { user: JSON.parse('{"__proto__":"x"}') })).toBe(true)
    expect(ask(other, { user: {} })).toBe(false)
  })

  it('what nobody reads is not looked at', () => {
    const trap = {
      get a() {
        throw new Error('no')
      },
    }
    expect(image.check('ana', 'write', 'doc', 'default', undefined, { user: trap })).toBe(false)
  })
})

describe('[D13] conditions beyond a limit', () => {
  const many = Array.from({ length: 2_000 }, (_, index) => index)

  it('could not decide where lists have too much to compare', () => {
    const image = makeImage({ 'user.a': { array_subset: { ref: 'context.b' } } }, { a: many })
    expect(many.length * many.length).toBeGreaterThan(CONDITION_STEPS_MAX)
    expect(outcome(image, { context: { b: many.toReversed() } })).toBe('UNDECIDED')
    expect(outcome(image, { context: { b: [1] } })).toBe(false)
    const negated = makeImage({ not: { 'user.a': { array_subset: { ref: 'context.b' } } } }, { a: many })
    expect(outcome(negated, { context: { b: many.toReversed() } })).toBe('UNDECIDED')
  })

  it('text is found in text in the time that reading both takes', () => {
    const image = makeImage({ 'context.a': { contains: { ref: 'context.b' } } })
    const text = 'a'.repeat(100_000)
    expect(outcome(image, { context: { a: `${text}b`, b: `${text.slice(1)}b` } })).toBe(true)
    expect(outcome(image, { context: { a: text, b: `${text.slice(50_000)}b` } })).toBe(false)
  })
})

describe('stored attributes', () => {
  it('come and go without a trace, whatever their shape', () => {
    const attributes = { a: [1, 'x', { b: [null, true, { c: 'x' }] }], '': '', x: { y: { z: 'x' } } }
    const image = makeImage({ 'user.x.y.z': { equals: 'x' } })
    const empty = image.hash()
    for (let round = 0; round < 50; round++) {
      image.apply(deltaTo(image.revision + 1, [{ op: 'put', kind: 'user', key: 'ana', value: { attributes } }]))
      image.verify()
      expect(ask(image)).toBe(true)
      image.apply(deltaTo(image.revision + 1, [{ op: 'put', kind: 'user', key: 'ana', value: {} }]))
      image.verify()
      expect(ask(image)).toBe(false)
    }
    expect(image.hash()).toBe(empty)
    expect(image.stats().bytes).toBeLessThan(makeImage({ 'user.x.y.z': { equals: 'x' } }).stats().bytes + 4_096)
  })

  it.each<[string, PolicyChange]>([
    ['NaN', { op: 'put', kind: 'user', key: 'ana', value: { attributes: { a: Number.NaN } } }],
    ['half of a surrogate pair', { op: 'put', kind: 'tenant', key: 'default', value: { attributes: { a: '\ud800' } } }],
    ['too much', { op: 'put', kind: 'user', key: 'ana', value: { attributes: { a: 'x'.repeat(ENCODED_BYTES) } } }],
    ['invalid conditions', policy({ 'user.a': { resembles: 1 } })[3]!],
    [
      'a rule with a set that is not there',
      {
        op: 'put',
        kind: 'set_rule',
        key: 'x/doc:read/some',
        value: { user_set: 'x', permission: 'doc:read', resource_set: 'some' },
      },
    ],
    [
      'a membership of nobody',
      { op: 'put', kind: 'membership', key: 'default/x', value: { user: 'x', tenant: 'default' } },
    ],
  ])('a delta with %s leaves the image as it was', (_, change) => {
    const image = makeImage({})
    const before = image.save()
    expect(() => image.apply(deltaTo(2, [change]))).toThrow(/cannot be applied/)
    expect(Buffer.compare(image.save(), before)).toBe(0)
  })
})
