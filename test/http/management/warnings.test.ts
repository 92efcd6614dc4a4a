// [D11] A write that takes something away on which a condition counts is carried out, and says so: header `warning`,
// with the condition set and the attribute. The same for every way of writing it.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { withoutRequest } from '../../../src/log/change.ts'
import { LOSSES_LOOKED_AT_MAX } from '../../../src/model/limits.ts'
import { type Answer, type Harness, joinHarness } from './harness.ts'

const SUSPENDED = { not: { 'user.suspended': { equals: true } } }

describe('[D11] warnings of a write', () => {
  let api: Harness
  beforeAll(async () => {
    api = await joinHarness()
    const { ask } = api
    const attributes = { locked: { type: 'bool' }, note: { type: 'string' } }
    await ask('POST', '$S/resources', { key: 'folder', attributes: { frozen: { type: 'bool' } } })
    await ask('POST', '$S/resources', {
      key: 'doc',
      actions: { read: {} },
      attributes: { ...attributes, folder: { type: 'string' } },
    })
    await ask('POST', '$S/roles', { key: 'blocked' })
    await ask('POST', '$S/roles', { key: 'viewer' })
    await set('active', SUSPENDED)
    await set('unblocked', { not: { 'user.roles': { array_contains: 'blocked' } } })
    await set('only_viewers', { 'user.roles': { array_subset: ['viewer'] } })
    await set('outsiders', { not: { 'user.tenants': { array_contains: 'acme' } } })
    await set('thawed', { not: { 'tenant.frozen': { equals: true } } })
    await set('of_open', { not: { 'resource.locked': { equals: true } } })
    await set('open', { not: { 'resource.locked': { equals: true } } }, 'doc')
    const match = { match: { frozen: { equals: true } }, fk_resource_type: 'folder' }
    await set('in_open_folder', { not: { 'resource.folder': { object_match: match } } }, 'doc')
    await set('unused', SUSPENDED, undefined, false)
    const present = [SUSPENDED, { 'user.suspended': { equals: false } }]
    await set('closed', { allOf: present })
    await ask('POST', '$F/tenants', { key: 'acme', attributes: { frozen: true } })
  })
  afterAll(() => api.close())

  beforeEach(async () => {
    await api.ask('DELETE', '$F/users/eva')
    await api.ask('POST', '$F/users', {
      key: 'eva',
      email: 'eva@example.com',
      attributes: { suspended: true, level: 1 },
    })
  })

  /** A condition set, of a resource type or of users, and a rule that uses it. */
  async function set(key: string, conditions: object, resource?: string, isUsed = true): Promise<void> {
    const type = resource === undefined ? 'userset' : 'resourceset'
    const made = await api.ask('POST', '$S/condition_sets', {
      key,
      type,
      conditions,
      ...(resource && { resource_id: resource }),
    })
    expect(made.status).toBe(200)
    if (!isUsed) return
    const sides = resource
      ? { user_set: '__autogen_viewer', resource_set: key }
      : { user_set: key, resource_set: '__autogen_doc' }
    expect((await api.ask('POST', '$F/set_rules', { ...sides, permission: 'doc:read' })).status).toBe(200)
  }

  const GONE = /^299 zerohop "condition set `active` has a `not` over `user.suspended`.* user `eva`"$/

  it('name condition and attribute when PUT resets a user', async () => {
    const { status, headers } = await api.ask('PUT', '$F/users/eva', { attributes: { level: 1 } })
    expect([status, headers.warning]).toEqual([200, [expect.stringMatching(GONE)]])
    // nothing is left to take away
    expect((await api.ask('PUT', '$F/users/eva', {})).headers).not.toHaveProperty('warning')
  })

  it.each<[string, () => Promise<Answer>]>([
    ['PATCH with other attributes', () => api.ask('PATCH', '$F/users/eva', { attributes: { level: 2 } })],
    ['PATCH with null', () => api.ask('PATCH', '$F/users/eva', { attributes: { suspended: null } })],
    ['PATCH of all attributes with null', () => api.ask('PATCH', '$F/users/eva', { attributes: null })],
    ['the bulk PUT', () => api.ask('PUT', '$F/bulk/users', { operations: [{ key: 'eva' }, { key: 'new' }] })],
    ['DELETE, after which a user of that key begins without', () => api.ask('DELETE', '$F/users/eva')],
    ['the bulk DELETE', () => api.ask('DELETE', '$F/bulk/users', { idents: ['eva'] })],
    [
      'a policy file',
      () =>
        api.ask('POST', `/v2/projects/default/envs/development/apply`, {
          policy: { zerohop: 2, users: [{ key: 'eva', attributes: { level: 3 } }] },
        }),
    ],
  ])('answer %s', async (_, write) => {
    const { status, headers } = await write()
    expect(status).toBeLessThan(300)
    expect(headers.warning).toEqual([expect.stringMatching(GONE)])
  })

  it.each<[string, () => Promise<Answer>]>([
    ['PUT with the attribute', () => api.ask('PUT', '$F/users/eva', { attributes: { suspended: false } })],
    ['PATCH of other fields', () => api.ask('PATCH', '$F/users/eva', { email: 'e@example.com' })],
    ['a user who is new', () => api.ask('PUT', '$F/users/ida', { attributes: {} })],
  ])('are none for %s', async (_, write) => {
    const { status, headers } = await write()
    expect([status < 300, headers.warning]).toEqual([true, undefined])
  })

  it('name what a condition reads inside an attribute of the resource, in sets of users too', async () => {
    await set('deep', { not: { 'resource.meta.state.locked': { equals: true } } })
    await set('deep_owner', { not: { 'user.name': { equals: { ref: 'resource.meta.owner' } } } })
    const gone = async (attributes: object | null): Promise<string[]> => {
      const meta = { state: { locked: true }, owner: 'ida' }
      await api.ask('POST', '$F/resource_instances', {
        resource: 'folder',
        key: 'deep',
        tenant: 'default',
        attributes: { meta },
      })
      const { headers } = await api.ask('PATCH', '$F/resource_instances/folder:deep', { attributes })
      await api.ask('DELETE', '$F/resource_instances/folder:deep')
      return ((headers.warning as string[] | undefined) ?? []).map((each) => each.slice(0, 65))
    }
    const warned = (name: string, path: string) =>
      `299 zerohop "condition set \`${name}\` has a \`not\` over \`resource.${path}`.slice(0, 65)
    const [locked, owner] = [warned('deep', 'meta.state.locked'), warned('deep_owner', 'meta.owner')]
    expect(await gone({ meta: { state: {}, owner: 'ida' } })).toEqual([locked])
    expect(await gone({ meta: { state: { locked: true } } })).toEqual([owner])
    expect(await gone({ meta: 'none' })).toEqual([locked, owner])
    expect(await gone({ meta: null })).toEqual([locked, owner])
    expect(await gone({ meta: { state: { locked: false }, owner: '' } })).toEqual([])
  })

  it('count users of one write, and are bounded', async () => {
    const keys = ['u1', 'u2', 'u3']
    const operations = keys.map((key) => ({ key, attributes: { suspended: true } }))
    await api.ask('POST', '$F/bulk/users', { operations })
    const { headers } = await api.ask('PUT', '$F/bulk/users', { operations: keys.map((key) => ({ key })) })
    expect(headers.warning).toEqual([expect.stringContaining('user `u1` and 2 more')])
    const many = Array.from({ length: 12 }, (_, at) => `many_${at}`)
    for (const key of many) await set(key, { not: { 'user.plan': { equals: 'free' } } })
    await api.ask('PUT', '$F/users/u1', { attributes: { plan: 'free' } })
    const bounded = (await api.ask('PUT', '$F/users/u1', {})).headers.warning as string[]
    expect(bounded).toHaveLength(9)
    expect(bounded.at(-1)).toBe('299 zerohop "4 more warnings"')
  })

  it('say that not all of a large write was looked at', async () => {
    const users = Array.from({ length: LOSSES_LOOKED_AT_MAX + 1 }, (_, at) => ({
      key: `l${at}`,
      attributes: { plan: 1 },
    }))
    const imported = (of: object[]) =>
      api.store.commit(
        api.environment,
        'importBundle',
        { bundle: { zerohop: 2, users: of } },
        withoutRequest('importBundle'),
      )
    expect(await imported(users)).not.toHaveProperty('warnings')
    await set('bounded', { not: { 'user.size': { equals: 1 } } })
    const { warnings } = await imported(users.map(({ key }) => ({ key })))
    expect(warnings?.[0]).toBe(
      `only the first ${LOSSES_LOOKED_AT_MAX} of ${users.length} changes that can take something away were looked at`,
    )
    await imported(users.slice(1))
    expect((await imported(users.slice(1).map(({ key }) => ({ key })))).warnings?.[0]).not.toContain('only')
  })

  it('say which role is gone, also with the role itself, and where a list may only have certain ones', async () => {
    const role = { role: 'blocked', tenant: 'default' }
    await api.ask('POST', '$F/users/eva/roles', role)
    const gone = (await api.ask('DELETE', '$F/users/eva/roles', role)).headers.warning as string[]
    expect(gone).toEqual([
      expect.stringMatching(
        /condition set `unblocked` tests `user.roles`.* role `blocked` is gone from user `eva` in tenant `default`/,
      ),
      expect.stringMatching(/condition set `only_viewers` tests `user.roles`/),
    ])
    // and which is given an end, that it has not already
    const ending = { ...role, user: 'eva', valid_until: '2100-01-01T00:00:00.000Z' }
    const put = async (body: object) => (await api.ask('PUT', '$F/role_assignments', body)).headers.warning
    expect(await put(ending)).toEqual([
      expect.stringContaining(
        'condition set `unblocked` tests `user.roles` and may then be true: role `blocked` ends for user `eva` in tenant `default` at 2100-01-01T00:00:00.000Z',
      ),
      expect.stringMatching(/condition set `only_viewers` tests `user.roles` and may then be true/),
    ])
    expect(await put(ending)).toBeUndefined()
    await api.ask('POST', '$F/role_assignments', { ...role, user: 'eva', tenant: 'acme' })
    // it also ties the user to the tenant: to what its conditions and attributes say
    const then = 'role `blocked` ends for user `eva` in tenant `acme` at 2100-01-01T00:00:00.000Z'
    expect(await put({ ...ending, tenant: 'acme' })).toEqual([
      expect.stringContaining(`\`unblocked\` tests \`user.roles\` and may then be true: ${then}`),
      expect.stringContaining('`only_viewers`'),
      expect.stringContaining(`\`outsiders\` tests \`user.tenants\` and may then be true: ${then}`),
      expect.stringContaining(`\`thawed\` has a \`not\` over \`tenant.frozen\`, which may then be true: ${then}`),
    ])
    await api.ask('DELETE', '$F/role_assignments', { ...role, user: 'eva', tenant: 'acme' })
    await api.ask('DELETE', '$F/users/eva/roles', role)
    await api.ask('POST', '$F/users/eva/roles', { ...role, role: 'viewer' })
    // a role that no condition names
    expect((await api.ask('DELETE', '$F/users/eva/roles', { ...role, role: 'viewer' })).headers).not.toHaveProperty(
      'warning',
    )
    await api.ask('PUT', '$F/users/eva', { role_assignments: [role], attributes: { suspended: true } })
    const replaced = await api.ask('PUT', '$F/users/eva', { role_assignments: [], attributes: { suspended: true } })
    expect(replaced.headers.warning).toEqual(expect.arrayContaining([expect.stringContaining('`unblocked`')]))
    await api.ask('POST', '$F/role_assignments/bulk', [{ user: 'eva', ...role }])
    const bulk = await api.ask('DELETE', '$F/role_assignments/bulk', [{ user: 'eva', ...role }])
    expect(bulk.headers.warning).toEqual(expect.arrayContaining([expect.stringContaining('`unblocked`')]))
    await api.ask('POST', '$F/users/eva/roles', role)
    const whole = await api.ask('DELETE', '$S/roles/blocked')
    expect(whole.headers.warning).toEqual(expect.arrayContaining([expect.stringContaining('`unblocked`')]))
  })

  it('name the tenant that is gone, and what is no longer read from it', async () => {
    await api.ask('POST', '$F/tenants/acme/users', { key: 'eva' })
    const { status, headers } = await api.ask('DELETE', '$F/tenants/acme/users/eva')
    expect([status, headers.warning]).toEqual([
      204,
      [
        expect.stringMatching(/`outsiders` tests `user.tenants` .*tenant `acme` is gone from user `eva`/),
        expect.stringMatching(/`thawed` has a `not` over `tenant.frozen`.*tenant `acme` is gone from user `eva`/),
      ],
    ])
    const reset = await api.ask('PUT', '$F/tenants/acme', { name: 'Acme' })
    expect(reset.headers.warning).toEqual([
      expect.stringMatching(/`thawed` has a `not` over `tenant.frozen`.*tenant `acme`/),
    ])
  })

  it('are about instances: their own sets, sets of users, and sets that follow their keys', async () => {
    const key = { key: 'plan', resource: 'doc', tenant: 'default' }
    const put = (attributes: object) =>
      api.ask('PUT', '$F/bulk/resource_instances', { operations: [{ ...key, attributes }] })
    await put({ locked: true })
    const both = [expect.stringContaining('`open`'), expect.stringContaining('`of_open`')]
    expect((await put({ note: 'x' })).headers.warning).toEqual(both)
    await put({ locked: true })
    expect((await api.ask('DELETE', '$F/resource_instances/doc:plan')).headers.warning).toEqual(both)
    const frozen = { key: 'f', resource: 'folder', tenant: 'default', attributes: { frozen: true } }
    await api.ask('POST', '$F/resource_instances', frozen)
    expect((await api.ask('DELETE', '$F/resource_instances/folder:f')).headers.warning).toEqual([
      expect.stringMatching(/`in_open_folder` has a `not` over `folder.frozen`/),
    ])
  })

  it('are about the last direct role that keeps a derived one away', async () => {
    await api.ask('POST', '$S/resources', { key: 'team', roles: { lead: {} } })
    await api.ask('POST', '$S/resources', {
      key: 'page',
      actions: { edit: {} },
      roles: { guest: {}, owner: { permissions: ['edit'] } },
      relations: { team: 'team' },
    })
    await api.ask('PATCH', '$S/resources/page/roles/owner', {
      granted_to: {
        users_with_role: [{ role: 'lead', on_resource: 'team', linked_by_relation: 'team' }],
        when: { no_direct_roles_on_object: true },
      },
    })
    const guest = { user: 'eva', role: 'guest', resource_instance: 'page:p', tenant: 'default' }
    const write = async (method: 'POST' | 'PUT' | 'DELETE', body: object) => {
      const { status, headers } = await api.ask(method, '$F/role_assignments', body)
      expect(status).toBeLessThan(300)
      return headers.warning
    }
    const derived =
      '299 zerohop "role `page#owner` is derived for users without a direct role on the object (`no_direct_roles_on_object`)'
    const gone = [`${derived}: the last one is gone from user \`eva\` on \`page:p\`"`]
    expect(await write('POST', guest)).toBeUndefined()
    expect(await write('DELETE', guest)).toEqual(gone)
    // the same of an end, after which it may be derived, unless another direct role is in force then
    const until = (day: number) => ({ valid_until: `2100-01-0${day}T00:00:00.000Z` })
    const ends = (role: string, day: number) => [
      `${derived} and may then be given: the last one, \`${role}\`, ends for user \`eva\` on \`page:p\` at ${until(day).valid_until}"`,
    ]
    expect(await write('POST', { ...guest, ...until(2) })).toEqual(ends('guest', 2))
    expect(await write('PUT', { ...guest, ...until(2) })).toBeUndefined()
    const owner = { ...guest, role: 'owner' }
    expect(await write('POST', { ...owner, ...until(3) })).toEqual(ends('owner', 3))
    expect(await write('PUT', { ...guest, ...until(1) })).toBeUndefined()
    const policy = { zerohop: 2, role_assignments: [{ ...guest, ...until(4) }] }
    const plan = (await api.ask('POST', '/v2/projects/default/envs/development/plan', { policy })).body
    expect(plan.warnings.map((text: string) => `299 zerohop "${text}"`)).toEqual(ends('guest', 4))
    // what has ended already keeps nothing away
    expect(await write('PUT', { ...guest, valid_until: 5 })).toBeUndefined()
    expect(await write('DELETE', owner)).toEqual(gone)
    expect(await write('DELETE', guest)).toBeUndefined()
  })

  it('say that values of another type count as missing from now on', async () => {
    await set('not_like_leader', { not: { 'user.team': { equals: { ref: 'user.leads' } } } })
    const { status, headers } = await api.ask('POST', '$S/users/attributes', { key: 'team', type: 'number' })
    expect([status, headers.warning]).toEqual([
      200,
      [expect.stringMatching(/`not_like_leader` has a `not` over `user.team`.*another type than number/)],
    ])
  })

  it('come after a plan that says who gains access, and before a diff that says who gained it', async () => {
    const environment = '/v2/projects/default/envs/development'
    await api.ask('POST', '$S/resources/doc/actions', { key: 'sign' })
    const rule = { user_set: 'active', permission: 'doc:sign', resource_set: '__autogen_doc' }
    await api.ask('POST', '$F/set_rules', rule)
    const policy = { zerohop: 2, users: [{ key: 'eva', attributes: { level: 1 } }] }
    const plan = (await api.ask('POST', `${environment}/plan`, { policy })).body
    expect(plan.access.gained).toMatchObject({ users: 1, complete: true })
    const applied = await api.ask('POST', `${environment}/apply`, { policy, fingerprints: plan.fingerprints })
    expect(applied.headers.warning).toEqual([expect.stringMatching(GONE)])
    const since = Number(applied.headers['x-revision']) - 1
    const { body } = await api.ask('GET', `${environment}/access/changes?since=${since}`)
    expect(body.access.gained.first[0]).toMatchObject({ user: 'eva', action: 'sign' })
  })

  it('are ASCII, whatever an attribute is called', async () => {
    await set('named', { not: { 'user.gesperrt_für': { equals: 'a' } } })
    await api.ask('PATCH', '$F/users/eva', { attributes: { suspended: true, gesperrt_für: 'a' } })
    const { headers } = await api.ask('PATCH', '$F/users/eva', { attributes: { suspended: true } })
    const text = String(headers.warning).slice('299 zerohop '.length)
    expect(JSON.parse(text)).toContain('`user.gesperrt_für`')
    expect(text).toMatch(/^[ -~]+$/)
  })

  it('say what of a request about an existing user is ignored: it stays as it is', async () => {
    const before = (await api.ask('GET', '$F/users/eva')).body
    const invite = {
      key: 'eva',
      status: 'pending',
      email: 'x@example.com',
      first_name: 'X',
      last_name: 'Y',
      role_id: 'viewer',
      tenant_id: 'default',
    }
    await api.ask('POST', '$F/user_invites', invite)
    const approved = await api.ask('POST', '$F/user_invites/eva/approve', {
      key: 'eva',
      email: 'x@example.com',
      attributes: {},
    })
    expect([approved.status, approved.headers.warning]).toEqual([
      200,
      ['299 zerohop "user `eva` already exists and is not changed: `email`, `attributes` of the request are ignored"'],
    ])
    expect(approved.body).toMatchObject({
      email: before.email,
      first_name: null,
      attributes: before.attributes,
      roles: [{ role: 'viewer', tenant: 'default' }],
    })
    const added = await api.ask('POST', '$F/tenants/acme/users', { key: 'eva', attributes: {} })
    expect([added.body.attributes, added.headers.warning]).toEqual([
      before.attributes,
      [expect.stringContaining('`attributes` of the request is ignored')],
    ])
  })
})
