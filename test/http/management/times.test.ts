// Times of what is granted (D15), as the API takes, keeps and answers them. What decisions make of them is not asked
// here.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { KindName } from '../../../src/kinds/index.ts'
import { type Ask, type Harness, joinHarness } from './harness.ts'

const HOUR = 3_600_000
const ENVIRONMENT = '/v2/projects/default/envs/development'
const ASSIGNED = { user: 'ana', role: 'editor', tenant: 'acme' }
const RELATED = { subject: 'folder:top', relation: 'parent', object: 'folder:sub' }
const MEMBER = 'ana/member/acme/team:ops'

let api: Harness
let ask: Ask
beforeAll(async () => {
  api = await joinHarness()
  ask = api.ask
  const policy = {
    zerohop: 2,
    resources: [
      { key: 'folder', actions: { read: {} }, relations: { parent: 'folder' }, roles: { owner: {}, reader: {} } },
    ],
    roles: [{ key: 'editor', permissions: ['folder:read'] }, { key: 'viewer' }],
    tenants: [{ key: 'acme' }],
    resource_instances: ['top', 'sub'].map((key) => ({ key, resource: 'folder', tenant: 'acme' })),
  }
  expect((await ask('POST', `${ENVIRONMENT}/apply`, { policy })).status).toBe(200)
  const group = { group_instance_key: 'ops', group_tenant: 'acme', group_resource_type_key: 'team' }
  expect((await ask('POST', '$S/groups', group)).status).toBe(200)
})
afterAll(() => api.close())

/** Every test begins with ana, who has nothing, and without tuples. */
beforeEach(async () => {
  await ask('DELETE', '$F/users/ana')
  await ask('DELETE', '$F/relationship_tuples', RELATED)
  expect((await ask('POST', '$F/users', { key: 'ana' })).status).toBe(200)
})

const iso = (ms: number): string => new Date(ms).toISOString()
const printed = (ms: number): string => iso(ms).replace('Z', '+00:00')
const soon = (hours: number): number => Date.now() + hours * HOUR
const stored = (kind: KindName, key: string) => api.store.view(api.environment).get(kind, key)
const assignment = () => stored('role_assignment', 'ana/editor/acme') as { valid_from?: number; valid_until?: number }

