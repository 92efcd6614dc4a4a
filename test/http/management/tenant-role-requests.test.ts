// Roles of a tenant that its users may ask for (docs/access-requests.md): who may ask, who decides, what an approver may
// give, and what becomes of a request when the role, an approver or the tenant is renamed or goes.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Ask, type Harness, joinHarness, TIME } from './harness.ts'

const ENVIRONMENT = '/v2/projects/default/envs/development'
const ROLES = '$F/tenants/acme/roles'
const REQUESTS = '$F/tenants/acme/access_requests'
const RULE = { approvers: ['lead'], max_duration: 7_200, reason: 'optional' }

let api: Harness
let ask: Ask
/** the secrets of the keys of `acme` and of `globex` */
let acme: string
let globex: string
beforeAll(async () => {
  api = await joinHarness()
  ask = api.ask
})
afterAll(() => api.close())

const POLICY = {
  zerohop: 2,
  resources: [{ key: 'invoice', actions: { read: { grantable: true }, pay: { grantable: true } } }],
  roles: [
    { key: 'viewer', permissions: ['invoice:read'], extendable: true },
    { key: 'payer', permissions: ['invoice:pay', 'invoice:read'] },
    { key: 'lead', permissions: [] },
  ],
}
const assigned = (user: string, role: string, tenant = 'acme') => ({ user, role, tenant })
const FACTS = {
  tenants: [{ key: 'acme' }, { key: 'globex' }],
  users: ['ana', 'ben', 'cyd', 'gus'].map((key) => ({ key })),
  role_assignments: [
    assigned('ana', 'viewer'),
    ...['lead', 'payer'].map((role) => assigned('ben', role)),
    ...['lead', 'viewer'].map((role) => assigned('cyd', role)),
    assigned('gus', 'payer', 'globex'),
  ],
}
const apply = async (policy: object) => {
  const { status, body } = await ask('POST', `${ENVIRONMENT}/apply`, { policy: { zerohop: 2, ...policy } })
  expect({ status, body }).toMatchObject({ status: 200 })
}
const createKey = async (tenant_id: string) => {
  const { organization_id, environment_id } = api.place
  const body = { organization_id, environment_id, object_type: 'tenant', tenant_id }
  return (await ask('POST', '/v2/api-key', body)).body.secret as string
}
const refused = ({ status, body }: { status: number; body: unknown }, want: number, text: string) =>
  expect({ status, text: JSON.stringify(body) }).toEqual({ status: want, text: expect.stringContaining(text) })
const own = { key: 'bookkeeper', permissions: ['invoice:pay'] }
const make = (role: object, user?: string) =>
  ask('POST', ROLES, role, { key: acme, ...(user === undefined ? {} : { headers: { 'x-acting-user': user } }) })
const change = (role: string, fields: object, user?: string) =>
  ask('PATCH', `${ROLES}/${role}`, fields, {
    key: acme,
    ...(user === undefined ? {} : { headers: { 'x-acting-user': user } }),
  })
const ASKED = { as: 'ana', role: 'bookkeeper', duration: 3_600 }
const request = (fields: object = {}, path = REQUESTS, key = acme) =>
  ask('POST', path, { ...ASKED, ...fields }, { key })
const decide = (id: string, verb: string, as: string) => ask('POST', `${REQUESTS}/${id}/${verb}`, { as }, { key: acme })
const state = async (id: string) => (await ask('GET', `$F/access_requests/${id}`)).body.state
const listHeld = async (user: string): Promise<string[]> =>
  (await ask('GET', `$F/role_assignments?user=${user}`)).body.map(({ role }: { role: string }) => role)
/** A pending request of ana for `bookkeeper@acme`. */
const pend = async (): Promise<string> => {
  const { status, body } = await request()
  expect([status, body.state]).toEqual([200, 'pending'])
  return body.id
}

beforeEach(async () => {
  for (const key of ['acme', 'globex', 'renamed']) await ask('DELETE', `$F/tenants/${key}`)
  for (const { key } of FACTS.users) await ask('DELETE', `$F/users/${key}`)
  for (const key of ['chief', 'lead']) await ask('DELETE', `$S/roles/${key}`)
  await apply({ ...POLICY, ...FACTS })
  acme = await createKey('acme')
  globex = await createKey('globex')
})

