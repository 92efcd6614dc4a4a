// The index over set rules: what cannot be true costs nothing, and every edit of what it is made of moves what must
// move. A condition that is dear to evaluate stands for cost: two of them are more than one check may take, so an
// answer shows that all but one were left alone.
import { describe, expect, it } from 'vitest'
import { CANDIDATES_MAX, CONDITION_STEPS_MAX, INDEXES_MAX } from '../../assembly/limits.ts'
import { Image, type Sent } from '../../src/image/image.ts'
import type { PolicyChange } from '../../src/log/delta.ts'
import { isZerohopError } from '../../src/model/errors.ts'
import type { JsonObject } from '../../src/model/objects.ts'
import { deltaTo, ENVIRONMENT, makePosition } from '../support/deltas.ts'

const LONG = Array.from({ length: 400 }, (_, index) => index)
/** True, after more than half of the work that one check may do. */
const DEAR: JsonObject = { 'context.some': { array_subset: { ref: 'context.all' } } }
const CONTEXT = { some: LONG, all: LONG.toReversed() }
const RULES = 40

const names = Array.from({ length: RULES }, (_, index) => index)
const put = (kind: 'user' | 'tenant' | 'role', key: string, value = {}): PolicyChange =>
  ({ op: 'put', kind, key, value: kind === 'role' ? { permissions: [], extends: [] } : value }) as PolicyChange
const declare = (key: string, attributes: Record<string, 'time' | 'number'>, actions: string[] = []): PolicyChange => ({
  op: 'put',
  kind: 'resource',
  key,
  value: { actions, attributes },
})
const users = (key: string, conditions: JsonObject, parent: string | null = null): PolicyChange => ({
  op: 'put',
  kind: 'condition_set',
  key,
  value: { type: 'userset', resource: null, conditions, parent },
})
const docs = (key: string, conditions: JsonObject): PolicyChange => ({
  op: 'put',
  kind: 'condition_set',
  key,
  value: { type: 'resourceset', resource: 'doc', conditions, parent: null },
})
function rule(user_set: string, resource_set = '__autogen_doc', permission = 'doc:read'): PolicyChange {
  const key = `${user_set}/${permission}/${resource_set}`
  return { op: 'put', kind: 'set_rule', key, value: { user_set, permission, resource_set } }
}
const basis = [put('tenant', 'default'), put('user', 'ana'), declare('doc', {}, ['read', 'write'])]
const build = (changes: readonly PolicyChange[]) =>
  Image.build(ENVIRONMENT, makePosition(1), [...basis, ...changes], { kernel: 'debug' })
const ask = (image: Image, sent: Sent, key?: string) =>
  image.check('ana', 'read', 'doc', 'default', key, { context: CONTEXT, ...sent })
const apply = (image: Image, ...changes: PolicyChange[]) => {
  image.apply(deltaTo(image.revision + 1, changes))
  image.verify()
}

