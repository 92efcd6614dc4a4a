// Why a role was given: the reason and the ticket of an assignment, on every write, in lists and in files. Images and the
// first API version do not have them.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { KINDS } from '../../../src/kinds/index.ts'
import { type Ask, type Harness, joinHarness } from './harness.ts'

const ENVIRONMENT = '/v2/projects/default/envs/development'
const ASSIGNED = { user: 'ana', role: 'editor', tenant: 'acme' }
const WHY = { reason: 'restores the archive', ticket: 'OPS/1741 ä' }
const MEMBER = 'ana/member/acme/team:ops'

let api: Harness
let ask: Ask
beforeAll(async () => {
  api = await joinHarness()
  ask = api.ask
  const policy = { zerohop: 2, roles: [{ key: 'editor' }, { key: 'viewer' }], tenants: [{ key: 'acme' }] }
  expect((await ask('POST', `${ENVIRONMENT}/apply`, { policy })).status).toBe(200)
  const group = { group_instance_key: 'ops', group_tenant: 'acme', group_resource_type_key: 'team' }
  expect((await ask('POST', '$S/groups', group)).status).toBe(200)
})
afterAll(() => api.close())

/** Every test begins with ana and ben, who have nothing. */
beforeEach(async () => {
  for (const key of ['ana', 'ben', 'eve']) await ask('DELETE', `$F/users/${key}`)
  for (const key of ['ana', 'ben']) expect((await ask('POST', '$F/users', { key })).status).toBe(200)
})

const held = (key = 'ana/editor/acme') => {
  const { reason, ticket } = api.store.view(api.environment).get('role_assignment', key) ?? {}
  return { reason, ticket }
}
const put = (body: object) => ask('PUT', '$F/role_assignments', { ...ASSIGNED, ...body })

describe('the reason and the ticket of an assignment', () => {
  it('are stored by every call that makes one', async () => {
    const role = { role: 'editor', tenant: 'acme', ...WHY }
    const calls = [
      ['POST', '$F/role_assignments', { ...ASSIGNED, ...WHY }, 'ana/editor/acme'],
      ['PUT', '$F/role_assignments', { ...ASSIGNED, ...WHY }, 'ana/editor/acme'],
      ['POST', '$F/role_assignments/bulk', [{ ...ASSIGNED, ...WHY }], 'ana/editor/acme'],
      ['POST', '$F/users/ana/roles', role, 'ana/editor/acme'],
      ['POST', '$F/users', { key: 'eve', role_assignments: [role] }, 'eve/editor/acme'],
      ['PUT', '$F/users/ana', { role_assignments: [role] }, 'ana/editor/acme'],
      ['POST', '$F/tenants/acme/users', { key: 'eve', role_assignments: [role] }, 'eve/editor/acme'],
      ['PUT', '$S/groups/team:ops/users/ana', { tenant: 'acme', ...WHY }, MEMBER],
      ['POST', `${ENVIRONMENT}/apply`, { policy: { zerohop: 2, role_assignments: [{ ...ASSIGNED, ...WHY }] } }],
    ] as const
    for (const [method, path, body, key] of calls) {
      await ask('DELETE', '$F/users/eve')
      await ask('DELETE', '$F/role_assignments', ASSIGNED)
      const { status } = await ask(method, path, body)
      expect({ path, isDone: status < 300, why: held(key) }).toEqual({ path, isDone: true, why: WHY })
    }
  })

  it('of an invite are those of the assignment that approving makes', async () => {
    const invite = { key: 'eve', status: 'pending', email: 'eve@acme.test', first_name: 'E', last_name: 'V' }
    const of = { role_id: 'editor', tenant_id: 'acme', valid_until: '2099-01-01T00:00:00.000Z' }
    const approve = (user: string) =>
      ask('POST', '$F/user_invites/eve/approve', { key: user, email: 'eve@acme.test', attributes: {} })
    const made = await ask('POST', '$F/user_invites', { ...invite, ...of, ...WHY })
    expect([made.status, made.body]).toEqual([200, expect.objectContaining(WHY)])
    // what is not sent stays, and null clears
    expect((await ask('PUT', '$F/user_invites/eve', { ...invite, ...of })).body).toMatchObject(WHY)
    expect((await ask('PATCH', '$F/user_invites/eve', { reason: null })).body).not.toHaveProperty('reason')
    await ask('PATCH', '$F/user_invites/eve', { reason: WHY.reason })
    expect((await ask('GET', '$F/user_invites?search=eve')).body.data).toMatchObject([WHY])
    expect((await approve('eve')).status).toBe(200)
    expect(held('eve/editor/acme')).toEqual(WHY)
    // who has the role keeps it as it is
    await put({ ticket: 'OPS-2' })
    await ask('PATCH', '$F/user_invites/eve', { status: 'pending', valid_until: null })
    const kept = await approve('ana')
    expect(kept.headers.warning).toEqual(
      expect.arrayContaining([
        expect.stringContaining('the times of the invite are ignored, and its reason and ticket'),
      ]),
    )
    expect(held()).toEqual({ ticket: 'OPS-2' })
    for (const wrong of [{ reason: '' }, { ticket: 5 }, { ticket: 'x'.repeat(10_000) }]) {
      const { status, body } = await ask('PATCH', '$F/user_invites/eve', wrong)
      expect([status, JSON.stringify(body)]).toEqual([422, expect.stringContaining(Object.keys(wrong)[0]!)])
    }
    expect((await ask('DELETE', '$F/user_invites/eve')).status).toBe(204)
  })

  it('are answered, alone and in lists, and left out where there are none', async () => {
    expect((await put(WHY)).body).toMatchObject(WHY)
    await ask('POST', '$F/role_assignments', { ...ASSIGNED, role: 'viewer' })
    const rows = (await ask('GET', '$F/role_assignments?user=ana')).body
    expect(rows[0]).toMatchObject(WHY)
    expect(Object.keys(rows[1]).filter((name) => name in WHY)).toEqual([])
    const { data } = (await ask('GET', '$F/role_assignments/detailed?user=ana')).body
    expect(data[0]).toMatchObject(WHY)
    const key = api.made.environments[0]?.secret ?? ''
    const v1 = (await ask('GET', '/v1/role_assignments?user=ana', undefined, { key })).body
    expect(JSON.stringify(v1)).not.toContain(WHY.ticket)
  })

  it('stay where they are not sent, change where they are, and null clears them', async () => {
    await put(WHY)
    const { body: before } = await put({ valid_until: '2099-01-01T00:00:00Z' })
    expect(before).toMatchObject(WHY)
    await ask('PUT', '$F/users/ana', { role_assignments: [{ role: 'editor', tenant: 'acme' }] })
    expect(held()).toEqual(WHY)
    await ask('POST', '$F/role_assignments/bulk', [{ ...ASSIGNED, ticket: 'OPS-2' }])
    expect(held()).toEqual({ ...WHY, ticket: 'OPS-2' })
    await put({ reason: null })
    expect(held()).toEqual({ ticket: 'OPS-2' })
    expect((await ask('POST', '$F/role_assignments', { ...ASSIGNED, ...WHY })).status).toBe(409)
  })

  it('are those of the new one where an assignment had ended', async () => {
    await put({ ...WHY, valid_until: 5 })
    expect((await ask('POST', '$F/role_assignments', { ...ASSIGNED, reason: 'again' })).body).toMatchObject({
      reason: 'again',
    })
    expect(held()).toEqual({ reason: 'again' })
  })

  it.each([
    ['empty', ''],
    ['too long', 'x'.repeat(1025)],
    ['no text', 7],
    ['an unpaired surrogate', '\ud800'],
  ])('are refused when they are %s, with the path of the field', async (_, wrong) => {
    for (const name of ['reason', 'ticket']) {
      const answer = await put({ [name]: wrong })
      expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', name] }] } })
      const policy = { zerohop: 2, role_assignments: [{ ...ASSIGNED, [name]: wrong }] }
      expect((await ask('POST', `${ENVIRONMENT}/plan`, { policy })).status).toBe(422)
    }
    expect((await put({ ticket: 'x'.repeat(257) })).status).toBe(422)
    expect((await put({ ticket: 'ä'.repeat(256), reason: 'ä'.repeat(1024) })).status).toBe(201)
  })

  it('are in no image', async () => {
    await put(WHY)
    const assignment = api.store.view(api.environment).require('role_assignment', 'ana/editor/acme')
    const { project, write } = KINDS.role_assignment.projection
    expect(project(assignment)).toEqual(ASSIGNED)
    expect(write(project(assignment))).toEqual(['ana', 'editor', 'acme'])
  })
})

