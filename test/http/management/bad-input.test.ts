// Every route refuses everything that is wrong with its input: the body of the contract, a message that names the
// field, and nothing is written. The cases are made from the schemas of the routes, so that a new route is covered as
// soon as it exists.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BODY_BYTES_MAX, JSON_MEMBERS_MAX, PARAM_LENGTH_MAX } from '../../../src/model/limits.ts'
import { type Bad, badValues } from '../../support/bad-input.ts'
import { type KnownObjects, makeKnownObjects } from '../../support/known-objects.ts'
import { fill, type Route } from '../../support/routes.ts'
import { IS_WHOLE, pickSome } from '../../support/sample.ts'
import { type Answer, type Harness, openHarness } from './harness.ts'

/** A reference that no object has, whatever its kind. */
const ABSENT = ['nothing-here', 'f'.repeat(32), 'ffffffff-ffff-ffff-ffff-ffffffffffff', '%00', 'a b']
const EMAILS = ['email "nobody"', 'email "a@b"', 'email "a b@c.de"', 'email "aaaaaaaa… (255)"']
/** What a route takes all the same, because of what it means, or refuses in a form of its own. */
const ACCEPTED: Readonly<Record<string, readonly string[]>> = {
  'DELETE /v2/facts/:p/:e/role_assignments/bulk': ['reference to nothing'], // takes away what is there
  'POST /v2/facts/:p/:e/proxy_configs': ['reference to nothing'], // a mapping may be there before its resource
  'PUT /v2/facts/:p/:e/proxy_configs/:ref': ['reference to nothing'],
  'PATCH /v2/facts/:p/:e/proxy_configs/:ref': ['reference to nothing', 'more than 1000 items'], // equal rules are one
  'POST /v2/facts/:p/:e/tenants/:ref/invites': ['reference to nothing'], // whoever is invited may be a user or not
  'POST /v2/facts/:p/:e/user_invites/:ref/approve': EMAILS, // 400 {message}
  'PUT /v2/schema/:p/:e/bulk/roles': ['reference to nothing'], // without a resource a role has no derivation: 422
  'DELETE /v2/schema/:p/:e/roles/:ref/permissions': ['permission on nothing'],
  'DELETE /v2/schema/:p/:e/resources/:resource/roles/:ref/permissions': ['permission on nothing'],
  'DELETE /v2/facts/:p/:e/tenants/:ref/roles/:tenant_role/permissions': ['permission on nothing'],
  'POST /v2/projects/:p/envs/:e/plan': ['more than 1000 items'], // a file holds more than one call assigns
  'POST /v2/projects/:p/envs/:e/apply': ['more than 1000 items'],
  'POST /v2/projects/:p/envs/:e/proposals': ['more than 1000 items'],
}

/** What is there already is said before its times are read. */
const THERE = [
  'POST /v2/facts/:p/:e/role_assignments',
  'POST /v2/facts/:p/:e/tenants/:ref/role_assignments',
  'POST /v2/facts/:p/:e/relationship_tuples',
]

/** Places where only the form of a value says whether it is taken. */
const FORM_ONLY: Readonly<Record<string, readonly string[]>> = {
  // what is wrong with a text is the answer
  'POST /v2/projects/:p/envs/:e/validate': ['files'],
  // what a key may be depends on the kind
  'POST /v2/projects/:p/envs/:e/plan': ['changes.0.key'],
  'POST /v2/projects/:p/envs/:e/proposals': ['changes.0.key'],
  'POST /v2/projects/:p/envs/:e/proposals/:proposal/apply': ['expected'],
  // with `create`, the others are refused for being sent
  'POST /v2/facts/:p/:e/group_rules/plan': ['update', 'delete'],
  // the rest is what a plan answered: it is compared, and refused with 409
  'POST /v2/projects/:p/envs/:e/apply': ['changes.0.key', 'fingerprints', 'expected'],
  'POST /v2/projects/:p/envs/:e/revisions/:revision/revert': ['fingerprints', 'expected'],
  'POST /v2/projects/:p/envs/:e/copy': ['fingerprints', 'expected'],
  'POST /v2/projects/:p/envs/:e/copy/async': ['fingerprints', 'expected'],
}
const FORM = /^(string|number|boolean|array|object) for |^null$/

function isFormOnly(route: Route, { what, at }: Bad): boolean {
  const place = at.join('.')
  return !FORM.test(what) && (FORM_ONLY[title(route)] ?? []).some((one) => place === one || place.startsWith(`${one}.`))
}