describe('rules that cannot match are not evaluated', () => {
  it('but two of these conditions are more than a check may evaluate', () => {
    expect(LONG.length ** 2).toBeGreaterThan(CONDITION_STEPS_MAX / 2)
    const image = build([users('one', DEAR), users('two', DEAR, 'one'), rule('two')])
    expect(() => ask(image, {})).toThrow(expect.toSatisfy((error: unknown) => isZerohopError(error, 'UNDECIDED')))
  })
  const dear = (conditions: JsonObject): JsonObject => ({ allOf: [DEAR, conditions] })

  it.each<[string, (index: number) => PolicyChange[], (index: number) => [Sent, key?: string]]>([
    [
      'by a user attribute, behind other tests',
      (at) => [users(`s${at}`, dear({ 'user.team': { equals: at } })), rule(`s${at}`)],
      (at) => [{ user: { team: at } }],
    ],
    [
      'by text',
      (at) => [users(`s${at}`, dear({ 'user.team': { equals: `team ${at}` } })), rule(`s${at}`)],
      (at) => [{ user: { team: `team ${at}` } }],
    ],
    [
      'by a resource attribute, when all share the users',
      (at) => [users('all', {}), docs(`r${at}`, dear({ 'resource.kind': { equals: at } })), rule('all', `r${at}`)],
      (at) => [{ resource: { kind: at } }],
    ],
    [
      'by the key of the resource',
      (at) => [users('all', {}), docs(`r${at}`, dear({ 'resource.key': { equals: `k${at}` } })), rule('all', `r${at}`)],
      (at) => [{}, `k${at}`],
    ],
    [
      'by the set above',
      (at) => [users(`p${at}`, { 'user.team': { equals: at } }), users(`s${at}`, dear({}), `p${at}`), rule(`s${at}`)],
      (at) => [{ user: { team: at } }],
    ],
    [
      'by an item of a list',
      (at) => [users(`s${at}`, dear({ 'user.teams': { array_contains: at } })), rule(`s${at}`)],
      (at) => [{ user: { teams: ['x', at, null] } }],
    ],
    [
      'by two attributes of which one is alike everywhere',
      (at) => [
        users(`s${at}`, dear({ 'user.kind': { equals: 'staff' }, 'user.team': { equals: at } })),
        rule(`s${at}`),
      ],
      (at) => [{ user: { kind: 'staff', team: at } }],
    ],
    [
      'by context and action',
      (at) => [users(`s${at}`, dear({ 'context.a': { equals: at }, 'action.b': { equals: true } })), rule(`s${at}`)],
      (at) => [{ context: { ...CONTEXT, a: at }, action: { b: true } }],
    ],
  ])('%s', (_, ruleOf, matching) => {
    const image = build(names.flatMap(ruleOf))
    image.verify()
    for (const at of [0, 7, RULES - 1]) expect(ask(image, ...matching(at))).toBe(true)
    expect(ask(image, ...matching(RULES))).toBe(false)
    expect(ask(image, {})).toBe(false)
  })

  it('by a role as user set, and by a role among `user.roles`', () => {
    const image = build([
      ...names.flatMap((at) => [put('role', `r${at}`), docs(`d${at}`, dear({})), rule(`__autogen_r${at}`, `d${at}`)]),
      ...names.flatMap((at) => [users(`s${at}`, dear({ 'user.roles': { array_contains: `r${at}` } })), rule(`s${at}`)]),
    ])
    expect(ask(image, {})).toBe(false)
    for (const role of ['r3', 'r30']) {
      const value = { user: 'ana', role, tenant: 'default' }
      apply(image, { op: 'put', kind: 'role_assignment', key: `ana/${role}/default`, value })
      expect(ask(image, {})).toBe(true)
    }
    apply(image, { op: 'delete', kind: 'role_assignment', key: 'ana/r3/default' })
    apply(image, { op: 'delete', kind: 'role_assignment', key: 'ana/r30/default' })
    expect(ask(image, {})).toBe(false)
  })
})

