// People of the console in access requests: they act as the stored user that a claim names, and as no other. What an
// attacker would try, who has a session, a key, a claim that changes, or the key of a user who is gone.
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { readAccessRule } from '../../../src/http/console/user-access.ts'
import { withoutRequest } from '../../../src/log/change.ts'
import { type Installation, openInstallation, type Response, Visitor } from './harness.ts'
import { CLIENT, openProvider, type StandIn, signInAs } from './stand-in-provider.ts'

const FACTS = '/console/api/v2/facts/default'
const REQUESTS = `${FACTS}/development/access_requests`
const RULES = ['acme-admins=tenant-admin@default/development/acme', 'staff=support@default/development', 'all=viewer']
const BY = withoutRequest('test')

let provider: StandIn
let own: Installation
let development: string
beforeAll(async () => {
  provider = await openProvider()
  const rules = RULES.map((rule) => readAccessRule(rule)!)
  const { issuer } = provider
  const options = { issuer, clientId: CLIENT, scopes: 'openid', claim: 'groups', userClaim: 'user_key', rules }
  own = await openInstallation(true, options)
  const { store, organization } = own.management
  development = store.view(organization).require('environment', 'default/development').id
  const production = store.view(organization).require('environment', 'default/production').id
  await store.commit(development, 'createTenant', { key: 'acme', name: 'Acme' }, BY)
  const requestable = { approvers: ['lead'], max_duration: 7_200 }
  await store.commit(development, 'createRole', { key: 'lead' }, BY)
  await store.commit(development, 'createRole', { key: 'responder', requestable }, BY)
  await store.commit(production, 'createUser', { key: 'eve' }, BY)
})
afterAll(async () => {
  await own.close()
  await provider.close()
})
/** Every test begins with the same users, `ben` and `cyd` approve, and no requests. */
beforeEach(async () => {
  const { store } = own.management
  for (const user of ['ana', 'ben', 'cyd']) {
    if (store.view(development).get('user', user)) await store.commit(development, 'deleteUser', { ref: user }, BY)
    await store.commit(development, 'createUser', { key: user }, BY)
    const role = { user, role: 'lead', tenant: 'acme' }
    if (user === 'ana') await store.commit(development, 'addTenantUser', { tenant: 'acme', user: { key: user } }, BY)
    else await store.commit(development, 'assign', role, BY)
  }
})

/** A person whom the provider calls by a subject of the same name as the user, unless another one is said. */
async function person(user_key: string | undefined, groups = 'all', sub = `sub-${user_key}`): Promise<Visitor> {
  const visitor = new Visitor(own.app)
  const claims = { sub, name: `Person of ${sub}`, groups, ...(user_key === undefined ? {} : { user_key }) }
  expect(await signInAs(provider, visitor, claims)).toBe('/console/')
  return visitor
}
const ask = (visitor: Visitor, more: object = {}, path = REQUESTS) =>
  visitor.ask('POST', path, { body: { role: 'responder', tenant: 'acme', duration: 600, reason: 'disk', ...more } })
const decide = (visitor: Visitor, id: string, verb: string, body: object = {}, path = REQUESTS) =>
  visitor.ask('POST', `${path}/${id}/${verb}`, { body })
async function made(visitor: Visitor): Promise<string> {
  const answer = await ask(visitor)
  expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('"pending"')])
  return answer.json().id
}
const refused = ({ status, text }: Response, want: number, words: string) =>
  expect([status, text]).toEqual([want, expect.stringContaining(words)])

