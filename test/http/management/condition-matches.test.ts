// Who or what a condition set matches, stored and as it is sent: the answers are those of checks that a set rule
// decides.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Harness, joinHarness } from './harness.ts'

let api: Harness
const MATCHES = '/v2/projects/default/envs/development/condition-matches'

const ask = async (body: object) => {
  const { status, body: found, headers } = await api.ask('POST', MATCHES, body)
  expect(found, JSON.stringify(found)).toMatchObject({ revision: Number(headers['x-revision']) })
  expect(status).toBe(200)
  return found
}
const listKeys = ({ matches }: { readonly matches: readonly { readonly key: string }[] }) =>
  matches.map(({ key }) => key)
const refused = async (body: object) => {
  const { status, body: error } = await api.ask('POST', MATCHES, body)
  return [status, error.detail?.[0]?.loc ?? error.error_code]
}

beforeAll(async () => {
  api = await joinHarness()
  const write = async (path: string, body: unknown) => {
    const { status, body: answer } = await api.ask('POST', path, body)
    expect(status, JSON.stringify(answer)).toBeLessThan(300)
  }
  const attributes = { amount: { type: 'number' }, owner: { type: 'string' } }
  await write('$S/resources', { key: 'invoice', name: 'Invoice', actions: { read: {} }, attributes })
  await write('$S/resources', { key: 'note', name: 'Note', actions: {} })
  await write('$S/roles', { key: 'clerk', name: 'Clerk', permissions: [] })
  await write('$F/tenants', { key: 'acme', name: 'Acme' })
  for (const [key, level] of [
    ['ana', 5],
    ['ben', 2],
    ['cleo', undefined],
    ['dan', 9],
  ] as const)
    await write('$F/users', { key, attributes: level === undefined ? {} : { level } })
  await write('$F/role_assignments', { user: 'ben', role: 'clerk', tenant: 'acme' })
  for (const [key, amount, owner, tenant] of [
    ['i1', 10, 'ana', 'acme'],
    ['i2', 200, 'ben', 'acme'],
    ['i3', 3000, 'ana', 'default'],
  ] as const)
    await write('$F/resource_instances', { resource: 'invoice', key, tenant, attributes: { amount, owner } })
  await write('$S/condition_sets', { key: 'seniors', conditions: { 'user.level': { 'greater-than': 3 } } })
  const large = { 'resource.amount': { 'greater-than': 100 } }
  await write('$S/condition_sets', { key: 'large', type: 'resourceset', resource_id: 'invoice', conditions: large })
})
afterAll(() => api.close())

