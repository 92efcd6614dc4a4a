// Keys of a tenant: what its own administrators do with one, and that no request of theirs, however it is made, tells or
// changes anything of another tenant, or of the environment.
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { withoutRequest } from '../../../src/log/change.ts'
import { goodValue } from '../../support/bad-input.ts'
import { fill, type Route } from '../../support/routes.ts'
import { type Ask, type Harness, joinHarness } from './harness.ts'

const ENVIRONMENT = '/v2/projects/default/envs/development'
const ATTEMPTS = 10_000

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

const REQUESTABLE = { approvers: ['manager'], max_duration: 3_600, reason: 'optional' }
const POLICY = {
  zerohop: 2,
  resources: [
    {
      key: 'doc',
      actions: { read: { grantable: true }, edit: {} },
      roles: {
        editor: { permissions: ['edit'], assignable_by_tenants: true },
        owner: { permissions: ['read', 'edit'] },
      },
    },
  ],
  roles: [
    { key: 'member', permissions: ['doc:read'], assignable_by_tenants: true, max_duration: 86_400 },
    { key: 'manager', permissions: ['doc:edit'], assignable_by_tenants: true, everybody: true },
    { key: 'vendor-support', permissions: ['doc:read'] },
    { key: 'helper', permissions: ['doc:read'], requestable: REQUESTABLE },
  ],
}
const tenantFacts = (tenant: string) => ({
  users: ['boss', 'clerk'].map((name) => ({
    key: `${tenant}-${name}`,
    email: `${name}@${tenant}.example`,
    attributes: { secret: `${tenant}-attribute` },
  })),
  resource_instances: [{ resource: 'doc', key: `${tenant}-plan`, tenant }],
  role_assignments: [
    { user: `${tenant}-boss`, role: 'manager', tenant },
    { user: `${tenant}-clerk`, role: 'vendor-support', tenant },
    { user: `${tenant}-clerk`, role: 'editor', resource_instance: `doc:${tenant}-plan` },
    { user: 'shared', role: 'manager', tenant },
  ],
})
const FACTS = () => {
  const [one, other] = [tenantFacts('acme'), tenantFacts('globex')]
  return {
    tenants: [{ key: 'acme' }, { key: 'globex' }],
    users: [...one.users, ...other.users, { key: 'shared', attributes: { secret: 'of the vendor' } }],
    resource_instances: [...one.resource_instances, ...other.resource_instances],
    role_assignments: [...one.role_assignments, ...other.role_assignments],
  }
}

const apply = async (policy: object) => {
  const { status, body } = await ask('POST', `${ENVIRONMENT}/apply`, { policy })
  expect({ status, body }).toMatchObject({ status: 200 })
}
const createKey = (body: object, options = {}) => {
  const { organization_id, environment_id } = api.place
  return ask('POST', '/v2/api-key', { organization_id, environment_id, object_type: 'tenant', ...body }, options)
}
const as = (key: string) => ({ key })
/** Refused with this status, and a message that has this text. */
const refused = ({ status, body }: { status: number; body: unknown }, want: number, text: string) =>
  expect({ status, text: JSON.stringify(body) }).toEqual({ status: want, text: expect.stringContaining(text) })

/** Every test begins with the same two tenants, and a key of each. */
beforeEach(async () => {
  for (const key of ['acme', 'globex']) await ask('DELETE', `$F/tenants/${key}`)
  for (const key of ['acme-boss', 'acme-clerk', 'globex-boss', 'globex-clerk', 'shared'])
    await ask('DELETE', `$F/users/${key}`)
  await apply({ ...POLICY, ...FACTS() })
  acme = (await createKey({ tenant_id: 'acme' })).body.secret
  globex = (await createKey({ tenant_id: 'globex' })).body.secret
  const auditor = { key: 'auditor', permissions: ['doc:read'], requestable: REQUESTABLE }
  await ask('POST', '$F/tenants/globex/roles', auditor, as(globex))
})

