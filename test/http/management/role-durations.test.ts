// For how long a role is given: its default and its most, on every write that makes an assignment or changes its times.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { KindName } from '../../../src/kinds/index.ts'
import { readPolicy } from '../../../src/management/policy-file/read-policy.ts'
import { DURATION_SECONDS_MAX } from '../../../src/model/limits.ts'
import { type Ask, type Harness, joinHarness } from './harness.ts'

const HOUR = 3600
const DAY = 24 * HOUR
const ENVIRONMENT = '/v2/projects/default/envs/development'
const INVITE = { key: 'ivo', status: 'pending', email: 'ivo@acme.test', first_name: 'I', last_name: 'V' }

let api: Harness
let ask: Ask
beforeAll(async () => {
  api = await joinHarness()
  ask = api.ask
})
afterAll(() => api.close())

const POLICY = {
  zerohop: 2,
  resources: [
    {
      key: 'folder',
      actions: { read: {} },
      roles: { owner: { default_duration: HOUR, max_duration: DAY }, reader: {} },
    },
  ],
  roles: [
    { key: 'usual', permissions: ['folder:read'], default_duration: HOUR },
    { key: 'most', max_duration: DAY },
    { key: 'both', default_duration: HOUR, max_duration: DAY },
    { key: 'free' },
  ],
}
const FACTS = {
  tenants: [{ key: 'acme' }],
  resource_instances: [{ key: 'top', resource: 'folder', tenant: 'acme' }],
}
/** Every test begins with the same roles and with ana, who has nothing. */
beforeEach(async () => {
  await ask('DELETE', '$F/users/ana')
  await ask('DELETE', '$F/users/eve')
  await apply({ ...POLICY, ...FACTS, users: [{ key: 'ana' }] })
})

const apply = async (policy: object) => {
  const answer = await ask('POST', `${ENVIRONMENT}/apply`, { policy: { zerohop: 2, ...policy } })
  expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 200 })
  return answer.body
}
const planned = async (policy: object) =>
  (await ask('POST', `${ENVIRONMENT}/plan`, { policy: { zerohop: 2, ...policy } })).body.changes
const stored = (kind: KindName, key: string) => api.store.view(api.environment).get(kind, key)
interface Assigned {
  readonly created_at: number
  readonly updated_at: number
  readonly valid_from?: number
  readonly valid_until?: number
}
const held = (role: string, user = 'ana') => stored('role_assignment', `${user}/${role}/acme`) as Assigned | undefined
/** Seconds from when it was made until its end. */
const length = (role: string, user?: string): number | undefined => {
  const { created_at, valid_until } = held(role, user)!
  return valid_until === undefined ? undefined : (valid_until - created_at) / 1000
}
const give = (role: string, times: object = {}, method: 'POST' | 'PUT' = 'POST') =>
  ask(method, '$F/role_assignments', { user: 'ana', role, tenant: 'acme', ...times })
const tooLong = (answer: { readonly status: number; readonly body: { readonly detail?: unknown } }) =>
  expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'valid_until'] }] } })
const soon = (seconds: number): number => Date.now() + seconds * 1000

describe('the durations of a role', () => {
  it.each([
    ['a role', '$S/roles', 'timed'],
    ['a role of a resource type', '$S/resources/folder/roles', 'timed'],
  ])('of %s are taken, answered, kept where they are not sent, and cleared by null', async (_, path, key) => {
    await ask('DELETE', `${path}/${key}`)
    const durations = { default_duration: 60, max_duration: 120 }
    expect(await ask('POST', path, { key, ...durations })).toMatchObject({ status: 200, body: durations })
    const one = `${path}/${key}`
    expect((await ask('GET', one)).body).toMatchObject(durations)
    expect((await ask('PUT', one, { name: 'Timed' })).body).toMatchObject({ name: 'Timed', ...durations })
    expect((await ask('PATCH', one, { max_duration: 180 })).body).toMatchObject({ ...durations, max_duration: 180 })
    const { body } = await ask('PATCH', one, { max_duration: null })
    expect(body).toMatchObject({ default_duration: 60 })
    expect(body).not.toHaveProperty('max_duration')
    const cleared = await ask('PUT', one, { name: 'Timed', default_duration: null })
    expect(cleared.body).not.toHaveProperty('default_duration')
    await ask('DELETE', one)
  })

  it('are not stored and not answered where there are none', async () => {
    const { body } = await ask('GET', '$S/roles/free')
    expect(body).not.toHaveProperty('default_duration')
    expect(Object.keys(stored('role', 'free') ?? {}).filter((name) => name.includes('duration'))).toEqual([])
  })

  it.each([
    ['zero', 0],
    ['less than zero', -1],
    ['a fraction', 1.5],
    ['more than a hundred years', DURATION_SECONDS_MAX + 1],
    ['a text', '60'],
    ['a duration of ISO 8601', 'PT1M'],
    ['a flag', true],
  ])('that are %s are refused, with the path of the field', async (_, wrong) => {
    const loc = ['body', 'max_duration']
    for (const [method, path, body] of [
      ['POST', '$S/roles', { key: 'wrong', max_duration: wrong }],
      ['PATCH', '$S/roles/free', { max_duration: wrong }],
      ['PUT', '$S/roles/free', { max_duration: wrong }],
      ['POST', '$S/resources/folder/roles', { key: 'wrong', max_duration: wrong }],
    ] as const)
      expect(await ask(method, path, body)).toMatchObject({ status: 422, body: { detail: [{ loc }] } })
    const policy = { zerohop: 2, roles: [{ key: 'free', max_duration: wrong }] }
    expect(await ask('POST', `${ENVIRONMENT}/plan`, { policy })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'policy', 'roles', 0, 'max_duration'] }] },
    })
  })

  it('have a default that is at most the most, also the stored one', async () => {
    const refused = async (body: object, name: string) =>
      expect(await ask('PATCH', '$S/roles/both', body)).toMatchObject({
        status: 422,
        body: { detail: [{ loc: ['body', name] }] },
      })
    await refused({ default_duration: DAY + 1 }, 'default_duration')
    await refused({ max_duration: HOUR - 1 }, 'max_duration')
    expect((await ask('PATCH', '$S/roles/both', { max_duration: HOUR })).status).toBe(200)
  })
})