describe('instants', () => {
  const until = Date.UTC(2031, 5, 1, 12, 0, 0, 250)

  it.each([
    ['ISO 8601 in UTC', iso(until)],
    ['ISO 8601 with an offset', '2031-06-01T14:00:00.25+02:00'],
    ['milliseconds', until],
  ])('are taken as %s, stored in milliseconds, and answered as other times', async (_, valid_until) => {
    const { status, body } = await ask('POST', '$F/role_assignments', { ...ASSIGNED, valid_until })
    expect(status).toBe(200)
    expect(body).toMatchObject({ ...ASSIGNED, valid_until: printed(until) })
    expect(body).not.toHaveProperty('valid_from')
    expect(assignment()).toMatchObject({ valid_until: until })
  })

  it.each([
    ['without an offset', '2031-06-01T12:00:00'],
    ['without a time of day', '2031-06-01'],
    ['finer than a millisecond', '2031-06-01T12:00:00.0001Z'],
    ['with second 60', '2031-06-30T23:59:60Z'],
    ['of a day that there is not', '2031-02-30T00:00:00Z'],
    ['before 1970', '1969-12-31T23:59:59.999Z'],
    ['before 1970, in milliseconds', -1],
    ['beyond 9999', 253_402_300_800_000],
    ['with a fraction of a millisecond', 1.5],
    ['in words', 'tomorrow'],
    ['empty', ''],
    ['a flag', true],
    ['a list', ['2031-06-01T12:00:00Z']],
  ])('%s are refused everywhere, with the path of the field', async (_, wrong) => {
    const one = { ...ASSIGNED, valid_until: wrong }
    const tuple = { ...RELATED, valid_from: wrong }
    const user = {
      key: 'eve',
      role_assignments: [
        { role: 'viewer', tenant: 'acme' },
        { role: 'editor', valid_from: wrong },
      ],
    }
    const invite = { key: 'eve', status: 'pending', email: 'eve@acme.test', first_name: 'E', last_name: 'V' }
    const places = [
      ['POST', '$F/role_assignments', one, ['body', 'valid_until']],
      ['PUT', '$F/role_assignments', one, ['body', 'valid_until']],
      ['POST', '$F/role_assignments/bulk', [ASSIGNED, one], ['body', 1, 'valid_until']],
      ['POST', '$F/users/ana/roles', { role: 'editor', valid_until: wrong }, ['body', 'valid_until']],
      ['POST', '$F/users', user, ['body', 'role_assignments', 1, 'valid_from']],
      ['PUT', '$F/users/eve', user, ['body', 'role_assignments', 1, 'valid_from']],
      ['POST', '$F/tenants/acme/users', user, ['body', 'role_assignments', 1, 'valid_from']],
      ['POST', '$F/relationship_tuples', tuple, ['body', 'valid_from']],
      ['PUT', '$F/relationship_tuples', tuple, ['body', 'valid_from']],
      ['POST', '$F/relationship_tuples/bulk', { operations: [tuple] }, ['body', 'operations', 0, 'valid_from']],
      ['PUT', '$S/groups/team:ops/users/ana', { tenant: 'acme', valid_until: wrong }, ['body', 'valid_until']],
      [
        'POST',
        '$F/user_invites',
        { ...invite, role_id: 'editor', tenant_id: 'acme', valid_until: wrong },
        ['body', 'valid_until'],
      ],
    ] as const
    for (const [method, path, body, loc] of places) {
      const answer = await ask(method, path, body)
      expect({ path, status: answer.status, loc: answer.body.detail?.[0]?.loc }).toEqual({ path, status: 422, loc })
    }
    const planned = await ask('POST', `${ENVIRONMENT}/plan`, { policy: { zerohop: 2, role_assignments: [one] } })
    expect(planned.status).toBe(422)
    expect(planned.body.detail[0].loc).toEqual(['body', 'policy', 'role_assignments', 0, 'valid_until'])
    const line = JSON.stringify({ role_assignment: one })
    const headers = { 'content-type': 'application/x-ndjson' }
    const facts = await ask('POST', '$F/import', line, { headers })
    expect(facts.body.detail[0].loc).toEqual(['body', 0, 'role_assignment', 'valid_until'])
    expect(assignment()).toBeUndefined()
  })

  it('end after they begin, also where only one of them is sent', async () => {
    const [from, until] = [soon(1), soon(2)]
    const refused = async (method: 'POST' | 'PUT', sent: object, name: string) => {
      const { status, body } = await ask(method, '$F/role_assignments', { ...ASSIGNED, ...sent })
      expect([status, body.detail?.[0]?.loc]).toEqual([422, ['body', name]])
    }
    await refused('POST', { valid_from: until, valid_until: from }, 'valid_until')
    await refused('POST', { valid_from: from, valid_until: from }, 'valid_until')
    await ask('POST', '$F/role_assignments', { ...ASSIGNED, valid_from: from, valid_until: until })
    await refused('PUT', { valid_until: from }, 'valid_until')
    await refused('PUT', { valid_from: until }, 'valid_from')
    expect((await ask('PUT', '$F/role_assignments', { ...ASSIGNED, valid_until: from + 1 })).status).toBe(200)
  })

  it('may be in the past', async () => {
    const { status } = await ask('POST', '$F/role_assignments', { ...ASSIGNED, valid_until: 1 })
    expect(status).toBe(200)
    expect(assignment()).toMatchObject({ valid_until: 1 })
  })
})

describe('what has no times', () => {
  it('is stored and answered as before there were any', async () => {
    const { body } = await ask('POST', '$F/role_assignments', { ...ASSIGNED, valid_from: null, valid_until: null })
    const related = await ask('POST', '$F/relationship_tuples', RELATED)
    await ask('PUT', '$S/groups/team:ops/users/ana', { tenant: 'acme' })
    const [timed, ...others] = [assignment(), stored('relationship_tuple', 'folder:top/parent/folder:sub')]
    for (const one of [timed, ...others, stored('role_assignment', MEMBER), body, related.body])
      expect(Object.keys(one as object).filter((name) => name.startsWith('valid_'))).toEqual([])
  })

  it('is so again when they are cleared', async () => {
    await ask('POST', '$F/role_assignments', { ...ASSIGNED, valid_from: 5, valid_until: soon(1) })
    await ask('PUT', '$F/role_assignments', { ...ASSIGNED, valid_from: null, valid_until: null })
    expect(Object.keys(assignment()).filter((name) => name.startsWith('valid_'))).toEqual([])
  })
})

