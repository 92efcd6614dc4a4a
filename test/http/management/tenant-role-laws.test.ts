// Roles of a tenant where other parts meet them (D18): the acting user who is gone, came again or has rights by a condition
// alone; what was withdrawn, which neither a plan nor a revert gives back; bulk calls; export, review, diff, why and history.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Ask, type Harness, joinHarness } from './harness.ts'

const ENVIRONMENT = '/v2/projects/default/envs/development'
const ROLES = '$F/tenants/acme/roles'
const PAY = 'invoice:pay'
const IN_ACME = { type: 'invoice', tenant: 'acme' }

let api: Harness
let ask: Ask
let acme: string
beforeAll(async () => {
  api = await joinHarness()
  ask = api.ask
})
afterAll(() => api.close())

const POLICY = {
  zerohop: 2,
  resources: [{ key: 'invoice', actions: { read: { grantable: true }, pay: { grantable: true } } }],
  roles: [
    { key: 'viewer', permissions: ['invoice:read'], assignable_by_tenants: true, extendable: true },
    { key: 'payer', permissions: [PAY], assignable_by_tenants: true },
  ],
  set_rules: [{ user_set: 'viewer', is_role: true, permission: PAY, resource_set: 'invoice', is_resource: true }],
}
const FACTS = {
  tenants: [{ key: 'acme' }, { key: 'globex' }],
  users: [{ key: 'ana' }, { key: 'ben' }, { key: 'gus' }],
  role_assignments: [
    { user: 'ana', role: 'viewer', tenant: 'acme' },
    { user: 'ben', role: 'payer', tenant: 'acme' },
    { user: 'gus', role: 'payer', tenant: 'globex' },
  ],
}
const apply = (policy: object) => ask('POST', `${ENVIRONMENT}/apply`, { policy: { zerohop: 2, ...policy } })
const refused = ({ status, body }: { status: number; body: unknown }, want: number, text: string) =>
  expect({ status, text: JSON.stringify(body) }).toEqual({ status: want, text: expect.stringContaining(text) })
const make = (role: object, user?: string, key: string | null = acme) =>
  ask('POST', ROLES, role, {
    ...(key === null ? {} : { key }),
    ...(user === undefined ? {} : { headers: { 'x-acting-user': user } }),
  })
const read = async (role: string) => (await ask('GET', `${ROLES}/${role}`)).body
const offer = (grantable: boolean) => ask('PATCH', '$S/resources/invoice/actions/pay', { grantable })
const revision = () => api.store.head(api.environment).revision
const check = async (user: string, action: string) =>
  (await ask('POST', `${ENVIRONMENT}/check`, { user, action, resource: IN_ACME })).body.allow

beforeEach(async () => {
  for (const { key } of FACTS.tenants) await ask('DELETE', `$F/tenants/${key}`)
  for (const { key } of FACTS.users) await ask('DELETE', `$F/users/${key}`)
  expect(await apply({ ...POLICY, ...FACTS })).toMatchObject({ status: 200 })
  const { organization_id, environment_id } = api.place
  const key = { organization_id, environment_id, object_type: 'tenant', tenant_id: 'acme' }
  acme = (await ask('POST', '/v2/api-key', key)).body.secret
})

describe('[D18] the acting user', () => {
  it('gives nothing that a set rule allows them: only roles count', async () => {
    expect(await check('ana', 'pay')).toBe(true)
    refused(await make({ key: 'pays', permissions: [PAY] }, 'ana'), 403, PAY)
    expect((await make({ key: 'pays', permissions: [PAY] }, 'ben')).status).toBe(200)
    refused(
      await ask(
        'POST',
        '$F/tenants/acme/role_assignments',
        { user: 'ana', role: 'pays' },
        { key: acme, headers: { 'x-acting-user': 'ana' } },
      ),
      403,
      PAY,
    )
  })

  it('who was deleted is nobody, and who was made again under the same key has nothing of before', async () => {
    const role = { key: 'pays', permissions: [PAY] }
    const { id } = (await ask('GET', '$F/users/ben')).body
    await ask('DELETE', '$F/users/ben')
    for (const ref of ['ben', id]) refused(await make(role, ref), 404, `user \`${ref}\` does not exist`)
    await ask('POST', '$F/users', { key: 'ben' })
    // to a key of the tenant who is not in it is not there, and to a wider one has nothing in it
    refused(await make(role, 'ben'), 404, 'user `ben` does not exist')
    refused(await make(role, 'ben', null), 403, PAY)
    refused(await make(role, id, null), 404, 'does not exist')
    await ask('POST', '$F/role_assignments', { user: 'ben', role: 'viewer', tenant: 'acme' })
    refused(await make(role, 'ben'), 403, PAY)
    await ask('PATCH', '$F/users/ben', { suspension: { reason: 'left' } })
    refused(await make({ key: 'reads', permissions: ['invoice:read'] }, 'ben'), 403, 'invoice:read')
  })
})