describe('a new assignment for which no end is sent', () => {
  it('ends after the default, or else after the most, counted from its beginning', async () => {
    for (const role of ['usual', 'most', 'both', 'free']) expect((await give(role)).status).toBe(200)
    expect(['usual', 'most', 'both', 'free'].map((role) => length(role))).toEqual([HOUR, DAY, HOUR, undefined])
    await ask('DELETE', '$F/role_assignments', { user: 'ana', role: 'most', tenant: 'acme' })
    const valid_from = soon(7 * DAY)
    expect((await give('most', { valid_from })).status).toBe(200)
    expect(held('most')).toMatchObject({ valid_from, valid_until: valid_from + DAY * 1000 })
  })

  it('does so in every call that makes one', async () => {
    const one = { user: 'ana', role: 'usual', tenant: 'acme' }
    const user = { key: 'eve', role_assignments: [{ role: 'usual', tenant: 'acme' }] }
    const calls = [
      ['PUT', '$F/role_assignments', one, 'ana'],
      ['POST', '$F/role_assignments/bulk', [one], 'ana'],
      ['POST', '$F/users/ana/roles', { role: 'usual', tenant: 'acme' }, 'ana'],
      ['POST', '$F/users', user, 'eve'],
      ['PUT', '$F/users/eve', user, 'eve'],
      ['POST', '$F/tenants/acme/users', user, 'eve'],
    ] as const
    for (const [method, path, body, who] of calls) {
      await ask('DELETE', '$F/users/eve')
      await ask('DELETE', '$F/role_assignments', one)
      const { status } = await ask(method, path, body)
      expect({ path, isMade: status < 300, length: length('usual', who) }).toEqual({ path, isMade: true, length: HOUR })
    }
  })

  it('does so in the first API version, whose roles keep their durations', async () => {
    const key = api.made.environments[0]?.secret ?? ''
    const v1 = (method: 'POST' | 'PUT', path: string, body: object) => ask(method, `/v1/${path}`, body, { key })
    expect((await v1('POST', 'role_assignments', { role: 'usual', user: 'ana', scope: 'acme' })).status).toBe(200)
    expect(length('usual')).toBe(HOUR)
    expect((await v1('PUT', 'users', { key: 'ana', roles: [{ role: 'both', tenant: 'acme' }] })).status).toBe(200)
    expect([held('usual'), length('both')]).toEqual([undefined, HOUR])
  })

  it('does so on an instance, by the role of its type', async () => {
    const one = { user: 'ana', role: 'owner', tenant: 'acme', resource_instance: 'folder:top' }
    await ask('POST', '$F/role_assignments', one)
    const made = stored('role_assignment', 'ana/owner/acme/folder:top') as Assigned
    expect(made.valid_until).toBe(made.created_at + HOUR * 1000)
    tooLong(await ask('PUT', '$F/role_assignments', { ...one, valid_until: null }))
  })

  it('does so in a group whose role of members says it', async () => {
    const group = { group_instance_key: 'ops', group_tenant: 'acme', group_resource_type_key: 'team' }
    expect((await ask('POST', '$S/groups', group)).status).toBe(200)
    await ask('PATCH', '$S/resources/team/roles/member', { max_duration: HOUR })
    expect((await ask('PUT', '$S/groups/team:ops/users/ana', { tenant: 'acme' })).status).toBe(200)
    const made = stored('role_assignment', 'ana/member/acme/team:ops') as Assigned
    expect(made.valid_until).toBe(made.created_at + HOUR * 1000)
    tooLong(await ask('PUT', '$S/groups/team:ops/users/ana', { tenant: 'acme', valid_until: soon(DAY) }))
  })

  it('is without an end where null is sent and the role has no most', async () => {
    expect((await give('usual', { valid_until: null })).status).toBe(200)
    expect(length('usual')).toBeUndefined()
  })
})

