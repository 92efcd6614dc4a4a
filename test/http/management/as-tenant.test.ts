// The header `x-as-tenant`: with it a wider key does what a key of that tenant does, and nothing else, whatever it asks.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { goodValue } from '../../support/bad-input.ts'
import { fill } from '../../support/routes.ts'
import { type Ask, type Harness, joinHarness } from './harness.ts'

let api: Harness
let ask: Ask
/** the secret of the key of `acme` */
let own: string
const POLICY = {
  zerohop: 2,
  resources: [{ key: 'doc', actions: { read: {} } }],
  roles: [{ key: 'member', permissions: ['doc:read'], assignable_by_tenants: true }, { key: 'support' }],
}
const FACTS = {
  tenants: [{ key: 'acme' }, { key: 'globex' }],
  users: ['ana', 'ben', 'eve'].map((key) => ({ key, attributes: { secret: 'of the vendor' } })),
  role_assignments: [
    { user: 'ana', role: 'member', tenant: 'acme' },
    { user: 'ben', role: 'support', tenant: 'acme' },
    { user: 'eve', role: 'member', tenant: 'globex' },
  ],
}
beforeAll(async () => {
  api = await joinHarness()
  ask = api.ask
  const policy = { ...POLICY, ...FACTS }
  expect(await ask('POST', '/v2/projects/default/envs/development/apply', { policy })).toMatchObject({ status: 200 })
  const { organization_id, environment_id } = api.place
  const key = { organization_id, environment_id, object_type: 'tenant', tenant_id: 'acme' }
  own = (await ask('POST', '/v2/api-key', key)).body.secret
})
afterAll(() => api.close())

const asTenant = (tenant: string) => ({ headers: { 'x-as-tenant': tenant } })
/** An answer without what is different in each. */
const plain = ({ status, body }: { status: number; body: unknown }) => ({
  status,
  body: JSON.parse(
    JSON.stringify(body ?? null, (name, value) => (name === 'id' || name.endsWith('_at') ? undefined : value)),
  ),
})

it('reads and writes what a key of the tenant does, with the same answers', async () => {
  const path = '$F/tenants/acme'
  const asked: Parameters<Ask>[] = [
    ['GET', `${path}/users`],
    ['GET', `${path}/users?search=eve`],
    ['GET', `${path}/roles`],
    ['GET', `${path}/role_assignments`],
    ['GET', `${path}/invites`],
    ['POST', `${path}/role_assignments`, { user: 'ben', role: 'support' }],
    ['POST', `${path}/role_assignments`, { user: 'eve', role: 'member' }],
    ['POST', `${path}/role_assignments`, { user: '*', role: 'member' }],
    ['DELETE', `${path}/role_assignments`, { user: 'ben', role: 'member' }],
    ['DELETE', `${path}/users/eve`],
    ['GET', '$F/tenants/globex/users'],
  ]
  for (const [method, url, body] of asked) {
    const wide = await ask(method, url, body, asTenant('acme'))
    expect([method, url, plain(wide)]).toEqual([method, url, plain(await ask(method, url, body, { key: own }))])
  }
  const tenant = (await ask('GET', path)).body
  const listed = (await ask('GET', `${path}/users`, undefined, asTenant(tenant.id))).body.data
  expect(listed.map(({ key, attributes }: { key: string; attributes: object }) => [key, attributes])).toEqual([
    ['ana', {}],
    ['ben', {}],
  ])
  const given = await ask('POST', `${path}/role_assignments`, { user: 'ben', role: 'member' }, asTenant('acme'))
  expect(given).toMatchObject({ status: 200, body: { user: 'ben', tenant: 'acme' } })
})

it('finds no tenant but the one of the path, and is refused where it names another or none', async () => {
  for (const tenant of ['globex', 'nothing', '', 'acme, globex', 'acme,acme', 'true', '__proto__']) {
    const { status } = await ask('GET', '$F/tenants/acme/users', undefined, asTenant(tenant))
    expect([tenant, status]).toEqual([tenant, 404])
  }
  expect((await ask('GET', '$F/tenants/globex/users', undefined, { key: own, ...asTenant('globex') })).status).toBe(404)
  expect((await ask('GET', '$F/tenants/acme/users', undefined, { key: own, ...asTenant('globex') })).status).toBe(404)
  expect((await ask('GET', '$F/tenants/acme/users', undefined, { key: own, ...asTenant('acme') })).status).toBe(200)
})

it('finds no route that a key of a tenant does not have', async () => {
  const others = api.routes.filter(({ operation, url }) => operation !== undefined && !url.includes('/tenants/:ref/'))
  expect(others.length).toBeGreaterThan(100)
  for (const route of others) {
    const url = fill(route.url, ({ parameter }) =>
      parameter === 'p' ? 'default' : parameter === 'e' ? 'development' : 'acme',
    )
    const body = route.body === undefined ? undefined : goodValue(route.body, {})
    const { status } = await ask(route.method, url, body, asTenant('acme'))
    expect([route.method, url, status]).toEqual([route.method, url, 404])
  }
})
