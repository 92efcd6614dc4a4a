// Own roles of a tenant and access requests through the routes of members: what an administrator and a member do with
// them, that no one gives more than they have, that the user and the tenant are those of the session whatever a request
// says, what is refused with which reason, and what the history then says.
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { clientOver, type ManagementClient } from '../../src/client/management-client.ts'
import { DESCRIPTION_LENGTH_MAX } from '../../src/model/limits.ts'
import type { Pdp } from '../../src/pdp/pdp.ts'
import { loadPolicy } from '../../src/policy.ts'
import { type Harness, ID, joinHarness } from '../http/management/harness.ts'
import { type Asked, askRoutes, clientWith, URL_OF_API } from './member-app.ts'

const requestable = { approvers: ['lead'], max_duration: 7_200, reason: 'optional' } as const
const POLICY = {
  zerohop: 2,
  resources: [
    { key: 'members', actions: { manage: {}, see: {}, compose: {} } },
    {
      key: 'doc',
      name: 'Document',
      actions: {
        read: { name: 'Read', grantable: true },
        edit: { name: 'Edit', grantable: true },
        erase: { grantable: true },
        audit: {},
      },
      roles: { keeper: { permissions: ['edit'], requestable } },
    },
  ],
  roles: [
    { key: 'admin', permissions: ['members:manage', 'members:see', 'doc:read'], assignable_by_tenants: true },
    { key: 'reader', permissions: ['doc:read'], extendable: true },
    { key: 'eraser', permissions: ['doc:erase'], extendable: true },
    { key: 'lead', permissions: ['doc:edit'] },
    {
      key: 'responder',
      name: 'Responder',
      permissions: ['doc:edit'],
      requestable: { ...requestable, reason: 'required' },
    },
    { key: 'breaker', permissions: ['doc:erase'], requestable: { max_duration: 600, auto: true } },
  ],
}
const TENANTS = ['acme', 'globex']
const NAMES = ['boss', 'lead', 'clerk', 'second']
const FACTS = {
  tenants: TENANTS.map((key) => ({ key })),
  users: [...TENANTS.flatMap((tenant) => NAMES.map((name) => ({ key: `${tenant}-${name}` }))), { key: 'homeless' }],
  memberships: TENANTS.flatMap((tenant) => NAMES.map((name) => ({ user: `${tenant}-${name}`, tenant }))),
  resource_instances: TENANTS.map((tenant) => ({ resource: 'doc', key: `${tenant}-plan`, tenant })),
  role_assignments: TENANTS.flatMap((tenant) => [
    { user: `${tenant}-boss`, role: 'admin', tenant },
    ...['lead', 'second'].map((name) => ({ user: `${tenant}-${name}`, role: 'lead', tenant })),
  ]),
}
const ENVIRONMENT = '/v2/projects/default/envs/development'
const AS_CLERK = { as: 'acme/acme-clerk' }
const AS_LEAD = { as: 'acme/acme-lead' }

let api: Harness
let pdp: Pdp
let client: ManagementClient
const sent: Request[] = []

