// The grammar of conditions: every form that is read, as the tree that it becomes, and every refusal with the place
// that it names.
import { describe, expect, it } from 'vitest'
import { MATCHES, OPERATORS, parseConditions } from '../../src/model/condition.ts'
import type { ZerohopError } from '../../src/model/errors.ts'
import {
  CONDITION_DEPTH_MAX,
  CONDITION_NODES_MAX,
  CONDITIONS_BYTES_MAX,
  KEY_BYTES_MAX,
} from '../../src/model/limits.ts'
import type { Json } from '../../src/model/objects.ts'

const user = (...names: string[]) => ({ root: 'user', names })
const compare = (operator: string, value: Json) => ({ kind: 'compare', operator, right: { kind: 'value', value } })
const operand = (name: string, test: unknown) => ({ kind: 'operand', left: user(name), test })
const one = operand('a', compare('equals', 1))
const two = operand('b', compare('equals', 2))
const A = { 'user.a': { equals: 1 } }
const B = { 'user.b': { equals: 2 } }

const READ: Record<string, [conditions: Json, tree: unknown]> = {
  'nothing, which is always true': [{}, { kind: 'all', items: [] }],
  'an operand': [A, one],
  'several operands in one object': [
    { ...A, ...B },
    { kind: 'all', items: [one, two] },
  ],
  allOf: [{ allOf: [A, B] }, { kind: 'all', items: [one, two] }],
  and: [{ and: [A, B] }, { kind: 'all', items: [one, two] }],
  anyOf: [{ anyOf: [A, B] }, { kind: 'any', items: [one, two] }],
  or: [{ or: [A, B] }, { kind: 'any', items: [one, two] }],
  'groups of nothing': [
    { allOf: [], anyOf: [] },
    {
      kind: 'all',
      items: [
        { kind: 'all', items: [] },
        { kind: 'any', items: [] },
      ],
    },
  ],
  'groups in groups': [{ allOf: [A, { anyOf: [B] }] }, { kind: 'all', items: [one, { kind: 'any', items: [two] }] }],
  'a group beside an operand': [
    { ...A, anyOf: [B] },
    { kind: 'all', items: [one, { kind: 'any', items: [two] }] },
  ],
  'not of a node': [{ not: A }, { kind: 'not', item: one }],
  'not of a list of one': [{ not: [A] }, { kind: 'not', item: one }],
  'not of a list': [{ not: [A, B] }, { kind: 'not', item: { kind: 'all', items: [one, two] } }],
  'not of everything': [{ not: {} }, { kind: 'not', item: { kind: 'all', items: [] } }],
  'several operators in one test': [
    { 'user.a': { 'greater-than': 1, 'less-than': 5 } },
    operand('a', { kind: 'all', tests: [compare('greater-than', 1), compare('less-than', 5)] }),
  ],
  'a group in a test': [
    { 'user.a': { or: [{ equals: 1 }, { and: [{ equals: 2 }] }] } },
    operand('a', { kind: 'any', tests: [compare('equals', 1), { kind: 'all', tests: [compare('equals', 2)] }] }),
  ],
  'not of a test': [{ 'user.a': { not: { equals: 1 } } }, operand('a', { kind: 'not', test: compare('equals', 1) })],
  'not of a list of tests': [
    { 'user.a': { not: [{ equals: 1 }, { equals: 2 }] } },
    operand('a', { kind: 'not', test: { kind: 'all', tests: [compare('equals', 1), compare('equals', 2)] } }),
  ],
  'not of a value': [{ 'user.a': { not: 'x' } }, operand('a', { kind: 'not', test: compare('equals', 'x') })],
  'not of a list of values': [
    { 'user.a': { not: ['x', 1, true] } },
    operand('a', {
      kind: 'not',
      test: { kind: 'any', tests: [compare('equals', 'x'), compare('equals', 1), compare('equals', true)] },
    }),
  ],
  'a list of one for a value': [{ 'user.a': { equals: ['x'] } }, operand('a', compare('equals', 'x'))],
  'a list of one for a list': [{ 'user.a': { in: ['x'] } }, operand('a', compare('in', ['x']))],
  'an empty list': [{ 'user.a': { in: [] } }, operand('a', compare('in', []))],
  'a ref': [
    { 'user.a': { equals: { ref: 'resource.b.c' } } },
    operand('a', {
      kind: 'compare',
      operator: 'equals',
      right: { kind: 'ref', path: { root: 'resource', names: ['b', 'c'] } },
    }),
  ],
  'members inside an attribute': [
    { 'user.a.b.c': { equals: 1 } },
    { kind: 'operand', left: user('a', 'b', 'c'), test: compare('equals', 1) },
  ],
  'names of object members': [
    { 'user.__proto__': { equals: 1 } },
    { kind: 'operand', left: user('__proto__'), test: compare('equals', 1) },
  ],
  'a match': [
    { 'user.a': { object_match: { match: { 'b.c': { equals: 1 } } } } },
    operand('a', {
      kind: 'match',
      of: 'object',
      members: [{ names: ['b', 'c'], test: compare('equals', 1) }],
      foreignType: null,
    }),
  ],
  'a match of nothing': [
    { 'user.a': { any_match: { match: {}, fk_resource_type: null } } },
    operand('a', { kind: 'match', of: 'any', members: [], foreignType: null }),
  ],
  'a match by foreign key': [
    { 'user.a': { all_match: { match: {}, fk_resource_type: 'folder' } } },
    operand('a', { kind: 'match', of: 'all', members: [], foreignType: 'folder' }),
  ],
  'a match in a match': [
    { 'user.a': { object_match: { match: { b: { any_match: { match: {} } } } } } },
    operand('a', {
      kind: 'match',
      of: 'object',
      members: [{ names: ['b'], test: { kind: 'match', of: 'any', members: [], foreignType: null } }],
      foreignType: null,
    }),
  ],
  'the largest numbers': [
    { 'user.a': { between: [-(2 ** 53), 2 ** 53] } },
    operand('a', compare('between', [-(2 ** 53), 2 ** 53])),
  ],
}

