// People sign in to the console at an identity provider: the whole way with a provider of the test's own, what each
// role may do, what history says, and what an attacker would try on the way.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type DecisionRecord, formatLine } from '../../../src/client/decision-record.ts'
import { knownValues, readAccessRule } from '../../../src/http/console/user-access.ts'
import { SIGN_IN_MS, USER_NAME_LENGTH_MAX, USER_SESSION_MS, USER_VALUES_MAX } from '../../../src/model/limits.ts'
import { pooledPdpServer } from '../../../src/server.ts'
import { type Installation, openInstallation, PROXIED, type Response, Visitor } from './harness.ts'
import { CLIENT, openProvider, type StandIn } from './stand-in-provider.ts'

const START = '/console/api/session/provider'
const SESSION = '/console/api/session'
const USERS = '/console/api/v2/facts/default/development/users'
const ROLES = '/console/api/v2/schema/default/development/roles'
const KEYS = '/console/api/v2/api-key'

const RULES = [
  'ops=admin',
  'devs=editor@default',
  'desk=support@default/development',
  'gone=admin@nowhere',
  'all=viewer',
]

let provider: StandIn
let own: Installation
beforeAll(async () => {
  provider = await openProvider()
  const rules = RULES.map((rule) => readAccessRule(rule)!)
  const { issuer } = provider
  own = await openInstallation(true, { issuer, clientId: CLIENT, scopes: 'openid profile', claim: 'groups', rules })
})
afterAll(async () => {
  await own.close()
  await provider.close()
})
beforeEach(() => {
  Object.assign(provider, { claims: { sub: 'sub-1', name: 'Ana', groups: ['all', 'ops'] }, info: {}, lie: {} })
})
afterEach(() => void vi.useRealTimers())

/** What a browser sends when another site leads it here. */
const LED_HERE = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }
const toPath = (address: string) => address.slice(new URL(address).origin.length)

/** Goes to the provider and comes back; `change` may alter the address on the way. */
async function comeBack(visitor: Visitor, change = (address: string) => address): Promise<Response> {
  const begun = await visitor.ask('GET', START)
  const back = change(provider.authorize(String(begun.headers.location)))
  return visitor.ask('GET', toPath(back), { headers: LED_HERE })
}

async function signedIn(groups: unknown, more: object = {}): Promise<Visitor> {
  provider.claims = { sub: 'sub-1', name: 'Ana', groups, ...more }
  const visitor = new Visitor(own.app)
  expect((await comeBack(visitor)).headers.location).toBe('/console/')
  visitor.csrf = (await visitor.ask('GET', SESSION)).json().csrf_token
  return visitor
}

function later(ms: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms })
}