beforeAll(async () => {
  api = await joinHarness()
  pdp = loadPolicy(POLICY, { facts: FACTS, strict: false })
  for (const policy of [POLICY, { zerohop: 2, ...FACTS }]) {
    const { status, body } = await api.ask('POST', `${ENVIRONMENT}/apply`, { policy })
    expect({ status, body }).toMatchObject({ status: 200 })
  }
  const { organization_id, environment_id } = api.place
  const wanted = { organization_id, environment_id, object_type: 'env', access_level: 'write' }
  const { secret } = (await api.ask('POST', '/v2/api-key', wanted)).body
  client = clientWith(api, secret, (request) => sent.push(request))
})
afterAll(async () => {
  await pdp.close()
  await api.close()
})
/** Nothing that a test made stays, but for requests that are decided. */
afterEach(async () => {
  const headers = { 'x-reason': 'the next test' }
  const drop = (path: string) => api.ask('DELETE', path, undefined, { headers })
  const rows = async (path: string) => (await api.ask('GET', path)).body.data
  await api.ask('PATCH', ENVIRONMENT, { require_reason: false }, { headers })
  for (const tenant of TENANTS) {
    for (const { tenant: own, key } of await rows(`$F/tenants/${tenant}/roles`))
      if (own !== null) await drop(`$F/tenants/${tenant}/roles/${key}`)
    for (const { id } of await rows(`$F/tenants/${tenant}/invites`)) await drop(`$F/tenants/${tenant}/invites/${id}`)
  }
  for (const state of ['pending', 'approved'])
    for (const { id, user: as } of await rows(`$F/access_requests?state=${state}`))
      await api.ask('POST', `$F/access_requests/${id}/${state === 'pending' ? 'cancel' : 'revoke'}`, { as })
  const grant = { user: 'acme-clerk', role: 'admin', tenant: 'acme' }
  await api.ask('DELETE', '$F/role_assignments', grant)
  sent.length = 0
})

const ask = (asked: Asked) => askRoutes(pdp, { client, read: 'members:see', onError: () => undefined }, asked)
const post = (path: string, body: object = {}, more: Partial<Asked> = {}) =>
  ask({ method: 'POST', path, body, ...more })
const patch = (key: string, body: object, more: Partial<Asked> = {}) =>
  ask({ method: 'PATCH', path: `/roles/${key}`, body, ...more })
const makeRole = (body: object, more: Partial<Asked> = {}) => post('/roles', { key: 'bookkeeper', ...body }, more)
const request = async (body: object = {}, more: Partial<Asked> = AS_CLERK): Promise<string> => {
  const made = await post('/requests', { role: 'responder', duration: 600, reason: 'on call', ...body }, more)
  expect(made).toMatchObject({ status: 201 })
  return made.body.id
}
const step = (id: string, name: string, more: Partial<Asked> = {}) => post(`/requests/${id}/${name}`, {}, more)
/** The open requests of a user, or those of a query: others are of tests before. */
const listRequests = async (as: string, query?: string) => {
  const { data } = (await ask({ as, path: `/requests${query ?? ''}` })).body
  return query === undefined ? data.filter(({ may }: { may: string[] }) => may.length > 0) : data
}
const listHeld = async (user: string) =>
  (await api.ask('GET', `$F/role_assignments?user=${user}`)).body.map(({ role }: { role: string }) => role)

