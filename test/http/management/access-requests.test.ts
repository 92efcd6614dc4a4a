// Access on request over HTTP: what is asked for, decided and listed, what is refused, and what becomes of decisions at once.
// The states and who may what are test/property/access-requests.test.ts.
import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { REQUEST_STATES, STORED_STATES, TRANSITIONS } from '../../../src/kinds/access-request.ts'
import { withoutRequest } from '../../../src/log/change.ts'
import {
  APPROVERS_MAX,
  REQUEST_PENDING_SECONDS,
  REQUESTS_PENDING_PER_USER_MAX,
  REQUESTS_PER_USER_MAX,
} from '../../../src/model/limits.ts'
import { type Answer, type Ask, type Harness, ID, joinHarness, TIME } from './harness.ts'

const PAGE = new URL('../../../docs/access-requests.md', import.meta.url)
const ENVIRONMENT = '/v2/projects/default/envs/development'
const BY = withoutRequest('test')

let api: Harness
let ask: Ask
beforeAll(async () => {
  api = await joinHarness()
  ask = api.ask
})
afterAll(() => api.close())

const requestable = { approvers: ['lead'], max_duration: 7_200, reason: 'optional' }
const POLICY = {
  zerohop: 2,
  resources: [
    {
      key: 'server',
      actions: { restart: {} },
      roles: {
        operator: { permissions: ['restart'], requestable: { ...requestable, approvers: ['lead', 'server/owner'] } },
        owner: {},
        guest: { requestable: { ...requestable, by: 'everybody' } },
      },
    },
  ],
  roles: [
    { key: 'responder', requestable: { approvers: ['lead', 'responder'], max_duration: 7_200 } },
    { key: 'visitor', requestable: { ...requestable, by: 'everybody', max_duration: 600 } },
    { key: 'breaker', requestable: { max_duration: 600, auto: true } },
    { key: 'short', max_duration: 60, requestable },
    { key: 'lead' },
  ],
}
const FACTS = {
  tenants: [{ key: 'acme' }, { key: 'globex' }],
  users: ['ana', 'ben', 'cyd', 'dan', 'eve'].map((key) => ({ key })),
  memberships: ['ana', 'ben', 'cyd', 'dan'].map((user) => ({ user, tenant: 'acme' })),
  resource_instances: [
    { resource: 'server', key: 'db', tenant: 'acme' },
    { resource: 'server', key: 'web', tenant: 'globex' },
  ],
  role_assignments: ['ben', 'cyd'].map((user) => ({ user, role: 'lead', tenant: 'acme' })),
}
/** Every test begins with the same policy and people, and no requests. */
beforeEach(async () => {
  for (const path of ['tenants/acme', 'tenants/globex', ...FACTS.users.map(({ key }) => `users/${key}`)])
    await ask('DELETE', `$F/${path}`)
  for (const policy of [POLICY, { zerohop: 2, ...FACTS }]) {
    const { status, body } = await ask('POST', `${ENVIRONMENT}/apply`, { policy })
    expect({ status, body }).toMatchObject({ status: 200 })
  }
})

const WANTED = { as: 'ana', role: 'responder', tenant: 'acme', duration: 3_600, reason: 'disk of db-3 is full' }
const create = (body: object = {}) => ask('POST', '$F/access_requests', { ...WANTED, ...body })
const made = async (body: object = {}) => {
  const answer = await create(body)
  expect(answer).toMatchObject({ status: 200 })
  return answer.body.id as string
}
const decide = (id: string, verb: string, as: string, body: object = {}) =>
  ask('POST', `$F/access_requests/${id}/${verb}`, { as, ...body })
const list = async (query = '') => (await ask('GET', `$F/access_requests?${query}`)).body
const held = async (user = 'ana', role = 'responder') =>
  (await ask('GET', `$F/role_assignments?user=${user}&role=${role}`)).body
const refused = ({ status, body }: Answer, want: number, text: string) =>
  expect({ status, text: JSON.stringify(body) }).toEqual({ status: want, text: expect.stringContaining(text) })

describe('docs/access-requests.md', () => {
  it('has the table of transitions; ZEROHOP_WRITE_DOCS=1 writes it', () => {
    const page = readFileSync(PAGE, 'utf8')
    const lines = Object.entries(TRANSITIONS).map(
      ([name, { from, to, by, when }]) =>
        `| \`${from}\` | ${by === 'system' ? '' : `\`${name}\``} | \`${to}\` | ${by} | ${when} |`,
    )
    const head = '| from | by | to | who | when |\n|---|---|---|---|---|\n'
    const from = page.indexOf(head) + head.length
    const wanted = `${page.slice(0, from)}${lines.join('\n')}${page.slice(page.indexOf('\n\n', from))}`
    if (process.env.ZEROHOP_WRITE_DOCS === '1') writeFileSync(PAGE, wanted)
    expect(page).toBe(wanted)
  })

  it('says the limits', () => {
    const page = readFileSync(PAGE, 'utf8')
    for (const text of [
      `pending for ${REQUEST_PENDING_SECONDS / 86_400} days`,
      `at most ${REQUESTS_PENDING_PER_USER_MAX} pending ones, and ${REQUESTS_PER_USER_MAX.toLocaleString('en-US')} in all`,
      `roles, at most ${APPROVERS_MAX}:`,
      ...REQUEST_STATES.map((state) => `\`${state}\``),
    ])
      expect(page).toContain(text)
  })
})

