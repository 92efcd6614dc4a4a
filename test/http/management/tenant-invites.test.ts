// Invites by the administrators of a tenant, with a key of it: whom they may invite, that no answer tells who is a user,
// and that what they offered is looked at again when it is approved.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withoutRequest } from '../../../src/log/change.ts'
import { INVITES_PER_TENANT_MAX } from '../../../src/model/limits.ts'
import { type Ask, type Harness, ID, joinHarness, TIME } from './harness.ts'

let api: Harness
let ask: Ask
let acme: string
let globex: string

const POLICY = {
  zerohop: 2,
  resources: [
    {
      key: 'doc',
      actions: { read: {} },
      roles: { editor: { permissions: ['read'], assignable_by_tenants: true }, owner: { permissions: ['read'] } },
    },
  ],
  roles: [
    { key: 'member', permissions: ['doc:read'], assignable_by_tenants: true, max_duration: 86_400 },
    { key: 'clerk', permissions: ['doc:read'], assignable_by_tenants: true },
    { key: 'vendor-support', permissions: ['doc:read'] },
  ],
  tenants: [{ key: 'acme' }, { key: 'globex' }, { key: 'full' }],
  users: [{ key: 'ana', email: 'ana@globex.example' }, { key: 'ben' }],
  resource_instances: [
    { resource: 'doc', key: 'acme-plan', tenant: 'acme' },
    { resource: 'doc', key: 'globex-plan', tenant: 'globex' },
  ],
  role_assignments: [
    { user: 'ana', role: 'clerk', tenant: 'globex' },
    { user: 'ben', role: 'clerk', tenant: 'acme' },
  ],
}
const PATH = '$F/tenants/acme/invites'
const as = (key: string) => ({ key })
const refused = ({ status, body }: { status: number; body: unknown }, want: number, text: string) =>
  expect({ status, text: JSON.stringify(body) }).toEqual({ status: want, text: expect.stringContaining(text) })
const invite = (body: object, key = acme) => ask('POST', PATH, body, as(key))
const approve = (id: string, key: string) =>
  ask('POST', `$F/user_invites/${id}/approve`, { key, email: `${key}@acme.example`, attributes: {} })
const rolesIn = async (user: string): Promise<unknown> =>
  (await ask('GET', `$F/users/${user}`)).body.roles.filter(({ tenant }: { tenant: string }) => tenant === 'acme')

beforeAll(async () => {
  api = await joinHarness()
  ask = api.ask
  const { organization_id, environment_id } = api.place
  expect(await ask('POST', '/v2/projects/default/envs/development/apply', { policy: POLICY })).toMatchObject({
    status: 200,
  })
  const createKey = async (tenant: string, access_level = 'admin') => {
    const body = { organization_id, environment_id, object_type: 'tenant', tenant_id: tenant, access_level }
    return (await ask('POST', '/v2/api-key', body)).body.secret
  }
  acme = await createKey('acme')
  globex = await createKey('globex')
})
afterAll(() => api.close())