describe('own roles', () => {
  it('are made of what is offered, given, changed and deleted', async () => {
    expect((await ask({ path: '/permissions' })).body).toEqual({
      data: [
        { key: 'doc:read', resource: 'Document', action: 'Read', description: null },
        { key: 'doc:edit', resource: 'Document', action: 'Edit', description: null },
        { key: 'doc:erase', resource: 'Document', action: 'erase', description: null },
      ],
      total_count: 3,
      may_manage: true,
    })
    const offered = (await ask({ path: '/roles?offered=extendable' })).body.data
    expect(offered.map(({ key }: { key: string }) => key)).toEqual(['reader', 'eraser'])

    const made = await makeRole({ name: 'Bookkeeper', permissions: ['doc:read'] })
    const role = {
      key: 'bookkeeper@acme',
      is_own: true,
      resource: null,
      name: 'Bookkeeper',
      description: null,
      permissions: ['doc:read'],
      extends: [],
    }
    expect(made).toMatchObject({ status: 201, body: role })
    expect((await ask({ path: '/roles' })).body.data).toContainEqual(role)
    const path = '/members/acme-clerk/roles/bookkeeper@acme'
    expect((await ask({ method: 'PUT', path, body: {} })).status).toBe(201)
    expect(await listHeld('acme-clerk')).toEqual(['bookkeeper@acme'])

    const changed = await patch('bookkeeper@acme', {
      description: 'Keeps books',
      permissions: null,
      extends: ['reader'],
    })
    expect(changed).toMatchObject({
      status: 200,
      body: { description: 'Keeps books', permissions: [], extends: ['reader'] },
    })
    expect((await ask({ method: 'DELETE', path: '/roles/bookkeeper' })).status).toBe(204)
    expect(await listHeld('acme-clerk')).toEqual([])
    expect((await ask({ method: 'DELETE', path: '/roles/bookkeeper' })).status).toBe(404)
  })

  it('need the permission that is named for them, else that to manage', async () => {
    const compose = { options: { manageRoles: 'members:compose' } }
    expect((await makeRole({}, compose)).status).toBe(403)
    expect((await ask({ path: '/roles', ...compose })).body.may_manage).toBe(false)
    expect((await ask({ path: '/permissions', ...AS_CLERK })).status).toBe(403)
    for (const one of [
      makeRole({}, AS_CLERK),
      patch('x', {}, AS_CLERK),
      ask({ method: 'DELETE', path: '/roles/x', ...AS_CLERK }),
    ])
      expect((await one).status).toBe(403)
    await expect(askRoutes(pdp, { client, manageRoles: 'compose' }, { path: '/roles' })).rejects.toThrow('manageRoles')
  })

  it('have no more than who makes, changes, gives or offers them', async () => {
    const beyond = {
      status: 403,
      body: { error: 'forbidden', error_code: 'FORBIDDEN_ACCESS', reason: 'BEYOND_OWN_ROLES' },
    }
    expect(await makeRole({ permissions: ['doc:erase'] })).toMatchObject(beyond)
    expect(await makeRole({ extends: ['eraser'] })).toMatchObject(beyond)
    await makeRole({ permissions: ['doc:read'] })
    expect(await patch('bookkeeper', { permissions: ['doc:read', 'doc:erase'] })).toMatchObject(beyond)
    expect(await patch('bookkeeper', { extends: ['eraser'] })).toMatchObject(beyond)
    // what another one made is given by who has it: not by this one, and not by an own role that extends it
    const other = { key: 'cleaner', permissions: ['doc:erase'] }
    expect((await api.ask('POST', '$F/tenants/acme/roles', other)).status).toBe(200)
    expect(await patch('bookkeeper', { extends: ['cleaner'] })).toMatchObject(beyond)
    const given = await ask({ method: 'PUT', path: '/members/acme-boss/roles/cleaner@acme', body: {} })
    expect(given).toMatchObject(beyond)
    expect(await post('/invites', { email: 'x@acme.example', role: 'cleaner@acme' })).toMatchObject(beyond)
    expect((await patch('cleaner', { name: 'Cleaner' })).status).toBe(200)
    expect(await listHeld('acme-boss')).toEqual(['admin'])
  })

  it('are bounded by the user of the session, whoever a request says it is', async () => {
    const headers = { 'x-acting-user': 'acme-lead', 'x-as-tenant': 'globex', 'x-reason': 'mine' }
    expect((await makeRole({ permissions: ['doc:edit'] }, { headers })).body.reason).toBe('BEYOND_OWN_ROLES')
    expect(sent.at(-1)!.headers.get('x-acting-user')).toBe('acme-boss')
    expect(sent.at(-1)!.headers.get('x-as-tenant')).toBe('acme')
    for (const field of ['as', 'user', 'tenant', 'acting', 'acting_user', 'by', 'key@globex', '__proto__'])
      expect([field, (await makeRole({}, { body: `{"key":"x","${field}":"globex"}` })).status]).toEqual([field, 422])
    for (const query of ['as=acme-lead', 'tenant=globex', 'acting_user=acme-lead'])
      expect([query, (await makeRole({}, { path: `/roles?${query}` })).status]).toEqual([query, 422])
  })

  it('are those of the tenant of the session', async () => {
    const there = { as: 'globex/globex-boss' }
    await makeRole({ permissions: ['doc:read'] }, there)
    for (const key of [
      'bookkeeper@globex',
      'bookkeeper',
      'reader',
      '..%2F..%2Fglobex%2Froles%2Fbookkeeper',
      '%2e%2e',
      'a%2Fb',
    ]) {
      expect([key, (await patch(key, { name: 'Mine' })).status]).toEqual([key, 404])
      expect([key, (await ask({ method: 'DELETE', path: `/roles/${key}` })).status]).toEqual([key, 404])
    }
    expect((await makeRole({ extends: ['bookkeeper@globex'] })).status).toBe(404)
    expect((await ask({ method: 'PUT', path: '/members/acme-clerk/roles/bookkeeper@globex', body: {} })).status).toBe(
      404,
    )
    expect((await ask({ path: '/roles' })).text).not.toContain('globex')
    const { data } = (await ask({ path: '/roles', ...there })).body
    expect(data.find(({ is_own: own }: { is_own: boolean }) => own)).toMatchObject({ name: 'bookkeeper' })
  })

  it('are refused with the reason when they are wrong', async () => {
    await makeRole({})
    expect(await makeRole({})).toMatchObject({ status: 409, body: { error: 'conflict', reason: 'OBJECT_EXISTS' } })
    for (const [body, want] of [
      [{ key: 'a b' }, 422],
      [{ key: 7 }, 422],
      [{ permissions: 'doc:read' }, 422],
      [{ permissions: ['doc:audit'] }, 404],
      [{ permissions: ['doc:nothing'] }, 404],
      [{ extends: ['lead'] }, 404],
      [{ resource: 'doc' }, 422],
    ] as const)
      expect([body, (await makeRole({ key: 'other', ...body })).status]).toEqual([body, want])
    expect((await ask({ path: '/roles?offered=all' })).status).toBe(422)
  })
})