describe('a request', () => {
  it('is made, approved, and gives the role until its end', async () => {
    const { status, body, headers } = await create({ ticket: 'OPS-1' })
    expect(status).toBe(200)
    expect(headers['x-revision']).toMatch(/^\d+$/)
    const asked = { user: 'ana', role: 'responder', tenant: 'acme', resource_instance: null, duration: 3_600 }
    const why = { reason: 'disk of db-3 is full', ticket: 'OPS-1' }
    const stamps = { created_at: TIME, updated_at: TIME, ...api.place }
    expect(body).toEqual({ id: ID, state: 'pending', ...asked, ...why, expires_at: TIME, ...stamps })
    expect(await held()).toEqual([])

    const before = Date.now()
    const approved = await decide(body.id, 'approve', 'ben', { reason: 'go on' })
    expect(approved.status).toBe(200)
    const by = { approved_by: 'ben', decided_by: 'ben', decided_at: TIME, decision_reason: 'go on', valid_until: TIME }
    expect(approved.body).toEqual({ id: body.id, state: 'approved', ...asked, ...why, ...by, ...stamps })
    const end = Date.parse(approved.body.valid_until)
    expect(end).toBeGreaterThanOrEqual(before + 3_600_000)
    expect(end).toBeLessThanOrEqual(Date.now() + 3_600_000)
    expect(await held()).toEqual([
      expect.objectContaining({ valid_until: approved.body.valid_until, ...why, origin: `request/${body.id}` }),
    ])
    expect((await ask('GET', `$F/access_requests/${body.id}`)).body).toEqual(approved.body)
    const detailed = await ask('GET', '$F/role_assignments?user=ana&detailed=true')
    expect(detailed.body[0].origin).toBe(`request/${body.id}`)
  })

  it('on an instance is approved by the holder of a role there, and by a member of one group that has it', async () => {
    const group = { group_instance_key: 'ops', group_tenant: 'acme', group_resource_type_key: 'team' }
    await ask('POST', '$S/groups', group)
    const wanted = { role: 'operator', tenant: undefined, resource_instance: 'server:db' }
    const id = await made(wanted)
    refused(await decide(id, 'approve', 'dan'), 403, 'may not have this request approved')
    await ask('PUT', '$S/groups/team:ops/users/dan', { tenant: 'acme' })
    refused(await decide(id, 'approve', 'dan'), 403, 'may not')
    const role = { role: 'owner', resource: 'server', resource_instance: 'db', tenant: 'acme' }
    expect((await ask('POST', '$S/groups/team:ops/roles', role)).status).toBe(200)
    expect(await decide(id, 'approve', 'dan')).toMatchObject({ status: 200, body: { state: 'approved' } })
    expect(await held('ana', 'operator')).toMatchObject([{ resource_instance: 'server:db', origin: `request/${id}` }])

    // who asked is a member, too: it is still their own
    expect((await decide(id, 'revoke', 'dan')).status).toBe(200)
    await ask('PUT', '$S/groups/team:ops/users/ana', { tenant: 'acme' })
    const again = await made(wanted)
    refused(await decide(again, 'approve', 'ana'), 403, 'because it is their own')
    await ask('DELETE', '$S/groups/team:ops/users/dan', { tenant: 'acme' })
    refused(await decide(again, 'approve', 'dan'), 403, 'may not')
    await ask('POST', '$F/role_assignments', { user: 'dan', role: 'owner', resource_instance: 'server:db' })
    expect((await decide(again, 'approve', 'dan')).status).toBe(200)
    await ask('DELETE', '$S/groups/team:ops')
  })

  it('of a role with `auto` is given at once, for a reason, and not again while it is in force', async () => {
    refused(await create({ role: 'breaker', reason: undefined, duration: 60 }), 422, 'it is required')
    const { body } = await create({ role: 'breaker', duration: 60 })
    expect(body).toMatchObject({ state: 'approved', auto: true, valid_until: TIME })
    expect(body).not.toHaveProperty('approved_by')
    expect(await held('ana', 'breaker')).toMatchObject([{ origin: `request/${body.id}` }])
    refused(await create({ role: 'breaker', duration: 600 }), 409, 'user `ana` has role `breaker` already, until')
    expect((await decide(body.id, 'revoke', 'ana')).body).toMatchObject({ state: 'revoked', decided_by: 'ana' })
    expect((await create({ role: 'breaker', duration: 600 })).status).toBe(200)
  })

  it('may be shortened by the approval, never made longer', async () => {
    const id = await made()
    refused(await decide(id, 'approve', 'ben', { duration: 3_601 }), 422, 'may shorten')
    refused(await decide(id, 'approve', 'ben', { until: '2099-01-01T00:00:00Z' }), 422, 'may shorten')
    refused(await decide(id, 'approve', 'ben', { until: '2020-01-01T00:00:00Z' }), 422, 'may shorten')
    refused(await decide(id, 'approve', 'ben', { duration: 60, until: '2099-01-01T00:00:00Z' }), 422, 'one of')
    const { body } = await decide(id, 'approve', 'ben', { duration: 60 })
    expect(Date.parse(body.valid_until)).toBeLessThanOrEqual(Date.now() + 60_000)
  })

  it('keeps what is held, and gives it again when it is revoked', async () => {
    const until = new Date(Date.now() + 600_000).toISOString().replace('Z', '+00:00')
    const before = { valid_until: until, reason: 'on call', ticket: 'OPS-7' }
    await ask('POST', '$F/role_assignments', { user: 'ana', role: 'responder', tenant: 'acme', ...before })
    refused(await create({ duration: 60 }), 409, 'has role `responder` already')
    const id = await made()
    await decide(id, 'approve', 'ben')
    const [now] = await held()
    expect(now).toMatchObject({ reason: WANTED.reason, origin: `request/${id}` })
    expect(now).not.toHaveProperty('ticket')
    expect((await decide(id, 'revoke', 'cyd', { reason: 'done' })).body).toMatchObject({ decided_by: 'cyd' })
    const [again] = await held()
    expect(again).toMatchObject({ id: now.id, ...before })
    expect(again).not.toHaveProperty('origin')
  })

  it('for a role that begins later is refused', async () => {
    const times = { valid_from: '2098-01-01T00:00:00Z', valid_until: '2099-01-01T00:00:00Z' }
    await ask('POST', '$F/role_assignments', { user: 'ana', role: 'responder', tenant: 'acme', ...times })
    refused(await create(), 409, 'already, from 2098')
  })

  it('is superseded by any other write, and not by upkeep that announces its end', async () => {
    const id = await made()
    await decide(id, 'approve', 'ben')
    await ask('PUT', '$F/role_assignments', { user: 'ana', role: 'responder', tenant: 'acme' }) // changes nothing
    const { result } = await api.store.commit(
      api.environment,
      'announceEnding',
      { role_assignments: ['ana/responder/acme'], relationship_tuples: [], noticeMs: 86_400_000 } as never,
      BY,
    )
    expect(result).toBeTruthy()
    expect((await held())[0].origin).toBe(`request/${id}`)
    expect((await ask('GET', `$F/access_requests/${id}`)).body.state).toBe('approved')
    await ask('PUT', '$F/role_assignments', { user: 'ana', role: 'responder', tenant: 'acme', ticket: 'OPS-2' })
    expect((await held())[0]).not.toHaveProperty('origin')
    expect((await ask('GET', `$F/access_requests/${id}`)).body.state).toBe('superseded')
    refused(await decide(id, 'revoke', 'ben'), 409, 'is superseded: it cannot be revoked')
  })

  it.each([
    ['a user', 'users/ana'],
    ['a tenant', 'tenants/acme'],
  ])('is cancelled with %s, also an approved one', async (_, path) => {
    const ids = [await made(), await made({ role: 'visitor', duration: 60 })]
    await decide(ids[0]!, 'approve', 'ben')
    expect((await ask('DELETE', `$F/${path}`)).status).toBe(204)
    const { data } = await list('user=ana')
    const now = data.filter(({ id }: { id: string }) => ids.includes(id))
    expect(now).toMatchObject([{ state: 'cancelled' }, { state: 'cancelled' }])
    expect(now[0]).not.toHaveProperty('decided_by')
  })

  it('is cancelled with its instance, its role and its resource type', async () => {
    const ofInstance = await made({ role: 'operator', tenant: undefined, resource_instance: 'server:db' })
    await ask('DELETE', '$F/resource_instances/server:db')
    await ask('POST', '$F/resource_instances', { resource: 'server', key: 'db', tenant: 'acme' })
    const ofType = await made({ role: 'operator', tenant: undefined, resource_instance: 'server:db' })
    await decide(ofType, 'approve', 'ben')
    await ask('DELETE', '$S/resources/server')
    const ofRole = await made()
    await ask('DELETE', '$S/roles/responder')
    for (const id of [ofInstance, ofType, ofRole])
      expect((await ask('GET', `$F/access_requests/${id}`)).body.state).toBe('cancelled')
  })

  it('follows what a policy file renames', async () => {
    const id = await made()
    const other = await made({ role: 'visitor', duration: 60 })
    await decide(id, 'approve', 'ben')
    const moved = [
      { kind: 'user', from: 'ana', to: 'anna' },
      { kind: 'role', from: 'lead', to: 'chief' },
      { kind: 'role', from: 'visitor', to: 'caller' },
      { kind: 'tenant', from: 'acme', to: 'acme-inc' },
    ]
    const { status } = await ask('POST', `${ENVIRONMENT}/apply`, { policy: { zerohop: 2, moved } })
    expect(status).toBe(200)
    const { data } = await list('user=anna&state=approved&state=pending')
    expect(data).toMatchObject([
      { id, state: 'approved', tenant: 'acme-inc' },
      { id: other, state: 'pending', role: 'caller', tenant: 'acme-inc' },
    ])
    expect((await decide(other, 'approve', 'ben')).status).toBe(200)
    expect((await ask('GET', '$S/roles/caller')).body.requestable.approvers).toEqual(['chief'])
    expect((await decide(id, 'revoke', 'ben')).status).toBe(200)
    await ask('DELETE', '$F/users/anna')
    await ask('DELETE', '$F/tenants/acme-inc')
    for (const role of ['chief', 'caller']) await ask('DELETE', `$S/roles/${role}`)
  })
})

