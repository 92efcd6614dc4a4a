// Sessions of the administrators of a tenant: with a key of the tenant, and as a user of the identity provider whom a
// rule makes one and a claim names as a stored user. Both may what a key of the tenant may, in that tenant.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readAccessRule } from '../../../src/http/console/user-access.ts'
import { withoutRequest } from '../../../src/log/change.ts'
import type { Installation } from './harness.ts'
import { openInstallation, Visitor } from './harness.ts'
import { CLIENT, openProvider, type StandIn, signInAs } from './stand-in-provider.ts'

const SESSION = '/console/api/session'
const API = '/console/api/v2/facts/default/development'
const ACME = `${API}/tenants/acme`
const RULES = [
  'acme-admins=tenant-admin@default/development/acme',
  'lost=tenant-admin@default/development/nowhere',
  'ops=admin',
]
const BY = withoutRequest('test')

let provider: StandIn
let own: Installation
let environment: string
beforeAll(async () => {
  provider = await openProvider()
  const rules = RULES.map((rule) => readAccessRule(rule)!)
  const { issuer } = provider
  const options = { issuer, clientId: CLIENT, scopes: 'openid profile', claim: 'groups', userClaim: 'user_key', rules }
  own = await openInstallation(true, options)
  const { store, organization } = own.management
  environment = store.view(organization).require('environment', 'default/development').id
  for (const key of ['acme', 'globex']) await store.commit(environment, 'createTenant', { key, name: key }, BY)
  for (const key of ['ana', 'ben', 'gil']) await store.commit(environment, 'createUser', { key }, BY)
  await store.commit(environment, 'createRole', { key: 'member', assignable_by_tenants: true }, BY)
  await store.commit(environment, 'assign', { user: 'ana', role: 'member', tenant: 'acme' }, BY)
  await store.commit(environment, 'assign', { user: 'gil', role: 'member', tenant: 'globex' }, BY)
})
afterAll(async () => {
  await own.close()
  await provider.close()
})

const comeBack = (visitor: Visitor, claims: object, info?: Record<string, unknown>) =>
  signInAs(provider, visitor, { sub: 'sub-1', name: 'Ana', ...claims }, info)
const REFUSED = '/console/sign-in?error=USER_REFUSED'
const ADMIN = { groups: 'acme-admins', user_key: 'ana' }

/** What a session of the tenant `acme` may and may not. */
async function expectTenantRights(visitor: Visitor): Promise<void> {
  const users = await visitor.ask('GET', `${ACME}/users`)
  expect([users.status, users.json().data.map(({ key }: { key: string }) => key)]).toEqual([200, ['ana']])
  const role = { user: 'ana', role: 'member', reason: 'on call' }
  expect((await visitor.ask('PUT', `${ACME}/role_assignments`, { body: role })).status).toBe(200)
  const invite = await visitor.ask('POST', `${ACME}/invites`, { body: { email: 'n@acme.example', role: 'member' } })
  expect(invite.status).toBe(200)
  expect((await visitor.ask('DELETE', `${ACME}/invites/${invite.json().id}`)).status).toBe(204)
  const others = [
    `${API}/tenants/globex/users`,
    `${API}/users`,
    '/console/api/v2/schema/default/development/roles',
    '/console/api/v2/api-key',
    '/console/api/v2/history',
    '/console/api/v2/pdps/default/development/audit_logs',
    '/console/api/v2/projects',
  ]
  for (const url of others) expect([url, (await visitor.ask('GET', url)).status]).toEqual([url, 404])
  const question = { user: 'gil', action: 'read', resource: 'doc' }
  expect((await visitor.ask('POST', '/console/api/allowed', { body: question })).status).toBe(404)
}