describe('a person of the console whom the claim names as a stored user', () => {
  it('asks, approves, denies, cancels and revokes as that user, with any role in the console', async () => {
    const [ana, ben] = [await person('ana'), await person('ben', 'staff')]
    expect((await ana.ask('GET', '/console/api/session')).json()).toMatchObject({ acts_as: 'ana' })
    const id = await made(ana)
    const approved = await decide(ben, id, 'approve', { duration: 60 })
    expect(approved.json()).toMatchObject({ user: 'ana', state: 'approved', approved_by: 'ben' })
    expect(approved.json()).not.toHaveProperty('person')
    expect((await decide(ana, id, 'revoke', { reason: 'done' })).json()).toMatchObject({ decided_by: 'ana' })
    const other = await made(ana)
    expect((await decide(ben, other, 'deny', { as: 'ben' })).json()).toMatchObject({ state: 'denied' })
    expect((await decide(ana, await made(ana), 'cancel')).json()).toMatchObject({ state: 'cancelled' })
    // a viewer still writes nothing else
    expect((await ana.ask('POST', `${FACTS}/development/users`, { body: { key: 'new' } })).status).toBe(403)
    const [entry] = own.management.store.history(development, Number.MAX_SAFE_INTEGER, 1)
    expect(entry!.by).toMatchObject({ api_key_id: null, user: { subject: 'sub-ana' } })
    expect(entry!.summary).toBe('cancelled the request of ana for the role responder in tenant acme')
  })

  it('acts in its own tenant as its administrator', async () => {
    const path = `${FACTS}/development/tenants/acme/access_requests`
    const [ana, ben] = [await person('ana', 'acme-admins'), await person('ben', 'acme-admins')]
    const asked = await ask(ana, { tenant: undefined }, path)
    expect([asked.status, asked.json().user]).toEqual([200, 'ana'])
    refused(await decide(ana, asked.json().id, 'approve', {}, path), 403, 'because it is their own')
    expect((await decide(ben, asked.json().id, 'approve', {}, path)).json()).toMatchObject({ approved_by: 'ben' })
  })

  it('names no other user, and a user of another environment is none of this one', async () => {
    const ana = await person('ana')
    refused(await ask(ana, { as: 'cyd' }), 403, 'you are signed in as user `ana`, and act as no other')
    const id = await made(ana)
    for (const as of ['ben', own.management.store.view(development).require('user', 'ben').id])
      refused(await decide(ana, id, 'approve', { as }), 403, 'act as no other')
    refused(await ask(await person('eve')), 403, 'as user `eve`, who is not a user of this environment')
    // the id of a user is not its key
    const { id: ben } = own.management.store.view(development).require('user', 'ben')
    refused(await decide(await person(ben), id, 'approve'), 403, 'who is not a user of this environment')
  })

  it('is refused without a claim, with how to get one', async () => {
    const nameless = await person(undefined, 'staff')
    expect((await nameless.ask('GET', '/console/api/session')).json()).toMatchObject({ acts_as: null })
    for (const answer of [await ask(nameless), await ask(nameless, { as: 'ana' })])
      refused(answer, 403, 'ZEROHOP_CONSOLE_USER_CLAIM')
    refused(await ask(await person(undefined)), 403, 'make access requests')
  })

  it('is refused while suspended, and loses what it decides by with the role', async () => {
    const { store } = own.management
    const [ana, ben] = [await person('ana'), await person('ben')]
    const id = await made(ana)
    await store.commit(development, 'suspendUser', { ref: 'ben', suspension: { reason: 'left' } }, BY)
    refused(await decide(ben, id, 'approve'), 403, 'user `ben` is suspended')
    await store.commit(development, 'resumeUser', { ref: 'ben' }, BY)
    await store.commit(development, 'unassign', { user: 'ben', role: 'lead', tenant: 'acme' }, BY)
    refused(await decide(ben, id, 'approve'), 403, 'user `ben` may not')
  })

  it('is another person than a new user of the same key, until it signs in again', async () => {
    const { store } = own.management
    const [ana, ben] = [await person('ana'), await person('ben')]
    const id = await made(ana)
    await store.commit(development, 'deleteUser', { ref: 'ben' }, BY)
    refused(await decide(ben, id, 'approve'), 403, 'who is not a user of this environment')
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 5 })
    await store.commit(development, 'createUser', { key: 'ben' }, BY)
    await store.commit(development, 'assign', { user: 'ben', role: 'lead', tenant: 'acme' }, BY)
    refused(await decide(ben, id, 'approve'), 403, 'was created after you signed in: sign in again')
    vi.useRealTimers()
    await new Promise((resolve) => setTimeout(resolve, 6))
    expect((await decide(await person('ben'), id, 'approve')).status).toBe(200)
  })

  it('does not decide about what it asked for, as another user after the claim has changed either', async () => {
    const id = await made(await person('ana', 'all', 'sub-1'))
    const asBen = await person('ben', 'all', 'sub-1')
    for (const verb of ['approve', 'deny']) refused(await decide(asBen, id, verb), 403, 'because it is their own')
    refused(await decide(asBen, id, 'cancel'), 403, 'only who asked may')
    expect((await decide(await person('ben', 'all', 'sub-2'), id, 'approve')).status).toBe(200)
    refused(await decide(asBen, id, 'revoke'), 403, 'user `ben` may not')
  })

  it('does not approve its own request with an API key, which names the user', async () => {
    const id = await made(await person('ana'))
    const { secret } = await own.addKey('write', 'of-a-server')
    const keyed = new Visitor(own.app)
    await keyed.signIn(secret)
    expect((await keyed.ask('GET', '/console/api/session')).json()).toMatchObject({ acts_as: null })
    refused(await decide(keyed, id, 'approve', { as: 'ana' }), 403, 'because it is their own')
    refused(await decide(keyed, id, 'approve'), 422, 'the holder of the API key says which user acts')
    refused(await ask(keyed, { as: null }), 422, 'the holder of the API key')
    expect((await decide(keyed, id, 'approve', { as: 'ben' })).status).toBe(200)
    const reader = new Visitor(own.app)
    await reader.signIn((await own.addKey('read', 'of-a-reader')).secret)
    refused(await ask(reader, { as: 'ana' }), 403, 'make access requests')
  })
})