/** They create what the last part of the path names. */
const UPSERTS = new Set(['PUT /v2/facts/:p/:e/users/:ref', 'POST /v2/facts/:p/:e/syncs/:sync/lease'])

let api: Harness
let known: KnownObjects
let routes: readonly Route[]
let revisions: () => number[]
beforeAll(async () => {
  api = await openHarness({})
  known = await makeKnownObjects(api)
  routes = api.routes.filter(({ operation }) => operation !== undefined)
  revisions = () => api.store.logs().map((log) => api.store.head(log).revision)
  // The first use of a key on a day is written a minute later, into the log of the organization: here before anything is
  // counted.
  await Promise.all(
    [{}, { key: api.made.environments[0]!.secret }].map((key) => api.ask('GET', '$S/roles', undefined, key)),
  )
  await api.app.keyUse.flush()
})
afterAll(() => api.close())

const title = ({ method, url }: Route) => `${method} ${url}`
/** Of the answer to bad input: a 4xx in the form of the contract. */
function expectRefusal(answer: Answer, status: number, at: readonly (string | number)[], what: string): void {
  expect(answer.status, `${what}: ${JSON.stringify(answer.body)}`).toBe(status)
  expect(answer.headers['content-type'], what).toBe('application/json')
  if (status === 422) {
    expect(Object.keys(answer.body), what).toEqual(['detail'])
    const places = answer.body.detail.map(({ loc }: { loc: unknown[] }) => JSON.stringify(loc))
    expect(places, what).toContain(JSON.stringify(at))
    for (const { msg, type } of answer.body.detail) {
      expect(msg, what).toMatch(/\S/)
      expect(type, what).toMatch(/^(value|type)_error(\.|$)/)
    }
  } else {
    expect(Object.keys(answer.body), what).toEqual([
      'id',
      'title',
      'error_code',
      'message',
      'support_link',
      'additional_info',
    ])
    expect(answer.body.message, what).toMatch(/\S/)
  }
}

/** What only the work itself can find out stands in its result. */
const isTask = ({ url }: Route): boolean => url.endsWith('/async')

async function expectFailure(path: string, { body }: Answer, what: string): Promise<void> {
  const result = await api.ask('GET', `${path}/${body.task_id}/result?wait=10`)
  expect(result.status, what).toBe(200)
  expect(result.body, what).toMatchObject({ status: 'failure', result: null, error: expect.any(Object) })
}