/** A right side that each operator takes. */
const RIGHT: Record<keyof typeof OPERATORS, Json[]> = {
  equals: ['a', '', 1, -0, true],
  'not-equals': ['a', 1, false],
  'less-than': [1, 'a'],
  'less-than-equals': [1, 'a'],
  'greater-than': [1, 'a'],
  'greater-than-equals': [1, 'a'],
  between: [
    [1, 2],
    ['a', 'b'],
    [2, 1],
  ],
  contains: ['', 'a'],
  'starts-with': ['', 'a'],
  'ends-with': ['', 'a'],
  in: [[], ['a', 1, true]],
  array_contains: ['a', 1, false],
  array_subset: [[], ['a', 1]],
  array_superset: [[], ['a', 1]],
  array_intersect: [[], ['a', 1]],
}

type Refusal = [conditions: Json, path: (string | number)[], message: RegExp]
const REFUSED: Record<string, Refusal> = {
  'conditions that are a list': [[], [], /an object is expected/],
  'conditions that are nothing': [null, [], /an object is expected/],
  'conditions that are text': ['{}', [], /an object is expected/],
  'a group that is an object': [{ allOf: A }, ['allOf'], /a list is expected/],
  'a group of values': [{ anyOf: [1] }, ['anyOf', 0], /an object is expected/],
  'a group of lists': [{ anyOf: [[A]] }, ['anyOf', 0], /an object is expected/],
  all_of: [{ all_of: [A] }, ['all_of'], /neither a group .* nor an attribute/],
  any_of: [{ allOf: [{ any_of: [A] }] }, ['allOf', 0, 'any_of'], /neither a group/],
  'an operator without an attribute': [{ equals: 1 }, ['equals'], /neither a group/],
  'an unknown root': [{ 'team.a': { equals: 1 } }, ['team.a'], /does not begin with user/],
  'a root of another case': [{ 'User.a': { equals: 1 } }, ['User.a'], /does not begin with user/],
  'a name of object members as root': [{ '__proto__.a': { equals: 1 } }, ['__proto__.a'], /does not begin with user/],
  'an attribute without a name': [{ 'user.': { equals: 1 } }, ['user.'], /has an empty member/],
  'an empty member': [{ 'user.a..b': { equals: 1 } }, ['user.a..b'], /has an empty member/],
  'a test that is a value': [{ 'user.a': 1 }, ['user.a'], /an object is expected/],
  'a test that is a list': [{ 'user.a': [{ equals: 1 }] }, ['user.a'], /an object is expected/],
  'a test of nothing': [{ 'user.a': {} }, ['user.a'], /a test names an operator/],
  'an unknown operator': [
    { allOf: [{ 'user.a': { like: 1 } }] },
    ['allOf', 0, 'user.a', 'like'],
    /unknown operator `like`/,
  ],
  'an operator of another case': [{ 'user.a': { Equals: 1 } }, ['user.a', 'Equals'], /unknown operator/],
  'a name of object members as operator': [
    { 'user.a': { constructor: 1 } },
    ['user.a', 'constructor'],
    /unknown operator/,
  ],
  'an attribute in a test': [{ 'user.a': { 'user.b': { equals: 1 } } }, ['user.a', 'user.b'], /unknown operator/],
  'not of nothing': [{ not: [] }, ['not'], /needs something to negate/],
  'not of a value outside a test': [{ not: 'a' }, ['not'], /an object is expected/],
  'not of nothing in a test': [{ 'user.a': { not: [] } }, ['user.a', 'not'], /needs something to negate/],
  'not of values and tests': [
    { 'user.a': { not: ['x', { equals: 1 }] } },
    ['user.a', 'not'],
    /values or tests, not both/,
  ],
  'not of null': [{ 'user.a': { not: null } }, ['user.a', 'not'], /an object is expected/],
  'a group of nothing to test': [{ 'user.a': { or: 'x' } }, ['user.a', 'or'], /a list is expected/],
  'a ref that is no text': [{ 'user.a': { equals: { ref: 1 } } }, ['user.a', 'equals'], /`ref` names an attribute/],
  'a ref to nowhere': [{ 'user.a': { equals: { ref: 'user' } } }, ['user.a', 'equals', 'ref'], /names no attribute/],
  'a ref to an unknown root': [
    { 'user.a': { equals: { ref: 'a.b' } } },
    ['user.a', 'equals', 'ref'],
    /does not begin with/,
  ],
  'a ref beside something': [
    { 'user.a': { equals: { ref: 'user.b', x: 1 } } },
    ['user.a', 'equals'],
    /takes a string, a number/,
  ],
  'a ref in a range': [{ 'user.a': { between: { ref: 'user.b' } } }, ['user.a', 'between'], /takes no `ref`/],
  'a ref in a list': [{ 'user.a': { in: [{ ref: 'user.b' }] } }, ['user.a', 'in'], /takes a list of/],
  'a ref under not': [{ 'user.a': { not: { ref: 'user.b' } } }, ['user.a', 'not', 'ref'], /unknown operator `ref`/],
  'null as a value': [{ 'user.a': { equals: null } }, ['user.a', 'equals'], /takes a string, a number or a boolean/],
  'an object as a value': [{ 'user.a': { equals: {} } }, ['user.a', 'equals'], /takes a string/],
  'a list of two as a value': [{ 'user.a': { equals: [1, 2] } }, ['user.a', 'equals'], /takes a string/],
  'order of a boolean': [{ 'user.a': { 'less-than': true } }, ['user.a', 'less-than'], /takes a number or a string/],
  'a range of one': [{ 'user.a': { between: [1] } }, ['user.a', 'between'], /takes two numbers or two strings/],
  'a range of two types': [{ 'user.a': { between: [1, 'b'] } }, ['user.a', 'between'], /takes two numbers/],
  'a range of booleans': [{ 'user.a': { between: [false, true] } }, ['user.a', 'between'], /takes two numbers/],
  'text of a number': [{ 'user.a': { contains: 1 } }, ['user.a', 'contains'], /takes a string/],
  'a list that is none': [{ 'user.a': { in: 'a' } }, ['user.a', 'in'], /takes a list of/],
  'a list of null': [{ 'user.a': { array_subset: [null] } }, ['user.a', 'array_subset'], /takes a list of/],
  'a list of lists': [{ 'user.a': { in: [['a']] } }, ['user.a', 'in'], /takes a list of/],
  'a match of a value': [{ 'user.a': { object_match: 1 } }, ['user.a', 'object_match'], /an object is expected/],
  'a match without match': [{ 'user.a': { any_match: {} } }, ['user.a', 'any_match'], /`match` is required/],
  'a match with more': [
    { 'user.a': { any_match: { match: {}, fk: 'a' } } },
    ['user.a', 'any_match', 'fk'],
    /unknown member `fk`/,
  ],
  'a match of a list': [
    { 'user.a': { all_match: { match: [] } } },
    ['user.a', 'all_match', 'match'],
    /an object is expected/,
  ],
  'an empty member of a match': [
    { 'user.a': { object_match: { match: { '': { equals: 1 } } } } },
    ['user.a', 'object_match', 'match', ''],
    /has an empty member/,
  ],
  'a wrong test in a match': [
    { 'user.a': { object_match: { match: { b: { is: 1 } } } } },
    ['user.a', 'object_match', 'match', 'b', 'is'],
    /unknown operator/,
  ],
  'a foreign type that is no text': [
    { 'user.a': { object_match: { match: {}, fk_resource_type: 1 } } },
    ['user.a', 'object_match', 'fk_resource_type'],
    /is the key of a resource/,
  ],
  'a foreign type that no resource can have': [
    { 'user.a': { object_match: { match: {}, fk_resource_type: 'a b' } } },
    ['user.a', 'object_match', 'fk_resource_type'],
    /invalid resource key/,
  ],
  'a number beyond 2^53': [{ 'user.a': { equals: 2 ** 53 + 2 } }, ['user.a', 'equals'], /beyond ±2\^53/],
  'a huge number in a list': [{ 'user.a': { in: [1, -1e300] } }, ['user.a', 'in'], /beyond ±2\^53/],
  'a huge number under not': [{ 'user.a': { not: [1, 1e300] } }, ['user.a', 'not', 1], /beyond ±2\^53/],
  'half of a surrogate pair': [{ 'user.a': { equals: 'a\ud83d' } }, ['user.a', 'equals'], /surrogate/],
  'half of a surrogate pair in a list': [{ 'user.a': { in: ['\ude00'] } }, ['user.a', 'in'], /surrogate/],
  'half of a surrogate pair in a name': [{ 'user.\ud83d': { equals: 1 } }, ['user.\ud83d'], /surrogate/],
}