describe('the key of a tenant', () => {
  it('is made with the key or the id of a tenant, and tells its scope', async () => {
    const tenant = (await ask('GET', '$F/tenants/acme')).body
    const made = await createKey({ tenant_id: tenant.id, access_level: 'read', name: 'acme admins' })
    const { organization_id, project_id, environment_id } = api.place
    const place = { organization_id, project_id, environment_id, tenant_id: tenant.id }
    expect(made.body).toMatchObject({ ...place, object_type: 'tenant', access_level: 'read', name: 'acme admins' })
    expect(made.body.secret).toMatch(/^zh_tenant_[0-9A-Za-z]{27}_[0-9A-Za-z]{6}$/)
    expect(made.body.tenant).toEqual({ id: tenant.id, key: 'acme', name: 'acme' })
    expect((await ask('GET', '/v2/api-key/scope', undefined, as(made.body.secret))).body).toEqual(place)
    const { data } = (await ask('GET', '/v2/api-key?object_type=tenant')).body
    expect(data.map(({ tenant: one }: { tenant: { key: string } | null }) => one?.key)).toContain('acme')
  })

  it('is refused without a tenant, for one of another environment, and with a tenant at another level', async () => {
    refused(await createKey({}), 422, 'a key of level tenant needs it')
    refused(await createKey({ tenant_id: 'nowhere' }), 404, 'tenant `nowhere` does not exist')
    refused(await createKey({ object_type: 'env', tenant_id: 'acme' }), 422, 'a key of level env has none')
    refused(await createKey({ tenant_id: 'acme', environment_id: null }), 422, 'a key of level tenant needs it')
    refused(await createKey({ tenant_id: 'acme' }, as(acme)), 404, 'the API key of a tenant')
  })

  it('sees the users of its tenant with their roles there, without attributes and without other tenants', async () => {
    const { status, body } = await ask('GET', '$F/tenants/acme/users', undefined, as(acme))
    expect(status).toBe(200)
    expect(body.data.map(({ key }: { key: string }) => key)).toEqual(['acme-boss', 'acme-clerk', 'shared'])
    const [boss, , shared] = body.data
    expect(boss).toMatchObject({ email: 'boss@acme.example', roles: [{ role: 'manager' }] })
    expect([boss.attributes, shared.attributes]).toEqual([{}, {}])
    expect(shared.associated_tenants.map(({ tenant }: { tenant: string }) => tenant)).toEqual(['acme'])
    for (const query of [
      'search=boss',
      'role=manager',
      'state=ended',
      'search=acme&role=manager',
      'page=2&per_page=2',
    ]) {
      const found = (await ask('GET', `$F/tenants/acme/users?${query}`, undefined, as(acme))).body
      const whole = (await ask('GET', `$F/tenants/acme/users?${query}`)).body
      expect([query, found.total_count, found.data.length]).toEqual([query, whole.total_count, whole.data.length])
    }
  })

  it('lists the roles that it may assign, and the assignments in its tenant', async () => {
    const roles = (await ask('GET', '$F/tenants/acme/roles', undefined, as(acme))).body
    const names = roles.data.map(({ key, resource }: { key: string; resource: string | null }) => [resource, key])
    expect(names).toEqual([
      [null, 'member'],
      [null, 'manager'],
      ['doc', 'editor'],
    ])
    expect(roles.data[0]).toMatchObject({ permissions: ['doc:read'], max_duration: 86_400 })
    const assigned = (await ask('GET', '$F/tenants/acme/role_assignments', undefined, as(acme))).body
    expect(assigned.total_count).toBe(4)
    expect(assigned.data.every(({ tenant }: { tenant: string }) => tenant === 'acme')).toBe(true)
    const ofUser = (user: string) =>
      ask('GET', `$F/tenants/acme/role_assignments?user=${user}`, undefined, as(acme)).then(
        ({ body }) => body.total_count,
      )
    expect([await ofUser('acme-clerk'), await ofUser('globex-clerk'), await ofUser('shared')]).toEqual([2, 0, 1])
  })

  it('assigns, changes and takes away roles that are assignable by tenants, with times and their limits', async () => {
    const path = '$F/tenants/acme/role_assignments'
    const until = new Date(Date.now() + 3_600_000).toISOString()
    const given = await ask('POST', path, { user: 'acme-boss', role: 'member', valid_until: until }, as(acme))
    expect(given).toMatchObject({ status: 200, body: { user: 'acme-boss', role: 'member', tenant: 'acme' } })
    refused(await ask('POST', path, { user: 'acme-boss', role: 'member' }, as(acme)), 409, 'already exists')
    refused(
      await ask('PUT', path, { user: 'acme-boss', role: 'member', valid_until: null }, as(acme)),
      422,
      'is given for 86400 seconds at most',
    )
    const changed = await ask('PUT', path, { user: 'acme-boss', role: 'member', reason: 'on call' }, as(acme))
    expect(changed).toMatchObject({ status: 200, body: { reason: 'on call', valid_until: given.body.valid_until } })
    const onPlan = { user: 'acme-boss', role: 'editor', resource_instance: 'doc:acme-plan' }
    expect(await ask('POST', path, onPlan, as(acme))).toMatchObject({ status: 200 })
    expect(await ask('DELETE', path, onPlan, as(acme))).toMatchObject({ status: 204 })
    expect(await ask('DELETE', path, { user: 'acme-boss', role: 'member' }, as(acme))).toMatchObject({ status: 204 })
    const { data } = (await ask('GET', `/v2/history?env_id=${api.environment}`)).body
    expect(data[0]).toMatchObject({ path: expect.stringContaining('/tenants/acme/role_assignments') })
  })

  it('assigns nothing else: no other role, nobody of another tenant, nothing there, and nothing to everyone', async () => {
    const path = '$F/tenants/acme/role_assignments'
    const give = (body: object) => ask('POST', path, body, as(acme))
    refused(await give({ user: 'acme-boss', role: 'vendor-support' }), 404, 'role `vendor-support` does not exist')
    refused(await give({ user: 'acme-boss', role: 'nothing' }), 404, 'role `nothing` does not exist')
    refused(await give({ user: 'globex-boss', role: 'member' }), 404, 'user `globex-boss` does not exist')
    refused(await give({ user: 'no-one', role: 'member' }), 404, 'user `no-one` does not exist')
    const elsewhere = { user: 'acme-boss', role: 'editor' }
    refused(await give({ ...elsewhere, resource_instance: 'doc:globex-plan' }), 404, '`doc:globex-plan` does not exist')
    refused(await give({ ...elsewhere, resource_instance: 'doc:new-plan' }), 404, '`doc:new-plan` does not exist')
    refused(await give({ user: '*', role: 'manager' }), 403, 'everyone')
    refused(await give({ user: 'acme-boss', role: 'member', tenant: 'globex' }), 422, 'tenant')
    refused(
      await ask('PUT', path, { user: 'acme-clerk', role: 'vendor-support', reason: 'x' }, as(acme)),
      404,
      'vendor-support',
    )
    expect((await ask('GET', '$F/resource_instances/doc:new-plan')).status).toBe(404)
  })

  it('takes a user out of its tenant, who stays in others', async () => {
    expect(await ask('DELETE', '$F/tenants/acme/users/shared', undefined, as(acme))).toMatchObject({ status: 204 })
    const { body } = await ask('GET', '$F/users/shared')
    expect(body.associated_tenants.map(({ tenant }: { tenant: string }) => tenant)).toEqual(['globex'])
    expect(body.attributes).toEqual({ secret: 'of the vendor' })
    refused(await ask('DELETE', '$F/tenants/acme/users/globex-boss', undefined, as(acme)), 404, 'does not exist')
  })

  it('of access `read` writes nothing', async () => {
    const { secret } = (await createKey({ tenant_id: 'acme', access_level: 'read' })).body
    const body = { user: 'acme-boss', role: 'member' }
    refused(
      await ask('POST', '$F/tenants/acme/role_assignments', body, as(secret)),
      403,
      'change the users of a tenant',
    )
  })

  it('is dead with its tenant, also when another one of that key comes', async () => {
    await ask('DELETE', '$F/tenants/acme')
    refused(await ask('GET', '$F/tenants/acme/users', undefined, as(acme)), 404, 'tenant `acme` does not exist')
    await ask('POST', '$F/tenants', { key: 'acme', name: 'Another Acme' })
    refused(await ask('GET', '$F/tenants/acme/users', undefined, as(acme)), 404, 'tenant `acme` does not exist')
    refused(await ask('GET', '/v2/api-key/scope', undefined, as(acme)), 404, 'does not exist')
    const { data } = (await ask('GET', '/v2/api-key?object_type=tenant')).body
    expect(data.some(({ tenant }: { tenant: unknown }) => tenant === null)).toBe(true)
  })

  it('has an old secret beside the new one for as long as a rotation keeps it, for the same tenant', async () => {
    const { id, secret } = (await createKey({ tenant_id: 'acme' })).body
    const rotated = (await ask('POST', `/v2/api-key/${id}/rotate-secret`, { keep_old_seconds: 60 })).body
    expect(rotated).toMatchObject({ object_type: 'tenant', tenant: { key: 'acme' } })
    for (const one of [secret, rotated.secret]) {
      expect((await ask('GET', '$F/tenants/acme/users', undefined, as(one))).status).toBe(200)
      refused(await ask('GET', '$F/tenants/globex/users', undefined, as(one)), 404, 'tenant `globex` does not exist')
    }
  })

  it('writes nothing into another tenant of the same key, which came after the request was admitted', async () => {
    const { id } = (await ask('GET', '$F/tenants/acme')).body
    await ask('DELETE', '$F/tenants/acme')
    await apply({ ...POLICY, ...FACTS() })
    const input = { tenant: id, name: 'assign', input: { user: 'acme-boss', role: 'member', tenant: 'acme' } } as const
    const by = withoutRequest('assign')
    const written = api.store.commit(api.environment, 'writeInTenant', input, by)
    await expect(written).rejects.toMatchObject({ code: 'OBJECT_NOT_FOUND', details: { kind: 'tenant' } })
  })

  it('finds nothing of the first API version', async () => {
    for (const { method, url } of api.v1Routes) {
      const body = method === 'GET' ? undefined : {}
      const { status } = await ask(method, url.replaceAll(/:\w+/g, 'acme'), body, as(acme))
      expect([method, url, status]).toEqual([method, url, 404])
    }
  })

  it('follows no environment and uses no console', async () => {
    refused(await ask('GET', '/v2/feed/default/development/image', undefined, as(acme)), 404, 'API key of a tenant')
    const marked = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }
    const signIn = await ask('POST', '/console/api/session', { api_key: acme }, { key: null, headers: marked })
    expect([403, 404]).toContain(signIn.status)
  })
})

