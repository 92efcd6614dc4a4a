// Writes that say what they are made for: the etag of the object that was read, or the revision of the environment. Of
// two who edit one object the second one is refused, and gets what it is now.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeKnownObjects } from '../../support/known-objects.ts'
import type { Route } from '../../support/routes.ts'
import { type Harness, joinHarness } from './harness.ts'

let api: Harness
beforeAll(async () => {
  api = await joinHarness()
  await api.ask('POST', '$S/resources', { key: 'doc', actions: { read: {} } })
  await api.ask('POST', '$F/tenants', { key: 'north' })
})
afterAll(() => api.close())

const OBJECTS = [
  ['users', '$F/users', { key: 'ana' }, 'ana', { first_name: 'Ana' }],
  ['tenants', '$F/tenants', { key: 'south' }, 'south', { name: 'South' }],
  [
    ...['resource instances', '$F/resource_instances'],
    ...[{ key: 'plan', resource: 'doc', tenant: 'north' }, 'doc:plan', { attributes: { a: 1 } }],
  ],
  ['roles', '$S/roles', { key: 'editor', permissions: ['doc:read'] }, 'editor', { name: 'Editors' }],
  ['roles of resources', '$S/resources/doc/roles', { key: 'owner' }, 'owner', { name: 'Owners' }],
  [
    'condition sets',
    '$S/condition_sets',
    { key: 'all', name: 'All', type: 'userset', conditions: {} },
    'all',
    { name: 'Every' },
  ],
] as const as readonly (readonly [string, string, object, string, object])[]

describe.each(OBJECTS)('%s', (_, path, body, ref, fields) => {
  const send = (method: 'PATCH' | 'PUT' | 'DELETE', etag: string, sent?: object, once?: string) =>
    api.ask(method, `${path}/${ref}`, sent, {
      headers: { 'if-match': etag, ...(once && { 'idempotency-key': once }) },
    })

  it('are changed and deleted as they were read, or not at all', async () => {
    expect((await api.ask('POST', path, body)).status).toBe(200)
    const first = String((await api.ask('GET', `${path}/${ref}`)).headers.etag)
    const changed = await send('PATCH', first, fields)
    const second = String(changed.headers.etag)
    expect([changed.status, second]).toEqual([200, (await api.ask('GET', `${path}/${ref}`)).headers.etag])
    expect(second).not.toBe(first)
    // the other one, who read it before
    const before = api.store.head(api.environment).revision
    for (const [method, sent] of [
      ['PATCH', { ...fields }],
      ['DELETE', undefined],
    ] as const) {
      const refused = await send(method, first, sent)
      expect([refused.status, refused.body.error_code, refused.headers.etag]).toEqual([412, 'INVALID_INPUT', second])
      expect(refused.body.additional_info).toMatchObject(fields)
    }
    expect(api.store.head(api.environment).revision).toBe(before)
    expect((await send('PATCH', '*', fields)).status).toBe(200)
    for (const wrong of ['W/"x"', second.slice(1), '"1"']) expect((await send('PATCH', wrong, fields)).status).toBe(400)
    // sent again with its key it gets its answer, although the object is another one, or gone
    const once = randomUUID()
    expect((await send('DELETE', second, undefined, once)).status).toBe(204)
    expect((await send('DELETE', second, undefined, once)).status).toBe(204)
    expect((await send('DELETE', second)).status).toBe(404)
  })
})

describe('two who replace one user', () => {
  it('do not overwrite each other', async () => {
    await api.ask('POST', '$F/users', { key: 'ben' })
    const etag = String((await api.ask('GET', '$F/users/ben')).headers.etag)
    const put = (first_name: string) =>
      api.ask('PUT', '$F/users/ben', { first_name }, { headers: { 'if-match': etag } })
    const answers = await Promise.all([put('One'), put('Two'), put('Three')])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412, 412])
    const { body } = await api.ask('GET', '$F/users/ben')
    const kept = answers.find(({ status }) => status === 200)
    expect(body.first_name).toBe(kept?.body.first_name)
    for (const { status, body: refusal } of answers)
      if (status === 412) expect(refusal.additional_info.first_name).toBe(body.first_name)
  })
})

describe('a write that expects a revision', () => {
  it('is refused when the environment has another one, and writes nothing', async () => {
    const revision = () => api.store.head(api.environment).revision
    const send = (expected: string, key: string) =>
      api.ask('POST', '$F/bulk/users', { operations: [{ key }] }, { headers: { 'x-if-revision': expected } })
    const at = revision()
    expect((await send(String(at), 'cem')).status).toBe(200)
    const refused = await send(String(at), 'dan')
    expect([refused.status, refused.body.error_code]).toEqual([409, 'CONCURRENT_OPERATION_DISALLOWED'])
    expect(refused.body.message).toContain(`revision ${at + 1}, not at ${at}`)
    expect(revision()).toBe(at + 1)
    for (const wrong of ['', 'x', '-1', '1.5']) expect((await send(wrong, 'dan')).status).toBe(400)
    expect((await api.ask('GET', '$F/users/dan')).status).toBe(404)
  })
})

