// Roles of a tenant (D18): made by its own administrators out of what the environment offers, and that nobody gets more by
// them than is offered, or than the acting user has.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { withoutRequest } from '../../../src/log/change.ts'
import { type Ask, type Harness, joinHarness } from './harness.ts'

const ENVIRONMENT = '/v2/projects/default/envs/development'
const ROLES = '$F/tenants/acme/roles'
const ASSIGNMENTS = '$F/tenants/acme/role_assignments'

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
  resources: [
    {
      key: 'invoice',
      actions: { read: { grantable: true }, pay: { grantable: true }, void: {} },
      roles: { editor: { permissions: ['pay'] } },
    },
  ],
  roles: [
    { key: 'viewer', permissions: ['invoice:read'], assignable_by_tenants: true, extendable: true },
    { key: 'payer', permissions: ['invoice:pay'], assignable_by_tenants: true },
    { key: 'superuser', permissions: ['invoice:void'] },
  ],
}
const FACTS = {
  tenants: [{ key: 'acme' }, { key: 'globex' }, { key: 'invoice' }],
  users: [{ key: 'ana' }, { key: 'ben' }, { key: 'gus' }],
  role_assignments: [
    { user: 'ana', role: 'viewer', tenant: 'acme' },
    { user: 'ben', role: 'payer', tenant: 'acme' },
    { user: 'gus', role: 'payer', tenant: 'globex' },
  ],
}
const apply = async (policy: object) => {
  const { status, body } = await ask('POST', `${ENVIRONMENT}/apply`, { policy })
  expect({ status, body }).toMatchObject({ status: 200 })
}
const createKey = async (tenant_id: string, more = {}) => {
  const { organization_id, environment_id } = api.place
  const body = { organization_id, environment_id, object_type: 'tenant', tenant_id, ...more }
  return (await ask('POST', '/v2/api-key', body)).body.secret as string
}
const as = (key: string, user?: string) => ({
  key,
  ...(user === undefined ? {} : { headers: { 'x-acting-user': user } }),
})
const refused = ({ status, body }: { status: number; body: unknown }, want: number, text: string) =>
  expect({ status, text: JSON.stringify(body) }).toEqual({ status: want, text: expect.stringContaining(text) })
const make = (role: object, key = acme, user?: string) => ask('POST', ROLES, role, as(key, user))
const read = (role: string) => ask('GET', `${ROLES}/${role}`, undefined, as(acme)).then(({ body }) => body)
const listRoles = async (query = '') =>
  (await ask('GET', `${ROLES}${query}`, undefined, as(acme))).body.data.map(({ key }: { key: string }) => key)

beforeEach(async () => {
  for (const key of ['acme', 'globex', 'invoice']) await ask('DELETE', `$F/tenants/${key}`)
  for (const key of ['ana', 'ben', 'gus']) await ask('DELETE', `$F/users/${key}`)
  await apply({ ...POLICY, ...FACTS })
  acme = await createKey('acme')
  globex = await createKey('globex')
})