describe('the most', () => {
  it.each([
    ['null', () => null],
    ['an end that is further away', () => soon(DAY + 60)],
  ])('refuses %s on every write', async (_, end) => {
    const valid_until = end()
    const one = { user: 'ana', role: 'most', tenant: 'acme', valid_until }
    const sent = { role: 'most', tenant: 'acme', valid_until }
    const calls = [
      ['POST', '$F/role_assignments', one, ['body']],
      ['PUT', '$F/role_assignments', one, ['body']],
      ['POST', '$F/role_assignments/bulk', [one], ['body', 0]],
      ['POST', '$F/users/ana/roles', sent, ['body']],
      ['POST', '$F/users', { key: 'eve', role_assignments: [sent] }, ['body', 'role_assignments', 0]],
      ['PUT', '$F/users/ana', { role_assignments: [sent] }, ['body', 'role_assignments', 0]],
      ['POST', '$F/tenants/acme/users', { key: 'eve', role_assignments: [sent] }, ['body', 'role_assignments', 0]],
      [
        'POST',
        `${ENVIRONMENT}/apply`,
        { policy: { zerohop: 2, role_assignments: [one] } },
        ['body', 'policy', 'role_assignments', 0],
      ],
    ] as const
    const refuse = async () => {
      for (const [method, path, body, at] of calls) {
        const answer = await ask(method, path, body)
        const loc = answer.body.detail?.[0]?.loc
        const isThere = answer.status === 409 // POST of one that is there
        if (!isThere)
          expect({ path, status: answer.status, loc }).toEqual({ path, status: 422, loc: [...at, 'valid_until'] })
      }
    }
    await refuse()
    expect(held('most')).toBeUndefined()
    await give('most')
    await refuse()
    expect(length('most')).toBe(DAY)
  })

  it('is counted from now, so that what is in force can be extended, by the most at a time', async () => {
    await give('most', { valid_from: 5, valid_until: soon(60) })
    const valid_until = soon(DAY - 60)
    expect((await give('most', { valid_until }, 'PUT')).status).toBe(200)
    expect(held('most')).toMatchObject({ valid_from: 5, valid_until })
    tooLong(await give('most', { valid_until: soon(DAY + 60) }, 'PUT'))
    expect((await give('most', { valid_until: 9 }, 'PUT')).status).toBe(200)
  })

  it('leaves assignments that are there as they are, until their times change', async () => {
    await give('free')
    await ask('PATCH', '$S/roles/free', { max_duration: HOUR })
    expect(held('free')).not.toHaveProperty('valid_until')
    expect((await give('free', {}, 'PUT')).status).toBe(200)
    expect((await ask('PUT', '$F/users/ana', { role_assignments: [{ role: 'free', tenant: 'acme' }] })).status).toBe(
      200,
    )
    expect(held('free')).not.toHaveProperty('valid_until')
    expect((await give('free', { reason: 'on call' }, 'PUT')).body).toMatchObject({ reason: 'on call' })
    tooLong(await give('free', { valid_from: 5 }, 'PUT'))
    expect((await give('free', { valid_until: soon(60) }, 'PUT')).status).toBe(200)
  })

  it('holds for what approving an invite makes, counted from then', async () => {
    const invite = async (role: string, times: object) => {
      await ask('DELETE', '$F/user_invites/ivo')
      await ask('DELETE', '$F/users/ivo')
      expect(
        (await ask('POST', '$F/user_invites', { ...INVITE, role_id: role, tenant_id: 'acme', ...times })).status,
      ).toBe(200)
      return ask('POST', '$F/user_invites/ivo/approve', { key: 'ivo', email: INVITE.email, attributes: {} })
    }
    expect((await invite('both', {})).status).toBe(200)
    expect(length('both', 'ivo')).toBe(HOUR)
    tooLong(await invite('most', { valid_until: soon(2 * DAY) }))
    await ask('DELETE', '$F/user_invites/ivo')
  })
})

