// How long a filter may be used (D15): until a role of its user, or a relation that it depends on, starts or ends. That it
// is right until then is test/property/filter-times.test.ts.
import { describe, expect, it } from 'vitest'
import { type Filter, matches, toPrismaWhere, toSql } from '../../src/filters.ts'
import { Image } from '../../src/image/image.ts'
import type { TimesPolicy } from '../../src/kinds/times.ts'
import type { PolicyChange } from '../../src/log/delta.ts'
import { assignmentKey, tupleKey } from '../../src/model/objects.ts'
import { FixedImage } from '../../src/pdp/fixed-image.ts'
import { Pdp } from '../../src/pdp/pdp.ts'
import { deltaTo, ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { HELLO } from './policies.ts'

const NINE = Date.UTC(2001, 10, 20, 9)
const TEN = NINE + 3_600_000
const NOON = NINE + 3 * 3_600_000

const put = (kind: PolicyChange['kind'], key: string, value: object) =>
  ({ op: 'put', kind, key, value }) as PolicyChange
const assign = (role: string, times: TimesPolicy, on?: string): PolicyChange =>
  put('role_assignment', assignmentKey('zoe', role, 'acme', on), {
    user: 'zoe',
    role,
    tenant: 'acme',
    ...(on === undefined ? {} : { resource_instance: on }),
    ...times,
  })
const relate = (subject: string, relation: string, object: string, times: TimesPolicy) =>
  put('relationship_tuple', tupleKey(subject, relation, object), { subject, relation, object, ...times })
const derived = (relation: string) => ({
  when: { no_direct_roles_on_object: false },
  users_with_role: [
    {
      role: 'editor',
      on_resource: 'folder',
      linked_by_relation: relation,
      when: { no_direct_roles_on_object: false },
    },
  ],
})

const BASE: readonly PolicyChange[] = [
  ...HELLO,
  put('resource', 'note', { actions: ['read', 'print'] }),
  put('resource', 'folder', { actions: [] }),
  put('role', 'auditor', { permissions: ['note:read'], extends: [] }),
  put('resource_role', 'folder/editor', {
    resource: 'folder',
    role: 'editor',
    permissions: [],
    extends: [],
    granted_to: derived('parent'),
  }),
  put('resource_role', 'note/reader', {
    resource: 'note',
    role: 'reader',
    permissions: ['note:read'],
    extends: [],
    granted_to: derived('parent'),
  }),
  ...['folder:top', 'folder:sub', 'folder:far', 'note:1'].map((key) =>
    put('resource_instance', key, { tenant: 'acme' }),
  ),
]

/** A PDP whose clock is set. */
function pdpAt(...changes: readonly PolicyChange[]) {
  const image = Image.build(ENVIRONMENT, makePosition(7), [...BASE, ...changes])
  const clock = { now: NINE }
  const pdp = new Pdp(new FixedImage(image))
  image.useClock(() => clock.now)
  const filter = (now: number, action = 'read', user = 'zoe'): Filter => {
    clock.now = now
    return pdp.filter(user, action, 'note', { tenant: 'acme' })
  }
  return { pdp, image, clock, filter }
}

describe('[D15] a filter is valid until', () => {
  it('a role of its user in the tenant ends, or starts', () => {
    const { filter } = pdpAt(assign('auditor', { valid_from: TEN, valid_until: NOON }))
    expect(filter(NINE)).toMatchObject({ kind: 'never', validUntil: TEN })
    expect(filter(TEN - 1)).toMatchObject({ kind: 'never', validUntil: TEN })
    expect(filter(TEN)).toMatchObject({ kind: 'always', validUntil: NOON })
    expect(filter(NOON - 1)).toMatchObject({ kind: 'always', validUntil: NOON })
    expect(filter(NOON)).not.toHaveProperty('validUntil')
    expect(filter(NOON).kind).toBe('never')
    expect(filter(NINE)).toMatchObject({ kind: 'never', validUntil: TEN })
  })

  it('a relation on the way to what the user holds ends, or starts', () => {
    const { filter } = pdpAt(
      assign('editor', {}, 'folder:top'),
      relate('folder:top', 'parent', 'folder:sub', { valid_from: TEN }),
      relate('folder:sub', 'parent', 'note:1', { valid_until: NOON }),
    )
    const keys = (filter: Filter) => JSON.stringify(filter)
    expect(filter(NINE).validUntil).toBe(TEN)
    expect(keys(filter(NINE))).not.toContain('sub')
    expect(filter(TEN).validUntil).toBe(NOON)
    expect(keys(filter(TEN))).toContain('sub')
    expect(keys(filter(TEN))).toContain('{"key":{"in":["1"]}}')
    expect(keys(filter(NOON))).not.toContain('{"key":{"in":["1"]}}')
    expect(filter(NOON)).not.toHaveProperty('validUntil')
  })

  it('nothing else: not by what is of others, is not reached, or cannot matter', () => {
    const others = pdpAt(
      put('role_assignment', assignmentKey('ben', 'auditor', 'acme'), {
        user: 'ben',
        role: 'auditor',
        tenant: 'acme',
        valid_until: TEN,
      }),
      assign('editor', {}, 'folder:top'),
      relate('folder:far', 'parent', 'note:1', { valid_until: TEN }),
    )
    expect(others.filter(NINE)).not.toHaveProperty('validUntil')
    expect(others.filter(NINE, 'read', 'ben')).toMatchObject({ kind: 'always', validUntil: TEN })
    expect(others.filter(NINE, 'read', 'nobody')).not.toHaveProperty('validUntil')
    const plain = pdpAt(
      assign('editor', {}, 'folder:top'),
      relate('folder:top', 'parent', 'folder:sub', { valid_until: TEN }),
    )
    expect(plain.filter(NINE).validUntil).toBe(TEN)
    expect(plain.filter(NINE, 'print')).not.toHaveProperty('validUntil') // no role has the action
  })

  it('[D16] the suspension of its user starts, or ends', () => {
    const suspended = (suspension: TimesPolicy) => put('user', 'zoe', { suspension })
    const { image, filter } = pdpAt(assign('auditor', {}), suspended({ valid_from: TEN, valid_until: NOON }))
    expect(filter(NINE)).toMatchObject({ kind: 'always', validUntil: TEN })
    expect(filter(TEN - 1)).toMatchObject({ kind: 'always', validUntil: TEN })
    expect(filter(TEN)).toMatchObject({ kind: 'never', validUntil: NOON })
    expect(filter(NOON)).toMatchObject({ kind: 'always' })
    expect(filter(NOON)).not.toHaveProperty('validUntil')
    // where a role ends in between, what comes first counts
    image.apply(deltaTo(8, [assign('auditor', { valid_until: TEN - 1 })]))
    expect(filter(NINE)).toMatchObject({ kind: 'always', validUntil: TEN - 1 })
    image.apply(deltaTo(9, [assign('auditor', {}), suspended({})]))
    expect(filter(NINE)).toMatchObject({ kind: 'never' })
    expect(filter(NINE)).not.toHaveProperty('validUntil')
    const before = pdpAt(assign('auditor', {}), suspended({ valid_from: TEN })).filter(NINE)
    const row = { key: '1', tenant: 'acme' }
    expect(matches(before, row, { now: TEN - 1 })).toBe(true)
    expect(() => matches(before, row, { now: TEN })).toThrow(expect.objectContaining({ code: 'FILTER_EXPIRED' }))
  })

  it('and a delta that comes in between counts', () => {
    const { image, filter } = pdpAt(assign('auditor', { valid_until: NOON }), assign('editor', {}, 'folder:top'))
    expect(filter(NINE).validUntil).toBe(NOON)
    image.apply(deltaTo(8, [assign('auditor', { valid_until: TEN })]))
    expect(filter(NINE).validUntil).toBe(TEN)
    image.apply(deltaTo(9, [assign('auditor', {})]))
    expect(filter(NINE)).not.toHaveProperty('validUntil')
  })
})

describe('[D15] what reads a filter refuses it from its end on', () => {
  const { filter } = pdpAt(assign('reader', { valid_until: TEN }, 'note:1'))
  const made = filter(NINE)
  const mapping = { tenant: 'org', key: 'id' } as const
  const row = { key: '1', tenant: 'acme' }

  it.each<[string, (now: number | undefined) => unknown]>([
    ['toSql', (now) => toSql(made, mapping, 'sqlite', now === undefined ? {} : { now })],
    ['toSql of several', (now) => toSql([{ ...made, tenant: 'b' }, made], mapping, 'sqlite', { now: now ?? NOON })],
    [
      'toPrismaWhere',
      (now) => toPrismaWhere(made, mapping, { provider: 'sqlite', ...(now === undefined ? {} : { now }) }),
    ],
    ['matches', (now) => matches(made, row, now === undefined ? {} : { now })],
    ['matches of another tenant', (now) => matches(made, { ...row, tenant: 'b' }, { now: now ?? NOON })],
  ])('%s', (_, read) => {
    expect(() => read(TEN - 1)).not.toThrow()
    const refused = expect.objectContaining({
      code: 'FILTER_EXPIRED',
      message: expect.stringContaining('was valid until 2001-11-20T10:00:00.000+00:00: make it again'),
    })
    expect(() => read(TEN)).toThrow(refused)
    expect(() => read(undefined)).toThrow(refused) // by the clock
  })

  it('also when it came as JSON', () => {
    const sent = JSON.parse(JSON.stringify(made)) as Filter
    expect(matches(sent, row, { now: NINE })).toBe(true)
    expect(() => matches(sent, row, { now: TEN })).toThrow(expect.objectContaining({ code: 'FILTER_EXPIRED' }))
    for (const validUntil of ['soon', null, -1, 1.5])
      expect(() => matches({ ...sent, validUntil } as never, row)).toThrow('filter.validUntil')
  })
})

describe('[D15] pages of role assignments', () => {
  it('go on by what is in force at each of them', () => {
    const { pdp, clock } = pdpAt(
      assign('auditor', { valid_until: TEN }),
      put('role_assignment', assignmentKey('ana', 'auditor', 'acme'), {
        user: 'ana',
        role: 'auditor',
        tenant: 'acme',
        valid_from: TEN,
      }),
    )
    const page = (now: number, number: number) => {
      clock.now = now
      return pdp.roleAssignments({ page: number, perPage: 1 }).map(({ user, role }) => `${user}/${role}`)
    }
    const pages = (now: number) => [1, 2, 3, 4].flatMap((number) => page(now, number))
    expect(pages(NINE)).toEqual(['ana/admin', 'ben/viewer', 'zoe/auditor'])
    expect(pages(TEN)).toEqual(['ana/auditor', 'ana/admin', 'ben/viewer'])
    expect(page(NINE, 3)).toEqual(['zoe/auditor'])
    expect(page(TEN, 3)).toEqual(['ben/viewer'])
    expect(page(TEN - 1, 3)).toEqual(['zoe/auditor'])
  })
})