describe('[D18] a role of a tenant', () => {
  it('is made, read, changed and deleted with the key of its tenant', async () => {
    const made = await make({
      key: 'bookkeeper',
      name: 'Bookkeeper',
      permissions: ['invoice:read'],
      extends: ['viewer'],
    })
    expect(made).toMatchObject({
      status: 200,
      body: { key: 'bookkeeper@acme', tenant: 'acme', resource: null, name: 'Bookkeeper', extends: ['viewer'] },
    })
    const { id } = made.body
    for (const ref of ['bookkeeper', 'bookkeeper@acme', id]) expect(await read(ref)).toEqual(made.body)
    const changed = await ask('PATCH', `${ROLES}/bookkeeper`, { description: 'keeps books' }, as(acme))
    expect(changed.body).toMatchObject({
      description: 'keeps books',
      name: 'Bookkeeper',
      permissions: ['invoice:read'],
    })
    const permissions = { permissions: ['invoice:pay', 'invoice:read'] }
    const more = await ask('POST', `${ROLES}/bookkeeper/permissions`, permissions, as(acme))
    expect(more.body.permissions).toEqual(['invoice:read', 'invoice:pay'])
    const less = await ask('DELETE', `${ROLES}/bookkeeper/permissions`, { permissions: ['invoice:read'] }, as(acme))
    expect(less.body.permissions).toEqual(['invoice:pay'])
    expect(await listRoles()).toEqual(['viewer', 'payer', 'bookkeeper@acme'])
    expect(await listRoles('?offered=extendable')).toEqual(['viewer', 'bookkeeper@acme'])
    const replaced = await ask('PUT', `${ROLES}/bookkeeper`, { key: 'bookkeeper@acme' }, as(acme))
    expect(replaced.body).toMatchObject({ id, name: 'bookkeeper', description: null, permissions: [], extends: [] })
    expect((await ask('DELETE', `${ROLES}/bookkeeper`, undefined, as(acme))).status).toBe(204)
    refused(await ask('GET', `${ROLES}/bookkeeper`, undefined, as(acme)), 404, 'does not exist')
  })

  it('says which permissions it may have', async () => {
    const { body } = await ask('GET', '$F/tenants/acme/permissions', undefined, as(acme))
    expect(body.data.map(({ key }: { key: string }) => key)).toEqual(['invoice:read', 'invoice:pay'])
    expect(body.total_count).toBe(2)
  })

  it('is refused with a wrong type, an unknown field, a bad, long or taken key, and what is not there', async () => {
    refused(await make({ key: 'x', permissions: 'invoice:read' }), 422, 'permissions')
    refused(await make({ key: 'x', attributes: {} }), 422, 'attributes')
    refused(await make({}), 422, 'key')
    refused(await make({ key: 'a@acme' }), 422, 'allowed characters')
    refused(await make({ key: '__autogen_viewer' }), 422, 'reserved')
    refused(await make({ key: 'x'.repeat(252) }), 422, 'the limit is 256')
    expect((await make({ key: 'x'.repeat(251) })).status).toBe(200)
    expect((await make({ key: 'clerk' })).status).toBe(200)
    refused(await make({ key: 'clerk' }), 409, 'already exists')
    refused(await make({ key: 'y', permissions: ['read'] }), 400, 'expected `resource:action`')
    refused(await ask('PATCH', `${ROLES}/clerk`, { key: 'other' }, as(acme)), 422, 'a key cannot be changed')
    refused(await ask('PATCH', `${ROLES}/none`, { name: 'x' }, as(acme)), 404, 'does not exist')
    refused(await ask('DELETE', `${ROLES}/viewer`, undefined, as(acme)), 404, 'does not exist')
    refused(await ask('POST', '$F/tenants/none/roles', { key: 'clerk' }), 404, 'tenant `none` does not exist')
    refused(await make({ key: 'clerk' }, await createKey('acme', { access_level: 'read' })), 403, 'not allowed')
  })

  it('is made with the key of the environment as well, and by that of another tenant neither seen nor changed', async () => {
    expect((await ask('POST', ROLES, { key: 'clerk', permissions: ['invoice:read'] })).status).toBe(200)
    for (const path of [ROLES, `${ROLES}/clerk`, `${ROLES}/clerk@acme`])
      refused(await ask('GET', path, undefined, as(globex)), 404, 'tenant `acme` does not exist')
    refused(await ask('POST', ROLES, { key: 'thief' }, as(globex)), 404, 'tenant `acme` does not exist')
    const { id } = await read('clerk')
    for (const ref of ['clerk', 'clerk@acme', id]) {
      const path = `$F/tenants/globex/roles/${ref}`
      refused(await ask('GET', path, undefined, as(globex)), 404, 'does not exist')
      refused(await ask('GET', path), 404, 'does not exist')
      refused(await ask('PATCH', path, { permissions: [] }, as(globex)), 404, 'does not exist')
      refused(await ask('DELETE', path, undefined, as(globex)), 404, 'does not exist')
    }
    const extending = { key: 'mine', extends: ['clerk@acme'] }
    refused(await ask('POST', '$F/tenants/globex/roles', extending, as(globex)), 404, 'is not offered')
    refused(await ask('POST', '$F/tenants/globex/roles', extending), 404, 'is not offered')
    const given = { user: 'gus', role: 'clerk@acme' }
    refused(await ask('POST', '$F/tenants/globex/role_assignments', given, as(globex)), 404, 'does not exist')
    refused(await ask('POST', '$F/tenants/globex/role_assignments', given), 422, 'is of another tenant')
    refused(await ask('POST', '$F/role_assignments', { ...given, tenant: 'globex' }), 422, 'is of another tenant')
    refused(await ask('POST', '$F/role_assignments', given), 422, 'is of another tenant')
  })

  it('has keys of its own: none of the environment is in its way, and it is in the way of none', async () => {
    expect((await make({ key: 'superuser', permissions: ['invoice:read'] })).body.key).toBe('superuser@acme')
    expect((await make({ key: 'later' })).status).toBe(200)
    expect((await ask('POST', '$S/roles', { key: 'later' })).status).toBe(200)
    expect((await ask('DELETE', '$S/roles/later')).status).toBe(204)
    expect(await read('later')).toMatchObject({ key: 'later@acme' })
    for (const path of ['$S/roles/superuser@acme', '$S/resources/invoice/roles/superuser@acme'])
      refused(await ask('GET', path), 404, 'does not exist')
    const { body } = await ask('GET', '$S/roles')
    expect(body.map(({ key }: { key: string }) => key)).toEqual(['viewer', 'payer', 'superuser'])
  })

  it('is assigned in its tenant by its whole key, in the routes of the tenant also by its key there', async () => {
    await make({ key: 'clerk', permissions: ['invoice:pay'] })
    await make({ key: 'viewer', permissions: ['invoice:pay'] })
    const give = (body: object, key = acme) => ask('POST', ASSIGNMENTS, body, as(key))
    expect((await give({ user: 'ana', role: 'clerk' })).body).toMatchObject({ role: 'clerk@acme', tenant: 'acme' })
    refused(await give({ user: 'ana', role: 'clerk@acme' }), 409, 'already exists')
    // a key without a tenant is that of a role of the environment where there is one
    expect((await give({ user: 'ben', role: 'viewer' })).body).toMatchObject({ role: 'viewer' })
    expect((await give({ user: 'ben', role: 'viewer@acme' })).body).toMatchObject({ role: 'viewer@acme' })
    refused(await give({ user: '*', role: 'clerk' }), 422, 'everybody')
    refused(await give({ user: 'gus', role: 'clerk' }), 404, 'user `gus` does not exist')
    const environment = { user: 'ben', role: 'clerk@acme', tenant: 'acme' }
    refused(await ask('POST', '$F/role_assignments', { ...environment, role: 'clerk' }), 404, 'does not exist')
    expect((await ask('POST', '$F/role_assignments', environment)).body).toMatchObject({ role: 'clerk@acme' })
    refused(
      await ask('POST', '$F/role_assignments', {
        user: 'ben',
        role: 'clerk@acme',
        resource_instance: 'invoice:1',
        tenant: 'acme',
      }),
      404,
      'does not exist',
    )
    const user = (await ask('GET', '$F/users/ben')).body
    expect(user.roles.map(({ role }: { role: string }) => role)).toEqual([
      'payer',
      'viewer',
      'viewer@acme',
      'clerk@acme',
    ])
    const found = (await ask('GET', '$F/tenants/acme/users?role=clerk@acme', undefined, as(acme))).body
    expect(found.data.map(({ key }: { key: string }) => key)).toEqual(['ana', 'ben'])
    const listed = (await ask('GET', '$F/role_assignments?role=clerk@acme&detailed=true')).body
    expect(listed.map(({ user: one, role }: { user: { key: string }; role: object }) => [one.key, role])).toMatchObject(
      [
        ['ana', { key: 'clerk@acme', permissions: ['invoice:pay'] }],
        ['ben', { key: 'clerk@acme' }],
      ],
    )
    expect((await ask('DELETE', ASSIGNMENTS, { user: 'ben', role: 'clerk' }, as(acme))).status).toBe(204)
    expect((await ask('DELETE', `${ROLES}/clerk`, undefined, as(acme))).status).toBe(204)
    expect((await ask('GET', '$F/role_assignments?role=clerk@acme')).body).toEqual([])
  })

  it('is never in set rules, derivations, roles of the environment and policy files', async () => {
    await make({ key: 'clerk', permissions: ['invoice:read'] })
    await ask('POST', ASSIGNMENTS, { user: 'ana', role: 'clerk' }, as(acme))
    const rule = { permission: 'invoice:read', resource_set: 'invoice' }
    for (const user_set of ['clerk@acme', '__autogen_clerk@acme'])
      refused(await ask('POST', '$F/set_rules', { ...rule, user_set }), 404, 'does not exist')
    refused(await ask('PATCH', '$S/roles/payer', { extends: ['clerk@acme'] }), 404, 'does not exist')
    refused(await ask('PUT', '$S/roles/payer/parents/clerk@acme'), 404, 'does not exist')
    const derived = { users_with_role: [{ role: 'clerk@acme', on_resource: 'invoice', linked_by_relation: 'x' }] }
    refused(await ask('PATCH', '$S/resources/invoice/roles/editor', { granted_to: derived }), 404, 'does not exist')
    const policy = { zerohop: 2, roles: [{ key: 'clerk@acme', permissions: ['invoice:void'] }] }
    refused(await ask('POST', `${ENVIRONMENT}/apply`, { policy }), 422, 'allowed characters')
    const { body } = await ask('GET', `${ENVIRONMENT}/export?facts=true`)
    expect(JSON.stringify(body)).not.toContain('clerk')
  })
})

