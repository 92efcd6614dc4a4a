// Lists of what was granted for a time (D15): each state, each filter, every page and every total, held against what was
// written. There are more rows than a list looks at one by one, so that what it leaves out is found by the indexes.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SCAN_ROWS_PER_TURN } from '../../../src/model/limits.ts'
import { type Ask, type Harness, joinHarness } from './harness.ts'

const HOUR = 3_600_000
const ENVIRONMENT = '/v2/projects/default/envs/development'
const USERS = SCAN_ROWS_PER_TURN + 300
/** of a page */
const ROWS = 40

type State = 'scheduled' | 'in_force' | 'ended'
const NOW = Date.now()
const TIMES: readonly (readonly [State, object])[] = [
  ['in_force', {}],
  ['ended', { valid_until: NOW - HOUR }],
  ['in_force', { valid_until: NOW + 48 * HOUR }],
  ['scheduled', { valid_from: NOW + HOUR }],
  ['ended', { valid_from: 5, valid_until: NOW - 1 }],
  ['scheduled', { valid_from: NOW + HOUR, valid_until: NOW + 24 * HOUR }],
  ['in_force', { valid_from: 5, valid_until: NOW + 72 * HOUR }],
]
const key = (at: number): string => `u${String(at).padStart(4, '0')}`
/** What a user has: every 50th is in the tenant on its own account, every 7th has a second role. */
const users = Array.from({ length: USERS }, (_, at) => {
  const [state, times] = TIMES[(Math.imul(at, 2_654_435_761) >>> 8) % TIMES.length]!
  return { key: key(at), state, times, isPut: at % 50 === 0, hasSecond: at % 7 === 0 }
})

let api: Harness
let ask: Ask
beforeAll(async () => {
  api = await joinHarness()
  ask = api.ask
  const policy = {
    zerohop: 2,
    resources: [{ key: 'doc', actions: { read: {} }, relations: { parent: 'doc' }, roles: { owner: {} } }],
    roles: [{ key: 'editor' }, { key: 'viewer' }],
    tenants: [{ key: 'big' }, { key: 'small' }],
  }
  expect((await ask('POST', `${ENVIRONMENT}/apply`, { policy })).status).toBe(200)
  for (let from = 0; from < USERS; from += 1000) {
    const operations = users.slice(from, from + 1000).map(({ key, times, hasSecond }) => ({
      key,
      role_assignments: [
        { role: 'editor', tenant: 'big', ...times },
        ...(hasSecond ? [{ role: 'viewer', tenant: 'big', valid_until: NOW - 5 }] : []),
      ],
    }))
    expect((await ask('POST', '$F/bulk/users', { operations })).status).toBe(200)
  }
  for (const { key, isPut } of users) if (isPut) await ask('POST', '$F/tenants/big/users', { key })
  const instances = users.map(({ key }) => ({ key, resource: 'doc', tenant: 'big' }))
  expect((await ask('PUT', '$F/bulk/resource_instances', { operations: instances })).status).toBe(200)
  for (let from = 0; from < USERS; from += 1000) {
    const operations = users
      .slice(from, from + 1000)
      .map(({ key, times }) => ({ subject: 'doc:u0000', relation: 'parent', object: `doc:${key}`, ...times }))
    expect((await ask('POST', '$F/relationship_tuples/bulk', { operations })).status).toBe(200)
  }
}, 60_000)
afterAll(() => api.close())

const QUERIES: readonly (readonly [string, readonly State[]])[] = [
  ['', ['scheduled', 'in_force']],
  ['state=in_force', ['in_force']],
  ['state=ended', ['ended']],
  ['state=scheduled', ['scheduled']],
  ['state=scheduled&state=ended', ['scheduled', 'ended']],
  ['state=in_force&state=ended', ['in_force', 'ended']],
  ['state=scheduled&state=in_force&state=ended', ['scheduled', 'in_force', 'ended']],
]

/** Pages of a list in its middle and at its end, with the total. */
async function pages(path: string, query: string, expected: readonly string[], readName: (row: never) => string) {
  const last = Math.max(1, Math.ceil(expected.length / ROWS))
  for (const page of new Set([Math.ceil(last / 2), last])) {
    const wanted = expected.slice((page - 1) * ROWS, page * ROWS)
    const url = `${path}${path.includes('?') ? '&' : '?'}${query}&per_page=${ROWS}&page=${page}`
    const counted = await ask('GET', `${url}&include_total_count=true`)
    expect(counted.status).toBe(200)
    expect({ url, rows: counted.body.data.map(readName) }).toEqual({ url, rows: wanted })
    expect({ url, total: counted.body.total_count }).toEqual({ url, total: expected.length })
  }
}

