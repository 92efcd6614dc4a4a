// The builder of conditions without a page: what it reads it writes back as it was, what it changes means what it shows
// (asked of the grammar of the server), and operators and values fit the declared type.
import { describe, expect, it } from 'vitest'
import {
  addTo,
  type Conditions,
  changeAt,
  type Group,
  hasRoom,
  NOTHING,
  type Node,
  opaqueIn,
  type Place,
  readConditions,
  type Test,
  writeSet,
} from '../../../console/src/pages/conditions/condition-model.ts'
import { parseText } from '../../../console/src/pages/conditions/conditions-text.ts'
import { listOperators, makeRightSide, retarget, scalarFrom } from '../../../console/src/pages/conditions/operands.ts'
import { changedFields, makeDraft, rebased } from '../../../console/src/pages/conditions/set-draft.ts'
import { type Condition, parseConditions, type Test as ServerTest } from '../../../src/model/condition.ts'
import { CONDITION_DEPTH_MAX } from '../../../src/model/limits.ts'
import type { Json } from '../../../src/model/objects.ts'

/** Every form of the grammar that the builder can show. */
const SHOWN: readonly Conditions[] = [
  {},
  { 'user.level': { equals: 3 } },
  { 'user.level': { equals: 3 }, 'tenant.plan': { in: ['a', 'b'] } },
  { allOf: [{ 'user.a': { contains: 'x' } }, { or: [{ 'user.b': { between: [1, 2] } }, {}] }] },
  { not: { 'user.level': { equals: { ref: 'resource.level' } } } },
  { not: [{ 'user.a': { equals: 1 } }, { 'user.b': { equals: 2 } }] },
  { 'user.a': { anyOf: [{ equals: 1 }, { 'greater-than': 5, 'less-than': 9 }], not: { equals: 7 } } },
  { 'user.a': { not: 'x' } },
  { 'user.a': { not: ['x', 'y'] } },
  { 'user.a': { not: [{ equals: 'x' }, { contains: 'y' }] } },
]
const MATCH = { 'user.cards': { any_match: { match: { kind: { equals: 'gold' } } } } }

/** Without what the JSON looked like, so that it is written anew from what is shown. */
function anew(node: Group): Group {
  const { is, of, items } = node
  return { is, of, items: items.map((item) => (item.is === 'group' ? anew(item) : withoutJson(item))) }
}
const withoutJson = (node: Node): Node => (node.is === 'test' ? { ...node, json: undefined as never } : node)

/** A condition with the tests of one attribute as conditions of their own, and groups of one as what is in them. */
function flat(condition: Condition): unknown {
  if (condition.kind === 'operand') return flatTest(condition.left, condition.test)
  if (condition.kind === 'not') return { not: flat(condition.item) }
  return toGroup(condition.kind, condition.items.map(flat))
}
function flatTest(left: unknown, test: ServerTest): unknown {
  if (test.kind === 'not') return { not: flatTest(left, test.test) }
  if (test.kind === 'all' || test.kind === 'any')
    return toGroup(
      test.kind,
      test.tests.map((each) => flatTest(left, each)),
    )
  return { left, test }
}
const toGroup = (kind: string, items: readonly unknown[]) => (items.length === 1 ? items[0] : { [kind]: items })
const meaning = (json: Json) => flat(parseConditions(json))

describe('the builder', () => {
  it('writes back what it has read, as it was', () => {
    for (const json of [...SHOWN, MATCH, { allOf: [MATCH, SHOWN[1]!] }, { odd: 1 }])
      expect(writeSet(readConditions(json))).toEqual(json)
  })

  it('shows every form but tests of what is inside, and what it shows means the same', () => {
    for (const json of SHOWN) {
      const root = readConditions(json)
      expect(opaqueIn(root), JSON.stringify(json)).toEqual([])
      expect(meaning(writeSet(anew(root)) as Json), JSON.stringify(json)).toEqual(meaning(json))
    }
    expect(opaqueIn(readConditions({ allOf: [MATCH, SHOWN[1]!] }))).toMatchObject([{ json: MATCH }])
    for (const odd of [{ odd: 1 }, { 'user.a': { above: 1 } }, { allOf: 1 }, { 'user.a': {} }] as Json[])
      expect(opaqueIn(readConditions(odd)), JSON.stringify(odd)).toHaveLength(1)
  })

  it('changes one place, and leaves the writing of all others', () => {
    const untouched = { or: [{ 'user.b': { equals: 1 } }], and: [] }
    const root = readConditions({ allOf: [untouched, { 'user.a': { equals: 1 } }] })
    const changed = changeAt(root, [1], (node) => ({ ...(node as Test), value: 2, json: undefined }) as never)
    expect(writeSet(changed)).toEqual({ allOf: [untouched, { 'user.a': { equals: 2 } }] })
    expect(writeSet(changeAt(root, [1], () => undefined))).toEqual({ allOf: [untouched] })
    const test: Test = { is: 'test', attribute: 'user.c', operator: 'contains', value: 'x' }
    expect(writeSet(addTo(NOTHING, [], test))).toEqual({ allOf: [{ 'user.c': { contains: 'x' } }] })
    expect(writeSet(changeAt(addTo(NOTHING, [], test), [0], () => undefined))).toEqual({})
  })

  it('nests as deep as the API allows, and no deeper', () => {
    let root: Group = NOTHING
    const place: number[] = []
    for (; hasRoom(place, 'group'); place.push(0)) root = addTo(root, [...place], { is: 'group', of: 'any', items: [] })
    expect(hasRoom(place, 'test')).toBe(true)
    const test: Test = { is: 'test', attribute: 'user.a', operator: 'equals', value: 1 }
    const full = addTo(root, place, test)
    expect(() => parseConditions(writeSet(full) as Json)).not.toThrow()
    const deeper = addTo(addTo(root, place, { is: 'group', of: 'all', items: [] }), [...place, 0], test)
    expect(() => parseConditions(writeSet(deeper) as Json)).toThrow(/depth/)
    expect(opaqueIn(readConditions(writeSet(deeper)))).toMatchObject([
      { because: `it's nested deeper than ${CONDITION_DEPTH_MAX} levels` },
    ])
    const beyond: Place = [...place, 0]
    expect(hasRoom(beyond, 'test')).toBe(false)
  })
})