describe('who asks', () => {
  it('is stored and not suspended', async () => {
    refused(await create({ as: 'nobody' }), 404, 'user `nobody` does not exist')
    refused(await create({ as: '*' }), 404, 'user `*` does not exist')
    await ask('PUT', '$F/users/ana/suspension', { reason: 'left' })
    refused(await create(), 403, 'user `ana` is suspended')
  })

  it('is refused for a role that cannot be asked for, in any tenant', async () => {
    for (const tenant of ['acme', 'globex', 'nothing'])
      refused(await create({ role: 'lead', tenant }), 403, 'role `lead` cannot be asked for')
    refused(await create({ role: 'nothing' }), 404, 'role `nothing` does not exist')
  })

  it('finds no other tenant, nor what is in it, and is told the same as of what does not exist', async () => {
    const same = async (hidden: object, absent: object, name: string, other: string) => {
      const [one, two] = [await create(hidden), await create(absent)]
      expect([one.status, two.status]).toEqual([404, 404])
      const text = ({ body: { id: _, ...body } }: Answer) => JSON.stringify(body)
      expect(text(one).replaceAll(name, other)).toBe(text(two))
    }
    await same({ tenant: 'globex' }, { tenant: 'absent' }, 'globex', 'absent')
    const on = (role: string, resource_instance: string, rest = {}) => ({
      role,
      tenant: undefined,
      resource_instance,
      ...rest,
    })
    for (const role of ['operator', 'owner', 'nothing'])
      await same(on(role, 'server:web'), on(role, 'server:none'), 'server:web', 'server:none')
    await same(
      on('operator', 'server:db', { tenant: 'globex' }),
      on('operator', 'server:no', { tenant: 'globex' }),
      'server:db',
      'server:no',
    )
  })

  it('finds every tenant for a role that says everybody', async () => {
    expect((await create({ as: 'eve', role: 'visitor', tenant: 'globex', duration: 60 })).status).toBe(200)
    const guest = { as: 'eve', role: 'guest', tenant: undefined, resource_instance: 'server:web', duration: 60 }
    expect((await create(guest)).status).toBe(200)
    refused(await create({ as: 'eve', role: 'visitor', tenant: 'absent', duration: 60 }), 404, 'tenant `absent`')
  })

  it('has one pending request for the same, and a bounded number of others', async () => {
    const id = await made()
    refused(await create(), 409, `request \`${id}\` is pending`)
    await decide(id, 'cancel', 'ana')
    expect((await create()).status).toBe(200)
    for (let more = 1; more < REQUESTS_PENDING_PER_USER_MAX; more++) {
      const key = `tenant-${more}`
      await ask('POST', '$F/tenants', { key })
      await made({ role: 'visitor', tenant: key, duration: 60 })
    }
    refused(await create({ role: 'visitor', duration: 60 }), 422, 'pending access requests of one user')
    for (let more = 1; more < REQUESTS_PENDING_PER_USER_MAX; more++) await ask('DELETE', `$F/tenants/tenant-${more}`)
  })

  it('says one time within what the role allows, also by its own maximum', async () => {
    refused(await create({ duration: 7_201 }), 422, 'at most')
    refused(await create({ duration: undefined, until: Date.now() + 8_000_000 }), 422, 'at most')
    refused(await create({ role: 'short', duration: 61 }), 422, '1m at most')
    refused(await create({ duration: undefined }), 422, 'one of `duration` and `until`')
    refused(await create({ until: Date.now() + 60_000 }), 422, 'one of `duration` and `until`')
    refused(await create({ duration: undefined, until: Date.now() - 1 }), 422, 'has passed')
    refused(await create({ duration: 0 }), 422, 'duration')
    refused(await create({ reason: undefined }), 422, 'it is required')
    refused(await create({ reason: '' }), 422, 'reason')
    refused(await create({ more: 1 }), 422, 'more')
  })
})

