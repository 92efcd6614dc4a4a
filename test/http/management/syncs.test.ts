// Syncs over HTTP: a name is bound to one source, one run at a time holds it, and a slice changes only what the sync
// claims. What the command does with them is in test/sync.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SYNC_LEASE_MS, SYNC_PROBLEMS_SHOWN, SYNCS_MAX } from '../../../src/model/limits.ts'
import { type Answer, type Harness, joinHarness } from './harness.ts'

let api: Harness
const hex = (digit: string) => digit.repeat(32)
const [SOURCE, RUN, OTHER] = [hex('a'), hex('1'), hex('2')]
const lease = (name: string, body: object = {}) =>
  api.ask('POST', `$F/syncs/${name}/lease`, { source: SOURCE, run: RUN, ...body })
const slice = (name: string, items: readonly object[], run = RUN) =>
  api.ask('POST', `$F/syncs/${name}/slices`, { run, items })
const plan = (name: string, items: readonly object[], more: object = {}) =>
  api.ask('POST', `$F/syncs/${name}/plan`, { items, ...more })
const code = ({ status, body }: Answer) => `${status} ${body?.message ?? body?.detail?.[0]?.msg ?? ''}`
const revision = () => api.store.head(api.environment).revision
const view = () => api.store.view(api.environment)
const user = (key: string, fields: object = {}) => ({ op: 'put', kind: 'user', item: { key, ...fields } })
const give = (key: string, role = 'editor') => ({
  op: 'put',
  kind: 'role_assignment',
  item: { user: key, role, tenant: 'default' },
})
const drop = (kind: string, key: string, more: object = {}) => ({ op: 'drop', kind, key, ...more })

beforeAll(async () => {
  api = await joinHarness()
  await api.ask('POST', '$S/resources', { key: 'doc', actions: { read: {} } })
  await api.ask('POST', '$S/roles', { key: 'editor', permissions: ['doc:read'] })
})
afterAll(() => api.close())

describe('the lease', () => {
  it('binds the name to its source, and one run holds it', async () => {
    const first = await lease('app')
    expect(first.body).toMatchObject({ key: 'app', source: SOURCE, runs: 1, lease: { run: RUN } })
    expect((await lease('app')).body.runs).toBe(1)
    expect(code(await lease('app', { source: hex('b') }))).toContain('409 sync `app` is bound to another source')
    expect(code(await lease('app', { run: OTHER }))).toMatch(/^409 another run holds sync `app` until 2/)
    const before = revision()
    expect(code(await slice('app', [user('ana')], OTHER))).toContain('409 this run does not hold sync `app`')
    expect(code(await api.ask('DELETE', '$F/syncs/app'))).toMatch(/^409 another run holds/)
    expect(revision()).toBe(before)
    const other = await lease('app', { run: OTHER, take_over: true })
    expect([other.body.runs, other.body.lease.run]).toEqual([2, OTHER])
    expect(code(await slice('app', [user('ana')]))).toContain('409 this run does not hold')
    expect((await api.ask('POST', '$F/syncs/app/release', { run: RUN })).body.lease.run).toBe(OTHER)
    expect((await api.ask('POST', '$F/syncs/app/release', { run: OTHER })).body.lease).toBeNull()
    expect(code(await slice('app', [user('ana')], OTHER))).toContain('409 this run does not hold')
  })

  it('ends by itself, a slice renews it, and the name is free for another source once it is deleted', async () => {
    await lease('timed')
    const { until } = (await api.ask('GET', '$F/syncs/timed')).body.lease
    expect(Date.parse(until) - Date.now()).toBeLessThanOrEqual(SYNC_LEASE_MS)
    await slice('timed', [])
    expect(Date.parse((await api.ask('GET', '$F/syncs/timed')).body.lease.until)).toBeGreaterThanOrEqual(
      Date.parse(until),
    )
    await api.ask('POST', '$F/syncs/timed/release', { run: RUN })
    expect((await api.ask('DELETE', '$F/syncs/timed')).status).toBe(204)
    expect((await lease('timed', { source: hex('b') })).body.source).toBe(hex('b'))
    const { data } = (await api.ask('GET', '$F/syncs')).body
    expect(data.map(({ key }: { key: string }) => key)).toContain('timed')
    expect(data[0].facts).toBeUndefined()
    expect((await api.ask('GET', '$F/syncs/timed')).body.facts).toEqual({})
    await slice('timed', [user('counted-a'), user('counted-b'), give('counted-a')])
    // with the role came the membership, which nobody claims
    expect((await api.ask('GET', '$F/syncs/timed')).body.facts).toEqual({ user: 2, role_assignment: 1 })
    await slice('timed', [drop('user', 'counted-b'), drop('user', 'counted-a', { on_gone: 'delete' })])
  })

  it.each([
    ['hand', {}, '422 claim key `hand` is reserved'],
    ['a.b', {}, '422 invalid claim key `a.b`'],
    ['odd', { source: 'x' }, '422'],
    ['odd', { run: 'X'.repeat(32) }, '422'],
    ['odd', { more: 1 }, '422 extra fields not permitted'],
  ])('%s with %j is refused', async (name, body, says) => {
    expect(code(await lease(name, body))).toContain(says)
  })

  it('a hundred syncs are the most', async () => {
    const count = view().count('sync')
    for (let n = count; n < SYNCS_MAX; n++) expect((await lease(`s${n}`)).status).toBe(200)
    expect(code(await lease('one-more'))).toContain('422 the syncs of the environment would exceed the limit of 100')
    for (let n = count; n < SYNCS_MAX; n++) {
      await api.ask('POST', `$F/syncs/s${n}/release`, { run: RUN })
      await api.ask('DELETE', `$F/syncs/s${n}`)
    }
  })
})

