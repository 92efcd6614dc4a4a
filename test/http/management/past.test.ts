// Questions to an environment as it was: check and explain of the management API with `at`.
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Harness, joinHarness, TIME } from './harness.ts'

let api: Harness
const ASK = '/v2/projects/default/envs/development'
const QUESTION = { user: 'ana', action: 'read', resource: { type: 'doc', tenant: 'default' } }
/** revision before and after ana lost the role, and instants at which each was in force */
const before = { revision: 0, instant: '' }
const after = { revision: 0, instant: '' }
const write = async (method: 'POST' | 'DELETE', path: string, body: unknown) => {
  const { status, headers } = await api.ask(method, path, body)
  expect(status).toBeLessThan(300)
  return Number(headers['x-revision'])
}

beforeAll(async () => {
  api = await joinHarness()
  await write('POST', '$S/resources', { key: 'doc', name: 'Doc', actions: { read: {} } })
  await write('POST', '$S/roles', { key: 'reader', name: 'Reader', permissions: ['doc:read'] })
  await write('POST', '$F/users', { key: 'ana' })
  const assignment = { user: 'ana', role: 'reader', tenant: 'default' }
  await write('POST', '$F/role_assignments', assignment)
  before.revision = api.store.head(api.environment).revision
  await pause(5)
  before.instant = new Date().toISOString()
  await pause(5)
  await write('DELETE', '$F/role_assignments', assignment)
  await write('POST', '$F/users', { key: 'ben' })
  after.revision = api.store.head(api.environment).revision
  await pause(5)
  after.instant = new Date().toISOString()
})
afterAll(() => api.close())

const check = async (at?: unknown, question: object = QUESTION) =>
  (await api.ask('POST', `${ASK}/check`, { ...question, at })).body