describe('what is not sent', () => {
  const until = soon(48)
  const kept = () => expect(assignment()).toMatchObject({ valid_until: until })
  beforeEach(async () => {
    expect((await ask('POST', '$F/role_assignments', { ...ASSIGNED, valid_until: until })).status).toBe(200)
  })

  it('stays in PUT of the assignment, and null clears it', async () => {
    const { status, body } = await ask('PUT', '$F/role_assignments', ASSIGNED)
    expect([status, body.valid_until]).toEqual([200, printed(until)])
    kept()
    await ask('PUT', '$F/role_assignments', { ...ASSIGNED, valid_from: 7 })
    expect(assignment()).toMatchObject({ valid_from: 7, valid_until: until })
    await ask('PUT', '$F/role_assignments', { ...ASSIGNED, valid_until: null })
    expect(assignment()).not.toHaveProperty('valid_until')
  })

  it('stays when the roles of the user are sent, in any call', async () => {
    const roles = { role_assignments: [{ role: 'editor', tenant: 'acme' }] }
    await ask('PUT', '$F/users/ana', roles)
    kept()
    await ask('PUT', '$F/bulk/users', { operations: [{ key: 'ana', ...roles }] })
    kept()
    await ask('POST', '$F/tenants/acme/users', { key: 'ana', ...roles })
    kept()
    await ask('PUT', '/v1/users', { key: 'ana', roles: [{ role: 'editor', tenant: 'acme' }] }, environmentKey())
    kept()
    const later = soon(72)
    await ask('PUT', '$F/users/ana', { role_assignments: [{ role: 'editor', tenant: 'acme', valid_until: later }] })
    expect(assignment()).toMatchObject({ valid_until: later })
  })

  it('stays in a file of facts and in an imported policy, and is cleared by null', async () => {
    const headers = { 'content-type': 'application/x-ndjson' }
    await ask('POST', '$F/import', JSON.stringify({ role_assignment: ASSIGNED }), { headers })
    kept()
    await ask('POST', '$F/import', JSON.stringify({ role_assignment: { ...ASSIGNED, valid_until: null } }), { headers })
    expect(assignment()).not.toHaveProperty('valid_until')
  })

  it('is refused with 409 in POST, alone and in bulk; a bulk call that sends times changes them', async () => {
    expect((await ask('POST', '$F/role_assignments', ASSIGNED)).status).toBe(409)
    expect((await ask('POST', '$F/role_assignments', { ...ASSIGNED, valid_until: soon(99) })).status).toBe(409)
    expect((await ask('POST', '$F/role_assignments/bulk', [ASSIGNED])).status).toBe(409)
    kept()
    const later = soon(99)
    const bulk = await ask('POST', '$F/role_assignments/bulk', [
      { ...ASSIGNED, valid_until: later },
      { ...ASSIGNED, role: 'viewer' },
    ])
    expect(bulk.body).toEqual({ assignments_created: 1 })
    expect(assignment()).toMatchObject({ valid_until: later })
  })
})

const environmentKey = () => ({ key: api.made.environments[0]!.secret })

