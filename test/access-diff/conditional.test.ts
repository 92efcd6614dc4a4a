// What may change by what is sent with a question: the lines of an access diff for a few small changes.
import { describe, expect, it } from 'vitest'
import { accessDiff } from '../../src/image/access-diff/access-diff.ts'
import { Image } from '../../src/image/image.ts'
import {
  CONDITIONAL_FIRST_MAX,
  CONDITIONAL_LINES_MAX,
  CONDITIONAL_WORK_MAX,
  FILTER_KEYS_MAX,
} from '../../src/model/limits.ts'
import type { JsonObject } from '../../src/model/objects.ts'
import { deltaTo, ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { type Operation, World } from '../support/world.ts'

const makeImage = (world: World): Image => Image.build(ENVIRONMENT, makePosition(1), world.contents())

const diff = (first: readonly Operation[], ...then: readonly Operation[]) => diffWithin(undefined, first, ...then)

function diffWithin(budget: number | undefined, first: readonly Operation[], ...then: readonly Operation[]) {
  const world = new World()
  world.runAll([...BASIS, ...first])
  const before = makeImage(world)
  const changes = world.runAll(then)
  const { access } = accessDiff(before, makeImage(world), changes, { now: 0, budget })
  if (budget !== undefined) return access
  // Of a copy less is read: what the changes do not name is as before.
  const copy = before.clone()
  copy.apply(deltaTo(2, changes))
  expect(accessDiff(before, copy, changes, { now: 0 }).access).toEqual(access)
  return access
}

const BASIS: readonly Operation[] = [
  ['put', 'tenant', { key: 'acme', attributes: { plan: 'pro' } }],
  ['put', 'tenant', { key: 'umbra', attributes: { plan: 'free' } }],
  ['put', 'resource', { key: 'folder', actions: [] }],
  ['put', 'resource', { key: 'doc', actions: ['read'], attributes: { department: 'string', level: 'number' } }],
  ['put', 'relation', { resource: 'doc', relation: 'parent', subject_resource: 'folder' }],
  ['put', 'role', { key: 'admin', permissions: ['doc:read'] }],
  ['put', 'role', { key: 'guest' }],
  ['put', 'user', { key: 'ana', attributes: { department: 'hr', level: 3 } }],
  ['put', 'user', { key: 'ben', attributes: { department: 'it', level: 1 } }],
  ['put', 'user', { key: 'cyd', attributes: { department: 'hr', level: 1 } }],
  ['put', 'role_assignment', { user: 'ana', role: 'guest', tenant: 'acme' }],
]
const users = (conditions: JsonObject, key = 'staff'): Operation => [
  'put',
  'condition_set',
  { key, type: 'userset', conditions },
]
const docs = (conditions: JsonObject, key = 'open', parent: string | null = null): Operation => [
  'put',
  'condition_set',
  { key, type: 'resourceset', resource: 'doc', conditions, parent },
]
const rule = (user_set = 'staff', resource_set = 'open'): Operation => [
  'put',
  'set_rule',
  { user_set, permission: 'doc:read', resource_set },
]
const own = [users({}), docs({ 'resource.department': { equals: { ref: 'user.department' } } })]
/** A line without what is the same in all of these tests. */
const shown = ({ conditional }: ReturnType<typeof diff>) =>
  conditional.map(({ before, after, first, first_tenants }) => ({ before, after, who: `${first} in ${first_tenants}` }))
const EVERYWHERE = 'acme,default,umbra'

describe('lines', () => {
  it('are grouped by what is left of the conditions for stored users', () => {
    const { conditional, overridable, gained, conditional_complete } = diff(own, rule())
    expect(conditional).toEqual(
      [
        ['hr', 'ana', 'cyd'],
        ['it', 'ben'],
      ].map(([department, ...first]) => ({
        resource: 'doc',
        action: 'read',
        before: 'never',
        after: `resource.department is "${department}"`,
        tenants: 3,
        first_tenants: ['acme', 'default', 'umbra'],
        users: first.length,
        first,
        complete: true,
      })),
    )
    expect(overridable).toEqual([
      { user_set: 'staff', permission: 'doc:read', resource_set: 'open', attributes: ['department'] },
    ])
    expect([gained.decisions, conditional_complete]).toEqual([0, true])
  })

  it('write the key of the user as such, so that all users share one', () => {
    const owner = docs({ 'resource.owner': { equals: { ref: 'user.key' } }, 'context.ip': { 'starts-with': '10.' } })
    expect(shown(diff([users({}), owner], rule()))).toEqual([
      {
        before: 'never',
        after: 'resource.owner is user.key and context.ip starts with "10."',
        who: `ana,ben,cyd in ${EVERYWHERE}`,
      },
    ])
    const named = docs({ 'user.key': { equals: 'ben' }, 'action.reason': { equals: 'audit' } })
    expect(shown(diff([users({}), named], rule()))).toEqual([
      { before: 'never', after: 'action.reason is "audit"', who: `ben in ${EVERYWHERE}` },
    ])
  })

  it('are of those only for whom something is different', () => {
    const senior = (least: number) => users({ 'user.level': { 'greater-than-equals': least } })
    const level = docs({ 'resource.level': { 'less-than': 5 } })
    expect(shown(diff([senior(3), level, rule()], senior(2)))).toEqual([])
    expect(shown(diff([senior(3), level, rule()], senior(1)))).toEqual([
      { before: 'never', after: 'resource.level less than 5', who: `ben,cyd in ${EVERYWHERE}` },
    ])
  })

  it('say what a changed parent, a deleted rule and another declared type do', () => {
    const open = [users({}), docs({ 'resource.level': { 'less-than': 5 } }, 'base'), docs({}, 'open', 'base'), rule()]
    const everybody = `ana,ben,cyd in ${EVERYWHERE}`
    const [five, six] = ['resource.level less than 5', 'resource.level less than 6']
    expect(shown(diff(open, docs({ 'resource.level': { 'less-than': 6 } }, 'base')))).toEqual([
      { before: five, after: six, who: everybody },
    ])
    expect(shown(diff(open, ['delete', 'set_rule', rule()[2] as never]))).toEqual([
      { before: five, after: 'never', who: everybody },
    ])
    const declared: Operation = ['put', 'resource', { key: 'doc', actions: ['read'], attributes: { level: 'string' } }]
    expect(shown(diff(open, declared))).toEqual([
      { before: 'resource.level (number) less than 5', after: 'resource.level (string) less than 5', who: everybody },
    ])
  })

  it('are none where roles decide for every row, before and after', () => {
    const admin = (user: string): Operation => ['put', 'role_assignment', { user, role: 'admin', tenant: 'acme' }]
    const { conditional, gained } = diff([...own, rule()], admin('ana'))
    expect([conditional, gained.decisions]).toEqual([[], 1])
    const [, line] = shown(diff([...own, admin('ben')], rule()))
    expect(line?.who).toBe('ben in default,umbra')
  })

  it('of a tenant that is deleted, and of a user who is created', () => {
    const hr = 'resource.department is "hr"'
    expect(shown(diff([...own, rule()], ['delete', 'tenant', { key: 'umbra' }]))).toEqual([
      { before: hr, after: 'never', who: 'ana,cyd in umbra' },
      { before: hr.replace('hr', 'it'), after: 'never', who: 'ben in umbra' },
    ])
    expect(shown(diff([...own, rule()], ['put', 'user', { key: 'dan', attributes: { department: 'hr' } }]))).toEqual([
      { before: 'never', after: hr, who: `dan in ${EVERYWHERE}` },
    ])
  })

  it('of a tenant with other attributes are of those who belong to it', () => {
    const pro = [users({ 'tenant.plan': { equals: 'pro' } }), docs({ 'resource.level': { 'less-than': 5 } }), rule()]
    expect(shown(diff(pro, ['put', 'tenant', { key: 'acme', attributes: {} }]))).toEqual([
      { before: 'resource.level less than 5', after: 'never', who: 'ana in acme' },
    ])
  })
})

const reader = (granted: boolean): Operation => [
  'put',
  'resource_role',
  {
    resource: 'doc',
    role: 'reader',
    permissions: ['doc:read'],
    granted_to: granted
      ? { users_with_role: [{ role: 'editor', on_resource: 'folder', linked_by_relation: 'parent' }] }
      : null,
  },
]
const folder = (instance: string): Operation => [
  'put',
  'resource_instance',
  { resource: 'folder', instance, tenant: 'acme' },
]
const edits = (user: string, instance: string): Operation => [
  'put',
  'role_assignment',
  { user, role: 'editor', tenant: 'acme', resource_instance: `folder:${instance}` },
]
const facts: readonly Operation[] = [
  ['put', 'resource_role', { resource: 'folder', role: 'editor' }],
  reader(false),
  folder('f1'),
  folder('f2'),
  edits('ana', 'f1'),
  edits('ben', 'f2'),
]
const held = 'resource parent is a folder on which the user is editor'

describe('relations that are sent', () => {
  it('a derivation is one line for all who hold the role, wherever they hold it', () => {
    expect(shown(diff(facts, reader(true)))).toEqual([{ before: 'never', after: held, who: 'ana,ben in acme' }])
    expect(shown(diff([...facts, reader(true)], reader(false)))).toEqual([
      { before: held, after: 'never', who: 'ana,ben in acme' },
    ])
  })

  it('a derivation further up is one for what is derived from it in turn', () => {
    const editor = (granted: boolean): Operation => [
      'put',
      'resource_role',
      {
        resource: 'folder',
        role: 'editor',
        granted_to: granted
          ? { users_with_role: [{ role: 'editor', on_resource: 'folder', linked_by_relation: 'parent' }] }
          : null,
      },
    ]
    const within: readonly Operation[] = [
      ['put', 'relation', { resource: 'folder', relation: 'parent', subject_resource: 'folder' }],
      folder('f3'),
      ['put', 'relationship_tuple', { subject: 'folder:f1', relation: 'parent', object: 'folder:f3' }],
    ]
    const [line, ...others] = shown(diff([...facts, reader(true), ...within, editor(true)], editor(false)))
    expect(others).toEqual([])
    expect(line).toEqual({ before: `${held} (such as ["f3"])`, after: held, who: 'ana in acme' })
  })

  it('another folder is named', () => {
    expect(shown(diff([...facts, reader(true)], edits('ana', 'f2')))).toEqual([
      { before: held, after: `${held} (such as ["f2"])`, who: 'ana in acme' },
    ])
  })
})

describe('stored instances', () => {
  const both = [
    users({}),
    docs({ 'resource.department': { equals: 'hr' }, 'resource.level': { 'less-than': 5 } }),
    rule(),
  ]
  const invoice = (attributes: JsonObject): Operation => [
    'put',
    'resource_instance',
    { resource: 'doc', instance: 'd1', tenant: 'acme', attributes },
  ]

  it('what is stored shows through where not everything is sent', () => {
    const text = 'resource.department is "hr" and resource.level less than 5'
    expect(shown(diff(both, invoice({ department: 'hr' })))).toEqual([
      {
        before: `${text}, with what is stored of \`doc:d1\``,
        after: `${text}, with what will be stored`,
        who: 'ana,ben,cyd in acme',
      },
    ])
  })

  it('what no rule reads, or the only thing that a rule reads, makes no line', () => {
    expect(diff(both, invoice({ colour: 'red' })).conditional).toEqual([])
    const one = [users({}), docs({ 'resource.level': { 'less-than': 5 } }), rule()]
    const { conditional, gained } = diff(one, invoice({ level: 1 }))
    expect([conditional, gained.decisions]).toEqual([[], 3])
  })

  it('instances that conditions follow are said to change', () => {
    const followed = docs({
      'resource.folder': { object_match: { match: { open: { equals: true } }, fk_resource_type: 'folder' } },
    })
    const folder: Operation = [
      'put',
      'resource_instance',
      { resource: 'folder', instance: 'f', tenant: 'acme', attributes: { open: true } },
    ]
    const text = 'resource.folder is the key of a folder where (open is true), as stored'
    expect(shown(diff([users({}), followed, rule()], folder))).toEqual([
      { before: `${text} before the change`, after: `${text} after the change`, who: `ana,ben,cyd in ${EVERYWHERE}` },
    ])
  })
})

describe('attributes of the user that a request overrides', () => {
  const line = { user_set: 'staff', permission: 'doc:read', resource_set: 'open', attributes: ['level'] }
  const senior = users({ 'user.level': { 'greater-than': 9 } })
  const all = docs({})

  it('a changed rule that reads some has one line, whoever is stored', () => {
    expect(diff([senior, all], rule())).toMatchObject({
      conditional: [],
      overridable: [line],
      gained: { decisions: 0 },
    })
    expect(diff([senior, all, rule()], users({ 'user.level': { 'greater-than': 8 } })).overridable).toEqual([line])
    expect(diff([users({ 'user.key': { equals: 'ana' } }), all], rule()).overridable).toEqual([])
  })

  it('so has a rule that is not changed, where something else about the user is', () => {
    const pro = users({ 'user.level': { 'greater-than': 9 }, 'user.roles': { array_contains: 'admin' } })
    const chief: Operation = ['put', 'role', { key: 'admin' }]
    const assigned: Operation = ['put', 'role_assignment', { user: 'ana', role: 'admin', tenant: 'acme' }]
    const guest: Operation = ['put', 'role_assignment', { user: 'ben', role: 'guest', tenant: 'acme' }]
    expect(diff([pro, all, rule(), chief], assigned)).toMatchObject({ conditional: [], overridable: [line] })
    expect(diff([pro, all, rule(), chief], guest).overridable).toEqual([])
  })

  it('also of a rule next to a changed one, where a removed role hid it', () => {
    const admin = { user: 'ana', role: 'admin', tenant: 'acme' }
    const level = (equals: number): Operation => users({ 'user.level': { equals } }, 'level')
    const hr = users({ 'user.department': { equals: 'hr' } })
    const first: Operation[] = [['put', 'role_assignment', admin], hr, level(8), docs({}), rule(), rule('level')]
    const lines = diff(first, ['delete', 'role_assignment', admin], level(9)).overridable
    expect(lines.map(({ user_set, attributes }) => `${user_set}: ${attributes}`)).toEqual([
      'level: level',
      'staff: department',
    ])
  })
})

describe('nothing that matters', () => {
  it('makes no line: the same again, what no rule reads, and what means the same', () => {
    const before = [...own, rule()]
    const same: readonly Operation[] = [
      ...before,
      ['put', 'user', { key: 'ana', attributes: { department: 'hr', level: 3 } }],
      ['put', 'tenant', { key: 'acme', attributes: { plan: 'none' } }],
      ['put', 'user', { key: 'ben', attributes: { department: 'it', level: 7 } }],
      docs({ 'user.department': { equals: { ref: 'resource.department' } } }),
      ['put', 'role', { key: 'guest' }],
    ]
    expect(diff(before, ...same)).toMatchObject({ conditional: [], overridable: [], conditional_complete: true })
  })
})

describe('limits', () => {
  it('CONDITIONAL_LINES_MAX lines are shown, with CONDITIONAL_FIRST_MAX users each, and with more it says so', () => {
    // Two users of the basis are of departments of their own; the others are made in one image, and one more is added.
    const many = Array.from(
      { length: CONDITIONAL_LINES_MAX - 1 },
      (_, at): Operation => ['put', 'user', { key: `u${at}`, attributes: { department: `d${at}` } }],
    )
    const [least, more] = [many.slice(1), many].map((those) => diff([...own, ...those], rule()))
    expect([least!.conditional.length, least!.conditional_complete]).toEqual([CONDITIONAL_LINES_MAX, true])
    expect([more!.conditional.length, more!.conditional_complete]).toEqual([CONDITIONAL_LINES_MAX, false])
    const alike = Array.from(
      { length: 30 },
      (_, at): Operation => ['put', 'user', { key: `u${at}`, attributes: { department: 'x' } }],
    )
    const line = diff([...own, ...alike], rule()).conditional.find(({ users: count }) => count === 30)
    expect(line!.first).toHaveLength(CONDITIONAL_FIRST_MAX)
  })

  it('CONDITIONAL_WORK_MAX, or a smaller budget, ends the search, and the answer says so', () => {
    const whole = diffWithin(CONDITIONAL_WORK_MAX, own, rule())
    expect([whole.conditional.length, whole.conditional_complete]).toEqual([2, true])
    // The first group of users is looked at, the second one no more.
    const part = diffWithin(900, own, rule())
    expect(part.conditional.map(({ complete }) => complete)).toEqual([false])
    expect(part.conditional_complete).toBe(false)
    expect(diffWithin(0, own, rule())).toMatchObject({ conditional: [], conditional_complete: false })
  })

  it('a user with roles on more than FILTER_KEYS_MAX instances could not be compared, and the line says so', () => {
    const folders = (count: number) =>
      Array.from({ length: count }, (_, at): Operation[] => [folder(`f${at}`), edits('ana', `f${at}`)]).flat()
    const reads = (count: number) => shown(diff([...facts.slice(0, 2), ...folders(count)], reader(true)))
    expect(reads(FILTER_KEYS_MAX)).toEqual([{ before: 'never', after: held, who: 'ana in acme' }])
    const [line, ...others] = reads(FILTER_KEYS_MAX + 1)
    expect(others).toEqual([])
    expect(line).toMatchObject({ before: line!.after, who: 'ana in acme' })
    expect(line!.after).toMatch(/^could not be compared: .*10001/)
  })
})
