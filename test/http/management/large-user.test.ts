// A user in hundreds of tenants: what a read of it lists, however its roles lie beside each other in the table of keys,
// and that a delete takes all of it along.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Harness, openHarness } from './harness.ts'

const TENANTS = 300
/** More roles on instances beside each other than a scan reads one by one. */
const INSTANCES = 40
const tenants = Array.from({ length: TENANTS }, (_, at) => `t${at}`)

describe('a user in very many tenants', () => {
  let api: Harness
  async function made(method: 'POST' | 'PUT', path: string, body: unknown) {
    const answer = await api.ask(method, path, body)
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    return answer.body
  }
  const give = (assignments: readonly object[]) => made('POST', '$F/role_assignments/bulk', assignments)

  beforeAll(async () => {
    api = await openHarness()
    for (const key of ['guest', 'host', 'zoo-keeper']) await made('POST', '$S/roles', { key })
    await made('POST', '$S/resources', { key: 'doc', actions: { read: {} }, roles: { guest: {}, host: {} } })
    await made('POST', '$F/bulk/tenants', { operations: tenants.map((key) => ({ key, name: key })) })
    for (const key of ['big', 'big.', 'bigger', 'biG']) await made('POST', '$F/users', { key })
    const instances = Array.from({ length: INSTANCES }, (_, at) => ({ key: `d${at}`, resource: 'doc', tenant: 't1' }))
    await made('PUT', '$F/bulk/resource_instances', { operations: instances })
    // Backwards, so that the order of creation is not that of the keys.
    await give(tenants.toReversed().map((tenant) => ({ user: 'big', role: 'guest', tenant })))
    const onInstances = (role: string) =>
      instances.map(({ key }) => ({ user: 'big', role, tenant: 't1', resource_instance: `doc:${key}` }))
    await give([...onInstances('guest'), ...onInstances('host')])
    await give([
      { user: 'big', role: 'zoo-keeper', tenant: 't1' },
      { user: 'big', role: 'host', tenant: 't1' },
      { user: 'big', role: 'host', tenant: 't7' },
      { user: 'big.', role: 'host', tenant: 't1' },
      { user: 'bigger', role: 'host', tenant: 't2' },
    ])
    await made('POST', '$F/tenants', { key: 'silent' })
    await made('POST', '$F/tenants/silent/users', { key: 'big' })
  })
  afterAll(() => api.close())

  it('is read with every role and tenant, in the order of the first role, and without its roles on instances', async () => {
    const { body } = await api.ask('GET', '$F/users/big')
    const roles: Record<string, string[]> = { t1: ['guest', 'zoo-keeper', 'host'], t7: ['guest', 'host'] }
    const listed = [...tenants.toReversed().map((tenant) => [tenant, roles[tenant] ?? ['guest']]), ['silent', []]]
    const associated = body.associated_tenants as { tenant: string; roles: string[] }[]
    expect(associated.map((one) => [one.tenant, one.roles])).toEqual(listed)
    expect(body.roles).toEqual(associated.flatMap(({ tenant, roles: held }) => held.map((role) => ({ role, tenant }))))
    const { body: page } = await api.ask('GET', '$F/users?search=big&include_resource_instance_roles=true')
    const whole = page.data.find(({ key }: { key: string }) => key === 'big')
    const inTenant = whole.associated_tenants.find(({ tenant }: { tenant: string }) => tenant === 't1')
    expect([inTenant.roles, inTenant.resource_instance_roles.length]).toEqual([roles.t1, 2 * INSTANCES])
  })

  it('has nothing of users whose keys begin alike', async () => {
    const readRoles = async (user: string) => (await api.ask('GET', `$F/users/${user}`)).body.roles
    expect(await readRoles('big.')).toEqual([{ role: 'host', tenant: 't1' }])
    expect(await readRoles('bigger')).toEqual([{ role: 'host', tenant: 't2' }])
    expect(await readRoles('biG')).toEqual([])
  })

  it('is deleted with all of it, and comes back without', async () => {
    expect((await api.ask('DELETE', '$F/users/big')).status).toBe(204)
    expect((await api.ask('GET', '$F/users/big')).status).toBe(404)
    for (const tenant of ['t0', 't299', 'silent'])
      expect((await api.ask('GET', `$F/tenants/${tenant}/users`)).body.data, tenant).toEqual([])
    const again = await made('POST', '$F/users', { key: 'big' })
    expect([again.roles, again.associated_tenants]).toEqual([[], []])
    const { body: left } = await api.ask('GET', '$F/role_assignments')
    expect(left.map(({ user }: { user: string }) => user)).toEqual(['big.', 'bigger'])
  })
})