describe('a role of a tenant', () => {
  it('says who may ask for it, as other roles do; a write that does not name it leaves it', async () => {
    expect((await make(own)).body).not.toHaveProperty('requestable')
    const { body } = await change('bookkeeper', { requestable: { ...RULE, approvers: ['lead', 'bookkeeper'] } })
    const stored = { ...RULE, by: 'members', approvers: ['bookkeeper@acme', 'lead'] }
    expect(body.requestable).toEqual(stored)
    const replaced = await ask('PUT', `${ROLES}/bookkeeper`, { permissions: own.permissions }, { key: acme })
    expect(replaced.body.requestable).toEqual(stored)
    expect((await change('bookkeeper', { requestable: null })).body).not.toHaveProperty('requestable')
    refused(await request(), 403, 'cannot be asked for')
  })

  it('is refused with what is not there, of another tenant or on instances, for everybody, and without a bound', async () => {
    await make(own)
    await ask('POST', '$F/tenants/globex/roles', { key: 'theirs' }, { key: globex })
    await ask('POST', '$S/resources/invoice/roles', { key: 'editor', name: 'Editor' })
    for (const ref of ['none', 'theirs', 'theirs@globex', 'invoice/editor'])
      refused(await change('bookkeeper', { requestable: { ...RULE, approvers: [ref] } }), 404, 'does not exist')
    refused(await change('bookkeeper', { requestable: { ...RULE, by: 'everybody' } }), 422, 'for its own users')
    refused(await change('bookkeeper', { requestable: { approvers: [] } }), 422, 'max_duration')
    refused(await change('bookkeeper', { requestable: { ...RULE, auto: true } }), 422, 'is `required`')
    refused(await change('bookkeeper', { requestable: { ...RULE, approvers: 'lead' } }), 422, 'approvers')
    // no role of the environment is approved by one of a tenant
    refused(
      await ask('PATCH', '$S/roles/payer', { requestable: { ...RULE, approvers: ['bookkeeper@acme'] } }),
      404,
      'does not exist',
    )
    await ask('DELETE', '$S/resources/invoice/roles/editor')
  })

  it('is asked for by its users, with its key in the tenant or its whole key, and to others is not there', async () => {
    await make({ ...own, requestable: RULE })
    const { body } = await request()
    expect(body).toMatchObject({ user: 'ana', role: 'bookkeeper@acme', tenant: 'acme', state: 'pending' })
    expect((await ask('GET', '$F/access_requests?role=bookkeeper@acme')).body.data).toMatchObject([{ id: body.id }])
    await decide(body.id, 'cancel', 'ana')
    const listOffered = async (as: string, tenant = 'acme') =>
      (await ask('GET', `$F/tenants/${tenant}/requestable_roles?as=${as}`)).body.data
    expect(await listOffered('ana')).toMatchObject([{ key: 'bookkeeper@acme', resource: null, max_duration: 7_200 }])
    for (const tenant of ['acme', 'globex']) expect(await listOffered('gus', tenant)).toEqual([])
    const outside = (fields: object) => ask('POST', '$F/access_requests', { ...ASKED, tenant: 'acme', ...fields })
    refused(await outside({}), 404, 'role `bookkeeper` does not exist')
    const made = await outside({ role: 'bookkeeper@acme' })
    expect(made).toMatchObject({ status: 200, body: { role: 'bookkeeper@acme' } })
    // who is not in the tenant is answered the same, whether the role is there or not
    for (const role of ['bookkeeper@acme', 'nothing@acme']) {
      refused(await outside({ as: 'gus', role }), 404, `role \`${role}\` does not exist`)
      refused(await outside({ as: 'gus', role, tenant: 'globex' }), 404, `role \`${role}\` does not exist`)
      refused(await request({ as: 'gus', role }), 404, 'user `gus` does not exist')
      refused(
        await request({ as: 'gus', role }, '$F/tenants/globex/access_requests', globex),
        404,
        `role \`${role}\` does not exist`,
      )
    }
  })
})