describe('[D18] nobody gets more than is offered', () => {
  it('by a permission or a role that is not offered, which is refused as one that does not exist', async () => {
    const text = (permission: string) => `permission \`${permission}\` is not offered to roles of tenants`
    for (const permission of ['invoice:void', 'invoice:none', 'none:read'])
      refused(await make({ key: 'clerk', permissions: [permission] }), 404, text(permission))
    for (const role of ['payer', 'superuser', 'none', 'editor', 'invoice/editor'])
      refused(await make({ key: 'clerk', extends: [role] }), 404, `role \`${role}\` is not offered`)
    await make({ key: 'clerk', permissions: ['invoice:read'] })
    const more = { permissions: ['invoice:void'] }
    refused(await ask('POST', `${ROLES}/clerk/permissions`, more, as(acme)), 404, text('invoice:void'))
    refused(await ask('PATCH', `${ROLES}/clerk`, more, as(acme)), 404, text('invoice:void'))
    refused(await ask('PATCH', `${ROLES}/clerk`, { extends: ['payer'] }), 404, 'role `payer` is not offered')
    expect(await read('clerk')).toMatchObject({ permissions: ['invoice:read'], extends: [] })
  })

  it('when an action is no longer grantable, is renamed or deleted: roles change in that revision', async () => {
    await make({ key: 'clerk', permissions: ['invoice:read', 'invoice:pay'] })
    const other = { key: 'other', permissions: ['invoice:pay'] }
    await ask('POST', '$F/tenants/globex/roles', other, as(globex))
    const patched = await ask('PATCH', '$S/resources/invoice/actions/pay', { grantable: false })
    expect(patched.status).toBe(200)
    expect((await read('clerk')).permissions).toEqual(['invoice:read'])
    const { body: theirs } = await ask('GET', '$F/tenants/globex/roles/other', undefined, as(globex))
    expect(theirs.permissions).toEqual([])
    const { data } = (await ask('GET', `/v2/history?env_id=${api.environment}&per_page=1&changed=true`)).body
    const keys = JSON.stringify(data[0].changed)
    for (const key of ['clerk@acme', 'other@globex']) expect(keys).toContain(key)
    // a write that does not name it keeps it, null and a file that leaves it out reset it
    const actions = { read: {}, settle: { grantable: true } }
    await apply({
      ...POLICY,
      moved: [{ kind: 'action', from: 'invoice/read', to: 'invoice/see' }],
      resources: [{ key: 'invoice', actions: { see: { grantable: true } } }],
      roles: [],
    })
    expect((await read('clerk')).permissions).toEqual(['invoice:see'])
    expect((await ask('PATCH', '$S/resources/invoice', { actions: { see: {}, ...actions } })).status).toBe(200)
    expect((await read('clerk')).permissions).toEqual(['invoice:see'])
    await apply({ ...POLICY, resources: [{ key: 'invoice', actions: { see: {}, ...actions } }], roles: [] })
    expect((await read('clerk')).permissions).toEqual([])
    await ask('POST', `${ROLES}/clerk/permissions`, { permissions: ['invoice:settle'] }, as(acme))
    expect((await ask('DELETE', '$S/resources/invoice/actions/settle')).status).toBe(204)
    expect((await read('clerk')).permissions).toEqual([])
  })

  it('when a role is no longer extendable, is renamed or deleted', async () => {
    await make({ key: 'clerk', extends: ['viewer'] })
    await apply({
      ...POLICY,
      moved: [{ kind: 'role', from: 'viewer', to: 'reader' }],
      roles: [{ ...POLICY.roles[0], key: 'reader' }],
    })
    expect((await read('clerk')).extends).toEqual(['reader'])
    await ask('PUT', '$S/roles/reader', { permissions: ['invoice:read'] })
    expect((await read('clerk')).extends).toEqual(['reader'])
    await ask('PATCH', '$S/roles/reader', { extendable: null })
    expect((await read('clerk')).extends).toEqual([])
    await ask('PATCH', '$S/roles/reader', { extendable: true })
    expect((await read('clerk')).extends).toEqual([])
    await ask('PATCH', `${ROLES}/clerk`, { extends: ['reader'] }, as(acme))
    expect((await ask('DELETE', '$S/roles/reader')).status).toBe(204)
    expect((await read('clerk')).extends).toEqual([])
  })

  it('a plan and a write say what roles of tenants lose, and what they gain by a role that they extend', async () => {
    await make({ key: 'clerk', permissions: ['invoice:pay'], extends: ['viewer'] })
    await ask('POST', ASSIGNMENTS, { user: 'ana', role: 'clerk' }, as(acme))
    const plan = async (policy: object) => (await ask('POST', `${ENVIRONMENT}/plan`, { policy })).body
    const withdrawn = {
      zerohop: 2,
      resources: [{ ...POLICY.resources[0], actions: { read: { grantable: true }, pay: {}, void: {} } }],
    }
    const less = await plan(withdrawn)
    expect(less.warnings).toEqual([expect.stringContaining('1 role of tenants loses what is not offered any more')])
    expect(JSON.stringify(less.policy)).toContain('clerk@acme')
    expect(JSON.stringify(less.access)).toContain('ana')
    const more = { permissions: ['invoice:read', 'invoice:void'] }
    const warned = await plan({ zerohop: 2, roles: [{ ...POLICY.roles[0], ...more }] })
    expect(warned.warnings).toEqual([expect.stringContaining('what role `viewer` gains, 1 role of tenants gains')])
    const { headers } = await ask('PATCH', '$S/roles/viewer', more)
    expect(String(headers.warning)).toContain('what role `viewer` gains')
    const own = await ask('PATCH', `${ROLES}/clerk`, { permissions: [] })
    expect(own.headers.warning).toBeUndefined()
    const gone = await plan({ zerohop: 2, manages: [{ kind: 'tenant' }], tenants: [{ key: 'globex' }] })
    expect(gone.cascade).toEqual([])
  })

  it('by a role with a longest duration, which is not extendable', async () => {
    refused(await ask('PATCH', '$S/roles/viewer', { max_duration: 60 }), 422, 'is not `extendable`')
    refused(await ask('POST', '$S/roles', { key: 'brief', max_duration: 60, extendable: true }), 422, '`extendable`')
  })

  it('by a tenant of the key of a resource type, whose roles are no roles on instances', async () => {
    const key = await createKey('invoice')
    const path = '$F/tenants/invoice/roles'
    const made = await ask('POST', path, { key: 'editor', permissions: ['invoice:read'] }, as(key))
    expect(made.body.key).toBe('editor@invoice')
    await ask('POST', '$F/users', { key: 'ivy', role_assignments: [{ role: 'editor@invoice', tenant: 'invoice' }] })
    expect((await ask('GET', '$F/role_assignments?user=ivy')).body).toMatchObject([{ role: 'editor@invoice' }])
    expect((await ask('GET', '$F/role_assignments?role=editor')).body).toEqual([])
    await ask('DELETE', '$F/users/ivy')
  })

  it('by chains of roles, which never stand in the way of the environment', async () => {
    const chain = ['viewer', 'a', 'b', 'c', 'd', 'e']
    const answers = []
    for (let at = 1; at < chain.length; at++)
      answers.push((await make({ key: chain[at], extends: [chain[at - 1]] })).status)
    expect(answers).toEqual([200, 200, 200, 200, 422])
    refused(await ask('PATCH', `${ROLES}/a`, { extends: ['d'] }, as(acme)), 422, 'a')
    refused(await ask('PATCH', `${ROLES}/a`, { extends: ['a'] }, as(acme)), 422, 'a')
    // 28 roles above the one that is extendable leave room for four below it; one more is refused whatever tenants do
    const above = Array.from({ length: 28 }, (_, at) => `above-${at}`)
    for (const [at, key] of above.entries())
      expect((await ask('POST', '$S/roles', { key, extends: at === 0 ? [] : [above[at - 1]] })).status).toBe(200)
    refused(await ask('PATCH', '$S/roles/viewer', { extends: ['above-27'] }), 422, 'the chain of extended roles')
    expect((await ask('PATCH', '$S/roles/viewer', { extends: ['above-26'] })).status).toBe(200)
    refused(await ask('PATCH', '$S/roles/above-27', { extendable: true, extends: ['viewer'] }), 422, 'the chain')
    expect((await ask('PATCH', '$S/roles/payer', { extends: ['above-27'] })).status).toBe(200)
    refused(await ask('PATCH', '$S/roles/payer', { extendable: true }), 422, 'the chain of extended roles')
    for (const key of [...above].reverse()) await ask('DELETE', `$S/roles/${key}`)
  })

  it('by more roles than a tenant may make', async () => {
    for (let at = 0; at < 50; at++) expect((await make({ key: `role-${at}` })).status).toBe(200)
    refused(await make({ key: 'one-more' }), 422, 'the roles of one tenant would exceed the limit of 50')
    expect((await ask('POST', '$F/tenants/globex/roles', { key: 'other' }, as(globex))).status).toBe(200)
    await ask('DELETE', `${ROLES}/role-7`, undefined, as(acme))
    expect((await make({ key: 'one-more' })).status).toBe(200)
  })

  it('goes with its tenant', async () => {
    await make({ key: 'clerk', permissions: ['invoice:read'] })
    await ask('POST', ASSIGNMENTS, { user: 'ana', role: 'clerk' }, as(acme))
    await ask('DELETE', '$F/tenants/acme')
    await ask('POST', '$F/tenants', { key: 'acme' })
    const again = await createKey('acme')
    refused(await ask('GET', `${ROLES}/clerk`, undefined, as(again)), 404, 'does not exist')
    expect((await ask('GET', '$F/role_assignments?user=ana')).body).toEqual([])
  })
})

