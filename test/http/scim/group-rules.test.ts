// Rules that give roles to members of groups of a directory: what they give and take, and what they leave to others.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Answer, type Harness, joinHarness } from '../management/harness.ts'

const KEY = 'the-key-of-the-rules'
let api: Harness
let scim: (method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown) => Promise<Answer>
/** ids in the directory by the keys of users */
const ids = new Map<string, string>()
let group: string
let turn = 0
beforeAll(async () => {
  api = await joinHarness()
  await api.addKey('directory', 'write', KEY)
  scim = (method, path, body) => api.ask(method, `/scim/v2${path}`, body, { key: KEY })
  for (const key of ['editor', 'viewer', 'owner']) await api.ask('POST', '$S/roles', { key, name: key })
  await api.ask('POST', '$F/tenants', { key: 'acme', name: 'Acme' })
  for (const userName of ['ana', 'ben', 'cy']) ids.set(userName, (await scim('POST', '/Users', { userName })).body.id)
})
afterAll(() => api.close())
beforeEach(async () => {
  for (const { id } of (await api.ask('GET', '$F/group_rules')).body.data)
    await api.ask('DELETE', `$F/group_rules/${id}`)
  group = await makeGroup(`Team ${++turn}`, 'ana')
})

const refs = (...keys: readonly string[]) => keys.map((key) => ({ value: ids.get(key) }))
const makeGroup = async (displayName: string, ...keys: readonly string[]): Promise<string> =>
  (await scim('POST', '/Groups', { displayName, externalId: `x-${displayName}`, members: refs(...keys) })).body.id
const makeRule = (value: string, more: object = {}) =>
  api.ask('POST', '$F/group_rules', { group: { by: 'display_name', value }, role: 'editor', tenant: 'acme', ...more })
const patch = (...Operations: object[]) => scim('PATCH', `/Groups/${group}`, { Operations })
/** `role` of a user in acme, with its claims where they are said */
const readRoles = async (user: string): Promise<string[]> =>
  (await api.ask('GET', `$F/role_assignments?user=${user}&tenant=acme`)).body.map((one: { role: string }) => one.role)
const name = () => `Team ${turn}`

describe('a rule', () => {
  it('gives its role to the members, as they come and go', async () => {
    expect((await makeRule(name())).status).toBe(200)
    expect(await readRoles('ana')).toEqual(['editor'])
    await patch(
      { op: 'add', path: 'members', value: refs('ben') },
      { op: 'remove', path: `members[value eq "${ids.get('ana')}"]` },
    )
    expect([await readRoles('ana'), await readRoles('ben')]).toEqual([[], ['editor']])
    await patch({ op: 'replace', path: 'displayName', value: 'Another' })
    expect(await readRoles('ben')).toEqual([])
    await patch({ op: 'replace', path: 'displayName', value: name().toUpperCase() })
    expect(await readRoles('ben')).toEqual(['editor'])
    await scim('DELETE', `/Groups/${group}`)
    expect(await readRoles('ben')).toEqual([])
  })

  it('takes nothing that a person gave, and a person takes nothing that it gives', async () => {
    const given = { user: 'ana', role: 'editor', tenant: 'acme' }
    const { body: rule } = await makeRule(name())
    expect((await api.ask('POST', '$F/role_assignments', given)).status).toBe(200)
    await scim('DELETE', `/Groups/${group}`)
    expect(await readRoles('ana')).toEqual(['editor'])
    await api.ask('DELETE', '$F/role_assignments', given)
    group = await makeGroup(name(), 'ana')
    expect(await readRoles('ana')).toEqual(['editor'])
    expect((await api.ask('DELETE', '$F/role_assignments', given)).status).toBe(409)
    await api.ask('DELETE', `$F/group_rules/${rule.id}`)
    expect(await readRoles('ana')).toEqual([])
  })

  it('selects groups by the beginning of a name, or by an external id, and two give a role once', async () => {
    const { body: byName } = await makeRule('team', { group: { by: 'display_name', match: 'prefix', value: 'team' } })
    const { body: byId } = await makeRule('', { group: { by: 'external_id', value: `x-${name()}` } })
    expect(await readRoles('ana')).toEqual(['editor'])
    await api.ask('DELETE', `$F/group_rules/${byName.id}`)
    expect(await readRoles('ana')).toEqual(['editor'])
    const changed = await api.ask('PATCH', `$F/group_rules/${byId.id}`, { role: 'viewer' })
    expect(changed.body).toMatchObject({ role: 'viewer', tenant: 'acme', group: { by: 'external_id', match: 'exact' } })
    expect(await readRoles('ana')).toEqual(['viewer'])
    await api.ask('DELETE', `$F/group_rules/${byId.id}`)
  })

  it('gives roles for a time, and to who is in two groups for the time of both', async () => {
    const other = await makeGroup('Guests', 'ana')
    await makeRule(name(), { valid_until: '2098-01-01T00:00:00Z' })
    await makeRule('Guests', { valid_from: '2097-01-01T00:00:00Z', valid_until: '2099-01-01T00:00:00Z' })
    const read = async () => (await api.ask('GET', '$F/role_assignments?user=ana&tenant=acme')).body
    expect(await read()).toMatchObject([{ valid_until: expect.stringMatching(/^2099/) }])
    expect((await read())[0].valid_from).toBeUndefined()
    await scim('DELETE', `/Groups/${other}`)
    expect(await read()).toMatchObject([{ valid_until: expect.stringMatching(/^2098/) }])
    const apart = await makeRule('Late', { valid_from: '2099-06-01T00:00:00Z' })
    expect([apart.status, apart.body.detail[0].msg]).toEqual([422, expect.stringContaining('overlap or meet')])
  })

  it('goes with its role and its tenant, and gives a user of the directory nothing after it is deleted', async () => {
    await makeRule(name(), { role: 'owner' })
    expect(await readRoles('ana')).toEqual(['owner'])
    await api.ask('DELETE', '$S/roles/owner')
    expect((await api.ask('GET', '$F/group_rules')).body.total_count).toBe(0)
    await makeRule(name())
    await scim('DELETE', `/Users/${ids.get('ana')}`)
    expect((await api.ask('GET', '$F/users/ana')).status).toBe(404)
    ids.set('ana', (await scim('POST', '/Users', { userName: 'ana' })).body.id)
    expect(await readRoles('ana')).toEqual([])
  })
})