describe.each(QUERIES)('with `%s`', (query, states) => {
  const isShown = ({ state }: { readonly state: State }) => states.includes(state)

  it('role assignments', async () => {
    const editors = users.filter(isShown).map(({ key }) => key)
    const readName = ({ user }: { readonly user: string }) => user
    await pages('$F/role_assignments?role=editor', query, editors, readName)
    await pages('$F/role_assignments?role=editor&tenant=big', query, editors, readName)
    const all = users.flatMap((one) => [
      ...(isShown(one) ? [`${one.key} editor`] : []),
      ...(one.hasSecond && states.includes('ended') ? [`${one.key} viewer`] : []),
    ])
    const withRole = ({ user, role }: { readonly user: string; readonly role: string }) => `${user} ${role}`
    await pages('$F/role_assignments', query, all, withRole)
    await pages('$F/role_assignments?tenant=big', query, all, withRole)
    await pages(
      `$F/role_assignments?user=${key(0)}&user=${key(1)}&user=${key(7)}`,
      query,
      all.filter((name) => /^u000[017] /.test(name)),
      withRole,
    )
    await pages('$F/role_assignments?tenant=small', query, [], withRole)
  })

  it('relationship tuples', async () => {
    const shown = users.filter(isShown).map(({ key }) => `doc:${key}`)
    const readName = ({ object }: { readonly object: string }) => object
    await pages('$F/relationship_tuples', query, shown, readName)
    await pages('$F/relationship_tuples?subject=doc:u0000', query, shown, readName)
    await pages('$F/relationship_tuples?tenant=big&relation=parent', query, shown, readName)
    await pages(
      '$F/relationship_tuples?object=doc:u0001',
      query,
      shown.filter((name) => name === 'doc:u0001'),
      readName,
    )
  })

  it('users of a tenant, with and without a role, and users with a role', async () => {
    const readName = ({ key }: { readonly key: string }) => key
    const editors = users.filter(isShown).map(({ key }) => key)
    const members = users
      .filter(
        (one) =>
          isShown(one) || (one.hasSecond && states.includes('ended')) || (one.isPut && states.includes('in_force')),
      )
      .map(({ key }) => key)
    await pages('$F/tenants/big/users', query, members, readName)
    await pages(
      '$F/tenants/big/users?search=u00',
      query,
      members.filter((key) => key.includes('u00')),
      readName,
    )
    await pages('$F/tenants/big/users?role=editor', query, editors, readName)
    await pages(
      '$F/tenants/big/users?role=editor&search=u00',
      query,
      editors.filter((key) => key.includes('u00')),
      readName,
    )
    await pages('$F/users?role=editor', query, editors, readName)
    await pages(
      '$F/users?role=editor&search=u00',
      query,
      editors.filter((key) => key.includes('u00')),
      readName,
    )
    await pages(
      '$F/users',
      query,
      users.map(({ key }) => key),
      readName,
    )
  })

  it('the roles of a user', async () => {
    for (const { key, state, times, hasSecond, isPut } of users.slice(0, 60)) {
      const { body } = await ask('GET', `$F/users/${key}?${query}`)
      const printed = Object.entries(times).map(([name, ms]) => [
        name,
        new Date(ms as number).toISOString().replace('Z', '+00:00'),
      ])
      const roles = [
        ...(states.includes(state) ? [{ role: 'editor', tenant: 'big', ...Object.fromEntries(printed) }] : []),
        ...(hasSecond && states.includes('ended')
          ? [{ role: 'viewer', tenant: 'big', valid_until: new Date(NOW - 5).toISOString().replace('Z', '+00:00') }]
          : []),
      ]
      expect(body.roles).toEqual(roles)
      const isMember = roles.length > 0 || (isPut && states.includes('in_force'))
      expect(body.associated_tenants.map(({ tenant }: { readonly tenant: string }) => tenant)).toEqual(
        isMember ? ['big'] : [],
      )
    }
  })
})