describe('access requests', () => {
  it('are made for a role that may be asked for, decided by an approver, and end by a revoke', async () => {
    expect((await ask({ path: '/requestable_roles', ...AS_CLERK })).body).toEqual({
      data: [
        {
          key: 'responder',
          resource: null,
          name: 'Responder',
          description: null,
          max_duration: 7_200,
          needs_reason: true,
          at_once: false,
        },
        {
          key: 'breaker',
          resource: null,
          name: 'breaker',
          description: null,
          max_duration: 600,
          needs_reason: true,
          at_once: true,
        },
        {
          key: 'keeper',
          resource: 'doc',
          name: 'keeper',
          description: null,
          max_duration: 7_200,
          needs_reason: false,
          at_once: false,
        },
      ],
      total_count: 3,
    })
    const id = await request()
    const own = { id, state: 'pending', user: 'acme-clerk', is_own: true, role: 'responder', may: ['cancel'] }
    expect(await listRequests('acme/acme-clerk')).toMatchObject([{ ...own, reason: 'on call', duration: 600 }])
    expect(await listRequests('acme/acme-lead', '?state=pending')).toMatchObject([
      { id, is_own: false, may: ['approve', 'deny'] },
    ])
    const approved = await post(`/requests/${id}/approve`, { duration: 60, reason: 'go' }, AS_LEAD)
    expect(approved).toMatchObject({
      status: 200,
      body: { state: 'approved', approved_by: 'acme-lead', decision_reason: 'go' },
    })
    expect(await listHeld('acme-clerk')).toEqual(['responder'])
    for (const who of ['clerk', 'lead'])
      expect(await listRequests(`acme/acme-${who}`)).toMatchObject([{ may: ['revoke'] }])
    expect((await step(id, 'revoke', AS_CLERK)).body.state).toBe('revoked')
    expect(await listHeld('acme-clerk')).toEqual([])
    expect(await listRequests('acme/acme-clerk', '?state=pending')).toEqual([])
    expect(await listRequests('acme/acme-clerk', '?role=breaker')).toEqual([])
  })

  it('are denied and cancelled, given at once, and on an instance', async () => {
    expect((await step(await request(), 'deny', AS_LEAD)).body.state).toBe('denied')
    expect((await step(await request(), 'cancel', AS_CLERK)).body.state).toBe('cancelled')
    expect((await post('/requests', { role: 'breaker', duration: 60, reason: 'fire' }, AS_CLERK)).body).toMatchObject({
      state: 'approved',
      auto: true,
    })
    const id = await request({ role: 'keeper', resource_instance: 'doc:acme-plan' })
    expect((await step(id, 'approve', AS_LEAD)).body).toMatchObject({
      resource_instance: 'doc:acme-plan',
      state: 'approved',
    })
    expect(
      (await post('/requests', { role: 'keeper', resource_instance: 'doc:globex-plan', duration: 60 }, AS_CLERK))
        .status,
    ).toBe(404)
  })

  it('are shown to who made them and to who may decide, and to no one else', async () => {
    const id = await request()
    for (const as of ['acme/acme-boss', 'globex/globex-lead', 'globex/globex-clerk'])
      expect([as, await listRequests(as)]).toEqual([as, []])
    const mine = await request({}, AS_LEAD)
    expect((await listRequests('acme/acme-lead')).map(({ id: one }: { id: string }) => one)).toEqual([id, mine])
    expect(await listRequests('acme/acme-clerk')).toMatchObject([{ id }])
  })

  it('are not approved by who made them, nor by who is no approver, nor from another tenant', async () => {
    const refused = { status: 403, body: { error: 'forbidden', reason: 'REQUEST_REFUSED' } }
    const mine = await request({}, AS_LEAD)
    for (const name of ['approve', 'deny']) {
      const own = await step(mine, name, AS_LEAD)
      expect(own).toMatchObject(refused)
      expect(own.body.message).toContain('their own')
    }
    const id = await request()
    for (const name of ['approve', 'deny'])
      for (const as of ['acme/acme-clerk', 'acme/acme-boss'])
        expect(await step(id, name, { as })).toMatchObject(refused)
    expect(await step(id, 'cancel', AS_LEAD)).toMatchObject(refused)
    for (const name of ['approve', 'deny', 'cancel', 'revoke'])
      expect([name, (await step(id, name, { as: 'globex/globex-lead' })).status]).toEqual([name, 404])
    expect((await step(id, 'approve', { as: 'acme/acme-second' })).status).toBe(200)
    expect(await step(id, 'approve', { as: 'acme/acme-second' })).toMatchObject({
      status: 409,
      body: { error: 'conflict', reason: 'REQUEST_STATE' },
    })
  })

  it('are those of the user of the session, whoever a request says it is', async () => {
    const id = await request({}, AS_LEAD)
    for (const field of ['as', 'user', 'tenant', 'approved_by', 'auto', 'state', '__proto__']) {
      const body = `{"role":"responder","duration":60,"${field}":"acme-second"}`
      expect([field, (await post('/requests', {}, { ...AS_CLERK, body })).status]).toEqual([field, 422])
      const decision = { ...AS_LEAD, body: `{"${field}":"acme-second"}` }
      expect([field, (await step(id, 'approve', decision)).status]).toEqual([field, 422])
    }
    for (const query of ['as=acme-lead', 'user=acme-lead', 'tenant=globex', 'state=pending&state=denied'])
      for (const path of ['/requests', '/requestable_roles'])
        expect([query, (await ask({ path: `${path}?${query}`, ...AS_CLERK })).status]).toEqual([query, 422])
    const headers = { 'x-acting-user': 'acme-second', 'x-as-tenant': 'globex' }
    expect((await step(id, 'approve', { ...AS_LEAD, headers })).status).toBe(403)
    for (const path of [`${id}/../${id}`, 'nothing', '%2e%2e', `${'0'.repeat(32)}`])
      expect([path, (await post(`/requests/${path}/approve`, {}, AS_LEAD)).status]).toEqual([path, 404])
  })

  it('are of users of the tenant alone who are not suspended', async () => {
    const id = await request()
    const asked = (as: string) => [
      ask({ as, path: '/requests' }),
      ask({ as, path: '/requestable_roles' }),
      post('/requests', { role: 'breaker', duration: 60, reason: 'fire' }, { as }),
      step(id, 'approve', { as }),
    ]
    for (const as of ['acme/homeless', 'acme/globex-lead', 'acme/nothing'])
      for (const one of asked(as)) expect([as, (await one).status]).toEqual([as, 404])
    for (const as of ['acme/*', 'acme/ana b'])
      for (const one of asked(as)) expect([as, (await one).status]).toEqual([as, 403])
    expect((await api.ask('PUT', '$F/users/acme-lead/suspension', { reason: 'left' })).status).toBeLessThan(300)
    for (const one of asked('acme/acme-lead'))
      expect(await one).toMatchObject({ status: 403, body: { reason: 'REQUEST_REFUSED' } })
    await api.ask('DELETE', '$F/users/acme-lead/suspension')
  })

  it('are refused with the reason when they are wrong', async () => {
    for (const [body, want, reason] of [
      [{ role: 'lead', duration: 60 }, 403, 'REQUEST_REFUSED'],
      [{ role: 'nothing', duration: 60 }, 404, undefined],
      [{ role: 'responder', duration: 60 }, 422, 'INPUT_INVALID'],
      [{ role: 'responder', reason: 'x' }, 422, 'INPUT_INVALID'],
      [{ role: 'responder', reason: 'x', duration: 7_201 }, 422, 'INPUT_INVALID'],
      [{ role: 'responder', reason: 'x', duration: 60, until: '2999-01-01T00:00:00Z' }, 422, 'INPUT_INVALID'],
      [{ duration: 60 }, 422, undefined],
      [{ role: ['responder'], duration: 60 }, 422, undefined],
    ] as const)
      expect([body, await post('/requests', body, AS_CLERK)]).toMatchObject([
        body,
        { status: want, body: reason === undefined ? {} : { reason } },
      ])
    await request()
    const again = await post('/requests', { role: 'responder', duration: 60, reason: 'x' }, AS_CLERK)
    expect(again).toMatchObject({ status: 409, body: { reason: 'REQUEST_PENDING', error_code: 'DUPLICATE_ENTITY' } })
    expect((await ask({ path: '/requests?state=open', ...AS_CLERK })).status).toBe(422)
  })
})