describe('lists by ticket', () => {
  const listed = async (query: string) =>
    (await ask('GET', `$F/role_assignments?${query}`)).body.map(({ user, role }: typeof ASSIGNED) => `${user} ${role}`)

  it('have what was given for it, with the other filters, and follow every change', async () => {
    const ticket = encodeURIComponent(WHY.ticket)
    await put(WHY)
    for (const user of ['ana', 'ben'])
      await ask('POST', '$F/role_assignments', { user, role: 'viewer', tenant: 'acme', ...WHY, valid_until: 4e12 })
    await ask('POST', '$F/role_assignments', { ...ASSIGNED, user: 'ben', ticket: 'OPS-2' })
    expect(await listed(`ticket=${ticket}`)).toEqual(['ana editor', 'ana viewer', 'ben viewer'])
    expect(await listed(`ticket=${ticket}&user=ana&role=viewer`)).toEqual(['ana viewer'])
    expect(await listed(`ticket=${ticket}&ending_before=9999-01-01T00:00:00Z&user=ben`)).toEqual(['ben viewer'])
    expect(await listed(`ticket=${ticket}&ticket=OPS-2`)).toHaveLength(4)
    expect(await listed('ticket=OPS')).toEqual([])
    await put({ ticket: 'OPS-2' })
    expect(await listed('ticket=OPS-2')).toEqual(['ana editor', 'ben editor'])
    await put({ ticket: null })
    await ask('DELETE', '$F/users/ben')
    expect(await listed('ticket=OPS-2')).toEqual([])
    expect(await listed(`ticket=${ticket}`)).toEqual(['ana viewer'])
  })
})

describe('files', () => {
  it('export them, and a plan shows a file that leaves them out, but an import keeps them', async () => {
    await put(WHY)
    const { body: policy } = await ask('GET', `${ENVIRONMENT}/export?facts=true`)
    expect(policy.role_assignments).toContainEqual({ ...ASSIGNED, ...WHY })
    const planned = async (sent: object) => (await ask('POST', `${ENVIRONMENT}/plan`, { policy: sent })).body.changes
    expect(await planned(policy)).toEqual([])
    const without = { zerohop: 2, role_assignments: [ASSIGNED] }
    expect(await planned(without)).toMatchObject([
      { op: 'update', fields: { reason: [WHY.reason, null], ticket: [WHY.ticket, null] } },
    ])
    const headers = { 'content-type': 'application/x-ndjson' }
    const lines = JSON.stringify({ role_assignment: ASSIGNED })
    expect((await ask('POST', '$F/import', lines, { headers })).status).toBe(200)
    expect(held()).toEqual(WHY)
    await ask('POST', `${ENVIRONMENT}/apply`, { policy: without })
    expect(held()).toEqual({})
  })
})