describe('another tenant', () => {
  it('is not told of and not changed, whatever the key of a tenant asks for', async () => {
    const invited = async (tenant: string) =>
      (await ask('POST', `$F/tenants/${tenant}/invites`, { email: `new@${tenant}.example`, role: 'member' })).body.id
    const [invite] = [await invited('acme'), await invited('globex')]
    for (const [tenant, user, role] of [
      ['globex', 'globex-clerk', 'helper'],
      ['globex', 'shared', 'auditor'],
      ['acme', 'acme-clerk', 'helper'],
    ]) {
      const asked = await ask('POST', `$F/tenants/${tenant}/access_requests`, { as: user, role, duration: 600 })
      expect(asked.body.state).toBe('pending')
    }
    const ids = await idsOfGlobex()
    const marks = ['globex', ...ids]
    const before = await snapshotOfGlobex()
    const routes = api.routes.filter(({ operation }) => operation !== undefined)
    const own = [
      'acme',
      'acme-boss',
      'acme-clerk',
      'shared',
      'doc:acme-plan',
      'member',
      'manager',
      'helper',
      'editor',
      '*',
      invite,
    ]
    const foreign = [
      ...ids,
      'globex',
      'globex-boss',
      'globex-clerk',
      'doc:globex-plan',
      'auditor@globex',
      'vendor-support',
      'owner',
      'doc',
    ]
    const ref = fc.oneof(fc.constantFrom(...own), fc.constantFrom(...foreign))
    const place = fc.oneof(
      { weight: 6, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.constantFrom(api.place.environment_id, api.place.project_id, 'production', 'global') },
    )
    const attempt = fc.record({
      route: fc.oneof(
        { weight: 1, arbitrary: fc.constantFrom(...routes) },
        { weight: 1, arbitrary: fc.constantFrom(...routes.filter(({ url }) => url.includes('/tenants/:ref'))) },
      ),
      refs: fc.array(ref, { minLength: 6, maxLength: 6 }),
      isOwn: fc.boolean(),
      isNarrowed: fc.boolean(),
      place,
      fields: fc.dictionary(
        fc.constantFrom('user', 'role', 'tenant', 'tenant_id', 'resource_instance', 'key', 'email', 'resource'),
        ref,
      ),
      query: fc.dictionary(
        fc.constantFrom(
          'user',
          'role',
          'tenant',
          'search',
          'state',
          'resource',
          'resource_instance',
          'page',
          'detailed',
          'on_duplicate',
          'on_missing',
        ),
        fc.oneof(ref, fc.constantFrom('1', '2', 'true', 'ended', 'in_force', 'scheduled', 'ignore', 'ignore', '')),
      ),
    })
    const wide = api.made.environments[0]!.secret
    let answered = 0
    let compared = 0
    const invitations: string[] = []
    await fc.assert(
      fc.asyncProperty(attempt, async ({ route, refs, isOwn, isNarrowed, place: e, fields, query }) => {
        // the key of the environment, narrowed to the tenant, reaches no more than the tenant's own
        const sender = isNarrowed ? { ...as(wide), headers: { 'x-as-tenant': 'acme' } } : as(acme)
        const { path, body } = makeRequest(route, { refs, isOwn, e, fields })
        const url = `${path}?${new URLSearchParams(query)}`
        const answer = await ask(route.method, url, body, sender)
        if (answer.status < 300) answered++
        if (answer.status < 300 && route.method === 'DELETE') await apply({ zerohop: 2, ...FACTS() }) // what it took away comes back
        if (answer.status === 200 && title(route) === INVITING) await ask('DELETE', `$F/user_invites/${answer.body.id}`)
        if (answer.status < 300 && url.includes('/roles')) await dropRoles()
        const sent = `${url} ${JSON.stringify(body)}`
        if (answer.status === 200 && [INVITING, MAKING].includes(title(route))) invitations.push(sent)
        const { link: _asSent, ...headers } = answer.headers // it repeats the query
        const received = JSON.stringify([answer.body, headers])
        const isInvited = (mark: string) => title(route) === HISTORY && invitations.some((text) => text.includes(mark))
        for (const mark of marks)
          if (received.includes(mark) && !sent.includes(mark) && !isInvited(mark))
            throw new Error(`${route.method} ${url} tells of ${mark}: ${received}`)
        // what was sent may come back in an error, in an invite and in the key of a role that is made, and nowhere else
        const echoes = [INVITING, MAKING].includes(title(route)) ? sent : ''
        if (answer.status < 300)
          for (const mark of ids) if (!echoes.includes(mark) && !isInvited(mark)) expect(received).not.toContain(mark)
        if (!marks.some((mark) => sent.includes(mark)) || (route.method !== 'GET' && answer.status < 300)) return
        // what another tenant has answers like what nobody has
        const nothing = (text: string) => marks.reduce((all, mark, n) => all.replaceAll(mark, absent(mark, n)), text)
        const again = await ask(route.method, nothing(url), body && JSON.parse(nothing(JSON.stringify(body))), sender)
        if (again.status < 300 && url.includes('/roles')) await dropRoles()
        expect({ sent, answer: nothing(formatReply(answer)) }).toEqual({
          sent,
          answer: title(route) === HISTORY ? nothing(formatReply(again)) : formatReply(again),
        })
        compared++
      }),
      { numRuns: ATTEMPTS, seed: 36 },
    )
    expect(answered).toBeGreaterThan(ATTEMPTS / 50)
    expect(compared).toBeGreaterThan(ATTEMPTS / 3)
    expect(await snapshotOfGlobex()).toEqual(before)
  })
})