describe('a session of a product without one', () => {
  const COOKIE = '__Host-zerohop-members'
  const begin = async (user_id: string, tenant_id: string): Promise<string> =>
    (await client.POST('/v2/auth/elements_login_as', { body: { user_id, tenant_id } })).data!.token
  const askAs = (token: string, asked: Asked) =>
    ask({ ...asked, as: '', headers: { cookie: `${COOKIE}=${token}` }, options: { loginPage: '/members' } })

  it('asks and decides as its user, in its tenant, until it is ended', async () => {
    const [clerk, lead, other] = [
      await begin('acme-clerk', 'acme'),
      await begin('acme-lead', 'acme'),
      await begin('globex-lead', 'globex'),
    ]
    const wanted = { role: 'responder', duration: 60, reason: 'on call' }
    const { body } = await askAs(clerk, { method: 'POST', path: '/requests', body: wanted })
    const approve = { method: 'POST', path: `/requests/${body.id}/approve`, body: {} }
    expect((await askAs(other, approve)).status).toBe(404)
    expect((await askAs(clerk, approve)).status).toBe(403)
    expect((await askAs(clerk, { method: 'POST', path: '/roles', body: { key: 'x' } })).status).toBe(403)
    await askAs(lead, { method: 'DELETE', path: '/login' })
    expect((await askAs(lead, approve)).status).toBe(401)
    expect((await askAs(await begin('acme-lead', 'acme'), approve)).status).toBe(200)
  })

  it('is none while its user is suspended', async () => {
    const token = await begin('acme-boss', 'acme')
    expect((await askAs(token, { path: '/members' })).status).toBe(200)
    await api.ask('PUT', '$F/users/acme-boss/suspension', { reason: 'left' })
    for (const path of ['/members', '/requests', '/requestable_roles', `/login?token=${token}`])
      expect([path, (await askAs(token, { path })).status]).toEqual([path, 401])
    await api.ask('DELETE', '$F/users/acme-boss/suspension')
    expect((await askAs(token, { path: '/members' })).status).toBe(200)
  })
})

