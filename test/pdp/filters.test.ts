// Filters of the library and of POST /filter: what stays of a policy for rows, what disappears, what is refused. That a
// filter means exactly the rows that checks allow is test/property/filters.test.ts.
import { describe, expect, it } from 'vitest'
import { matches, toResource, toSql } from '../../src/filters.ts'
import { Image } from '../../src/image/image.ts'
import type { PolicyChange } from '../../src/log/delta.ts'
import { FILTER_INSTANCES_MAX, FILTER_KEYS_MAX, FILTER_NODES_MAX } from '../../src/model/limits.ts'
import { assignmentKey, type JsonObject } from '../../src/model/objects.ts'
import { loadImage } from '../../src/pdp/pdp.ts'
import type { Resource } from '../../src/pdp/request.ts'
import { ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { give, HELLO } from './policies.ts'

const error = (code: string, text = '') => expect.objectContaining({ code, message: expect.stringContaining(text) })
const makePdp = (...changes: readonly PolicyChange[]) => loadPdp(changes)
const loadPdp = (changes: readonly PolicyChange[]) =>
  loadImage(Image.build(ENVIRONMENT, makePosition(7), [...BASE, ...changes]).save())

const instance = (key: string, tenant = 'acme', attributes: JsonObject = {}): PolicyChange => ({
  op: 'put',
  kind: 'resource_instance',
  key,
  value: { tenant, attributes },
})
const rolesOn = (resource_instance: string, role: string, tenant = 'acme'): PolicyChange => ({
  op: 'put',
  kind: 'role_assignment',
  key: assignmentKey('zoe', role, tenant, resource_instance),
  value: { user: 'zoe', role, tenant, resource_instance },
})
/** `user_set` and `resource_set` in a rule for reading notes. */
const sets = (users: JsonObject, resources: JsonObject, parent: string | null = null): PolicyChange[] => [
  {
    op: 'put',
    kind: 'condition_set',
    key: 'who',
    value: { type: 'userset', resource: null, conditions: users, parent: null },
  },
  {
    op: 'put',
    kind: 'condition_set',
    key: 'what',
    value: { type: 'resourceset', resource: 'note', conditions: resources, parent },
  },
  {
    op: 'put',
    kind: 'set_rule',
    key: 'rule',
    value: { user_set: 'who', permission: 'note:read', resource_set: 'what' },
  },
]
const owner = (noDirect = false): PolicyChange[] => [
  {
    op: 'put',
    kind: 'resource_role',
    key: 'folder/editor',
    value: { resource: 'folder', role: 'editor', permissions: [], extends: [], granted_to: null },
  },
  {
    op: 'put',
    kind: 'resource_role',
    key: 'note/reader',
    value: {
      resource: 'note',
      role: 'reader',
      permissions: ['note:read'],
      extends: [],
      granted_to: {
        when: { no_direct_roles_on_object: noDirect },
        users_with_role: [
          {
            role: 'editor',
            on_resource: 'folder',
            linked_by_relation: 'parent',
            when: { no_direct_roles_on_object: false },
          },
        ],
      },
    },
  },
]

const BASE: readonly PolicyChange[] = [
  ...HELLO,
  {
    op: 'put',
    kind: 'resource',
    key: 'note',
    value: {
      actions: ['read'],
      attributes: { amount: 'number', due: 'time', tags: 'array', owner: 'string', place: 'object' },
    },
  },
  { op: 'put', kind: 'resource', key: 'folder', value: { actions: [] } },
  { op: 'put', kind: 'role', key: 'auditor', value: { permissions: ['note:read'], extends: [] } },
]
const asked = { tenant: 'acme' }
const read = (pdp: ReturnType<typeof makePdp>, user: Parameters<typeof pdp.filter>[0] = 'zoe', options: object = {}) =>
  pdp.filter(user, 'read', 'note', { ...asked, ...options })
const where = (...args: Parameters<typeof read>) => {
  const filter = read(...args)
  return filter.kind === 'when' ? filter.where : filter.kind
}
const amount = { path: ['amount'], type: 'number' }

describe('a filter', () => {
  it('[D4] is always true by a role in the tenant, and only there', () => {
    const pdp = makePdp(give('zoe', 'auditor', 'acme'))
    const about = { format: 2, revision: 7, type: 'note', tenant: 'acme', tenantColumnIsAuthoritative: true }
    expect(read(pdp)).toEqual({ ...about, kind: 'always' })
    expect(read(pdp, 'zoe', { tenant: 'default' }).kind).toBe('never')
  })

  it('[D1] is never true of what is unknown', () => {
    const pdp = makePdp(...sets({}, {}), give('zoe', 'auditor', 'acme'))
    expect(read(pdp, 'nobody').kind).toBe('never')
    expect(read(pdp, 'zoe', { tenant: 'nowhere' }).kind).toBe('never')
    expect(pdp.filter('zoe', 'fly', 'note', asked).kind).toBe('never')
    expect(pdp.filter('zoe', 'read', 'nothing', asked).kind).toBe('never')
  })

  it('[D6] keeps of a rule what reads the row, with the rest decided', () => {
    const pdp = makePdp(
      ...sets(
        { 'user.level': { 'greater-than': 2 } },
        { 'resource.amount': { 'less-than': { ref: 'user.limit' } }, 'context.office': { equals: true } },
      ),
    )
    const zoe = (level: number, limit?: number) => ({ key: 'zoe', attributes: { level, ...(limit ? { limit } : {}) } })
    expect(where(pdp, zoe(3, 500), { context: { office: true } })).toEqual({
      op: 'less-than',
      left: amount,
      right: { value: 500 },
    })
    expect(where(pdp, zoe(2, 500), { context: { office: true } })).toBe('never')
    expect(where(pdp, zoe(3, 500), { context: { office: false } })).toBe('never')
    expect(where(pdp, zoe(3), { context: { office: true } })).toBe('never') // D7: nothing to compare with
    expect(read(pdp, zoe(3, 500), { context: { office: true } })).toMatchObject({
      kind: 'when',
      reads: { attributes: ['amount'], relations: [], key: false },
    })
  })

  it('[D7] negates leaves and never turns an operator into its opposite', () => {
    const pdp = makePdp(
      ...sets(
        {},
        { not: { anyOf: [{ 'resource.amount': { 'less-than': 5 } }, { 'resource.owner': { equals: 'ana' } }] } },
      ),
    )
    expect(where(pdp)).toEqual({
      and: [
        { not: { op: 'less-than', left: amount, right: { value: 5 } } },
        { not: { op: 'equals', left: { path: ['owner'], type: 'string' }, right: { value: 'ana' } } },
      ],
    })
  })

  it('[D9] says which sides are instants', () => {
    const pdp = makePdp(...sets({}, { 'resource.due': { 'less-than': { ref: 'context.now' } } }))
    const due = { path: ['due'], type: 'time' }
    const now = { op: 'less-than', left: due, right: { value: 1000, time: true } }
    expect(where(pdp, 'zoe', { context: { now: 1000 } })).toEqual(now)
  })

  it('reads members of objects, matches, and rows on the right side', () => {
    const pdp = makePdp(
      ...sets(
        { 'user.name': { in: { ref: 'resource.tags' } } },
        {
          'resource.place.city': { equals: 'Bern' },
          'resource.lines': { any_match: { match: { sum: { 'greater-than': 9 } } } },
        },
      ),
    )
    expect(read(pdp, { key: 'zoe', attributes: { name: 'Zoe' } })).toMatchObject({
      where: {
        and: [
          { op: 'in', left: { value: 'Zoe' }, right: { path: ['tags'], type: 'array' } },
          { op: 'equals', left: { path: ['place', 'city'], type: 'object' }, right: { value: 'Bern' } },
          {
            match: 'any',
            left: { path: ['lines'], type: 'json' },
            where: { op: 'greater-than', left: { item: ['sum'] }, right: { value: 9 } },
          },
        ],
      },
      reads: { attributes: ['lines', 'place', 'tags'], relations: [], key: false },
    })
  })

  it('turns instances that a condition follows into their keys, in whatever tenant', () => {
    const pdp = makePdp(
      { op: 'put', kind: 'resource', key: 'folder', value: { actions: [], attributes: { open: 'bool' } } },
      ...sets(
        {},
        { 'resource.owner': { object_match: { match: { open: { equals: true } }, fk_resource_type: 'folder' } } },
      ),
      instance('folder:a', 'acme', { open: true }),
      instance('folder:b', 'acme', { open: false }),
      instance('folder:c', 'default', { open: true }),
    )
    expect(where(pdp)).toEqual({ op: 'in', left: { path: ['owner'], type: 'string' }, right: { value: ['a', 'c'] } })
  })

  it('[D5] names the keys on which a role is held, and what a row may be related to', () => {
    const tuple: PolicyChange = {
      op: 'put',
      kind: 'relationship_tuple',
      key: 'folder:f1/parent/note:n2',
      value: { subject: 'folder:f1', relation: 'parent', object: 'note:n2' },
    }
    const facts = [
      ...['folder:f1', 'folder:f2', 'note:n1', 'note:n2'].map((key) => instance(key)),
      rolesOn('folder:f1', 'editor'),
      rolesOn('note:n1', 'reader'),
      tuple,
    ]
    const related = { related: 'parent', type: 'folder', in: ['f1'] }
    expect(where(makePdp(...owner(), ...facts))).toEqual({ or: [{ key: { in: ['n1', 'n2'] } }, related] })
    const direct = {
      or: [{ key: { in: ['n1', 'n2'] } }, { and: [related, { not: { key: { in: ['n1'] } } }] }],
    }
    expect(where(makePdp(...owner(true), ...facts))).toEqual(direct)
    // a role on an instance of another tenant is not one on the row, and its key is not told
    const elsewhere = makePdp(
      ...owner(true),
      ...facts,
      instance('note:n9', 'default'),
      rolesOn('note:n9', 'reader', 'default'),
    )
    expect(where(elsewhere, 'zoe', { tenantColumnIsAuthoritative: true })).toEqual(direct)
  })

  it('[D2] excludes keys that are stored in another tenant only where no tenant column decides', () => {
    const pdp = makePdp(
      ...sets({}, { 'resource.amount': { equals: 1 } }),
      instance('note:n1', 'default'),
      instance('note:n2'),
    )
    const equal = { op: 'equals', left: amount, right: { value: 1 } }
    expect(where(pdp)).toEqual(equal)
    expect(where(pdp, 'zoe', { tenantColumnIsAuthoritative: null })).toEqual(equal)
    const byKey = { tenantColumnIsAuthoritative: false }
    expect(where(pdp, 'zoe', byKey)).toEqual({ and: [equal, { not: { key: { in: ['n1'] } } }] })
    // a table without the column takes a filter that excludes them, and no other
    const table = { tenant: null, key: 'id', attributes: { amount: { column: 'amount', type: 'integer' } } } as const
    expect(toSql(pdp.filter('zoe', 'read', 'note', { ...asked, ...byKey }), table, 'sqlite').values).toContain('n1')
    expect(() => toSql(pdp.filter('zoe', 'read', 'note', asked), table, 'sqlite')).toThrow(
      error('INPUT_INVALID', 'tenantColumnIsAuthoritative: false'),
    )
  })

  it('[D2] decides a marked row by its tenant column, in the list and alone; a copy of it has no mark', () => {
    const pdp = makePdp(
      ...sets({}, { 'resource.amount': { equals: 1 } }),
      ...owner(),
      instance('note:n1', 'default', { amount: 1 }),
      rolesOn('note:n1', 'reader', 'default'),
    )
    const table = { tenant: 'org', key: 'id', attributes: { amount: { column: 'amount', type: 'integer' } } } as const
    const row = (amount: number | null, org = 'acme') => toResource({ id: 'n1', org, amount }, table, { type: 'note' })
    const may = (resource: Resource) => [
      pdp.check('zoe', 'read', resource),
      pdp.bulkCheck([{ user: 'zoe', action: 'read', resource }])[0],
      pdp.explain('zoe', 'read', resource).allow,
      pdp.why('zoe', 'read', resource).allow,
      pdp.actions('zoe', resource).includes('read'),
      pdp.users('read', resource).keys.includes('zoe'),
      pdp.tenants('zoe', 'read', resource).some(({ key }) => key === (resource as { tenant?: string }).tenant),
    ]
    const all = (answer: boolean) => Array.from({ length: 7 }, () => answer)
    expect(may(row(1))).toEqual(all(true))
    expect(may(row(2))).toEqual(all(false))
    expect(may(row(null))).toEqual(all(false)) // what is stored elsewhere is not of the row
    expect(may(row(2, 'default'))).toEqual(all(true)) // the role on the instance
    const filter = pdp.filter('zoe', 'read', 'note', asked)
    for (const amount of [1, 2, null])
      expect(matches(filter, { ...row(amount), tenant: 'acme' })).toBe(pdp.check('zoe', 'read', row(amount)))
    for (const copy of [{ ...row(1) }, JSON.parse(JSON.stringify(row(1))), structuredClone(row(1))])
      expect(may(copy)).toEqual(all(false))
    expect(pdp.explain('zoe', 'read', row(2)).rebac).toBe('no_such_instance')
    expect(pdp.explain('zoe', 'read', { ...row(2) }).rebac).toBe('instance_in_other_tenant')
    expect(JSON.stringify(pdp.why('zoe', 'read', row(2)))).not.toContain('not stored')
    expect(() => Object.assign(row(1), { tenant: 'default' })).toThrow(TypeError)
    // without a tenant column nothing is marked
    const one = { ...table, tenant: null }
    const unmarked = { ...toResource({ id: 'n1', amount: 1 }, one, { type: 'note' }), tenant: 'acme' }
    expect(pdp.check('zoe', 'read', unmarked)).toBe(false)
  })

  it('of a small tenant among large ones names no one else, and is made; a snapshot too', () => {
    const mine = sets({}, { 'resource.amount': { equals: 1 } })
    const many = (count: number, tenant: string) =>
      Array.from({ length: count }, (_, at) => instance(`note:other${at}`, tenant))
    const equal = { op: 'equals', left: amount, right: { value: 1 } }
    for (const others of [many(FILTER_KEYS_MAX + 1, 'default'), many(FILTER_INSTANCES_MAX + 1, 'acme')]) {
      const own = many(5, 'acme').map((each) => ({ ...each, key: `${each.key}-own` }))
      const pdp = loadPdp([...mine, ...own, ...others])
      expect(where(pdp)).toEqual(equal)
      const snapshot = pdp.snapshot('zoe', { tenants: ['acme'], types: ['note'], actions: ['read'] })
      expect(snapshot.answers).toEqual([{ where: { node: equal, attributes: ['amount'], relations: [] } }])
    }
  })

  it('says the same thing once', () => {
    const pdp = makePdp(
      ...sets(
        {},
        {
          anyOf: [
            { 'resource.amount': { equals: 1 } },
            { anyOf: [{ 'resource.amount': { equals: 1 } }] },
            { 'user.key': { equals: 'ana' } },
          ],
        },
      ),
    )
    expect(where(pdp)).toEqual({ op: 'equals', left: amount, right: { value: 1 } })
  })
})

describe('a filter that cannot be made', () => {
  it('names the condition that depends on the row and on another object at once', () => {
    const other = {
      object_match: { match: { open: { equals: { ref: 'resource.amount' } } }, fk_resource_type: 'folder' },
    }
    const pdp = makePdp(...sets({}, { 'resource.owner': other }), instance('folder:a', 'acme', { open: 1 }))
    expect(() => read(pdp)).toThrow(error('FILTER_REFUSED', '`folder`'))
    const due = { object_match: { match: {}, fk_resource_type: 'folder' } }
    expect(() => read(makePdp(...sets({}, { 'resource.due': due })))).toThrow(error('FILTER_REFUSED', '`resource.due`'))
  })

  it('throws with the number when it would be too long', () => {
    const keys = Array.from({ length: FILTER_KEYS_MAX + 1 }, (_, at) => `n${at}`)
    const elsewhere = keys.map((key) => instance(`note:${key}`, 'default'))
    const mine = sets({}, { 'resource.amount': { equals: 1 } })
    const byKey = { ...asked, tenantColumnIsAuthoritative: false }
    const excluding = (changes: readonly PolicyChange[]) =>
      loadPdp([...mine, ...changes]).filter('zoe', 'read', 'note', byKey)
    const elsewhereToo = `over ${FILTER_KEYS_MAX + 1} keys of \`note\` stored in other tenants`
    expect(() => excluding(elsewhere)).toThrow(error('LISTING_TOO_LARGE', elsewhereToo))
    expect(() => excluding(elsewhere)).toThrow('x-tenant-column-is-authoritative: true')
    expect(excluding(elsewhere.slice(1)).kind).toBe('when')
    const here = Array.from({ length: FILTER_INSTANCES_MAX + 1 }, (_, at) => instance(`note:n${at}`))
    const tooMany = `over more than ${FILTER_INSTANCES_MAX} instances of \`note\` to look at`
    expect(() => excluding(here)).toThrow(error('LISTING_TOO_LARGE', tooMany))
    const held = keys.flatMap((key) => [instance(`note:${key}`), rolesOn(`note:${key}`, 'reader')])
    expect(() => read(makePdp(...owner(), ...held))).toThrow(error('LISTING_TOO_LARGE', '10001'))
  })

  it('throws when it would have too many comparisons', () => {
    const rules = Array.from({ length: 5 }, (_, at): PolicyChange[] => {
      const tests = Array.from({ length: FILTER_NODES_MAX / 5 + 1 }, (_, number) => ({
        'not-equals': at * 1000 + number,
      }))
      const value = {
        type: 'resourceset',
        resource: 'note',
        conditions: { 'resource.amount': { allOf: tests } },
        parent: null,
      } as const
      return [
        { op: 'put', kind: 'condition_set', key: `s${at}`, value },
        {
          op: 'put',
          kind: 'set_rule',
          key: `r${at}`,
          value: { user_set: 'who', permission: 'note:read', resource_set: `s${at}` },
        },
      ]
    })
    expect(() => read(makePdp(...sets({}, {}).slice(0, 1), ...rules.flat()))).toThrow(
      error('LISTING_TOO_LARGE', 'comparisons'),
    )
  })

  it('refuses a question without a tenant', () => {
    const pdp = makePdp()
    for (const options of [undefined, null, {}, { tenant: null }, { tenant: 3 }])
      expect(() => pdp.filter('zoe', 'read', 'note', options as never)).toThrow(error('INPUT_INVALID', 'tenant'))
    expect(() => pdp.filter(3 as never, 'read', 'note', asked)).toThrow(error('INPUT_INVALID'))
  })

  it('refuses what a check refuses', async () => {
    const strict = loadImage(
      Image.build(ENVIRONMENT, makePosition(7), [
        ...BASE,
        { op: 'put', kind: 'resource', key: '__user', value: { actions: [], attributes: { level: 'number' } } },
      ]).save(),
      {
        strictAttributes: true,
      },
    )
    expect(() => strict.filter({ key: 'zoe', attributes: { level: 'high' } }, 'read', 'note', asked)).toThrow(
      error('ATTRIBUTE_ILL_TYPED'),
    )
    const closed = makePdp()
    await closed.close()
    expect(() => read(closed)).toThrow(error('CLOSED'))
  })
})