describe('an approver', () => {
  it('gives a role of the tenant within what they have themselves, until its end', async () => {
    await make({ ...own, requestable: RULE })
    const id = await pend()
    refused(await decide(id, 'approve', 'cyd'), 403, 'invoice:pay')
    refused(await ask('POST', `$F/access_requests/${id}/approve`, { as: 'cyd' }), 403, 'invoice:pay')
    expect([await state(id), await listHeld('ana')]).toEqual(['pending', ['viewer']])
    expect(await decide(id, 'approve', 'ben')).toMatchObject({ status: 200, body: { state: 'approved' } })
    const held = (await ask('GET', '$F/tenants/acme/role_assignments?user=ana', undefined, { key: acme })).body.data
    expect(held[1]).toMatchObject({ role: 'bookkeeper@acme', valid_until: TIME })
    expect(await decide(id, 'revoke', 'ana')).toMatchObject({ status: 200, body: { state: 'revoked' } })
    expect(await listHeld('ana')).toEqual(['viewer'])
  })

  it('with less than the role denies it, and prolongs it no more than they give it', async () => {
    await make({ ...own, requestable: RULE })
    const id = await pend()
    expect((await decide(id, 'deny', 'cyd')).body.state).toBe('denied')
    await decide(await pend(), 'approve', 'ben')
    const longer = (await request({ duration: 7_000 })).body.id
    refused(await decide(longer, 'approve', 'cyd'), 403, 'invoice:pay')
    expect((await decide(longer, 'approve', 'ben')).body.state).toBe('approved')
  })

  it('who lost what the role gives, or the role that approves, approves no more', async () => {
    await make({ ...own, requestable: RULE })
    const id = await pend()
    await ask('DELETE', '$F/role_assignments', assigned('ben', 'payer'))
    refused(await decide(id, 'approve', 'ben'), 403, 'invoice:pay')
    await ask('POST', '$F/role_assignments', assigned('ben', 'payer'))
    await ask('DELETE', '$F/role_assignments', assigned('ben', 'lead'))
    refused(await decide(id, 'approve', 'ben'), 403, 'may not have this request approved')
    await ask('POST', '$F/role_assignments', assigned('ben', 'lead'))
    expect((await decide(id, 'approve', 'ben')).status).toBe(200)
  })

  it('is not bounded where what is offered is the bound, as with assigning', async () => {
    await make({ ...own, requestable: RULE })
    const { decideInTenant } = await import('../../../src/management/objects/tenant-requests.ts')
    const id = await pend()
    const mint = { id: () => 'f'.repeat(32), now: Date.now(), secret: () => '' }
    const of = { tenant: 'acme', ref: id, decision: 'approve', fields: { as: 'cyd' } } as const
    const view = () => api.store.view(api.environment)
    expect(decideInTenant(view(), { ...of, isWithinOwn: false }, mint).result.state).toBe('approved')
    expect(() => decideInTenant(view(), { ...of, isWithinOwn: true }, mint)).toThrow('invoice:pay')
  })

  it('is not made by who has less than the role: neither who decides nor that no one does', async () => {
    await make(own, 'ben')
    for (const requestable of [
      { ...RULE, approvers: ['lead'] },
      { auto: true, max_duration: 60 },
    ])
      refused(await change('bookkeeper', { requestable }, 'cyd'), 403, 'invoice:pay')
    refused(await make({ ...own, key: 'mine', requestable: RULE }, 'cyd'), 403, 'invoice:pay')
    const { status } = await change('bookkeeper', { requestable: { auto: true, max_duration: 60 } }, 'ben')
    expect(status).toBe(200)
    // what is not changed is not given
    expect((await change('bookkeeper', { name: 'Books' }, 'cyd')).status).toBe(200)
    const given = await request({ duration: 60, reason: 'month end' })
    expect(given.body).toMatchObject({ state: 'approved', auto: true })
    expect((await change('bookkeeper', { requestable: null }, 'cyd')).status).toBe(200)
  })

  it('with a role of the tenant decides in the tenant', async () => {
    await make({ key: 'head' })
    await make({ key: 'see', permissions: ['invoice:read'], requestable: { ...RULE, approvers: ['head'] } })
    const { id } = (await request({ role: 'see' })).body
    refused(await decide(id, 'approve', 'cyd'), 403, 'may not have this request approved')
    await ask('POST', '$F/role_assignments', assigned('cyd', 'head@acme'))
    expect((await decide(id, 'approve', 'cyd')).body.state).toBe('approved')
  })
})