describe('a question with `at`', () => {
  it('is answered by the revision that it names, or that was in force at an instant', async () => {
    for (const at of [before.revision, String(before.revision), before.instant])
      expect(await check(at)).toMatchObject({ allow: true, revision: before.revision, revision_at: TIME })
    for (const at of [after.revision, after.instant, undefined, null])
      expect(await check(at)).toMatchObject({ allow: false, revision: after.revision })
  })

  it('[D9] is refused with half of a surrogate pair in an attribute that no rule reads', async () => {
    const sent = { ...QUESTION, context: { x: '\ud800' } }
    for (const path of ['check', 'explain', 'user-permissions', 'authorized-users']) {
      const { status, body } = await api.ask('POST', `${ASK}/${path}`, { ...sent, at: before.revision })
      expect([path, status, body.detail[0].loc]).toEqual([path, 422, ['body', 'context', 'x']])
    }
  })

  it('is explained as it was then', async () => {
    const { status, body, headers } = await api.ask('POST', `${ASK}/explain`, { ...QUESTION, at: before.revision })
    expect([status, headers['x-revision']]).toEqual([200, String(before.revision)])
    expect(body).toMatchObject({ allow: true, tenant: 'default', reason: 'rbac', code: 'allow', roles: ['reader'] })
    expect(body.because).toEqual([
      { source: 'rbac', role: 'reader', tenant: 'default', permission: 'doc:read', path: ['reader'] },
    ])
    expect(body.why.tree).toMatchObject({
      outcome: 'allow',
      children: [{ text: 'ana has role reader in tenant default, which has doc:read', outcome: 'met' }],
    })
    const now = await api.ask('POST', `${ASK}/explain`, QUESTION)
    expect(now.body).toMatchObject({ allow: false, reason: 'no_user_roles', because: [], roles: [] })
  })

  it('sees the time of that moment, unless it sends another', async () => {
    const instant = Date.parse(before.instant)
    expect(await check(before.instant)).toMatchObject({ now: instant })
    const atRevision = await check(before.revision)
    expect(Date.parse(atRevision.revision_at)).toBe(atRevision.now)
    expect(await check(before.instant, { ...QUESTION, context: { now: 5 } })).toMatchObject({ now: 5 })
    expect(await check(before.instant, { ...QUESTION, context: { now: 'soon' } })).toMatchObject({ now: null })
    const present = await check()
    expect(Math.abs(present.now - Date.now())).toBeLessThan(60_000)
  })

  it('takes keys, and everything that a check of a PDP takes', async () => {
    const full = {
      user: { key: 'ana', attributes: { level: 3 } },
      action: 'read',
      resource: { type: 'doc', key: 'one', tenant: 'default', attributes: {}, relations: { parent: ['folder:f'] } },
      context: { ip: '10.0.0.1' },
    }
    expect(await check(before.revision, full)).toMatchObject({ allow: true })
    expect(await check(before.revision, { ...QUESTION, resource: 'doc' })).toMatchObject({ allow: true })
  })

  it('that cannot be is refused with the reason', async () => {
    const refused = async (body: object) => {
      const answer = await api.ask('POST', `${ASK}/explain`, { ...QUESTION, ...body })
      return [answer.status, answer.body.message ?? answer.body.detail?.[0]?.msg]
    }
    expect(await refused({ at: after.revision + 1 })).toEqual([
      404,
      expect.stringContaining(`revision ${after.revision + 1} does not exist: the environment is at ${after.revision}`),
    ])
    expect((await refused({ at: 'yesterday' }))[0]).toBe(422)
    expect((await refused({ at: '1999-01-01' }))[0]).toBe(410)
    expect((await refused({ user: 7 }))[0]).toBe(422)
  })

  it('is an environment as a policy file, by a revision or an instant', async () => {
    const exported = async (query: string) => api.ask('GET', `${ASK}/export${query}`)
    for (const at of [before.revision, before.instant]) {
      const { status, headers, body } = await exported(`?facts=true&at=${encodeURIComponent(at)}`)
      expect([status, headers['x-revision']]).toEqual([200, String(before.revision)])
      expect(body.role_assignments).toEqual([{ user: 'ana', role: 'reader', tenant: 'default' }])
    }
    expect((await exported(`?at=${before.revision}`)).body).not.toHaveProperty('users')
    expect((await exported(`?facts=true&at=${after.revision}`)).body).toEqual((await exported('?facts=true')).body)
    const refused = await Promise.all(['9999', 'soon', '1999-01-01'].map((at) => exported(`?at=${at}`)))
    expect(refused.map(({ status }) => status)).toEqual([404, 422, 410])
  })

  it('lists what a user may do, and who may do something', async () => {
    const ask = async (path: string, body: object) => (await api.ask('POST', `${ASK}/${path}`, body)).body
    const held = { roles: ['reader'], permissions: ['doc:read'] }
    const then = await ask('user-permissions', { user: 'ana', at: before.revision })
    expect(then).toEqual({
      ...{
        revision: before.revision,
        revision_at: TIME,
        tenants: [{ tenant: 'default', ...held }],
        instances: [],
        next: null,
      },
    })
    const page = await ask('user-permissions', { user: 'ana', at: before.revision, limit: 1 })
    expect(page).toEqual(then)
    expect(await ask('user-permissions', { user: 'ana', tenants: ['other'], at: before.revision })).toMatchObject({
      tenants: [],
    })
    expect(await ask('user-permissions', { user: 'ana' })).toMatchObject({ revision: after.revision, tenants: [] })

    const who = { action: 'read', resource: { type: 'doc', tenant: 'default' } }
    const allowed = await ask('authorized-users', { ...who, at: before.instant })
    const because = [{ source: 'rbac', role: 'reader', tenant: 'default', permission: 'doc:read', path: ['reader'] }]
    expect(allowed).toMatchObject({ revision: before.revision, users: [{ user: 'ana', because }], next: null })
    expect(await ask('authorized-users', who)).toMatchObject({ users: [], next: null })
    const refused = await api.ask('POST', `${ASK}/authorized-users`, { ...who, limit: 101 })
    expect([refused.status, refused.body.detail[0].loc]).toEqual([422, ['body', 'limit']])
  })

  it('needs read access to the environment', async () => {
    await api.addKey('env', 'read', 'r'.repeat(40))
    await api.addKey('env', 'no_access', 'n'.repeat(40))
    const status = async (key: string | null) => (await api.ask('POST', `${ASK}/check`, QUESTION, { key })).status
    expect([await status('r'.repeat(40)), await status('n'.repeat(40)), await status(null)]).toEqual([200, 403, 401])
  })

  it('can be about what a revision changed, field by field', async () => {
    const created = await write('POST', '$S/roles', { key: 'writer', name: 'Writer', permissions: [] })
    const changed = await write('POST', '$S/roles/writer/permissions', { permissions: ['doc:read'] })
    const removed = await write('DELETE', '$S/roles/writer', undefined)
    const read = async (revision: number) => {
      const { status, body } = await api.ask('GET', `${ASK}/revisions/${revision}`)
      expect(status).toBe(200)
      return body
    }
    const one = (op: string, fields: object) => [
      { op, kind: 'role', key: 'writer', fields: expect.objectContaining(fields) },
    ]
    const first = await read(created)
    expect(first.changes).toEqual(one('create', { name: [null, 'Writer'] }))
    expect(first).toMatchObject({ revision: created, at: TIME, operation: 'createRole', method: 'POST', others: 0 })
    const permissions = [null, ['doc:read']]
    expect((await read(changed)).changes).toEqual([
      { op: 'update', kind: 'role', key: 'writer', fields: { permissions } },
    ])
    expect((await read(removed)).changes).toEqual(one('delete', { permissions: [['doc:read'], null] }))
    expect((await api.ask('GET', `${ASK}/revisions/${removed + 1}`)).status).toBe(404)
    expect((await api.ask('GET', `${ASK}/revisions/first`)).status).toBe(404)
  })

  it('lists users in pages, which together are all of them', async () => {
    const users = ['u1', 'u2', 'u3'].map((user) => ({ user, role: 'reader', tenant: 'default' }))
    await write('POST', '$F/role_assignments/bulk?missing_user_policy=create', users)
    const found: string[] = []
    let after: string | null = null
    do {
      const body: object = { action: 'read', resource: { type: 'doc', tenant: 'default' }, limit: 2, after }
      const { body: page } = await api.ask('POST', `${ASK}/authorized-users`, body)
      expect(page.users.length).toBeLessThanOrEqual(2)
      found.push(...page.users.map(({ user }: { user: string }) => user))
      after = page.next
    } while (after !== null)
    expect(found).toEqual(['u1', 'u2', 'u3'])
    await write('DELETE', '$F/bulk/users', { idents: found })
  })

  it('can be about whose access a revision changed, at the time when it was written', async () => {
    const ask = async (revision: number, query = '?access=true') =>
      (await api.ask('GET', `${ASK}/revisions/${revision}${query}`)).body
    const assignment = { user: 'ben', role: 'reader', tenant: 'default' }
    const given = await ask(await write('POST', '$F/role_assignments', assignment))
    expect(given.access).toMatchObject({ gained: { users: 1, decisions: 1, complete: true }, lost: { users: 0 } })
    const flip = { user: 'ben', action: 'read', resource: { type: 'doc' }, tenant: 'default' }
    expect(given.access.gained.first).toEqual([expect.objectContaining(flip)])
    const narrowed = await ask(await write('DELETE', '$S/roles/reader/permissions', { permissions: ['doc:read'] }))
    expect(narrowed.policy.lost).toEqual([expect.objectContaining({ permission: 'doc:read' })])
    expect(narrowed.access).toMatchObject({ gained: { users: 0 }, lost: { users: 1, first: [flip] } })
    const described = await write('POST', '$F/users', { key: 'cleo' })
    const nobody = { users: 0, decisions: 0, complete: true, groups: [], more_groups: 0, first: [] }
    expect((await ask(described)).access).toMatchObject({ gained: nobody, lost: nobody, conditional: [] })
    // the first revision has nothing before it
    expect((await ask(1)).access.lost).toMatchObject(nobody)
    expect(await ask(1, '')).not.toHaveProperty('access')
  })
})