describe('the users whom a user set matches', () => {
  it('are those of the stored set, and of the conditions that are sent', async () => {
    const revision = api.store.head(api.environment).revision
    const sent = { 'user.level': { 'less-than': 9 } }
    expect(await ask({ set: 'seniors', conditions: sent })).toEqual({
      revision,
      of: 'users',
      matches: [
        { key: 'ana', stored: 'match', sent: 'match' },
        { key: 'ben', stored: 'no_match', sent: 'match' },
        { key: 'dan', stored: 'match', sent: 'no_match' },
      ],
      examined: 4,
      next: null,
    })
    expect(listKeys(await ask({ set: 'seniors', conditions: sent, only_different: true }))).toEqual(['ben', 'dan'])
    expect(api.store.head(api.environment).revision).toBe(revision) // nothing is written
  })

  it('[D7] lack a user whose attribute is missing, and have them under `not`', async () => {
    const conditions = { 'user.level': { 'greater-than': 3 } }
    const rows = (keys: readonly string[]) => keys.map((key) => ({ key, stored: null, sent: 'match' }))
    expect((await ask({ conditions })).matches).toEqual(rows(['ana', 'dan']))
    expect((await ask({ conditions: { not: conditions } })).matches).toEqual(rows(['ben', 'cleo']))
  })

  it('[D6] depend on the parent, the tenant, the resource and the context', async () => {
    const conditions = { 'user.level': { 'less-than': 9 } }
    expect(listKeys(await ask({ conditions, parent_id: 'seniors' }))).toEqual(['ana'])
    const clerks = { 'user.roles': { array_contains: 'clerk' } }
    expect(listKeys(await ask({ conditions: clerks, tenant: 'acme' }))).toEqual(['ben'])
    expect(listKeys(await ask({ conditions: clerks }))).toEqual([])
    const owners = { 'user.key': { equals: { ref: 'resource.owner' } } }
    expect(listKeys(await ask({ conditions: owners, resource: 'invoice:i2' }))).toEqual(['ben'])
    expect(listKeys(await ask({ conditions: owners, resource: 'invoice' }))).toEqual([])
    const late = { 'context.now': { 'greater-than': '2030-01-01' } }
    expect(listKeys(await ask({ conditions: late, context: { now: '2031-01-01' } }))).toHaveLength(4)
    expect(listKeys(await ask({ conditions: late, context: { now: '2029-01-01' } }))).toEqual([])
  })

  it('come in pages', async () => {
    const first = await ask({ conditions: {}, limit: 3 })
    expect([listKeys(first), first.next]).toEqual([['ana', 'ben', 'cleo'], 'cleo'])
    const second = await ask({ conditions: {}, limit: 3, after: first.next })
    expect([listKeys(second), second.next]).toEqual([['dan'], null])
  })
})

describe('the instances that a resource set matches', () => {
  it('are those of its type, each in its own tenant', async () => {
    const mine = { 'resource.owner': { equals: { ref: 'user.key' } } }
    expect(await ask({ set: 'large', conditions: mine, user: 'ana' })).toMatchObject({
      of: 'instances',
      matches: [
        { key: 'i1', stored: 'no_match', sent: 'match' },
        { key: 'i2', stored: 'match', sent: 'no_match' },
        { key: 'i3', stored: 'match', sent: 'match' },
      ],
      examined: 3,
    })
    expect(listKeys(await ask({ set: 'large', tenant: 'acme' }))).toEqual(['i2'])
    const page = await ask({ set: 'large', limit: 1 })
    expect([listKeys(page), page.next]).toEqual([['i2'], 'i2'])
    expect(listKeys(await ask({ set: 'large', limit: 1, after: 'i2' }))).toEqual(['i3'])
  })

  it('are asked about nobody without a user, also of a type without actions', async () => {
    const levels = { 'user.level': { 'greater-than': 0 } }
    const of = { type: 'resourceset', resource_id: 'invoice' }
    expect(listKeys(await ask({ ...of, conditions: levels }))).toEqual([])
    expect(listKeys(await ask({ ...of, conditions: { not: levels } }))).toEqual(['i1', 'i2', 'i3'])
    expect(await ask({ ...of, resource_id: 'note', conditions: {} })).toMatchObject({ matches: [], examined: 0 })
  })
})

it('conditions that could not be stored are refused with their place, and so are names that do not exist', async () => {
  const conditions = { allOf: [{ 'user.level': { above: 3 } }] }
  expect(await refused({ conditions })).toEqual([422, ['body', 'conditions', 'allOf', 0, 'user.level', 'above']])
  expect((await refused({}))[0]).toBe(422)
  for (const missing of [
    { set: 'nobody' },
    { set: 'seniors', tenant: 'nowhere' },
    { set: 'seniors', resource: 'nothing' },
    { set: 'large', user: 'nobody' },
  ])
    expect((await refused(missing))[0]).toBe(404)
  expect((await refused({ set: 'large', resource: 'invoice' }))[0]).toBe(422)
  expect((await refused({ set: 'seniors', user: 'ana' }))[0]).toBe(422)
  const undeclared = {
    type: 'resourceset',
    resource_id: 'invoice',
    conditions: { 'resource.colour': { equals: 'red' } },
  }
  expect((await refused(undeclared))[0]).toBe(400)
})