describe('what is decided at once', () => {
  it('is decided once: the other one is told the state', async () => {
    const id = await made()
    const answers = await Promise.all(['ben', 'cyd', 'ben'].map((as) => decide(id, 'approve', as)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409])
    const other = await made({ role: 'visitor', duration: 60 })
    const both = await Promise.all([
      decide(other, 'approve', 'ben'),
      decide(other, 'deny', 'cyd'),
      decide(other, 'cancel', 'ana'),
    ])
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409, 409])
  })

  it('is made once by two requests for the same, and by one that is sent again', async () => {
    const both = await Promise.all([create(), create()])
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409])
    const headers = { 'idempotency-key': 'asked-once' }
    const wanted = { ...WANTED, role: 'visitor', duration: 60 }
    const [one, two] = [
      await ask('POST', '$F/access_requests', wanted, { headers }),
      await ask('POST', '$F/access_requests', wanted, { headers }),
    ]
    expect([one.status, two.status]).toEqual([one.status, one.status === 200 && two.status === 200 ? 200 : 409])
    expect((await list('user=ana&state=pending')).total_count).toBe(2)
  })

  it('is refused to an approver who has lost the role, or whose role is scheduled or ended', async () => {
    const id = await made()
    const role = { user: 'ben', role: 'lead', tenant: 'acme' }
    await ask('DELETE', '$F/role_assignments', role)
    refused(await decide(id, 'approve', 'ben'), 403, 'user `ben` may not have this request approved')
    await ask('PUT', '$F/role_assignments', { ...role, valid_from: '2098-01-01T00:00:00Z' })
    refused(await decide(id, 'approve', 'ben'), 403, 'may not')
    await ask('PUT', '$F/role_assignments', { ...role, valid_from: null, valid_until: 1_000 })
    refused(await decide(id, 'approve', 'ben'), 403, 'may not')
    await ask('PUT', '$F/users/cyd/suspension', { reason: 'left' })
    refused(await decide(id, 'approve', 'cyd'), 403, 'is suspended')
    await ask('POST', '$F/role_assignments', { user: '*', role: 'lead', tenant: 'acme' })
    refused(await decide(id, 'approve', 'dan'), 403, 'may not')
  })

  it('is refused to who asked, also with a role that approves, also just given', async () => {
    await ask('POST', '$F/role_assignments', { user: 'ana', role: 'lead', tenant: 'acme' })
    const id = await made()
    for (const verb of ['approve', 'deny']) refused(await decide(id, verb, 'ana'), 403, 'because it is their own')
    refused(await decide(id, 'cancel', 'ben'), 403, 'only who asked may')
    // the role that was asked for approves requests for itself, but for one's own
    await decide(id, 'approve', 'ben')
    const other = await made({ as: 'dan' })
    expect((await decide(other, 'approve', 'ana')).status).toBe(200)
  })

  it('is read again from the role: whether it can be asked for, by whom, and for how long', async () => {
    const id = await made()
    const role = (fields: object | null) => ask('PATCH', '$S/roles/responder', { requestable: fields })
    await role({ approvers: ['lead'], max_duration: 60 })
    refused(await decide(id, 'approve', 'ben'), 422, '1m at most')
    await role({ approvers: [], max_duration: 7_200 })
    refused(await decide(id, 'approve', 'ben'), 403, 'may not')
    await role(null)
    refused(await decide(id, 'approve', 'ben'), 403, 'may not')
    await role({ approvers: ['lead'], max_duration: 7_200 })
    await ask('DELETE', '$F/tenants/acme/users/ana')
    refused(await decide(id, 'approve', 'ben'), 403, 'may not ask for role `responder` any more')
  })
})