describe('a refusal of the management API', () => {
  const answering = (response: () => Response, onError?: (error: unknown) => void) => {
    const answer = async ({ url }: Request) =>
      url.endsWith('/scope') ? Response.json({ project_id: 'p', environment_id: 'e' }) : response()
    const options = { client: clientOver(answer, URL_OF_API, 'zh_env_secret'), onError }
    return ask({ path: '/members', options: options as Asked['options'] & object })
  }
  const refusal = { id: '1', title: 'x', message: 'why', support_link: null, additional_info: null }

  it.each([
    [403, 'FORBIDDEN_ACCESS', 'BEYOND_OWN_ROLES', 'forbidden'],
    [403, 'FORBIDDEN_ACCESS', 'REQUEST_REFUSED', 'forbidden'],
    [404, 'NOT_FOUND', undefined, 'not_found'],
    [409, 'DUPLICATE_ENTITY', 'OBJECT_EXISTS', 'conflict'],
    [412, 'INVALID_INPUT', 'ENVIRONMENT_CHANGED', 'precondition'],
    [400, 'PAGINATION_SIZE_OVERREACHED', undefined, 'invalid'],
  ])('%i %s %s is passed on', async (status, error_code, reason, error) => {
    const headers = reason === undefined ? {} : { 'x-error-code': reason }
    const answered = await answering(() =>
      Response.json({ ...refusal, error_code }, { status, headers: headers as HeadersInit }),
    )
    const want = { error, error_code, ...(reason === undefined ? {} : { reason }), message: 'why' }
    expect([answered.status, answered.body]).toEqual([status, want])
  })

  it('422 is passed on with the fields that are wrong, but for headers, which the server sends', async () => {
    const issue = (...loc: string[]) => ({ loc, msg: 'is wrong', type: 'value_error' })
    const of = (...detail: object[]) => answering(() => Response.json({ detail }, { status: 422 }))
    const two = await of(issue('body', 'role'), issue('header', 'x-reason'))
    expect([two.status, two.body]).toEqual([
      422,
      { error: 'invalid', error_code: 'INVALID_INPUT', message: 'role: is wrong; x-reason: is wrong' },
    ])
    expect((await of(issue('header', 'x-reason'))).status).toBe(503)
  })

  it('about the key or the server is 503, and one line of the log says why', async () => {
    const lines: string[] = []
    const heard = vi.spyOn(process, 'emitWarning').mockImplementation((line) => void lines.push(String(line)))
    for (const [status, code] of [
      [401, undefined],
      [403, undefined],
      [403, 'KEY_TOO_NARROW'],
      [429, 'RATE_LIMITED'],
      [500, undefined],
      [503, undefined],
    ] as const) {
      const headers: Record<string, string> = code === undefined ? {} : { 'x-error-code': code }
      const answered = await answering(() => Response.json(refusal, { status, headers }))
      expect([status, answered.status, answered.text]).toEqual([status, 503, expect.not.stringContaining('why')])
      expect(lines.splice(0)).toEqual([`zerohop: the routes of members: the management API answered ${status}: why`])
    }
    heard.mockRestore()
  })

  it('has its code in a header where it is not 404', async () => {
    const made = await api.ask('POST', '$F/tenants', { key: 'acme' })
    expect([made.status, made.headers['x-error-code']]).toEqual([409, 'OBJECT_EXISTS'])
    const gone = await api.ask('GET', '$F/tenants/nothing')
    expect([gone.status, gone.headers['x-error-code']]).toEqual([404, undefined])
  })
})