describe('every route', () => {
  it('with a body refuses what its schema does not say, and names the place', async () => {
    const before = revisions()
    let asked = 0
    for (const [turn, route] of routes.entries()) {
      if (route.body === undefined) continue
      const path = known.path(route.url)
      for (const bad of pickSome(badValues(route.body, known.fields, '', known.body(route)), turn)) {
        if (ACCEPTED[title(route)]?.includes(bad.what) || isFormOnly(route, bad)) continue
        // DELETE takes away what is there, whatever its times
        if (bad.what.startsWith('instant') && (route.method === 'DELETE' || THERE.includes(title(route)))) continue
        const what = `${title(route)} ${bad.at.join('.')}: ${bad.what}`
        const at = bad.whole ? ['body'] : ['body', ...bad.at]
        const answer = await api.ask(route.method, path, bad.value, keyFor(route))
        if (answer.status === 202 && isTask(route)) await expectFailure(path, answer, what)
        else expectRefusal(answer, bad.status, at, what)
        asked++
      }
      expect(revisions(), title(route)).toEqual(before)
    }
    expect(asked).toBeGreaterThan(IS_WHOLE ? 6_000 : 2_000)
  })

  it('with a body refuses an invalid one: empty, not JSON, of another type, too large', async () => {
    const before = revisions()
    for (const route of routes) {
      if (route.body === undefined) continue
      const path = known.path(route.url)
      const type = { headers: { 'content-type': 'application/json' } }
      if (!route.bodyIsOptional)
        expectRefusal(await api.ask(route.method, path, '', type), 422, ['body'], `${title(route)}: empty`)
      for (const text of ['{', '{"key":1,}', 'nonsense', '\ufeff{}', '{"a":1,"a":2}', '['.repeat(100)]) {
        const answer = await api.ask(route.method, path, text)
        expect(answer.status, `${title(route)}: ${text}`).toBe(422)
        expect(answer.body.detail[0].loc[0], `${title(route)}: ${text}`).toBe('body')
      }
      const xml = await api.ask(route.method, path, '<a/>', { headers: { 'content-type': 'application/xml' } })
      expectRefusal(xml, 415, [], `${title(route)}: XML`)
    }
    expect(revisions()).toEqual(before)
  })

  it('with a body refuses more members than any object has, before anything else is said of them', async () => {
    const before = revisions()
    const members = Array.from({ length: JSON_MEMBERS_MAX + 1 }, (_, at) => `"k${at}":1`).join()
    for (const route of routes) {
      if (route.body === undefined) continue
      const answer = await api.ask(route.method, known.path(route.url), `{"nonsense":{${members}}}`, keyFor(route))
      expectRefusal(answer, 422, ['body'], title(route))
      expect(answer.body.detail[0].type, title(route)).toBe('value_error.members')
    }
    expect(revisions()).toEqual(before)
  })

  it('that answers pages refuses a page out of range', async () => {
    const lists: string[] = []
    for (const route of routes) {
      if (route.method !== 'GET' || isStream(route) || UNPAGED.has(route.url)) continue
      const path = known.path(route.url)
      const { body } = await api.ask('GET', path)
      if (!Array.isArray(body) && !Array.isArray(body?.data)) continue
      lists.push(route.url)
      for (const [name, value] of [
        ['page', '0'],
        ['page', '-1'],
        ['page', 'one'],
        ['page', '1.5'],
        ['page', '9'.repeat(16)],
        ['per_page', '0'],
        ['per_page', '101'],
        ['per_page', 'all'],
      ] as const) {
        const answer = await api.ask('GET', `${path}?${name}=${value}`)
        expectRefusal(answer, 422, ['query', name], `${route.url} ${name}=${value}`)
      }
      const deep = /\/(audit_logs|decisions)$/.test(route.url) ? 400 : 200 // contract: PAGINATION_SIZE_OVERREACHED
      expect((await api.ask('GET', `${path}?page=99999&per_page=100`)).status, route.url).toBe(deep)
    }
    expect(lists.length).toBeGreaterThan(8)
  })

  it('answers 404 when any part of its path names nothing, and 414 when one is too long', async () => {
    const before = revisions()
    let turn = 0
    for (const route of routes) {
      const count = (route.url.match(/:/g) ?? []).length
      for (let broken = 0; broken < count; broken++) {
        if (broken === count - 1 && UPSERTS.has(title(route))) continue
        for (const absent of pickSome(ABSENT, turn++)) {
          const answer = await withPart(route, broken, absent)
          expectRefusal(answer, 404, [], `${title(route)} with ${absent} as parameter ${broken}`)
        }
        const long = await withPart(route, broken, 'x'.repeat(PARAM_LENGTH_MAX + 1))
        expectRefusal(long, 414, [], `${title(route)} with a long parameter ${broken}`)
      }
    }
    expect(revisions()).toEqual(before)
  })

  it('refuses a body above its limit', async () => {
    const big = `{"key":"${'k'.repeat(16 * BODY_BYTES_MAX)}"}`
    const route = routes.find(({ method, url }) => method === 'POST' && url.endsWith('/users'))!
    expectRefusal(await api.ask('POST', known.path(route.url), big), 413, [], title(route))
  })
})

/** The request with one parameter of its path replaced, and a body that would be accepted. */
function withPart(route: Route, broken: number, by: string): Promise<Answer> {
  let seen = 0
  const path = fill(route.url, (segment) => (seen++ === broken ? by : known.ref(segment)))
  return api.ask(route.method, path, known.body(route), keyFor(route))
}

/** Lists that do not grow, and those whose pages go on by a cursor. */
const UNPAGED = new Set([
  '/v2/activity/types',
  '/v2/pdps/:p/:e/audit_logs/counts',
  ...['role_assignments', 'permissions', 'users'].map((what) => `/v2/facts/:p/:e/last_used/${what}`),
])

/** The organization key, but where only the key of an environment may ask. */
const keyFor = ({ method, url }: Route): { key?: string } =>
  url.startsWith('/v2/auth/elements_') || (method === 'POST' && url.endsWith('/audit_logs'))
    ? { key: api.made.environments[0]!.secret }
    : {}

const isStream = ({ url }: Route): boolean => url.startsWith('/v2/feed/')