// at the end: it writes
describe('a question about what has times', () => {
  it('[D15] is of what is in force at that moment, and says what would allow, were it in force', async () => {
    const [ten, noon] = [Date.UTC(2026, 5, 1, 10), Date.UTC(2026, 5, 1, 12)]
    await write('POST', '$S/roles/reader/permissions', { permissions: ['doc:read'] })
    await write('POST', '$F/users', { key: 'tim' })
    const times = { valid_from: ten, valid_until: noon }
    await write('POST', '$F/role_assignments', { user: 'tim', role: 'reader', tenant: 'default', ...times })
    const at = api.store.head(api.environment).revision
    const asked = (now: number) => ({ ...QUESTION, user: 'tim', context: { now } })
    expect([await check(at, asked(ten)), await check(at, asked(noon))]).toMatchObject([
      { allow: true },
      { allow: false },
    ])
    expect(await check(at, { ...QUESTION, user: 'tim' })).toMatchObject({ allow: false })
    const explain = async (now: number) => (await api.ask('POST', `${ASK}/explain`, { ...asked(now), at })).body
    const [inForce, ended] = [await explain(ten), await explain(noon)]
    const until = '2026-06-01T12:00:00.000Z'
    expect(inForce).toMatchObject({ because: [{ role: 'reader', valid_until: until }], not_in_force: [] })
    const text = `role reader of tim in tenant default was in force until ${until}, and would allow this`
    expect(ended.not_in_force).toEqual([
      {
        ...{ user: 'tim', role: 'reader', tenant: 'default', state: 'ended', text },
        ...{ valid_from: '2026-06-01T10:00:00.000Z', valid_until: until },
      },
    ])
    expect(ended.why.tree.children[0]).toMatchObject({ text, outcome: 'unmet' })
    const users = await api.ask('POST', `${ASK}/authorized-users`, { ...asked(ten), user: undefined, at })
    const because = [expect.objectContaining({ valid_until: until })]
    expect(users.body.users).toContainEqual({ user: 'tim', because })
    const permissions = async (now: number) =>
      (await api.ask('POST', `${ASK}/user-permissions`, { user: 'tim', context: { now }, at })).body.tenants
    expect([await permissions(noon - 1), await permissions(noon)]).toMatchObject([[{ roles: ['reader'] }], []])
  })
})