/** Routes that write no one object with an etag: facts that their body names, members, and many at once. */
const WITHOUT_ETAG = [
  /\/bulk(\/|$)/,
  /\/(role_assignments|relationship_tuples|set_rules)$/,
  /\/users\/:ref\/roles$/,
  /\/tenants\/:ref\/users\/:user$/,
  /\/groups\/:group\/(users\/:user|roles|assign_group)$/,
]

describe('every route that changes or deletes', () => {
  let walked: Harness
  let writes: readonly Route[]
  beforeAll(async () => {
    walked = await joinHarness({})
    writes = walked.routes.filter(({ method }) => method !== 'GET' && method !== 'POST')
  })
  afterAll(() => walked.close())

  it('either takes if-match, or says that it does not', async () => {
    const known = await makeKnownObjects(walked)
    // what two routes delete is not there yet
    for (const [url, sent] of [
      ['/v2/schema/:p/:e/resources/:resource/roles/:ref/implicit_grants', undefined],
      ['/v2/api-key/:key/rotate-secret', { keep_old_seconds: 600 }],
    ] as const) {
      const route = walked.routes.find((one) => one.method === 'POST' && one.url === url)
      const made = await walked.ask('POST', known.path(url), sent ?? known.body(route as Route))
      expect([url, made.status]).toEqual([url, 200])
    }
    const { key, status, email, first_name, last_name, role_id, tenant_id } = (
      await walked.ask('GET', '$F/user_invites/carl')
    ).body
    const invited = { key, status, email, first_name, last_name, role_id, tenant_id }
    const without = writes.filter(({ url }) => WITHOUT_ETAG.some((form) => form.test(url)))
    expect(writes.filter(({ isTagged }) => !isTagged)).toEqual(without)
    for (const route of without) {
      const headers = { 'if-match': '*' }
      const refused = await walked.ask(route.method, known.path(route.url), known.body(route), { headers })
      expect([route.method, route.url, refused.status]).toEqual([route.method, route.url, 400])
      expect(refused.body.message).toContain('x-if-revision')
    }
    // what has others below it comes after them, and is deleted last
    const order = ({ method, url }: Route) =>
      (method === 'DELETE' ? 1 : 0) -
      2 * url.length +
      (url.startsWith('/v2/projects') ? 1_000 : url.startsWith('/v2/api-key') ? 900 : 0)
    const tagged = writes.filter(({ isTagged }) => isTagged).toSorted((one, other) => order(one) - order(other))
    expect(tagged.length).toBeGreaterThan(60)
    const organization = walked.made.organization.id
    const findPath = (url: string) => known.path(url).replace(/^\/v2\/orgs\/[^/]+$/, `/v2/orgs/${organization}`)
    const isRead = (url: string) => walked.routes.some((one) => one.method === 'GET' && one.url === url)
    // an answer with the secret of a proxy config leaves an entry in the log of the organization
    const readRevision = ({ url }: Route) =>
      walked.store.head(/^\/v2\/(schema|facts)\//.test(url) ? walked.environment : organization).revision
    let refusals = 0
    for (const route of tagged) {
      let object = route.url
      while (!isRead(object) || !/\/:\w+$/.test(object)) object = object.slice(0, object.lastIndexOf('/'))
      const now = await walked.ask('GET', findPath(object))
      const etag = String(now.headers.etag)
      expect([object, now.status, etag]).toEqual([object, 200, expect.stringMatching(/^"[\w-]{22}"$/)])
      const sent = { ...known.body(route), ...asItIs(route, now.body) }
      const send = (wanted: string) =>
        walked.ask(route.method, findPath(route.url), route.body === undefined ? undefined : sent, {
          headers: { 'if-match': wanted },
        })
      const before = readRevision(route)
      const refused = await send('"aaaaaaaaaaaaaaaaaaaaaa"')
      const { status, headers, body } = refused
      const about = `${route.method} ${route.url} ${JSON.stringify(body)}`
      expect([status, headers.etag, headers['x-error-code'], readRevision(route)], about).toEqual([
        412,
        etag,
        'OBJECT_CHANGED',
        before,
      ])
      expect(body.additional_info, about).toMatchObject({ id: now.body.id })
      const carriedOut = await send(etag)
      // what others still use is refused as ever, and not for its etag
      if (carriedOut.status === 409)
        expect(carriedOut.headers['x-error-code'], about).toMatch(/^(OBJECT_IN_USE|SYNC_RUNNING)$/)
      else expect(carriedOut.status, `${about} ${JSON.stringify(carriedOut.body)}`).toBeLessThan(300)
      const any = await send('*')
      if (route.method === 'DELETE') expect(any.status, about).not.toBe(412)
      else if (carriedOut.status !== 409) expect(any.status, about).toBeLessThan(300)
      // which is the invite of another route, too
      if (route.url.endsWith('/invites/:invite')) await walked.ask('POST', '$F/user_invites', invited)
      refusals += carriedOut.status === 409 ? 1 : 0
    }
    expect(refusals).toBeLessThan(5)
  })
})

/** What of an object the body of a route must have, and its key where the body may have it. */
function asItIs({ body }: Route, object: Readonly<Record<string, unknown>>): object {
  const { properties = {}, required = [] } = (body ?? {}) as { properties?: object; required?: readonly string[] }
  const names = [...required, ...('key' in properties ? ['key'] : [])].filter((name) => name in object)
  return Object.fromEntries(names.map((name) => [name, object[name]]))
}