describe('a test', () => {
  const test: Test = { is: 'test', attribute: 'user.a', operator: 'equals', value: '12' }

  it('is offered the operators of the declared type', () => {
    expect(listOperators('bool')).toEqual(['equals', 'not-equals', 'in'])
    expect(listOperators('array')).toEqual(['array_contains', 'array_subset', 'array_superset', 'array_intersect'])
    expect(listOperators('object_array')).toEqual([])
    expect(listOperators(undefined)).toEqual(listOperators('json'))
    expect(makeRightSide('equals', 'number')).toEqual({ form: 'one', kinds: ['number'], ref: true, isTime: false })
    expect(makeRightSide('between', 'time')).toMatchObject({ form: 'two', ref: false, isTime: true })
    expect(makeRightSide('in', undefined)).toMatchObject({ form: 'list', kinds: ['string', 'number', 'boolean'] })
  })

  it('keeps of its value what fits another attribute and another operator', () => {
    expect(retarget(test, { attribute: 'user.n' }, 'number')).toMatchObject({ attribute: 'user.n', value: 12 })
    expect(retarget(test, { operator: 'in' }, 'string').value).toEqual(['12'])
    expect(retarget(test, { operator: 'between' }, undefined).value).toEqual(['12', '12'])
    expect(retarget(test, {}, 'array')).toMatchObject({ operator: 'array_contains', value: '12' })
    expect(retarget({ ...test, value: { ref: 'user.b' } }, { operator: 'contains' }, 'string').value).toEqual({
      ref: 'user.b',
    })
    expect(scalarFrom('number', '1e3')).toBe(1000)
    expect(scalarFrom('number', '12a')).toBe('12a')
  })

  it('is accepted by the grammar with every operator and type', () => {
    for (const type of ['bool', 'number', 'string', 'time', 'array', undefined] as const)
      for (const operator of listOperators(type)) {
        const { attribute, operator: chosen, value } = retarget(test, { operator }, type)
        expect(chosen).toBe(operator)
        expect(() => parseConditions({ [attribute]: { [operator]: value as Json } }), operator).not.toThrow()
      }
  })
})

it('a text that is not JSON is refused with the place', () => {
  expect(parseText('')).toEqual({ conditions: {} })
  expect(parseText('{"a":\n  x}')).toMatchObject({
    problem: expect.stringMatching(/Line 2, column 3: Unexpected token 'x'\.$/),
  })
  expect(parseText('{"a": 1')).toMatchObject({ problem: expect.stringMatching(/Line 1, column 8: /) })
  expect(parseText('[]')).toMatchObject({ problem: expect.stringMatching(/a JSON object/) })
})

describe('what was typed about a set', () => {
  const stored = {
    key: 'seniors',
    name: 'Seniors',
    description: null,
    conditions: { 'user.a': { equals: 1 } },
    parent: '',
  }
  const draft = makeDraft(stored)

  it('is sent only where it differs', () => {
    expect(changedFields(draft, stored, stored.conditions)).toEqual({})
    const changed = { ...draft, name: ' ', description: ' old ', parent: 'staff' }
    expect(changedFields(changed, stored, {})).toEqual({
      conditions: {},
      name: 'seniors',
      description: 'old',
      parent_id: 'staff',
    })
    expect(changedFields(draft, { ...stored, parent: 'staff' }, stored.conditions)).toEqual({ parent_id: null })
  })

  it('stays when someone else has changed other fields', () => {
    const theirs = { ...stored, name: 'Elders', conditions: {} }
    expect(rebased({ ...draft, description: 'mine' }, stored, theirs)).toEqual({
      text: '{}',
      name: 'Elders',
      description: 'mine',
      parent: '',
    })
    expect(rebased({ ...draft, text: '{"half' }, stored, theirs).text).toBe('{"half')
  })
})