describe('what has ended', () => {
  const ended = { valid_until: 1000 }

  it('is made anew by POST, with another id and what is sent', async () => {
    const first = await ask('POST', '$F/role_assignments', { ...ASSIGNED, valid_from: 5, ...ended })
    const again = await ask('POST', '$F/role_assignments', ASSIGNED)
    expect(again.status).toBe(200)
    expect(again.body.id).not.toBe(first.body.id)
    expect(assignment()).not.toHaveProperty('valid_from')
    expect(assignment()).not.toHaveProperty('valid_until')
    expect(api.store.view(api.environment).get('membership', 'acme/ana')).toMatchObject({ explicit: false })
    expect((await ask('POST', '$F/role_assignments', ASSIGNED)).status).toBe(409)
  })

  it('is made anew by a bulk call, by the roles of a user and by adding to a tenant or a group', async () => {
    const renew = async (call: () => ReturnType<Ask>) => {
      await ask('PUT', '$F/role_assignments', { ...ASSIGNED, ...ended })
      const { id } = stored('role_assignment', 'ana/editor/acme')!
      expect((await call()).status).toBe(200)
      expect(assignment()).not.toHaveProperty('valid_until')
      expect(assignment()).not.toMatchObject({ id })
    }
    await renew(() => ask('POST', '$F/role_assignments/bulk', [ASSIGNED]))
    await renew(() => ask('POST', '$F/users/ana/roles', { role: 'editor', tenant: 'acme' }))
    const role_assignments = [{ role: 'editor', tenant: 'acme' }]
    await renew(() => ask('POST', '$F/tenants/acme/users', { key: 'ana', role_assignments }))
    const member = (sent: object) => ask('PUT', '$S/groups/team:ops/users/ana', { tenant: 'acme', ...sent })
    await member(ended)
    expect(stored('role_assignment', MEMBER)).toMatchObject(ended)
    await member({})
    expect(stored('role_assignment', MEMBER)).not.toHaveProperty('valid_until')
  })

  it('stays ended in PUT and in a sync that says no time, and goes on with a later end', async () => {
    await ask('POST', '$F/role_assignments', { ...ASSIGNED, ...ended })
    const { id } = stored('role_assignment', 'ana/editor/acme')!
    await ask('PUT', '$F/role_assignments', ASSIGNED)
    await ask('PUT', '$F/users/ana', { role_assignments: [{ role: 'editor', tenant: 'acme' }] })
    expect(assignment()).toMatchObject(ended)
    const later = soon(1)
    await ask('PUT', '$F/role_assignments', { ...ASSIGNED, valid_until: later })
    expect(assignment()).toMatchObject({ id, valid_until: later })
  })

  it('is made anew by POST of a tuple, too', async () => {
    const first = await ask('POST', '$F/relationship_tuples', { ...RELATED, ...ended })
    const again = await ask('POST', '$F/relationship_tuples', RELATED)
    expect([again.status, again.body.valid_until]).toEqual([200, undefined])
    expect(again.body.id).not.toBe(first.body.id)
    expect((await ask('POST', '$F/relationship_tuples', RELATED)).status).toBe(409)
    const operations = [{ ...RELATED, ...ended }]
    expect((await ask('POST', '$F/relationship_tuples/bulk', { operations })).status).toBe(200)
    expect((await ask('POST', '$F/relationship_tuples/bulk', { operations: [RELATED] })).status).toBe(200)
    expect((await ask('POST', '$F/relationship_tuples/bulk', { operations: [RELATED] })).status).toBe(409)
  })
})

describe('extending in the moment of the end', () => {
  it('never loses the grant, and at most one POST makes it anew', async () => {
    for (let round = 0; round < 8; round++) {
      await ask('DELETE', '$F/role_assignments', ASSIGNED)
      const end = Date.now() + 6
      await ask('PUT', '$F/role_assignments', { ...ASSIGNED, valid_until: end })
      const { id } = stored('role_assignment', 'ana/editor/acme')!
      const later = soon(1)
      const posts = Array.from({ length: 12 }, () =>
        ask('POST', '$F/role_assignments', { ...ASSIGNED, valid_until: later }),
      )
      const put = ask('PUT', '$F/role_assignments', { ...ASSIGNED, valid_until: later })
      const statuses = (await Promise.all(posts)).map(({ status }) => status)
      expect((await put).status).toBe(200)
      expect(statuses.filter((status) => status !== 409)).toEqual(statuses.includes(200) ? [200] : [])
      expect(assignment()).toMatchObject({ valid_until: later })
      // made anew, it is another one; extended, it is the same
      expect(stored('role_assignment', 'ana/editor/acme')!.id !== id).toBe(statuses.includes(200))
    }
  })
})

describe('PUT', () => {
  it('creates what is missing, with 201', async () => {
    const valid_until = soon(1)
    const made = await ask('PUT', '$F/role_assignments', { ...ASSIGNED, valid_until })
    expect([made.status, made.body.valid_until]).toEqual([201, printed(valid_until)])
    const related = await ask('PUT', '$F/relationship_tuples', { ...RELATED, valid_until })
    expect([related.status, related.body.valid_until]).toEqual([201, printed(valid_until)])
    const again = await ask('PUT', '$F/relationship_tuples', { ...RELATED, valid_from: 3 })
    expect([again.status, again.body.id]).toEqual([200, related.body.id])
    expect(again.body).toMatchObject({ valid_from: printed(3), valid_until: printed(valid_until) })
  })

  it('writes nothing when nothing changes', async () => {
    const valid_until = soon(1)
    await ask('PUT', '$F/role_assignments', { ...ASSIGNED, valid_until })
    const { revision } = api.store.head(api.environment)
    await ask('PUT', '$F/role_assignments', { ...ASSIGNED, valid_until })
    expect(api.store.head(api.environment).revision).toBe(revision)
  })
})