const title = ({ method, url }: Route) => `${method} ${url}`
/** A role has the key that was sent. */
const MAKING = 'POST /v2/facts/:p/:e/tenants/:ref/roles'
/** Whoever is invited is named in the answer, and a list would name them to later requests. */
const INVITING = 'POST /v2/facts/:p/:e/tenants/:ref/invites'
/** It has the names that the tenant itself wrote into invites. */
const HISTORY = 'GET /v2/facts/:p/:e/tenants/:ref/history'
/** Deletes the roles that `acme` has made. */
async function dropRoles(): Promise<void> {
  const { data } = (await ask('GET', '$F/tenants/acme/roles?per_page=100')).body
  for (const { key, tenant } of data as { key: string; tenant: string | null }[])
    if (tenant !== null) await ask('DELETE', `$F/tenants/acme/roles/${encodeURIComponent(key)}`)
}

/** A name or an id of the same form that nothing has. */
const absent = (mark: string, n: number) => (mark === 'globex' ? 'nobody' : n.toString(16).padStart(32, 'e'))

/** An answer without the id of its error, and without its cursor, which is bound to what the request says. */
const formatReply = ({ status, body }: { status: number; body: unknown }) =>
  JSON.stringify([status, { ...(body as object), id: '', next: '' }])

function makeRequest(
  route: Route,
  sent: { refs: readonly string[]; isOwn: boolean; e: string | undefined; fields: Readonly<Record<string, string>> },
): { path: string; body: object | undefined } {
  let at = 0
  const path = fill(route.url, ({ parameter, kind }) => {
    if (parameter === 'p') return 'default'
    if (parameter === 'e') return sent.e ?? 'development'
    return sent.isOwn && kind === 'tenants' ? 'acme' : encodeURIComponent(sent.refs[at++ % sent.refs.length]!)
  })
  if (route.body === undefined) return { path, body: undefined }
  const good = goodValue(route.body, { user: sent.refs[4], role: sent.refs[5], tenant: 'globex' }) as object
  const known = Object.keys(route.body.properties ?? {})
  const fields = Object.fromEntries(Object.entries(sent.fields).filter(([name]) => known.includes(name)))
  return { path, body: Array.isArray(good) ? good : { ...good, ...fields } }
}

