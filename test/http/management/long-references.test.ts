// What may be written may be named: keys of 256 bytes, and references of two of them, in paths, filters, searches,
// bodies, listings, access reviews and their cursors.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { KEY_BYTES_MAX, QUERY_TEXT_LENGTH_MAX } from '../../../src/model/limits.ts'
import { type Harness, joinHarness } from './harness.ts'

const long = (first: string) => first.repeat(KEY_BYTES_MAX)
const [TYPE, KEY, OTHER, TENANT, ROLE, RELATION, ACTION] = ['t', 'k', 'o', 'n', 'r', 'l', 'a'].map(long) as [
  string,
  string,
  string,
  string,
  string,
  string,
  string,
]
const USER = '|'.repeat(KEY_BYTES_MAX)
const REF = `${TYPE}:${KEY}`
const PARENT = `${TYPE}:${OTHER}`

describe('keys of 256 bytes, and references of two', () => {
  let api: Harness
  const named = encodeURIComponent
  /** The keys of a list, or its status where it is refused. */
  const list = async (path: string) => {
    const { status, body } = await api.ask('GET', path)
    return status === 200 ? (body.data ?? body).length : [status, JSON.stringify(body)]
  }
  const done = async (...asked: Parameters<Harness['ask']>) => {
    const { status, body } = await api.ask(...asked)
    expect([status, body.detail ?? body.message]).toEqual([expect.toSatisfy((code: number) => code < 300), undefined])
    return body
  }

  beforeAll(async () => {
    api = await joinHarness()
    await done('POST', '$S/resources', {
      key: TYPE,
      actions: { [ACTION]: {} },
      attributes: { note: { type: 'string' } },
      roles: { [ROLE]: { permissions: [ACTION] } },
    })
    await done('POST', `$S/resources/${TYPE}/relations`, { key: RELATION, subject_resource: TYPE, name: 'x' })
    await done('POST', '$S/roles', { key: ROLE, permissions: [`${TYPE}:${ACTION}`] })
    await done('POST', '$F/tenants', { key: TENANT, attributes: { note: 'y'.repeat(2_000) } })
    await done('POST', '$F/users', { key: USER, first_name: 'z'.repeat(1_024) })
    for (const key of [KEY, OTHER]) await done('POST', '$F/resource_instances', { key, resource: TYPE, tenant: TENANT })
    await done('POST', '$F/relationship_tuples', { subject: PARENT, relation: RELATION, object: REF })
    await done('POST', '$F/role_assignments', { user: USER, role: ROLE, resource_instance: REF, tenant: TENANT })
    await done('POST', '$F/role_assignments', { user: USER, role: ROLE, tenant: TENANT })
    await done('POST', '$F/set_rules', { user_set: ROLE, permission: `${TYPE}:${ACTION}`, resource_set: TYPE })
  })
  afterAll(() => api.close())

  it.each([
    [`$F/role_assignments?resource_instance=${named(REF)}`, 1],
    [`$F/role_assignments?user=${named(USER)}&role=${ROLE}&tenant=${TENANT}&resource=${TYPE}`, 1],
    [`$F/role_assignments/detailed?resource_instance=${named(REF)}`, 1],
    [`$F/relationship_tuples?object=${named(REF)}`, 1],
    [`$F/relationship_tuples?subject=${named(PARENT)}&relation=${RELATION}&object_type=${TYPE}&tenant=${TENANT}`, 1],
    [`$F/relationship_tuples/detailed?subject=${named(PARENT)}`, 1],
    [`$F/resource_instances?search=${named(REF)}`, 1],
    [`$F/resource_instances?search=${KEY}&resource=${TYPE}&tenant=${TENANT}`, 1],
    [`$F/set_rules?permission=${named(`${TYPE}:${ACTION}`)}&user_set=__autogen_${ROLE}&resource_set=${TYPE}`, 1],
    [`$F/users?search=${'z'.repeat(1_024)}`, 1],
    [`$F/users?search=${named(USER)}&role=${ROLE}`, 1],
    [`$F/tenants?search=${TENANT}`, 1],
    [`$F/tenants?attr_note=${'y'.repeat(2_000)}`, 1],
    [`$F/tenants/${TENANT}/users?search=${named(USER)}&role=${ROLE}`, 1],
    [`$S/groups?search=${KEY}&tenant=${TENANT}`, 0],
    [`$F/user_invites?role=${ROLE}&tenant=${TENANT}&search=${KEY}`, 0],
    [
      `/v2/pdps/default/development/audit_logs?users=${named(USER)}&resources=${named(REF)}&tenant=${TENANT}&action=${ACTION}`,
      0,
    ],
    [`/v2/history?path=${named(`/v2/facts/default/development/resource_instances/${REF}`)}`, 0],
  ])('in filters and searches of lists: %#', async (path, count) => {
    expect(await list(path)).toEqual(count)
  })

  it('in paths, also where a client encodes every byte', async () => {
    const every = Array.from(REF, (letter) => `%${letter.charCodeAt(0).toString(16)}`).join('')
    for (const path of [REF, named(REF), every])
      expect(await done('GET', `$F/resource_instances/${path}`)).toMatchObject({ key: KEY, resource: TYPE })
    expect(await done('GET', `$F/users/${named(USER)}`)).toMatchObject({ key: USER })
    expect(await done('GET', `$S/resources/${TYPE}/roles/${ROLE}`)).toMatchObject({ key: ROLE })
  })

  it('in an access review and in its cursor', async () => {
    const access = '/v2/projects/default/envs/development/access'
    const asked = `user=${named(USER)}&role=${ROLE}&resource=${named(REF)}&action=${ACTION}&tenant=${TENANT}`
    expect((await done('GET', `${access}?${asked}`)).lines.length).toBeGreaterThan(0)
    const { lines, next } = await done('GET', `${access}?limit=1`)
    expect([lines.length, next]).toEqual([1, expect.any(String)])
    expect((await done('GET', `${access}?limit=1&after=${next}`)).lines).toHaveLength(1)
  })

  it('in questions and plans', async () => {
    const environment = '/v2/projects/default/envs/development'
    const question = { user: USER, action: ACTION, resource: { type: TYPE, key: KEY, tenant: TENANT } }
    expect(await done('POST', `${environment}/check`, question)).toMatchObject({ allow: true })
    await done('POST', `${environment}/user-permissions`, { user: USER })
    const { policy } = { policy: await done('GET', `${environment}/export?facts=true`) }
    expect((await done('POST', `${environment}/plan`, { policy })).changes).toEqual([])
  })

  it('but not more than a query parameter may have', async () => {
    const { status, body } = await api.ask('GET', `$F/users?search=${'x'.repeat(QUERY_TEXT_LENGTH_MAX + 1)}`)
    expect([status, body.detail]).toEqual([
      422,
      [expect.objectContaining({ loc: ['query', 'search'], msg: expect.stringContaining(`${QUERY_TEXT_LENGTH_MAX}`) })],
    ])
  })
})