describe('an invite to a tenant', () => {
  it('is made, listed, read and taken back by a key of the tenant', async () => {
    const sent = { email: 'new@acme.example', first_name: 'Nina', role: 'clerk', reason: 'joins', ticket: 'HR-1' }
    const { status, body } = await invite(sent)
    const stamps = { ...api.place, created_at: TIME, updated_at: TIME }
    const made = { id: ID, user: null, last_name: '', status: 'pending', tenant: 'acme', resource_instance: null }
    expect({ status, body }).toEqual({ status: 200, body: { ...sent, ...made, ...stamps } })
    expect((await ask('GET', `${PATH}/${body.id}`, undefined, as(acme))).body).toEqual(body)
    const { data, total_count } = (await ask('GET', `${PATH}?status=pending`, undefined, as(acme))).body
    expect([data, total_count]).toEqual([[body], 1])
    expect((await ask('GET', `${PATH}?status=approved`, undefined, as(acme))).body.total_count).toBe(0)
    refused(await ask('GET', `${PATH}?status=lost`, undefined, as(acme)), 422, 'is not one of pending, approved')
    expect(await ask('DELETE', `${PATH}/${body.id}`, undefined, as(acme))).toMatchObject({ status: 204 })
    refused(await ask('GET', `${PATH}/${body.id}`, undefined, as(acme)), 404, 'does not exist')
    refused(await ask('DELETE', `${PATH}/${body.id}`, undefined, as(acme)), 404, 'does not exist')
    const { data: history } = (await ask('GET', `/v2/history?env_id=${api.environment}`)).body
    expect(history[0]).toMatchObject({ path: expect.stringContaining('/tenants/acme/invites/') })
  })

  it('answers the same for who is a user of the environment and who is none', async () => {
    const text = ({ status, body, headers }: { status: number; body: object; headers: object }) =>
      JSON.stringify([status, { ...body, id: '' }, Object.keys(headers)]).replaceAll(
        /[0-9a-f]{32}|\d{4}-\d\d-\d\dT[^"]+/g,
        '<x>',
      )
    const answers: string[] = []
    for (const user of ['ana', 'zoe', 'ben']) {
      const made = await invite({ user, role: 'clerk' })
      answers.push(text(made).replaceAll(user, '<user>'))
      const again = await invite({ user, role: 'clerk' })
      answers.push(text(again).replaceAll(user, '<user>'))
      await ask('DELETE', `${PATH}/${made.body.id}`, undefined, as(acme))
    }
    for (const email of ['ana@globex.example', 'zoe@globex.example']) {
      const made = await invite({ email, role: 'clerk' })
      answers.push(text(made).replaceAll(email, '<email>'))
      await ask('DELETE', `${PATH}/${made.body.id}`, undefined, as(acme))
    }
    const [made, again, ...others] = answers
    expect(others).toEqual([made, again, made, again, answers.at(-1), answers.at(-1)])
    expect([made, again]).toEqual([expect.stringMatching(/^\[200/), expect.stringMatching(/^\[409/)])
  })

  it('is for roles that tenants assign, in this tenant, and once for each person and role', async () => {
    const email = 'once@acme.example'
    refused(await invite({ email, role: 'vendor-support' }), 404, 'role `vendor-support` does not exist')
    refused(await invite({ email, role: 'nothing' }), 404, 'role `nothing` does not exist')
    const onPlan = { email, role: 'owner', resource_instance: 'doc:acme-plan' }
    refused(await invite(onPlan), 404, 'does not exist')
    refused(
      await invite({ ...onPlan, role: 'editor', resource_instance: 'doc:globex-plan' }),
      404,
      '`doc:globex-plan` does not exist',
    )
    refused(await invite({ ...onPlan, role: 'editor', resource_instance: 'doc:new' }), 404, '`doc:new` does not exist')
    expect(await invite({ ...onPlan, role: 'editor' })).toMatchObject({ status: 200 })
    expect(await invite({ email, role: 'clerk' })).toMatchObject({ status: 200 })
    refused(await invite({ email: 'Once@ACME.example', role: 'clerk' }), 409, 'already exists')
  })

  it('is refused without a person, with a wrong one, a field that is not known, and times that a role does not allow', async () => {
    refused(await invite({ role: 'clerk' }), 422, 'an invite needs an email or a user')
    refused(await invite({ email: 'nobody', role: 'clerk' }), 422, 'email')
    refused(await invite({ user: '*', role: 'clerk' }), 422, 'key')
    refused(await invite({ email: 'a@b.example', role: 'clerk', tenant_id: 'globex' }), 422, 'tenant_id')
    const until = (ms: number) => new Date(Date.now() + ms).toISOString()
    const long = { email: 'long@acme.example', role: 'member', valid_until: until(2 * 86_400_000) }
    refused(await invite(long), 422, 'is given for 86400 seconds at most')
    expect(await invite({ ...long, valid_until: until(3_600_000) })).toMatchObject({ status: 200 })
    const order = { ...long, role: 'clerk', valid_from: until(7_200_000), valid_until: until(3_600_000) }
    refused(await invite(order), 422, 'the end must be after the beginning')
  })

  it('is approved by the environment, and gives its role then, for as long as the role says', async () => {
    const { id } = (await invite({ user: 'ana', role: 'member', ticket: 'HR-2' })).body
    refused(await approve(id, 'ben'), 400, 'is for user `ana`, and not for `ben`')
    expect(await rolesIn('ana')).toEqual([])
    refused(await ask('POST', `$F/user_invites/${id}/approve`, { key: 'ana' }, as(acme)), 404, 'API key of a tenant')
    expect(await approve(id, 'ana')).toMatchObject({ status: 200, body: { email: 'ana@globex.example' } })
    expect(await rolesIn('ana')).toMatchObject([{ role: 'member', valid_until: TIME }])
    expect((await ask('GET', `${PATH}/${id}`, undefined, as(acme))).body.status).toBe('approved')
    expect((await ask('GET', `$F/user_invites/${id}`)).body).toMatchObject({ by_tenant: true, user: 'ana' })
  })

  it('gives nothing that tenants may no longer assign, unless the environment offered it', async () => {
    const { id } = (await invite({ email: 'late@acme.example', role: 'clerk' })).body
    const own = await invite({ email: 'own@acme.example', role: 'clerk' }, api.made.organization.secret)
    await ask('PATCH', '$S/roles/clerk', { assignable_by_tenants: false })
    refused(await approve(id, 'late'), 400, 'tenants may not assign role `clerk`')
    expect((await ask('GET', '$F/users/late')).status).toBe(404)
    expect(await approve(own.body.id, 'own')).toMatchObject({ status: 200 })
    await ask('PATCH', '$S/roles/clerk', { assignable_by_tenants: true })
    expect(await approve(id, 'late')).toMatchObject({ status: 200 })
    expect(await rolesIn('late')).toMatchObject([{ role: 'clerk' }])
  })

  it('is also for a role of the tenant itself, within what the acting user has, and goes with the role', async () => {
    await ask('PATCH', '$S/resources/doc/actions/read', { grantable: true })
    const own = { key: 'bookkeeper', name: 'Bookkeeper', permissions: ['doc:read'] }
    expect(await ask('POST', '$F/tenants/acme/roles', own, as(acme))).toMatchObject({ status: 200 })
    expect(await ask('POST', '$F/tenants/globex/roles', { ...own, key: 'theirs' }, as(globex))).toMatchObject({
      status: 200,
    })
    const acting = (user: string, body: object) =>
      ask('POST', PATH, body, { key: acme, headers: { 'x-acting-user': user } })
    const offer = { email: 'books@acme.example', role: 'bookkeeper' }
    refused(await invite({ ...offer, role: 'theirs' }), 404, 'does not exist')
    refused(await invite({ ...offer, role: 'theirs@globex' }), 404, 'does not exist')
    await ask('POST', '$F/users', { key: 'idle', role_assignments: [] })
    await ask('POST', '$F/tenants/acme/users', { key: 'idle' })
    refused(await acting('idle', offer), 403, 'doc:read')
    const { status, body } = await acting('ben', offer)
    expect([status, body.role]).toEqual([200, 'bookkeeper@acme'])
    expect(await approve(body.id, 'books')).toMatchObject({ status: 200 })
    expect(await rolesIn('books')).toMatchObject([{ role: 'bookkeeper@acme' }])
    const { id } = (await invite({ ...offer, email: 'next@acme.example' })).body
    await ask('DELETE', '$F/tenants/acme/roles/bookkeeper', undefined, as(acme))
    refused(await ask('GET', `${PATH}/${id}`, undefined, as(acme)), 404, 'does not exist')
  })

  it('of the environment is also for a role of its tenant, and of no other one', async () => {
    for (const [tenant, key] of [
      ['acme', 'steward'],
      ['globex', 'foreign'],
    ])
      expect(await ask('POST', `$F/tenants/${tenant}/roles`, { key })).toMatchObject({ status: 200 })
    const { id: role_id } = (await ask('GET', '$F/tenants/acme/roles/steward')).body
    const names = { status: 'pending', email: 'ed@acme.example', first_name: 'Ed', last_name: '' }
    const sent = { key: 'ed', ...names, role_id: 'steward@acme', tenant_id: 'acme' }
    const create = (of: object) => ask('POST', '$F/user_invites', { ...sent, ...of })
    refused(await create({ role_id: 'steward' }), 404, 'role `steward` does not exist')
    refused(await create({ role_id: 'foreign@globex' }), 422, 'foreign@globex')
    refused(await create({ role_id: 'steward@nowhere' }), 404, 'does not exist')
    expect(await create({})).toMatchObject({ status: 200, body: { role_id } })
    const change = (fields: object) => ask('PATCH', '$F/user_invites/ed', fields)
    expect(await change({ last_name: 'Poe' })).toMatchObject({ status: 200, body: { role_id, last_name: 'Poe' } })
    refused(await change({ tenant_id: 'globex' }), 422, 'steward@acme')
    refused(await change({ role_id: 'foreign@globex' }), 422, 'foreign@globex')
    refused(await change({ role_id: 'steward', resource_instance_id: 'doc:acme-plan' }), 404, 'does not exist')
    // one that the tenant made is changed by the environment as any other
    const own = (await invite({ email: 'own-role@acme.example', role: 'steward' })).body
    const renamed = await ask('PATCH', `$F/user_invites/${own.id}`, { first_name: 'Olga' })
    expect(renamed).toMatchObject({ status: 200, body: { role_id, first_name: 'Olga', by_tenant: true } })
    expect((await ask('GET', '$F/user_invites?role=steward@acme')).body.data).toHaveLength(2)
    expect(await approve('ed', 'ed')).toMatchObject({ status: 200 })
    expect(await rolesIn('ed')).toMatchObject([{ role: 'steward@acme' }])
    await ask('DELETE', '$F/tenants/acme/roles/steward')
    refused(await approve(own.id, 'olga'), 404, 'does not exist')
    expect((await ask('GET', '$F/users/olga')).status).toBe(404)
  })

  it('to another tenant does not exist, by its id and by its key', async () => {
    const other = await ask(
      'POST',
      '$F/tenants/globex/invites',
      { email: 'x@globex.example', role: 'clerk' },
      as(globex),
    )
    const vendor = {
      key: 'gil',
      status: 'pending',
      email: 'gil@globex.example',
      first_name: 'Gil',
      last_name: '',
      role_id: 'clerk',
      tenant_id: 'globex',
    }
    await ask('POST', '$F/user_invites', vendor)
    const shape = ({ status, body }: { status: number; body: { id: string } }) => ({ status, ...body, id: '' })
    const absent = 'e'.repeat(32)
    for (const ref of [other.body.id, 'gil']) {
      for (const method of ['GET', 'DELETE'] as const) {
        const answer = await ask(method, `${PATH}/${ref}`, undefined, as(acme))
        const missing = await ask(method, `${PATH}/${absent}`, undefined, as(acme))
        expect(answer.status).toBe(404)
        const text = JSON.stringify(shape(answer as never)).replaceAll(ref, absent)
        expect(text).toBe(JSON.stringify(shape(missing as never)))
        refused(await ask(method, `$F/tenants/globex/invites/${ref}`, undefined, as(acme)), 404, 'tenant `globex`')
      }
    }
    expect((await ask('GET', '$F/tenants/globex/invites', undefined, as(globex))).body.data).toMatchObject([
      { id: other.body.id, user: null },
      { user: 'gil', email: 'gil@globex.example' },
    ])
    // an invite of the same person and role in another tenant hinders nothing
    expect(await invite({ email: 'x@globex.example', role: 'clerk' })).toMatchObject({ status: 200 })
  })

  it('is refused once its tenant has as many as it may have', async () => {
    const { store, environment } = api
    const by = withoutRequest('createInvite')
    const of = { status: 'pending', first_name: '', last_name: '', role_id: 'clerk', tenant_id: 'full' } as const
    const write = (n: number) =>
      store.commit(environment, 'createInvite', { ...of, key: `n${n}`, email: `n${n}@full.example` }, by)
    await Promise.all(Array.from({ length: INVITES_PER_TENANT_MAX }, (_, n) => write(n)))
    const more = await ask('POST', '$F/tenants/full/invites', { email: 'more@full.example', role: 'clerk' })
    refused(more, 422, `the user invites of one tenant would exceed the limit of ${INVITES_PER_TENANT_MAX}`)
    expect(await invite({ email: 'elsewhere@acme.example', role: 'clerk' })).toMatchObject({ status: 200 })
    await ask('DELETE', '$F/tenants/full')
    expect((await ask('GET', '$F/user_invites?search=full.example')).body.total_count).toBe(0)
  })
})