describe('a pending request for a role of a tenant', () => {
  it('is cancelled with the role, the user and the tenant, and is no request for another one of that key', async () => {
    const role = { ...own, requestable: RULE }
    await make(role)
    const removed = await pend()
    await ask('DELETE', `${ROLES}/bookkeeper`, undefined, { key: acme })
    expect(await state(removed)).toBe('cancelled')
    await make(role)
    refused(await decide(removed, 'approve', 'ben'), 409, 'cancelled')
    const left = await pend()
    await ask('DELETE', '$F/users/ana')
    expect(await state(left)).toBe('cancelled')
    await ask('POST', '$F/users', { key: 'ana', role_assignments: [{ role: 'viewer', tenant: 'acme' }] })
    refused(await decide(left, 'approve', 'ben'), 409, 'cancelled')
    const gone = await pend()
    await decide(gone, 'approve', 'ben')
    const last = (await request({ duration: 7_000 })).body.id
    await ask('DELETE', '$F/tenants/acme')
    expect([await state(gone), await state(last)]).toEqual(['cancelled', 'cancelled'])
  })

  it('loses who approves with their role, and follows what a policy file renames', async () => {
    await make({ key: 'head' })
    await make({ ...own, extends: ['head'], requestable: { ...RULE, approvers: ['lead', 'head'] } })
    const id = await pend()
    const read = async (tenant = 'acme') =>
      (await ask('GET', `$F/tenants/${tenant}/roles/bookkeeper`)).body as { requestable: object; extends: string[] }
    const roles = POLICY.roles.map((role) => (role.key === 'lead' ? { ...role, key: 'chief' } : role))
    await apply({ roles, moved: [{ kind: 'role', from: 'lead', to: 'chief' }] })
    expect((await read()).requestable).toMatchObject({ approvers: ['chief', 'head@acme'] })
    await ask('DELETE', `${ROLES}/head`)
    expect(await read()).toMatchObject({ requestable: { approvers: ['chief'] }, extends: [] })
    const tenants = [{ key: 'renamed' }, { key: 'globex' }]
    await apply({ tenants, moved: [{ kind: 'tenant', from: 'acme', to: 'renamed' }] })
    expect((await ask('GET', `$F/access_requests/${id}`)).body).toMatchObject({
      role: 'bookkeeper@renamed',
      tenant: 'renamed',
      state: 'pending',
    })
    const approve = () => ask('POST', `$F/tenants/renamed/access_requests/${id}/approve`, { as: 'ben' }, { key: acme })
    expect((await approve()).status).toBe(200)
    expect(await listHeld('ana')).toEqual(['viewer', 'bookkeeper@renamed'])
    await ask('DELETE', '$S/roles/chief')
    expect((await read('renamed')).requestable).toMatchObject({ approvers: [] })
  })

  it('of a user who is deleted and made again is of the one before, also when it was approved', async () => {
    await make({ ...own, requestable: RULE })
    const approved = await pend()
    await decide(approved, 'approve', 'ben')
    const longer = (await request({ duration: 7_000 })).body.id
    await ask('DELETE', '$F/users/ana')
    await ask('POST', '$F/users', { key: 'ana', role_assignments: [{ role: 'viewer', tenant: 'acme' }] })
    const listed = (await ask('GET', '$F/access_requests?user=ana')).body.data
    expect(listed.map(({ id, state: is }: { id: string; state: string }) => [id, is])).toEqual(
      expect.arrayContaining([
        [approved, 'cancelled'],
        [longer, 'cancelled'],
      ]),
    )
    expect((await ask('GET', '$F/access_requests?user=ana&state=pending')).body.data).toEqual([])
    for (const verb of ['revoke', 'cancel']) refused(await decide(approved, verb, 'ana'), 409, 'cancelled')
    expect(await listHeld('ana')).toEqual(['viewer'])
    expect(await pend()).not.toBe(longer)
  })

  it('is not approved by who asked, with whichever key, nor with a role that was just given', async () => {
    await make({ ...own, requestable: RULE })
    const id = await pend()
    for (const role of ['lead', 'payer']) await ask('POST', '$F/role_assignments', assigned('ana', role))
    const wide = api.made.environments[0]!.secret
    const path = `${REQUESTS}/${id}/approve`
    const senders: Parameters<Ask>[3][] = [
      {},
      { key: acme },
      { key: await createKey('acme') },
      { key: wide },
      { key: wide, headers: { 'x-as-tenant': 'acme' } },
      { key: acme, headers: { 'x-acting-user': 'ben' } },
    ]
    for (const sender of senders)
      refused(await ask('POST', path, { as: 'ana' }, sender), 403, 'because it is their own')
    expect([await state(id), (await decide(id, 'approve', 'ben')).status]).toEqual(['pending', 200])
    refused(await decide(id, 'approve', 'ben'), 409, 'approved')
  })

  it('is not found by the key of another tenant, nor decided with it', async () => {
    await make({ ...own, requestable: RULE })
    const id = await pend()
    for (const path of [REQUESTS, '$F/tenants/globex/access_requests']) {
      refused(await ask('GET', `${path}/${id}`, undefined, { key: globex }), 404, 'does not exist')
      refused(await ask('POST', `${path}/${id}/approve`, { as: 'gus' }, { key: globex }), 404, 'does not exist')
    }
    expect(await state(id)).toBe('pending')
  })
})