describe('signing in at the provider', () => {
  it('is offered, and leads to it with state, nonce and the proof of the code', async () => {
    const visitor = new Visitor(own.app)
    expect((await visitor.ask('GET', '/console/api/sign-in')).json()).toEqual({ api_key: true, provider: true })
    const begun = await visitor.ask('GET', START)
    expect(begun.status).toBe(302)
    const asked = Object.fromEntries(new URL(String(begun.headers.location)).searchParams)
    expect(asked).toMatchObject({
      client_id: CLIENT,
      response_type: 'code',
      code_challenge_method: 'S256',
      scope: 'openid profile',
      redirect_uri: `http://localhost${START}/callback`,
    })
    expect(asked.state).toMatch(/^[\w-]{43}$/)
    expect(asked.nonce).toMatch(/^[\w-]{43}$/)
    expect(begun.headers['set-cookie']).toMatch(
      /^zerohop_sign_in=[\w.-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/,
    )
  })

  it('gives a session of the user, and takes the cookie of the way back', async () => {
    const visitor = new Visitor(own.app)
    const answer = await comeBack(visitor)
    expect(answer.headers['set-cookie']).toEqual([
      'zerohop_sign_in=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0',
      expect.stringMatching(/^zerohop_session=[\w.-]+; Path=\/; HttpOnly; SameSite=Strict$/),
    ])
    expect((await visitor.ask('GET', SESSION)).json()).toMatchObject({
      access: { object_type: 'org', access_level: 'admin', only: null, name: 'Ana' },
      user: { issuer: provider.issuer, subject: 'sub-1', name: 'Ana' },
    })
  })

  it('works under TLS behind a proxy, and comes back there', async () => {
    const visitor = new Visitor(own.app, PROXIED)
    const begun = await visitor.ask('GET', START)
    const back = provider.authorize(String(begun.headers.location))
    expect(back.startsWith(`${PROXIED}${START}/callback?`)).toBe(true)
    await visitor.ask('GET', toPath(back), { headers: LED_HERE })
    expect(visitor.cookie).toMatch(/^__Host-zerohop_session=/)
    expect((await visitor.ask('GET', SESSION)).json().user.subject).toBe('sub-1')
  })

  it('asks for the user info when the ID token does not have the claim', async () => {
    provider.info = { groups: ['desk'], name: 'never taken' }
    const visitor = await signedIn(undefined)
    expect((await visitor.ask('GET', SESSION)).json()).toMatchObject({ access: { only: 'facts', name: 'Ana' } })
  })

  it('keeps a name of bounded length, and no values but those of rules', async () => {
    const groups = Array.from({ length: 500 }, (_, at) => `group-${at}-${'x'.repeat(40)}`)
    const visitor = await signedIn([...groups, 'ops'], { name: 'n'.repeat(10_000) })
    const { access, user } = (await visitor.ask('GET', SESSION)).json()
    expect([access.access_level, user.name]).toEqual(['admin', 'n'.repeat(USER_NAME_LENGTH_MAX)])
    expect(
      knownValues(
        RULES.map((rule) => readAccessRule(rule)!),
        ['gone', 'all', 'ops', 'desk', 'devs'],
      ),
    ).toEqual(['ops', 'devs', 'desk', 'gone'])
    expect(USER_VALUES_MAX).toBe(4)
  })

  it.each([
    ['no value that a rule names', { groups: ['others'] }],
    ['no value', { groups: [] }],
    ['a value that only looks like one', { groups: 'ops ' }],
    ['a rule about a project that does not exist', { groups: 'gone' }],
  ])('refuses a user with %s', async (_, more) => {
    provider.claims = { sub: 'sub-9', ...more }
    const visitor = new Visitor(own.app)
    expect((await comeBack(visitor)).headers.location).toBe('/console/sign-in?error=USER_REFUSED')
    expect((await visitor.ask('GET', SESSION)).status).toBe(401)
  })
})

describe('a claim that is left out', () => {
  const WITH_REST = ['contractors=viewer', '*=editor'].map((rule) => readAccessRule(rule)!)
  const with_ = (rules: typeof WITH_REST, claim = 'groups') => {
    const lines: string[] = []
    const { issuer } = provider
    const visitor = new Visitor(own.again({ issuer, clientId: CLIENT, scopes: 'openid', claim, rules }, lines))
    return { visitor, lines }
  }
  const SOURCES = { _claim_sources: { src1: { endpoint: 'https://graph.example.com/getMemberObjects' } } }

  it.each<[string, object, object?]>([
    ['absent', {}],
    ['distributed, as by Entra for more than 200 groups', { _claim_names: { groups: 'src1' }, ...SOURCES }],
    ['aggregated', { _claim_names: { groups: 'src1' }, _claim_sources: { src1: { JWT: 'e30.e30.' } } }],
    ['marked as left out by Entra', { hasgroups: true }],
    ['marked as left out by Entra, as text', { hasgroups: 'true' }],
    ['there in part, and in part elsewhere', { groups: ['a'], _claim_names: { groups: 'src1' }, ...SOURCES }],
    ['distributed in the user info', {}, { _claim_names: { groups: 'src1' }, ...SOURCES }],
    ['there in the user info, while the ID token says elsewhere', { hasgroups: true }, { groups: ['a'] }],
    ['null', { groups: null }],
    ['a number', { groups: 5 }],
    ['true', { groups: true }],
    ['an object', { groups: { contractors: true } }],
    ['a list of objects', { groups: [{ name: 'contractors' }] }],
    ['nested in another list', { groups: [['contractors']] }],
    ['a list with something else in it', { groups: ['a', 5] }],
    ['an empty text', { groups: '' }],
    ['in another one', { realm_access: { groups: ['contractors'] } }],
    ['of another form in the user info', {}, { groups: { contractors: true } }],
  ])('is refused by name, and logged, whatever `*` gives: %s', async (_, claims, info = {}) => {
    Object.assign(provider, { claims: { sub: 'sub-8', ...claims }, info })
    const { visitor, lines } = with_(WITH_REST)
    expect((await comeBack(visitor)).headers.location).toBe('/console/sign-in?error=CLAIM_REFUSED')
    expect((await visitor.ask('GET', SESSION)).status).toBe(401)
    expect(lines.map((line) => JSON.parse(line)).find(({ code }) => code === 'CLAIM_REFUSED')).toMatchObject({
      level: 40,
      reason: expect.stringContaining('the claim `groups`'),
    })
  })

  it.each(['constructor', '__proto__'])('is not found on what every object has: %s', async (claim) => {
    provider.claims = { sub: 'sub-8' }
    const { visitor } = with_(WITH_REST, claim)
    expect((await comeBack(visitor)).headers.location).toBe('/console/sign-in?error=CLAIM_REFUSED')
  })

  it.each<[string, object, string]>([
    ['a list without values', { groups: [] }, 'write'],
    ['other values', { groups: ['a', 'b'] }, 'write'],
    ['the value of a rule', { groups: ['a', 'contractors'] }, 'read'],
    ['one value', { groups: 'contractors' }, 'read'],
    ['marks of another claim', { groups: [], _claim_names: { roles: 'src1' }, hasgroups: false }, 'write'],
  ])('is not what was sent: %s', async (_, claims, access_level) => {
    provider.claims = { sub: 'sub-8', ...claims }
    const { visitor } = with_(WITH_REST)
    expect((await comeBack(visitor)).headers.location).toBe('/console/')
    expect((await visitor.ask('GET', SESSION)).json().access).toMatchObject({ access_level })
  })

  it('is not needed where the first rule applies to all users', async () => {
    provider.claims = { sub: 'sub-8', hasgroups: true }
    const { visitor } = with_(['*=viewer', 'ops=admin'].map((rule) => readAccessRule(rule)!))
    expect((await comeBack(visitor)).headers.location).toBe('/console/')
    // later, the rules name a value that nobody asked for when the user signed in
    const changed = with_(WITH_REST).visitor
    changed.cookie = visitor.cookie
    expect((await changed.ask('GET', SESSION)).status).toBe(401)
  })
})

describe('a provider that is away', () => {
  it('is asked again with the next sign-in, and keys go on working', async () => {
    const rules = [readAccessRule('*=viewer')!]
    const away = { issuer: 'http://127.0.0.1:9', clientId: CLIENT, scopes: 'openid', claim: 'groups', rules }
    const visitor = new Visitor(own.again(away))
    for (let at = 0; at < 2; at++)
      expect((await visitor.ask('GET', START)).headers.location).toBe('/console/sign-in?error=PROVIDER_FAILED')
    expect((await visitor.signIn((await own.addKey('read')).secret)).status).toBe(200)
  })
})

describe('a user', () => {
  const create = (visitor: Visitor, path: string, key: string) =>
    visitor.ask('POST', path, { body: path === ROLES ? { key, name: key } : { key } })

  it.each([
    ['viewer', 'all', 403, 403, 403],
    ['support', 'desk', 200, 403, 403],
    ['editor', 'devs', 200, 200, 403],
    ['admin', 'ops', 200, 200, 200],
  ])('with the role %s may write facts, the policy and keys as that says', async (role, group, facts, policy, keys) => {
    const visitor = await signedIn(group)
    expect((await visitor.ask('GET', USERS)).status).toBe(200)
    expect((await create(visitor, USERS, `user-of-${role}`)).status).toBe(facts)
    expect((await create(visitor, ROLES, `role-of-${role}`)).status).toBe(policy)
    const { organization_id } = (await visitor.ask('GET', SESSION)).json().access
    const key = { organization_id, object_type: 'env', project_id: 'default', environment_id: 'development' }
    expect((await visitor.ask('POST', KEYS, { body: key })).status).toBe(keys)
  })

  it('reaches the place of the rule, and nothing else', async () => {
    const production = USERS.replace('development', 'production')
    expect((await (await signedIn('devs')).ask('GET', production)).status).toBe(200)
    const support = await signedIn('desk')
    expect((await support.ask('GET', production)).status).toBe(404)
    // the same person, who could before
    expect((await support.ask('GET', USERS)).status).toBe(200)
  })

  it('gets what the first rule that fits says', async () => {
    const visitor = await signedIn(['all', 'desk', 'devs'])
    expect((await visitor.ask('GET', SESSION)).json().access).toMatchObject({
      object_type: 'project',
      access_level: 'write',
    })
  })

  it('is named by history, with what the provider said', async () => {
    const visitor = await signedIn('ops', { sub: 'sub-2', name: '<b>Ben</b>' })
    await create(visitor, USERS, 'made-by-ben')
    const { data } = (await visitor.ask('GET', '/console/api/v2/history?actor_type=user')).json()
    expect(data[0]).toMatchObject({
      actor_type: 'user',
      actor_display_name: '<b>Ben</b>',
      actor_user: { issuer: provider.issuer, subject: 'sub-2', name: '<b>Ben</b>' },
      path: '/v2/facts/default/development/users',
    })
  })

  it('is named by the decisions that they asked for, and an API key by its name', async () => {
    const { management, app } = own
    const lines: string[] = []
    const add = (record: DecisionRecord) => {
      lines.push(`{"instance":"${'a'.repeat(32)}","seq":${lines.length + 1}${formatLine(record, 0)}`)
      return { settled: (done: (error?: Error) => void) => done() }
    }
    const pdp = pooledPdpServer(management, { decisionLog: { recorder: { add } } as never })
    await pdp.ready()
    app.console?.answerWith(pdp)
    const body = { user: { key: 'ana' }, action: 'say', resource: { type: 'hello', tenant: 'default' } }
    const withKey = new Visitor(app)
    await withKey.signIn((await own.addKey('read', 'help desk')).secret)
    for (const visitor of [await signedIn('ops', { sub: 'sub-2', name: '<b>Ben</b>' }), withKey]) {
      const asked = `/console/api/allowed?project=default&environment=development`
      expect((await visitor.ask('POST', asked, { body })).status).toBe(200)
    }
    await pdp.close()
    await management.audit.append({ lines: Buffer.from(lines.join('')), isCompressed: false })
    const { data } = (await withKey.ask('GET', '/console/api/v2/pdps/default/development/audit_logs')).json()
    const named = (data as { context: { asked_by: string } }[]).map(({ context }) => context.asked_by)
    expect(named.sort()).toEqual(['<b>Ben</b>', 'help desk'])
  })

  it('is asked for again after an hour, however busy', async () => {
    const visitor = await signedIn('ops')
    later(USER_SESSION_MS / 2)
    expect((await visitor.ask('GET', USERS)).status).toBe(200)
    later(USER_SESSION_MS / 2)
    expect((await visitor.ask('GET', USERS)).status).toBe(401)
  })

  it('has no session where the provider is not the one any more, or none', async () => {
    const visitor = await signedIn('ops')
    const copy = new Visitor(own.again())
    copy.cookie = visitor.cookie
    expect((await copy.ask('GET', SESSION)).status).toBe(401)
    expect((await copy.ask('GET', '/console/api/sign-in')).json()).toEqual({ api_key: true, provider: false })
    expect((await copy.ask('GET', START)).status).toBe(404)
    const rules = [readAccessRule('ops=admin')!]
    const moved = { issuer: 'https://login.example.com', clientId: CLIENT, scopes: 'openid', claim: 'groups', rules }
    const other = new Visitor(own.again(moved))
    other.cookie = visitor.cookie
    expect((await other.ask('GET', SESSION)).status).toBe(401)
  })

  it('loses access with the rule, at the restart that takes it away', async () => {
    const visitor = await signedIn('desk')
    const { issuer } = provider
    const rules = [readAccessRule('ops=admin')!]
    const copy = new Visitor(own.again({ issuer, clientId: CLIENT, scopes: 'openid', claim: 'groups', rules }))
    copy.cookie = visitor.cookie
    expect((await copy.ask('GET', USERS)).status).toBe(403)
  })
})

describe('on the way back', () => {
  const failed = async (visitor: Visitor, answer: Response, code = 'PROVIDER_FAILED') => {
    expect(answer.headers.location).toBe(`/console/sign-in?error=${code}`)
    expect((await visitor.ask('GET', SESSION)).status).toBe(401)
  }

  it.each([
    ['another state', (address: string) => address.replace(/state=[\w-]+/, 'state=AAAA')],
    ['no state', (address: string) => address.replace(/&state=[\w-]+/, '')],
    ['another code', (address: string) => address.replace(/code=\w+/, 'code=0000')],
    ['another issuer', (address: string) => address.replace(/iss=[^&]+/, 'iss=https%3A%2F%2Fevil.example')],
    ['an error of the provider', (address: string) => address.replace(/code=\w+/, 'error=access_denied')],
  ])('%s is refused', async (_, change) => {
    const visitor = new Visitor(own.app)
    await failed(visitor, await comeBack(visitor, change))
  })

  it.each([
    ['for another client', { claims: { aud: 'another' } }],
    ['of another issuer', { claims: { iss: 'https://evil.example' } }],
    ['of another sign-in', { claims: { nonce: 'another' } }],
    ['that has expired', { claims: { exp: 1 } }],
    ['that another key signed', { key: true }],
  ])('an ID token %s is refused', async (_, lie) => {
    provider.lie = lie
    const visitor = new Visitor(own.app)
    await failed(visitor, await comeBack(visitor))
  })

  it('a sign-in that did not begin here is refused before its code is used: no one is signed in as another user', async () => {
    const attacker = new Visitor(own.app)
    const begun = await attacker.ask('GET', START)
    const back = toPath(provider.authorize(String(begun.headers.location)))
    const { exchanges } = provider
    const victim = new Visitor(own.app)
    await failed(victim, await victim.ask('GET', back, { headers: LED_HERE }), 'SESSION_MISSING')
    // with a cookie of their own, the state is another one
    await victim.ask('GET', START)
    await failed(victim, await victim.ask('GET', back, { headers: LED_HERE }))
    expect(provider.exchanges).toBe(exchanges)
  })

  it('a code is used once, and the cookie of the way is gone', async () => {
    const visitor = new Visitor(own.app)
    const begun = await visitor.ask('GET', START)
    const pending = visitor.cookie
    const back = toPath(provider.authorize(String(begun.headers.location)))
    await visitor.ask('GET', back, { headers: LED_HERE })
    const again = new Visitor(own.app)
    again.cookie = pending
    await failed(again, await again.ask('GET', back, { headers: LED_HERE }))
  })

  it('who takes too long begins again', async () => {
    const visitor = new Visitor(own.app)
    const begun = await visitor.ask('GET', START)
    const back = toPath(provider.authorize(String(begun.headers.location)))
    later(SIGN_IN_MS)
    await failed(visitor, await visitor.ask('GET', back, { headers: LED_HERE }), 'SESSION_MISSING')
  })

  it('a session cookie is not taken for the cookie of the way, nor the other way round', async () => {
    const visitor = await signedIn('ops')
    const value = visitor.cookie!.split('=')[1]
    const swapped = new Visitor(own.app)
    swapped.cookie = `zerohop_sign_in=${value}`
    await failed(
      swapped,
      await swapped.ask('GET', `${START}/callback?code=1&state=2`, { headers: LED_HERE }),
      'SESSION_MISSING',
    )
    await swapped.ask('GET', START)
    const pending = swapped.cookie!.split('=')[1]
    swapped.cookie = `zerohop_session=${pending}`
    expect((await swapped.ask('GET', SESSION)).status).toBe(401)
  })

  it('other sites lead to the way back alone, and never under another name', async () => {
    const visitor = await signedIn('ops')
    for (const path of [SESSION, USERS, START, '/console/api/sign-in'])
      expect([path, (await visitor.ask('GET', path, { headers: LED_HERE })).status]).toEqual([path, 403])
    const typed = await visitor.ask('GET', START, { headers: { 'sec-fetch-site': 'none' } })
    expect(typed.status).toBe(302)
    const renamed = await visitor.ask('GET', `${START}/callback?code=1`, {
      headers: { ...LED_HERE, host: 'evil.example' },
    })
    expect(renamed.status).toBe(403)
    expect((await visitor.ask('GET', '/console/%61pi/session/provider')).text).not.toContain('Redirect')
  })
})