describe('ending_before', () => {
  const readName = ({ user }: { readonly user: string }) => user
  const readEnd = ({ times }: (typeof users)[number]) => (times as { readonly valid_until?: number }).valid_until
  const ending = (from: number, to: number) =>
    users
      .filter((one) => (readEnd(one) ?? Number.POSITIVE_INFINITY) < to && (readEnd(one) ?? 0) >= from)
      .toSorted((one, other) => readEnd(one)! - readEnd(other)!)
      .map(({ key }) => key)

  it('lists what ends, the first one first, and nothing that has ended', async () => {
    const until = NOW + 60 * HOUR
    await pages('$F/role_assignments?role=editor', `ending_before=${until}`, ending(NOW + 1, until), readName)
    const text = encodeURIComponent(new Date(until).toISOString())
    await pages('$F/role_assignments?role=editor&tenant=big', `ending_before=${text}`, ending(NOW + 1, until), readName)
  })

  it('goes with a state', async () => {
    const until = NOW + 60 * HOUR
    const ended = `state=ended&role=editor&ending_before=${until}`
    await pages('$F/role_assignments', ended, ending(0, NOW), readName)
    const scheduled = users.filter(({ state }) => state === 'scheduled').map(({ key }) => key)
    const expected = ending(NOW + 1, until).filter((key) => scheduled.includes(key))
    await pages('$F/role_assignments?role=editor', `state=scheduled&ending_before=${until}`, expected, readName)
    const objects = ending(NOW + 1, until).map((key) => `doc:${key}`)
    await pages(
      '$F/relationship_tuples',
      `ending_before=${until}`,
      objects,
      ({ object }: { readonly object: string }) => object,
    )
  })

  it('is an instant, and a state is one of three', async () => {
    for (const query of [
      'ending_before=tomorrow',
      'ending_before=2031-01-01',
      'ending_before=2031-01-01T00:00:00',
      'state=gone',
      'state=in_force&state=over',
    ]) {
      const { status, body } = await ask('GET', `$F/role_assignments?${query}`)
      expect({ query, status, loc: body.detail?.[0]?.loc }).toEqual({
        query,
        status: 422,
        loc: ['query', query.split('=')[0]],
      })
    }
  })
})

describe('groups and instances', () => {
  it('show members, roles and relationships that have not ended', async () => {
    const group = { group_instance_key: 'ops', group_tenant: 'big' }
    await ask('POST', '$S/groups', group)
    const add = (user: string, times: object) => ask('PUT', `$S/groups/ops/users/${user}`, { tenant: 'big', ...times })
    for (const [at, [, times]] of TIMES.entries()) expect((await add(key(at), times)).status).toBe(200)
    const members = async (query: string) =>
      (await ask('GET', `$S/groups/ops/users?${query}`)).body.data.map((user: { readonly key: string }) => user.key)
    const inState = (...states: State[]) => TIMES.flatMap(([state], at) => (states.includes(state) ? [key(at)] : []))
    expect(await members('')).toEqual(inState('scheduled', 'in_force'))
    expect(await members('state=ended')).toEqual(inState('ended'))
    const { body } = await ask('GET', '$S/groups/ops')
    expect(body.users).toHaveLength(inState('scheduled', 'in_force').length)
    const role = { role: 'owner', resource: 'doc', resource_instance: 'doc:u0003', tenant: 'big' }
    await ask('POST', '$S/groups/ops/roles', { ...role, valid_until: NOW + HOUR })
    await ask('POST', '$S/groups/ops/roles', { ...role, resource_instance: 'doc:u0004', valid_until: 9 })
    const roles = (await ask('GET', '$S/groups/ops/roles')).body.data
    expect(roles).toHaveLength(1)
    expect(roles[0]).toMatchObject({
      key: 'owner',
      valid_until: new Date(NOW + HOUR).toISOString().replace('Z', '+00:00'),
    })
    expect((await ask('GET', '$S/groups/ops')).body.assigned_roles).toEqual(['group:ops#member', 'doc:u0003#owner'])
    for (const { key: instance, state } of users.slice(1, 12)) {
      const { relationships } = (await ask('GET', `$F/resource_instances/doc:${instance}?detailed=true`)).body
      const [granted] = relationships.filter(({ relation }: { readonly relation: string }) => relation === 'parent')
      expect([instance, granted === undefined]).toEqual([instance, state === 'ended'])
    }
  })
})

describe('the first version', () => {
  it('shows what has not ended', async () => {
    const options = { key: api.made.environments[0]!.secret }
    for (const { key, state, hasSecond, isPut } of users.slice(0, 20)) {
      const { body } = await ask('GET', `/v1/role_assignments?user=${key}`, undefined, options)
      expect(body.data.map(({ role }: { readonly role: { readonly name: string } }) => role.name)).toEqual(
        state === 'ended' ? [] : ['editor'],
      )
      const user = await ask('GET', `/v1/users/${key}`, undefined, options)
      expect([key, hasSecond, user.body.tenantIds]).toEqual([
        key,
        hasSecond,
        state === 'ended' && !isPut ? [] : ['big'],
      ])
    }
  })
})