describe('the groups', () => {
  it('are listed with their members and rules, searched, and counted by the rules that select them', async () => {
    const { body: byName } = await makeRule('', { group: { by: 'display_name', match: 'prefix', value: 'TEAM' } })
    const { body: byId } = await makeRule('', { group: { by: 'external_id', match: 'prefix', value: `x-${name()}` } })
    const read = async (search: string) =>
      (await api.ask('GET', `$F/directory_groups?per_page=100&search=${encodeURIComponent(search)}`)).body.data
    const teams = await read('team ')
    expect(teams.at(-1)).toMatchObject({
      id: group,
      display_name: name(),
      external_id: `x-${name()}`,
      members: 1,
      rules: 2,
    })
    expect(await read(`X-${name()}`)).toEqual([teams.at(-1)])
    expect(await read('nothing like this')).toEqual([])
    expect([byName.groups, byId.groups]).toEqual([teams.length, 1])
    const exact = await api.ask('PATCH', `$F/group_rules/${byId.id}`, { group: { match: 'exact', value: 'x-' } })
    expect(exact.body.groups).toBe(0)
    const { body: all } = await api.ask('GET', '$F/group_rules')
    expect(all.data.map(({ groups }: { groups: number }) => groups)).toEqual([teams.length, 0])
    expect((await api.ask('GET', '$F/directory_groups?per_page=1')).body.total_count).toBeGreaterThan(teams.length - 1)
  })
})

describe('a plan of a rule', () => {
  it('says who would gain and lose what, and changes nothing', async () => {
    await api.ask('POST', '$S/resources', { key: `doc${turn}`, name: 'Doc', actions: { read: {} } })
    await api.ask('POST', '$S/roles/editor/permissions', { permissions: [`doc${turn}:read`] })
    const create = { group: { by: 'display_name', value: name() }, role: 'editor', tenant: 'acme' }
    const { status, body } = await api.ask('POST', '$F/group_rules/plan', { create })
    expect(status).toBe(200)
    expect(body.changes).toMatchObject([{ kind: 'role_assignment', op: 'create', key: 'ana/editor/acme' }])
    expect(JSON.stringify(body.access)).toContain('ana')
    expect(await readRoles('ana')).toEqual([])
    const { body: rule } = await api.ask('POST', '$F/group_rules', create)
    const gone = await api.ask('POST', '$F/group_rules/plan', { delete: rule.id })
    expect(gone.body.changes).toMatchObject([{ op: 'delete', key: 'ana/editor/acme' }])
    const moved = await api.ask('POST', '$F/group_rules/plan', {
      update: { rule: rule.id, fields: { role: 'viewer' } },
    })
    expect(moved.body.changes.map(({ op, key }: { op: string; key: string }) => `${op} ${key}`).sort()).toEqual([
      'create ana/viewer/acme',
      'delete ana/editor/acme',
    ])
    for (const bad of [{}, { create, delete: rule.id }, { delete: 'f'.repeat(32) }])
      expect((await api.ask('POST', '$F/group_rules/plan', bad)).status).toBeGreaterThanOrEqual(404)
  })
})

it('a rule that is bad is refused with its place', async () => {
  const refused = async (more: object, status: number, at: string) => {
    const { status: got, body } = await makeRule('x', more)
    expect([got, JSON.stringify(body)]).toEqual([status, expect.stringContaining(at)])
  }
  await refused({ role: 'nobody' }, 404, 'nobody')
  await refused({ tenant: 'nowhere' }, 404, 'nowhere')
  await refused({ resource_instance: 'doc:nowhere' }, 404, 'nowhere')
  await refused({ group: { by: 'display_name', value: '' } }, 422, 'value')
  await refused({ group: { by: 'display_name', value: 'x'.repeat(257) } }, 422, 'value')
  await refused({ group: { by: 'shoe', value: 'x' } }, 422, 'by')
  await refused({ valid_from: '2098-01-01T00:00:00Z', valid_until: '2097-01-01T00:00:00Z' }, 422, 'valid_until')
  await makeRule('x')
  await refused({}, 409, 'already exists')
})