function refusal(conditions: Json): ZerohopError {
  try {
    parseConditions(conditions, ['here'])
  } catch (error) {
    return error as ZerohopError
  }
  throw new Error('it was read')
}

describe('conditions', () => {
  it.each(Object.entries(READ))('reads %s', (_, [conditions, tree]) => {
    expect(parseConditions(conditions)).toEqual(tree)
  })

  it.each(Object.entries(RIGHT))('reads what %s takes', (operator, values) => {
    for (const value of values) {
      expect(parseConditions({ 'user.a': { [operator]: value } })).toEqual(operand('a', compare(operator, value)))
    }
  })

  it.each(Object.entries(OPERATORS).filter(([, { ref }]) => ref))('reads a ref for %s', (operator) => {
    const right = { kind: 'ref', path: { root: 'context', names: ['b'] } }
    expect(parseConditions({ 'user.a': { [operator]: { ref: 'context.b' } } })).toEqual(
      operand('a', { kind: 'compare', operator, right }),
    )
  })

  it.each([
    ['user', 'user'],
    ['subject', 'user'],
    ['resource', 'resource'],
    ['tenant', 'tenant'],
    ['context', 'context'],
    ['environment', 'context'],
    ['action', 'action'],
  ])('reads the root %s as %s', (name, root) => {
    expect(parseConditions({ [`${name}.a`]: { equals: { ref: `${name}.b` } } })).toMatchObject({
      left: { root, names: ['a'] },
      test: { right: { path: { root, names: ['b'] } } },
    })
  })

  it('knows three matches', () => {
    expect([...MATCHES.keys()]).toEqual(['object_match', 'any_match', 'all_match'])
  })

  it.each(Object.entries(REFUSED))('refuses %s, and says where', (_, [conditions, path, message]) => {
    const error = refusal(conditions)
    expect(error.message).toMatch(message)
    expect(['INPUT_INVALID', 'KEY_INVALID']).toContain(error.code)
    expect(error.path).toEqual(['here', ...path])
  })
})