describe('a slice', () => {
  beforeAll(async () => {
    await api.ask('POST', '$F/users', { key: 'eve' })
    await api.ask('POST', '$F/role_assignments', { user: 'eve', role: 'editor', tenant: 'default' })
    await lease('hr')
  })

  it('writes and drops only what the sync claims, in one revision, and says what was refused', async () => {
    const before = revision()
    const { status, body } = await slice('hr', [
      user('cyd', { email: 'c@acme.test' }),
      user('dan'),
      user('eve', { email: 'e@acme.test' }),
      give('cyd'),
      give('eve'),
      give('nobody-here'),
    ])
    expect([status, body.counts.created, body.counts.blocked, revision() - before]).toEqual([200, 5, 1, 1])
    expect(body.problems).toEqual([
      {
        ...{ op: 'put', kind: 'role_assignment', key: 'nobody-here/editor/default' },
        ...{ code: 'OBJECT_NOT_FOUND', reason: expect.any(String) },
      },
    ])
    const gone = await slice('hr', [
      drop('role_assignment', 'eve/editor/default'),
      drop('role_assignment', 'cyd/editor/default'),
      drop('user', 'eve'),
    ])
    expect(gone.body.counts).toMatchObject({ kept: 2, deleted: 1 })
    expect(gone.body.removed).toMatchObject({ role_assignment: 1 })
    expect(view().get('role_assignment', 'eve/editor/default')).toBeDefined()
    expect(view().get('user', 'eve')).toBeDefined()
  })

  it('a user on whom facts of others hang stays, is suspended, or goes with them, as it says', async () => {
    const make = async (key: string) => {
      await slice('hr', [user(key)])
      await api.ask('POST', '$F/role_assignments', { user: key, role: 'editor', tenant: 'default' })
    }
    for (const key of ['kay', 'sue', 'del']) await make(key)
    const { body } = await slice('hr', [
      drop('user', 'kay'),
      drop('user', 'sue', { on_gone: 'suspend' }),
      drop('user', 'del', { on_gone: 'delete' }),
    ])
    expect(body.counts).toMatchObject({ blocked: 2, deleted: 1 })
    expect(body.removed).toMatchObject({ user: 1, role_assignment: 1 })
    const blocking = [{ kind: 'role_assignment', key: 'kay/editor/default', claims: ['hand'] }]
    expect(body.problems[0]).toMatchObject({
      op: 'drop',
      kind: 'user',
      key: 'kay',
      blocking,
      blocking_total: expect.any(Number),
    })
    expect(view().get('user', 'kay')?.suspension).toBeUndefined()
    expect(view().get('user', 'sue')?.suspension?.reason).toBe('it has no row in sync hr any more')
    expect(view().get('user', 'del')).toBeUndefined()
  })

  it('is planned without being written, with who gains and loses', async () => {
    const before = revision()
    const { body } = await plan('hr', [user('fay'), give('fay'), give('dan')])
    expect(body.counts.created).toBe(3)
    expect(body.access.gained).toMatchObject({ users: 2 })
    expect(body.revision).toBe(before)
    const short = await plan('hr', [give('dan')], { access: false })
    expect([short.body.counts.created, short.body.access]).toEqual([1, undefined])
    expect(revision()).toBe(before)
    expect((await plan('not-yet', [user('fay')])).body.counts.created).toBe(1)
  })

  it('shows the first problems, and counts all', async () => {
    const { body } = await plan(
      'hr',
      Array.from({ length: SYNC_PROBLEMS_SHOWN + 5 }, (_, n) => give(`none-${n}`)),
      { access: false },
    )
    expect([body.problems.length, body.counts.blocked]).toEqual([SYNC_PROBLEMS_SHOWN, SYNC_PROBLEMS_SHOWN + 5])
  })

  it.each([
    [{ op: 'put', kind: 'user' }, 'field required'],
    [{ op: 'drop', kind: 'user' }, 'field required'],
    [{ op: 'drop', kind: 'user', key: 'ana', item: {} }, 'a drop has no item'],
    [{ op: 'put', kind: 'user', item: { key: 'ana' }, key: 'ana' }, 'the item names the fact'],
    [{ op: 'put', kind: 'user', item: { key: 'ana' }, on_gone: 'keep' }, 'only a drop has it'],
    [{ op: 'drop', kind: 'role_assignment', key: 'x', on_gone: 'delete' }, 'only users, tenants and instances have it'],
    [{ op: 'drop', kind: 'tenant', key: 'x', on_gone: 'suspend' }, 'only users can be suspended'],
    [{ op: 'put', kind: 'user', item: { key: 'ana', role_assignments: [] } }, 'roles are items of their own'],
    [{ op: 'put', kind: 'user', item: { key: 1 } }, 'value is not a valid string'],
    [{ op: 'put', kind: 'role', item: { key: 'ana' } }, 'permitted'],
    [{ op: 'move', kind: 'user', item: { key: 'ana' } }, 'permitted'],
  ])('%j is refused as a whole', async (item, says) => {
    const before = revision()
    const answer = await slice('hr', [user('gil'), item])
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([422, expect.stringContaining(says)])
    expect((await plan('hr', [item])).status).toBe(422)
    expect(revision()).toBe(before)
  })

  it('is carried out once for its idempotency key', async () => {
    const headers = { 'idempotency-key': 'slice-1' }
    const body = { run: RUN, items: [user('hal')] }
    const first = await api.ask('POST', '$F/syncs/hr/slices', body, { headers })
    const before = revision()
    const again = await api.ask('POST', '$F/syncs/hr/slices', body, { headers })
    expect([again.body, revision()]).toEqual([first.body, before])
  })
})