describe('a session with the key of a tenant', () => {
  it('names the tenant, may what the key may, and ends with the tenant', async () => {
    const { store, organization } = own.management
    await store.commit(environment, 'createTenant', { key: 'brief', name: 'Brief' }, BY)
    const makeKey = async (tenant: string) => {
      const of = { level: 'tenant', access: 'write', project: 'default', environment: 'development', tenant } as const
      return (await store.commit(organization, 'createApiKey', of, BY)).result.secret
    }
    const visitor = new Visitor(own.app)
    const signedIn = await visitor.signIn(await makeKey('acme'))
    const tenant = { id: expect.any(String), key: 'acme', name: 'acme' }
    expect(signedIn.json()).toMatchObject({ access: { object_type: 'tenant', access_level: 'write' }, tenant })
    expect((await visitor.ask('GET', SESSION)).json()).toMatchObject({ tenant })
    await expectTenantRights(visitor)

    const secret = await makeKey('brief')
    const brief = new Visitor(own.app)
    expect((await brief.signIn(secret)).status).toBe(200)
    await store.commit(environment, 'deleteTenant', { ref: 'brief' }, BY)
    expect((await brief.ask('GET', SESSION)).status).toBe(404)
    expect((await new Visitor(own.app).signIn(secret)).status).toBe(404)
  })
})