describe('[D18] what was withdrawn', () => {
  it('is not given back when it is offered again, by a revert, by a plan, or by a policy of before', async () => {
    expect((await make({ key: 'clerk', permissions: [PAY], extends: ['viewer'] })).status).toBe(200)
    await ask('POST', '$F/role_assignments', { user: 'gus', role: 'clerk@acme', tenant: 'acme' })
    const before = (await ask('GET', `${ENVIRONMENT}/export`)).body
    await offer(false)
    const withdrawn = revision()
    await ask('PATCH', '$S/roles/viewer', { extendable: false })
    expect([await check('gus', 'pay'), await check('gus', 'read')]).toEqual([false, false])
    for (const at of [withdrawn + 1, withdrawn]) {
      const planned = await ask('POST', `${ENVIRONMENT}/revisions/${at}/revert/plan`, {})
      expect(planned.body).toMatchObject({ changes: [], conflicts: [{ kind: 'tenant_role', key: 'clerk@acme' }] })
      refused(await ask('POST', `${ENVIRONMENT}/revisions/${at}/revert`, {}), 409, 'by its own routes')
    }
    expect((await offer(true)).status).toBe(200)
    expect(await read('clerk')).toMatchObject({ permissions: [], extends: [] })
    await offer(false)
    const { access } = (await ask('POST', `${ENVIRONMENT}/plan`, { policy: before })).body
    expect(access.gained).toMatchObject({ users: 0 })
    expect((await apply(before)).status).toBe(200)
    expect(await read('clerk')).toMatchObject({ permissions: [], extends: [] })
    expect([await check('gus', 'pay'), await check('gus', 'read')]).toEqual([false, false])
  })
})

describe('[D18] bulk calls', () => {
  it('assign roles of tenants in their tenants alone, all or nothing', async () => {
    await make({ key: 'clerk', permissions: [PAY] })
    const bulk = (items: object[]) => ask('POST', '$F/role_assignments/bulk', items)
    const good = { user: 'ana', role: 'clerk@acme', tenant: 'acme' }
    for (const [wrong, status] of [
      [{ user: 'gus', role: 'clerk@acme', tenant: 'globex' }, 422],
      [{ user: 'gus', role: 'clerk', tenant: 'acme' }, 404],
      [{ user: '*', role: 'clerk@acme', tenant: 'acme' }, 422],
    ] as const)
      expect([wrong, (await bulk([good, wrong])).status]).toEqual([wrong, status])
    expect((await ask('GET', '$F/role_assignments?role=clerk@acme')).body).toEqual([])
    expect((await bulk([good])).status).toBe(200)
    const users = (tenant: string) =>
      ask('PUT', '$F/bulk/users', { operations: [{ key: 'ivy', role_assignments: [{ role: 'clerk@acme', tenant }] }] })
    refused(await users('globex'), 422, 'clerk@acme')
    expect((await users('acme')).status).toBe(200)
    expect((await ask('GET', '$F/role_assignments?role=clerk@acme')).body).toHaveLength(2)
    await ask('DELETE', '$F/users/ivy')
  })
})

describe('[D18] a role of a tenant', () => {
  it('is in the access review, the diff of revisions, the explanation and the history; no policy file has it', async () => {
    await make({ key: 'clerk', permissions: [PAY] })
    const made = revision()
    await ask('POST', '$F/role_assignments', { user: 'gus', role: 'clerk@acme', tenant: 'acme' })
    const review = (await ask('GET', `${ENVIRONMENT}/access?user=gus&tenant=acme`)).body
    expect(review.lines).toMatchObject([{ user: 'gus', action: 'pay', source: { kind: 'role', role: 'clerk@acme' } }])
    const shown = (await ask('GET', `${ENVIRONMENT}/revisions/${revision()}?access=true`)).body
    expect(JSON.stringify(shown.access.gained)).toContain('clerk@acme')
    const question = { user: 'gus', action: 'pay', resource: IN_ACME }
    const why = (await ask('POST', `${ENVIRONMENT}/explain`, question)).body
    expect([why.allow, JSON.stringify(why)]).toEqual([true, expect.stringContaining('clerk@acme')])
    const { data } = (await ask('GET', `/v2/history?env_id=${api.environment}`)).body
    expect(data.find((entry: { revision: number }) => entry.revision === made)).toMatchObject({
      path: expect.stringContaining('/tenants/acme/roles'),
    })
    for (const facts of ['', '?facts=true'])
      expect(JSON.stringify((await ask('GET', `${ENVIRONMENT}/export${facts}`)).body)).not.toContain('clerk')
  })
})