describe('limits of conditions', () => {
  const nested = (levels: number): Json => {
    let conditions: Json = A
    for (let level = 2; level < levels; level++) conditions = { not: conditions }
    return conditions
  }

  it('are as deep as allowed and no deeper', () => {
    expect(() => parseConditions(nested(CONDITION_DEPTH_MAX))).not.toThrow()
    const error = refusal(nested(CONDITION_DEPTH_MAX + 1))
    expect([error.code, error.message]).toEqual(['LIMIT_EXCEEDED', expect.stringMatching(/depth of the conditions/)])
    expect(refusal(nested(100_000)).code).toBe('LIMIT_EXCEEDED')
  })

  it('are as many as allowed and no more', () => {
    // Each item is two nodes, a condition and a test; the group itself is one.
    const many = (count: number) => ({ allOf: Array.from({ length: count }, () => A) })
    expect(() => parseConditions(many((CONDITION_NODES_MAX - 2) / 2))).not.toThrow()
    expect(refusal(many(CONDITION_NODES_MAX / 2)).code).toBe('LIMIT_EXCEEDED')
  })

  it('are as large as allowed and no larger', () => {
    const overhead = JSON.stringify({ 'user.a': { equals: '' } }).length
    const text = (length: number) => ({ 'user.a': { equals: 'x'.repeat(length) } })
    expect(() => parseConditions(text(CONDITIONS_BYTES_MAX - overhead))).not.toThrow()
    expect(refusal(text(CONDITIONS_BYTES_MAX - overhead + 1)).code).toBe('LIMIT_EXCEEDED')
    expect(refusal({ 'user.a': { equals: 'é'.repeat(CONDITIONS_BYTES_MAX / 2) } }).message).toMatch(/size/) // two bytes each
  })

  it('name attributes as long and as deep as allowed, and no longer', () => {
    const named = (name: string) => ({ [`user.${name}`]: { equals: 1 } })
    expect(() => parseConditions(named('k'.repeat(KEY_BYTES_MAX)))).not.toThrow()
    expect(refusal(named('k'.repeat(KEY_BYTES_MAX + 1))).code).toBe('LIMIT_EXCEEDED')
    expect(refusal(named('é'.repeat(KEY_BYTES_MAX / 2 + 1))).code).toBe('LIMIT_EXCEEDED')
    const path = (length: number) => Array.from({ length }, () => 'a').join('.')
    expect(() => parseConditions(named(path(CONDITION_DEPTH_MAX)))).not.toThrow()
    expect(refusal(named(path(CONDITION_DEPTH_MAX + 1))).code).toBe('LIMIT_EXCEEDED')
  })
})