describe('Why', () => {
  const explain = async (user: string, key?: string) => {
    const resource = { type: 'server', tenant: 'acme', ...(key && { key }) }
    return (await ask('POST', `${ENVIRONMENT}/explain`, { user, action: 'restart', resource })).body
  }
  const notes = ({ why }: { why: { tree: { children: { text: string; outcome: string }[] } } }) =>
    why.tree.children.filter(({ outcome }) => outcome === 'note').map(({ text }) => text)

  it('says who asked for the role, for how long, and who approved it', async () => {
    const id = await made({ role: 'operator', tenant: undefined, resource_instance: 'server:db' })
    expect(await explain('ana', 'db')).not.toHaveProperty('requests')
    await decide(id, 'approve', 'ben')
    const body = await explain('ana', 'db')
    expect(body).toMatchObject({ allow: true, requests: [{ id, state: 'approved', approved_by: 'ben' }] })
    expect(notes(body)).toEqual(['role operator was requested by ana for 1h, approved by ben: disk of db-3 is full'])
    await ask('PUT', '$F/role_assignments', {
      user: 'ana',
      role: 'operator',
      resource_instance: 'server:db',
      ticket: 'x',
    })
    expect(await explain('ana', 'db')).not.toHaveProperty('requests')
  })

  it('names the roles with the permission that a user who is denied can ask for, and the request that is pending', async () => {
    const once = { role: 'breaker', resource_instance: null, max_duration: 600, reason: 'required', auto: true }
    await ask('PATCH', '$S/roles/breaker', { permissions: ['server:restart'] })
    expect((await explain('ana')).requestable).toEqual([once])
    const operator = { role: 'operator', resource_instance: 'server:db', max_duration: 7_200, reason: 'optional' }
    expect((await explain('ana', 'db')).requestable).toEqual([once, operator])
    const id = await made({ role: 'operator', tenant: undefined, resource_instance: 'server:db' })
    expect((await explain('ana', 'db')).requestable).toEqual([once, { ...operator, request: id }])
    // not a member, not stored, allowed already, suspended, an instance of another tenant
    expect(await explain('eve', 'db')).not.toHaveProperty('requestable')
    expect(await explain('no-one', 'db')).not.toHaveProperty('requestable')
    expect((await explain('ana', 'web')).requestable).toEqual([once])
    await decide(id, 'approve', 'ben')
    expect(await explain('ana', 'db')).not.toHaveProperty('requestable')
    await ask('PUT', '$F/users/cyd/suspension', { reason: 'left' })
    expect(await explain('cyd', 'db')).not.toHaveProperty('requestable')
    const why = await ask('POST', '$F/tenants/acme/why', { user: 'dan', action: 'restart', resource: 'server:db' })
    expect(why.body.requestable).toEqual([once, operator])
    await ask('PATCH', '$S/roles/breaker', { permissions: [] })
  })

  it('says of a role in the tenant that was given at once that there was no approval', async () => {
    await ask('PATCH', '$S/roles/breaker', { permissions: ['server:restart'] })
    const id = await made({ role: 'breaker', duration: 60 })
    const body = await explain('ana')
    expect(body.requests).toMatchObject([{ id, auto: true }])
    expect(notes(body)).toEqual([expect.stringContaining('for 1m, given at once, without an approval: disk')])
  })
})