describe('an edit moves what it must', () => {
  const team = (at: number): JsonObject => ({ 'user.team': { equals: at } })
  const image = build([
    ...names.map((at) => users(`s${at}`, team(at))),
    users('below', { 'user.kind': { equals: 'staff' } }, 's3'),
    ...names.map((at) => rule(`s${at}`)),
    rule('below', '__autogen_doc', 'doc:write'),
  ])
  const may = (at: number) => ask(image, { user: { team: at } })
  const mayWrite = (at: number) =>
    image.check('ana', 'write', 'doc', 'default', undefined, { user: { team: at, kind: 'staff' } })

  it('when a set asks for something else', () => {
    expect([may(3), may(100), mayWrite(3), mayWrite(100)]).toEqual([true, false, true, false])
    apply(image, users('s3', team(100)))
    expect([may(3), may(100), mayWrite(3), mayWrite(100)]).toEqual([false, true, false, true])
    apply(image, users('s3', {}))
    expect([may(3), may(100), mayWrite(3)]).toEqual([true, true, true])
    apply(image, users('s3', team(3)))
    expect([may(3), may(100), mayWrite(3), mayWrite(100)]).toEqual([true, false, true, false])
  })

  it('when another set is above it, or none', () => {
    apply(image, users('below', { 'user.kind': { equals: 'staff' } }, 's4'))
    expect([mayWrite(3), mayWrite(4)]).toEqual([false, true])
    apply(image, users('below', { 'user.kind': { equals: 'staff' } }))
    expect([mayWrite(3), mayWrite(4)]).toEqual([true, true])
    apply(image, users('s4', team(200)), users('below', { 'user.kind': { equals: 'staff' } }, 's4'))
    expect([mayWrite(3), mayWrite(4), mayWrite(200)]).toEqual([false, false, true])
  })

  it('[D9] when an attribute becomes a time, whose values have many spellings', () => {
    apply(image, users('s5', { 'user.since': { equals: '2026-11-20' } }))
    const since = (value: string) => ask(image, { user: { since: value } })
    expect([since('2026-11-20'), since('2026-11-20T01:00+01:00')]).toEqual([true, false])
    apply(image, declare('__user', { since: 'time' }))
    expect([since('2026-11-20'), since('2026-11-20T01:00+01:00')]).toEqual([true, true])
    apply(image, declare('__user', {}))
    expect([since('2026-11-20'), since('2026-11-20T01:00+01:00')]).toEqual([true, false])
  })

  it('when rules and sets go', () => {
    apply(image, { op: 'delete', kind: 'set_rule', key: 's7/doc:read/__autogen_doc' })
    expect([may(7), may(8)]).toEqual([false, true])
    apply(
      image,
      { op: 'delete', kind: 'set_rule', key: 's8/doc:read/__autogen_doc' },
      { op: 'delete', kind: 'condition_set', key: 's8' },
    )
    expect(may(8)).toBe(false)
    apply(image, users('s8', team(9)), rule('s8'))
    expect([may(8), may(9)]).toEqual([false, true])
    apply(image, declare('doc', {}, []))
    expect(may(9)).toBe(false)
    expect(image.stats().setRules).toBe(0)
  })

  it('and leaves no trace', () => {
    expect(Image.build(ENVIRONMENT, image.position, image.contents()).hash()).toBe(image.hash())
  })
})

describe('beyond what an index holds', () => {
  it('more kinds of tests than one permission has indexes for are evaluated one by one', () => {
    const kinds = Array.from({ length: INDEXES_MAX + 8 }, (_, index) => index)
    const image = build(kinds.flatMap((at) => [users(`s${at}`, { [`user.a${at}`]: { equals: 1 } }), rule(`s${at}`)]))
    image.verify()
    const granted = () => kinds.filter((at) => ask(image, { user: { [`a${at}`]: 1 } }))
    expect(granted()).toEqual(kinds)
    for (const at of kinds.slice(0, 20))
      apply(image, { op: 'delete', kind: 'set_rule', key: `s${at}/doc:read/__autogen_doc` })
    for (const at of kinds.slice(10, 20)) apply(image, rule(`s${at}`))
    expect(granted()).toEqual(kinds.slice(10))
  })

  it('one set in many rules moves everywhere', () => {
    const actions = Array.from({ length: 500 }, (_, index) => `act${index}`)
    const image = build([
      declare('doc', {}, actions),
      users('staff', { 'user.kind': { equals: 'staff' } }),
      ...actions.map((action) => rule('staff', '__autogen_doc', `doc:${action}`)),
    ])
    const allowed = (kind: string) =>
      actions.filter((action) => image.check('ana', action, 'doc', 'default', undefined, { user: { kind } })).length
    expect([allowed('staff'), allowed('guest')]).toEqual([500, 0])
    apply(image, users('staff', { 'user.kind': { equals: 'guest' } }))
    expect([allowed('staff'), allowed('guest')]).toEqual([0, 500])
    apply(image, declare('doc', {}, actions.slice(0, 100)))
    expect([allowed('staff'), image.stats().setRules]).toEqual([0, 100])
  })

  it('more sets that might be true than a check collects are tried in turn', () => {
    const many = Array.from({ length: CANDIDATES_MAX + 1 }, (_, index) => `s${index}`)
    const image = build(many.flatMap((key, at) => [users(key, { 'user.a': { 'greater-than': at } }), rule(key)]))
    expect([ask(image, { user: { a: 1 } }), ask(image, { user: { a: 0 } })]).toEqual([true, false])
  })
})