describe('a user of the identity provider whom a rule makes the administrator of a tenant', () => {
  it('may what a key of the tenant may, and history names the person', async () => {
    const visitor = new Visitor(own.app)
    expect(await comeBack(visitor, ADMIN)).toBe('/console/')
    expect((await visitor.ask('GET', SESSION)).json()).toMatchObject({
      access: { object_type: 'tenant', access_level: 'write' },
      tenant: { key: 'acme' },
      user: { subject: 'sub-1', name: 'Ana' },
    })
    await expectTenantRights(visitor)
    const [entry] = own.management.store.history(environment, Number.MAX_SAFE_INTEGER, 1)
    expect(entry!.by).toMatchObject({ api_key_id: null, user: { subject: 'sub-1', name: 'Ana' } })
  })

  it('gives by roles of the tenant no more than the person has there, whatever the header says', async () => {
    const { store } = own.management
    const actions = { read: { grantable: true } }
    await store.commit(environment, 'createResource', { key: 'report', actions }, BY)
    await store.commit(environment, 'createRole', { key: 'reader', permissions: ['report:read'] }, BY)
    await store.commit(environment, 'createUser', { key: 'rex' }, BY)
    await store.commit(environment, 'assign', { user: 'rex', role: 'reader', tenant: 'acme' }, BY)
    const visitor = new Visitor(own.app)
    await comeBack(visitor, ADMIN)
    const body = { key: 'clerk', permissions: ['report:read'] }
    const make = (headers = {}) => visitor.ask('POST', `${ACME}/roles`, { body, headers })
    for (const headers of [{}, { 'x-acting-user': 'rex' }]) {
      const refused = await make(headers)
      expect([refused.status, refused.json().message]).toEqual([
        403,
        'user `ana` has no role in tenant `acme` with `report:read`, and cannot give it',
      ])
    }
    await store.commit(environment, 'assign', { user: 'ana', role: 'reader', tenant: 'acme' }, BY)
    expect((await make()).status).toBe(200)
    for (const user of ['ana', 'rex'])
      await store.commit(environment, 'unassign', { user, role: 'reader', tenant: 'acme' }, BY)
    await store.commit(environment, 'deleteUser', { ref: 'rex' }, BY)
  })

  it.each<[string, object, object?]>([
    ['no user', { groups: 'acme-admins' }],
    ['a user who is not stored', { groups: 'acme-admins', user_key: 'nobody' }],
    ['a user of another tenant', { groups: 'acme-admins', user_key: 'gil' }],
    ['a user of no tenant', { groups: 'acme-admins', user_key: 'ben' }],
    ['everyone', { groups: 'acme-admins', user_key: '*' }],
    ['a list', { groups: 'acme-admins', user_key: ['ana'] }],
    ['a text that no key has', { groups: 'acme-admins', user_key: `ana/${'x'.repeat(3000)}` }],
    ['a tenant that does not exist', { groups: 'lost', user_key: 'ana' }],
  ])('is refused with a claim that names %s', async (_, claims) => {
    const visitor = new Visitor(own.app)
    expect(await comeBack(visitor, claims)).toBe(REFUSED)
    expect((await visitor.ask('GET', SESSION)).status).toBe(401)
  })

  it('is found by a claim of the user info, and by an email that is verified', async () => {
    expect(await comeBack(new Visitor(own.app), { groups: 'acme-admins' }, { user_key: 'ana' })).toBe('/console/')
    const { issuer } = provider
    const rules = RULES.map((rule) => readAccessRule(rule)!)
    const byEmail = own.again({
      issuer,
      clientId: CLIENT,
      scopes: 'openid',
      claim: 'groups',
      userClaim: 'email',
      rules,
    })
    const { store } = own.management
    await store.commit(environment, 'createUser', { key: 'eve@acme.example' }, BY)
    await store.commit(environment, 'assign', { user: 'eve@acme.example', role: 'member', tenant: 'acme' }, BY)
    const claims = { groups: 'acme-admins', email: 'eve@acme.example' }
    for (const email_verified of [undefined, false, 'true'])
      expect(await comeBack(new Visitor(byEmail), { ...claims, email_verified })).toBe(REFUSED)
    expect(await comeBack(new Visitor(byEmail), { ...claims, email_verified: true })).toBe('/console/')
    await store.commit(environment, 'deleteUser', { ref: 'eve@acme.example' }, BY)
  })

  it('is out with the next request when suspended, or removed from the tenant', async () => {
    const { store } = own.management
    const visitor = new Visitor(own.app)
    await comeBack(visitor, ADMIN)
    const status = async () => (await visitor.ask('GET', `${ACME}/users`)).status
    expect(await status()).toBe(200)
    await store.commit(environment, 'suspendUser', { ref: 'ana', suspension: { reason: 'left' } }, BY)
    expect(await status()).toBe(403)
    await store.commit(environment, 'resumeUser', { ref: 'ana' }, BY)
    expect(await status()).toBe(200)
    await store.commit(environment, 'removeTenantUser', { tenant: 'acme', user: 'ana' }, BY)
    expect(await status()).toBe(403)
  })

  it('is out when deleted, also for a new user of the same key, until the next sign-in', async () => {
    const { store } = own.management
    const join = (user: string) => store.commit(environment, 'assign', { user, role: 'member', tenant: 'acme' }, BY)
    await store.commit(environment, 'createUser', { key: 'kim' }, BY)
    await join('kim')
    const claims = { ...ADMIN, user_key: 'kim' }
    const visitor = new Visitor(own.app)
    expect(await comeBack(visitor, claims)).toBe('/console/')
    await store.commit(environment, 'deleteUser', { ref: 'kim' }, BY)
    await store.commit(environment, 'createUser', { key: 'kim' }, BY)
    await join('kim')
    expect((await visitor.ask('GET', `${ACME}/users`)).status).toBe(403)
    expect(await comeBack(new Visitor(own.app), claims)).toBe('/console/')
    await store.commit(environment, 'deleteUser', { ref: 'kim' }, BY)
  })
})

describe('a rule for the administrator of a tenant', () => {
  it('names a tenant, and no other rule does', () => {
    expect(readAccessRule('a=tenant-admin@p/e/t')).toEqual({
      ...{ value: 'a', role: 'tenant-admin', project: 'p', environment: 'e', tenant: 't' },
    })
    for (const text of [
      'a=tenant-admin',
      'a=tenant-admin@p',
      'a=tenant-admin@p/e',
      'a=admin@p/e/t',
      'a=tenant-admin@p/e/t/u',
      'a=tenant-admin@p/e/',
    ])
      expect([text, readAccessRule(text)]).toEqual([text, undefined])
  })
})
