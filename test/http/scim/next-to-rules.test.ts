// Rules for groups next to what else writes: a revert of the revision that made one, and an access request that gave the
// same role.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Answer, type Harness, joinHarness } from '../management/harness.ts'

const KEY = 'the-key-of-what-is-next-to-rules'
const ENVIRONMENT = '/v2/projects/default/envs/development'
let api: Harness
let scim: (method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown) => Promise<Answer>
/** ids in the directory by the keys of users */
const ids = new Map<string, string>()
beforeAll(async () => {
  api = await joinHarness()
  await api.addKey('directory', 'write', KEY)
  scim = (method, path, body) => api.ask(method, `/scim/v2${path}`, body, { key: KEY })
  const requestable = { approvers: ['lead'], max_duration: 7_200, reason: 'optional' }
  const roles = [{ key: 'lead' }, { key: 'editor' }, { key: 'viewer' }, { key: 'guard', requestable }]
  const policy = { zerohop: 2, roles, tenants: [{ key: 'acme' }] }
  expect((await api.ask('POST', `${ENVIRONMENT}/apply`, { policy })).status).toBe(200)
  for (const userName of ['ana', 'ben', 'cy']) ids.set(userName, (await scim('POST', '/Users', { userName })).body.id)
  for (const [user, role] of [
    ['ana', 'editor'],
    ['ben', 'viewer'],
    ['cy', 'lead'],
  ])
    await api.ask('POST', '$F/role_assignments', { user, role, tenant: 'acme' })
})
afterAll(() => api.close())

const refs = (...keys: readonly string[]) => keys.map((key) => ({ value: ids.get(key) }))
const makeGroup = async (displayName: string, ...keys: readonly string[]): Promise<string> =>
  (await scim('POST', '/Groups', { displayName, members: refs(...keys) })).body.id
const makeRule = (value: string, role: string) =>
  api.ask('POST', '$F/group_rules', { group: { by: 'display_name', value }, role, tenant: 'acme' })
const held = async (user: string, role: string) =>
  (await api.ask('GET', `$F/role_assignments?user=${user}&role=${role}&tenant=acme`)).body
const revision = () => api.store.head(api.environment).revision

it('a revision that wrote a rule, a group or a user of a directory is not reverted: nothing of it becomes of hand', async () => {
  const first = revision()
  const group = await makeGroup('Team', 'ben')
  const { body: rule } = await makeRule('Team', 'editor')
  await scim('PATCH', `/Groups/${group}`, { Operations: [{ op: 'remove', path: 'members' }] })
  await api.ask('DELETE', `$F/group_rules/${rule.id}`)
  await scim('DELETE', `/Groups/${group}`)
  await scim('PATCH', `/Users/${ids.get('ben')}`, { Operations: [{ op: 'replace', path: 'active', value: false }] })
  await scim('PATCH', `/Users/${ids.get('ben')}`, { Operations: [{ op: 'replace', path: 'active', value: true }] })
  const last = revision()
  for (let at = first + 1; at <= last; at++) {
    const path = `${ENVIRONMENT}/revisions/${at}/revert`
    const { body: plan } = await api.ask('POST', `${path}/plan`, {})
    expect(plan.changes).toEqual([])
    expect(plan.conflicts).toContainEqual(expect.objectContaining({ reason: 'unsupported' }))
    const { fingerprints, policy, access } = plan
    expect((await api.ask('POST', path, { fingerprints, expected: { policy, access } })).status).toBe(409)
  }
  expect([last - first, revision(), await held('ben', 'editor')]).toEqual([7, last, []])
})

it('a rule and a request that was approved each take away what they gave, and no more', async () => {
  const request = async (as: string): Promise<string> => {
    const asked = { as, role: 'guard', tenant: 'acme', duration: 600 }
    const { body } = await api.ask('POST', '$F/access_requests', asked)
    const approved = await api.ask('POST', `$F/access_requests/${body.id}/approve`, { as: 'cy' })
    expect([approved.status, approved.body.state]).toEqual([200, 'approved'])
    return body.id
  }
  await request('ana')
  const id = await request('ben')
  const group = await makeGroup('Guards', 'ana', 'ben')
  const { body: rule } = await makeRule('Guards', 'guard')
  const claims = async (user: string) =>
    (await held(user, 'guard')).map((one: { claims?: { by: string }[]; valid_until?: string }) => [
      ...(one.claims ?? [{ by: 'hand' }]).map(({ by }) => by),
      one.valid_until === undefined ? 'no end' : 'ends',
    ])
  const both = ['directory', 'hand', 'no end']
  expect([await claims('ana'), await claims('ben')]).toEqual([[both], [both]])
  expect((await api.ask('POST', `$F/access_requests/${id}/revoke`, { as: 'cy' })).status).toBe(200)
  expect([await claims('ana'), await claims('ben')]).toEqual([[both], [['directory', 'no end']]])
  await scim('DELETE', `/Groups/${group}`)
  expect([await claims('ana'), await claims('ben')]).toEqual([[['hand', 'ends']], []])
  await makeGroup('Guards', 'ana', 'ben')
  expect([await claims('ana'), await claims('ben')]).toEqual([[both], [['directory', 'no end']]])
  await api.ask('DELETE', `$F/group_rules/${rule.id}`)
  expect([await claims('ana'), await claims('ben')]).toEqual([[['hand', 'ends']], []])
})
