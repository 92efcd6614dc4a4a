// [D6] Names of set rules that are a set and a role at once, wherever rules are written other than by their route:
// policy files, exports, copies of environments, reverts. And other names whose meaning must not change.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Harness, joinHarness } from './harness.ts'

const DEVELOPMENT = '/v2/projects/default/envs/development'
const RULE = { user_set: 'night', permission: 'door:open', resource_set: '__autogen_door' }
const NIGHT = { key: 'night', type: 'userset', conditions: { 'user.shift': { equals: 'night' } } }
const ROLE = '__autogen_night_can_open_door___autogen_door'
const SET = 'night_can_open_door___autogen_door'

describe('[D6] a name of a role and of a set', () => {
  let api: Harness
  beforeAll(async () => {
    api = await joinHarness()
    await api.ask('POST', '$S/resources', { key: 'door', actions: { open: {} } })
  })
  afterAll(() => api.close())

  beforeEach(async () => {
    await api.ask('DELETE', '$S/condition_sets/night')
    await api.ask('DELETE', '$S/roles/night')
    await api.ask('POST', '$S/roles', { key: 'night' })
  })

  const rules = async (environment = 'development') => {
    const { body } = await api.ask('GET', `/v2/facts/default/${environment}/set_rules`)
    return body.map(({ key }: { key: string }) => key).toSorted()
  }
  const apply = (policy: object) => api.ask('POST', `${DEVELOPMENT}/apply`, { policy: { zerohop: 2, ...policy } })
  const both = async () => {
    await api.ask('POST', '$S/condition_sets', NIGHT)
    for (const meaning of [{ is_role: true }, { is_set: true }])
      await api.ask('POST', '$F/set_rules', { ...RULE, ...meaning })
    expect(await rules()).toEqual([ROLE, SET])
  }

  it('keeps its meaning when a policy file makes the set', async () => {
    await api.ask('POST', '$F/set_rules', RULE)
    expect((await apply({ condition_sets: [NIGHT], set_rules: [RULE] })).status).toBe(200)
    expect(await rules()).toEqual([ROLE])
  })

  it('has to be said in a policy file that is the first to write the rule', async () => {
    const { status, body } = await apply({ condition_sets: [NIGHT], set_rules: [RULE] })
    expect([status, body.message]).toEqual([
      409,
      expect.stringContaining('`night` is a role and a condition set: use is_role or is_set'),
    ])
    const clear = [
      { ...RULE, is_set: true },
      { ...RULE, is_role: true },
    ]
    expect((await apply({ condition_sets: [NIGHT], set_rules: clear })).status).toBe(200)
    expect(await rules()).toEqual([ROLE, SET])
  })

  it('is said by an export, which changes nothing when it is applied', async () => {
    await both()
    const { body } = await api.ask('GET', `${DEVELOPMENT}/export`)
    expect(body.set_rules.map((rule: object) => ({ ...rule, permission: '' }))).toEqual([
      { user_set: 'night', is_role: true, permission: '', resource_set: 'door', is_resource: true },
      { user_set: 'night', is_set: true, permission: '', resource_set: 'door', is_resource: true },
    ])
    const plan = await api.ask('POST', `${DEVELOPMENT}/plan`, { policy: body, prune: true })
    expect([plan.status, plan.body.changes]).toEqual([200, []])
  })

  it('is not read anew in a copy, where the target has the role', async () => {
    await both()
    await api.ask('DELETE', '$F/set_rules', { ...RULE, is_role: true })
    await api.ask('POST', '/v2/projects/default/envs', { key: 'target', name: 'target' })
    await api.ask('POST', '/v2/schema/default/target/roles', { key: 'night' })
    const copied = await api.ask('POST', `${DEVELOPMENT}/copy`, {
      target_env: { existing: 'target' },
      conflict_strategy: 'overwrite',
      scope: { roles: { exclude: ['night'] } },
    })
    expect([copied.status, await rules('target')]).toEqual([201, [SET]])
  })

  it('is not read anew by a revert', async () => {
    await both()
    const { headers } = await api.ask('DELETE', '$S/condition_sets/night')
    expect(await rules()).toEqual([ROLE])
    const reverted = await api.ask(
      'POST',
      `${DEVELOPMENT}/revisions/${headers['x-revision'] ?? (await revision())}/revert`,
      {},
    )
    expect([reverted.status, await rules()]).toEqual([200, [ROLE, SET]])
  })
  const revision = async () => (await api.ask('GET', DEVELOPMENT)).headers['x-revision']

  it('an invite for a role in a tenant does not become one on an instance, and the other way round', async () => {
    await api.ask('POST', '$S/roles', { key: 'guard' })
    await api.ask('POST', '$S/resources', { key: 'gate', actions: { open: {} } })
    await api.ask('POST', '$F/resource_instances', { key: 'a', resource: 'gate', tenant: 'default' })
    await api.ask('POST', '$F/resource_instances', { key: 'a', resource: 'door', tenant: 'default' })
    await api.ask('POST', '$S/resources/door/roles', { key: 'guard' })
    const invite = {
      status: 'pending',
      email: 'a@example.com',
      first_name: 'A',
      last_name: 'B',
      role_id: 'guard',
      tenant_id: 'default',
    }
    const made = await api.ask('POST', '$F/user_invites', { ...invite, key: 'on', resource_instance_id: 'door:a' })
    expect(made.body.resource_instance_id).not.toBeNull()
    // the other type has no such role; the tenant has one, which is another
    const moved = await api.ask('PATCH', '$F/user_invites/on', { resource_instance_id: 'gate:a' })
    expect(moved.status).toBe(404)
    const tenant = await api.ask('POST', '$F/user_invites', { ...invite, key: 'in', resource_instance_id: 'gate:a' })
    expect(tenant.body.resource_instance_id).toBeNull()
    await api.ask('POST', '$S/resources/gate/roles', { key: 'guard' })
    const kept = await api.ask('PATCH', '$F/user_invites/in', { resource_instance_id: 'gate:a' })
    expect([kept.body.role_id, kept.body.resource_instance_id]).toEqual([tenant.body.role_id, null])
  })
})