describe('the key of a tenant', () => {
  const secrets = new Map<string, string>()
  beforeEach(async () => {
    const { organization_id, environment_id } = api.place
    for (const tenant_id of ['acme', 'globex']) {
      const key = { organization_id, environment_id, object_type: 'tenant', tenant_id, access_level: 'write' }
      const { status, body } = await ask('POST', '/v2/api-key', key)
      expect(status).toBe(200)
      secrets.set(tenant_id, body.secret)
    }
  })
  const as = (tenant: string) => ({ key: secrets.get(tenant)! })
  const path = (tenant: string, rest = '') => `$F/tenants/${tenant}/access_requests${rest}`
  const { tenant: _, ...WANTED_THERE } = WANTED

  it('asks, lists and decides in its tenant, also for a role that it may not assign', async () => {
    const asked = await ask('POST', path('acme'), WANTED_THERE, as('acme'))
    expect(asked).toMatchObject({ status: 200, body: { state: 'pending', tenant: 'acme' } })
    const { id } = asked.body
    expect((await ask('GET', path('acme', '?state=pending'), undefined, as('acme'))).body.data).toMatchObject([{ id }])
    refused(await ask('POST', path('acme', `/${id}/approve`), { as: 'ana' }, as('acme')), 403, 'their own')
    const approved = await ask('POST', path('acme', `/${id}/approve`), { as: 'ben' }, as('acme'))
    expect(approved).toMatchObject({ status: 200, body: { state: 'approved', approved_by: 'ben' } })
    expect((await ask('GET', path('acme', `/${id}`), undefined, as('acme'))).body).toEqual(approved.body)
    expect(await held()).toMatchObject([{ origin: `request/${id}` }])
    expect((await ask('POST', path('acme', `/${id}/revoke`), { as: 'ben' }, as('acme'))).status).toBe(200)
    expect(await held()).toEqual([])
  })

  it('finds a member of one group that may approve', async () => {
    await ask('POST', '$S/groups', { group_instance_key: 'ops', group_tenant: 'acme', group_resource_type_key: 'team' })
    await ask('PUT', '$S/groups/team:ops/users/dan', { tenant: 'acme' })
    const role = { role: 'owner', resource: 'server', resource_instance: 'db', tenant: 'acme' }
    await ask('POST', '$S/groups/team:ops/roles', role)
    const wanted = { ...WANTED_THERE, role: 'operator', resource_instance: 'server:db' }
    const { body } = await ask('POST', path('acme'), wanted, as('acme'))
    expect((await ask('POST', path('acme', `/${body.id}/approve`), { as: 'dan' }, as('acme'))).status).toBe(200)
    await ask('DELETE', '$S/groups/team:ops')
  })

  it('finds no request, user or instance of another tenant, and none of the other routes', async () => {
    const id = await made()
    for (const [method, rest, body] of [
      ['GET', '', undefined],
      ['POST', '', WANTED_THERE],
      ['GET', `/${id}`, undefined],
      ['POST', `/${id}/approve`, { as: 'ben' }],
    ] as const)
      expect((await ask(method, path('acme', rest), body, as('globex'))).status).toBe(404)
    expect((await ask('GET', path('globex'), undefined, as('globex'))).body).toMatchObject({ data: [], total_count: 0 })
    for (const [method, rest, body] of [
      ['GET', `/${id}`, undefined],
      ['POST', `/${id}/deny`, { as: 'ben' }],
      ['POST', '', { ...WANTED_THERE, as: 'ana', role: 'visitor' }],
      ['POST', '', { ...WANTED_THERE, role: 'operator', resource_instance: 'server:db' }],
    ] as const)
      expect((await ask(method, path('globex', rest), body, as('globex'))).status).toBe(404)
    expect((await ask('GET', '$F/access_requests', undefined, as('acme'))).status).toBe(404)
    // a wider key finds in a tenant what is there
    expect((await ask('GET', path('acme', `/${id}`))).status).toBe(200)
    expect((await ask('GET', path('globex', `/${id}`))).status).toBe(404)
  })
})

