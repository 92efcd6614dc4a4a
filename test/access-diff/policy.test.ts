// What a change does to the policy: the pairs and rules that an access diff lists without looking at facts.
import { describe, expect, it } from 'vitest'
import { policyDiff } from '../../src/image/access-diff/policy-diff.ts'
import { Image } from '../../src/image/image.ts'
import { CONDITION_TEXT_MAX, POLICY_COMPARED_MAX, POLICY_PAIRS_MAX } from '../../src/model/limits.ts'
import type { JsonObject } from '../../src/model/objects.ts'
import { ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { type Operation, World } from '../support/world.ts'

const makeImage = (world: World): Image => Image.build(ENVIRONMENT, makePosition(1), world.contents())

/** What the operations do to the policy that others made. */
const diff = (first: readonly Operation[], ...then: readonly Operation[]) => diffWithin(undefined, first, ...then)

function diffWithin(compared: number | undefined, first: readonly Operation[], ...then: readonly Operation[]) {
  const world = new World()
  world.runAll([...BASIS, ...first])
  const before = makeImage(world)
  const changes = world.runAll(then)
  return policyDiff(before, makeImage(world), changes, compared)
}

const BASIS: readonly Operation[] = [
  ['put', 'resource', { key: 'org', actions: ['manage'] }],
  ['put', 'resource', { key: 'folder', actions: ['list'] }],
  ['put', 'resource', { key: 'doc', actions: ['read', 'write'], attributes: { level: 'number' } }],
  ['put', 'relation', { resource: 'folder', relation: 'owner', subject_resource: 'org' }],
  ['put', 'relation', { resource: 'doc', relation: 'parent', subject_resource: 'folder' }],
  ['put', 'role', { key: 'viewer', permissions: ['doc:read'] }],
  ['put', 'role', { key: 'editor', extends: ['viewer'] }],
  ['put', 'role', { key: 'chief', extends: ['editor'] }],
]
const nothing = { gained: [], lost: [], changed: [], complete: true }
const when = { no_direct_roles_on_object: false }
const derived = (role: string, on_resource: string, linked_by_relation: string) => ({
  users_with_role: [{ role, on_resource, linked_by_relation, when }],
})

describe('roles', () => {
  it('a permission of a role is gained by all that extend it, with the way', () => {
    const { gained, lost } = diff([], ['put', 'role', { key: 'viewer', permissions: ['doc:read', 'folder:list'] }])
    expect(lost).toEqual([])
    expect(gained).toEqual([
      { source: { kind: 'role', role: 'chief' }, permission: 'folder:list', through: ['editor', 'viewer'] },
      { source: { kind: 'role', role: 'editor' }, permission: 'folder:list', through: ['viewer'] },
      { source: { kind: 'role', role: 'viewer' }, permission: 'folder:list' },
    ])
  })

  it('what is had by another way is neither gained nor lost', () => {
    expect(diff([], ['put', 'role', { key: 'editor', permissions: ['doc:read'], extends: [] }])).toEqual(nothing)
    expect(diff([], ['put', 'role', { key: 'chief', permissions: ['doc:read'], extends: ['editor'] }])).toEqual(nothing)
  })

  it('an action that is deleted is lost by every role that has it', () => {
    const { lost } = diff([], ['put', 'resource', { key: 'doc', actions: ['write'], attributes: { level: 'number' } }])
    expect(lost.map(({ source, permission }) => `${source.role} ${permission}`)).toEqual([
      'chief doc:read',
      'editor doc:read',
      'viewer doc:read',
    ])
  })

  it('a change of facts, or of what decides nothing, is not a change of the policy', () => {
    const user: Operation = ['put', 'user', { key: 'ana', attributes: { level: 1 } }]
    expect(diff([], user, ['put', 'role_assignment', { user: 'ana', role: 'viewer', tenant: 'default' }])).toEqual(
      nothing,
    )
    expect(diff([], ['put', 'role', { key: 'viewer', permissions: ['doc:read'] }])).toEqual(nothing)
  })
})

describe('roles on instances', () => {
  const roles: readonly Operation[] = [
    ['put', 'resource_role', { resource: 'org', role: 'admin', permissions: ['org:manage'] }],
    ['put', 'resource_role', { resource: 'folder', role: 'keeper', permissions: ['folder:list'] }],
    ['put', 'resource_role', { resource: 'doc', role: 'reader', permissions: ['doc:read'] }],
    ['put', 'resource_role', { resource: 'doc', role: 'writer', permissions: ['doc:write'], extends: ['reader'] }],
  ]
  const keeper = (relation = 'owner', settings = when): Operation => [
    'put',
    'resource_role',
    {
      resource: 'folder',
      role: 'keeper',
      permissions: ['folder:list'],
      granted_to: {
        users_with_role: [{ role: 'admin', on_resource: 'org', linked_by_relation: relation, when: settings }],
      },
    },
  ]
  const writer: Operation = [
    'put',
    'resource_role',
    {
      resource: 'doc',
      role: 'writer',
      permissions: ['doc:write'],
      extends: ['reader'],
      granted_to: derived('keeper', 'folder', 'parent'),
    },
  ]
  const pair = (role: string, permission: string, ...through: string[]) => ({
    source: { kind: 'resource_role', role },
    permission,
    through,
  })

  it('a derivation gives what the derived role has, also by roles that it extends and derives from it', () => {
    expect(diff([...roles, writer], keeper()).gained).toEqual([
      pair('org#admin', 'doc:read', 'folder#keeper over owner', 'doc#writer over parent', 'doc#reader'),
      pair('org#admin', 'doc:write', 'folder#keeper over owner', 'doc#writer over parent'),
      pair('org#admin', 'folder:list', 'folder#keeper over owner'),
    ])
    expect(diff([...roles, keeper()], writer).gained).toEqual([
      pair('folder#keeper', 'doc:read', 'doc#writer over parent', 'doc#reader'),
      pair('folder#keeper', 'doc:write', 'doc#writer over parent'),
      pair('org#admin', 'doc:read', 'folder#keeper over owner', 'doc#writer over parent', 'doc#reader'),
      pair('org#admin', 'doc:write', 'folder#keeper over owner', 'doc#writer over parent'),
    ])
    expect(diff([...roles, writer, keeper()], roles[1]!).lost).toHaveLength(3)
  })

  it('another relation, or another exception, reaches other instances', () => {
    const { gained, lost } = diff([...roles, keeper()], keeper('founder'))
    expect([gained, lost]).toEqual([
      [pair('org#admin', 'folder:list', 'folder#keeper over founder')],
      [pair('org#admin', 'folder:list', 'folder#keeper over owner')],
    ])
    const stricter = diff([...roles, keeper()], keeper('owner', { no_direct_roles_on_object: true }))
    expect(stricter.gained).toEqual([
      pair('org#admin', 'folder:list', 'folder#keeper over owner, unless the user has a role on it'),
    ])
    expect(stricter.lost).toEqual([pair('org#admin', 'folder:list', 'folder#keeper over owner')])
  })

  it('roles that derive each other end', () => {
    const circle: Operation = [
      'put',
      'resource_role',
      {
        resource: 'folder',
        role: 'keeper',
        permissions: ['folder:list'],
        granted_to: derived('keeper', 'folder', 'owner'),
      },
    ]
    expect(diff(roles, circle).gained).toEqual([pair('folder#keeper', 'folder:list', 'folder#keeper over owner')])
  })
})

describe('set rules', () => {
  const users = (conditions: JsonObject, parent: string | null = null, key = 'staff'): Operation => [
    'put',
    'condition_set',
    { key, type: 'userset', conditions, parent },
  ]
  const docs = (conditions: JsonObject, resource = 'doc'): Operation => [
    'put',
    'condition_set',
    { key: 'open', type: 'resourceset', resource, conditions },
  ]
  const rule = (user_set = 'staff', resource_set = 'open'): Operation => [
    'put',
    'set_rule',
    { user_set, permission: 'doc:read', resource_set },
  ]
  const sets = [users({ 'user.team': { equals: 'hr' } }), docs({ 'resource.level': { 'less-than': 3 } })]
  const source = { kind: 'set_rule', user_set: 'staff', resource_set: 'open' }
  const text = 'user.team is "hr" and resource.level less than 3'

  it('a rule is gained and lost with its conditions', () => {
    const pair = { source, permission: 'doc:read', when: text }
    expect(diff(sets, rule())).toEqual({ ...nothing, gained: [pair] })
    expect(diff([...sets, rule()], ['delete', 'set_rule', rule()[2] as never])).toEqual({ ...nothing, lost: [pair] })
  })

  it('roles and types stand for sets, and a rule that cannot be true does not count', () => {
    const [{ source: named, when: asks } = {}] = diff(sets, rule('__autogen_viewer', '__autogen_doc')).gained
    expect(named).toEqual({ kind: 'set_rule', user_set: 'viewer', resource_set: 'doc' })
    expect(asks).toBe('user.roles contains "viewer"')
    expect(diff([users({}), docs({}, 'folder')], rule())).toEqual(nothing)
    expect(diff([users({ anyOf: [] }), docs({})], rule())).toEqual(nothing)
    expect(diff([users({}), docs({})], rule()).gained).toEqual([{ source, permission: 'doc:read', when: 'always' }])
  })

  it('a set that is worded differently, but means the same, is not a change', () => {
    const wordings: readonly (readonly [JsonObject, JsonObject])[] = [
      [{ 'user.team': { equals: 'hr' } }, { allOf: [{ 'subject.team': { in: ['hr', 'hr'] } }] }],
      [
        { 'user.team': { in: ['a', 'b'] } },
        { or: [{ 'user.team': { equals: 'b' } }, { 'user.team': { equals: 'a' } }] },
      ],
      [{ 'user.team': { not: ['a', 'b'] } }, { not: { 'user.team': { in: ['b', 'a'] } } }],
      [{ 'user.age': { between: [1, 2] } }, { 'user.age': { 'greater-than-equals': 1, 'less-than-equals': 2 } }],
      [{ 'user.age': { 'less-than': { ref: 'user.top' } } }, { 'user.top': { 'greater-than': { ref: 'user.age' } } }],
      [
        { not: { anyOf: [{ 'user.a': { equals: 1 } }, { not: { 'user.b': { equals: 1 } } }] } },
        { 'user.b': { equals: 1 }, 'user.a': { not: 1 } },
      ],
      [
        { 'user.a': { equals: 1 } },
        { anyOf: [{ 'user.a': { equals: 1 } }, { 'user.a': { equals: 1 }, 'user.b': { equals: 2 } }] },
      ],
      [{}, { anyOf: [{ 'user.a': { equals: 1 } }, { 'user.a': { not: 1 } }] }],
    ]
    for (const [one, other] of wordings) {
      expect(diff([users(one), docs({}), rule()], users(other)), JSON.stringify(one)).toEqual(nothing)
      expect(diff([users(other), docs({}), rule()], users(one)), JSON.stringify(one)).toEqual(nothing)
    }
  })

  it('[D7] an operator is not turned into its opposite', () => {
    const [one, other] = [{ 'user.age': { 'less-than': 3 } }, { not: { 'user.age': { 'greater-than-equals': 3 } } }]
    expect(diff([users(one), docs({}), rule()], users(other)).changed).toEqual([
      {
        source,
        permission: 'doc:read',
        before: 'user.age less than 3',
        after: 'not user.age at least 3',
      },
    ])
  })

  it('a rule whose set has another parent, or whose parent changed, is changed', () => {
    const base = [users({ 'user.on': { equals: true } }, null, 'base'), users({}, 'base'), docs({}), rule()]
    const [changed] = diff(base, users({ 'user.on': { equals: false } }, null, 'base')).changed
    expect(changed).toEqual({
      source,
      permission: 'doc:read',
      before: 'user.on is true',
      after: 'user.on is false',
    })
    expect(diff(base, users({}, null)).changed[0]).toMatchObject({ before: 'user.on is true', after: 'always' })
  })

  it('a declared type is part of what a condition means, also of instances that it follows', () => {
    const declared = (level: 'number' | 'string'): Operation => [
      'put',
      'resource',
      { key: 'doc', actions: ['read', 'write'], attributes: { level } },
    ]
    const [changed] = diff([...sets, rule()], declared('string')).changed
    expect(changed?.before).toBe('user.team (json) is "hr" and resource.level (number) less than 3')
    expect(changed?.after).toBe('user.team (json) is "hr" and resource.level (string) less than 3')
    const followed = { 'user.doc': { object_match: { match: { level: { equals: 1 } }, fk_resource_type: 'doc' } } }
    const [other] = diff([users(followed), docs({}), rule()], declared('string')).changed
    expect(other?.before).toBe('user.doc (json) is the key of a doc where (level (number) is 1)')
    expect(other?.after).toBe('user.doc (json) is the key of a doc where (level (string) is 1)')
  })

  it('what is too long to read is cut, and still differs', () => {
    const many = (last: string) => ({
      'user.team': { in: [...Array.from({ length: 900 }, (_, at) => `team-${at}`), last] },
    })
    const [changed] = diff([users(many('x')), docs({}), rule()], users(many('y'))).changed
    expect(changed!.before.length).toBeLessThanOrEqual(CONDITION_TEXT_MAX + 1)
  })
})

describe('limits', () => {
  const actions = (count: number) => Array.from({ length: count }, (_, at) => `a${at}`)
  const roles = 100
  const wide = (per: number): Operation[] => [
    ['put', 'resource', { key: 'wide', actions: actions(per) }],
    ['put', 'role', { key: 'base', permissions: [] }],
    ...Array.from({ length: roles - 1 }, (_, at): Operation => ['put', 'role', { key: `r${at}`, extends: ['base'] }]),
  ]
  const base = (per: number): Operation => [
    'put',
    'role',
    { key: 'base', permissions: actions(per).map((action) => `wide:${action}`) },
  ]

  it('POLICY_PAIRS_MAX are listed, and with more it says so', () => {
    const per = POLICY_PAIRS_MAX / roles
    const most = diff(wide(per), base(per))
    expect([most.gained.length, most.complete]).toEqual([POLICY_PAIRS_MAX, true])
    const more = diff([...wide(per), ['put', 'role', { key: 'zz', extends: ['base'] }]], base(per))
    expect([more.gained.length, more.complete]).toEqual([POLICY_PAIRS_MAX, false])
  })

  it('as many pairs as are to be compared are, POLICY_COMPARED_MAX unless it is less, and with more it says so', () => {
    const per = 10
    const all = diffWithin(roles * per, wide(per), base(per))
    expect([all.gained.length, all.complete]).toEqual([roles * per, true])
    const part = diffWithin(roles * per - 1, wide(per), base(per))
    expect([part.gained.length, part.complete]).toEqual([(roles - 1) * per, false])
    expect(diffWithin(POLICY_COMPARED_MAX, wide(per), base(per))).toEqual(diff(wide(per), base(per)))
  })
})