describe('groups', () => {
  it('adding a member again sets times', async () => {
    const member = (sent: object) => ask('PUT', '$S/groups/team:ops/users/ana', { tenant: 'acme', ...sent })
    const [one, other] = [soon(1), soon(2)]
    await member({ valid_until: one })
    expect(stored('role_assignment', MEMBER)).toMatchObject({ valid_until: one })
    await member({})
    expect(stored('role_assignment', MEMBER)).toMatchObject({ valid_until: one })
    await member({ valid_until: other })
    expect(stored('role_assignment', MEMBER)).toMatchObject({ valid_until: other })
    await member({ valid_until: null })
    expect(stored('role_assignment', MEMBER)).not.toHaveProperty('valid_until')
  })

  it('a role of a group has times, which are those of its tuple', async () => {
    const role = { role: 'owner', resource: 'folder', resource_instance: 'top', tenant: 'acme' }
    const tuple = () => stored('relationship_tuple', 'team:ops/team_group_owner/folder:top')
    const until = soon(1)
    expect((await ask('POST', '$S/groups/team:ops/roles', { ...role, valid_until: until })).status).toBe(200)
    expect(tuple()).toMatchObject({ valid_until: until })
    await ask('POST', '$S/groups/team:ops/roles', role)
    expect(tuple()).toMatchObject({ valid_until: until })
    await ask('POST', '$S/groups/team:ops/roles', { ...role, valid_until: 5 })
    await ask('POST', '$S/groups/team:ops/roles', role)
    expect(tuple()).not.toHaveProperty('valid_until')
  })
})

describe('an invite', () => {
  const fields = {
    ...{ status: 'pending', email: 'ivo@acme.test', first_name: 'Ivo', last_name: 'Inn' },
    ...{ role_id: 'editor', tenant_id: 'acme' },
  }
  const approve = (key: string) =>
    ask('POST', `$F/user_invites/${key}/approve`, { key, email: `${key}@acme.test`, attributes: {} })

  it('keeps its times, and carries them to the assignment that approving makes', async () => {
    const [valid_from, valid_until] = [5, soon(9)]
    const made = await ask('POST', '$F/user_invites', { key: 'ivo', ...fields, valid_from, valid_until })
    expect(made.body).toMatchObject({ valid_from: printed(valid_from), valid_until: printed(valid_until) })
    expect((await ask('PUT', '$F/user_invites/ivo', fields)).body.valid_until).toBe(printed(valid_until))
    expect((await ask('PATCH', '$F/user_invites/ivo', { valid_from: null })).body).not.toHaveProperty('valid_from')
    expect((await approve('ivo')).status).toBe(200)
    expect(stored('role_assignment', 'ivo/editor/acme')).toMatchObject({ valid_until })
    expect(stored('role_assignment', 'ivo/editor/acme')).not.toHaveProperty('valid_from')
  })

  it('takes nothing from a user who has the role, and says so', async () => {
    await ask('POST', '$F/role_assignments', ASSIGNED)
    await ask('POST', '$F/user_invites', { key: 'ana', ...fields, valid_until: soon(1) })
    const { status, headers } = await approve('ana')
    expect(status).toBe(200)
    expect(assignment()).not.toHaveProperty('valid_until')
    expect(JSON.stringify(headers.warning)).toContain('the times of the invite are ignored')
    await ask('DELETE', '$F/user_invites/ana')
  })

  it('makes anew what has ended', async () => {
    await ask('POST', '$F/role_assignments', { ...ASSIGNED, valid_until: 5 })
    await ask('POST', '$F/user_invites', { key: 'ana', ...fields })
    await approve('ana')
    expect(assignment()).not.toHaveProperty('valid_until')
    await ask('DELETE', '$F/user_invites/ana')
  })
})