describe('lists', () => {
  it('are filtered by state, user, role, tenant and instance, and paged', async () => {
    const pending = await made()
    const denied = await made({ as: 'dan' })
    await decide(denied, 'deny', 'ben')
    const operator = await made({ role: 'operator', tenant: undefined, resource_instance: 'server:db' })
    await decide(operator, 'approve', 'ben')
    const elsewhere = await made({ as: 'eve', role: 'visitor', tenant: 'globex', duration: 60 })
    const mine = new Set([pending, denied, operator, elsewhere])
    const ids = async (query: string) =>
      (await list(`per_page=100&${query}`)).data
        .map(({ id }: { id: string }) => id)
        .filter((id: string) => mine.has(id))
    const tenant = (await ask('GET', '$F/tenants/acme')).body.id
    expect(await ids('')).toEqual([pending, denied, operator, elsewhere])
    expect(await ids('state=pending')).toEqual([pending, elsewhere])
    expect(await ids('state=denied&state=approved')).toEqual([denied, operator])
    expect(await ids('state=expired&state=ended')).toEqual([])
    expect(await ids('user=ana')).toEqual([pending, operator])
    expect(await ids('user=ana&user=dan&state=pending')).toEqual([pending])
    expect(await ids(`tenant=${tenant}`)).toEqual([pending, denied, operator])
    expect(await ids('role=server/operator')).toEqual([operator])
    expect(await ids('role=responder&state=denied')).toEqual([denied])
    expect(await ids('resource_instance=server:db')).toEqual([operator])
    expect(await ids('user=no-one')).toEqual([])
    // a former tenant of the same key may have left requests, too
    const states = 'tenant=acme&state=pending&state=denied&state=approved'
    const all = (await list(`per_page=100&${states}`)).data.map(({ id }: { id: string }) => id)
    const one = await list(`per_page=1&page=${all.indexOf(denied) + 1}&${states}`)
    expect(one).toMatchObject({ total_count: all.length, page_count: all.length, data: [{ id: denied }] })
    refused(await ask('GET', '$F/access_requests?state=open'), 422, STORED_STATES.join(', '))
  })
})