describe('the reason of a change', () => {
  const lastReason = async () =>
    (await api.ask('GET', `/v2/history?env_id=${api.place.environment_id}&per_page=1`)).body.data[0].reason
  const give = (options: Asked['options'] & object = {}) =>
    ask({ method: 'PUT', path: '/members/acme-clerk/roles/admin', body: { reason: 'is new' }, options })

  it('says who did what where an environment requires one, beside that of the assignment', async () => {
    expect((await api.ask('PATCH', ENVIRONMENT, { require_reason: true })).status).toBe(200)
    expect((await give()).status).toBe(201)
    expect(await lastReason()).toBe('members page: acme-boss gave role `admin` to `acme-clerk`')
    expect((await api.ask('GET', '$F/role_assignments?user=acme-clerk')).body).toMatchObject([{ reason: 'is new' }])
    const done: [() => Promise<{ status: number; body: { id: string } }>, string][] = [
      [
        () => ask({ method: 'DELETE', path: '/members/acme-clerk/roles/admin' }),
        'acme-boss took role `admin` from `acme-clerk`',
      ],
      [() => makeRole({}), 'acme-boss made role `bookkeeper`'],
      [() => patch('bookkeeper', { name: 'B' }), 'acme-boss changed role `bookkeeper`'],
      [() => ask({ method: 'DELETE', path: '/roles/bookkeeper' }), 'acme-boss deleted role `bookkeeper`'],
      [
        () => post('/invites', { email: 'x@acme.example', role: 'admin' }),
        'acme-boss invited `x@acme.example` as `admin`',
      ],
      [() => ask({ method: 'DELETE', path: '/members/acme-second' }), 'acme-boss removed `acme-second`'],
    ]
    for (const [change, words] of done) {
      expect((await change()).status).toBeLessThan(300)
      expect(await lastReason()).toBe(`members page: ${words}`)
    }
    const id = await request()
    expect(await lastReason()).toBe('members page: acme-clerk asked for role `responder`')
    await step(id, 'approve', AS_LEAD)
    expect(await lastReason()).toBe(`members page: acme-lead approved request \`${id}\``)
    expect(id).toEqual(ID)
  })

  it('is what the application says, cut to what may be sent; with nothing that of the client, and without one the key is at fault', async () => {
    const reason = (done: string, { user }: { user: string }, asked: Asked) =>
      `${user} at ${asked.method}: ${done} é${'x'.repeat(2_000)}`
    expect((await give({ reason })).status).toBe(201)
    const own = await lastReason()
    expect(own).toMatch(/^acme-boss at PUT: gave role `admin` to `acme-clerk` éx+$/)
    expect(own).toHaveLength(DESCRIPTION_LENGTH_MAX)
    await api.ask('PATCH', ENVIRONMENT, { require_reason: true })
    const causes: unknown[] = []
    expect((await give({ reason: () => undefined, onError: (error) => causes.push(error) })).status).toBe(503)
    expect(String(causes[0])).toContain('requires a reason')
  })

  it('names what was sent within a bound, whatever it is', async () => {
    for (const role of [7, null, ['x'], { a: 1 }, 'x'.repeat(5_000)])
      expect((await post('/invites', { email: 'x@y.example', role })).status).toBeGreaterThanOrEqual(400)
    const reasons = sent.flatMap(({ headers }) => headers.get('x-reason') ?? []).map(decodeURIComponent)
    const [wrong, long] = ['a wrong name', `\`${'x'.repeat(100)}\``]
    const words = (role: string) => `members page: acme-boss invited \`x@y.example\` as ${role}`
    expect(reasons).toEqual([wrong, wrong, wrong, wrong, long].map(words))
  })
})