describe('files', () => {
  const one = { user: 'ana', role: 'usual', tenant: 'acme' }
  const key = 'ana/usual/acme'

  it('that leave durations out reset them, which a plan shows as widening; an import keeps them', async () => {
    const roles = POLICY.roles.map(({ key }) => ({ key }))
    const changes = await planned({ roles })
    expect(changes).toContainEqual({
      ...{ op: 'update', kind: 'role', key: 'both' },
      fields: { default_duration: [HOUR, null], max_duration: [DAY, null] },
    })
    await ask('POST', `${ENVIRONMENT}/import`, { bundle: { roles } })
    expect(stored('role', 'both')).toMatchObject({ default_duration: HOUR, max_duration: DAY })
    await apply({ roles })
    expect(stored('role', 'both')).not.toHaveProperty('max_duration')
  })

  it('say each end themselves: without one there is none, and a most refuses that', async () => {
    await apply({ role_assignments: [one] })
    expect(held('usual')).not.toHaveProperty('valid_until')
    expect(await planned({ role_assignments: [one] })).toEqual([])
    const lines = [{ ...one, role: 'both' }].map((assignment) => JSON.stringify({ role_assignment: assignment }))
    const headers = { 'content-type': 'application/x-ndjson' }
    expect(await ask('POST', '$F/import', lines.join('\n'), { headers })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 0, 'role_assignment', 'valid_until'] }] },
    })
    const valid_until = new Date(soon(HOUR)).toISOString()
    await apply({ role_assignments: [{ ...one, role: 'both', valid_until }] })
    expect(held('both')).toMatchObject({ valid_until: Date.parse(valid_until) })
    const policy = { zerohop: 2, role_assignments: [{ ...one, role: 'both' }] }
    expect(await ask('POST', `${ENVIRONMENT}/plan`, { policy })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'policy', 'role_assignments', 0, 'valid_until'] }] },
    })
  })

  it('that are validated are judged by the time of day where a server is asked, and not without one', async () => {
    const policy = {
      ...{ ...POLICY, ...FACTS, users: [{ key: 'ana' }] },
      role_assignments: [{ ...one, role: 'most', valid_until: '2031-01-01T00:00:00Z' }],
    }
    const files = [{ name: 'policy.json', text: JSON.stringify(policy) }]
    expect(readPolicy(files).problems.filter(({ severity }) => severity === 'error')).toEqual([])
    const message = expect.stringContaining('86400 seconds at most')
    const { body } = await ask('POST', `${ENVIRONMENT}/validate`, { files })
    expect(body.problems).toContainEqual(expect.objectContaining({ severity: 'error', message }))
  })

  it('export what an import makes the same of, with an end and without', async () => {
    await give('usual', { valid_until: null })
    await give('both')
    const { body: policy } = await ask('GET', `${ENVIRONMENT}/export?facts=true`)
    expect(policy.roles).toEqual(expect.arrayContaining([expect.objectContaining({ key: 'both', max_duration: DAY })]))
    const ends = ['usual', 'both'].map((role) => held(role)?.valid_until)
    expect(await planned(policy)).toEqual([])
    await ask('DELETE', '$F/users/ana')
    await ask('DELETE', '$S/roles/both')
    await apply(policy)
    expect(['usual', 'both'].map((role) => held(role)?.valid_until)).toEqual(ends)
    expect(stored('role', 'both')).toMatchObject({ default_duration: HOUR, max_duration: DAY })
  })

  it('are taken back exactly by a revert, or not at all', async () => {
    const revert = () => ask('POST', `${ENVIRONMENT}/revisions/${api.store.head(api.environment).revision}/revert`, {})
    await give('usual', { valid_until: null })
    await ask('DELETE', '$F/role_assignments', one)
    expect(await revert()).toMatchObject({ status: 200 })
    expect(stored('role_assignment', key)).not.toHaveProperty('valid_until')

    await ask('PATCH', '$S/roles/both', { max_duration: null })
    expect(await revert()).toMatchObject({ status: 200 })
    expect(stored('role', 'both')).toMatchObject({ max_duration: DAY })

    await give('free')
    await ask('PATCH', '$S/roles/free', { max_duration: HOUR })
    await ask('DELETE', '$F/role_assignments', { ...one, role: 'free' })
    expect((await revert()).status).toBe(409)
    expect(held('free')).toBeUndefined()
  })

  it('copy durations with the roles, into another environment', async () => {
    const target = { target_env: { new: { key: 'durations', name: 'Durations' } } }
    const { status, body } = await ask('POST', `${ENVIRONMENT}/copy`, target)
    expect(status).toBe(201)
    const copied = api.store.view(body.id).get('role', 'both')
    expect(copied).toMatchObject({ default_duration: HOUR, max_duration: DAY })
    await ask('DELETE', '/v2/projects/default/envs/durations')
  })
})