describe('what a user sees of a tenant', () => {
  const there = '$F/tenants/acme/access_requests'
  const seen = async (as: string, query = '') =>
    (await ask('GET', `${there}?per_page=100&as=${as}${query}`)).body.data.map(
      ({ id, may }: { id: string; may: string[] }) => [id, may],
    )

  it('is what the user asked for and may decide about, with what may be done now', async () => {
    const pending = await made()
    const own = await made({ as: 'ben' })
    const onInstance = await made({ as: 'dan', role: 'operator', tenant: undefined, resource_instance: 'server:db' })
    expect(await seen('ana')).toEqual([[pending, ['cancel']]])
    expect(await seen('eve')).toEqual([])
    expect(await seen('ben')).toEqual([
      [pending, ['approve', 'deny']],
      [own, ['cancel']],
      [onInstance, ['approve', 'deny']],
    ])
    await decide(pending, 'approve', 'ben')
    expect(await seen('cyd', '&state=approved')).toEqual([[pending, ['revoke']]])
    // what the request gave approves as any other role that is held
    expect(await seen('ana')).toEqual([
      [pending, ['revoke']],
      [own, ['approve', 'deny']],
    ])
    await decide(pending, 'revoke', 'ana')
    expect(await seen('ana', '&role=responder')).toEqual([[pending, []]])
    expect((await ask('GET', there)).body.data[0]).not.toHaveProperty('may')
  })

  it('is nothing for who is not stored, or suspended', async () => {
    await ask('PUT', '$F/users/cyd/suspension', { reason: 'left' })
    for (const path of [there, '$F/tenants/acme/requestable_roles']) {
      refused(await ask('GET', `${path}?as=cyd`), 403, 'suspended')
      expect((await ask('GET', `${path}?as=no-one`)).status).toBe(404)
      expect((await ask('GET', `${path}?as=eve`, undefined, { headers: { 'x-as-tenant': 'acme' } })).status).toBe(404)
    }
    await ask('DELETE', '$F/users/cyd/suspension')
  })

  it('are also the roles that may be asked for there, for as long as the role is given for', async () => {
    const rows = async (query: string) => (await ask('GET', `$F/tenants/acme/requestable_roles${query}`)).body.data
    const roles = async (query: string) => {
      type Row = { key: string; resource: string | null; max_duration: number }
      const found = (await rows(query)).map(({ key, resource, max_duration: most }: Row) => [key, resource, most])
      return found.sort(([one]: [string], [other]: [string]) => one.localeCompare(other))
    }
    const everybody = [
      ['guest', 'server', 7_200],
      ['visitor', null, 600],
    ]
    const all = [
      ['breaker', null, 600],
      ['guest', 'server', 7_200],
      ['operator', 'server', 7_200],
      ['responder', null, 7_200],
      ['short', null, 60],
      ['visitor', null, 600],
    ]
    expect(await roles('')).toEqual(all)
    expect(await roles('?as=ana')).toEqual(all)
    expect(await roles('?as=eve')).toEqual(everybody)
    expect(await rows('?as=ana&per_page=2&page=3')).toEqual((await rows('')).slice(4))
  })
})

describe('requestable', () => {
  const put = (fields: object) => ask('PATCH', '$S/roles/short', { requestable: fields })

  it('is written as a whole, with the narrower defaults; a role that does not name it keeps it', async () => {
    const { body } = await put({ max_duration: 60 })
    expect(body.requestable).toEqual({ by: 'members', approvers: [], max_duration: 60, reason: 'required' })
    expect((await ask('PUT', '$S/roles/short', {})).body.requestable).toEqual(body.requestable)
    expect((await ask('PATCH', '$S/roles/short', { requestable: null })).body).not.toHaveProperty('requestable')
  })

  it('is refused with what does not exist, another type, no bound, and an optional reason for what is given at once', async () => {
    refused(await put({ approvers: ['nothing'], max_duration: 60 }), 404, 'role `nothing` does not exist')
    refused(await put({ approvers: ['server/owner'], max_duration: 60 }), 422, 'is one on instances')
    refused(await put({}), 422, 'max_duration')
    refused(await put({ max_duration: 0 }), 422, 'max_duration')
    refused(await put({ max_duration: 60, auto: true, reason: 'optional' }), 422, 'reason')
    refused(await put({ max_duration: 60, approvers: Array(APPROVERS_MAX + 1).fill('lead') }), 422, 'approvers')
    const other = {
      key: 'printer',
      roles: { user: { requestable: { approvers: ['server/owner'], max_duration: 60 } } },
    }
    refused(await ask('POST', '$S/resources', other), 422, 'of another resource type')
  })

  it('comes back from a file as it was, and a plan shows its change', async () => {
    const { body: file } = await ask('GET', `${ENVIRONMENT}/export`)
    const text = JSON.stringify(file)
    expect(text).toContain('"server/owner"')
    const plan = await ask('POST', `${ENVIRONMENT}/plan`, { policy: POLICY })
    expect(plan.body.changes).toEqual([])
  })
})