/** Reads all of `globex` with its own key, and how many users the environment has. */
async function snapshotOfGlobex(): Promise<unknown> {
  const users = (
    await ask('GET', '$F/tenants/globex/users?include_resource_instance_roles=true', undefined, as(globex))
  ).body
  const assignments = (await ask('GET', '$F/tenants/globex/role_assignments', undefined, as(globex))).body
  const invites = (await ask('GET', '$F/tenants/globex/invites', undefined, as(globex))).body
  const history = (await ask('GET', '$F/tenants/globex/history', undefined, as(globex))).body
  const requests = (await ask('GET', '$F/tenants/globex/access_requests', undefined, as(globex))).body
  const all = (await ask('GET', '$F/users?per_page=100')).body.total_count
  const roles = (await ask('GET', '$F/tenants/globex/roles', undefined, as(globex))).body
  return {
    users,
    assignments,
    invites,
    history,
    requests,
    roles,
    all,
    tenant: (await ask('GET', '$F/tenants/globex')).body,
  }
}

/** Ids of `globex` that `acme` has nothing to do with. */
async function idsOfGlobex(): Promise<readonly string[]> {
  const ids = (text: unknown) => new Set(JSON.stringify(text).match(/\b[0-9a-f]{32}\b/g))
  const seen = await Promise.all(
    ['users', 'roles', 'role_assignments', 'invites'].map((what) =>
      ask('GET', `$F/tenants/acme/${what}`, undefined, as(acme)),
    ),
  )
  const shared = ids([seen, api.place])
  return [...ids(await snapshotOfGlobex())].filter((id) => !shared.has(id))
}
