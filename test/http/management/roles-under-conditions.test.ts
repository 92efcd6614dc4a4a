// [D17] Roles on instances as user sets of set rules: what the route of rules takes and refuses, and the rule in lists,
// policy files, renames, copies, plans and deletes.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ROLE_SIDES_MAX } from '../../../src/model/limits.ts'
import { type Harness, joinHarness } from './harness.ts'

const DEVELOPMENT = '/v2/projects/default/envs/development'
const RULE = { user_set: 'doc#editor', permission: 'doc:write', resource_set: 'open' }
const OPEN = {
  ...{ key: 'open', type: 'resourceset', resource_id: 'doc' },
  conditions: { not: { 'resource.archived': { equals: true } } },
}
const STORED = '__autogen_doc#editor'

describe('[D17] a set rule for a role on instances', () => {
  let api: Harness
  beforeAll(async () => {
    api = await joinHarness()
  })
  afterAll(() => api.close())

  beforeEach(async () => {
    for (const key of ['doc', 'paper', 'folder']) await api.ask('DELETE', `$S/resources/${key}`)
    await api.ask('DELETE', '$S/condition_sets/open')
    const doc = { key: 'doc', actions: { read: {}, write: {} }, attributes: { archived: { type: 'bool' } } }
    await api.ask('POST', '$S/resources', { ...doc, roles: { editor: {}, owner: { extends: ['editor'] } } })
    await api.ask('POST', '$S/resources', { key: 'folder', actions: { open: {} }, roles: { editor: {} } })
    await api.ask('POST', '$S/condition_sets', OPEN)
  })

  const post = (rule: object) => api.ask('POST', '$F/set_rules', rule)
  const rules = async (query = '', environment = 'development') => {
    const { body } = await api.ask('GET', `/v2/facts/default/${environment}/set_rules${query}`)
    return body.map((rule: typeof RULE) => [rule.user_set, rule.permission, rule.resource_set])
  }

  it('is made by the name or the id of the role, once, and is found by them', async () => {
    const { body: role } = await api.ask('GET', '$S/resources/doc/roles/editor')
    const made = await post(RULE)
    expect([made.status, made.body[0].user_set]).toEqual([200, STORED])
    for (const user_set of [role.id, STORED])
      expect((await post({ ...RULE, user_set })).body[0].id).toBe(made.body[0].id)
    expect((await post({ ...RULE, is_role: true })).body[0].id).toBe(made.body[0].id)
    for (const user_set of ['doc%23editor', role.id, '__autogen_doc%23editor'])
      expect(await rules(`?user_set=${user_set}`)).toEqual([[STORED, 'doc:write', 'open']])
    expect(await rules('?user_set=doc%23owner')).toEqual([])
    expect((await api.ask('DELETE', '$F/set_rules', RULE)).status).toBe(204)
    expect(await rules()).toEqual([])
  })

  it.each([
    [
      'a role that the type does not have',
      { user_set: 'doc#author' },
      422,
      'unknown role `author` of resource type `doc`',
    ],
    ['a type that is not there', { user_set: 'paper#editor' }, 422, 'unknown role `editor` of resource type `paper`'],
    ['a permission of another type', { permission: 'folder:open' }, 422, 'its rules are for permissions of `doc`'],
    ['a name with a part too many', { user_set: 'doc#editor#x' }, 404, '`doc#editor#x` does not exist'],
    ['a name without a role', { user_set: 'doc#' }, 404, '`doc#` does not exist'],
    ['a role that is said to be a set', { is_set: true }, 404, '`doc#editor` does not exist'],
  ])('is refused for %s', async (_, sent, status, message) => {
    const refused = await post({ ...RULE, ...sent })
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([status, expect.stringContaining(message)])
    expect(await rules()).toEqual([])
  })

  it('is refused beyond so many roles on one permission', async () => {
    const keys = Array.from({ length: ROLE_SIDES_MAX + 1 }, (_, at) => `r${at}`)
    const roles = Object.fromEntries(keys.map((key) => [key, {}]))
    await api.ask('PATCH', '$S/resources/doc', { roles: { editor: {}, ...roles } })
    for (const key of keys.slice(1)) expect((await post({ ...RULE, user_set: `doc#${key}` })).status).toBe(200)
    expect(JSON.stringify((await post({ ...RULE, user_set: 'doc#r0' })).body)).toContain(
      `the limit of ${ROLE_SIDES_MAX}`,
    )
    expect((await post({ ...RULE, user_set: 'doc#r1', resource_set: 'doc' })).status).toBe(200)
    expect((await post({ ...RULE, user_set: 'doc#r0', permission: 'doc:read' })).status).toBe(200)
  })

  it('goes with the role, and with its type', async () => {
    await post(RULE)
    await post({ ...RULE, user_set: 'doc#owner' })
    await api.ask('DELETE', '$S/resources/doc/roles/editor')
    expect(await rules()).toEqual([['__autogen_doc#owner', 'doc:write', 'open']])
    await api.ask('DELETE', '$S/condition_sets/open')
    await api.ask('DELETE', '$S/resources/doc')
    expect(await rules()).toEqual([])
  })

  it('is in an export, which changes nothing when it is applied, and is renamed with the role and the type', async () => {
    await post(RULE)
    const { body: policy } = await api.ask('GET', `${DEVELOPMENT}/export`)
    expect(policy.set_rules).toEqual([{ ...RULE, is_role: true }])
    const plan = await api.ask('POST', `${DEVELOPMENT}/plan`, { policy, prune: true })
    expect([plan.status, plan.body.changes]).toEqual([200, []])
    const text = JSON.stringify(policy).replaceAll('"doc', '"paper').replaceAll('paper#editor', 'paper#writer')
    const renamed = JSON.parse(text.replaceAll('"editor":{', '"writer":{').replaceAll('["editor"]', '["writer"]'))
    const moved = [
      { kind: 'resource', from: 'doc', to: 'paper' },
      { kind: 'resource_role', from: 'doc/editor', to: 'paper/writer' },
    ]
    const applied = await api.ask('POST', `${DEVELOPMENT}/apply`, { policy: { ...renamed, moved }, prune: true })
    expect([applied.status, applied.body.message]).toEqual([200, undefined])
    expect(await rules()).toEqual([['__autogen_paper#writer', 'paper:write', 'open']])
  })

  it('of a policy file without the role is refused with its place, and one with both is written', async () => {
    const file = (roles: object) => ({
      ...{ zerohop: 2, resources: [{ key: 'doc', actions: { read: {}, write: {} }, roles }] },
      set_rules: [{ ...RULE, user_set: 'doc#reviewer', resource_set: 'doc' }],
    })
    const apply = (policy: object) => api.ask('POST', `${DEVELOPMENT}/apply`, { policy })
    const refused = await apply(file({ editor: {} }))
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([422, expect.stringContaining('`reviewer`')])
    expect((await apply(file({ reviewer: {} }))).status).toBe(200)
    expect(await rules()).toEqual([['__autogen_doc#reviewer', 'doc:write', '__autogen_doc']])
  })

  it('is copied to another environment with its role', async () => {
    await post(RULE)
    await api.ask('POST', '/v2/projects/default/envs', { key: 'target', name: 'target' })
    const copied = await api.ask('POST', `${DEVELOPMENT}/copy`, {
      target_env: { existing: 'target' },
      conflict_strategy: 'overwrite',
    })
    expect([copied.status, await rules('', 'target')]).toEqual([201, [[STORED, 'doc:write', 'open']]])
  })

  it('is counted by a plan: who holds the role, where the condition is true', async () => {
    await api.ask('POST', '$F/tenants', { key: 'acme', name: 'acme' })
    await api.ask('POST', '$F/users', { key: 'ana' })
    for (const [key, archived] of [
      ['1', false],
      ['2', true],
    ] as const) {
      await api.ask('POST', '$F/resource_instances', { key, resource: 'doc', tenant: 'acme', attributes: { archived } })
      const on = { user: 'ana', role: 'owner', resource_instance: `doc:${key}`, tenant: 'acme' }
      await api.ask('POST', '$F/role_assignments', on)
    }
    const plan = await api.ask('POST', `${DEVELOPMENT}/plan`, { policy: { zerohop: 2, set_rules: [RULE] } })
    expect(plan.body.access.gained.first).toEqual([
      expect.objectContaining({ user: 'ana', action: 'write', resource: { type: 'doc', key: '1' }, tenant: 'acme' }),
    ])
  })
})