describe('[D18] nobody gives more than the acting user has by roles in the tenant', () => {
  const BEYOND = 'cannot give it'

  it('in a new role, in one that is changed, and by what it extends', async () => {
    expect((await make({ key: 'see', permissions: ['invoice:read'] }, acme, 'ana')).status).toBe(200)
    refused(await make({ key: 'pay', permissions: ['invoice:pay'] }, acme, 'ana'), 403, BEYOND)
    refused(await make({ key: 'see2', extends: ['viewer'] }, acme, 'ben'), 403, BEYOND)
    expect((await make({ key: 'see2', extends: ['viewer'] }, acme, 'ana')).status).toBe(200)
    const more = { permissions: ['invoice:pay'] }
    refused(await ask('POST', `${ROLES}/see/permissions`, more, as(acme, 'ana')), 403, BEYOND)
    refused(await ask('PATCH', `${ROLES}/see`, { extends: ['viewer'], ...more }, as(acme, 'ana')), 403, BEYOND)
    // who takes something away, or changes a name, needs none of it
    expect((await ask('PATCH', `${ROLES}/see`, { name: 'See' }, as(acme, 'ben'))).status).toBe(200)
    expect((await ask('PATCH', `${ROLES}/see2`, { extends: [] }, as(acme, 'ben'))).status).toBe(200)
    expect((await ask('POST', `${ROLES}/see/permissions`, more, as(acme, 'ben'))).status).toBe(200)
    refused(await make({ key: 'both', extends: ['see'] }, acme, 'ana'), 403, BEYOND)
  })

  it('by assigning a role that has more', async () => {
    await make({ key: 'pay', permissions: ['invoice:pay'] })
    const body = { user: 'ana', role: 'pay' }
    for (const method of ['POST', 'PUT'] as const)
      refused(await ask(method, ASSIGNMENTS, body, as(acme, 'ana')), 403, BEYOND)
    expect((await ask('POST', ASSIGNMENTS, body, as(acme, 'ben'))).status).toBe(200)
    // what it gave counts from then on, and a role of the environment says itself who assigns it
    expect((await make({ key: 'pay2', permissions: ['invoice:pay'] }, acme, 'ana')).status).toBe(200)
    expect((await ask('POST', ASSIGNMENTS, { user: 'ana', role: 'payer' }, as(acme, 'ana'))).status).toBe(200)
  })

  it('by roles elsewhere, that have ended or begin later, of everyone, while suspended, or as nobody', async () => {
    const pay = { key: 'pay', permissions: ['invoice:pay'] }
    refused(await make(pay, acme, 'gus'), 404, 'user `gus` does not exist')
    refused(await ask('POST', ROLES, pay, { headers: { 'x-acting-user': 'gus' } }), 403, BEYOND)
    for (const user of ['none', '', '*', 'ben, ana']) refused(await make(pay, acme, user), 404, 'does not exist')
    await ask('PUT', '$F/role_assignments', { user: 'ben', role: 'payer', tenant: 'acme', valid_until: 1 })
    refused(await make(pay, acme, 'ben'), 403, BEYOND)
    const later = { valid_until: null, valid_from: Date.now() + 3_600_000 }
    await ask('PUT', '$F/role_assignments', { user: 'ben', role: 'payer', tenant: 'acme', ...later })
    refused(await make(pay, acme, 'ben'), 403, BEYOND)
    await ask('PUT', '$F/role_assignments', { user: 'ben', role: 'payer', tenant: 'acme', valid_from: null })
    await ask('PATCH', '$F/users/ben', { suspension: { reason: 'left' } })
    refused(await make(pay, acme, 'ben'), 403, BEYOND)
    await ask('PATCH', '$F/users/ben', { suspension: null })
    expect((await make(pay, acme, 'ben')).status).toBe(200)
    await ask('PATCH', '$S/roles/payer', { everybody: true })
    await ask('POST', '$F/role_assignments', { user: '*', role: 'payer', tenant: 'acme' })
    refused(await make({ ...pay, key: 'pay2' }, acme, 'ana'), 403, BEYOND)
    await ask('DELETE', '$F/role_assignments', { user: '*', role: 'payer', tenant: 'acme' })
    await ask('PATCH', '$S/roles/payer', { everybody: false })
  })

  it('also in a race of two writes: each is decided on what the one before left', async () => {
    await make({ key: 'see', permissions: ['invoice:read'] })
    const by = withoutRequest('createTenantRole')
    const tenant = (await ask('GET', '$F/tenants/acme')).body.id
    const inTenant = (name: 'createTenantRole', input: object) =>
      api.store.commit(api.environment, 'writeInTenant', { tenant, name, input } as never, by)
    const role = { key: 'pay', permissions: ['invoice:pay'] }
    const [taken, made] = await Promise.allSettled([
      api.store.commit(api.environment, 'unassign', { user: 'ben', role: 'payer', tenant: 'acme' }, by),
      inTenant('createTenantRole', { tenant: 'acme', role, by: { acting: 'ben' } }),
    ])
    expect(taken.status).toBe('fulfilled')
    expect(made).toMatchObject({ status: 'rejected', reason: { code: 'OBJECT_NOT_FOUND' } })
    const offer = { resource: 'invoice', ref: 'pay', fields: { grantable: false } }
    const [withdrawn, late] = await Promise.allSettled([
      api.store.commit(api.environment, 'updateAction', offer, by),
      inTenant('createTenantRole', { tenant: 'acme', role, by: {} }),
    ])
    expect(withdrawn.status).toBe('fulfilled')
    expect(late).toMatchObject({ status: 'rejected', reason: { code: 'NOT_OFFERED' } })
  })
})
