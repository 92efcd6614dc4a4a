// Bulk calls: one revision, all or nothing, an error that says in which item.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { BULK_BODY_BYTES_MAX, BULK_USERS_MAX } from '../../../src/model/limits.ts'
import type { Method } from '../../support/routes.ts'
import { type Harness, joinHarness } from './harness.ts'

describe('bulk calls', () => {
  let api: Harness
  let round = 0
  beforeAll(async () => {
    api = await joinHarness()
    await api.ask('POST', '$S/resources', { key: 'doc', relations: { parent: 'doc' } })
    await api.ask('POST', '$S/resources/doc/roles', { key: 'editor' })
    await api.ask('POST', '$S/roles', { key: 'reader' })
    await api.ask('POST', '$S/roles', { key: 'writer' })
    await api.ask('POST', '$F/tenants', { key: 'north' })
  })
  afterAll(() => api.close())
  beforeEach(() => {
    round++
  })
  const named = (name: string) => `${name}${round}`
  const revision = () => api.store.head(api.environment).revision
  const total = async (path: string) => (await api.ask('GET', path)).body.total_count as number

  it('3,000 users are one revision', async () => {
    const before = revision()
    const operations = Array.from({ length: 3_000 }, (_, at) => ({
      key: `${named('u')}_${at}`,
      email: `u${at}@example.com`,
      attributes: { at },
      role_assignments: [{ role: 'reader', tenant: 'north' }],
    }))
    const answer = await api.ask('POST', '$F/bulk/users', { operations })
    expect([answer.status, answer.body, answer.headers['x-revision']]).toEqual([200, {}, String(before + 1)])
    expect(await total(`$F/users?search=${named('u')}_`)).toBe(3_000)
    const [entry] = api.store.entries(api.environment, before)
    expect(entry?.changes.filter(({ kind }) => kind === 'user')).toHaveLength(3_000)
    expect(await total('$F/tenants/north/users')).toBe(3_000)
    const idents = operations.map(({ key }) => key)
    expect((await api.ask('DELETE', '$F/bulk/users', { idents })).body).toEqual({})
    expect(await total('$F/tenants/north/users')).toBe(0)
    expect(await total('$F/role_assignments/detailed?tenant=north')).toBe(0)
    expect(revision()).toBe(before + 2)
  })

  it('a body is as long as the limit says, of as many objects, with 5 KiB in 200 members each', async () => {
    const attributes = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`member${at}`, 'x'.repeat(12)]))
    const operations = Array.from({ length: BULK_USERS_MAX }, (_, at) => ({ key: `${named('l')}_${at}`, attributes }))
    const last = { key: 'not a key' } // so that nothing has to be written
    const body = JSON.stringify({ operations: [...operations.slice(1), last] })
    expect(body.length).toBeGreaterThan(0.9 * BULK_BODY_BYTES_MAX)
    const { status, body: refusal } = await api.ask('POST', '$F/bulk/users', body.padEnd(BULK_BODY_BYTES_MAX))
    expect([status, refusal.detail[0].loc]).toEqual([422, ['body', 'operations', BULK_USERS_MAX - 1, 'key']])
    expect((await api.ask('POST', '$F/bulk/users', body.padEnd(BULK_BODY_BYTES_MAX + 1))).status).toBe(413)
  })

  it('a key that is taken, in the environment or in the call, refuses all and is named', async () => {
    const [a, b] = [named('a'), named('b')]
    await api.ask('POST', '$F/users', { key: a })
    const before = revision()
    for (const operations of [
      [{ key: b }, { key: a }],
      [{ key: b }, { key: b }],
    ]) {
      const { status, body } = await api.ask('POST', '$F/bulk/users', { operations })
      expect([status, body.error_code]).toEqual([409, 'DUPLICATE_ENTITY'])
      expect(body.message).toContain(operations[1]?.key)
    }
    const bad = await api.ask('POST', '$F/bulk/users', { operations: [{ key: b }, { key: 'c', email: 'nobody' }] })
    expect(bad.body.detail[0].loc).toEqual(['body', 'operations', 1, 'email'])
    const missing = { operations: [{ key: b, role_assignments: [{ role: 'nobody' }] }] }
    expect((await api.ask('POST', '$F/bulk/users', missing)).status).toBe(404)
    expect(revision()).toBe(before)
    expect((await api.ask('GET', `$F/users/${b}`)).status).toBe(404)
  })

  it('names the item in a 404, a 409 and a 400: its place and its key', async () => {
    const [a, b] = [named('a'), named('b')]
    await api.ask('POST', '$F/users', { key: a })
    await api.ask('POST', '$F/resource_instances', { key: a, resource: 'doc', tenant: 'north' })
    await api.ask('POST', '$S/resources', { key: named('other') })
    const doc = (key: string) => `doc:${named(key)}`
    const tuple = (relation: string) => ({ subject: doc('a'), relation, object: doc('b'), tenant: 'north' })
    const elsewhere = { key: a, resource: 'doc', tenant: 'default' }
    const operations = (...items: object[]) => ({ operations: items })
    const [F, S] = ['$F/bulk', '$S/bulk']
    const cases: readonly [Method, string, unknown, number, (string | number)[], string][] = [
      ['POST', `${F}/users`, operations({ key: b }, { key: a }), 409, ['operations', 1], a],
      [
        'POST',
        `${F}/users`,
        operations({ key: b, role_assignments: [{ role: 'reader' }, { role: 'nobody' }] }),
        404,
        ['operations', 0, 'role_assignments', 1, 'role'],
        b,
      ],
      ['DELETE', `${F}/users`, { idents: [a, a, 'nobody'] }, 404, ['idents', 2], 'nobody'],
      [
        'POST',
        `${F}/tenants`,
        operations({ key: b, name: b }, { key: 'north', name: b }),
        409,
        ['operations', 1],
        'north',
      ],
      ['DELETE', `${F}/tenants`, { idents: ['nobody'] }, 404, ['idents', 0], 'nobody'],
      ['PUT', `${F}/resource_instances`, operations(elsewhere), 400, ['operations', 0], a],
      [
        'DELETE',
        `${F}/resource_instances`,
        { idents: [doc('a'), doc('a'), 'doc:none'] },
        404,
        ['idents', 2],
        'doc:none',
      ],
      [
        'POST',
        '$F/relationship_tuples/bulk',
        operations(tuple('parent'), tuple('none')),
        404,
        ['operations', 1, 'relation'],
        `${doc('a')}/none/${doc('b')}`,
      ],
      [
        'DELETE',
        '$F/relationship_tuples/bulk',
        { idents: [{ ...tuple('parent'), tenant: undefined }] },
        404,
        ['idents', 0],
        `${doc('a')}/parent/${doc('b')}`,
      ],
      [
        'POST',
        '$F/role_assignments/bulk',
        [
          { user: a, role: 'reader', tenant: 'north' },
          { user: a, role: 'none' },
        ],
        404,
        [1, 'role'],
        `${a}/none`,
      ],
      [
        'POST',
        '$F/role_assignments/bulk',
        [
          { user: a, role: 'reader' },
          { user: a, role: 'reader' },
        ],
        409,
        [1],
        `${a}/reader`,
      ],
      [
        'PUT',
        `${S}/roles`,
        operations({ key: b }, { key: a, extends: ['none'] }),
        404,
        ['operations', 1, 'extends', 0],
        a,
      ],
    ]
    const before = revision()
    for (const [method, path, body, status, at, key] of cases) {
      const answer = await api.ask(method, path, body)
      const what = `${method} ${path} ${JSON.stringify(answer.body)}`
      expect([answer.status, answer.body.additional_info?.loc.slice(0, at.length + 1)], what).toEqual([
        status,
        ['body', ...at],
      ])
      const index = at.find((member) => typeof member === 'number')
      expect(answer.body.additional_info, what).toMatchObject({ index, key })
      const list = typeof at[0] === 'number' ? 'body' : at[0]
      expect(answer.body.message, what).toContain(`${list}[${index}] (\`${key}\`): `)
    }
    expect(revision()).toBe(before)
  })

  it('PUT does not read a key as the id of another object', async () => {
    const { id } = (await api.ask('PUT', '$F/users/named', { attributes: { level: 1 } })).body
    const { status, body } = await api.ask('PUT', '$F/bulk/users', { operations: [{ key: id }] })
    expect([status, body.message]).toEqual([409, expect.stringContaining('reads as the id of another user')])
    expect((await api.ask('GET', '$F/users/named')).body.attributes).toEqual({ level: 1 })
  })

  it('PUT replaces those that are there and makes the others', async () => {
    const [a, b] = [named('a'), named('b')]
    const role_assignments = [{ role: 'reader' }]
    await api.ask('POST', '$F/users', { key: a, email: 'a@example.com', first_name: 'A', role_assignments })
    const operations = [
      { key: a, first_name: 'B' },
      { key: b, role_assignments },
    ]
    expect((await api.ask('PUT', '$F/bulk/users', { operations })).body).toEqual({})
    const held = [{ role: 'reader', tenant: 'default' }]
    expect((await api.ask('GET', `$F/users/${a}`)).body).toMatchObject({ email: null, first_name: 'B', roles: held })
    expect((await api.ask('GET', `$F/users/${b}`)).body).toMatchObject({ roles: held })
    const again = revision()
    await api.ask('PUT', '$F/bulk/users', { operations })
    expect(revision()).toBe(again)
  })

  it('a deletion takes ids and keys, each once, and all of them or none', async () => {
    const [a, b] = [named('a'), named('b')]
    const { id } = (await api.ask('POST', '$F/users', { key: a })).body
    await api.ask('POST', '$F/users', { key: b })
    const before = revision()
    expect((await api.ask('DELETE', '$F/bulk/users', { idents: [b, 'nobody'] })).status).toBe(404)
    expect(revision()).toBe(before)
    expect((await api.ask('DELETE', '$F/bulk/users', { idents: [id, b, b] })).status).toBe(200)
    expect(revision()).toBe(before + 1)
  })

  it('tenants come and go with everything in them', async () => {
    const keys = [named('t'), named('s')]
    const made = await api.ask('POST', '$F/bulk/tenants', { operations: keys.map((key) => ({ key, name: key })) })
    expect(made.body).toEqual({})
    const [tenant] = keys
    await api.ask('POST', '$F/users', { key: named('u'), role_assignments: [{ role: 'reader', tenant }] })
    await api.ask('POST', '$F/resource_instances', { key: named('d'), resource: 'doc', tenant })
    expect((await api.ask('DELETE', '$F/bulk/tenants', { idents: keys })).body).toEqual({})
    expect((await api.ask('GET', `$F/resource_instances/doc:${named('d')}`)).status).toBe(404)
    expect((await api.ask('GET', `$F/users/${named('u')}`)).body).toMatchObject({ roles: [], associated_tenants: [] })
  })

  it('instances are put and deleted', async () => {
    const of = (key: string, n: number) => ({ key, resource: 'doc', tenant: 'north', attributes: { n } })
    const [a, b] = [named('a'), named('b')]
    const path = '$F/bulk/resource_instances'
    expect((await api.ask('PUT', path, { operations: [of(a, 1)] })).body).toEqual({})
    expect((await api.ask('PUT', path, { operations: [of(a, 2), of(b, 1)] })).body).toEqual({})
    const { body } = await api.ask('GET', `$F/resource_instances/doc:${a}`)
    expect(body.attributes).toEqual({ n: 2 })
    const moved = await api.ask('PUT', path, { operations: [of(b, 1), { ...of(a, 2), tenant: 'default' }] })
    expect([moved.status, moved.body.error_code]).toEqual([400, 'MISMATCH_RESOURCE_INSTANCES_TENANTS'])
    expect((await api.ask('DELETE', path, { idents: [body.id, `doc:${b}`] })).body).toEqual({})
    expect((await api.ask('GET', `$F/resource_instances/doc:${b}`)).status).toBe(404)
  })

  it('tuples make what is missing once', async () => {
    const tuple = (object: string) => ({ subject: `doc:${named('p')}`, relation: 'parent', object: `doc:${object}` })
    const operations = [named('x'), named('y')].map((object) => ({ ...tuple(object), tenant: 'north' }))
    const path = '$F/relationship_tuples/bulk'
    const before = revision()
    expect((await api.ask('POST', path, { operations })).body).toEqual({})
    expect(revision()).toBe(before + 1)
    expect(await total(`$F/relationship_tuples/detailed?subject=doc:${named('p')}`)).toBe(2)
    expect(
      (await api.ask('POST', path, { operations: [{ ...tuple(named('z')), tenant: 'north' }, operations[0]] })).status,
    ).toBe(409)
    const idents = [tuple(named('x')), tuple(named('y'))]
    expect((await api.ask('DELETE', path, { idents: [idents[0], tuple(named('z'))] })).status).toBe(404)
    expect((await api.ask('DELETE', path, { idents })).body).toEqual({})
    expect(await total(`$F/relationship_tuples/detailed?subject=doc:${named('p')}`)).toBe(0)
  })

  it('assignments come as a bare array, and missing users are refused, skipped or made', async () => {
    const [a, b] = [named('a'), named('b')]
    await api.ask('POST', '$F/users', { key: a })
    const path = '$F/role_assignments/bulk'
    const sent = [
      { user: a, role: 'reader', tenant: 'north' },
      { user: b, role: 'reader', tenant: 'north' },
      { user: b, role: 'editor', tenant: 'north', resource_instance: `doc:${named('i')}` },
    ]
    expect((await api.ask('POST', path, sent)).status).toBe(404)
    expect((await api.ask('POST', `${path}?missing_user_policy=fail`, sent)).status).toBe(404)
    expect((await api.ask('POST', `${path}?missing_user_policy=never`, sent)).body.detail[0].loc).toEqual([
      'query',
      'missing_user_policy',
    ])
    const skipped = await api.ask('POST', `${path}?missing_user_policy=ignore`, sent)
    expect(skipped.body).toEqual({ assignments_created: 1 })
    const made = await api.ask('POST', `${path}?missing_user_policy=create`, sent.slice(1))
    expect(made.body).toEqual({ assignments_created: 2 })
    expect((await api.ask('GET', `$F/users/${b}`)).body.roles).toEqual([{ role: 'reader', tenant: 'north' }])
    expect((await api.ask('POST', path, [{ user: a, role: 'writer' }, sent[0]])).status).toBe(409)
    expect((await api.ask('GET', `$F/users/${a}`)).body.roles).toEqual([{ role: 'reader', tenant: 'north' }])
    const bad = await api.ask('POST', `${path}?missing_user_policy=create`, [{ user: 'a b', role: 'reader' }])
    expect(bad.body.detail[0].loc).toEqual(['body', 0, 'user'])
    const gone = await api.ask('DELETE', path, [
      ...sent,
      { user: 'nobody', role: 'reader' },
      { user: a, role: 'writer' },
    ])
    expect([gone.status, gone.body]).toEqual([200, { assignments_removed: 3 }])
    expect((await api.ask('GET', `$F/users/${b}`)).body.associated_tenants).toEqual([])
  })

  it('the report of a bulk names its revision', async () => {
    const sent = [{ user: named('c'), role: 'reader' }]
    const { headers } = await api.ask('POST', '$F/role_assignments/bulk?missing_user_policy=create', sent)
    expect(headers['x-revision']).toBe(String(revision()))
  })
})
